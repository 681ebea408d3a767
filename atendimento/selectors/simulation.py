"""What a simulation found, counted by kind and by field; and one difference with both answers side by side (T3)."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento import access, timeline, wording
from atendimento.access import NotFound, Permission
from atendimento.corrections import former_labels
from atendimento.models import Membership, Simulation, SimulationDifference, TicketType, TicketTypeDraft, WorkStatus
from atendimento.selectors import past_decisions, quotes, reading, simulated_acts, values
from atendimento.selectors import policy_words as words
from atendimento.selectors.of_fields import of_fields
from atendimento.selectors.parts import Chip, Quote
from memoria import fields
from memoria.events import document_digest
from memoria.members import SHAPES
from memoria.patch import MISSING, Json, Missing
from memoria.rows import template_of
from memoria.simulation import CASCADE, SOURCE, Compared, Outcome
from memoria.state import State

PAGE: Final = 50
STATUSES: Final[Mapping[str, tuple[Promise, str]]] = {
    WorkStatus.QUEUED.value: (gettext_lazy("waiting"), "proposed"),
    WorkStatus.RUNNING.value: (gettext_lazy("under way"), "proposed"),
    WorkStatus.DONE.value: (gettext_lazy("finished"), "ok"),
    WorkStatus.CANCELLED.value: (gettext_lazy("stopped"), "confirm"),
}
ACTS: Final[Mapping[str, Promise]] = {
    "accepted": gettext_lazy("accepted change"),
    "edited": gettext_lazy("change accepted with an edit"),
    "rejected": gettext_lazy("rejected change"),
    "statement": gettext_lazy("statement by staff"),
    "confirmation": gettext_lazy("confirmation"),
    "resolution": gettext_lazy("settled divergence"),
    "undo": gettext_lazy("undone version"),
}
_VERDICTS: Final[Mapping[str, Promise]] = {
    "allowed": gettext_lazy("allowed"),
    "no_change": gettext_lazy("no change"),
    "conflict": gettext_lazy("divergence"),
    "refused": gettext_lazy("refused"),
}
_TONES: Final[Mapping[str, str]] = {"allowed": "ok", "no_change": "", "conflict": "confirm", "refused": "conflict"}


@dataclass(frozen=True, slots=True)
class Tally:
    label: str
    count: int
    url: str  # the page with these alone; of what is chosen, the page with all
    chosen: bool


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    url: str
    label: str
    act: str
    chip: Chip
    protocol: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a simulation is, and what it came to. `state`: under_way, done, cancelled."""

    id: uuid.UUID
    url: str
    state: str
    chip: Chip
    scope: str
    who: str
    begun: datetime
    done: int
    total: int
    said: str  # "120 of 480 decisions looked at"
    outcome: str
    notes: tuple[str, ...]
    stale: bool
    different: int


@dataclass(frozen=True, slots=True)
class SimulationPage:
    slug: str
    name: str
    draft_url: str  # empty where there is no draft any more
    progress: Progress
    kinds: tuple[Tally, ...]
    fields: tuple[Tally, ...]
    lines: tuple[DifferenceLine, ...]
    next_url: str
    counted: str = ""  # how many acts differ, where they are more than the decisions


@dataclass(frozen=True, slots=True)
class Answer:
    """What one version of the rules says to the act."""

    title: str
    chip: Chip
    sentence: str
    rule: str
    source: str
    cascade: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DifferencePage:
    slug: str
    name: str
    back_url: str
    ticket_url: str  # at the version before the decision
    after_url: str  # at the version that it made
    protocol: str
    subject: str
    version: int
    label: str
    act: str
    at: datetime
    who: str
    held: str
    value: str
    quotes: tuple[Quote, ...]
    chip: Chip
    answers: tuple[Answer, ...]  # of then, of the draft; empty where it cannot be decided again any more


def latest(member: Membership, slug: str) -> Progress | None:
    """The type's last simulation, for the draft's page."""
    rows = Simulation.objects.select_related("created_by").filter(organization_id=member.organization_id, slug=slug)
    row = rows.defer("plan").order_by("-created_at", "-id").first()
    return None if row is None else _progress(row)


