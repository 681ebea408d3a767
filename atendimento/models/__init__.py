"""Tables and their constraints. No rule lives here."""

from atendimento.models.administration import Act, AdministrativeAct, TicketTypeDraft
from atendimento.models.console import CannedReply, Draft, QueueView, TicketVisit
from atendimento.models.contexts import BriefReading, MessagePin, PromptText
from atendimento.models.corrections import CauseChoice, Correction
from atendimento.models.imports import Import, ImportedTicket, ImportFile, ImportStatus
from atendimento.models.ledger import LedgerEvent, StateSnapshot, TicketState
from atendimento.models.organizations import ApiToken, Membership, Organization, Role, Scope, User
from atendimento.models.proposals import (
    EndpointHealth,
    EndpointMode,
    ModelEndpoint,
    ModelSpend,
    Origin,
    OutboxEntry,
    Proposal,
    ProposedChange,
    RunStatus,
    Waits,
)
from atendimento.models.rebuilds import Rebuild, RebuildKind, RebuildReading
from atendimento.models.reminders import MailStatus, Reminder, ReminderKind
from atendimento.models.retention import (
    CustomerExport,
    ErasureRequest,
    ErasureStatus,
    LegalHold,
    RetentionRun,
    TaskStatus,
)
from atendimento.models.rules import Publication, Simulation, SimulationDifference, WorkStatus
from atendimento.models.search import CustomerWords, MessageWords, TicketIdentifiers, TicketWords
from atendimento.models.signin import Invitation, SingleSignOn
from atendimento.models.teams import Handing, HandingKind, Team, TeamMember
from atendimento.models.tickets import (
    Customer,
    Message,
    MessageRevision,
    ProtocolCounter,
    Ticket,
    TicketStatus,
    TicketType,
    TicketTypeVersion,
)

__all__ = [
    "Act",
    "AdministrativeAct",
    "ApiToken",
    "BriefReading",
    "CannedReply",
    "CauseChoice",
    "Correction",
    "Customer",
    "CustomerExport",
    "CustomerWords",
    "Draft",
    "EndpointHealth",
    "EndpointMode",
    "ErasureRequest",
    "ErasureStatus",
    "Handing",
    "HandingKind",
    "Import",
    "ImportFile",
    "ImportStatus",
    "ImportedTicket",
    "Invitation",
    "LedgerEvent",
    "LegalHold",
    "MailStatus",
    "Membership",
    "Message",
    "MessagePin",
    "MessageRevision",
    "MessageWords",
    "ModelEndpoint",
    "ModelSpend",
    "Organization",
    "Origin",
    "OutboxEntry",
    "PromptText",
    "Proposal",
    "ProposedChange",
    "ProtocolCounter",
    "Publication",
    "QueueView",
    "Rebuild",
    "RebuildKind",
    "RebuildReading",
    "Reminder",
    "ReminderKind",
    "RetentionRun",
    "Role",
    "RunStatus",
    "Scope",
    "Simulation",
    "SimulationDifference",
    "SingleSignOn",
    "StateSnapshot",
    "TaskStatus",
    "Team",
    "TeamMember",
    "Ticket",
    "TicketIdentifiers",
    "TicketState",
    "TicketStatus",
    "TicketType",
    "TicketTypeDraft",
    "TicketTypeVersion",
    "TicketVisit",
    "TicketWords",
    "User",
    "Waits",
    "WorkStatus",
]
