"""The handover brief: what holds, what is open, promised and forbidden, in a few lines."""

from __future__ import annotations

import uuid

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import access, wording
from atendimento.models import LedgerEvent, Membership
from atendimento.selectors import reading, values
from atendimento.selectors.pages import Brief, BriefLine
from memoria.members import FINISHED
from memoria.state import SlotStatus, State


def brief(member: Membership, ticket_id: str | uuid.UUID) -> Brief:
    """The ticket's brief as of its present version."""
    ticket = access.ticket(member.organization, ticket_id)
    ticket_type, state = reading.definition(ticket.ticket_type_id), reading.current_state(ticket.pk)
    lines = []
    for pointer, field in ticket_type.fields.items():
        slot = state.slots.get(pointer)
        if slot is None:
            continue
        words = values.show(values.held(state, pointer)) or _("open")
        lines.append(BriefLine(field.label, words, _doubt(state, pointer), field.literal))
    today = timezone.localdate()
    for group in ("commitments", "pending", "constraints", "decisions", "authorizations", "attempts"):
        for key, held in state.values.get(group, {}).items():
            status = held.get("status")
            notes = [str(wording.MEMBER_STATUSES.get(status, status))] if status else []
            if group == "commitments":
                notes.append(values.owner(held["owner"]))
                if status not in FINISHED and held.get("due"):
                    notes.append(values.due_words(held["due"], today)[0])
            doubt = _doubt(state, f"/{group}/{key}")
            lines.append(
                BriefLine(
                    f"{wording.COLLECTIONS[group]} {key}",
                    values.member_text(held),
                    ", ".join(filter(None, [*notes, doubt])),
                    group in ("constraints", "decisions"),
                )
            )
    newer = ticket.last_message_number - ticket.through_message
    note = _("As of version %(version)d.") % {"version": state.version}
    if newer > 0 and ticket.through_message:
        more = ngettext("%(count)d newer message is not in it.", "%(count)d newer messages are not in it.", newer)
        note = f"{note} {more % {'count': newer}}"
    last = LedgerEvent.objects.filter(ticket=ticket).order_by("-version").values_list("at", flat=True).first()
    return Brief(ticket.subject, str(ticket.customer), ticket.protocol, tuple(lines), last, note)


def _doubt(state: State, pointer: str) -> str:
    slot = state.slots.get(pointer)
    if slot is None or slot.status is SlotStatus.CURRENT:
        return ""
    if slot.status is SlotStatus.CONFLICT:
        return _("divergence, not settled")
    return str(wording.SLOT_STATUSES[slot.status.value])
