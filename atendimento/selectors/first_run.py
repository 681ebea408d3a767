"""The first steps of a new organisation, as far as they are done: told by what is there, so they can be left and taken up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from atendimento import access
from atendimento.access import Permission
from atendimento.models import EndpointHealth, Import, ImportStatus, Invitation, Membership, Ticket, TicketType
from atendimento.selectors.model_server import server_of


@dataclass(frozen=True, slots=True)
class _Step:
    key: str
    title: Promise
    why: Promise
    button: Promise
    route: str
    can_pass: bool


STEPS: Final = (
    _Step(
        "type",
        _("A ticket type"),
        _("Which facts count, whose word weighs most, what falls with what. Take one of the gallery, change it, publish it."),
        _("Choose from the gallery"),
        "web:admin-types",
        can_pass=False,
    ),
    _Step(
        "people",
        _("People"),
        _("Invite who answers customers, and who supervises."),
        _("Invite people"),
        "web:admin-members",
        can_pass=True,
    ),
    _Step(
        "model",
        _("The model"),
        _("It reads the conversations and proposes changes; people decide. One question is enough to see whether it answers."),
        _("To the model"),
        "web:admin-model",
        can_pass=True,
    ),
    _Step(
        "import",
        _("The first conversation"),
        _("A WhatsApp export, a mailbox, or a ticket that an integration delivers."),
        _("Bring conversations in"),
        "web:imports",
        can_pass=False,
    ),
    _Step(
        "decision",
        _("The first decision"),
        _("Open what waits: look at the words, accept, edit or reject."),
        _("To the queue"),
        "web:queue",
        can_pass=False,
    ),
)
KEYS: Final = frozenset(step.key for step in STEPS)
PASSABLE: Final = frozenset(step.key for step in STEPS if step.can_pass)


@dataclass(frozen=True, slots=True)
class Step:
    key: str
    number: int
    title: str
    why: str
    button: str
    url: str
    done: bool
    passed: bool
    can_pass: bool
    now: bool  # the first that is neither done nor passed over


@dataclass(frozen=True, slots=True)
class FirstRun:
    steps: tuple[Step, ...]
    settled: int
    count: int
    finished: bool  # said to be, by an administrator
    model_name: str
    problem: str = ""
    answered: bool = False  # the model, just now


def first_run(member: Membership, *, problem: str = "", answered: bool = False, endpoint: str = "") -> FirstRun:
    """What is done of the first steps. `endpoint` is the identity of the model's server.

    Raises DomainError `permission.denied`.
    """
    access.require(member, Permission.MANAGE)
    kept = member.organization.first_run
    done = {key: found(member, endpoint) for key, found in _DONE.items()}
    passed = set(kept.get("passed", ()))
    open_steps = [step.key for step in STEPS if not done[step.key] and step.key not in passed]
    steps = tuple(
        Step(
            step.key,
            number,
            str(step.title),
            str(step.why),
            str(step.button),
            reverse(step.route),
            done[step.key],
            step.key in passed and not done[step.key],
            step.can_pass,
            bool(open_steps) and step.key == open_steps[0],
        )
        for number, step in enumerate(STEPS, 1)
    )
    return FirstRun(
        steps,
        len(STEPS) - len(open_steps),
        len(STEPS),
        bool(kept.get("finished_at")),
        server_of(member.organization_id).model,
        problem,
        answered,
    )


def is_open(member: Membership) -> bool:
    """Whether this person is to be led to the first steps: an administrator whose organisation has not finished them."""
    return access.caller_of(member).may(Permission.MANAGE) and not member.organization.first_run.get("finished_at")


def _has_type(member: Membership, _endpoint: str) -> bool:
    return TicketType.objects.filter(organization=member.organization_id, published__isnull=False).exists()


def _has_people(member: Membership, _endpoint: str) -> bool:
    others = Membership.objects.filter(organization=member.organization_id).exclude(pk=member.pk)
    return others.exists() or Invitation.objects.filter(organization=member.organization_id).exists()


def _model_answers(_member: Membership, endpoint: str) -> bool:
    return EndpointHealth.objects.filter(identity=endpoint, last_answer_at__isnull=False).exists()


def _has_conversation(member: Membership, _endpoint: str) -> bool:
    imported = Import.objects.filter(organization=member.organization_id, status=ImportStatus.DONE)
    return imported.exists() or Ticket.objects.filter(organization=member.organization_id, last_message_number__gt=0).exists()


def _has_decision(member: Membership, _endpoint: str) -> bool:
    return Ticket.objects.filter(organization=member.organization_id, state_version__gt=0).exists()


_DONE: Final[Mapping[str, Callable[[Membership, str], bool]]] = {
    "type": _has_type,
    "people": _has_people,
    "model": _model_answers,
    "import": _has_conversation,
    "decision": _has_decision,
}
