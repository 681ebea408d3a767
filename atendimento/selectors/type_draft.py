"""The page of a draft: its fields with their faults, the form of one of them, and how it differs from what is published."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access, wording
from atendimento.access import NotFound, Permission
from atendimento.models import Membership, TicketType, TicketTypeDraft
from atendimento.selectors import collection_form, group_form, policy, simulation, try_out
from atendimento.selectors import policy_words as words
from atendimento.selectors.collection_form import CollectionForm, CollectionLine, HeadForm, named, texts
from atendimento.selectors.group_form import GroupForm
from atendimento.selectors.parts import Option, Problem
from atendimento.selectors.policy import Policy
from atendimento.selectors.reading_form import ReadingForm, reading_form
from atendimento.selectors.simulation import Progress
from atendimento.selectors.try_out import Asked, TryOut
from atendimento.selectors.type_difference import Difference, differences, known_targets
from memoria import fields
from memoria.events import document_digest
from memoria.fields import COMMITMENTS, InvalidTicketType, TypeProblem
from memoria.patch import Json, parse_pointer
from memoria.rows import SEPARATOR, TEMPLATE
from memoria.sources import LISTABLE

FAULTS: Final[Mapping[str, Promise]] = {
    "draft.there_already": gettext_lazy("There is a draft of this type already. It is shown here."),
    "draft.overtaken": gettext_lazy(
        "Somebody has changed the draft meanwhile. What you typed is kept in the form: look, and save again."
    ),
    "draft.field_there": gettext_lazy("There is such a field already."),
    "draft.no_field_name": gettext_lazy("The name needs a letter or a digit at least."),
    "draft.label_there": gettext_lazy("Another field of the same section has this label already. Choose another label."),
    "draft.too_many_fields": gettext_lazy("A type has at most 300 fields."),
    "draft.no_object": gettext_lazy("The definition must be a JSON object."),
    "draft.other_slug": gettext_lazy("The slug must stay that of this type."),
    "publication.fate": gettext_lazy("That cannot become of it."),
    "simulation.scope": gettext_lazy("Choose from 1 to 20,000 decisions, or a period that ends after it begins."),
    "draft.no_json": gettext_lazy("This is no valid JSON: %(detail)s."),
}


@dataclass(frozen=True, slots=True)
class FieldLine:
    pointer: str
    label: str
    faults: tuple[str, ...]
    open: bool


@dataclass(frozen=True, slots=True)
class FieldForm:
    pointer: str
    label: str
    description: str
    schema: str
    sources: tuple[Option, ...]
    others: tuple[Option, ...]
    ties: tuple[Option, ...]
    inferences: tuple[Option, ...]
    targets: tuple[Option, ...]
    literal: bool
    always_literal: bool
    sensitive: bool
    valid_for: str
    faults: Mapping[str, tuple[str, ...]]  # by the row's key
    whole: tuple[str, ...]  # of the row itself


@dataclass(frozen=True, slots=True)
class Typed:
    """A form as it was sent, to be shown again beside what is wrong with it."""

    row: Mapping[str, Any]
    schema: str = ""
    fault: str = ""  # of the schema's text


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong at one form of the page."""

    label: str
    at: str  # where the form stands: the query and the fragment of the draft's address
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NewField:
    """The form of a new field, as it was sent where it could not be taken."""

    section: str = ""
    name: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class DraftPage:
    slug: str
    name: str
    revision: int
    changed_by: str
    changed_at: datetime
    base: int
    in_force: int
    faults: tuple[str, ...]  # those that stand beside no form
    wrong: tuple[Wrong, ...]  # the others, form by form
    head: HeadForm
    lines: tuple[FieldLine, ...]
    form: FieldForm | None
    groups: GroupForm | None  # None where nothing repeats
    collections: tuple[CollectionLine, ...]
    collection: CollectionForm | None
    reading: ReadingForm
    valid: bool
    publishable: bool  # and something else than what is in force
    differences: tuple[Difference, ...]
    policy: Policy | None
    try_out: TryOut | None
    simulation: Progress | None  # the last one
    document: str
    problem: Problem | None
    adding: NewField


