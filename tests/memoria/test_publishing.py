"""T2: what becomes of values that a new version of the ticket type no longer takes."""

from __future__ import annotations

import random

import pytest

from memoria import review
from memoria.corrections import corrections_of
from memoria.errors import DomainError
from memoria.events import EventKind, event_from_record, event_to_record
from memoria.evidence import Messages
from memoria.fields import TicketType
from memoria.judgement import Desk
from memoria.misfits import Why, misfits
from memoria.patch import MISSING, Json
from memoria.publishing import Fate, fates, held_by, settle
from memoria.sources import Kind
from memoria.state import SlotStatus, State, replay
from tests.memoria.bench import SARA, Bench, a_field, a_type
from tests.memoria.test_simulation import a_draft, a_life

FIELDS = {
    "/facts/bairro": a_field(invalidates=["/facts/horario", "commitments:visit"]),
    "/facts/horario": a_field(),
    "/facts/cor": a_field("customer", "agent"),
}


@pytest.fixture
def bench() -> Bench:
    bench = Bench(a_type(FIELDS))
    bench.put("/facts/bairro", "Torre")
    bench.put("/facts/horario", "14h")
    bench.put("/facts/cor", "azul")
    return bench


def published(bench: Bench, ticket_type: TicketType, *chosen: tuple[str, Why, Fate]) -> bool:
    """Publish a type and settle the bench's misfits as chosen; whether that made an event."""
    bench.ticket_type = ticket_type
    bench.tick()
    event = settle(bench.state, {(group, why): fate for group, why, fate in chosen}, bench.desk(SARA))
    if event is not None:
        bench._append(event)
    return event is not None


def narrow(**rows: Json) -> TicketType:
    return a_type({**FIELDS, **{f"/facts/{name}": row for name, row in rows.items()}})


def test_t2_what_needs_confirmation_keeps_its_value_and_says_why(bench: Bench) -> None:
    enum = narrow(cor=a_field("customer", "agent", schema={"enum": ["verde"]}))

    assert published(bench, enum, ("/facts/cor", Why.VALUE, Fate.CONFIRM))

    slot = bench.slot("/facts/cor")
    assert (bench.value("/facts/cor"), slot.status) == ("azul", SlotStatus.NEEDS_CONFIRMATION)
    assert slot.stale_because is not None
    assert slot.stale_because.to_json() == "ticket_type"
    event = bench.events[-1]
    assert (event.kind, event.patch) == (EventKind.TICKET_TYPE_CHANGED, ())
    assert event.cause["values"] == [{"pointer": "/facts/cor", "why": "value", "fate": "needs_confirmation"}]


def test_t2_what_is_withdrawn_is_open_and_remembers_what_it_was(bench: Bench) -> None:
    without = a_type({pointer: row for pointer, row in FIELDS.items() if pointer != "/facts/cor"})

    published(bench, without, ("/facts/cor", Why.GONE, Fate.WITHDRAW))

    slot = bench.slot("/facts/cor")
    assert (bench.value("/facts/cor"), slot.status) == (MISSING, SlotStatus.OPEN)
    assert slot.replaces is not None
    assert slot.replaces.value == "azul"


def test_t2_the_event_names_the_version_and_what_was_and_the_slot_whose_word_it_was(bench: Bench) -> None:
    bench.put("/facts/bairro", "Pina")
    bench.confirm("/facts/horario")
    rest = {pointer: row for pointer, row in FIELDS.items() if pointer != "/facts/cor"}
    source = bench.slot("/facts/cor").source
    published(bench, a_type({**rest, "/facts/horario": a_field(schema={"enum": ["15h"]})}))

    assert bench.events[-1].cause == {
        "type": "teste",
        "version": 1,
        "values": [
            {"pointer": "/facts/horario", "why": "value", "fate": "needs_confirmation"},
            {"pointer": "/facts/cor", "why": "gone", "fate": "withdraw", "was": "azul"},
        ],
    }
    assert bench.slot("/facts/cor").source == source
    assert bench.slot("/facts/horario").confirmed is None


def test_t2_a_promise_in_doubt_is_settled_by_its_withdrawal_on_the_publisher_s_word(bench: Bench) -> None:
    bench.put("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit", "due": "2026-03-20"})
    bench.put("/facts/bairro", "Pina")
    assert bench.status("/commitments/c-1") == "needs_confirmation"
    rest = {**FIELDS, "/facts/bairro": a_field(invalidates=["/facts/horario"])}
    none = {"commitments": {"sources": ["agent"], "kinds": ["return_call"]}}

    published(bench, a_type(rest, collections=none), ("/commitments", Why.KIND, Fate.WITHDRAW))

    assert (bench.value("/commitments/c-1/status"), bench.status("/commitments/c-1")) == ("cancelled", "current")
    assert bench.slot("/commitments/c-1/status").source == "agent"


