"""Drafting ticket types: begun from a version or from the gallery, saved valid or not, published when it is valid.

A draft is one a type and shared. Each save names the revision that it was made on; one that was overtaken is refused.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.faults import Fault, InvalidInput, invalid
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership, TicketType, TicketTypeDraft, TicketTypeVersion
from atendimento.selectors import gallery
from memoria.fields import DEFAULT_COMPLETION, is_slug
from memoria.members import SHAPES
from memoria.patch import Json
from memoria.publishing import Choice
from memoria.rows import ITEMS

MAX_FIELDS: Final = 300
_DEFAULTS: Final[Mapping[str, Json]] = {
    "description": "",
    "tie": "latest",
    "inference": "refuse",
    "invalidates": [],
    "sensitive": False,
}


@dataclass(frozen=True, slots=True)
class FieldSettings:
    """What a field's form holds."""

    label: str
    description: str
    schema: Json
    sources: Sequence[str]
    tie: str
    inference: str
    invalidates: Sequence[str]
    literal: bool
    sensitive: bool
    valid_for: str = ""  # D1; empty: nothing ends it


@transaction.atomic
def start_draft(
    *, member: Membership, slug: str, version: int | None = None, ready: bool = False, replace: bool = False
) -> TicketTypeDraft:
    """Begin a draft: `ready` from the gallery, else from one of the published versions, or from the one in force.

    Raises NotFound; InvalidInput `draft.there_already` where there is one and `replace` does not say to let it go.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    row = TicketType.objects.select_related("published").filter(organization_id=member.organization_id, slug=slug).first()
    published = row.published if row is not None else None
    begun: dict[str, Any] = {
        "document": gallery.document(slug) if ready else _version(row, version).document,
        "base": published.number if published is not None else 0,
        "changed_by": member,
        "changed_at": ledger.now(),
    }
    draft, new = TicketTypeDraft.objects.select_for_update().get_or_create(
        organization_id=member.organization_id, slug=slug, defaults=begun
    )
    if not new:
        if not replace:
            raise invalid("", "draft.there_already", "there is a draft of this type")
        for name, value in begun.items():
            setattr(draft, name, value)
        draft.revision += 1
        draft.save()
    return draft


@transaction.atomic
def new_type(*, member: Membership, name: str, slug: str, like: str = "") -> TicketTypeDraft:
    """Begin the draft of a type that there is not yet: a copy of the type `like`, as it is in force or else drafted, or, with
    nothing there, an empty one that asks for the goal alone. A slug that is left out is made from the name.

    Raises NotFound where there is no type `like`; InvalidInput `type.no_name`, `type.slug`, `type.slug_taken`.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    slug = slug or slugify(name)[:100].strip("-_")
    faults = []
    if not name:
        faults.append(Fault("/name", "type.no_name", "must be a text"))
    if not is_slug(slug):
        faults.append(Fault("/slug", "type.slug", "must be lower-case letters and digits joined by - or _"))
    elif TicketType.objects.filter(organization_id=member.organization_id, slug=slug).exists():
        faults.append(Fault("/slug", "type.slug_taken", "is another type's"))
    if faults:
        raise InvalidInput(*faults)
    document = _copy(member, like) if like else _empty()
    draft, new = TicketTypeDraft.objects.get_or_create(
        organization_id=member.organization_id,
        slug=slug,
        defaults={
            "document": document | {"slug": slug, "name": name},
            "changed_by": member,
            "changed_at": ledger.now(),
        },
    )
    if not new:
        raise invalid("/slug", "type.slug_taken", "is another draft's")
    return draft


def _copy(member: Membership, slug: str) -> dict[str, Any]:
    kept = {"organization_id": member.organization_id, "slug": slug}
    row = TicketType.objects.select_related("published").filter(**kept, published__isnull=False).first()
    found = row.published if row is not None else TicketTypeDraft.objects.filter(**kept).first()
    if found is None:
        raise NotFound("ticket type")
    document: dict[str, Any] = copy.deepcopy(found.document)
    return document


def _empty() -> dict[str, Any]:
    goal = {"label": _("Current goal"), "schema": {"type": "string", "maxLength": 200}, "sources": ["agent", "customer"]}
    return {"slug": "", "name": "", "fields": {"/goal": goal}, "collections": {}}


