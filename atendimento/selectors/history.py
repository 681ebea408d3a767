"""Every version with who, what and why, newest first."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import wording
from atendimento.models import LedgerEvent
from atendimento.selectors import held_then, quotes, reading, values
from atendimento.selectors.cards import Sight
from atendimento.selectors.held_then import NOTHING, Given
from atendimento.selectors.pane_parts import DecidedNote, HistoryLine, HistoryRow
from atendimento.selectors.parts import Quote
from atendimento.selectors.reading import event_of
from memoria.events import Event, EventKind
from memoria.patch import MISSING, Json, Missing, Op, related
from memoria.rows import group_of, template_of
from memoria.state import Slot, SlotStatus

PAGE = 30

ICONS = {
    EventKind.DECISION: "check",
    EventKind.CONFIRMATION: "circle-check",
    EventKind.RESOLUTION: "split",
    EventKind.STATEMENT: "pencil",
    EventKind.UNDO: "undo-2",
    EventKind.EVIDENCE_CHANGED: "trash-2",
    EventKind.TICKET_TYPE_CHANGED: "list-checks",
    EventKind.CARRIED: "corner-down-right",
    EventKind.EXPIRED: "clock",
    EventKind.EVIDENCE_ERASED: "trash-2",
    EventKind.ERASED: "ban",
}
NOT_UNDONE = frozenset({EventKind.EVIDENCE_CHANGED, EventKind.EVIDENCE_ERASED, EventKind.ERASED, EventKind.EXPIRED})
"""What no decision made, so none takes it back."""
DOUBTING = frozenset({EventKind.TICKET_TYPE_CHANGED, EventKind.EXPIRED, EventKind.CARRIED})
"""What leaves the values that it touched to be confirmed, or withdraws them."""


def page(ticket_id: uuid.UUID, before: int | None = None, pointer: str = "") -> list[LedgerEvent]:
    """The rows of one page of history, newest first, one more than it shows where there are older ones.

    `pointer`: only the versions that touched it.
    """
    rows = LedgerEvent.objects.filter(ticket_id=ticket_id)
    if pointer:
        rows = rows.filter(pointers__contains=[pointer])
    if before is not None:
        rows = rows.filter(version__lt=before)
    return list(rows.order_by("-version")[: PAGE + 1])


@dataclass(frozen=True, slots=True)
class Undos:
    """How undoing ties the versions of a page together: by each undone version, what undid it; by each undo, what it undid."""

    undone_in: Mapping[int, int]
    undid: Mapping[int, Event]


def undos(ticket_id: uuid.UUID, page: Sequence[LedgerEvent]) -> Undos:
    """The undos of a page's versions, and the versions that its undos took back. Two queries, however long the page."""
    if not page:
        return Undos({}, {})
    oldest = min(row.version for row in page)
    kept = LedgerEvent.objects.filter(ticket_id=ticket_id, content__isnull=False)
    later = [event_of(row) for row in kept.filter(kind=EventKind.UNDO.value, version__gte=oldest)]
    by_version = {event.version: int(event.cause["version"]) for event in later}
    shown = {row.version for row in page}
    wanted = {undone for version, undone in by_version.items() if version in shown}
    undone = {row.version: event_of(row) for row in kept.filter(version__in=wanted)} if wanted else {}
    return Undos(
        {undone: version for version, undone in by_version.items()},
        {version: undone[of] for version, of in by_version.items() if of in undone},
    )


def touching(ticket_id: uuid.UUID, pointers: Sequence[str], limit: int = 200) -> list[Event]:
    """The newest events that touched any of these pointers, for the chains behind the present values."""
    if not pointers:
        return []
    rows = LedgerEvent.objects.filter(ticket_id=ticket_id, pointers__overlap=list(pointers), content__isnull=False)
    return [event_of(row) for row in rows.order_by("-version")[:limit]]


def cited_in(events: Sequence[Event]) -> set[str]:
    """The messages that these events' quotes come from."""
    found: set[str] = set()
    for event in events:
        for _before, after in event.slots.values():
            if after is not None:
                found |= {item.message for item in after.evidence}
                found |= {item.message for item in after.replaces.evidence} if after.replaces else set()
    return found


