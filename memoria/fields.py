"""A ticket type: which pointers exist, what they hold, who may say it, and what falls with it.

One row per field, as an organisation's admin defined and published it (the file format is the outer contract's §2).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final

from memoria import reading
from memoria.durations import duration
from memoria.errors import Code
from memoria.members import FIELD_MAPS, SHAPES, Place, place_in_collection
from memoria.patch import Json, PatchError, parse_pointer
from memoria.reading import Reading
from memoria.rows import ITEMS, TEMPLATE, Field, GroupRule, Rows, find_circle, unfolded
from memoria.sources import LISTABLE, Kind

__all__ = [
    "COMMITMENTS", "COMPLETERS", "DEFAULT_COMPLETION", "MOST_GROUPS", "Collection", "Field", "InvalidTicketType",
    "TicketType", "TypeProblem",
]  # fmt: skip

COMMITMENTS: Final = "commitments:"
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*\Z")
_KIND = re.compile(r"[a-z0-9_]+\Z")
_FIELD_KEYS: Final = frozenset(
    {"label", "description", "schema", "sources", "tie", "inference", "invalidates", "literal", "sensitive", "valid_for"}
)
_COLLECTION_KEYS: Final = frozenset({"sources", "kinds", "completion_sources"})
_TOP_KEYS: Final = frozenset({"slug", "name", "description", "fields", "collections", "reading", "groups"})
_GROUP_KEYS: Final = frozenset({"label", "plural", "named_by", "most"})
MOST_GROUPS: Final = 50
COMPLETERS: Final = frozenset({*(kind.value for kind in Kind if kind is not Kind.ASSISTANT), "performer"})  # M2
DEFAULT_COMPLETION: Final = ("tool", "registry", "performer")
_KEPT_UNFOLDED: Final = 100


@dataclass(frozen=True, slots=True)
class TypeProblem:
    """One fault of a ticket type: the pointer into the document, a code, and what is wrong in plain English."""

    where: str
    code: Code
    detail: str
    path: tuple[str, ...] = ()  # K4: the fields of a circle, first and last the same


class InvalidTicketType(Exception):
    """The document is no ticket type. `problems` holds every fault found, in the document's order."""

    def __init__(self, problems: Iterable[TypeProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{p.where or '/'}: {p.detail}" for p in self.problems))


@dataclass(frozen=True, slots=True)
class Collection:
    """The rules of one collection's members."""

    name: str
    sources: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    completion_sources: tuple[str, ...] = DEFAULT_COMPLETION


@dataclass(frozen=True)
class TicketType:
    """A published definition. `version` is its number within the organisation's type, 0 for a draft."""

    slug: str
    name: str
    fields: Mapping[str, Field]
    collections: Mapping[str, Collection]
    version: int = 0
    document: Mapping[str, Json] = field(default_factory=dict, compare=False)
    reading: Reading = field(default_factory=Reading)  # T4: when the model reads
    groups: GroupRule | None = None  # G1: None where the type has no fields of groups
    folded: TicketType | None = field(default=None, compare=False, repr=False)  # the type as declared, of an unfolded one

    @cached_property
    def targets(self) -> Container[str]:
        """What `applies_to` may name: fields, those of any group and of all (G5), and `commitments:kind`."""
        kinds = self.collections["commitments"].kinds if "commitments" in self.collections else ()
        return _Targets(self.fields, frozenset(COMMITMENTS + kind for kind in kinds))

    def over(self, labels: Mapping[str, str]) -> TicketType:
        """The type as it is for a ticket that has these groups: each with fields of its own, in the place of the declared.

        `labels` names the groups by id, in their order; an empty label leaves the fields' labels alone. A type without
        groups is itself. `groups.unfolded` makes it for a state.
        """
        declared = self.folded or self
        if declared.groups is None:
            return declared
        return declared.unfold(tuple(labels.items()))

    @cached_property
    def unfold(self) -> Callable[[tuple[tuple[str, str], ...]], TicketType]:
        """`over` by itself, which remembers what it made: most tickets of a type have the same few groups."""

        @lru_cache(maxsize=_KEPT_UNFOLDED)
        def made(labels: tuple[tuple[str, str], ...]) -> TicketType:
            rows = unfolded(self.fields, self.groups or GroupRule(), dict(labels))
            return replace(self, fields=rows, folded=self)

        return made

    @cached_property
    def _dependents(self) -> Mapping[str, tuple[str, ...]]:
        return {pointer: self._reach(pointer) for pointer in self.fields}

    def _reach(self, start: str) -> tuple[str, ...]:
        """All that `start` invalidates, transitively, in topological order (K4: no circle gets this far)."""
        order: list[str] = []
        seen: set[str] = set()
        # Depth first, without recursion: a child is written down after all that it leads to, then the list is turned.
        stack: list[tuple[str, Iterator[str]]] = [(start, iter(self._next(start)))]
        while stack:
            pointer, children = stack[-1]
            for child in children:
                if child not in seen:
                    seen.add(child)
                    stack.append((child, iter(self._next(child))))
                    break
            else:
                stack.pop()
                order.append(pointer)
        return tuple(reversed(order[:-1]))

    def _next(self, target: str) -> tuple[str, ...]:
        found = self.fields.get(target)
        return found.invalidates if found is not None else ()

    def dependents(self, pointer: str) -> tuple[str, ...]:
        """What stops holding when the value at `pointer` changes: fields and `commitments:kind`, topological (K1, K2)."""
        return self._dependents.get(pointer, ())

    @cached_property
    def _grounds(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for pointer, reached in self._dependents.items():
            for target in reached:
                found.setdefault(target, set()).add(pointer)
        return {target: frozenset(pointers) for target, pointers in found.items()}

    def grounds(self, target: str) -> frozenset[str]:
        """The fields that invalidate `target` (a pointer or `commitments:kind`), transitively (V2)."""
        return self._grounds.get(target, frozenset())

    def place(self, pointer: str, values: Mapping[str, Json]) -> Place | None:
        """What `pointer` means here, given the members that there are; None where it means nothing."""
        if pointer in self.fields and not pointer.startswith(TEMPLATE):
            return Place("field", pointer)
        try:
            parts = parse_pointer(pointer)
        except PatchError:
            return None
        if len(parts) < 2 or parts[0] not in self.collections:
            return None
        return place_in_collection(parts, values)

    def sources_of(self, place: Place) -> tuple[str, ...]:
        if place.collection is not None:
            return self.collections[place.collection].sources
        return self.fields[place.pointer].sources

    def sources_at(self, pointer: str) -> tuple[str, ...] | None:
        """The order of sources that governs a slot's pointer, a member's included; None where nothing does."""
        if pointer in self.fields:
            return self.fields[pointer].sources
        collection = self.collections.get(pointer.split("/", 2)[1]) if pointer.startswith("/") else None
        return collection.sources if collection is not None else None

    @classmethod
    def from_document(cls, document: Json, version: int = 0) -> TicketType:
        """Read and check a ticket type file. Raises InvalidTicketType with every fault found."""
        problems: list[TypeProblem] = []
        ticket_type = _read(document, version, problems)
        if problems or ticket_type is None:
            raise InvalidTicketType(problems)
        return ticket_type


@dataclass(frozen=True, slots=True)
class _Targets(Container[str]):
    fields: Mapping[str, Field]
    kinds: frozenset[str]

    def __contains__(self, target: object) -> bool:
        return isinstance(target, str) and (target in self.kinds or target in self.fields)


def is_slug(text: Json) -> bool:
    """Whether a type may be called so in addresses."""
    return isinstance(text, str) and len(text) <= 100 and _SLUG.match(text) is not None


def _fault(problems: list[TypeProblem], where: str, detail: str, code: Code = Code.TYPE_INVALID) -> None:
    problems.append(TypeProblem(where, code, detail))


def _read(document: Json, version: int, problems: list[TypeProblem]) -> TicketType | None:
    if not isinstance(document, dict):
        _fault(problems, "", "not an object")
        return None
    for key in document:
        if key not in _TOP_KEYS:
            _fault(problems, f"/{key}", "unknown member")
    slug, name = document.get("slug"), document.get("name")
    if not is_slug(slug):
        _fault(problems, "/slug", "must be lower-case letters and digits joined by - or _, at most 100")
    if not isinstance(name, str) or not name.strip():
        _fault(problems, "/name", "must be a text")
    rows, collections = document.get("fields"), document.get("collections", {})
    if not isinstance(rows, dict):
        _fault(problems, "/fields", "must be an object")
        rows = {}
    if not isinstance(collections, dict):
        _fault(problems, "/collections", "must be an object")
        collections = {}
    read_collections = {
        key: read
        for key, row in collections.items()
        if (read := _read_collection(key, row, f"/collections/{_escaped(key)}", problems)) is not None
    }
    kinds = read_collections["commitments"].kinds if "commitments" in read_collections else ()
    read_fields = {
        pointer: row_read
        for pointer, row in rows.items()
        if (row_read := _read_field(pointer, row, rows, kinds, problems)) is not None
    }
    for where, detail in reading.problems(document["reading"]) if "reading" in document else ():
        _fault(problems, f"/reading{where}", f"does not fit its schema: {detail}")
    rule = _read_groups(document["groups"], rows, problems) if "groups" in document else GroupRule()
    circle = find_circle(read_fields)
    if circle:
        detail = "a circle of invalidations: " + " → ".join(circle)
        where = f"/fields/{_escaped(circle[0])}/invalidates"
        problems.append(TypeProblem(where, Code.TYPE_CYCLE, detail, circle))
    if problems:
        return None
    when = reading.read(document.get("reading"))
    repeats = any(row.repeats for row in read_fields.values())
    fields = Rows(read_fields.values()) if repeats else read_fields
    groups = rule if repeats else None
    return TicketType(str(slug), str(name), fields, read_collections, version, document, when, groups)


def _read_groups(document: Json, rows: Mapping[str, Json], problems: list[TypeProblem]) -> GroupRule:
    """G1: what is said of the groups of `items`; what is left out has its default."""
    where = f"/groups/{ITEMS}"
    if not isinstance(document, dict) or not isinstance(row := document.get(ITEMS, {}), dict):
        _fault(problems, "/groups" if not isinstance(document, dict) else where, "not an object")
        return GroupRule()
    for key in document:
        if key != ITEMS:
            _fault(problems, f"/groups/{_escaped(key)}", f"no such root of groups: only {ITEMS}")
    for key in row:
        if key not in _GROUP_KEYS:
            _fault(problems, f"{where}/{_escaped(key)}", "unknown member")
    for key in ("label", "plural"):
        text = row.get(key, "Item")
        if not isinstance(text, str) or not text.strip() or len(text) > 80:
            _fault(problems, f"{where}/{key}", "must be a text of at most 80 characters")
    named_by, most = row.get("named_by", ""), row.get("most", GroupRule().most)
    if "named_by" in row and not (isinstance(named_by, str) and named_by.startswith(TEMPLATE) and named_by in rows):
        _fault(problems, f"{where}/named_by", f"must be one of the fields {TEMPLATE}…")
    if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_GROUPS:
        _fault(problems, f"{where}/most", f"must be a whole number from 1 to {MOST_GROUPS}")
    label = str(row.get("label", GroupRule().label))
    return GroupRule(label, str(row.get("plural", label)), str(named_by), most if isinstance(most, int) else 1)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _texts(row: Mapping[str, Json], key: str, where: str, problems: list[TypeProblem]) -> tuple[str, ...]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        _fault(problems, f"{where}/{key}", "must be a list of texts")
        return ()
    if len(set(value)) != len(value):
        _fault(problems, f"{where}/{key}", "names one thing twice")
    return tuple(value)


def _sources(row: Mapping[str, Json], where: str, problems: list[TypeProblem]) -> tuple[str, ...]:
    sources = _texts(row, "sources", where, problems)
    if not sources:
        _fault(problems, f"{where}/sources", "must name at least one source")
    for source in sources:
        if source not in LISTABLE:
            _fault(problems, f"{where}/sources", f"no such source: {source}")
    return sources


def _read_field(
    pointer: str, row: Json, rows: Mapping[str, Json], kinds: tuple[str, ...], problems: list[TypeProblem]
) -> Field | None:
    where = f"/fields/{_escaped(pointer)}"
    before = len(problems)
    if not _is_field_pointer(pointer):
        _fault(problems, where, f"must be /goal, or /facts/…, /preferences/…, /identifiers/… or {TEMPLATE}… with one name")
    if not isinstance(row, dict):
        _fault(problems, where, "not an object")
        return None
    for key in row:
        if key not in _FIELD_KEYS:
            _fault(problems, f"{where}/{_escaped(key)}", "unknown member")
    label = row.get("label")
    if not isinstance(label, str) or not label.strip():
        _fault(problems, f"{where}/label", "must be a text")
    if not isinstance(row.get("description", ""), str):
        _fault(problems, f"{where}/description", "must be a text")
    if row.get("tie", "latest") not in ("latest", "conflict"):
        _fault(problems, f"{where}/tie", "must be latest or conflict")
    if row.get("inference", "refuse") not in ("refuse", "flag"):
        _fault(problems, f"{where}/inference", "must be refuse or flag")
    for key in ("literal", "sensitive"):
        if not isinstance(row.get(key, False), bool):
            _fault(problems, f"{where}/{key}", "must be true or false")
    valid_for = row.get("valid_for", "")
    if "valid_for" in row and (not isinstance(valid_for, str) or duration(valid_for) is None):
        _fault(problems, f"{where}/valid_for", "must be a duration of days, hours and minutes, such as P30D or PT8H")
    sources = _sources(row, where, problems)
    invalidates = _texts(row, "invalidates", where, problems)
    for target in invalidates:
        known = target.removeprefix(COMMITMENTS) in kinds if target.startswith(COMMITMENTS) else target in rows
        if not known:
            _fault(problems, f"{where}/invalidates", f"no such field or kind of commitment: {target}")
    schema = row.get("schema")
    if not isinstance(schema, (dict, bool)):
        _fault(problems, f"{where}/schema", "must be a JSON Schema")
        return None
    if len(problems) > before:
        return None
    read = Field(
        pointer,
        str(label),
        schema,
        sources,
        row.get("tie", "latest"),
        row.get("inference", "refuse"),
        invalidates,
        row.get("literal", pointer.startswith("/identifiers/")),
        row.get("sensitive", False),
        row.get("description", ""),
        valid_for,
    )
    try:
        read.validator  # noqa: B018 - compiles the schema
    except ValueError as error:
        _fault(problems, f"{where}/schema", f"not a JSON Schema: {error}")
        return None
    return read


def _is_field_pointer(pointer: str) -> bool:
    if pointer == "/goal":
        return True
    try:
        parts = parse_pointer(pointer)
    except PatchError:
        return False
    in_map = len(parts) == 2 and parts[0] in FIELD_MAPS
    in_groups = len(parts) == 3 and pointer.startswith(TEMPLATE) and parts[2] != "-"
    return (in_map or in_groups) and bool(parts[-1].strip()) and len(pointer) <= 200


def _read_collection(name: str, row: Json, where: str, problems: list[TypeProblem]) -> Collection | None:
    if name not in SHAPES:
        _fault(problems, where, "no such collection")
        return None
    if not isinstance(row, dict):
        _fault(problems, where, "not an object")
        return None
    for key in row:
        if key not in _COLLECTION_KEYS or (key != "sources" and name != "commitments"):
            _fault(problems, f"{where}/{_escaped(key)}", "unknown member")
    kinds = _texts(row, "kinds", where, problems)
    for kind in kinds:
        if not _KIND.match(kind):
            _fault(problems, f"{where}/kinds", f"a kind is lower-case letters, digits and _: {kind}")
    completion = _texts(row, "completion_sources", where, problems) if "completion_sources" in row else DEFAULT_COMPLETION
    for source in completion:
        if source not in COMPLETERS:
            _fault(problems, f"{where}/completion_sources", f"nothing that completes a commitment: {source}")
    return Collection(name, _sources(row, where, problems), kinds, completion)
