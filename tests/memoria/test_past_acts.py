"""T3: what a past decision consisted of, told from its event; and what each part of it comes to when it is taken again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memoria.decisions import Edit
from memoria.events import EventKind
from memoria.evidence import Messages
from memoria.judgement import Desk
from memoria.past_messages import Archive, Kept
from memoria.patch import MISSING
from memoria.proposals import Change, Citation, Statement, Verdict
from memoria.simulation import Act, Case, Record, Simulated, _confirmed_by, acts_of, fell_with, outcomes, simulate
from memoria.sources import Kind
from memoria.state import State, replay
from tests.memoria.bench import ANA, SARA, Bench, a_field, a_type, cite

FIELDS = {
    "/facts/a": a_field("registry", "agent", "customer", "customer_reported", invalidates=["/facts/b"]),
    "/facts/b": a_field("agent", "customer", "customer_reported"),
    "/facts/c": a_field("customer", "customer_reported", "agent", tie="conflict"),
}
PROMISE = {"task": "ligar", "owner": "team"}


@pytest.fixture
def bench() -> Bench:
    return Bench(a_type(FIELDS))


def records(bench: Bench) -> dict[str, Record]:
    return {held.id: Record(held.change, held.version, held.evidence) for held in bench.changes.values()}


def last_acts(bench: Bench) -> tuple[Act, ...]:
    found = acts_of(bench.events[-1], records(bench))
    assert found is not None
    return found


def again(bench: Bench, number: int = -1) -> list[tuple[str, bool]]:
    """Each part of a decision, taken again under the rules of then: its verdict, and what it puts in doubt."""
    event = bench.events[number]
    events = bench.events[: bench.events.index(event)]
    acts = acts_of(event, records(bench))
    assert acts is not None
    actor = {str(known.member): known for known in (ANA, SARA)}[str(event.actor.member)]
    desk = Desk(bench.ticket_type, Messages(bench.messages.values()), event.at, actor)
    return [(item.verdict.value, bool(item.cascade)) for item in outcomes(replay(events), event, acts, desk, events)]


# --- statements -----------------------------------------------------------------------------------------------------


def test_what_staff_said_is_told_with_its_reason_source_and_verdict(bench: Bench) -> None:
    bench.put("/facts/a", "azul")
    bench.put("/facts/a", "verde", reported=Kind.CUSTOMER, reason="ligou")
    assert last_acts(bench) == (
        Act(
            "statement",
            "/facts/a",
            Change("replace", "/facts/a", "verde", (), reason="ligou"),
            Statement(Kind.CUSTOMER),
            "conflict",
        ),
    )
    assert again(bench) == [("conflict", False)]
    bench.put("/facts/a")
    (act,) = last_acts(bench)
    assert (act.change is not None and act.change.value, act.statement) == (MISSING, Statement(None))
    bench.put("/facts/b", "um")
    bench.put("/facts/b", "um")
    (act,) = last_acts(bench)
    assert act.verdict == "no_change"
    assert act.change == Change("replace", "/facts/b", "um", ())
    assert acts_of(replace(bench.events[-1], slots={}), {}) == (act,)


def test_a_member_that_staff_added_is_added_again_and_the_same_one_by_the_words_it_began_with(bench: Bench) -> None:
    first, second = bench.say("customer", "liguem já"), bench.say("customer", "liguem mesmo")
    bench.put("/commitments/-", PROMISE, evidence=cite((first, "liguem"), (first, "já")))
    assert last_acts(bench) == (
        Act(
            "statement",
            "/commitments/c-1",
            Change("add", "/commitments/-", PROMISE, cite((first, "liguem", 0), (first, "já", 7))),
            Statement(None),
            "allowed",
        ),
    )
    bench.put("/commitments/-", PROMISE, evidence=cite((first, "liguem"), (second, "mesmo")))
    (act,) = last_acts(bench)
    assert act.change == Change("add", "/commitments/-", PROMISE, cite((first, "liguem", 0)))
    assert act.verdict == "no_change"
    assert again(bench) == [("no_change", False)]
    bench.put("/commitments/c-1/status", "cancelled")
    (act,) = last_acts(bench)
    assert act.change is not None
    assert (act.pointer, act.change.path, act.change.value) == ("/commitments/c-1/status",) * 2 + ("cancelled",)
    bench.put("/constraints/-", {"text": "nada à tarde"})
    bench.put("/constraints/k-1")
    (act,) = last_acts(bench)
    assert act.change is not None
    assert (act.pointer, act.change.path, act.change.value) == ("/constraints/k-1",) * 2 + (MISSING,)


def test_words_that_staff_cited_are_those_that_came_with_the_statement(bench: Bench) -> None:
    first, second = bench.say("customer", "é azul"), bench.say("customer", "azul, sim")
    bench.put("/facts/a", "azul", evidence=cite((first, "azul")))
    bench.put("/facts/a", "azul", evidence=cite((second, "azul")))
    (act,) = last_acts(bench)
    assert act.change is not None
    assert (act.change.evidence, act.verdict) == (cite((second, "azul", 0)), "no_change")
    third = bench.say("customer", "é verde")
    bench.put("/facts/a", "verde", evidence=cite((third, "verde")))
    (act,) = last_acts(bench)
    assert act.change is not None
    assert act.change.evidence == cite((third, "verde", 2))


def test_words_of_a_statement_that_was_set_beside_another_value_are_the_challenger_s(bench: Bench) -> None:
    one, other = bench.say("customer", "é azul"), bench.say("customer", "é verde")
    bench.accept(bench.one("add", "/facts/c", "azul", (one, "azul")))
    bench.put("/facts/c", "verde", evidence=cite((other, "verde")))
    assert bench.status("/facts/c") == "conflict"
    (act,) = last_acts(bench)
    assert act.change is not None
    assert (act.change.evidence, act.verdict) == (cite((other, "verde", 2)), "conflict")
    later = bench.say("customer", "azul mesmo")
    bench.put("/facts/c", "azul", evidence=cite((later, "azul")))
    (act,) = last_acts(bench)
    assert act.change is not None
    assert act.change.evidence == cite((later, "azul", 0))


# --- changes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("taken_back", [False, True])
@pytest.mark.parametrize(
    ("edit", "evidence", "statement"),
    [
        (Edit("azul", None, "li mal"), (("m-1", "verde"),), None),
        (Edit("azul", (), "eu sei"), (), Statement()),
        (Edit("azul", (Citation("m-2", "azul"),), "melhor"), (("m-2", "azul"),), None),
    ],
)
def test_an_edit_is_told_with_its_words_even_once_it_was_taken_back(
    bench: Bench, edit: Edit, evidence: tuple[Any, ...], statement: Statement | None, taken_back: bool
) -> None:
    bench.say("customer", "é verde")
    bench.say("customer", "é azul")
    bench.decide([bench.one("add", "/facts/b", "verde", ("m-1", "verde"))], edit=edit)
    number = len(bench.events) - 1
    if taken_back:
        bench.undo(bench.state.version, actor=SARA)
    found = acts_of(bench.events[number], records(bench))
    assert found is not None
    (act,) = found
    assert (act.act, act.pointer, act.statement, act.verdict) == ("edited", "/facts/b", statement, "allowed")
    assert act.change is not None
    assert (act.change.value, act.change.reason) == ("azul", edit.reason)
    assert [(item.message, item.quote) for item in act.change.evidence] == list(evidence)
    assert again(bench, number) == [("allowed", False)]


def test_of_an_edit_that_was_taken_back_and_left_no_mark_the_proposal_s_words_count(bench: Bench) -> None:
    bench.say("customer", "é verde")
    held = bench.one("add", "/facts/b", "verde", ("m-1", "verde"))
    bench.decide([held], edit=Edit("azul"))
    event, since = bench.events[-1], {held.id: Record(held.change, None)}
    before, after = event.slots["/facts/b"]
    assert after is not None
    assert after.evidence

    def words(slots: Any, source: str) -> tuple[str, ...]:
        (entry,) = event.cause["changes"]
        found = acts_of(replace(event, slots=slots, cause={"changes": [entry | {"source": source}]}), since)
        assert found is not None
        assert found[0].change is not None
        return tuple(item.quote for item in found[0].change.evidence)

    unmarked = {"/facts/b": (before, replace(after, edited_by=None))}
    assert words({}, "customer") == ("verde",)
    assert words(unmarked, "customer") == ("verde",)
    assert words(unmarked, "agent") == ()  # staff's own word rests on none


def test_the_occurrence_that_was_pointed_at_counts_for_the_version_that_it_was_pointed_at_for(bench: Bench) -> None:
    bench.say("customer", "azul, e não azul")
    held = bench.one("add", "/facts/b", "azul", ("m-1", "azul"))
    pointed = cite(("m-1", "azul", 12))
    bench.decide([held], starts=pointed)
    event = bench.events[-1]

    def told(version: int) -> tuple[Citation, ...]:
        found = acts_of(event, {held.id: Record(held.change, version, None, pointed)})
        assert found is not None
        assert found[0].change is not None
        return found[0].change.evidence

    assert (told(event.version), told(event.version + 1)) == (pointed, held.change.evidence)


def test_a_rejection_names_what_was_rejected(bench: Bench) -> None:
    held = bench.one("add", "/facts/b", "azul", (bench.say("customer", "é azul"), "azul"))
    bench.reject(held)
    assert last_acts(bench) == (Act("rejected", "/facts/b", held.change),)


def test_of_several_changes_each_meets_what_those_before_it_did() -> None:
    bench = Bench(a_type(FIELDS, collections={"constraints": {"sources": ["customer", "agent"]}}))
    first = bench.say("customer", "nada à tarde")
    rule = {"text": "nada à tarde"}
    bench.accept(bench.one("add", "/constraints/-", rule, (first, "nada à tarde")))
    removal = bench.one("remove", "/constraints/k-1", MISSING, (bench.say("agent", "isso já caiu"), "isso já caiu"))
    repetition = bench.one("add", "/constraints/-", rule, (first, "nada à tarde"))
    bench.decide([removal], override="ouvi bem", actor=SARA)
    event = bench.events[-1]
    (taken,) = event.cause["changes"]
    repeated = taken | {"id": repetition.id, "verdict": "no_change", "source": "customer"}

    def told(one: dict[str, Any]) -> list[str]:
        bench.events[-1] = replace(event, cause={"changes": [one, repeated]})
        return [verdict for verdict, _falls in again(bench)]

    assert told(taken) == ["conflict", "refused"]  # what was removed is not brought back by the words that it began with
    assert told({key: value for key, value in taken.items() if key != "override"}) == ["conflict", "no_change"]
    assert told(taken | {"decision": "rejected"}) == ["conflict", "no_change"]


# --- confirmations, resolutions, undone versions --------------------------------------------------------------------


def test_a_confirmation_rests_on_what_it_cited_or_on_whose_word_was_reported(bench: Bench) -> None:
    bench.put("/facts/b", "um")
    bench.put("/facts/a", "azul")
    bench.put("/facts/a", "verde")
    assert bench.status("/facts/b") == "needs_confirmation"
    bench.confirm("/facts/b", reported=Kind.CUSTOMER)
    assert last_acts(bench) == (Act("confirmation", "/facts/b"),)
    assert bench.events[-1].cause["reported"] == "customer"
    assert again(bench) == [("allowed", False)]
    bench.ticket_type = a_type({**FIELDS, "/facts/b": a_field("customer", "customer_reported")})
    assert again(bench) == [("allowed", False)]  # staff's own word would not count there
    bench.events[-1] = replace(bench.events[-1], cause={**bench.events[-1].cause, "reported": None})
    assert again(bench) == [("refused", False)]


def test_whose_word_a_confirmation_was_is_what_it_cited_and_not_what_was_there(bench: Bench) -> None:
    bench.ticket_type = a_type({**FIELDS, "/facts/b": a_field("agent", "tool")})
    bench.put("/facts/b", "um", evidence=cite((bench.say("customer", "um"), "um")))
    bench.put("/facts/a", "azul")
    bench.put("/facts/a", "verde")
    bench.confirm("/facts/b")
    assert again(bench) == [("allowed", False)]
    told = bench.ticket_type
    bench.ticket_type = a_type({**FIELDS, "/facts/b": a_field("customer")})
    assert again(bench) == [("refused", False)]  # the customer's words were there, and nobody cited them
    bench.ticket_type = told
    bench.put("/facts/a", "roxo")
    bench.confirm("/facts/b", evidence=cite((bench.say("tool", "um, confere"), "um")))
    assert again(bench) == [("allowed", False)]
    bench.ticket_type = a_type({**FIELDS, "/facts/b": a_field("customer")})
    assert again(bench) == [("refused", False)]  # the tool's were


def test_a_confirmation_that_cited_nothing_new_rests_on_what_was_there(bench: Bench) -> None:
    one, two = bench.say("customer", "um"), bench.say("customer", "um mesmo")
    bench.put("/facts/b", "um", evidence=cite((one, "um")))
    slot = bench.slot("/facts/b")
    more = replace(slot, evidence=(*slot.evidence, replace(slot.evidence[0], message=two)))

    assert _confirmed_by(None, None) == ()
    assert _confirmed_by(slot, slot) == cite((one, "um", 0))
    assert _confirmed_by(slot, more) == cite((two, "um", 0))
    assert _confirmed_by(None, more) == cite((one, "um", 0), (two, "um", 0))


def test_the_other_decisions_name_their_pointer_and_what_is_none_is_refused(bench: Bench) -> None:
    one, other = bench.say("customer", "é azul", "A"), bench.say("customer", "é verde", "B")
    bench.accept(bench.one("add", "/facts/c", "azul", (one, "azul")))
    bench.accept(bench.one("add", "/facts/c", "verde", (other, "verde")))
    bench.resolve("/facts/c", "challenger", challenger=0)
    assert last_acts(bench) == (Act("resolution", "/facts/c"),)
    bench.undo(bench.state.version, actor=SARA)
    assert last_acts(bench) == (Act("undo", "/facts/c"),)
    assert last_acts(bench) == acts_of(replace(bench.events[-1], touched=("/facts/c", "/facts/z")), {})
    assert acts_of(replace(bench.events[-1], touched=()), {}) == (Act("undo", ""),)
    bench.delete(one)
    bench.delete(other)
    assert bench.events[-1].kind is EventKind.EVIDENCE_CHANGED
    with pytest.raises(ValueError, match="no decision: evidence_changed"):
        acts_of(bench.events[-1], {})


def test_what_fell_is_what_this_version_put_in_doubt(bench: Bench) -> None:
    bench.put("/facts/b", "um")
    bench.put("/facts/a", "azul")
    bench.put("/facts/a", "verde")
    fallen = bench.events[-1]
    bench.confirm("/facts/b")
    undone = bench.undo(fallen.version + 1, actor=SARA)

    assert fell_with(fallen) == ("/facts/b",)
    assert fell_with(undone) == ()  # it stands in doubt again, because of the version of then


# --- whose right it was ---------------------------------------------------------------------------------------------


def simulated(bench: Bench, version: int, **actors: Any) -> Simulated:
    archive = Archive(Kept(message, message.said_at) for message in bench.messages.values())
    case = Case(archive, records(bench), {bench.ticket_type.version: bench.ticket_type}.__getitem__, actors)
    (found,) = simulate(State(), bench.events, {version}, bench.ticket_type, case)
    return found


def test_who_has_lost_the_right_since_had_it_then(bench: Bench) -> None:
    """To undo what another did, and to let the weaker word hold."""
    bench.put("/facts/a", "azul", actor=ANA)
    bench.put("/facts/a", "verde", actor=ANA)
    bench.undo(2, actor=SARA)
    said = bench.say("customer", "é roxo")
    bench.accept(bench.one("add", "/facts/a", "roxo", (said, "roxo")))
    bench.resolve("/facts/a", "challenger", challenger=0, actor=SARA)
    demoted = {str(SARA.member): replace(SARA, may_override=False, may_undo_any=False)}

    for version in (3, 5):
        found, same = simulated(bench, version, **demoted), simulated(bench, version, **{str(SARA.member): SARA})
        assert found.acts == same.acts
        assert (found.comparable, found.acts[0].before.verdict) == (True, Verdict.ALLOWED)


def test_an_act_whose_change_is_gone_is_nothing_to_compare(bench: Bench) -> None:
    bench.accept(bench.one("add", "/facts/b", "azul", (bench.say("customer", "é azul"), "azul")))
    bench.changes.clear()

    assert simulated(bench, 1) == Simulated(bench.events[0], (), comparable=False)
