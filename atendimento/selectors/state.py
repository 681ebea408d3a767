"""The state by groups, each value with its source, its status and the chain of corrections behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.selectors import cards, change_words, controls, grounds, grouping, policy_words, quotes, reading, values
from atendimento.selectors.cards import Sight
from atendimento.selectors.pane_parts import Link, NewMember, SlotRow, StateGroup
from atendimento.selectors.parts import Chip, Control, Drafted, Option
from memoria.events import Event
from memoria.expiry import ends_at
from memoria.fields import Field, TicketType
from memoria.members import FINISHED, Place
from memoria.patch import MISSING, Json, Missing, same_json
from memoria.rows import ITEMS, SEPARATOR
from memoria.sources import INFERENCE, Kind
from memoria.state import Slot, SlotStatus, State

CHIPS = {
    SlotStatus.NEEDS_CONFIRMATION: ("confirm", "circle-question-mark"),
    SlotStatus.CONFLICT: ("conflict", "split"),
}
DONE = frozenset({"done", "worked", "answered", "granted"})


def groups(sight: Sight, events: Sequence[Event], *, editable: bool) -> tuple[StateGroup, ...]:
    """Every group that the ticket type has, in the console's order. `events` give the chains, newest first."""
    chains = _chains(events, sight)
    found = []
    for key, label in values.GROUPS.items():
        rows: Iterable[SlotRow]
        new = None
        if key in ("goal", "facts", "preferences", "identifiers"):
            rows = _fields(key, sight, chains, editable=editable)
        elif key in sight.ticket_type.collections:
            rows = _members(key, sight, chains, editable=editable)
            new = _new_member(key, sight) if editable else None
        else:
            continue
        shown = tuple(rows)
        if shown or new is not None:
            found.append(StateGroup(key, str(label), shown, new))
        if key == "facts":
            found += _repeating(sight, chains, editable=editable)
    return tuple(found)


def _repeating(sight: Sight, chains: Mapping[str, tuple[Link, ...]], *, editable: bool) -> Iterable[StateGroup]:
    """A section for each of the ticket's groups, under its name (G6), then the forms that begin another one (G2)."""
    rule = sight.ticket_type.groups
    if rule is None:
        return
    named = grouping.names(sight.ticket_type, sight.state)
    for group, label in named.items():
        rows = (_field(row, sight, chains, editable=editable) for row in grouping.own_rows(sight.ticket_type, group))
        yield StateGroup(f"{ITEMS}-{group}", label, tuple(rows))
    if editable and grouping.may_begin(sight.ticket_type, sight.state):
        forms = tuple(_beginning(row, sight) for row in grouping.declared(sight.ticket_type))
        yield StateGroup(ITEMS, grouping.said_new(rule.label), (), begins=forms)


def _beginning(row: Field, sight: Sight) -> NewMember:
    """The form of a field that a new group has."""
    place, pointer = Place("field", row.pointer), grouping.new_pointer(row)
    drawn, key = controls.to_record(sight.ticket_type, place, MISSING), cards.slot_key(pointer)
    forms = tuple(replace(control, label=row.own_label) if control.name == "value" else control for control in drawn)
    failure = sight.failed(key)
    if failure is not None:
        forms = controls.typed(forms, failure.typed)
    return NewMember(pointer, row.own_label, forms, failure.problem if failure is not None else None, key)


def reporting(groups: Sequence[StateGroup], whose: str) -> tuple[tuple[StateGroup, ...], tuple[Option, ...]]:
    """The groups with this source chosen in every form that takes it (E9), and the places of those forms."""
    found, places = [], []
    for group in groups:
        rows, begins = [], []
        whole = group.label if group.key.startswith(f"{ITEMS}-") else ""
        for row in group.rows:
            forms, takes = controls.on_whose_word(row.controls, whose)
            rows.append(replace(row, controls=forms))
            if takes:
                places.append(Option(row.key, _of_group(whole, row.label)))
        new = group.new
        if new is not None:
            forms, takes = controls.on_whose_word(new.controls, whose)
            new = replace(new, controls=forms)
            if takes:
                places.append(Option(f"add-{group.key}", new.label))
        for form in group.begins:
            forms, takes = controls.on_whose_word(form.controls, whose)
            begins.append(replace(form, controls=forms))
            if takes:
                places.append(Option(form.key, _of_group(group.label, form.label)))
        found.append(replace(group, rows=tuple(rows), new=new, begins=tuple(begins)))
    return tuple(found), tuple(places)


def _of_group(group: str, label: str) -> str:
    return f"{group}{SEPARATOR}{label}" if group else label


def targets(ticket_type: TicketType, state: State) -> tuple[Option, ...]:
    """Every form of the state pane that a value can be recorded with: its element's id, and what it is called."""
    shown = reading.with_groups(ticket_type, state)
    fields = [Option(cards.slot_key(pointer), field.label) for pointer, field in shown.fields.items()]
    rule = ticket_type.groups
    if rule is not None and grouping.may_begin(ticket_type, state):
        fields += [
            Option(cards.slot_key(grouping.new_pointer(row)), _of_group(grouping.said_new(rule.label), row.own_label))
            for row in grouping.declared(ticket_type)
        ]
    groups = [Option(f"add-{key}", str(values.NEW[key])) for key in values.GROUPS if _adds(key, ticket_type)]
    return (*fields, *groups)


