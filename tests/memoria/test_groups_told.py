"""Section G beyond the rules: what the model and people are told of groups, and how groups travel."""

from __future__ import annotations

import json
from datetime import UTC, timedelta

import pytest

from memoria import groups
from memoria.carrying import Cargo, Why, carry, offers
from memoria.confirmation import confirmed
from memoria.context import Proposed
from memoria.erasure import forget
from memoria.expiry import expire
from memoria.fates import left
from memoria.field_list import field_list
from memoria.instructions import PROMPT_VERSION, instructions
from memoria.masking import masked, reader
from memoria.misfits import misfits
from memoria.narrative import narrative
from memoria.next_step import Why as Lacking
from memoria.next_step import next_step
from memoria.patch import MISSING
from memoria.proposals import Change
from memoria.publishing import held_by
from memoria.rebuild import Difference, compare, reread
from memoria.reply_check import Ground, check
from memoria.state import State
from tests.memoria.asking import ask_about, document_of
from tests.memoria.bench import Bench, a_type, cite, code_of
from tests.memoria.test_groups import TEXT, TWO, a_bench, change, fields, kinds, with_two

# --- the model ------------------------------------------------------------------------------------------------------


def test_g1_the_prompt_of_a_type_without_groups_says_nothing_of_them() -> None:
    assert "/items/" not in instructions("pt-BR", a_type()) + field_list(a_type())
    bench = Bench()
    assert ask_about(bench, bench.say("customer", "oi")).prompt_version == PROMPT_VERSION


@pytest.mark.parametrize("language", ["pt-BR", "en"])
def test_g7_the_model_is_told_what_repeats_and_which_groups_there_are(language: str) -> None:
    bench = with_two()
    proposed = [Proposed("/items/i-3/aparelho", "forno"), Proposed("/items/i-1/horario", "noite")]
    request = ask_about(bench, bench.say("customer", "e o forno?"), language=language, proposed=proposed)
    assert "\n/items/{id}/ | Aparelho\naparelho\nendereco" in request.system
    assert "new-1" in request.system
    assert request.prompt_version == f"{PROMPT_VERSION}+groups-1"
    document = document_of(request)
    assert document["groups"] == [
        {"id": "i-1", "label": "Aparelho: geladeira"},
        {"id": "i-2", "label": "Aparelho: fogão"},
        {"id": "i-3", "label": "Aparelho: forno", "undecided": True},
    ]
    assert document["state"]["items"] == {
        "i-1": {"aparelho": "geladeira", "horario": "manhã"},
        "i-2": {"aparelho": "fogão", "horario": "tarde"},
    }
    assert document["literals"]["items"] == {"i-1": {"endereco": "Rua A"}, "i-2": {"endereco": "Rua B"}}


def test_g7_however_many_groups_are_proposed_the_model_is_told_of_a_few() -> None:
    bench = with_two()
    proposed = [Proposed(f"/items/i-{number}/aparelho", f"aparelho de número {number}") for number in range(3, 200)]
    request = ask_about(bench, bench.say("customer", "certo"), proposed=proposed)
    told = document_of(request)["groups"]
    assert 2 < len(told) < 40
    assert told[-1] == {"id": "i-199", "label": "Aparelho: aparelho de número 199", "undecided": True}


def test_g3_what_is_in_doubt_in_a_group_is_told_by_its_own_pointer() -> None:
    bench = with_two()
    bench.put("/items/i-2/endereco", "Rua Z")
    document = document_of(ask_about(bench, bench.say("customer", "certo")))
    assert document["state"]["doubtful"] == {"/items/i-2/horario": {"value": "tarde", "status": "needs_confirmation"}}


def test_g3_a_sensitive_field_of_a_group_is_masked_in_state_proposals_and_texts() -> None:
    bench = with_two(sensitive=True)
    bench.put("/items/i-1/aparelho", "marca-passo")
    said = bench.say("customer", "o marca-passo e a geladeira")
    request = ask_about(bench, said, proposed=[Proposed("/items/i-3/aparelho", "bomba de insulina")])
    sent = masked(request, bench.ticket_type, b"key", [("/items/i-1/aparelho", "geladeira")])
    assert "marca-passo" not in sent.request.user
    assert "geladeira" not in sent.request.user
    assert "insulina" not in sent.request.user
    assert "Rua A" in sent.request.user
    shown = document_of(sent.request)["state"]["items"]["i-1"]["aparelho"]
    answer = {"op": "add", "path": "/items/i-2/aparelho", "value": shown, "evidence": []}
    read = reader(sent.masks, lambda raw: (Change(**json.loads(raw)),))
    assert read(json.dumps(answer))[0].value == "marca-passo"


