"""How one definition of a ticket type differs from another, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.selectors import policy_words as words
from atendimento.selectors import reading_words
from memoria.fields import COMMITMENTS, Field, TicketType
from memoria.rows import GroupRule


@dataclass(frozen=True, slots=True)
class Difference:
    label: str
    sentences: tuple[str, ...]


def differences(old: TicketType, new: TicketType) -> tuple[Difference, ...]:
    """What is other in `new`: the name, fields that came, went or changed, collections."""
    found = list(_whole(old, new))
    for pointer, field in new.fields.items():
        before = old.fields.get(pointer)
        said = tuple(_new(field, new)) if before is None else tuple(_field(before, field, old, new))
        if said:
            found.append(Difference(words.label(field, new), said))
    gone = [field for pointer, field in old.fields.items() if pointer not in new.fields]
    found += [Difference(words.label(field, old), (_("removed"),)) for field in gone]
    repeating = tuple(_repeating(old, new))
    if repeating:
        found.append(Difference(_("What repeats"), repeating))
    for name in (*new.collections, *(name for name in old.collections if name not in new.collections)):
        said = tuple(_collection(old, new, name))
        if said:
            found.append(Difference(str(words.COLLECTIONS[name]), said))
    return tuple(found)


def _new(field: Field, definition: TicketType) -> Iterator[str]:
    """That it is new, who may say it, from the strongest on, and what falls with it."""
    yield _("new field")
    yield _("may say it: %(sources)s") % {"sources": _sources(field.sources)}
    if field.invalidates:
        yield _("invalidates: %(targets)s") % {"targets": _targets(field, definition)}


def _moved(what: str, before: str, after: str) -> str:
    return _("%(what)s: %(before)s → %(after)s") % {"what": what, "before": before or "—", "after": after or "—"}


def _whole(old: TicketType, new: TicketType) -> Iterator[Difference]:
    said = []
    if old.name != new.name:
        said.append(_moved(_("name"), old.name, new.name))
    before, after = str(old.document.get("description", "")), str(new.document.get("description", ""))
    if before != after:
        said.append(_moved(_("description"), before, after))
    if old.reading != new.reading:
        one, other = (" ".join(reading_words.sentences(kind.reading)) for kind in (old, new))
        said.append(_moved(_("when the model reads"), one, other))
    if said:
        yield Difference(_("The type itself"), tuple(said))


def _repeating(old: TicketType, new: TicketType) -> Iterator[str]:
    """What is said of the groups otherwise; that a field repeats at all is told with the field."""
    before, after = old.groups or GroupRule(), new.groups or GroupRule()
    pairs = (
        (_("what one of them is called"), before.label, after.label),
        (_("several of them"), before.plural, after.plural),
        (_("named by"), *(_named(rule.named_by, kind) for rule, kind in ((before, old), (after, new)))),
        (_("at most"), str(before.most), str(after.most)),
    )
    yield from (_moved(what, one, other) for what, one, other in pairs if one != other)


def _named(pointer: str, definition: TicketType) -> str:
    field = definition.fields.get(pointer)
    return field.own_label if field is not None else ""


def _sources(codes: tuple[str, ...]) -> str:
    return ", ".join(map(words.source, codes))


def _targets(field: Field, definition: TicketType) -> str:
    return ", ".join(words.target(name, definition, field) for name in field.invalidates)


def _lasting(field: Field) -> str:
    return words.lasting(field.holds_for) if field.holds_for is not None else ""


def _yes(value: bool) -> str:
    return _("yes") if value else _("no")


def _field(before: Field, after: Field, old: TicketType, new: TicketType) -> Iterator[str]:
    pairs = (
        (_("label"), before.label, after.label),
        (_("description"), before.description, after.description),
        (_("what fits"), *_schemas(before.schema, after.schema)),
        (_("between equals"), str(words.TIES[before.tie]), str(words.TIES[after.tie])),
        (_("inference"), str(words.INFERENCES[before.inference]), str(words.INFERENCES[after.inference])),
        (_("holds for"), _lasting(before), _lasting(after)),
        (_("word for word"), _yes(before.literal), _yes(after.literal)),
        (_("sensitive"), _yes(before.sensitive), _yes(after.sensitive)),
    )
    yield from (_moved(what, one, other) for what, one, other in pairs if one != other)
    yield from _ranked(before.sources, after.sources)
    if set(before.invalidates) != set(after.invalidates):
        yield _moved(_("invalidates"), _targets(before, old), _targets(after, new))


def _schemas(before: Any, after: Any) -> tuple[str, str]:
    """Both in words; told apart where the words are the same and the schemas are not."""
    one, other = words.schema(before), words.schema(after)
    return (one, other) if before == after or one != other else (one, _("%(schema)s, other rules") % {"schema": other})


def _collection(old: TicketType, new: TicketType, name: str) -> Iterator[str]:
    before, after = old.collections.get(name), new.collections.get(name)
    if before is None or after is None:
        yield _("new") if before is None else _("removed")
        return
    pairs = (
        (_("kinds"), ", ".join(map(wording.kind, before.kinds)), ", ".join(map(wording.kind, after.kinds))),
        (_("completed by"), _sources(before.completion_sources), _sources(after.completion_sources)),
    )
    yield from (_moved(what, one, other) for what, one, other in pairs if one != other)
    yield from _ranked(before.sources, after.sources)


def _ranked(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    """Who may say it no more, who may now; and the order, where those of both stand otherwise."""
    lost, won = (tuple(code for code in one if code not in other) for one, other in ((before, after), (after, before)))
    if lost:
        yield _("may not say it any more: %(sources)s") % {"sources": _sources(lost)}
    if won:
        yield _("may say it now: %(sources)s") % {"sources": _sources(won)}
    if before != after:
        yield _moved(_("order of sources"), _sources(before), _sources(after))


def known_targets(document: Mapping[str, Any]) -> tuple[str, ...]:
    """All that a field of this document may invalidate, valid or not: its fields and the kinds of its commitments."""
    fields = document.get("fields")
    collections = document.get("collections")
    commitments = collections.get("commitments") if isinstance(collections, dict) else None
    kinds = commitments.get("kinds") if isinstance(commitments, dict) else None
    named = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else []
    return (*(fields if isinstance(fields, dict) else ()), *(COMMITMENTS + kind for kind in named))
