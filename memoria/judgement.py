"""The verdict on one change against one state: every check in the rules' order, and what a person must see."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from memoria.beginnings import beginning_problem, begins, namesakes, present
from memoria.cascade import Ground, fallout
from memoria.commitments import Voice, add_problem, is_finished, is_performed, move_problem
from memoria.errors import Code, Reason
from memoria.events import canonical
from memoria.evidence import Found, Transcript, evidence_cautions, find_quotes, missing_text
from memoria.fields import TicketType
from memoria.groups import groups_named
from memoria.members import SHAPES, Place, completed_member, is_due, member_problem
from memoria.patch import MISSING, Json, Missing, lookup, same_json
from memoria.precedence import Claim, primary_message, statement_source, weigh
from memoria.proposals import Caution, Change, Judgement, Statement, Verdict
from memoria.rows import template_of
from memoria.sources import INFERENCE, Actor, Age
from memoria.state import Slot, SlotStatus, State
from memoria.targets import constraints_on, target_names
from memoria.typography import fold_quote, fold_words

_REVOKED = "revoked"


@dataclass(frozen=True, slots=True)
class Desk:
    """What a judgement is made with: the rules in force, the messages, the moment, and who acts."""

    ticket_type: TicketType
    transcript: Transcript
    now: datetime
    actor: Actor
    last_group: int = 0  # G2: the highest number that any proposed change of the ticket names a group by
    proposed_groups: frozenset[str] = frozenset()  # G5: those that something undecided is proposed of

    @property
    def moment(self) -> Age:
        """P7: how old a statement, a confirmation or a resolution is that is made now."""
        return Age(self.now, self.transcript.last_number)


@dataclass(frozen=True, slots=True)
class Rejection:
    """What V7 remembers of a rejected change. `add` and `replace` are one; texts are compared as in E3."""

    path: str
    value: bytes
    message: str

    @classmethod
    def of(cls, change: Change) -> Rejection:
        message = change.evidence[0].message if change.evidence else ""
        return cls(change.path, _spelled(MISSING if change.removes else change.value), message)


def _spelled(value: Json | Missing) -> bytes:
    """One spelling for values that V7 takes for the same."""
    return b"" if isinstance(value, Missing) else canonical(_plain(value))


def _plain(value: Json) -> Json:
    """The value with its texts as E3 compares them, and `1.0` as 1."""
    if isinstance(value, str):
        return fold_quote(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


class _Case:
    """A change on its way through the checks, and what they share."""

    def __init__(self, state: State, change: Change, desk: Desk, statement: Statement | None, place: Place) -> None:
        self.state = state
        self.change = change
        self.desk = desk
        self.statement = statement
        self.place = place
        self.values: Mapping[str, Json] = state.values
        self.sources = desk.ticket_type.sources_of(place)
        self.held: Json | Missing = lookup(state.values, place.pointer)
        self.found: tuple[Found, ...] = ()
        self.claim: Claim | None = None  # E5, E9: whose words these are, and how old; None where that is not known yet
        if statement is not None:
            source = statement_source(self.sources, statement.reported)
            self.claim = Claim(source, desk.actor.author, desk.moment)

    def rest_on(self, found: tuple[Found, ...]) -> Claim:
        """Keep the evidence, all of which stands, and tell whose claim this is."""
        self.found = found
        if self.claim is None:
            primary = found[0].message
            source = INFERENCE if self.change.inference else primary.author.kind.value
            self.claim = Claim(source, primary.author, primary.age)
        return self.claim

    @property
    def voice(self) -> Voice:
        cited = self.found[0].message.author if self.found else None
        return Voice(cited, self.desk.actor.author if self.statement is not None else None)

    @property
    def member(self) -> Mapping[str, Json]:
        found: Mapping[str, Json] = self.values[self.place.collection or ""][self.place.member]
        return found


def judge(
    state: State,
    change: Change,
    desk: Desk,
    *,
    statement: Statement | None = None,
    rejected: Collection[Rejection] = (),
) -> Judgement:
    """The verdict on `change` alone, against `state` (section 4, "The verdict of a change").

    The checks run in this order and the first that fails is the one reason of a refusal: operation, pointer,
    operation at that pointer, value, evidence item by item (E2, E4, E3, E8), E10, V7 (`rejected`), source (P1, A1),
    then P3 and M7, transition (M3, M1, M4, M8, M9), P7; then P2, P4, P6, P5 decide.
    """
    if change.op not in ("add", "replace", "remove"):
        return _refused(Reason(Code.OPERATION_NOT_ALLOWED, "2", {"op": change.op}))
    place = desk.ticket_type.place(change.path, state.values)
    if place is None:
        return _refused(Reason(Code.UNKNOWN_PATH, "2", {"path": change.path}))
    case = _Case(state, change, desk, statement, place)
    problem = _operation_problem(place, change.op)
    problem = problem or beginning_problem(state, place, change, desk.ticket_type, desk.last_group)
    problem = problem or _value_problem(case)
    if problem is not None:
        return _refused(problem, case)
    if statement is None and not change.evidence:
        return _refused(Reason(Code.EVIDENCE_MISSING, "E1"), case)
    found = find_quotes(change.evidence, desk.transcript)
    if isinstance(found, Reason):
        return _refused(found, case)
    claim = case.rest_on(found)
    problem = _literal_problem(case) or _rejection_problem(case, rejected) or _source_problem(case, claim)
    if problem is not None:
        return _refused(problem, case)
    return _decided(case, claim)


def _refused(reason: Reason, case: _Case | None = None) -> Judgement:
    if case is None:
        return Judgement(Verdict.REFUSED, (reason,))
    return _judgement(case, Verdict.REFUSED, reason)


def _judgement(case: _Case, verdict: Verdict, reason: Reason, same_as: str | None = None) -> Judgement:
    claim = case.claim
    return Judgement(
        verdict,
        (reason,),
        tuple(item.evidence for item in case.found),
        claim.source if claim else None,
        claim.author if claim else None,
        claim.age if claim else None,
        case.held,
        _preview(case, claim) if claim is not None and verdict in (Verdict.ALLOWED, Verdict.CONFLICT) else (),
        same_as,
        _cautions(case) if verdict is not Verdict.REFUSED else (),
    )


def _operation_problem(place: Place, op: str) -> Reason | None:
    taken = {
        "field": ("add", "replace", "remove"),
        "new": ("add",),
        "member": ("remove",),
        "status": ("add", "replace"),
        "due": ("add", "replace"),
    }[place.kind]
    return None if op in taken else Reason(Code.OPERATION_NOT_ALLOWED, "2", {"op": op, "path": place.pointer})


def _value_problem(case: _Case) -> Reason | None:
    value, place = case.change.value, case.place
    if case.change.removes:
        return None
    detail: str | None = None
    where = ""
    if isinstance(value, Missing):
        detail = "no value"
    elif place.kind == "field":
        detail = case.desk.ticket_type.fields[place.pointer].value_problem(value)
    elif place.kind == "new":
        collections = case.desk.ticket_type.collections
        kinds = collections["commitments"].kinds if "commitments" in collections else ()
        found = member_problem(place.collection or "", value, kinds, case.desk.ticket_type.targets)
        if found is not None:
            where, detail = found
    elif place.kind == "status":
        statuses = SHAPES[place.collection or ""].statuses
        detail = None if isinstance(value, str) and value in statuses else "no such status"
    elif not is_due(value):
        detail = "neither an ISO 8601 date, nor a datetime with a zone, nor null"
    return None if detail is None else Reason(Code.INVALID_VALUE, "2", {"detail": detail, "where": where})


def _literal_problem(case: _Case) -> Reason | None:
    """E10: a literal stands in the words cited. Statements are exempt."""
    change, place = case.change, case.place
    if case.statement is not None or change.removes:
        return None
    value: Json | Missing = MISSING
    identifier = False
    if place.kind == "field":
        field = case.desk.ticket_type.fields[place.pointer]
        identifier = field.is_identifier
        if field.literal or identifier:
            value = change.value
    elif place.kind == "new":
        key = SHAPES[place.collection or ""].literal
        if key is not None and isinstance(change.value, dict):
            value = change.value[key]
    text = missing_text(value, case.found, identifier)
    return None if text is None else Reason(Code.VALUE_NOT_IN_QUOTE, "E10", {"text": text})


def _rejection_problem(case: _Case, rejected: Collection[Rejection]) -> Reason | None:
    if case.statement is not None or not rejected:
        return None
    mine = Rejection.of(case.change)
    again = mine in rejected
    if not again and begins(case.state, case.change.path):
        # G2: the id of a group that never came to be means nothing: it is the same group that would begin.
        known = present(case.state.values, case.state.slots)
        mine = replace(mine, path=template_of(mine.path))
        again = any(
            begins(case.state, one.path, known) and replace(one, path=template_of(one.path)) == mine for one in rejected
        )
    return Reason(Code.PREVIOUSLY_REJECTED, "V7") if again else None


def _source_problem(case: _Case, claim: Claim) -> Reason | None:
    """P1 and A1, and what M1 and A1 exempt: a completion by its performer, a revocation."""
    sources, place = case.sources, case.place
    ruled = "A1" if place.collection == "authorizations" else "P1"
    if claim.inferred:
        field = case.desk.ticket_type.fields.get(place.pointer)
        if field is None or field.inference == "refuse":
            return Reason(Code.INFERENCE_REFUSED, ruled, {"sources": list(sources)})
        allowed = claim.author.kind.value in sources
    elif place.kind == "status" and place.collection == "authorizations" and case.change.value == _REVOKED:
        allowed = case.voice.is_staff or case.voice.is_customer
    else:
        allowed = claim.source in sources or _completes(case)
    return None if allowed else Reason(Code.SOURCE_NOT_ALLOWED, ruled, {"source": claim.source, "sources": list(sources)})


def _completes(case: _Case) -> bool:
    """M1: whether the change tells the end of a promise in the words of the one who performs it."""
    if case.place.kind != "status" or case.place.collection != "commitments" or case.change.value not in ("done", "failed"):
        return False
    performers = "performer" in case.desk.ticket_type.collections["commitments"].completion_sources
    return performers and is_performed(case.member.get("owner"), case.voice)


def _decided(case: _Case, claim: Claim) -> Judgement:
    if case.place.kind == "new":
        return _decided_new(case, claim)
    value: Json | Missing = MISSING if case.change.removes else case.change.value
    if same_json(case.held, value):
        return _judgement(case, Verdict.NO_CHANGE, Reason(Code.SAME_VALUE, "P3"))
    problem = _transition_problem(case)
    if problem is not None:
        return _refused(problem, case)
    slot = standing(case.state.slots, case.place)
    if case.place.kind == "status":
        # P9: a status moves by its transitions, under P1, P3 and P7 alone.
        verdict, reason = weigh(slot, claim, case.sources, "latest", undefended=True)
        if verdict is Verdict.REFUSED:
            return _refused(reason, case)
        moved = Reason(Code.TRANSITION, "P9", {"from": case.held, "to": value, "source": claim.source})
        return _judgement(case, Verdict.ALLOWED, moved)
    undefended = False
    tie = "latest"
    if case.place.kind == "due":
        member_slot = case.state.slots.get(case.place.member_pointer)
        awaits = member_slot is not None and member_slot.status is SlotStatus.NEEDS_CONFIRMATION
        undefended = awaits and slot is not None and slot.status is SlotStatus.CURRENT
    elif case.place.kind == "field":
        tie = case.desk.ticket_type.fields[case.place.pointer].tie
    verdict, reason = weigh(slot, claim, case.sources, tie, undefended=undefended)
    return _judgement(case, verdict, reason)


def standing(slots: Mapping[str, Slot], place: Place) -> Slot | None:
    """The slot that a change meets: its own, or, before the first change of a status or a due, its member's (P9, M9)."""
    slot = slots.get(place.pointer)
    if slot is None and place.kind in ("status", "due"):
        return slots.get(place.member_pointer)
    return slot


