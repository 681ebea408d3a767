"""Section G: groups that repeat within a ticket. Each has its own fields, and nothing of one is anything to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria import groups
from memoria.fields import InvalidTicketType, TicketType
from memoria.patch import MISSING, Json
from memoria.proposals import Change, Status
from memoria.rows import group_of, template_of
from memoria.state import State
from tests.memoria.bench import Bench, a_field, a_type, cite, code_of

NAME, WHERE, WHEN = "/items/{id}/aparelho", "/items/{id}/endereco", "/items/{id}/horario"
TEXT = "a geladeira na Rua A de manhã e o fogão na Rua B de tarde"


def fields(**more: Json) -> dict[str, Json]:
    return {
        "/facts/cidade": a_field(label="Cidade", invalidates=[WHERE]),
        "/facts/rota": a_field(label="Rota"),
        NAME: a_field(label="Aparelho", **more),
        WHERE: a_field(label="Endereço", invalidates=[WHEN, "/facts/rota", "commitments:visit"], literal=True),
        WHEN: a_field(label="Horário"),
    }


def kinds(most: int = 3, **more: Json) -> TicketType:
    row = {"label": "Aparelho", "plural": "Aparelhos", "named_by": NAME, "most": most}
    return a_type(fields(**more), groups={"items": row})


def a_bench(**more: Any) -> Bench:
    bench = Bench(kinds(**more))
    bench.say("customer", TEXT, "helena")
    return bench


def change(pointer: str, value: Json = MISSING, quote: str | None = None, op: str = "add") -> Change:
    words = quote or (value if isinstance(value, str) and value in TEXT else "a geladeira")
    return Change("remove" if value is MISSING else op, pointer, value, cite(("m-1", words)))


TWO = (
    change("/items/new-1/aparelho", "geladeira"),
    change("/items/new-2/aparelho", "fogão"),
    change("/items/new-1/endereco", "Rua A"),
    change("/items/new-2/endereco", "Rua B"),
    change("/items/new-1/horario", "manhã"),
    change("/items/new-2/horario", "tarde"),
)


def with_two(**more: Any) -> Bench:
    bench = a_bench(**more)
    bench.accept(*bench.propose(*TWO))
    return bench


# --- G1 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ({"fields": {"/items/i-1/a": a_field()}}, "/fields/~1items~1i-1~1a"),
        ({"fields": {"/items/{x}/a": a_field()}}, "/fields/~1items~1{x}~1a"),
        ({"fields": {"/items/{id}": a_field()}}, "/fields/~1items~1{id}"),
        ({"fields": {"/items/{id}/a/b": a_field()}}, "/fields/~1items~1{id}~1a~1b"),
        ({"fields": {"/entregas/{id}/a": a_field()}}, "/fields/~1entregas~1{id}~1a"),
        ({"groups": []}, "/groups"),
        ({"groups": {"items": []}}, "/groups/items"),
        ({"groups": {"entregas": {}}}, "/groups/entregas"),
        ({"groups": {"items": {"icon": "x"}}}, "/groups/items/icon"),
        ({"groups": {"items": {"label": " "}}}, "/groups/items/label"),
        ({"groups": {"items": {"plural": 1}}}, "/groups/items/plural"),
        ({"groups": {"items": {"named_by": "/facts/cidade"}}}, "/groups/items/named_by"),
        ({"groups": {"items": {"named_by": "/items/{id}/nada"}}}, "/groups/items/named_by"),
        ({"groups": {"items": {"most": 0}}}, "/groups/items/most"),
        ({"groups": {"items": {"most": 51}}}, "/groups/items/most"),
        ({"groups": {"items": {"most": True}}}, "/groups/items/most"),
        ({"fields": {NAME: a_field(invalidates=["/items/i-1/endereco"])}}, "/fields/~1items~1{id}~1aparelho/invalidates"),
    ],
)
def test_g1_a_fault_in_groups_is_told_by_its_pointer(document: dict[str, Json], where: str) -> None:
    rows = {**fields(), **document.get("fields", {})}
    with pytest.raises(InvalidTicketType) as caught:
        a_type(rows, groups=document.get("groups", {}))
    assert [problem.where for problem in caught.value.problems] == [where]


def test_g1_a_type_says_no_more_of_its_groups_than_it_must() -> None:
    ticket_type = a_type(fields())
    assert ticket_type.groups is not None
    assert (ticket_type.groups.label, ticket_type.groups.most) == ("Item", 20)
    assert a_type().groups is None


def test_g1_a_state_without_groups_has_no_items() -> None:
    assert "items" not in State().values


def test_g4_a_circle_is_looked_for_over_what_is_declared() -> None:
    rows = {WHERE: a_field(invalidates=["/facts/a"]), "/facts/a": a_field(invalidates=[WHERE])}
    with pytest.raises(InvalidTicketType) as caught:
        a_type(rows)
    assert [problem.path for problem in caught.value.problems] == [(WHERE, "/facts/a", WHERE)]


# --- G2 -----------------------------------------------------------------------------------------------------------


def test_g2_two_groups_begin_in_one_answer() -> None:
    bench = with_two()
    assert bench.state.values["items"] == {
        "i-1": {"aparelho": "geladeira", "endereco": "Rua A", "horario": "manhã"},
        "i-2": {"aparelho": "fogão", "endereco": "Rua B", "horario": "tarde"},
    }


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/items/I-1/aparelho", "schema.unknown_path"),
        ("/items/_x/aparelho", "schema.unknown_path"),
        (f"/items/{'x' * 41}/aparelho", "schema.unknown_path"),
        ("/items/{id}/aparelho", "schema.unknown_path"),
        ("/items/_/aparelho", "schema.unknown_path"),
        ("/items/geladeira", "schema.unknown_path"),
        ("/items/-", "schema.unknown_path"),
        ("/items/geladeira/cor", "schema.unknown_path"),
        ("/items/geladeira/aparelho", "allowed.first_value"),
        (f"/items/{'x' * 40}/aparelho", "allowed.first_value"),
        ("/items/-/aparelho", "allowed.first_value"),
    ],
)
def test_g2_an_id_has_its_form(path: str, code: str) -> None:
    bench = a_bench()
    assert bench.propose(change(path, "geladeira"))[0].judgement.code.value == code


def test_g2_each_dash_is_a_group_of_its_own_and_a_named_one_is_as_it_is_named() -> None:
    bench = a_bench()
    held = bench.propose(*(change(f"/items/{group}/aparelho", "fogão") for group in ("-", "-", "new-7", "new-7", "x")))
    assert [group_of(one.change.path) for one in held] == ["i-1", "i-2", "i-3", "i-3", "x"]


def test_g2_no_id_is_given_twice_whatever_became_of_the_first() -> None:
    bench = a_bench()
    first = bench.propose(change("/items/-/aparelho", "fogão"))
    bench.reject(*first)
    assert bench.put("/items/-/aparelho", "geladeira").touched == ("/items/i-2/aparelho",)
    bench.undo(2)
    assert bench.put("/items/-/aparelho", "geladeira").touched == ("/items/i-3/aparelho",)
    bench.undo(4)
    again = Bench(bench.ticket_type, bench.state, bench.events)  # without what was proposed
    assert again.put("/items/new-1/aparelho", "geladeira").touched == ("/items/i-4/aparelho",)


def test_g2_a_prohibition_may_name_the_group_that_the_same_answer_begins() -> None:
    bench = a_bench()
    rule = {"text": "de manhã", "applies_to": ["/items/new-1/horario"]}
    _, held = bench.propose(change("/items/new-1/aparelho", "geladeira"), change("/constraints/-", rule, "de manhã"))
    assert held.change.value == {"text": "de manhã", "applies_to": ["/items/i-1/horario"]}
    assert held.judgement.cautions == ()


def test_g5_a_prohibition_on_a_group_that_nobody_speaks_of_is_told() -> None:
    bench = a_bench()
    rule = {"text": "de manhã", "applies_to": ["/items/new-1/horario", WHEN]}
    first, held = bench.propose(change("/items/new-1/aparelho", "geladeira"), change("/constraints/-", rule, "de manhã"))
    again = bench.propose(change("/decisions/-", rule, "de manhã"))[0]
    assert again.judgement.refused  # new-1 is nothing in another answer
    bench.reject(first)
    assert [(one.kind, one.members) for one in held.judgement.cautions] == [("group_unknown", ("i-1",))]
    bench.put("/items/i-1/horario", "manhã")
    assert held.judgement.cautions == ()


def test_g2_more_groups_than_the_type_has_are_refused() -> None:
    bench = with_two(most=2)
    judgement = bench.propose(change("/items/-/aparelho", "fogão"))[0].judgement
    assert (judgement.code.value, judgement.reasons[0].rule, judgement.reasons[0].data) == (
        "schema.too_many_groups",
        "G2",
        {"most": 2},
    )
    assert code_of(bench.put, "/items/-/aparelho", "forno") == "schema.too_many_groups"
    assert bench.propose(change("/items/i-1/aparelho", "fogão"))[0].judgement.code.value == "allowed.same_author"


def test_g2_nothing_is_withdrawn_from_a_group_that_there_is_not() -> None:
    bench = with_two()
    assert bench.propose(change("/items/i-9/aparelho"))[0].judgement.code.value == "schema.unknown_path"


def test_g2_a_group_goes_field_by_field_and_comes_back() -> None:
    bench = with_two()
    for name in ("aparelho", "endereco", "horario"):
        bench.put(f"/items/i-1/{name}")
    assert list(bench.state.values["items"]) == ["i-2"]
    assert bench.status("/items/i-1/aparelho") == "open"
    bench.put("/items/i-1/aparelho", "freezer")
    assert bench.state.values["items"]["i-1"] == {"aparelho": "freezer"}


def test_g2_an_undo_of_the_beginning_takes_only_what_it_brought() -> None:
    bench = a_bench()
    bench.put("/items/-/aparelho", "geladeira")
    bench.put("/items/i-1/endereco", "Rua A")
    bench.undo(1)
    assert bench.state.values["items"] == {"i-1": {"endereco": "Rua A"}}
    bench.undo(2)
    assert "items" not in bench.state.values
    bench.undo(4)
    bench.undo(3)
    assert bench.state.values["items"] == {"i-1": {"aparelho": "geladeira", "endereco": "Rua A"}}


def test_g2_a_rejected_group_does_not_come_back_under_another_id() -> None:
    bench = a_bench()
    bench.reject(*bench.propose(change("/items/new-1/aparelho", "fogão")))
    again = bench.propose(change("/items/new-1/aparelho", "fogão"), change("/items/new-2/aparelho", "geladeira"))
    assert [held.judgement.code.value for held in again] == ["change.previously_rejected", "allowed.first_value"]


def test_g2_what_was_rejected_for_one_group_may_be_true_of_a_new_one() -> None:
    bench = with_two()
    bench.reject(*bench.propose(change("/items/i-1/horario", "tarde")))
    assert bench.propose(change("/items/new-1/horario", "tarde"))[0].status is Status.PENDING


@pytest.mark.parametrize(
    ("chosen", "refused", "following"),
    [
        ("i-1000", False, "i-1001"),
        ("i-1001", True, "i-1"),
        ("i-999999999", True, "i-1"),
        (f"i-{'9' * 38}", True, "i-1"),
        (f"i-0{'9' * 37}", False, "i-1"),  # no number, but a name
    ],
)
def test_g2_no_choice_uses_up_the_numbers(chosen: str, refused: bool, following: str) -> None:
    bench = a_bench(most=9)
    held = bench.propose(change(f"/items/{chosen}/aparelho", "geladeira"))[0]
    assert held.judgement.refused is refused
    if refused:
        assert code_of(bench.put, f"/items/{chosen}/aparelho", "geladeira") == "schema.unknown_path"
    else:
        bench.accept(held)
    again = [bench.propose(change("/items/new-1/aparelho", "fogão"))[0].change.path for _ in range(2)]
    assert group_of(again[0]) == following
    assert again[0] != again[1]


def test_g2_many_digits_are_a_number_too() -> None:
    assert groups.last_given(["/items/i-1000000001/aparelho"], 999_999_999) == 1_000_000_001


def test_g2_a_model_chooses_no_id() -> None:
    asked = [
        change("/items/i-9/aparelho", "geladeira"),
        change("/items/maria/aparelho", "fogão"),
        change("/items/maria/horario", "tarde"),
        change("/items/x/horario", "manhã"),
    ]
    asked.append(change("/constraints/-", {"text": "de tarde", "applies_to": ["/items/maria/horario", "/items/x/horario"]}))
    resolved = groups.resolve_ids(asked, State(), 0, {"x"})
    assert [group_of(one.path) for one in resolved[:4]] == ["i-1", "i-2", "i-2", "x"]
    assert resolved[4].value == {"text": "de tarde", "applies_to": ["/items/i-2/horario", "/items/x/horario"]}


PLACES = st.sampled_from(("-", "new-1", "new-2", "i-3", "i-9", "x"))
PASTS = st.lists(st.sampled_from(("/items/i-2/aparelho", "/items/i-7/aparelho", "/items/x/aparelho")))


@given(places=st.lists(PLACES, max_size=8), past=PASTS)
def test_g2_a_number_that_is_given_is_new(places: list[str], past: list[str]) -> None:
    asked = [Change("add", f"/items/{place}/aparelho", "x") for place in places]
    given_ids = [group_of(one.path) for one in groups.resolve_ids(asked, State(), groups.last_given(past))]
    fresh = [group for place, group in zip(places, given_ids, strict=True) if place == "-" or place.startswith("new-")]
    assert not set(fresh) & {*map(group_of, past), *(place for place in places if group_of(f"/items/{place}/a"))}
    assert len(set(fresh)) == places.count("-") + len({place for place in places if place.startswith("new-")})
    assert [group for place, group in zip(places, given_ids, strict=True) if place in ("i-3", "i-9", "x")] == [
        place for place in places if place in ("i-3", "i-9", "x")
    ]


# --- G3, G4, G5 ---------------------------------------------------------------------------------------------------


def test_g3_a_divergence_in_one_group_is_none_in_another() -> None:
    bench = with_two()
    bench.say("customer", "a Rua B", "outro")
    held = bench.propose(Change("add", "/items/i-1/endereco", "Rua B", cite(("m-2", "Rua B"))))[0]
    assert held.judgement.current_value == "Rua A"
    assert held.judgement.code.value == "allowed.latest_of_equals"
    assert bench.one("add", "/items/i-1/endereco", "Rua C", ("m-2", "Rua B")).judgement.code.value == (
        "evidence.value_not_in_quote"
    )


@pytest.mark.parametrize(
    ("pointer", "fallen"),
    [
        ("/items/i-1/endereco", ["/facts/rota", "/items/i-1/horario"]),
        ("/items/i-2/endereco", ["/facts/rota", "/items/i-2/horario"]),
        ("/facts/cidade", ["/facts/rota", *(f"/items/{i}/{n}" for i in ("i-1", "i-2") for n in ("endereco", "horario"))]),
        ("/items/i-1/aparelho", []),
    ],
)
def test_g4_what_falls_lies_in_the_group_or_in_none(pointer: str, fallen: list[str]) -> None:
    bench = with_two()
    bench.put("/facts/rota", "norte")
    event = bench.put(pointer, "Rua Z")
    fell = [place for place, (_, slot) in event.slots.items() if slot and slot.stale_because and slot.stale_because.pointer]
    assert sorted(fell) == fallen


def test_g4_a_visit_falls_with_any_of_its_grounds() -> None:
    bench = with_two()
    bench.put("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit"})
    bench.put("/items/i-2/endereco", "Rua Z")
    assert bench.status("/commitments/c-1") == "needs_confirmation"


def test_g4_a_definition_leads_through_groups_that_there_are_not() -> None:
    bench = a_bench()
    bench.put("/facts/rota", "norte")
    bench.put("/facts/cidade", "Recife")
    assert bench.status("/facts/rota") == "needs_confirmation"


def test_v2_a_change_elsewhere_in_the_group_is_no_conflict_and_its_ground_is() -> None:
    bench = with_two()
    version = bench.state.version
    bench.put("/items/i-2/endereco", "Rua Z")
    bench.put("/items/i-1/horario", "noite", expected=version)
    bench.put("/items/i-1/endereco", "Rua Y")
    assert code_of(bench.put, "/items/i-1/horario", "tarde", expected=version + 2) == "version.conflict"


@pytest.mark.parametrize(
    ("target", "told"),
    [(WHEN, ["i-1", "i-2"]), ("/items/i-1/horario", ["i-1"]), ("/items/i-9/horario", []), (WHERE, [])],
)
def test_g5_a_prohibition_speaks_of_one_group_or_of_all(target: str, told: list[str]) -> None:
    bench = with_two()
    bench.put("/constraints/-", {"text": "só de manhã", "applies_to": [target]})
    warned = [
        group for group in ("i-1", "i-2") if bench.propose(change(f"/items/{group}/horario", "de tarde"))[0].judgement.cautions
    ]
    assert warned == told


@pytest.mark.parametrize("target", ["/items/{id}/cor", "/items/new-1/horario", "/items/-/horario", "/items/i-1/cor"])
def test_g5_what_is_no_field_of_a_group_is_no_target(target: str) -> None:
    bench = with_two()
    value = {"text": "só de manhã", "applies_to": [target]}
    assert code_of(bench.put, "/constraints/-", value) == "schema.invalid_value"


# --- G6, G7 -------------------------------------------------------------------------------------------------------


def named(bench: Bench) -> None:
    bench.put("/items/i-1/aparelho", " geladeira \n Consul ")


def nameless(bench: Bench) -> None:
    bench.put("/items/i-2/aparelho")


@pytest.mark.parametrize(
    ("more", "then", "labels"),
    [
        ({}, named, ["Aparelho: geladeira Consul", "Aparelho: fogão"]),
        ({}, nameless, ["Aparelho: geladeira", "Aparelho 2"]),
        ({"sensitive": True}, named, ["Aparelho 1", "Aparelho 2"]),
    ],
)
def test_g6_a_group_is_called_by_what_names_it(more: dict[str, Any], then: Callable[[Bench], None], labels: list[str]) -> None:
    bench = with_two(**more)
    then(bench)
    assert list(groups.labels(bench.ticket_type, bench.state).values()) == labels
    row = groups.unfolded(bench.ticket_type, bench.state).fields["/items/i-2/endereco"]
    assert (row.label, row.own_label, row.group) == (f"{labels[1]} · Endereço", "Endereço", "i-2")


def test_g6_groups_that_nobody_has_decided_on_are_called_by_what_is_proposed() -> None:
    bench = with_two()
    proposed = [("/items/i-3/aparelho", "forno"), ("/items/i-4/horario", "noite"), ("/items/i-1/horario", "noite")]
    assert groups.labels(bench.ticket_type, bench.state, proposed) == {
        "i-1": "Aparelho: geladeira",
        "i-2": "Aparelho: fogão",
        "i-3": "Aparelho: forno",
        "i-4": "Aparelho 4",
    }


def test_g6_the_unfolded_type_has_the_groups_in_the_place_of_what_is_declared() -> None:
    bench = with_two()
    over = groups.unfolded(bench.ticket_type, bench.state)
    assert list(over.fields)[:5] == [
        "/facts/cidade",
        "/facts/rota",
        *(f"/items/i-1/{n}" for n in ("aparelho", "endereco", "horario")),
    ]
    assert over is groups.unfolded(over, bench.state)
    assert over.fields[WHERE].label == "Aparelhos · Endereço"
    assert over.fields["/facts/cidade"].invalidates == ("/items/i-1/endereco", "/items/i-2/endereco")
    assert [template_of(pointer) for pointer in over.fields["/items/i-2/endereco"].invalidates] == [
        WHEN,
        "/facts/rota",
        "commitments:visit",
    ]


@pytest.mark.parametrize(("name", "told"), [("Geladeira", ["i-1"]), ("forno", [])])
def test_g7_a_group_that_seems_to_be_there_is_left_out_of_bulk(name: str, told: list[str]) -> None:
    bench = with_two()
    held = bench.propose(change("/items/new-1/aparelho", name), change("/items/new-1/horario", "tarde"))
    for one in held:
        assert [list(caution.members) for caution in one.judgement.cautions if caution.kind == "group_exists"] == (
            [told] if told else []
        )
        assert one.judgement.bulk is not bool(told)


def test_g7_what_is_undecided_is_warned_of_once_the_group_is_there() -> None:
    bench = a_bench()
    held = bench.propose(change("/items/new-1/aparelho", "fogão"), change("/items/new-1/horario", "tarde"))
    bench.put("/items/-/aparelho", "Fogão")
    assert [one.judgement.bulk for one in held] == [False, False]