def simulation_page(
    member: Membership, slug: str, simulation_id: uuid.UUID, *, kind: str = "", field: str = "", page: int = 0
) -> SimulationPage:
    """A simulation, its differences counted, and a page of those of the chosen kind and field. Raises NotFound."""
    access.require(member, Permission.PUBLISH_TYPES)
    row = _simulation(member, slug, simulation_id)
    base = reverse("web:admin-simulation", args=[slug, row.pk])
    definition = _definition(row.document)
    all_of = row.differences.all()
    kinds = all_of.filter(_of_field(field)).values("kind").annotate(found=Count("id")).order_by("-found", "kind")
    pointers = all_of.filter(_of_kind(kind)).values_list("pointer").annotate(found=Count("id"))
    by_field: Counter[str] = Counter()
    for pointer, found in pointers:
        by_field[_group(pointer)] += found
    shown = all_of.filter(_of_kind(kind), _of_field(field)).select_related("ticket").order_by("-at", "-id")
    lines = list(shown[page * PAGE : (page + 1) * PAGE + 1])
    labels = _labels(row, definition, {*by_field, *(_group(item.pointer) for item in lines)})
    called = simulated_acts.called(row, lines[:PAGE], definition, labels)
    draft = TicketTypeDraft.objects.filter(organization_id=member.organization_id, slug=slug).exists()

    def address(**query: str) -> str:
        named = {key: value for key, value in query.items() if value}
        return f"{base}?{urlencode(named)}" if named else base

    return SimulationPage(
        slug,
        definition.name,
        reverse("web:admin-draft", args=[slug]) if draft else "",
        _progress(row),
        tuple(
            Tally(
                kind_words(item["kind"]),
                item["found"],
                address(kind="" if item["kind"] == kind else item["kind"], field=field),
                item["kind"] == kind,
            )
            for item in kinds
        ),
        tuple(
            Tally(
                _group_label(key, labels),
                found,
                address(kind=kind, field="" if key == field else key),
                key == field,
            )
            for key, found in by_field.most_common()
        ),
        tuple(_line(item, slug, called.get(item.pk) or _group_label(_group(item.pointer), labels)) for item in lines[:PAGE]),
        address(kind=kind, field=field, page=str(page + 1)) if len(lines) > PAGE else "",
        simulated_acts.counted(row),
    )


def difference_page(member: Membership, slug: str, simulation_id: uuid.UUID, difference_id: int) -> DifferencePage:
    """One difference: the act, and what both versions of the rules say to it, decided again now. Raises NotFound."""
    access.require(member, Permission.PUBLISH_TYPES)
    row = _simulation(member, slug, simulation_id)
    found = row.differences.select_related("ticket").filter(pk=difference_id).first()
    if found is None:
        raise NotFound("difference")
    draft = fields.TicketType.from_document(row.document)
    actors = past_decisions.actors_of(member.organization_id)
    again = past_decisions.decide_again(found.ticket_id, [found.version], draft, actors)
    state = timeline.state_at(found.ticket_id, found.version - 1) or State()
    ticket = again.ticket
    address = reverse("web:ticket", args=[ticket.pk]) + "?pane=state&show=memory&version="
    acts = again.decisions[0].acts if again.decisions and again.decisions[0].comparable else ()
    compared = acts[found.place] if found.place < len(acts) else None
    event = again.decisions[0].event if again.decisions else None
    then = reading.definition_at(ticket.ticket_type_id, event.ticket_type_version) if event is not None else draft
    change = compared.act.change if compared is not None else None
    veiled = any(values.is_sensitive(rules, found.pointer) for rules in (then, draft))
    cited = [item.to_json() for item in change.evidence] if change is not None and not veiled else []
    messages = reading.cited(ticket.pk, [item["message"] for item in cited])
    label = _label(found.pointer, then, draft, state)
    return DifferencePage(
        slug,
        draft.name,
        reverse("web:admin-simulation", args=[slug, row.pk]),
        f"{address}{found.version - 1}",
        f"{address}{found.version}",
        ticket.protocol,
        ticket.subject,
        found.version,
        label if label != found.pointer else _group_label(found.pointer, _labels(row, draft, [found.pointer])),
        str(ACTS[found.act]),
        found.at,
        event.actor.name if event is not None else "",
        _shown(then, found.pointer, values.held(state, found.pointer), state, veiled=veiled),
        _shown(then, found.pointer, change.value if change is not None else MISSING, state, veiled=veiled),
        quotes.of_citations(cited, messages),
        _chip(found.kind),
        () if compared is None or event is None else _answers(compared, event.ticket_type_version, then, draft, state),
    )