def _chip(slot: Slot) -> Chip | None:
    tone = CHIPS.get(slot.status)
    if tone is None:
        return None
    word = _("divergence") if slot.status is SlotStatus.CONFLICT else str(wording.SLOT_STATUSES[slot.status.value])
    return Chip(word, *tone)


def _fields(group: str, sight: Sight, chains: Mapping[str, tuple[Link, ...]], *, editable: bool) -> Iterable[SlotRow]:
    for pointer, field in sight.ticket_type.fields.items():
        if pointer.strip("/").split("/")[0] == group:
            yield _field(field, sight, chains, editable=editable)


def _field(field: Field, sight: Sight, chains: Mapping[str, tuple[Link, ...]], *, editable: bool) -> SlotRow:
    """A field's row; of a group's field without the group's name, which stands above it."""
    pointer = field.pointer
    slot = sight.state.slots.get(pointer)
    held = values.held(sight.state, pointer)
    place = Place("field", pointer)
    hidden = sight.hides(pointer)
    forms = controls.to_record(sight.ticket_type, place, MISSING if hidden else held) if editable else ()
    row = _row(pointer, field.label, sight.shown(pointer, held), slot, sight, forms, chains)
    if hidden:
        row = replace(row, quotes=(), chain=(), challengers=(), drafts=(), hidden=True)
    says = grounds.whose_word(sight.ticket_type, place) is not None
    if editable and not says:
        row = replace(row, notes=(*row.notes, grounds.only_from(sight.ticket_type, place)), by_quote=True)
    can_withdraw = editable and slot is not None and slot.holds and says
    opened = field.sensitive and pointer == sight.opened
    return replace(row, label=field.own_label, can_withdraw=can_withdraw, sensitive=field.sensitive, opened=opened)


def _row(
    pointer: str,
    label: str,
    value: str,
    slot: Slot | None,
    sight: Sight,
    forms: tuple[Control, ...],
    chains: Mapping[str, tuple[Link, ...]],
) -> SlotRow:
    key = cards.slot_key(pointer)
    failure = sight.failed(key)
    if failure is not None:
        forms = controls.typed(forms, failure.typed)
    problem = failure.problem if failure else None
    if slot is None:
        return SlotRow(key, pointer, label, value or "—", "empty", None, "", controls=forms, problem=problem)
    first = slot.evidence[0].message if slot.evidence else slot.author.name
    end = ends_at(pointer, slot, sight.ticket_type)
    holds = _("holds until %(end)s") % {"end": date_format(timezone.localtime(end), "SHORT_DATETIME_FORMAT")} if end else ""
    return SlotRow(
        key=key,
        pointer=pointer,
        label=label,
        value=value or _("open"),
        status=slot.status.value,
        chip=_chip(slot),
        source=" · ".join(filter(None, (values.source(slot.source), first, holds))),
        quotes=sight.quotes(pointer, slot.evidence),
        since_version=slot.since_version,
        notes=_notes(slot, sight),
        chain=chains.get(pointer, ()),
        challengers=cards.sides(pointer, slot, sight)[1:] if slot.challengers else (),
        controls=forms,
        can_confirm=slot.status is SlotStatus.NEEDS_CONFIRMATION,
        confirmers=grounds.confirmers(sight.ticket_type, pointer),
        problem=problem,
        drafts=_questions(pointer, label, value, slot, sight),
    )


def _questions(pointer: str, label: str, value: str, slot: Slot, sight: Sight) -> tuple[Drafted, ...]:
    """What an agent may ask the customer about a value that does not hold."""
    is_field = pointer in sight.ticket_type.fields
    label = change_words.asked(sight.ticket_type, pointer, label)
    match slot.status:
        case SlotStatus.NEEDS_CONFIRMATION:
            return change_words.about_doubt(label if is_field else "", value)
        case SlotStatus.CONFLICT:
            return change_words.about_divergence(label, cards.sides(pointer, slot, sight))[:1]
        case SlotStatus.OPEN if is_field:
            return change_words.about_hole(label)
    return ()