def rows(
    events: Sequence[LedgerEvent],
    sight: Sight,
    ties: Undos | None = None,
    *,
    member_id: int,
    may_undo_any: bool,
    pointer: str = "",
) -> tuple[HistoryRow, ...]:
    """The rows as the page shows them. What was erased is a line that says so; what was undone offers nothing.

    `pointer`: whose history it is; what the versions did besides stands apart.
    """
    found, ties = [], ties or Undos({}, {})
    sight = _with_former(sight, events)
    kept = {row.version: event_of(row) for row in events if row.content is not None}
    past = held_then.given(events[0].ticket_id, kept.values(), sight.state) if kept else NOTHING
    for row in events:
        address = reverse("web:ticket", args=[row.ticket_id]) + f"?pane=state&show=memory&version={row.version}"
        event = kept.get(row.version)
        if event is None:
            gone = _("changed the state; the content was erased")
            found.append(
                HistoryRow(row_key(row.version), row.version, row.kind, "ban", row.actor["name"], gone, row.at, (), address)
            )
            continue
        undone_in = ties.undone_in.get(row.version)
        undoable = event.kind not in NOT_UNDONE and undone_in is None and (may_undo_any or row.member_id == member_id)
        failure = sight.failed(row_key(row.version))
        actor = event.actor.name if event.actor.member else _("The system")
        told = (*lines(event, sight, past), *_open_again(ties.undid.get(row.version), sight))
        own = tuple(line for line in told if not pointer or related(line.pointer, pointer))
        found.append(
            HistoryRow(
                key=row_key(row.version),
                version=row.version,
                kind=row.kind,
                icon=_icon(event),
                actor=actor,
                sentence=sentence(event, sight),
                at=row.at,
                lines=own,
                others=tuple(line for line in told if line not in own),
                view_url=address,
                can_undo=undoable,
                current=row.version == sight.state.version,
                undone_in=undone_in,
                problem=failure.problem if failure is not None else None,
                reason=failure.typed.get("reason", "") if failure is not None else "",
            )
        )
    return tuple(found)


def _with_former(sight: Sight, events: Sequence[LedgerEvent]) -> Sight:
    """The sight with the fields that these versions touched and that the definition has no more."""
    touched = {pointer for row in events for pointer in row.pointers} - sight.ticket_type.fields.keys()
    gone = [pointer for pointer in touched if pointer.startswith(reading.FIELDS)]
    if not gone:
        return sight
    key = events[0].ticket.ticket_type_id
    return replace(sight, ticket_type=reading.with_former(sight.ticket_type, key, gone, sight.state))


def row_key(version: int) -> str:
    """The element's id of a version's row."""
    return f"v-{version}"


def _open_again(undone: Event | None, sight: Sight) -> tuple[HistoryLine, ...]:
    """Each rejection that an undo took back: what was proposed waits for a decision again."""
    entries = [entry for entry in undone.cause.get("changes", ()) if isinstance(entry, dict)] if undone is not None else []
    return tuple(
        HistoryLine(
            _label(entry["pointer"], sight),
            _("to be decided again"),
            "",
            values.show_at(sight.ticket_type, entry["pointer"], entry.get("value", MISSING), sight.state) or _("withdrawal"),
            pointer=entry["pointer"],
        )
        for entry in entries
        if entry["decision"] == "rejected"
    )


def _icon(event: Event) -> str:
    decisions = {entry["decision"] for entry in event.cause.get("changes", ()) if isinstance(entry, dict)}
    return "x" if event.kind is EventKind.DECISION and decisions == {"rejected"} else ICONS[event.kind]


def sentence(event: Event, sight: Sight) -> str:
    """What an event was, after its actor's name: "accepted 2 changes"."""
    match event.kind:
        case EventKind.DECISION:
            return _decision(event)
        case EventKind.CONFIRMATION:
            return _("confirmed a value")
        case EventKind.RESOLUTION:
            return _("settled a divergence")
        case EventKind.STATEMENT:
            return _("withdrew a value") if event.cause.get("op") == "remove" else _("recorded a value")
        case EventKind.UNDO:
            return _("undid version %(version)d") % {"version": event.cause["version"]}
        case EventKind.EVIDENCE_CHANGED:
            words = _("put values in doubt: %(message)s was edited or deleted")
            if "protocol" in event.cause:
                words = _("put values in doubt: %(message)s of %(protocol)s was edited or deleted")
            return words % event.cause
        case EventKind.EVIDENCE_ERASED:
            return _("put values in doubt: the messages that they rest on were erased")
        case EventKind.ERASED:
            return _("erased what was held")
        case EventKind.CARRIED:
            words = _("split off values of %(protocol)s, version %(version)d")
            if event.cause["how"] == "merge":
                words = _("carried over values of %(protocol)s, version %(version)d")
            return words % {"protocol": event.cause["protocol"], "version": event.cause["version"]}
        case EventKind.EXPIRED:
            return _("put values in doubt: their validity is over")
    return _("settled what version %(version)d of the ticket type no longer takes") % {
        "version": event.cause.get("version", event.ticket_type_version)
    }


def _decision(event: Event) -> str:
    entries = event.cause["changes"]
    taken = sum(entry["decision"] != "rejected" for entry in entries)
    refused = len(entries) - taken
    if not refused:
        return ngettext("accepted %(count)d change", "accepted %(count)d changes", taken) % {"count": taken}
    if not taken:
        return ngettext("rejected %(count)d change", "rejected %(count)d changes", refused) % {"count": refused}
    return _("accepted %(taken)d and rejected %(refused)d changes") % {"taken": taken, "refused": refused}