def _answers(
    compared: Compared, version: int, then: fields.TicketType, draft: fields.TicketType, state: State
) -> tuple[Answer, ...]:
    title = _("Under version %(number)d, in force then") % {"number": version}
    return (
        _answer(title, compared.before, then, then, draft, state),
        _answer(_("Under the draft"), compared.after, draft, then, draft, state),
    )


def _answer(
    title: str, outcome: Outcome, rules: fields.TicketType, then: fields.TicketType, draft: fields.TicketType, state: State
) -> Answer:
    code = outcome.verdict.value
    sentence = wording.sentence(outcome.reason) if outcome.reason is not None else _("It goes through.")
    return Answer(
        title,
        Chip(str(_VERDICTS[code]), _TONES[code]),
        sentence,
        outcome.reason.rule if outcome.reason is not None else "",
        words.upper_first(words.source(outcome.source)) if outcome.source and not outcome.refused else "",
        tuple(_label(pointer, then, draft, state) for pointer in outcome.cascade),
    )


def _simulation(member: Membership, slug: str, simulation_id: uuid.UUID) -> Simulation:
    rows = Simulation.objects.select_related("created_by").filter(organization_id=member.organization_id, slug=slug)
    row = rows.defer("plan").filter(pk=simulation_id).first()
    if row is None:
        raise NotFound("simulation")
    return row


def _definition(document: Any) -> fields.TicketType:
    return fields.TicketType.from_document(document)


def _progress(row: Simulation) -> Progress:
    label, tone = STATUSES[row.status]
    under_way = row.status in (WorkStatus.QUEUED, WorkStatus.RUNNING)
    said = ngettext("%(done)d of %(count)d decision looked at", "%(done)d of %(count)d decisions looked at", row.total) % {
        "done": row.done,
        "count": row.total,
    }
    return Progress(
        row.pk,
        reverse("web:admin-simulation", args=[row.slug, row.pk]),
        "under_way" if under_way else row.status,
        Chip(str(label), tone),
        scope_words(row.scope),
        row.created_by.name,
        row.created_at,
        row.done,
        row.total,
        said,
        _outcome(row),
        _notes(row),
        _is_stale(row),
        row.different,
    )


def _outcome(row: Simulation) -> str:
    if not row.total:
        return _("There are no past decisions to try the draft on.")
    if not row.different:
        return ngettext(
            "The %(count)d decision would be decided the same way.",
            "All %(count)d decisions would be decided the same way.",
            row.done,
        ) % {"count": row.done}
    return ngettext(
        "%(count)d of %(all)d would be decided otherwise.",
        "%(count)d of %(all)d would be decided otherwise.",
        row.different,
    ) % {"count": row.different, "all": row.done}


def _notes(row: Simulation) -> tuple[str, ...]:
    if not row.incomparable:
        return ()
    return (
        ngettext(
            "%(count)d decision cannot be compared: the words that it rested on are gone.",
            "%(count)d decisions cannot be compared: the words that they rested on are gone.",
            row.incomparable,
        )
        % {"count": row.incomparable},
    )


