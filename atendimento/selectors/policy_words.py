"""A ticket type's rules as sentences, in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento import wording
from atendimento.selectors import group_form, values
from memoria.errors import Code
from memoria.fields import COMMITMENTS, MOST_GROUPS, Field, TicketType, TypeProblem
from memoria.rows import TEMPLATE

TIES: Final[Mapping[str, Promise]] = {
    "latest": gettext_lazy("the later one holds"),
    "conflict": gettext_lazy("a person settles it"),
}
INFERENCES: Final[Mapping[str, Promise]] = {
    "refuse": gettext_lazy("not taken"),
    "flag": gettext_lazy("taken, awaits confirmation"),
}
COLLECTIONS: Final[Mapping[str, Promise]] = {
    "commitments": gettext_lazy("Commitments"),
    "pending": gettext_lazy("Pending items"),
    "constraints": gettext_lazy("Constraints"),
    "decisions": gettext_lazy("Decisions"),
    "authorizations": gettext_lazy("Authorisations"),
    "attempts": gettext_lazy("Attempts"),
}
_PROBLEMS: Final[Mapping[str, Promise]] = {
    "not an object": gettext_lazy("This must be an object."),
    "unknown member": gettext_lazy("There is no such setting."),
    "must be lower-case letters and digits joined by - or _, at most 100": gettext_lazy(
        "Use lower-case letters and digits, joined by - or _, at most 100."
    ),
    "must be a text": gettext_lazy("Write something here."),
    "must be an object": gettext_lazy("This must be an object."),
    "must be a list of texts": gettext_lazy("This must be a list of texts."),
    "names one thing twice": gettext_lazy("One thing is named twice."),
    "must name at least one source": gettext_lazy("Name at least one source."),
    "no such source": gettext_lazy("There is no such source, nobody can produce it: %(name)s."),
    f"must be /goal, or /facts/…, /preferences/…, /identifiers/… or {TEMPLATE}… with one name": gettext_lazy(
        "A field is /goal, or /facts/…, /preferences/…, /identifiers/… or /items/{id}/… with one name."
    ),
    "no such root of groups": gettext_lazy("Groups stand at /items only."),
    "must be a text of at most 80 characters": gettext_lazy("Write something here, of at most 80 characters."),
    f"must be one of the fields {TEMPLATE}…": gettext_lazy("Choose one of the fields that repeat."),
    f"must be a whole number from 1 to {MOST_GROUPS}": gettext_lazy("This must be a whole number from 1 to 50."),
    "must be latest or conflict": gettext_lazy("Choose what happens between equals."),
    "must be refuse or flag": gettext_lazy("Choose what happens to an inference."),
    "must be true or false": gettext_lazy("This must be yes or no."),
    "no such field or kind of commitment": gettext_lazy("There is no such field or kind of commitment: %(name)s."),
    "must be a duration of days, hours and minutes, such as P30D or PT8H": gettext_lazy(
        "This must be a duration of days, hours and minutes, such as P30D or PT8H."
    ),
    "does not fit its schema": gettext_lazy("This is not as it must be: %(name)s."),
    "must be a JSON Schema": gettext_lazy("This must be a JSON Schema."),
    "not a JSON Schema": gettext_lazy("This is no JSON Schema: %(name)s."),
    "no such collection": gettext_lazy("There is no such collection."),
    "a kind is lower-case letters, digits and _": gettext_lazy("A kind is lower-case letters, digits and _: %(name)s."),
    "nothing that completes a commitment": gettext_lazy("This completes no commitment: %(name)s."),
}


def source(code: str) -> str:
    return _("who performs it") if code == "performer" else str(wording.SOURCES.get(code, code))


def listed(names: Iterable[str]) -> str:
    """“a, b and c”."""
    found = list(names)
    if len(found) < 2:
        return "".join(found)
    return _("%(first)s and %(last)s") % {"first": ", ".join(found[:-1]), "last": found[-1]}


def upper_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def label(field: Field, ticket_type: TicketType) -> str:
    """What a page on the type calls a field; one that repeats begins with what its groups are called (G6)."""
    return wording.label(field.pointer, ticket_type, {})


def target(name: str, ticket_type: TicketType, of: Field | None = None) -> str:
    """What a person calls an end of an invalidation; of one `of` a field, in which of the groups it lies (G4)."""
    if name.startswith(COMMITMENTS):
        return _("commitments of the kind %(kind)s") % {"kind": wording.kind(name.removeprefix(COMMITMENTS))}
    found = ticket_type.fields.get(name)
    if found is None:
        return name
    if of is None or not found.repeats:
        return label(found, ticket_type)
    return group_form.reached(name, of.pointer, found.own_label, ticket_type.document)


def precedence(sources: tuple[str, ...]) -> Iterator[str]:
    """Who may say it, and who holds against whom."""
    named = [source(code) for code in sources]
    if len(named) == 1:
        yield _("Only %(source)s may say it.") % {"source": named[0]}
        return
    strongest, weakest = named[0], named[-1]
    yield (
        _("If %(weaker)s and %(stronger)s differ, %(stronger)s holds; the divergence is recorded.")
        % {"weaker": weakest, "stronger": strongest}
    )
    if len(named) > 2:
        yield _("From the strongest to the weakest: %(sources)s.") % {"sources": ", ".join(named)}


def nobody_else() -> str:
    """What holds for whoever a field does not name."""
    return _("The word of anybody whom a field does not name is refused.")


def between_equals(tie: str) -> str:
    if tie == "conflict":
        return _("If two people of the same weight differ, a person settles it.")
    return _("If two people of the same weight differ, the later one holds.")


def inferred(inference: str) -> str:
    if inference == "flag":
        return _("What the model infers may be taken, and awaits confirmation.")
    return _("What the model infers is refused.")


def repeating(ticket_type: TicketType) -> Iterator[str]:
    """What is there once for each group, and how the groups are told apart (G1, G6)."""
    rule = ticket_type.groups
    if rule is None:
        return
    own = [field for field in ticket_type.fields.values() if field.repeats]
    names = listed(field.own_label for field in own)
    yield _("Each of these is there once for every group (%(groups)s): %(names)s.") % {"groups": rule.plural, "names": names}
    naming = next((field for field in own if field.pointer == rule.named_by), None)
    if naming is None:
        yield _("Groups are numbered: %(label)s 1, %(label)s 2.") % {"label": rule.label}
    else:
        yield _("A group is called by its %(field)s.") % {"field": naming.own_label}
    yield ngettext("A ticket has at most %(count)d group.", "A ticket has at most %(count)d groups.", rule.most) % {
        "count": rule.most
    }


def consequences(field: Field, ticket_type: TicketType) -> Iterator[str]:
    """What is special about one field."""
    called, fallen = label(field, ticket_type), ticket_type.dependents(field.pointer)
    if fallen:
        names = listed(target(name, ticket_type, field) for name in fallen)
        yield _("If %(label)s changes, these await confirmation: %(names)s.") % {"label": called, "names": names}
    if field.literal or field.is_identifier:
        yield _("The value of %(label)s must stand word for word in the quote.") % {"label": called}
    if field.sensitive:
        yield _("%(label)s is shown with care.") % {"label": called}
    if field.holds_for is not None:
        data = {"label": called, "time": lasting(field.holds_for)}
        yield _("%(label)s holds for %(time)s; then it is to be confirmed anew.") % data


def schema(document: Any) -> str:
    """What fits a field, in few words; the keys themselves where there are no words for them."""
    if not isinstance(document, dict):
        return _("anything") if document else _("nothing")
    if "enum" in document and isinstance(document["enum"], list):
        return _("one of: %(values)s") % {"values": ", ".join(values.show(item) for item in document["enum"])}
    words = [_kind(document)]
    for key, template in _LIMITS.items():
        if key in document:
            words.append(str(template) % {"limit": document[key]})
    return ", ".join(words)


_LIMITS: Final[Mapping[str, Promise]] = {
    "minLength": gettext_lazy("at least %(limit)s characters"),
    "maxLength": gettext_lazy("at most %(limit)s characters"),
    "minimum": gettext_lazy("from %(limit)s"),
    "maximum": gettext_lazy("up to %(limit)s"),
    "pattern": gettext_lazy("as %(limit)s"),
    "maxItems": gettext_lazy("at most %(limit)s entries"),
}


def _kind(document: Mapping[str, Any]) -> str:
    named = {"date": _("date"), "date-time": _("date and time"), "email": _("e-mail address"), "uri": _("address")}
    if document.get("type") == "string":
        return named.get(document.get("format", ""), _("text"))
    kinds = {
        "number": _("number"),
        "integer": _("whole number"),
        "boolean": _("yes or no"),
        "array": _("list"),
        "object": _("several values"),
    }
    kind = document.get("type")
    return kinds.get(kind, _("anything")) if isinstance(kind, str) else json.dumps(document, ensure_ascii=False)[:80]


def lasting(length: timedelta) -> str:
    """A length of time in words: “30 days”, “1 day and 12 hours”."""
    minutes = length // timedelta(minutes=1)
    days, hours, rest = minutes // 1440, minutes % 1440 // 60, minutes % 60
    parts = []
    if days:
        parts.append(ngettext("%(count)d day", "%(count)d days", days) % {"count": days})
    if hours:
        parts.append(ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours})
    if rest:
        parts.append(ngettext("%(count)d minute", "%(count)d minutes", rest) % {"count": rest})
    return listed(parts)


def problem(found: TypeProblem, called: Mapping[str, str]) -> str:
    """What is wrong with a definition; a circle names its path, by what the fields are `called`, by pointer."""
    if found.code is Code.TYPE_CYCLE:
        path = " → ".join(called.get(pointer, pointer) for pointer in found.path)
        return _("These invalidate each other in a circle: %(path)s.") % {"path": path}
    words = _PROBLEMS.get(found.detail)
    if words is not None:
        return str(words)
    start, _colon, name = found.detail.partition(": ")
    words = _PROBLEMS.get(start)
    return found.detail if words is None else str(words) % {"name": name}
