"""A walk of three minutes through the demonstration: a correction, a divergence, a cascade, a promise, the history.

It leads through the tickets that the demonstration plays; where they are not, there is no tour.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from atendimento import access
from atendimento.models import Membership

SOURCE: Final = "ingest:demonstracao"
"""Under whose name the demonstration's tickets have their external ids."""


@dataclass(frozen=True, slots=True)
class _Place:
    conversation: str  # external id of the ticket
    pane: str
    title: Promise
    look: Promise
    do: Promise
    mark: str  # CSS selector of what is meant
    touch: Promise | None = None  # `do` where there are no keys


PLACES: Final = (
    _Place(
        "01-visita-recife",
        "decide",
        _("A correction"),
        _("The customer corrected where and when. Each card shows old and new, whose words, and what falls with it."),
        _("Choose a card with J: its words light up in the conversation. A accepts it, U takes that back."),
        "#memory .card",
        _("Touch a card: its words light up in the conversation. “Accept” takes it over, “Undo” takes that back."),
    ),
    _Place(
        "02-endereco-cadastro",
        "decide",
        _("A divergence"),
        _("The record says one address, the customer another. The weaker word never replaces the stronger one by itself."),
        _("Read both sides on the card: keep, put on record, ask the customer, or hand it to a supervisor."),
        "#memory .card",
    ),
    _Place(
        "06-troca-unidade",
        "state",
        _("What hangs on what"),
        _("The unit changed, so time, technician, estimate and visit await confirmation. They stay visible, and do not hold."),
        _("Confirm one and say who confirmed it: message, system, telephone, or you."),
        "#memory .needs_confirmation, #memory .confirm",
    ),
    _Place(
        "05-reembolso-vencido",
        "state",
        _("A commitment"),
        _("One commitment is overdue, another due. “I shall check” is no check: done needs the words of who did it."),
        _("Begin a reply with “Retorno até quarta-feira com o comprovante”: the console offers to record it with its day."),
        "#memory .group:has(> #group-commitments)",
    ),
    _Place(
        "01-visita-recife",
        "history",
        _("The history"),
        _("Every version: who, what, resting on which words. Nothing is lost, and nothing can be rewritten."),
        _("Open “Compare”, look at two versions side by side, and undo the last one."),
        "#memory .events",
    ),
)


@dataclass(frozen=True, slots=True)
class Stop:
    number: int
    count: int
    title: str
    look: str
    do: str
    touch: str  # the same where there are no keys
    mark: str
    before: str  # addresses; empty at the ends
    after: str
    end: str


def begin(member: Membership) -> str:
    """The address of the first stop; empty where the demonstration's tickets are not, or not to be seen."""
    found = _tickets(member)
    return _address(found, 0) if len(found) == len({place.conversation for place in PLACES}) else ""


def stop(member: Membership, ticket_id: str | uuid.UUID, number: int | None) -> Stop | None:
    """The stop of this number at this ticket; None where there is none."""
    if number is None or not 1 <= number <= len(PLACES):
        return None
    found, place = _tickets(member), PLACES[number - 1]
    if str(found.get(place.conversation)) != str(ticket_id):
        return None
    return Stop(
        number,
        len(PLACES),
        str(place.title),
        str(place.look),
        str(place.do),
        str(place.touch or place.do),
        place.mark,
        _address(found, number - 2) if number > 1 else "",
        _address(found, number) if number < len(PLACES) else "",
        reverse("web:queue"),
    )


def _tickets(member: Membership) -> dict[str, uuid.UUID]:
    wanted = {place.conversation for place in PLACES}
    rows = access.visible_tickets(member).filter(source=SOURCE, external_id__in=wanted)
    return {str(slug): pk for slug, pk in rows.values_list("external_id", "pk")}


def _address(found: dict[str, uuid.UUID], index: int) -> str:
    place = PLACES[index]
    if place.conversation not in found:
        return ""
    return f"{reverse('web:ticket', args=[found[place.conversation]])}?tour={index + 1}&pane={place.pane}&show=memory"
