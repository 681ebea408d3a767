"""When a ticket type has the model read, in words: for whoever sets it, and for whoever wonders why nothing was read yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoria.reading import Event, Reading, When

WHENS: Final[Mapping[When, Promise]] = {
    When.BURST: gettext_lazy("after each burst of messages"),
    When.EVENTS: gettext_lazy("only on chosen events"),
    When.SCHEDULE: gettext_lazy("at set times, while the ticket is open"),
    When.DEMAND: gettext_lazy("only on demand"),
}
EVENTS: Final[Mapping[Event, Promise]] = {
    Event.CUSTOMER_MESSAGE: gettext_lazy("a message of the customer or a third party"),
    Event.CLOSING: gettext_lazy("closing"),
    Event.REOPENED: gettext_lazy("reopening"),
    Event.ASSIGNED: gettext_lazy("assignment to somebody"),
}


def events(reading: Reading) -> str:
    return ", ".join(str(words) for event, words in EVENTS.items() if event in reading.on)


def times(reading: Reading) -> str:
    """The set times: “every 30 minutes”, “at 08:00, 14:00”."""
    if reading.every is not None:
        return ngettext("every minute", "every %(count)d minutes", reading.every) % {"count": reading.every}
    return _("at %(times)s") % {"times": ", ".join(at.strftime("%H:%M") for at in reading.at)}


def sentences(reading: Reading) -> tuple[str, ...]:
    """What the type says of it, as sentences."""
    match reading.when:
        case When.EVENTS:
            said = [_("The model reads only on: %(events)s.") % {"events": events(reading)}]
        case When.SCHEDULE:
            said = [_("The model reads %(times)s, while the ticket is open.") % {"times": times(reading)}]
        case When.DEMAND:
            said = [_("The model reads only when a person asks.")]
        case _:
            said = [_("The model reads after each burst of messages.")]
    if reading.most_per_ticket is not None:
        words = ngettext(
            "At most %(count)d reading per ticket and day.", "At most %(count)d readings per ticket and day.",
            reading.most_per_ticket,
        )  # fmt: skip
        said.append(words % {"count": reading.most_per_ticket})
    if reading.most_per_day is not None:
        words = ngettext(
            "At most %(count)d reading a day in all tickets.", "At most %(count)d readings a day in all tickets.",
            reading.most_per_day,
        )  # fmt: skip
        said.append(words % {"count": reading.most_per_day})
    return tuple(said)


def why_unread(reading: Reading) -> str:
    """Why messages may lie unread for long; empty where nothing of the type's makes them."""
    match reading.when:
        case When.DEMAND:
            return _("this type reads only on demand")
        case When.EVENTS:
            return _("this type reads only on: %(events)s") % {"events": events(reading)}
        case When.SCHEDULE:
            return _("this type reads %(times)s") % {"times": times(reading)}
    return ""
