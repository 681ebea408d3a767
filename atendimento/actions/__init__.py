"""Every write: one typed, keyword-only function each, one transaction each.

`propose.propose_changes` is not named here: only workers use it, and its tables for counting tokens are large.
"""

from atendimento.actions.decisions import accept_change, decide_changes, edit_change, reject_change
from atendimento.actions.desk import Written
from atendimento.actions.faults import Fault, InvalidInput
from atendimento.actions.messages import Received, delete_message, receive_message, write_reply
from atendimento.actions.organizations import create_api_token, create_member, create_organization
from atendimento.actions.proposals import store_proposal
from atendimento.actions.runs import request_proposal
from atendimento.actions.slots import confirm_slot, resolve_slot, set_slot
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.tickets import CustomerData, create_ticket, update_ticket
from atendimento.actions.undo import undo_version

__all__ = [
    "CustomerData",
    "Fault",
    "InvalidInput",
    "Received",
    "Written",
    "accept_change",
    "confirm_slot",
    "create_api_token",
    "create_member",
    "create_organization",
    "create_ticket",
    "decide_changes",
    "delete_message",
    "edit_change",
    "publish_ticket_type",
    "receive_message",
    "reject_change",
    "request_proposal",
    "resolve_slot",
    "set_slot",
    "store_proposal",
    "undo_version",
    "update_ticket",
    "write_reply",
]