def lines(event: Event, sight: Sight, past: Given = NOTHING) -> tuple[HistoryLine, ...]:
    """One line a change, then one for each value that fell with it, as it stood then; none where all was erased.

    `past`: what `held_then.given` found for this event; what is not in it, and holds no more, is left out.
    """
    if event.begins_anew:
        return ()
    found = [_entry(entry, event, sight) for entry in event.cause.get("changes", ()) if isinstance(entry, dict)]
    named = {entry["pointer"] for entry in event.cause.get("changes", ()) if isinstance(entry, dict)}
    named |= set(event.touched)
    if event.kind is not EventKind.DECISION:
        found += [_touched(pointer, event, sight, past) for pointer in event.touched or _path(event)]
        named |= set(_path(event))
    for pointer, (_before, after) in event.slots.items():
        if pointer not in named and after is not None and after.status is SlotStatus.NEEDS_CONFIRMATION:
            word, value = str(wording.SLOT_STATUSES["needs_confirmation"]), _held(pointer, event, sight, past)
            found.append(HistoryLine(_label(pointer, sight), word, "", value, pointer=pointer, fell=True))
    return tuple(found)


def worth(line: HistoryLine) -> str:
    """A line's value, where it stands by itself, with what it is if it does not simply hold."""
    if line.tone == "rejected":
        return _("%(value)s (only proposed)") % {"value": line.new}
    if line.fell and line.new:
        return _("%(value)s (to be confirmed)") % {"value": line.new}
    return _("%(value)s (in divergence)") % {"value": line.new} if line.beside else line.new


def _path(event: Event) -> tuple[str, ...]:
    path = event.cause.get("path")
    return (path,) if isinstance(path, str) else ()


def _label(pointer: str, sight: Sight) -> str:
    parts = pointer.strip("/").split("/")
    if len(parts) == 2 and parts[0] in values.NEW and parts[1] != "-":
        return values.kind_and_id(pointer)
    return values.label(sight.ticket_type, pointer, sight.state)


def _entry(entry: Mapping[str, Json], event: Event, sight: Sight) -> HistoryLine:
    pointer, decision = entry["pointer"], entry["decision"]
    value = entry.get("value", MISSING)
    new = values.show_at(sight.ticket_type, pointer, value, sight.state) or _("withdrawn")
    old = values.show_at(sight.ticket_type, pointer, entry.get("was", MISSING), sight.state)
    reasons = [text for text in (entry.get("reason"), entry.get("override")) if text]
    after = event.slots.get(pointer, (None, None))[1]
    found = _quoted(pointer, after, sight) if decision != "rejected" else ()
    return HistoryLine(
        _label(pointer, sight),
        _decided_word(entry),
        old if decision != "rejected" and old != new else "",
        new,
        found,
        "; ".join(map(str, reasons)),
        decision,
        beside=_beside(entry),
        pointer=pointer,
    )


def _quoted(pointer: str, after: Slot | None, sight: Sight) -> tuple[Quote, ...]:
    """The words behind a value; of a sensitive field none, for they hold it."""
    field = sight.ticket_type.fields.get(pointer)
    if after is None or (field is not None and field.sensitive):
        return ()
    return quotes.of_evidence(after.evidence, sight.messages)


def _beside(entry: Mapping[str, Json]) -> bool:
    """Whether the new value was only set beside the old one, which stayed (P6)."""
    return entry.get("verdict") == "conflict" and not entry.get("override")


def _decided_word(entry: Mapping[str, Json]) -> str:
    if entry["decision"] == "rejected":
        return str(wording.CHANGE_STATUSES["rejected"])
    if _beside(entry):
        return _("divergence recorded")
    return str(wording.CHANGE_STATUSES[entry["decision"]])


def _touched(pointer: str, event: Event, sight: Sight, past: Given) -> HistoryLine:
    before, after = event.slots.get(pointer, (None, None))
    old, new = _value_in(event.inverse, pointer), _value_in(event.patch, pointer)
    found = _quoted(pointer, after, sight)
    word = ""
    doubted = event.kind in DOUBTING and after is not None and after.status is SlotStatus.NEEDS_CONFIRMATION
    if event.kind is EventKind.CONFIRMATION and after is not None and after.confirmed is not None:
        word = _ground(after.confirmed.ground)
    if doubted:
        word = str(wording.SLOT_STATUSES["needs_confirmation"])
    elif event.kind in DOUBTING and _was_withdrawn(pointer, event):
        word = _("withdrawn")
    shown = values.show_at(sight.ticket_type, pointer, new, sight.state)
    if isinstance(new, Missing) and after is not None and after.holds:
        shown = _held(pointer, event, sight, past)
    was = values.show_at(sight.ticket_type, pointer, old, sight.state) if before is not None else ""
    reason = str(event.cause.get("reason") or "")
    if not shown and (after is None or not after.holds):
        shown = _("no value")
    return HistoryLine(
        _label(pointer, sight), word, was if was != shown else "", shown, found, reason, "", pointer=pointer, fell=doubted
    )


