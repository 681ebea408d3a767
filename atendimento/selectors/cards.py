"""What waits for a person: proposed changes, divergences, values to confirm."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.models import Origin, ProposedChange
from atendimento.selectors import change_words, controls, grounds, grouping, occurrences, quotes, values
from atendimento.selectors.model_saw import model_saw
from atendimento.selectors.pane_parts import CascadeRow, CautionView, ChangeCard, ChangeUrls, RefusedRow, Side, SlotCard
from atendimento.selectors.parts import DiffPart, Problem, Quote
from atendimento.selectors.reading import Cited
from memoria import groups
from memoria.cascade import holders
from memoria.fields import TicketType
from memoria.patch import MISSING, Json, Missing, lookup
from memoria.proposals import Evidence, Verdict
from memoria.sources import INFERENCE, REPORTED, Age, Kind
from memoria.state import Slot, SlotStatus, State, is_first

LONG = 60
RULES = ("constraints", "decisions")
"""The collections whose members are told on a card as bearing on it (K9)."""
CAUTION_ICONS = {
    "ambiguous": "quote",
    "possible_duplicate": "history",
    "group_exists": "history",
    "constraint": "flag",
    "question": "circle-question-mark",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A refused act: on which card, what was wrong, which form was open, and what had been typed into it."""

    key: str
    problem: Problem
    form: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sight:
    """What every card is made from."""

    ticket_type: TicketType
    state: State
    messages: Cited
    may_override: bool
    failure: Failure | None = None
    opened: str = ""  # the sensitive field that the member has just opened
    called: Mapping[str, str] = field(default_factory=dict)  # every group, and each that is proposed, by id

    def shown(self, pointer: str, value: Json | Missing) -> str:
        """A value that the state holds, or held: of a sensitive field only where it was opened."""
        show = values.show_plain if pointer == self.opened else values.show_at
        return show(self.ticket_type, pointer, value, self.state)

    def hides(self, pointer: str) -> bool:
        """Whether the pointer's value is there and not to be seen."""
        return pointer != self.opened and values.is_hidden(self.ticket_type, pointer, values.held(self.state, pointer))

    def quotes(self, pointer: str, evidence: Iterable[Evidence]) -> tuple[Quote, ...]:
        """The words behind a value that the state holds, or held; of a sensitive field only where it was opened."""
        veiled = pointer != self.opened and values.is_sensitive(self.ticket_type, pointer)
        return () if veiled else quotes.of_evidence(evidence, self.messages)

    def failed(self, key: str) -> Failure | None:
        return self.failure if self.failure is not None and self.failure.key == key else None


def slot_key(pointer: str) -> str:
    """An element's id for a pointer: letters, digits and hyphens, different for different pointers."""
    return "sl-" + re.sub(r"[^a-zA-Z0-9]", lambda found: f"-{ord(found[0]):x}-" if found[0] != "/" else "-", pointer.strip("/"))


# --- proposed changes ---------------------------------------------------------------------------------------------


def change_card(row: ProposedChange, sight: Sight) -> ChangeCard:
    """The card of a pending change."""
    key = f"ch-{row.pk}"
    state, ticket_type = sight.state, sight.ticket_type
    evidence = [Evidence.from_json(item) for item in row.evidence]
    conflicts = row.verdict == Verdict.CONFLICT.value
    old = sight.shown(row.path, row.current_value)
    new = values.show_plain(ticket_type, row.path, row.value, state)
    place = ticket_type.place(row.path, state.values)
    forms = controls.for_place(ticket_type, place, row.value) if place is not None and row.op != "remove" else ()
    which = grouping.choice(row, ticket_type, state, sight.called)
    if which is not None and forms:
        forms = (*forms, which)
    failure = sight.failed(key)
    if failure is not None:
        forms = controls.typed(forms, failure.typed)
    label = values.label(ticket_type, row.path, state)
    sides = _against(row, evidence, new, sight) if conflicts else ()
    answers = change_words.confirms(row, state.slots.get(row.path))
    reverse_args = [row.ticket_id, row.pk]
    return ChangeCard(
        key=key,
        id=str(row.pk),
        label=label,
        what=_("confirms") if answers else _what(row, sight),
        source=_source(row, sight) if conflicts else values.source(row.source),
        verdict=row.verdict,
        by_model=row.proposal.origin == "model",
        by_rule=row.proposal.origin == Origin.RULE,
        producer=row.proposal.producer,
        old=old if old != new or row.verdict != Verdict.NO_CHANGE.value else "",
        new=new,
        parts=_word_diff(old, new),
        sentences=(change_words.answered(row),) if answers else change_words.sentences(row),
        remarks=change_words.remarks(row),
        quotes=quotes.of_evidence(evidence, sight.messages, change_words.turning(row.cautions)),
        cautions=tuple(_caution(item, evidence, sight) for item in row.cautions),
        alone=_alone(row, sight),
        cascade=cascade_rows(row.cascade, sight, _said(evidence, sight) if not conflicts else None),
        occurrences=occurrences.to_choose(evidence, sight.messages),
        controls=forms,
        urls=ChangeUrls(
            reverse("web:answer" if answers else "web:accept", args=reverse_args),
            reverse("web:edit", args=reverse_args),
            reverse("web:reject", args=reverse_args),
        ),
        accept_label=_("Confirm") if answers else change_words.accept_label(row),
        reject_label=_("Keep the present one") if conflicts else _("Reject"),
        conflicts=conflicts,
        may_override=conflicts and sight.may_override,
        against=sides,
        unsupported=change_words.unsupported(row, evidence, forms),
        problem=failure.problem if failure else None,
        open_form=failure.form if failure else "",
        saw=model_saw(row.proposal),
        drafts=change_words.about_divergence(change_words.asked(ticket_type, row.path, label), sides) if conflicts else (),
        veiled=row.path if sight.hides(row.path) else "",
    )


