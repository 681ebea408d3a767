"""On whose word a person may record or confirm a value: what the place's order of sources permits (P1, E9, K6)."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento.selectors import values
from atendimento.selectors.parts import Control, Option
from memoria.fields import TicketType
from memoria.members import Place
from memoria.precedence import statement_source
from memoria.sources import Kind

WORDS: Final = {
    "": gettext_lazy("mine"),
    "customer": gettext_lazy("the customer's, by phone"),
    "third_party": gettext_lazy("a third party's, by phone"),
    "registry": gettext_lazy("a system that I looked into"),
}
CONFIRMERS: Final = {
    "me": gettext_lazy("I did, on my own word"),
    "customer": gettext_lazy("The customer, by phone"),
    "third_party": gettext_lazy("A third party, by phone"),
    "registry": gettext_lazy("I looked it up in a system"),
    "message": gettext_lazy("A message of this conversation"),
}


def whose_word(ticket_type: TicketType, place: Place) -> Control | None:
    """The choice of whose word is recorded, the first one permitted being chosen; None where nobody's is.

    Where the order has no name for what is relayed, it counts as staff's own (E9), and the choice says so.
    """
    options = [
        Option(key, _counting(ticket_type, place, key))
        for key in WORDS
        if place.kind == "status" or _permitted(ticket_type, place, key)
    ]
    return Control("reported", _("On whose word"), "select", options=tuple(options)) if options else None


def confirmers(ticket_type: TicketType, pointer: str) -> tuple[Option, ...]:
    """Who may have confirmed the value at a pointer, the first one chosen. A quoted message speaks for itself."""
    sources = ticket_type.sources_at(pointer) or ()
    kinds = {"me": None, "customer": Kind.CUSTOMER, "third_party": Kind.THIRD_PARTY, "registry": Kind.REGISTRY}
    open_to = [key for key in CONFIRMERS if key not in kinds or statement_source(sources, kinds[key]) in sources]
    return tuple(Option(key, str(CONFIRMERS[key]), key == open_to[0]) for key in open_to)


def only_from(ticket_type: TicketType, place: Place) -> str:
    """Said where no person's word counts: whose messages do."""
    sources = ", ".join(values.source(source) for source in ticket_type.sources_of(place))
    return _("Only the words of these count here: %(sources)s.") % {"sources": sources}


def _permitted(ticket_type: TicketType, place: Place, key: str) -> bool:
    return _source(ticket_type, place, key) in ticket_type.sources_of(place)


def _counting(ticket_type: TicketType, place: Place, key: str) -> str:
    word = str(WORDS[key])
    if not key or _source(ticket_type, place, key) != Kind.AGENT.value:
        return word
    return _("%(whose)s (counts here as the team's word)") % {"whose": word}


def _source(ticket_type: TicketType, place: Place, key: str) -> str:
    return statement_source(ticket_type.sources_of(place), Kind(key) if key else None)