def test_t2_a_withdrawn_value_takes_along_what_rests_on_it(bench: Bench) -> None:
    bench.put("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit"})
    enum = narrow(bairro=a_field(schema={"enum": ["Pina"]}, invalidates=["/facts/horario", "commitments:visit"]))

    published(bench, enum, ("/facts/bairro", Why.VALUE, Fate.WITHDRAW))

    assert [bench.status(pointer) for pointer in ("/facts/bairro", "/facts/horario", "/commitments/c-1")] == [
        "open", "needs_confirmation", "needs_confirmation",
    ]  # fmt: skip


def test_t2_what_is_kept_stays_and_makes_no_version(bench: Bench) -> None:
    enum = narrow(cor=a_field("customer", "agent", schema={"enum": ["verde"]}))

    assert not published(bench, enum, ("/facts/cor", Why.VALUE, Fate.KEEP))
    assert bench.status("/facts/cor") == "current"


def test_t2_what_nobody_chose_for_awaits_confirmation_or_is_withdrawn_where_it_is_gone(bench: Bench) -> None:
    rest = {pointer: row for pointer, row in FIELDS.items() if pointer != "/facts/cor"}
    draft = a_type({**rest, "/facts/horario": a_field(schema={"enum": ["15h"]})})

    assert published(bench, draft)

    assert (bench.status("/facts/cor"), bench.status("/facts/horario")) == ("open", "needs_confirmation")
    assert bench.value("/facts/horario") == "14h"
    assert [entry["fate"] for entry in bench.events[-1].cause["values"]] == ["needs_confirmation", "withdraw"]


def test_t2_a_field_that_is_called_like_a_collection_is_a_field() -> None:
    fields = {"/facts/pending": a_field(invalidates=["/facts/b"]), "/facts/b": a_field()}
    bench = Bench(a_type(fields))
    bench.put("/facts/pending", "y")
    bench.put("/facts/b", "x")

    published(
        bench,
        a_type({**fields, "/facts/pending": a_field(schema={"enum": ["z"]}, invalidates=["/facts/b"])}),
        ("/facts/pending", Why.VALUE, Fate.WITHDRAW),
    )

    assert (bench.status("/facts/pending"), bench.status("/facts/b")) == ("open", "needs_confirmation")


def test_t2_a_conflict_stays_one_and_takes_the_reason(bench: Bench) -> None:
    bench.put("/facts/bairro", "Torre")
    message = bench.say("customer", "é Pina")
    bench.accept(bench.one("add", "/facts/bairro", "Pina", (message, "Pina")))
    assert bench.status("/facts/bairro") == "conflict"

    others = narrow(bairro=a_field("customer"))
    published(bench, others, ("/facts/bairro", Why.SOURCE, Fate.CONFIRM))

    slot = bench.slot("/facts/bairro")
    assert slot.status is SlotStatus.CONFLICT
    assert slot.stale_because is not None
    assert len(slot.challengers) == 1


@pytest.mark.parametrize(
    ("collection", "member", "status"),
    [
        ("commitments", {"task": "visitar", "owner": "team"}, "cancelled"),
        ("pending", {"question": "que horas?"}, "withdrawn"),
    ],
)
def test_t2_a_member_is_withdrawn_by_its_status(collection: str, member: Json, status: str) -> None:
    bench = Bench(a_type())
    bench.put(f"/{collection}/-", member)
    pointer = f"/{collection}/{collection[0]}-1"

    published(bench, a_type(collections={}), (f"/{collection}", Why.GONE, Fate.WITHDRAW))

    assert bench.value(f"{pointer}/status") == status
    assert bench.slot(f"{pointer}/status").author == SARA.author


def test_t2_a_constraint_is_removed() -> None:
    bench = Bench(a_type({"/facts/a": a_field(), "/facts/b": a_field()}))
    bench.put("/constraints/-", {"text": "nada de manhã", "applies_to": ["/facts/b"]})

    published(bench, a_type(), ("/constraints", Why.TARGET, Fate.WITHDRAW))

    assert bench.state.values["constraints"] == {}
    assert bench.status("/constraints/k-1") == "open"


def test_t2_nobody_could_confirm_what_is_gone_and_an_attempt_is_not_taken_back() -> None:
    assert fates("/facts/a", Why.GONE) == (Fate.WITHDRAW, Fate.KEEP)
    assert fates("/facts/a", Why.VALUE) == (Fate.CONFIRM, Fate.WITHDRAW, Fate.KEEP)
    assert fates("/attempts", Why.GONE) == (Fate.KEEP,)
    bench = Bench(a_type())
    bench.put("/facts/a", "x")
    with pytest.raises(ValueError, match="cannot be settled"):
        published(bench, a_type({"/facts/b": a_field()}), ("/facts/a", Why.GONE, Fate.CONFIRM))