def _what(row: ProposedChange, sight: Sight) -> str:
    begun = grouping.begins(row.path, sight.ticket_type, sight.state) if row.verdict == Verdict.ALLOWED.value else ""
    return grouping.said_new(begun) if begun else change_words.what(row)


def _alone(row: ProposedChange, sight: Sight) -> str:
    """Why "accept all" leaves the change out, where nothing else on its card says so."""
    if row.verdict != Verdict.ALLOWED.value or row.cautions:
        return ""
    return change_words.reservation_sentence(change_words.reserved(row, sight.messages.text_of))


def _source(row: ProposedChange, sight: Sight) -> str:
    slot = sight.state.slots.get(row.path)
    against = values.source(slot.source) if slot else ""
    return f"{values.source(row.source)} × {against}" if against else values.source(row.source)


def _caution(document: Mapping[str, Json], evidence: Sequence[Evidence], sight: Sight) -> CautionView:
    icon = CAUTION_ICONS.get(document["kind"], "triangle-alert")
    index, words = document.get("evidence"), document.get("words")
    if document["kind"] == "negation" and index is not None and words and index < len(evidence):
        message = sight.messages.get(evidence[index].message)
        around = quotes.sentence(message, evidence[index]) if message is not None else words
        if words.casefold() not in around.casefold():
            # E8: on WhatsApp a sentence is often two messages.
            return CautionView(icon, _("The author's next message begins with “%(words)s”.") % {"words": words})
    if document["kind"] == "constraint":
        return CautionView(icon, "; ".join(_rule(member, sight) for member in document.get("members", ())))
    if document["kind"] == "group_exists":
        called = groups.labels(sight.ticket_type, sight.state)
        document = {**document, "members": [called.get(group, group) for group in document.get("members", ())]}
    return CautionView(icon, wording.caution(document))


def _rule(member: str, sight: Sight) -> str:
    """A constraint or decision that bears on a change: its words, who said them and when (K9)."""
    for collection in RULES:
        pointer = f"/{collection}/{member}"
        held = values.held(sight.state, pointer)
        slot = sight.state.slots.get(pointer)
        if isinstance(held, dict):
            who = slot.author.name if slot else ""
            said = _("%(kind)s %(id)s: “%(words)s”") % {
                "kind": wording.COLLECTIONS[collection],
                "id": member,
                "words": held.get("text", ""),
            }
            return f"{said} ({who})" if who else said
    return member


def _word_diff(old: str, new: str) -> tuple[DiffPart, ...]:
    """Word by word where both are long; short values are told apart at a glance."""
    if not old or not new or max(len(old), len(new)) <= LONG:
        return ()
    before, after = re.split(r"(\s+)", old), re.split(r"(\s+)", new)
    parts: list[DiffPart] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(DiffPart("same", "".join(before[i:j])))
            continue
        if i < j:
            parts.append(DiffPart("del", "".join(before[i:j])))
        if k < m:
            parts.append(DiffPart("ins", "".join(after[k:m])))
    return tuple(parts)


def _said(evidence: Sequence[Evidence], sight: Sight) -> Age | None:
    """When the words were said that a change rests on."""
    message = sight.messages.get(evidence[0].message) if evidence else None
    return Age(message.said_at, message.number) if message is not None else None