# --- people ---------------------------------------------------------------------------------------------------------


def test_g6_the_narrative_calls_a_field_by_its_group() -> None:
    bench = with_two()
    bench.put("/items/i-2/endereco", "Rua Z")
    bench.put("/constraints/-", {"text": "nunca antes das 9h", "applies_to": ["/items/{id}/horario", "/items/i-1/horario"]})
    text = narrative(bench.state, bench.ticket_type, language="pt-BR").text
    assert "Aparelho: geladeira · Endereço: Rua A" in text
    assert "Aparelho: fogão · Horário: tarde — precisa confirmar, porque Aparelho: fogão · Endereço mudou" in text
    assert "Aparelhos · Horário, Aparelho: geladeira · Horário" in text
    assert "- Aparelho: fogão · Endereço: Rua Z" in text


def test_g3_what_is_left_and_what_comes_next_is_told_by_group() -> None:
    bench = with_two()
    bench.put("/items/i-2/endereco", "Rua Z")
    bench.put("/items/i-1/horario")
    assert left(bench.state, bench.ticket_type).doubtful == ("/items/i-1/horario", "/items/i-2/horario")
    bench.put("/items/-/endereco", "Rua C")
    lacks = next_step(bench.state, bench.ticket_type, bench.now, UTC).lacks
    assert ("/items/i-3/horario",) in [lack.any_of for lack in lacks if lack.why is Lacking.LED_TO]


def test_g3_a_visit_without_any_group_lacks_its_ground() -> None:
    bench = a_bench()
    bench.put("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit"})
    (lack,) = (one for one in next_step(bench.state, bench.ticket_type, bench.now, UTC).lacks if one.why is Lacking.NO_GROUND)
    assert lack.any_of == ("/items/{id}/endereco",)
    bench.put("/items/-/endereco", "Rua A")
    assert Lacking.NO_GROUND not in [one.why for one in next_step(bench.state, bench.ticket_type, bench.now, UTC).lacks]


@pytest.mark.parametrize(
    ("question", "pointers"),
    [
        ("É de tarde mesmo no fogão?", ["/items/i-2/horario"]),
        ("É de manhã?", []),  # both were said to be in the morning: of which group it is asked, nobody can tell
    ],
)
def test_g7_a_yes_confirms_one_group_or_nothing(question: str, pointers: list[str]) -> None:
    bench = with_two()
    if not pointers:
        bench.put("/items/i-2/horario", "manhã")
    for group in ("i-1", "i-2"):
        bench.put(f"/items/{group}/endereco", "Rua Z")
    bench.say("agent", question, "Ana")
    bench.say("customer", "sim", "helena")
    before = [bench.messages[number] for number in (2, 1)]
    found = confirmed(bench.messages[3], before, bench.state, bench.ticket_type)
    assert [one.path for one in found] == pointers


def test_g3_a_reply_is_checked_against_the_values_of_every_group() -> None:
    bench = with_two()
    bench.put("/items/i-2/endereco", "Rua Z")
    ground = Ground(bench.state, bench.ticket_type, now=bench.now, zone=UTC)
    assert [(found.code.value, found.pointer) for found in check("Vamos à Rua B de manhã.", ground)] == [
        ("not_current", "/items/i-2/endereco")
    ]


def test_g3_a_value_ends_in_its_own_group() -> None:
    rows = fields()
    rows["/items/{id}/horario"]["valid_for"] = "P1D"
    bench = Bench(a_type(rows, groups={"items": {}}))
    bench.put("/items/a/horario", "manhã")
    bench.now += timedelta(hours=20)
    bench.put("/items/b/horario", "tarde")
    bench.now += timedelta(hours=5)
    event = expire(bench.state, bench.desk())
    assert event is not None
    assert event.cause["values"][0]["valid_for"] == "P1D"
    assert list(event.slots) == ["/items/a/horario"]


def test_g2_an_erased_ticket_keeps_no_group_and_no_id_of_one() -> None:
    bench = with_two()
    bench.put("/items/maria/aparelho", "freezer")
    event = forget(bench.state, bench.desk(), "erasure")
    bench.events.append(event)
    bench.state = bench.state.evolve(event)
    assert "maria" not in str(event.touched) + str(dict(bench.state.slots)) + str(bench.state.values)
    assert bench.put("/items/-/aparelho", "fogão").touched == ("/items/i-3/aparelho",)


