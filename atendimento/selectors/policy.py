"""What administrators see of ticket types: the policy in words, its table, its graph, and every version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from atendimento import access, wording
from atendimento.access import NotFound, Permission
from atendimento.models import Membership, TicketTypeDraft, TicketTypeVersion
from atendimento.models import TicketType as TicketTypeRow
from atendimento.selectors import graph, reading_words
from atendimento.selectors import policy_words as words
from atendimento.selectors.gallery import ready
from atendimento.selectors.graph import Graph
from atendimento.selectors.parts import Option
from atendimento.selectors.publication import PublicationView, publication
from atendimento.selectors.try_out import Asked, TryOut, try_out
from memoria.fields import Field, TicketType


@dataclass(frozen=True, slots=True)
class TypeRow:
    slug: str
    name: str
    version: int  # 0: never published
    published_at: datetime | None
    fields: int
    has_draft: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Fields that share their precedence, and what holds for them."""

    labels: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldRow:
    pointer: str
    label: str
    description: str
    schema: str
    sources: tuple[str, ...]
    tie: str
    inference: str
    invalidates: tuple[str, ...]
    literal: bool
    sensitive: bool


@dataclass(frozen=True, slots=True)
class CollectionRow:
    name: str
    sources: tuple[str, ...]
    kinds: tuple[str, ...]
    completion: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fall:
    label: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """A definition as it is shown, published or not."""

    common: tuple[str, ...]  # what holds for every field whose group does not say otherwise
    groups: tuple[Group, ...]
    consequences: tuple[str, ...]
    fields: tuple[FieldRow, ...]
    collections: tuple[CollectionRow, ...]
    falls: tuple[Fall, ...]
    graph: Graph | None


@dataclass(frozen=True, slots=True)
class VersionRow:
    number: int
    published_by: str
    published_at: datetime
    in_force: bool
    shown: bool


@dataclass(frozen=True, slots=True)
class TypePage:
    slug: str
    name: str
    description: str
    version: int  # the one shown
    in_force: int
    policy: Policy
    try_out: TryOut
    versions: tuple[VersionRow, ...]
    publication: PublicationView | None  # the last one
    draft_by: str  # empty where there is no draft


NEW_FAULTS: Final[Mapping[str, Promise]] = {
    "type.no_name": gettext_lazy("Write a name."),
    "type.slug": gettext_lazy("Only lower-case letters without accents and digits, joined by - or _, at most 100."),
    "type.slug_taken": gettext_lazy("There is a type, or a draft, with this short name already."),
}


@dataclass(frozen=True, slots=True)
class GalleryRow:
    slug: str
    name: str
    description: str
    there: str  # the address of the type that is in use under this slug, or of its draft; empty: none is


@dataclass(frozen=True, slots=True)
class NewType:
    """The form of a new type, as it was sent where it could not be taken."""

    name: str
    slug: str
    origins: tuple[Option, ...]
    faults: Mapping[str, str]  # by the name of the input


@dataclass(frozen=True, slots=True)
class TypesPage:
    rows: tuple[TypeRow, ...]
    gallery: tuple[GalleryRow, ...]
    new: NewType


def types_page(
    member: Membership, name: str = "", slug: str = "", like: str = "", faults: Mapping[str, str] | None = None
) -> TypesPage:
    """Every ticket type, and what a new one can be begun from; `faults` are codes of NEW_FAULTS by the input's name.

    Raises DomainError `permission.denied`.
    """
    rows = _type_rows(member)
    there = {row.slug: reverse("web:admin-type" if row.version else "web:admin-draft", args=[row.slug]) for row in rows}
    return TypesPage(
        rows,
        tuple(GalleryRow(item.slug, item.name, item.description, there.get(item.slug, "")) for item in ready()),
        NewType(
            name,
            slug,
            tuple(Option(row.slug, row.name, row.slug == like) for row in rows),
            {at: str(NEW_FAULTS[code]) for at, code in (faults or {}).items()},
        ),
    )


def _type_rows(member: Membership) -> tuple[TypeRow, ...]:
    access.require(member, Permission.PUBLISH_TYPES)
    organization = member.organization_id
    drafts = {draft.slug: draft for draft in TicketTypeDraft.objects.filter(organization_id=organization)}
    published = TicketTypeRow.objects.select_related("published").filter(organization_id=organization, published__isnull=False)
    rows = []
    for row in published:
        version = row.published
        assert version is not None
        fields = len(version.document["fields"])
        rows.append(TypeRow(row.slug, row.name, version.number, version.published_at, fields, row.slug in drafts))
    there = {row.slug for row in rows}
    rows += [TypeRow(slug, _name(draft), 0, None, 0, has_draft=True) for slug, draft in drafts.items() if slug not in there]
    return tuple(sorted(rows, key=lambda row: (row.name.casefold(), row.slug)))