def _notes(slot: Slot, sight: Sight) -> tuple[str, ...]:
    """What the value's standing rests on, besides its quotes."""
    notes = [_("Since version %(version)d.") % {"version": slot.since_version}]
    if slot.status is SlotStatus.OPEN:
        notes.append(_("The value was withdrawn, and no new one is known."))
    if slot.status is SlotStatus.NEEDS_CONFIRMATION or slot.stale_because is not None:
        notes.append(cards.stale_sentence(slot, sight))
    elif slot.carried_from is not None:
        origin = {"protocol": slot.carried_from.protocol, "version": slot.carried_from.version}
        notes.append(_("Carried from %(protocol)s, version %(version)d.") % origin)
    if slot.source == INFERENCE:
        notes.append(_("Inferred by the model."))
    if not slot.evidence and slot.status is not SlotStatus.OPEN:
        notes.append(_("Recorded by %(name)s, without a message.") % {"name": slot.author.name})
    if slot.edited_by is not None:
        notes.append(_("Edited by %(name)s.") % {"name": slot.edited_by.name})
    if slot.confirmed is not None:
        ground = {
            "evidence": _("Confirmed by %(name)s, on a message."),
            "reported": _("Confirmed by %(name)s, on what was reported."),
        }.get(slot.confirmed.ground, _("Confirmed by %(name)s, without a message of the customer."))
        notes.append(ground % {"name": slot.confirmed.by.name})
    return tuple(notes)


# --- members ------------------------------------------------------------------------------------------------------


def _members(group: str, sight: Sight, chains: Mapping[str, tuple[Link, ...]], *, editable: bool) -> Iterable[SlotRow]:
    held = sight.state.values.get(group, {})
    rows = [_member(group, key, member, sight, chains, editable=editable) for key, member in held.items()]
    # What is overdue first, what is finished last; else as they came.
    return sorted(rows, key=lambda row: (row.finished, not row.overdue))


def _member(
    group: str, key: str, member: Mapping[str, Json], sight: Sight, chains: Mapping[str, tuple[Link, ...]], *, editable: bool
) -> SlotRow:
    pointer = f"/{group}/{key}"
    slot = sight.state.slots.get(pointer)
    status = member.get("status")
    status_slot = sight.state.slots.get(f"{pointer}/status")
    label = f"{key} · {values.owner(member['owner'])}" if group == "commitments" else key
    row = _row(pointer, label, values.member_text(member), slot, sight, (), chains)
    finished = status in FINISHED or status in ("answered", "withdrawn", "revoked", "worked")
    due, overdue = values.due_words(member.get("due"), timezone.localdate()) if not finished else ("", False)
    chip = row.chip
    if chip is None and isinstance(status, str):
        tone = ("ok", "check") if status in DONE else ("", "")
        chip = Chip(str(wording.MEMBER_STATUSES.get(status, status)), *tone)
    notes = list(row.notes)
    more = [
        (_("Options"), member.get("options")),
        (_("Applies to"), [policy_words.target(name, sight.ticket_type) for name in member.get("applies_to") or ()]),
        (_("Reason"), member.get("reason")),
    ]
    more += [(_("Result"), member.get("result")), (_("In their words"), member.get("due_text"))]
    notes += [f"{word}: {values.show(value)}" for word, value in more if value]
    found = row.quotes
    if status_slot is not None:
        found = (*found, *quotes.of_evidence(status_slot.evidence, sight.messages))
    forms: tuple[Control, ...] = ()
    target = pointer
    if editable and not finished and isinstance(status, str):
        target = f"{pointer}/status"
        place = sight.ticket_type.place(target, sight.state.values)
        forms = controls.to_record(sight.ticket_type, place, status) if place is not None else ()
    shown = replace(
        row,
        chip=chip,
        due=due,
        overdue=overdue,
        finished=finished,
        notes=tuple(notes),
        quotes=found,
        controls=forms,
        can_withdraw=editable and group in ("constraints", "decisions"),
    )
    # Its status is what can be changed; what can be confirmed is the member itself.
    return replace(shown, pointer=target) if not shown.can_confirm else replace(shown, controls=())


def _adds(group: str, ticket_type: TicketType) -> bool:
    """Whether staff may add to the collection."""
    return group in ticket_type.collections and Kind.AGENT.value in ticket_type.collections[group].sources


def _new_member(group: str, sight: Sight) -> NewMember | None:
    if not _adds(group, sight.ticket_type):
        return None
    pointer = f"/{group}/-"
    forms = controls.to_record(sight.ticket_type, Place("new", pointer, group), MISSING)
    failure = sight.failed(cards.slot_key(pointer))
    if failure is not None:
        forms = controls.typed(forms, failure.typed)
    return NewMember(pointer, str(values.NEW[group]), forms, failure.problem if failure is not None else None)


# --- chains -------------------------------------------------------------------------------------------------------


def _chains(events: Sequence[Event], sight: Sight) -> Mapping[str, tuple[Link, ...]]:
    """Per pointer, the values that it held before the present one, newest first (C1)."""
    found: dict[str, list[Link]] = {}
    last: dict[str, Json | Missing] = {}
    for event in events:
        for pointer, (_before, after) in event.slots.items():
            if after is None or after.replaces is None or after.since_version != event.version:
                continue
            value = after.replaces.value
            if isinstance(value, Missing) or same_json(value, last.get(pointer, MISSING)):
                continue
            last[pointer] = value
            shown = sight.quotes(pointer, after.replaces.evidence)
            said = sight.shown(pointer, value)
            found.setdefault(pointer, []).append(Link(said, after.replaces.version, "", shown))
    return {pointer: tuple(links) for pointer, links in found.items()}