# --- another type, another ticket, another reading ----------------------------------------------------------------------


def test_g3_what_no_longer_fits_is_counted_for_all_groups_at_once() -> None:
    bench = with_two()
    rows = {key: row for key, row in fields().items() if not key.endswith("/aparelho")}
    found = misfits(bench.state.values, held_by(bench.state), a_type(rows))
    assert {(one.pointer, one.group, one.why.value) for one in found} == {
        (f"/items/{group}/aparelho", "/items/{id}/aparelho", "gone") for group in ("i-1", "i-2")
    }


def test_g2_groups_arrive_in_another_ticket_as_groups_of_their_own() -> None:
    one, two = with_two(), with_two()
    one.put(
        "/constraints/-",
        {"text": "de tarde", "applies_to": ["/items/i-2/horario", "/items/i-1/horario", "/items/{id}/endereco"]},
    )
    two.propose(change("/items/-/aparelho", "fogão"))  # i-3 is given to it
    wanted = ("/constraints/k-1", "/items/i-2/aparelho", "/items/i-2/horario")
    assert [offer.why for offer in offers(one.state, two.state, two.ticket_type) if offer.pointer in wanted] == [None] * 3
    event = carry(Cargo(one.state, "t-1", "2026-1", {}), wanted, two.state, two.desk(), "merge")
    two._append(event)
    assert two.state.values["items"]["i-4"] == {"aparelho": "fogão", "horario": "tarde"}
    assert two.state.values["constraints"]["k-1"]["applies_to"] == ["/items/i-4/horario", "/items/{id}/endereco"]
    origin = two.slot("/items/i-4/horario").carried_from
    assert origin is not None
    assert origin.pointer == "/items/i-2/horario"
    plain = offers(one.state, State(), a_type())
    assert {offer.why for offer in plain if offer.pointer.startswith("/items/")} == {Why.UNKNOWN}


def test_g2_no_more_groups_arrive_than_the_type_has() -> None:
    one, two = with_two(), with_two()
    wanted = [f"/items/{group}/aparelho" for group in ("i-1", "i-2")]
    assert code_of(carry, Cargo(one.state, "t-1", "2026-1", {}), wanted, two.state, two.desk(), "merge") == (
        "schema.too_many_groups"
    )


def test_g2_a_fresh_reading_finds_the_groups_again_by_their_words() -> None:
    bench = with_two()
    bench.put("/items/i-1/horario")
    other = tuple(Change(one.op, one.path.replace("new-1", "new-9"), one.value, one.evidence) for one in TWO[::-1])
    more = Change("add", "/items/new-4/horario", "noite", cite(("m-1", "de tarde")))
    desk = bench.desk()
    report = compare(bench.state, reread(State(), [*other, more], desk), desk.transcript)
    different = {row.pointer: row.difference for row in report.rows if row.difference is not Difference.SAME}
    assert different == {
        "/items/i-1/horario": Difference.ONLY_REREAD,
        "/items/new-1/horario": Difference.ONLY_REREAD,
    }
    assert bench.propose(*report.proposals)[1].change.path == "/items/i-3/horario"


def test_g5_a_fresh_reading_means_the_groups_of_the_ticket_in_what_it_prohibits() -> None:
    bench = with_two()
    desk = bench.desk()
    other = {"new-1": "new-9", "new-2": "new-1"}  # the reading comes to the stove first, and to a third one
    turned = [groups.renamed(one, other) for one in TWO[::-1]]
    third = Change("add", "/items/new-4/aparelho", "Rua A", cite(("m-1", "Rua A")))
    targets = [f"/items/{group}/horario" for group in ("new-1", "new-4", "i-30")]
    rule = Change("add", "/constraints/-", {"text": "de tarde", "applies_to": targets}, cite(("m-1", "de tarde")))
    report = compare(bench.state, reread(State(), [*turned, third, rule], desk), desk.transcript)
    held = bench.propose(*report.proposals)
    assert [one.change.value for one in held if one.change.path == "/constraints/-"] == [
        {"text": "de tarde", "applies_to": ["/items/i-2/horario", "/items/i-3/horario"]}
    ]


def test_g2_a_ticket_of_a_new_type_keeps_no_group_that_it_never_had() -> None:
    bench = Bench(kinds())
    bench.say("customer", TEXT)
    bench.put("/facts/cidade", "Recife")
    assert "items" not in bench.state.values
    assert bench.value("/items/i-1/aparelho") is MISSING