def test_t2_a_withdrawal_is_a_correction_and_a_doubt_is_none(bench: Bench) -> None:
    before = bench.state
    enum = narrow(cor=a_field("customer", "agent", schema={"enum": ["verde"]}), horario=a_field(schema={"enum": ["15h"]}))
    published(bench, enum, ("/facts/cor", Why.VALUE, Fate.WITHDRAW), ("/facts/horario", Why.VALUE, Fate.CONFIRM))

    (found,) = corrections_of(bench.events[-1], before, bench.state)

    assert (found.pointer, found.act.value, found.old, found.new) == ("/facts/cor", "unfit", "azul", MISSING)
    assert found.cause is None


def test_t2_the_correction_of_a_promise_says_what_it_became() -> None:
    bench = Bench(a_type())
    bench.put("/commitments/-", {"task": "visitar", "owner": "team"})
    before = bench.state
    published(bench, a_type(collections={}), ("/commitments", Why.GONE, Fate.WITHDRAW))

    (found,) = corrections_of(bench.events[-1], before, bench.state)

    assert (found.pointer, found.old, found.new) == ("/commitments/c-1/status", "requested", "cancelled")


def test_t2_what_is_undecided_is_judged_again(bench: Bench) -> None:
    held = bench.one("add", "/facts/cor", "azul", (bench.say("customer", "é azul"), "azul"))
    assert held.judgement.verdict == "no_change"

    published(
        bench, narrow(cor=a_field("customer", "agent", schema={"enum": ["verde"]})), ("/facts/cor", Why.VALUE, Fate.WITHDRAW)
    )

    assert held.status == "superseded"


@pytest.mark.parametrize("seed", range(80))
def test_t2_in_every_ticket_the_chosen_is_done_once_replays_and_can_be_undone(seed: int) -> None:
    chance = random.Random(seed)
    life, draft = a_life(seed), a_draft(seed + 5000)
    bench = life.bench
    found = misfits(bench.state.values, held_by(bench.state), draft)
    chosen = {(item.group, item.why): chance.choice(fates(item.group, item.why)) for item in found}
    before = bench.state
    desk = Desk(draft, Messages(bench.messages.values()), bench.tick(), SARA)

    event = settle(before, chosen, desk)

    if event is None:
        assert all(
            chosen[item.group, item.why] is Fate.KEEP or before.slots[item.pointer].status is SlotStatus.NEEDS_CONFIRMATION
            for item in found
        )
        return
    after = before.evolve(event)
    assert replay([*bench.events, event_from_record(event_to_record(event))]) == after
    rewound = after.rewind(event)
    assert (rewound.values, rewound.slots) == (before.values, before.slots)
    for item in found:
        assert_settled(before, after, item.pointer, chosen[item.group, item.why])
    assert_grounded(after)
    again = settle(after, chosen, desk)
    assert again is None or "was" not in str(again.cause)  # at most a doubt about what the first one brought to light
    undone = review.undo(after, event.version, desk, event.version, [event], "engano")
    back = after.evolve(undone)
    assert back.values == before.values
    assert back.slots.keys() == before.slots.keys()


def assert_settled(before: State, after: State, pointer: str, fate: Fate) -> None:
    was, now = before.slots[pointer], after.slots[pointer]
    if fate is Fate.WITHDRAW and pointer.startswith("/commitments/"):
        assert after.values["commitments"][pointer.rsplit("/", 1)[1]]["status"] == "cancelled"
    elif fate is Fate.WITHDRAW:
        assert now.status is SlotStatus.OPEN
    elif fate is Fate.CONFIRM:
        assert now.status is not SlotStatus.CURRENT
    else:
        assert now == was or now.status is not SlotStatus.CURRENT  # what it rests on was withdrawn


def assert_grounded(state: State) -> None:
    """Nothing is current on nobody's word, and a value and its slot come and go together."""
    for pointer, slot in state.slots.items():
        if slot.status is SlotStatus.CURRENT:
            assert slot.evidence or slot.author.kind is Kind.AGENT, pointer
            assert slot.stale_because is None, pointer
        assert (slot.status is SlotStatus.CONFLICT) is bool(slot.challengers), pointer


def test_t2_the_lives_hold_misfits_of_every_kind_that_fields_have() -> None:
    kinds = set()
    for seed in range(80):
        state = a_life(seed).bench.state
        kinds |= {item.why for item in misfits(state.values, held_by(state), a_draft(seed + 5000))}

    assert kinds >= {Why.GONE, Why.VALUE, Why.SOURCE}


def test_t2_only_who_may_takes_it_back(bench: Bench) -> None:
    published(
        bench, narrow(cor=a_field("customer", "agent", schema={"enum": ["verde"]})), ("/facts/cor", Why.VALUE, Fate.WITHDRAW)
    )

    with pytest.raises(DomainError, match=r"permission\.denied"):
        bench.undo(bench.state.version)
    bench.undo(bench.state.version, actor=SARA)
    assert (bench.value("/facts/cor"), bench.status("/facts/cor")) == ("azul", "current")