def cascade_rows(pointers: Iterable[str], sight: Sight, since: Age | None = None) -> tuple[CascadeRow, ...]:
    """What would await confirmation, with its present value (K5), and which of it was said after `since` (K3)."""
    rows = []
    for pointer in pointers:
        value = values.show_at(sight.ticket_type, pointer, values.held(sight.state, pointer), sight.state)
        field = sight.ticket_type.fields.get(pointer)
        slot = sight.state.slots.get(pointer)
        quoted = field is not None and slot is not None and bool(slot.evidence)
        later = quoted and slot is not None and since is not None and slot.age > since
        rows.append(CascadeRow(field.label if field else _member_name(pointer), value or "—", pointer=pointer, later=later))
    return tuple(rows)


def _member_name(pointer: str) -> str:
    collection, _slash, member = pointer.strip("/").partition("/")
    return f"{wording.COLLECTIONS.get(collection, collection)} {member}"


def _against(row: ProposedChange, evidence: Sequence[Evidence], new: str, sight: Sight) -> tuple[Side, ...]:
    slot = sight.state.slots.get(row.path)
    found = quotes.of_evidence(evidence, sight.messages, change_words.turning(row.cautions))
    theirs = Side(
        new or _("no value"),
        values.source(row.source),
        (row.author or {}).get("name", ""),
        found[0].at if found else None,
        found,
    )
    return (_present_side(row.path, slot, sight), theirs) if slot is not None else (theirs,)


def refused_row(row: ProposedChange, sight: Sight) -> RefusedRow:
    """A proposal that the rules refused: it stays visible, and why."""
    return RefusedRow(
        f"rf-{row.pk}",
        values.label(sight.ticket_type, row.path, sight.state),
        values.show_at(sight.ticket_type, row.path, row.value, sight.state) or _("withdrawal"),
        " ".join(wording.stored_sentence(reason) for reason in row.reasons),
        () if values.is_sensitive(sight.ticket_type, row.path) else quotes.of_citations(row.citations, sight.messages),
    )


# --- slots --------------------------------------------------------------------------------------------------------


def _present_side(pointer: str, slot: Slot, sight: Sight) -> Side:
    value = sight.shown(pointer, values.held(sight.state, pointer))
    found, hidden = sight.quotes(pointer, slot.evidence), sight.hides(pointer)
    return Side(value or _("no value"), values.source(slot.source), slot.author.name, slot.age.at, found, hidden=hidden)


def sides(pointer: str, slot: Slot, sight: Sight) -> tuple[Side, ...]:
    """Both sides of a divergence: the present value, then each challenger."""
    place = sight.ticket_type.place(pointer, sight.state.values)
    order = sight.ticket_type.sources_of(place) if place is not None else ()

    def rank(source: str) -> int:
        return order.index(source) if source in order else len(order)

    found = [_present_side(pointer, slot, sight)]
    for index, challenger in enumerate(slot.challengers):
        found.append(
            Side(
                values.show_plain(sight.ticket_type, pointer, challenger.value, sight.state) or _("no value"),
                values.source(challenger.source),
                challenger.author.name,
                challenger.age.at,
                quotes.of_evidence(challenger.evidence, sight.messages),
                index,
                rank(challenger.source) > rank(slot.source),
            )
        )
    return tuple(found)


def stale_sentence(slot: Slot, sight: Sight) -> str:
    """Why a value awaits confirmation, in words."""
    stale = slot.stale_because
    if slot.source == INFERENCE and stale is None:
        return _("It rests on an inference.")
    if stale is None:
        return _("It awaits confirmation.")
    match stale.cause:
        case None:
            label = wording.label(stale.pointer or "", sight.ticket_type, sight.state.values)
            if is_first(stale, sight.state):
                words = _("Version %(version)d brought the first value of %(field)s: this does not hold until it is confirmed.")
                return words % {"field": label, "version": stale.version or 0}
            return _("%(field)s changed in version %(version)d: this does not hold until it is confirmed.") % {
                "field": label,
                "version": stale.version or 0,
            }
        case "evidence_changed":
            return _("The message that it rests on was edited or deleted.")
        case "evidence_erased":
            return _("The messages that it rests on were erased.")
        case "ticket_type":
            return _("The definition of this ticket type changed.")
        case "expired" if stale.since is not None:
            since = values.moment_or_text(stale.since)
            return _("It held until %(since)s: it is to be confirmed anew.") % {"since": since}
        case "carried" if slot.carried_from is not None:
            return _("Carried from %(protocol)s, version %(version)d: it does not hold until it is confirmed.") % {
                "protocol": slot.carried_from.protocol,
                "version": slot.carried_from.version,
            }
    return _("It awaits confirmation.")


