"""The page before publishing: which stored values the draft would no longer take, and what may become of them (T2)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext

from atendimento import access, timeline
from atendimento.access import Permission
from atendimento.models import Membership, TicketState, TicketStatus, TicketType
from atendimento.selectors import policy_words as words
from atendimento.selectors import type_draft, values
from atendimento.selectors.group_changes import GroupChanges, Tally
from atendimento.selectors.misfits import holding, newest
from atendimento.selectors.parts import Option, Problem
from memoria import fields, groups
from memoria.members import SHAPES
from memoria.misfits import Misfit, Why, misfits
from memoria.patch import lookup
from memoria.publishing import Choice, Fate, fates
from memoria.rows import SEPARATOR, group_of

CHUNK: Final = 500
EXAMPLES: Final = 3
WHYS: Final[Mapping[Why, Promise]] = {
    Why.GONE: gettext_lazy("The draft does not have it any more."),
    Why.VALUE: gettext_lazy("The value does not fit any more."),
    Why.KIND: gettext_lazy("The draft does not have this kind of commitment any more."),
    Why.TARGET: gettext_lazy("It applies to something that the draft does not have any more."),
    Why.SOURCE: gettext_lazy("The source that it rests on may not say it any more."),
}
FATES: Final[Mapping[Fate, Promise]] = {
    Fate.CONFIRM: gettext_lazy("Needs confirmation"),
    Fate.WITHDRAW: gettext_lazy("Withdraw"),
    Fate.KEEP: gettext_lazy("Keep as it is"),
}


@dataclass(frozen=True, slots=True)
class Example:
    url: str
    protocol: str
    value: str


@dataclass(frozen=True, slots=True)
class MisfitRow:
    """The misfits of one field or collection, of one kind."""

    name: str  # of the form's choice
    label: str
    why: str
    counted: str
    examples: tuple[Example, ...]
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class PublishPage:
    slug: str
    name: str
    revision: int
    version: int  # that publishing makes
    in_force: int
    rows: tuple[MisfitRow, ...]
    groups: GroupChanges
    open_tickets: int
    closed_tickets: int  # with misfits
    problem: Problem | None
    draft_url: str
    looked_at: int = 0  # so many of the newest tickets; 0: all of them


class _Found:
    """Misfits of one kind, counted over tickets."""

    def __init__(self) -> None:
        self.open = self.closed = 0
        self.examples: list[Example] = []


def publish_page(member: Membership, slug: str, problem: Problem | None = None) -> PublishPage:
    """What publishing the draft would find. Raises NotFound, InvalidTicketType, DomainError `permission.denied`."""
    access.require(member, Permission.PUBLISH_TYPES)
    revision, document = type_draft.document_of(member, slug)
    draft = fields.TicketType.from_document(document)
    row = TicketType.objects.select_related("published").filter(organization_id=member.organization_id, slug=slug).first()
    published = row.published if row is not None else None
    old = draft if published is None else fields.TicketType.from_document(published.document)
    found: dict[tuple[str, Why], _Found] = {}
    tickets = {True: 0, False: 0}
    tally = Tally(old, draft)
    keys: list[uuid.UUID] = []
    more = False
    if row is not None:
        keys, more = newest(row)
        for state, held in _states(keys):
            tally.look(state)
            misfitting = misfits(held, holding(state.slots), draft)
            is_open = state.ticket.status != TicketStatus.CLOSED
            tickets[is_open] += bool(misfitting)
            for misfit in misfitting:
                _count(found.setdefault((misfit.group, misfit.why), _Found()), misfit, state, held, old, is_open)
    number = published.number if published is not None else 0
    return PublishPage(
        slug,
        draft.name,
        revision,
        number + 1,
        number,
        tuple(_row(group, why, item, old, draft) for (group, why), item in found.items()),
        tally.result(),
        tickets[True],
        tickets[False],
        problem,
        reverse("web:admin-draft", args=[slug]),
        len(keys) if more else 0,
    )


def _states(tickets: Sequence[uuid.UUID]) -> Iterator[tuple[TicketState, Mapping[str, Any]]]:
    """The tickets' states in this order, a few at a time."""
    for start in range(0, len(tickets), CHUNK):
        chunk = tickets[start : start + CHUNK]
        rows = {row.ticket_id: row for row in TicketState.objects.filter(ticket__in=chunk).select_related("ticket")}
        yield from ((rows[key], rows[key].values) for key in chunk if key in rows)


def _count(
    into: _Found, misfit: Misfit, state: TicketState, held: Mapping[str, Any], old: fields.TicketType, is_open: bool
) -> None:
    if is_open:
        into.open += 1
    else:
        into.closed += 1
    if len(into.examples) < EXAMPLES:
        url = reverse("web:ticket", args=[state.ticket_id]) + "?pane=state&show=memory"
        field = old.fields.get(misfit.pointer)
        shown = "•••" if field is not None and field.sensitive else values.show(lookup(held, misfit.pointer))
        group = group_of(misfit.pointer)
        named = groups.labels(old, timeline.projection(state)).get(group, "") if group is not None else ""
        into.examples.append(Example(url, state.ticket.protocol, SEPARATOR.join(filter(None, (named, shown[:120])))))


def _row(group: str, why: Why, found: _Found, old: fields.TicketType, draft: fields.TicketType) -> MisfitRow:
    kept = fates(group, why)
    return MisfitRow(
        f"fate:{why.value}:{group}",
        group_label(group, old, draft),
        str(WHYS[why]),
        _counted(found),
        tuple(found.examples),
        tuple(Option(fate.value, str(FATES[fate]), position == 0) for position, fate in enumerate(kept)),
    )


def _counted(found: _Found) -> str:
    open_words = ngettext("%(count)d in open tickets", "%(count)d in open tickets", found.open) % {"count": found.open}
    if not found.closed:
        return open_words
    closed = ngettext("%(count)d in closed ones", "%(count)d in closed ones", found.closed) % {"count": found.closed}
    return f"{open_words}, {closed}"


def group_label(group: str, *definitions: fields.TicketType) -> str:
    """What a field or a collection is called by the first of these that knows it."""
    name = group.strip("/")
    if name in SHAPES:
        return words.upper_first(str(words.COLLECTIONS[name]))
    found = next((definition for definition in definitions if group in definition.fields), None)
    return words.label(found.fields[group], found) if found is not None else group


def choices_of(form: Mapping[str, str]) -> list[Choice]:
    """What the page's form chose, keeping among it: what nothing is chosen for does not stay as it is (T2)."""
    found = []
    for name, value in form.items():
        kind, _colon, rest = name.partition(":")
        why, _colon, group = rest.partition(":")
        if kind == "fate" and why in set(Why) and value in set(Fate) and group.startswith("/"):
            found.append(Choice(group, Why(why), Fate(value)))
    return found
