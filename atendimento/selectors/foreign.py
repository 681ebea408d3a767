"""What colleagues did while a page was open: said in a sentence, and a card that one was writing in stays."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento.models import LedgerEvent, Membership, ProposedChange, Ticket
from atendimento.selectors import cards, controls, held_then, history, reading, values
from atendimento.selectors.cards import Sight
from atendimento.selectors.held_then import Given
from atendimento.selectors.pane_parts import ChangeCard, HistoryLine, SlotCard
from atendimento.selectors.parts import Settled
from memoria.events import Event, EventKind
from memoria.patch import MISSING, lookup
from memoria.proposals import Status

TOLD: Final = 3
"""Decisions that are said one by one, the latest first; all of them are in the history."""

KEPT: Final = 20
"""Cards that a page may ask to keep."""

DECIDED: Final[Mapping[str, Promise]] = {
    "accepted": gettext_lazy("%(who)s accepted: %(what)s"),
    "edited": gettext_lazy("%(who)s accepted as edited: %(what)s"),
    "rejected": gettext_lazy("%(who)s rejected: %(what)s"),
}


def told(member: Membership, ticket: Ticket, sight: Sight, seen: int | None) -> str:
    """What others decided after the version `seen`, in words; empty where nothing, or where nobody asks."""
    if seen is None or seen >= ticket.state_version:
        return ""
    rows = LedgerEvent.objects.filter(ticket=ticket, version__gt=seen, content__isnull=False).exclude(member=member)
    events = [reading.event_of(row) for row in rows.order_by("-version")[:TOLD]]
    past = held_then.given(ticket.pk, events, sight.state)
    return " · ".join(_told(event, sight, past) for event in events)


def _told(event: Event, sight: Sight, past: Given) -> str:
    who = event.actor.name if event.actor.member else _("The system")
    lines = history.lines(event, sight, past)
    what = _listed([_change(line) for line in lines if not line.fell])
    if event.kind is EventKind.DECISION and len(kinds := {entry["decision"] for entry in event.cause["changes"]}) == 1:
        said = str(DECIDED[kinds.pop()]) % {"who": who, "what": what}
    else:
        said = ": ".join(filter(None, [f"{who} {history.sentence(event, sight)}", what]))
    fallen = _listed([line.label for line in lines if line.fell])
    return _("%(said)s (to be confirmed now: %(fallen)s)") % {"said": said, "fallen": fallen} if fallen else said


def _change(line: HistoryLine) -> str:
    """What became of a field. An arrow leads to what holds by it, and to nothing else."""
    value = history.worth(line)
    return " → ".join(filter(None, (line.label, value))) if value == line.new else f"{line.label}: {value}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:TOLD]) + (", …" if len(words) > TOLD else "")


# --- cards that stay ----------------------------------------------------------------------------------------------


def kept_rows(ticket: Ticket, keys: Iterable[str]) -> list[ProposedChange]:
    """The changes of this ticket among these cards that are no longer to be decided."""
    ids = [found for key in list(keys)[:KEPT] if (found := _id(key.partition(":")[0])) is not None]
    if not ids:
        return []
    gone = (Status.ACCEPTED, Status.EDITED, Status.REJECTED, Status.SUPERSEDED)
    return list(
        ProposedChange.objects.select_related("proposal", "decided_by").filter(ticket=ticket, pk__in=ids, status__in=gone)
    )


def _id(key: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(key.removeprefix("ch-")) if key.startswith("ch-") else None
    except ValueError:
        return None


FORMS: Final = ("resolve", "confirm", "set")
"""The forms of a value's card. A page names the one that is open with the card: `sl-facts-bairro:resolve`."""