def confirm_with(slot: Slot) -> str:
    """Who can say whether it still holds: whoever's word it rests on; a tool by its name."""
    if slot.source == Kind.TOOL.value and slot.author.name:
        return slot.author.name
    kind = slot.source.removesuffix("_reported")
    known = {item.value for item in REPORTED} | {Kind.TOOL.value}
    return str(wording.SOURCES[kind]) if kind in known else ""


def slot_cards(sight: Sight, proposed: Collection[str] = ()) -> tuple[tuple[SlotCard, ...], tuple[SlotCard, ...]]:
    """The divergences, and the values to confirm, each in the state's order. `proposed`: pointers with an undecided change."""
    conflicts, confirms = [], []
    for pointer, slot in sight.state.slots.items():
        if slot.status is SlotStatus.CONFLICT:
            conflicts.append(_conflict(pointer, slot, sight))
        elif slot.status is SlotStatus.NEEDS_CONFIRMATION:
            confirms.append(_confirm(pointer, slot, sight, also_proposed=pointer in proposed))
    return tuple(conflicts), tuple(confirms)


def slot_card(pointer: str, slot: Slot, sight: Sight, kind: str) -> SlotCard:
    """What every card of a value has."""
    key = slot_key(pointer)
    place = sight.ticket_type.place(pointer, sight.state.values)
    held, hidden = values.held(sight.state, pointer), sight.hides(pointer)
    forms = controls.to_record(sight.ticket_type, place, MISSING if hidden else held) if place is not None else ()
    failure = sight.failed(key)
    if failure is not None:
        forms = controls.typed(forms, failure.typed)
    return SlotCard(
        key=key,
        pointer=pointer,
        label=sight.ticket_type.fields[pointer].label if pointer in sight.ticket_type.fields else _member_name(pointer),
        kind=kind,
        value=sight.shown(pointer, held),
        source=values.source(slot.source),
        sentences=(),
        quotes=sight.quotes(pointer, slot.evidence),
        controls=forms,
        confirmers=grounds.confirmers(sight.ticket_type, pointer),
        may_settle_against=sight.may_override,
        problem=failure.problem if failure else None,
        open_form=failure.form if failure else "",
        hidden=hidden,
    )


def _confirm(pointer: str, slot: Slot, sight: Sight, *, also_proposed: bool) -> SlotCard:
    sentences = [stale_sentence(slot, sight)]
    if also_proposed:
        sentences.append(_("Another value is proposed above: confirming this one leaves that proposal behind."))
    whom = confirm_with(slot)
    if whom:
        sentences.append(_("To be confirmed with %(whom)s.") % {"whom": whom})
    card = slot_card(pointer, slot, sight, "confirm")
    if card.hidden:
        asked = change_words.about_hole(change_words.asked(sight.ticket_type, pointer, card.label))
    else:
        named = change_words.asked(sight.ticket_type, pointer, card.label) if pointer in sight.ticket_type.fields else ""
        asked = change_words.about_doubt(named, card.value)
    return replace(card, sentences=tuple(sentences), drafts=asked)


def _conflict(pointer: str, slot: Slot, sight: Sight) -> SlotCard:
    both = sides(pointer, slot, sight)
    sources = " × ".join(dict.fromkeys(side.source for side in both))
    sentences = []
    if any(side.weaker for side in both) and not sight.may_override:
        sentences.append(
            _("In this field %(source)s prevails; a supervisor can decide otherwise.")
            % {"source": wording.SOURCES.get(slot.source, slot.source)}
        )
    if slot.stale_because is not None:
        sentences.append(stale_sentence(slot, sight))
    card = slot_card(pointer, slot, sight, "conflict")
    return replace(
        card,
        source=sources,
        sides=both,
        sentences=tuple(sentences),
        drafts=change_words.about_divergence(change_words.asked(sight.ticket_type, pointer, card.label), both),
        on_hold=_on_hold(pointer, sight),
    )


def _on_hold(pointer: str, sight: Sight) -> tuple[CascadeRow, ...]:
    """What depends on a value in conflict is on hold: worked out from the definition, no slot changes (P6)."""
    return cascade_rows(on_hold(pointer, sight.ticket_type, sight.state), sight)


def on_hold(pointer: str, ticket_type: TicketType, state: State) -> tuple[str, ...]:
    """The pointers that hold a value which depends on this one."""
    found: dict[str, None] = {}
    over = ticket_type if ticket_type.folded is not None else groups.unfolded(ticket_type, state)
    for target in over.dependents(pointer):
        for holder in holders(target, state.values, state.slots):
            if lookup(state.values, holder) is not MISSING:
                found[holder] = None
    return tuple(found)