def fault(code: str, **data: str) -> str:
    return str(FAULTS.get(code, code)) % data


def document_of(member: Membership, slug: str) -> tuple[int, Mapping[str, Any]]:
    """The draft's revision and document. Raises NotFound, DomainError `permission.denied`."""
    draft = _draft(member, slug)
    return draft.revision, draft.document


def draft_page(
    member: Membership,
    slug: str,
    asked: Asked,
    pointer: str = "",
    *,
    collection: str = "",
    repeats: bool = False,
    typed: Typed | None = None,
    text: str | None = None,
    problem: Problem | None = None,
    adding: NewField | None = None,
) -> DraftPage:
    """The draft, with the form of the field at `pointer` or of a collection open; `typed` is the open form's, or, with
    `repeats`, that of what repeats, else the head's. Raises NotFound, DomainError `permission.denied`."""
    draft = _draft(member, slug)
    row = TicketType.objects.select_related("published").filter(organization_id=member.organization_id, slug=slug).first()
    published = row.published if row is not None else None
    document: dict[str, Any] = draft.document
    definition, problems = _checked(document)
    rows = document.get("fields")
    there = rows if isinstance(rows, dict) else {}
    called = {key: _listed(key, value, document) for key, value in there.items()}
    placed = _placed(problems, called)
    beside = placed.fields
    old = fields.TicketType.from_document(published.document) if published is not None else None
    name = document.get("name")
    sent = typed.row if typed is not None else None
    return DraftPage(
        slug,
        name if isinstance(name, str) and name.strip() else slug,
        draft.revision,
        draft.changed_by.name,
        draft.changed_at,
        draft.base,
        published.number if published is not None else 0,
        placed.alone,
        tuple(_wrong(placed, called)),
        collection_form.head_form(document, placed.head, None if pointer or collection or repeats else sent),
        tuple(FieldLine(key, label, tuple(_flat(beside.get(key, {}))), key == pointer) for key, label in called.items()),
        _form(document, pointer, there[pointer], beside.get(pointer, {}), typed) if pointer in there else None,
        group_form.group_form(
            document, {key: _label(key, value) for key, value in there.items()}, placed.groups, sent if repeats else None
        ),
        collection_form.collection_lines(document, placed.collections, collection),
        collection_form.collection_form(document, collection, placed.collections, sent),
        reading_form(document, placed.reading),
        definition is not None,
        definition is not None and (published is None or document_digest(document) != published.digest),
        differences(old, definition) if old is not None and definition is not None else (),
        policy.policy(definition) if definition is not None else None,
        try_out.try_out(definition, asked) if definition is not None else None,
        simulation.latest(member, slug),
        json.dumps(document, ensure_ascii=False, indent=2) if text is None else text,
        problem,
        adding or NewField(),
    )


def _draft(member: Membership, slug: str) -> TicketTypeDraft:
    access.require(member, Permission.PUBLISH_TYPES)
    found = (
        TicketTypeDraft.objects.select_related("changed_by").filter(organization_id=member.organization_id, slug=slug).first()
    )
    if found is None:
        raise NotFound("draft")
    return found


def _checked(document: Json) -> tuple[fields.TicketType | None, tuple[TypeProblem, ...]]:
    try:
        return fields.TicketType.from_document(document), ()
    except InvalidTicketType as error:
        return None, error.problems


@dataclass(frozen=True, slots=True)
class _Placed:
    """Each fault at the form that it stands beside, by that form's key."""

    head: Mapping[str, list[str]]
    fields: Mapping[str, Mapping[str, list[str]]]
    collections: Mapping[str, Mapping[str, list[str]]]
    groups: Mapping[str, list[str]]
    reading: tuple[str, ...]
    alone: tuple[str, ...]  # those of no form