def _transition_problem(case: _Case) -> Reason | None:
    place = case.place
    if place.kind == "status":
        collection = case.desk.ticket_type.collections[place.collection or ""]
        return move_problem(collection, case.member, str(case.change.value), case.voice)
    if place.kind == "due" and is_finished(case.member):
        return Reason(Code.COMMITMENT_TRANSITION, "M9", {"from": case.member.get("status"), "to": None})
    return None


# --- new members (M7) ---------------------------------------------------------------------------------------------


def member_words(collection: str, member: Mapping[str, Json]) -> tuple[str, ...]:
    """The words that make two members of a collection the same (M7), compared as in E3, without regard to case."""
    return tuple(fold_words(str(member.get(key, ""))) for key in SHAPES[collection].text_keys)


def _decided_new(case: _Case, claim: Claim) -> Judgement:
    collection = case.place.collection or ""
    value = completed_member(collection, case.change.value if isinstance(case.change.value, dict) else {})
    message = case.found[0].message.id if case.found else None
    if message is not None and value.get("reopens") is None:
        words = member_words(collection, value)
        same, withdrawn = _same_member(case.state, collection, words, message)
        if same is not None:
            return _judgement(case, Verdict.NO_CHANGE, Reason(Code.SAME_MEMBER, "M7", {"member": same}), same)
        if withdrawn and case.statement is None:
            return _refused(Reason(Code.OLDER_THAN_CURRENT, "M7", {"than": None}), case)
    if collection == "commitments":
        rules = case.desk.ticket_type.collections[collection]
        problem = add_problem(rules, value, case.voice, case.values[collection], case.change.reason)
        if problem is not None:
            return _refused(problem, case)
    return _judgement(case, Verdict.ALLOWED, Reason(Code.NEW_MEMBER, "P2", {"source": claim.source}))


