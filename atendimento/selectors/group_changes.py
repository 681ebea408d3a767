"""What publishing a draft does to the groups that tickets have: how they would be called (G6), and which are too many (G2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import ngettext

from atendimento.models import TicketState
from memoria import groups
from memoria.fields import TicketType
from memoria.rows import ITEMS, GroupRule, group_of
from memoria.state import State, slot_from_json

EXAMPLES: Final = 5
HIDDEN: Final = "•••"


@dataclass(frozen=True, slots=True)
class Renamed:
    """One group, as it is called now and as it would be."""

    before: str
    after: str
    url: str
    protocol: str


@dataclass(frozen=True, slots=True)
class Crowded:
    """A ticket with more groups than the draft permits."""

    groups: int
    url: str
    protocol: str


@dataclass(frozen=True, slots=True)
class GroupChanges:
    """Sentences, each with examples of the newest tickets; empty where there is nothing to say."""

    crowded: str
    crowded_tickets: tuple[Crowded, ...]
    renamed: str
    renamed_groups: tuple[Renamed, ...]
    nameless: str


class Tally:
    """Counts over tickets, newest first, what the draft would be to their groups."""

    def __init__(self, old: TicketType, draft: TicketType) -> None:
        """`old`: what is in force; the draft itself where nothing is."""
        self._old, self._draft = old, draft
        self._renames = _naming(old) != _naming(draft)
        self._veiled = old.groups is not None and draft.groups is not None and _veiled(draft.groups, old)
        self._crowded = self._renamed = self._nameless = 0
        self._tickets: list[Crowded] = []
        self._groups: list[Renamed] = []

    def look(self, row: TicketState) -> None:
        """Count one ticket, its stored state with its ticket."""
        rule, held = self._draft.groups, row.values.get(ITEMS, {})
        if rule is None or not held:
            return
        if len(held) > rule.most:
            self._crowded += 1
            if len(self._tickets) < EXAMPLES:
                self._tickets.append(Crowded(len(held), _address(row), row.ticket.protocol))
        if self._renames and self._old.groups is not None:
            self._compare(row, held, rule)

    def _compare(self, row: TicketState, held: Mapping[str, Any], rule: GroupRule) -> None:
        # The groups that are empty now count too where groups are numbered.
        slots = {pointer: slot_from_json(slot) for pointer, slot in row.slots.items() if group_of(pointer) is not None}
        state = State(values=row.values, slots=slots)
        before, after = groups.labels(self._old, state), groups.labels(self._draft, state)
        for group in held:
            if before[group] == after[group]:
                continue
            self._renamed += 1
            # With a name a label reads "Aparelho: geladeira", without one "Aparelho 2".
            named = after[group].startswith(f"{rule.label}: ")
            self._nameless += not named
            if len(self._groups) < EXAMPLES:
                shown = f"{rule.label}: {HIDDEN}" if named and self._veiled else after[group]
                self._groups.append(Renamed(before[group], shown, _address(row), row.ticket.protocol))

    def result(self) -> GroupChanges:
        most = self._draft.groups.most if self._draft.groups is not None else 0
        crowded = ngettext(
            "%(count)d ticket has more groups than the draft permits (%(most)d). It keeps them; no other may begin there.",
            "%(count)d tickets have more groups than the draft permits (%(most)d). They keep them; no other may begin there.",
            self._crowded,
        ) % {"count": self._crowded, "most": most}
        renamed = ngettext(
            "%(count)d group would be called otherwise.", "%(count)d groups would be called otherwise.", self._renamed
        ) % {"count": self._renamed}
        nameless = ngettext(
            "%(count)d of them would have no name, only a number.",
            "%(count)d of them would have no name, only a number.",
            self._nameless,
        ) % {"count": self._nameless}
        return GroupChanges(
            crowded if self._crowded else "",
            tuple(self._tickets),
            renamed if self._renamed else "",
            tuple(self._groups),
            nameless if self._nameless else "",
        )


def _naming(definition: TicketType) -> tuple[str, str, bool]:
    """All that a group's label depends on besides its values."""
    rule = definition.groups or GroupRule()
    return rule.label, rule.named_by, _veiled(rule, definition)


def _veiled(rule: GroupRule, definition: TicketType) -> bool:
    """Whether the field that names groups is one that this definition shows with care."""
    field = definition.fields.get(rule.named_by)
    return field is not None and field.sensitive


def _address(row: TicketState) -> str:
    return reverse("web:ticket", args=[row.ticket_id]) + "?pane=state&show=memory"