def _placed(problems: Iterable[TypeProblem], called: Mapping[str, str]) -> _Placed:
    """A circle stands at each of its fields; `called`: the fields' names in the list of them, by pointer."""
    head: dict[str, list[str]] = {}
    beside: dict[str, dict[str, dict[str, list[str]]]] = {"fields": {}, "collections": {}}
    alone: list[str] = []
    reading: list[str] = []
    groups: dict[str, list[str]] = {}
    for found in problems:
        said = words.problem(found, called)
        if found.path:
            for pointer in dict.fromkeys(found.path):
                beside["fields"].setdefault(pointer, {}).setdefault("invalidates", []).append(said)
            continue
        group, *parts = parse_pointer(found.where) or ("",)
        if parts and group in beside:
            beside[group].setdefault(parts[0], {}).setdefault(parts[1] if len(parts) > 1 else "", []).append(said)
        elif group == "reading":
            reading.append(said)
        elif group == "groups":
            groups.setdefault(parts[-1] if len(parts) > 1 else "", []).append(said)
        elif not parts and group in collection_form.HEAD:
            head.setdefault(group, []).append(said)
        else:
            alone.append(f"{found.where or '/'}: {said}")
    return _Placed(head, beside["fields"], beside["collections"], groups, tuple(reading), tuple(alone))


def _wrong(placed: _Placed, called: Mapping[str, str]) -> Iterator[Wrong]:
    """The faults of each form that has any, in the order of the page."""
    forms: list[tuple[str, str, Iterable[str]]] = [
        (_("The type itself"), "#head", _flat(placed.head)),
        (_("When the model reads"), "#reading", placed.reading),
        *((called.get(key, key), f"?field={quote(key)}#form", _flat(said)) for key, said in placed.fields.items()),
        (_("What repeats"), "#groups", _flat(placed.groups)),
        *(
            (collection_form.label(name), f"?collection={quote(name)}#collections-edit", _flat(said))
            for name, said in placed.collections.items()
        ),
    ]
    for label, at, said in forms:
        found = tuple(said)
        if found:
            yield Wrong(label, at, found)


def _flat(faults: Mapping[str, Iterable[str]]) -> Iterable[str]:
    for said in faults.values():
        yield from said


def _label(pointer: str, row: Json) -> str:
    label = row.get("label") if isinstance(row, dict) else None
    return label if isinstance(label, str) and label.strip() else pointer


def _listed(pointer: str, row: Json, document: Mapping[str, Any]) -> str:
    """A field's name in the list of them; one that repeats begins with what its groups are called (G6)."""
    own = _label(pointer, row)
    return f"{group_form.called(document)[1]}{SEPARATOR}{own}" if pointer.startswith(TEMPLATE) else own


def _form(
    document: Mapping[str, Any], pointer: str, kept: Json, faults: Mapping[str, list[str]], typed: Typed | None
) -> FieldForm:
    row = typed.row if typed is not None else kept if isinstance(kept, dict) else {}
    sources, invalidates = texts(row.get("sources")), texts(row.get("invalidates"))
    schema = json.dumps(row.get("schema"), ensure_ascii=False, indent=2) if typed is None else typed.schema
    beside = {key: tuple(said) for key, said in faults.items()}
    if typed is not None and typed.fault:
        beside["schema"] = (typed.fault,)
    identifier = pointer.startswith("/identifiers/")
    targets = dict.fromkeys((*known_targets(document), *invalidates))  # an unknown one is shown, to be taken away
    return FieldForm(
        pointer,
        str(row.get("label", "")),
        str(row.get("description", "")),
        schema,
        named(sources),
        named(code for code in sorted(LISTABLE) if code not in sources),
        tuple(Option(code, str(label), row.get("tie", "latest") == code) for code, label in words.TIES.items()),
        tuple(Option(code, str(label), row.get("inference", "refuse") == code) for code, label in words.INFERENCES.items()),
        tuple(Option(name, _target(name, pointer, document), name in invalidates) for name in targets if name != pointer),
        row.get("literal", identifier) is True,
        identifier,
        row.get("sensitive", False) is True,
        str(row.get("valid_for", "")),
        beside,
        beside.get("", ()),
    )


def _target(name: str, cause: str, document: Mapping[str, Any]) -> str:
    if name.startswith(COMMITMENTS):
        return _("commitments of the kind %(kind)s") % {"kind": wording.kind(name.removeprefix(COMMITMENTS))}
    rows = document.get("fields")
    own = _label(name, rows.get(name) if isinstance(rows, dict) else None)
    return group_form.reached(name, cause, own, document)