def _same_member(state: State, collection: str, words: tuple[str, ...], message: str) -> tuple[str | None, bool]:
    """The pointer of the member with these words and this primary message; whether one such was withdrawn since."""
    withdrawn = False
    for pointer, slot in state.slots.items():
        parts = pointer.split("/")
        if len(parts) != 3 or parts[1] != collection:
            continue
        if slot.holds:
            member = state.values[collection].get(parts[2])
            if member is not None and primary_message(slot) == message and member_words(collection, member) == words:
                return pointer, False
        elif slot.replaces is not None and isinstance(slot.replaces.value, dict):
            evidence = slot.replaces.evidence
            if evidence and evidence[0].message == message and member_words(collection, slot.replaces.value) == words:
                withdrawn = True
    return None, withdrawn


# --- what a person must see ---------------------------------------------------------------------------------------


def _preview(case: _Case, claim: Claim) -> tuple[str, ...]:
    """K5: what taking the change alone would put in doubt."""
    if not case.desk.ticket_type.dependents(template_of(case.place.pointer)):
        return ()
    ground = Ground(case.place.pointer, claim.age)
    return tuple(fallen.pointer for fallen in fallout(case.desk.ticket_type, case.values, case.state.slots, (ground,), {}))


def _cautions(case: _Case) -> tuple[Caution, ...]:
    cautions = [*evidence_cautions(case.found), *namesakes(case.state, case.place, case.change, case.desk.ticket_type)]
    if case.place.kind == "new" and case.found:
        cautions.extend(_possible_duplicates(case))
    if case.place.kind == "new":
        known = present(case.state.values, case.state.slots) | case.desk.proposed_groups
        unknown = sorted(groups_named(case.change) - known)
        if unknown:
            cautions.append(Caution("group_unknown", members=tuple(unknown)))
    warned = tuple(constraints_on(case.state, target_names(case.place, case.change, case.values)))
    if warned:
        cautions.append(Caution("constraint", members=warned))
    return tuple(cautions)


def _possible_duplicates(case: _Case) -> list[Caution]:
    """M7: other words, but a primary quote that overlaps a member's in the same message."""
    collection = case.place.collection or ""
    primary = case.found[0].evidence
    value = case.change.value if isinstance(case.change.value, dict) else {}
    words = member_words(collection, value)
    found: list[str] = []
    for identity, member in case.values[collection].items():
        slot = case.state.slots.get(f"/{collection}/{identity}")
        if slot is None or member_words(collection, member) == words:
            continue
        if any(
            item.message == primary.message and item.start < primary.end and primary.start < item.end for item in slot.evidence
        ):
            found.append(identity)
    return [Caution("possible_duplicate", members=tuple(found))] if found else []