def kept_slots(ticket: Ticket, sight: Sight, keys: Iterable[str], shown: Iterable[str]) -> list[SlotCard]:
    """The values among these cards that no longer wait for anybody: each says who settled it, and what is typed can go on."""
    open_forms = {key: form for key, _colon, form in (name.partition(":") for name in list(keys)[:KEPT])}
    asked = {key: form for key, form in open_forms.items() if key.startswith("sl-") and key not in set(shown)}
    if not asked:
        return []
    pointers = {key: pointer for pointer in sight.state.slots if (key := cards.slot_key(pointer)) in asked}
    touching = history.touching(ticket.pk, list(pointers.values()))
    return [_settled_slot(ticket, sight, pointer, asked[key], touching) for key, pointer in pointers.items()]


def _settled_slot(ticket: Ticket, sight: Sight, pointer: str, form: str, touching: Sequence[Event]) -> SlotCard:
    found = next((event for event in touching if pointer in event.pointers), None)
    drawn = cards.slot_card(pointer, sight.state.slots[pointer], sight, "settled")
    failure = sight.failed(drawn.key)
    form = (failure.form if failure is not None else "") or form
    sentence = _("Nothing is to be settled here any more.")
    if found is not None:
        moment = date_format(timezone.localtime(found.at), "H:i")
        said = _told(found, sight, held_then.given(ticket.pk, [found], sight.state))
        sentence = _("%(said)s (at %(time)s).") % {"said": said, "time": moment}
    return replace(
        drawn,
        open_form=form if form in FORMS else "set",
        settled=Settled(
            sentence,
            drawn.value,
            pointer,
            reverse("web:ticket", args=[ticket.pk]),
            problem=drawn.problem,
            hidden=sight.hides(pointer),
        ),
        typed=failure.typed if failure is not None else {},
    )


def in_order(rows: Iterable[ProposedChange]) -> list[ProposedChange]:
    """Where each stood: oldest proposal first, in the proposal's own order."""
    return sorted(rows, key=lambda row: (row.proposal.created_at, row.proposal_id, row.position))


def card(row: ProposedChange, sight: Sight) -> ChangeCard:
    """The card of a change, to decide or decided: one that was decided says how, and what is typed in it can be recorded."""
    drawn = cards.change_card(row, sight)
    if row.status == Status.PENDING:
        return drawn
    pointer = _pointer(row)
    place = sight.ticket_type.place(pointer, sight.state.values)
    held = MISSING if place is None or place.kind == "new" else lookup(sight.state.values, pointer)
    # What is sensitive is opened by a deliberate act: the form begins with what the card showed.
    unseen = held is MISSING or values.is_hidden(sight.ticket_type, pointer, held)
    forms = controls.for_place(sight.ticket_type, place, row.value if unseen else held) if place is not None else ()
    failure = sight.failed(drawn.key)
    if failure is not None:
        forms = controls.typed(forms, failure.typed)
    now = values.show_at(sight.ticket_type, pointer, held, sight.state)
    address = reverse("web:ticket", args=[row.ticket_id])
    return replace(
        drawn,
        controls=forms,
        cascade=(),
        settled=Settled(
            _settled(row), now, pointer, address, problem=failure.problem if failure else None, hidden=now == values.HIDDEN
        ),
    )


def _pointer(row: ProposedChange) -> str:
    """What the change is about now: a member that it made has a place of its own."""
    if not row.path.endswith("/-") or row.version is None:
        return row.path
    stored = LedgerEvent.objects.filter(ticket=row.ticket_id, version=row.version, content__isnull=False).first()
    entries: Sequence[Mapping[str, str]] = reading.event_of(stored).cause.get("changes", ()) if stored is not None else ()
    return next((entry["pointer"] for entry in entries if entry["id"] == str(row.pk)), row.path)


def _settled(row: ProposedChange) -> str:
    if row.decided_by is None or row.decided_at is None:
        return _("Another decision settled this: the proposal no longer stands.")
    sentences = {
        Status.ACCEPTED: _("%(who)s accepted this at %(time)s."),
        Status.EDITED: _("%(who)s accepted this as edited at %(time)s."),
        Status.REJECTED: _("%(who)s rejected this at %(time)s."),
    }
    moment = date_format(timezone.localtime(row.decided_at), "H:i")
    return sentences[Status(row.status)] % {"who": row.decided_by.name, "time": moment}