def _version(row: TicketType | None, number: int | None) -> TicketTypeVersion:
    chosen: TicketTypeVersion | None = None
    if row is not None:
        chosen = row.published if number is None else row.versions.filter(number=number).first()
    if chosen is None:
        raise NotFound("ticket type version")
    return chosen


@transaction.atomic
def save_field(*, member: Membership, slug: str, revision: int, pointer: str, settings: FieldSettings) -> TicketTypeDraft:
    """Set all that is said of one field. Raises NotFound, InvalidInput `draft.overtaken`."""

    def change(document: dict[str, Any]) -> None:
        fields = _fields(document)
        if pointer not in fields:
            raise NotFound("field")
        fields[pointer] = _row(pointer, fields[pointer], settings)

    return _save(member, slug, revision, change)


@transaction.atomic
def add_field(*, member: Membership, slug: str, revision: int, section: str, name: str, label: str) -> str:
    """A new field of a section (`/facts/`, …): a text, from the customer alone until its form says more.

    Its name is made of what a person typed as a slug is, with _ between the words; a label that is left out is what was
    typed. Returns the pointer.
    Raises NotFound; InvalidInput `draft.overtaken`, `draft.no_field_name`, `draft.field_there`, `draft.label_there`,
    `draft.too_many_fields`.
    """
    called = slugify(name).replace("-", "_").strip("_")
    pointer, label = section + called, label or name

    def change(document: dict[str, Any]) -> None:
        fields = _fields(document)
        if not called:
            raise invalid("/pointer", "draft.no_field_name", "has no letter and no digit")
        if pointer in fields:
            raise invalid("/pointer", "draft.field_there", "there is such a field")
        if _folded(label) in {_folded(row.get("label")) for row in _section(fields, section)}:
            raise invalid("/label", "draft.label_there", "is the label of another field of the section")
        if len(fields) >= MAX_FIELDS:
            raise invalid("/pointer", "draft.too_many_fields", f"more than {MAX_FIELDS} fields")
        fields[pointer] = {"label": label, "schema": {"type": "string"}, "sources": ["customer"]}

    _save(member, slug, revision, change)
    return pointer


def _section(fields: Mapping[str, Any], section: str) -> Iterator[Mapping[str, Any]]:
    return (row for pointer, row in fields.items() if pointer.startswith(section) and isinstance(row, dict))


def _folded(label: object) -> str:
    """What two labels that people take for the same have in common."""
    return " ".join(str(label).split()).casefold()


@transaction.atomic
def remove_field(*, member: Membership, slug: str, revision: int, pointer: str) -> TicketTypeDraft:
    """Take a field out. What still names it is a fault that its own field shows. Raises NotFound, `draft.overtaken`."""

    def change(document: dict[str, Any]) -> None:
        if _fields(document).pop(pointer, None) is None:
            raise NotFound("field")

    return _save(member, slug, revision, change)


@transaction.atomic
def save_head(*, member: Membership, slug: str, revision: int, name: str, description: str) -> TicketTypeDraft:
    """What the type is called, and what it is for. Raises NotFound, InvalidInput `draft.overtaken`."""

    def change(document: dict[str, Any]) -> None:
        document["name"] = name
        if description or "description" in document:
            document["description"] = description

    return _save(member, slug, revision, change)


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """What a collection's form holds. `kinds` and `completion_sources` are of commitments alone."""

    sources: Sequence[str]
    kinds: Sequence[str] = ()
    completion_sources: Sequence[str] = ()


@transaction.atomic
def save_collection(
    *, member: Membership, slug: str, revision: int, name: str, settings: CollectionSettings | None
) -> TicketTypeDraft:
    """Set all that is said of one collection; None: it takes nothing any more.

    Raises NotFound where there is no such collection; InvalidInput `draft.overtaken`.
    """

    def change(document: dict[str, Any]) -> None:
        collections = document.get("collections")
        if not isinstance(collections, dict):
            collections = document["collections"] = {}
        if name not in SHAPES and name not in collections:
            raise NotFound("collection")
        if settings is None:
            collections.pop(name, None)
            return
        collections[name] = _collection(name, collections.get(name), settings)

    return _save(member, slug, revision, change)


@transaction.atomic
def save_reading(*, member: Membership, slug: str, revision: int, reading: Json) -> TicketTypeDraft:
    """When the model reads; None: after each burst, without caps. Raises NotFound, InvalidInput `draft.overtaken`."""

    def change(document: dict[str, Any]) -> None:
        if reading is None:
            document.pop("reading", None)
        else:
            document["reading"] = reading

    return _save(member, slug, revision, change)