def _held(pointer: str, event: Event, sight: Sight, past: Given) -> str:
    return values.show_at(sight.ticket_type, pointer, held_then.held(pointer, event, sight.state, past), sight.state)


def _was_withdrawn(pointer: str, event: Event) -> bool:
    return any(entry["pointer"] == pointer and "was" in entry for entry in event.cause.get("values", ()))


def _ground(ground: str) -> str:
    words = {"evidence": _("on a message"), "reported": _("on what was reported")}
    return words.get(ground, _("without a message of the customer"))


def _value_in(operations: Sequence[object], pointer: str) -> Json | Missing:
    for operation in operations:
        path, op = getattr(operation, "path", ""), getattr(operation, "op", None)
        if path == pointer and op is not Op.REMOVE:
            return getattr(operation, "value", MISSING)
    return MISSING


def note(row: LedgerEvent, sight: Sight, *, member_id: int) -> DecidedNote | None:
    """What the member has just done, and whether they can take it back: while nobody has gone on from there."""
    if row.content is None or row.member_id != member_id or row.version != sight.state.version:
        return None
    return told(event_of(row), sight)


def told(event: Event, sight: Sight) -> DecidedNote:
    """What an event has just done, in a sentence that names the value."""
    if event.kind is EventKind.UNDO:
        return DecidedNote(_undone_words(event, sight), None, event.version)
    found = lines(event, sight)
    entries = [entry for entry in event.cause.get("changes", ()) if isinstance(entry, dict)]
    if _moved(entries):
        entries = [entry for entry in entries if entry["decision"] != "rejected"]
    if len(entries) > 1 or not found:
        said = _counted(entries) if entries else sentence(event, sight)
    else:
        said = f"{_done(event, found[0])}: {_named(event, found[0], sight)}"
    return DecidedNote(said[:1].upper() + said[1:], event.version, event.version)


def _named(event: Event, line: HistoryLine, sight: Sight) -> str:
    """A field with its value; a member by its own words, as its id tells nothing."""
    for pointer in event.slots:
        collection, _slash, member = pointer.strip("/").partition("/")
        if collection in values.NEW and "/" not in member and _label(pointer, sight) == line.label:
            words = values.member_text(values.held(sight.state, pointer)) or line.old or line.new
            return f"{wording.COLLECTIONS[collection]} “{words}”"
    return f"{line.label}, {line.new}"


def _moved(entries: Sequence[Mapping[str, Json]]) -> bool:
    """Whether what was rejected of one group was taken for another one: each of it, the same field (G3)."""
    taken = {template_of(entry["pointer"]) for entry in entries if entry["decision"] != "rejected"}
    left = [entry["pointer"] for entry in entries if entry["decision"] == "rejected"]
    return bool(left) and taken == {template_of(pointer) for pointer in left if group_of(pointer) is not None}


def _done(event: Event, line: HistoryLine) -> str:
    match event.kind:
        case EventKind.RESOLUTION:
            return _("Divergence settled")
        case EventKind.CONFIRMATION:
            return _("Confirmed")
        case EventKind.STATEMENT:
            return _("Withdrawn") if event.cause.get("op") == "remove" else _("Recorded")
    if line.beside:
        return _("Divergence recorded")
    return {"rejected": _("Rejected"), "edited": _("Accepted as edited")}.get(line.tone, _("Accepted"))


def _counted(entries: Sequence[Mapping[str, Json]]) -> str:
    taken = sum(entry["decision"] != "rejected" for entry in entries)
    refused = len(entries) - taken
    if not refused:
        return ngettext("%(count)d change accepted", "%(count)d changes accepted", taken) % {"count": taken}
    if not taken:
        return ngettext("%(count)d change rejected", "%(count)d changes rejected", refused) % {"count": refused}
    return _("%(taken)d accepted, %(refused)d rejected") % {"taken": taken, "refused": refused}


def _undone_words(event: Event, sight: Sight) -> str:
    touched = [line for line in lines(event, sight) if (line.old or line.new) and not line.fell]
    if not touched:
        return _("Undone: what was proposed is to be decided again")
    if len(touched) > 1:
        return ngettext("Undone: %(count)d value is as before", "Undone: %(count)d values are as before", len(touched)) % {
            "count": len(touched)
        }
    named = {"field": touched[0].label, "value": touched[0].new}
    if touched[0].new == _("no value"):
        return _("Undone: %(field)s has no value again") % named
    return _("Undone: %(field)s is again %(value)s") % named