def _name(draft: TicketTypeDraft) -> str:
    name = draft.document.get("name")
    return name if isinstance(name, str) and name.strip() else draft.slug


def type_page(member: Membership, slug: str, number: int | None = None, asked: Asked | None = None) -> TypePage:
    """A published type, at one of its versions (else the one in force). Raises NotFound, `permission.denied`."""
    access.require(member, Permission.PUBLISH_TYPES)
    row = access.ticket_type(member.organization, slug)
    in_force = row.published
    assert in_force is not None
    shown = in_force if number is None else version_of(row, number)
    definition = TicketType.from_document(shown.document, shown.number)
    versions = TicketTypeVersion.objects.select_related("published_by").filter(ticket_type=row).order_by("-number")
    draft = TicketTypeDraft.objects.select_related("changed_by").filter(organization_id=row.organization_id, slug=slug).first()
    return TypePage(
        slug,
        definition.name,
        str(shown.document.get("description", "")),
        shown.number,
        in_force.number,
        policy(definition),
        try_out(definition, asked or Asked()),
        tuple(
            VersionRow(
                version.number,
                version.published_by.name if version.published_by is not None else "",
                version.published_at,
                version.number == in_force.number,
                version.number == shown.number,
            )
            for version in versions.defer("document")
        ),
        publication(row.pk),
        draft.changed_by.name if draft is not None else "",
    )


@dataclass(frozen=True, slots=True)
class PublicationPart:
    slug: str
    publication: PublicationView | None


def publication_part(member: Membership, slug: str) -> PublicationPart:
    """The part of the type's page that tells of its last publication. Raises NotFound, `permission.denied`."""
    access.require(member, Permission.PUBLISH_TYPES)
    return PublicationPart(slug, publication(access.ticket_type(member.organization, slug).pk))


def version_of(row: TicketTypeRow, number: int) -> TicketTypeVersion:
    """One version of a type. Raises NotFound."""
    found = TicketTypeVersion.objects.filter(ticket_type=row, number=number).first()
    if found is None:
        raise NotFound("ticket type version")
    return found


def policy(definition: TicketType) -> Policy:
    """All that is to be said of a definition."""
    fields = tuple(definition.fields.values())
    usual = _usual(fields) if fields else ("latest", "refuse")
    return Policy(
        (
            words.nobody_else(),
            words.between_equals(usual[0]),
            words.inferred(usual[1]),
            *words.repeating(definition),
            *reading_words.sentences(definition.reading),
        ),
        tuple(_groups(fields, usual, definition)),
        tuple(sentence for field in fields for sentence in words.consequences(field, definition)),
        tuple(_row(field, definition) for field in fields),
        tuple(
            CollectionRow(
                str(words.COLLECTIONS[name]),
                tuple(map(words.source, found.sources)),
                tuple(map(wording.kind, found.kinds)),
                tuple(map(words.source, found.completion_sources)) if name == "commitments" else (),
            )
            for name, found in definition.collections.items()
        ),
        tuple(_fall(field, definition) for field in fields if field.invalidates),
        graph.draw(definition),
    )


def _usual(fields: Sequence[Field]) -> tuple[str, str]:
    """How most fields settle a tie, and how most take an inference."""
    ties, inferences = Counter(field.tie for field in fields), Counter(field.inference for field in fields)
    return ties.most_common(1)[0][0], inferences.most_common(1)[0][0]


def _groups(fields: Sequence[Field], usual: tuple[str, str], definition: TicketType) -> Iterator[Group]:
    alike: dict[tuple[tuple[str, ...], str, str], list[str]] = {}
    for field in fields:
        alike.setdefault((field.sources, field.tie, field.inference), []).append(words.label(field, definition))
    for (sources, tie, inference), labels in alike.items():
        sentences = [words.upper_first(sentence) for sentence in words.precedence(sources)]
        if tie != usual[0]:
            sentences.append(words.between_equals(tie))
        if inference != usual[1]:
            sentences.append(words.inferred(inference))
        yield Group(", ".join(labels), tuple(sentences))


def _row(field: Field, definition: TicketType) -> FieldRow:
    return FieldRow(
        field.pointer,
        words.label(field, definition),
        field.description,
        words.schema(field.schema),
        tuple(map(words.source, field.sources)),
        str(words.TIES[field.tie]),
        str(words.INFERENCES[field.inference]),
        tuple(words.target(name, definition, field) for name in field.invalidates),
        field.literal or field.is_identifier,
        field.sensitive,
    )


def _fall(field: Field, definition: TicketType) -> Fall:
    return Fall(words.label(field, definition), tuple(words.target(name, definition, field) for name in field.invalidates))