def _is_stale(row: Simulation) -> bool:
    draft = TicketTypeDraft.objects.filter(organization_id=row.organization_id, slug=row.slug).first()
    if draft is not None:
        return document_digest(draft.document) != row.digest
    published = TicketType.objects.filter(organization_id=row.organization_id, slug=row.slug)
    return published.values_list("published__digest", flat=True).first() != row.digest


def scope_words(scope: Mapping[str, Any]) -> str:
    """Which decisions a simulation looks at, in words."""
    if "last" in scope:
        return ngettext("the last decision", "the last %(count)d decisions", scope["last"]) % {"count": scope["last"]}
    since, until = (_day(scope[key]) for key in ("from", "to"))
    if since and until:
        return _("the decisions from %(since)s to %(until)s") % {"since": since, "until": until}
    if since:
        return _("the decisions since %(since)s") % {"since": since}
    return _("the decisions until %(until)s") % {"until": until}


def _day(text: str | None) -> str:
    return date_format(date.fromisoformat(text), "SHORT_DATE_FORMAT") if text else ""


def kind_words(kind: str) -> str:
    """A kind of difference in words: “allowed → divergence”."""
    if kind == CASCADE:
        return _("other values fall")
    if kind == SOURCE:
        return _("another source")
    before, _arrow, after = kind.partition(">")
    return _("%(before)s → %(after)s") % {"before": _VERDICTS[before], "after": _VERDICTS[after]}


def _chip(kind: str) -> Chip:
    return Chip(kind_words(kind), _TONES.get(kind.partition(">")[2], "proposed"))


def _line(row: SimulationDifference, slug: str, label: str) -> DifferenceLine:
    return DifferenceLine(
        reverse("web:admin-simulation-difference", args=[slug, row.simulation_id, row.pk]),
        label,
        str(ACTS[row.act]),
        _chip(row.kind),
        row.ticket.protocol,
        row.at,
    )


# --- fields -------------------------------------------------------------------------------------------------------


def _group(pointer: str) -> str:
    """What differences are counted under: a field's pointer, or a collection with the part of it that moves."""
    parts = pointer.strip("/").split("/")
    if parts[0] not in SHAPES:
        return template_of(pointer)
    return "/".join(["", parts[0], *parts[2:]])


def _shown(rules: fields.TicketType, pointer: str, value: Json | Missing, state: State, *, veiled: bool) -> str:
    held = value is not None and not isinstance(value, Missing)
    return values.HIDDEN if veiled and held else values.show_at(rules, pointer, value, state)


def _labels(row: Simulation, draft: fields.TicketType, keys: Collection[str]) -> Mapping[str, str]:
    """What the fields are called: as the draft says, else as the last version that had them does."""
    labels = {pointer: words.label(field, draft) for pointer, field in draft.fields.items()}
    gone = [key for key in keys if key not in labels and key.strip("/").split("/")[0] not in SHAPES]
    kind = TicketType.objects.filter(organization_id=row.organization_id, slug=row.slug).values_list("pk", flat=True).first()
    return labels if kind is None else {**labels, **former_labels(kind, gone)}


def _group_label(key: str, labels: Mapping[str, str]) -> str:
    parts = key.strip("/").split("/")
    if parts[0] in SHAPES:
        part = {"status": _("status"), "due": _("due")}.get(parts[-1])
        name = words.upper_first(str(wording.COLLECTIONS[parts[0]]))
        return f"{name} ({part})" if part else name
    return labels.get(key, key)


def _of_field(key: str) -> Q:
    if not key:
        return Q()
    parts = key.strip("/").split("/")
    if parts[0] not in SHAPES:
        return of_fields("pointer", [key])
    members = rf"^/{parts[0]}/[^/]+"
    return Q(pointer__regex=f"{members}/{parts[1]}$" if parts[1:] and parts[1] in ("status", "due") else f"{members}$")


def _of_kind(kind: str) -> Q:
    return Q(kind=kind) if kind else Q()


def _label(pointer: str, then: fields.TicketType, draft: fields.TicketType, state: State) -> str:
    return values.label(then if pointer in then.fields or pointer not in draft.fields else draft, pointer, state)
