"""Groups that repeat within a ticket, as a page shows them: their cards together, their sections, the forms that begin one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.utils.translation import gettext as _

from atendimento.models import ProposedChange
from atendimento.selectors.pane_parts import CascadeRow, ChangeCard, NewGroup
from atendimento.selectors.parts import Control, Option
from memoria import groups
from memoria.fields import Field, TicketType
from memoria.patch import make_pointer
from memoria.rows import ITEMS, TEMPLATE, group_of, in_group
from memoria.state import State

NEW = "-"
"""What stands for the id of a group that is to begin (G2)."""
PROPOSED_OFFERED: Final = 20
"""How many groups that nobody has decided on a card offers for its change, besides its own."""


def begun(state: State) -> frozenset[str]:
    """The groups of which anything is known."""
    return frozenset(groups.ids(state))


def declared(ticket_type: TicketType) -> tuple[Field, ...]:
    """The fields that each group has, as the type declares them, the naming one first."""
    if ticket_type.groups is None:
        return ()
    naming = ticket_type.groups.named_by
    rows = [row for row in (ticket_type.folded or ticket_type).fields.values() if row.repeats]
    return tuple(sorted(rows, key=lambda row: row.pointer != naming))


def own_rows(ticket_type: TicketType, group: str) -> tuple[Field, ...]:
    """The fields of one group, in the order of `declared`. The type is one that `reading.with_groups` gave."""
    return tuple(ticket_type.fields[in_group(row.pointer, group)] for row in declared(ticket_type))


def new_pointer(row: Field) -> str:
    """Where a declared field's value is recorded so that it begins a group."""
    return make_pointer(ITEMS, NEW, row.pointer.removeprefix(TEMPLATE))


def declared_of(pointer: str) -> str | None:
    """The declared pointer of one that begins a group; None for any other."""
    begins = f"/{ITEMS}/{NEW}/"
    return TEMPLATE + pointer.removeprefix(begins) if pointer.startswith(begins) else None


def may_begin(ticket_type: TicketType, state: State) -> bool:
    """Whether the ticket takes one more group (G2)."""
    rule = ticket_type.groups
    return rule is not None and len(state.values.get(ITEMS, {})) < rule.most


def begins(pointer: str, ticket_type: TicketType, state: State) -> str:
    """What a change at the pointer would begin: how such a group is called; empty where it begins none."""
    group, rule = group_of(pointer), ticket_type.groups
    return rule.label if rule is not None and group is not None and group not in begun(state) else ""


# --- cards --------------------------------------------------------------------------------------------------------


def side_by_side(rows: Sequence[ProposedChange], state: State) -> list[ProposedChange]:
    """The changes in their order, those of one new group together, where its first one stands."""
    known = begun(state)
    first: dict[str, int] = {}
    for at, row in enumerate(rows):
        group = group_of(row.path)
        if group is not None and group not in known:
            first.setdefault(group, at)
    placed = [(first.get(group_of(row.path) or "", at), at, row) for at, row in enumerate(rows)]
    return [row for _first, _at, row in sorted(placed, key=lambda item: item[:2])]


def headed(
    cards: Iterable[ChangeCard],
    pending: Sequence[ProposedChange],
    bulk: Iterable[ProposedChange],
    ticket_type: TicketType,
    state: State,
    falls: Callable[[Sequence[ProposedChange]], tuple[CascadeRow, ...]],
) -> tuple[ChangeCard, ...]:
    """The cards, the first one of each new group with the group's head: its name, and what of it is taken at once.

    `falls` says what accepting some of `bulk` at once would put in doubt.
    """
    known = begun(state)
    group_by_id = {str(row.pk): group for row in pending if (group := group_of(row.path)) is not None and group not in known}
    if not group_by_id:
        return tuple(cards)
    named = groups.labels(ticket_type, state, [(row.path, row.value) for row in pending])
    whole: dict[str, dict[str, str]] = {}
    for row in pending:
        if str(row.pk) in group_by_id:
            whole.setdefault(group_by_id[str(row.pk)], {})[row.path] = str(row.pk)
    taken: dict[str, list[ProposedChange]] = {}
    for row in bulk:
        if str(row.pk) in group_by_id:
            taken.setdefault(group_by_id[str(row.pk)], []).append(row)
    there = tuple(Option(group, name) for group, name in named.items() if group in known)
    heads: dict[str, NewGroup] = {}
    shown: list[ChangeCard] = []
    for card in cards:
        group = group_by_id.get(card.id)
        if group is None or group in heads:
            shown.append(card)
            continue
        plain = taken.get(group, [])
        ids = tuple(str(row.pk) for row in plain)
        heads[group] = NewGroup(f"new-{group}", named.get(group, group), ids, tuple(whole[group].values()), there, falls(plain))
        shown.append(replace(card, head=heads[group]))
    return tuple(shown)


def choice(row: ProposedChange, ticket_type: TicketType, state: State, called: Mapping[str, str]) -> Control | None:
    """The control that says which group a change is of; None for one of no group. `called`: all groups by id, those that
    are only proposed last, of which `PROPOSED_OFFERED` are offered: each card has such a list."""
    group, rule = group_of(row.path), ticket_type.groups
    if group is None or rule is None or row.op == "remove":
        return None
    offered = {*begun(state), *list(called)[: len(begun(state)) + PROPOSED_OFFERED], group}
    options = [Option(one, name, one == group) for one, name in called.items() if one in offered]
    if group not in called:
        options.insert(0, Option(group, rule.label, selected=True))
    if may_begin(ticket_type, state):
        options.append(Option(NEW, said_new(rule.label)))
    return Control("group", _("Of which"), "select", options=tuple(options)) if len(options) > 1 else None


def names(ticket_type: TicketType, state: State, pending: Iterable[ProposedChange] = ()) -> Mapping[str, str]:
    """How each group is called, in their order, and those that undecided changes would begin."""
    return groups.labels(ticket_type, state, [(row.path, row.value) for row in pending])


def said_new(label: str) -> str:
    """Said of a group that is to begin; of no gender, for an organisation calls its groups what it likes."""
    return _("new: %(group)s") % {"group": label}