@transaction.atomic
def save_groups(*, member: Membership, slug: str, revision: int, row: Mapping[str, Json]) -> TicketTypeDraft:
    """What is said of that which repeats (G1); nothing: all has its default. Raises NotFound, `draft.overtaken`."""

    def change(document: dict[str, Any]) -> None:
        if row:
            document["groups"] = {ITEMS: dict(row)}
        else:
            document.pop("groups", None)

    return _save(member, slug, revision, change)


@transaction.atomic
def save_document(*, member: Membership, slug: str, revision: int, document: Json) -> TicketTypeDraft:
    """Replace the whole definition. Raises NotFound; InvalidInput: overtaken, no object, another type's slug."""
    if not isinstance(document, dict):
        raise invalid("/document", "draft.no_object", "not an object")
    if document.get("slug") != slug:
        raise invalid("/document", "draft.other_slug", "is another type's slug")

    def change(kept: dict[str, Any]) -> None:
        kept.clear()
        kept.update(document)

    return _save(member, slug, revision, change)


@transaction.atomic
def publish_draft(
    *, member: Membership, slug: str, revision: int, choices: Sequence[Choice] = (), closed: bool = False
) -> tuple[TicketTypeVersion, bool]:
    """Publish the draft as the next version and let it go. `choices` and `closed` as in `publish_ticket_type`.

    Raises NotFound; InvalidInput `draft.overtaken`; memoria's InvalidTicketType, and the draft stays.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    draft = _to_change(member, slug, revision)
    version, made = publish_ticket_type(member=member, document=draft.document, slug=slug, choices=choices, closed=closed)
    draft.delete()
    return version, made


@transaction.atomic
def discard_draft(*, member: Membership, slug: str, revision: int) -> None:
    """Let the draft go. Raises NotFound, InvalidInput `draft.overtaken`."""
    access.require(member, Permission.PUBLISH_TYPES)
    _to_change(member, slug, revision).delete()


def _to_change(member: Membership, slug: str, revision: int) -> TicketTypeDraft:
    found = TicketTypeDraft.objects.select_for_update().filter(organization_id=member.organization_id, slug=slug).first()
    if found is None:
        raise NotFound("draft")
    if found.revision != revision:
        raise invalid("", "draft.overtaken", "somebody has changed the draft meanwhile")
    return found


def _save(member: Membership, slug: str, revision: int, change: Callable[[dict[str, Any]], None]) -> TicketTypeDraft:
    access.require(member, Permission.PUBLISH_TYPES)
    draft = _to_change(member, slug, revision)
    change(draft.document)
    draft.revision += 1
    draft.changed_by, draft.changed_at = member, ledger.now()
    draft.save()
    return draft


def _fields(document: dict[str, Any]) -> dict[str, Any]:
    fields = document.get("fields")
    if not isinstance(fields, dict):
        fields = document["fields"] = {}
    return fields


def _collection(name: str, before: Json, settings: CollectionSettings) -> dict[str, Json]:
    """The collection's row in the file's form, as `_row` does it."""
    row = dict(before) if isinstance(before, dict) else {}
    row["sources"] = list(settings.sources)
    if name == "commitments":
        said: dict[str, list[str]] = {"kinds": list(settings.kinds), "completion_sources": list(settings.completion_sources)}
        defaults = {"kinds": [], "completion_sources": list(DEFAULT_COMPLETION)}
        row |= {key: value for key, value in said.items() if key in row or sorted(value) != sorted(defaults[key])}
    return row


def _row(pointer: str, before: Json, settings: FieldSettings) -> dict[str, Json]:
    """The field's row in the file's form: what is as by default is left out, unless it stood there before."""
    row = dict(before) if isinstance(before, dict) else {}
    said: dict[str, Json] = {
        "label": settings.label,
        "description": settings.description,
        "schema": settings.schema,
        "sources": list(settings.sources),
        "tie": settings.tie,
        "inference": settings.inference,
        "invalidates": list(settings.invalidates),
        "literal": settings.literal,
        "sensitive": settings.sensitive,
    }
    defaults = {**_DEFAULTS, "literal": pointer.startswith("/identifiers/")}
    for name, value in said.items():
        if name in row or name not in defaults or value != defaults[name]:
            row[name] = value
    row.pop("valid_for", None)
    if settings.valid_for:
        row["valid_for"] = settings.valid_for
    return row
