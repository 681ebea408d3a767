"""The rows of a ticket type: what a pointer holds and who may say it, and the fields that each group has for itself (G1).

A type declares a group's field once, at `/items/{id}/endereco` with these very letters; a ticket holds it at
`/items/i-1/endereco`, `/items/i-2/endereco`, … Every rule on a pointer holds at each of these by itself (G3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import Any, Final

import jsonschema_rs

from memoria.durations import duration
from memoria.patch import Json

ITEMS: Final = "items"
ROOT: Final = f"/{ITEMS}"
TEMPLATE: Final = "/items/{id}/"
"""What the pointers of declared group fields begin with."""
NO_GROUP: Final = "_"
"""No group's id: stands for the groups that a ticket does not have, through which a definition leads all the same (G4)."""
_CONCRETE: Final = re.compile(r"/items/(?!new-[0-9]+/)([a-z0-9][a-z0-9_-]{0,39}|_)/([^/]+)\Z")
_GIVEN: Final = re.compile(r"i-([1-9][0-9]{0,37})\Z")
REACH: Final = 1000
"""How far above the last number of the ticket an id may be chosen (G2): else one choice could use up all numbers."""
SEPARATOR: Final = " · "


def group_of(pointer: str) -> str | None:
    """The id of the group that a concrete pointer lies in; None for any other pointer, a placeholder's included (G2)."""
    found = _CONCRETE.match(pointer)
    return found[1] if found is not None and found[1] != NO_GROUP else None


def number_of(group: str) -> int:
    """The number of an id that has the form of those that a ticket gives; 0: it has another (G2)."""
    found = _GIVEN.match(group)
    return 0 if found is None else int(found[1])


def template_of(pointer: str) -> str:
    """The declared pointer that a group's pointer is one of; any other pointer itself."""
    found = _CONCRETE.match(pointer)
    return pointer if found is None else TEMPLATE + found[2]


def in_group(pointer: str, group: str) -> str:
    """A declared pointer in this group; one that is of no group itself."""
    return f"{ROOT}/{group}/{pointer.removeprefix(TEMPLATE)}" if pointer.startswith(TEMPLATE) else pointer


def _refuse_remote(uri: str) -> Any:
    raise ValueError(f"schema references outside the document are not followed: {uri}")


@dataclass(frozen=True)
class Field:
    """One row: a pointer and all that is said of it."""

    pointer: str
    label: str
    schema: Json
    sources: tuple[str, ...]  # from the strongest to the weakest
    tie: str = "latest"
    inference: str = "refuse"
    invalidates: tuple[str, ...] = ()  # field pointers and `commitments:kind`
    literal: bool = False
    sensitive: bool = False
    description: str = ""
    valid_for: str = ""  # D1: an ISO 8601 duration; empty: nothing ends it
    group: str = ""  # G3: the id of the group whose field this is; empty: none
    group_label: str = ""  # G6: how the group is called, where a state says so; `label` begins with it

    @cached_property
    def holds_for(self) -> timedelta | None:
        """D1: how long a value holds; None where nothing ends it."""
        return duration(self.valid_for)

    @cached_property
    def validator(self) -> Any:
        """The compiled schema. Formats are asserted; nothing outside the document is fetched."""
        return jsonschema_rs.validator_for(self.schema, validate_formats=True, retriever=_refuse_remote)

    @property
    def is_identifier(self) -> bool:
        return self.pointer.startswith("/identifiers/")

    @property
    def own_label(self) -> str:
        """The label without the group's."""
        return self.label.removeprefix(f"{self.group_label}{SEPARATOR}") if self.group_label else self.label

    @property
    def repeats(self) -> bool:
        """Whether this is a declared field of groups, not yet that of one group (G1)."""
        return self.pointer.startswith(TEMPLATE)

    def value_problem(self, value: Json) -> str | None:
        """What is wrong with `value` by the field's schema, or None."""
        error = next(self.validator.iter_errors(value), None)
        return None if error is None else str(error.message)

    def within(self, group: str, group_label: str = "") -> Field:
        """This declared field as that of one group; what it invalidates among the groups' fields lies in the same (G4)."""
        made = replace(
            self,
            pointer=in_group(self.pointer, group),
            label=f"{group_label}{SEPARATOR}{self.label}" if group_label else self.label,
            invalidates=tuple(in_group(target, group) for target in self.invalidates),
            group=group,
            group_label=group_label,
        )
        made.__dict__["validator"] = self.validator  # compiled once for all groups
        return made


@dataclass(frozen=True, slots=True)
class GroupRule:
    """What a type says of its groups as such (G1)."""

    label: str = "Item"
    plural: str = "Item"
    named_by: str = ""  # the declared pointer whose value names a group; empty: none does
    most: int = 20


class Rows(Mapping[str, Field]):
    """The fields by pointer. One goes over them as they stand; one finds, besides, each field of each group (G3)."""

    def __init__(self, rows: Iterable[Field], declared: Iterable[Field] = ()) -> None:
        """`declared` are the groups' fields where `rows` does not hold them as they were declared."""
        self._rows = {row.pointer: row for row in rows}
        self._declared = {row.pointer: row for row in (*self._rows.values(), *declared) if row.repeats}
        self._made: dict[str, Field] = {}

    def __getitem__(self, pointer: str) -> Field:
        found = self._rows.get(pointer) or self._made.get(pointer) or self._declared.get(pointer)
        if found is not None:
            return found
        match = _CONCRETE.match(pointer)
        if match is None or match[1] == NO_GROUP:
            raise KeyError(pointer)
        made = self._declared[TEMPLATE + match[2]].within(match[1])
        if len(self._made) < 1000:  # a ticket type is shared by all tickets, whose ids are few
            self._made[pointer] = made
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def after(self, rows: Iterable[Field]) -> Rows:
        """These rows behind others, which they outdo where both have a pointer."""
        return Rows([*(row for row in rows if row.pointer not in self._rows), *self._rows.values()], self._declared.values())


def unfolded(rows: Mapping[str, Field], rule: GroupRule, labels: Mapping[str, str]) -> Rows:
    """The rows with those of each of these groups in the place of the declared ones; `labels` by id (G4, G6)."""
    declared = [row for row in rows.values() if row.repeats]
    made: list[Field] = []
    for row in rows.values():
        if not row.repeats:
            targets = [
                in_group(target, group)
                for target in row.invalidates
                for group in (labels if target.startswith(TEMPLATE) else [NO_GROUP])
            ]
            made.append(row if list(row.invalidates) == targets else replace(row, invalidates=tuple(targets)))
        elif row is declared[0]:
            made += [each.within(group, label) for group, label in labels.items() for each in declared]
    return Rows(made, [_of_all(row, rule) for row in declared])


def _of_all(row: Field, rule: GroupRule) -> Field:
    made = replace(row, label=f"{rule.plural}{SEPARATOR}{row.label}", group_label=rule.plural)
    made.__dict__["validator"] = row.validator
    return made


def find_circle(fields: Mapping[str, Field]) -> tuple[str, ...]:
    """The first circle of invalidations, its first and last pointer the same; empty where there is none (K4)."""
    done: set[str] = set()
    for start in fields:
        path: list[str] = [start]
        on_path = {start}
        stack = [iter(fields[start].invalidates)] if start not in done else []
        while stack:
            for target in stack[-1]:
                if target in on_path:
                    return (*path[path.index(target) :], target)
                if target in fields and target not in done:
                    path.append(target)
                    on_path.add(target)
                    stack.append(iter(fields[target].invalidates))
                    break
            else:
                stack.pop()
                left = path.pop()
                on_path.discard(left)
                done.add(left)
    return ()
