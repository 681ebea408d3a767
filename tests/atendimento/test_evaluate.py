"""`evaluate`: gold files through the worker's own code, figures as the field defines them, and going on after a stop."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from atendimento import tenancy
from atendimento.actions import asking
from atendimento.evaluation import play
from atendimento.evaluation.gold import BadGold, Expected, read
from atendimento.evaluation.scoring import Figures, Proposed, Turn, score, spelled
from atendimento.management.commands.evaluate import half_of
from atendimento.models import EndpointHealth, Organization, Ticket
from tests.support.model_server import ModelServer

BAIRRO, HORA = "/facts/bairro", "/facts/hora"


def dialogue(**more: Any) -> dict[str, Any]:
    return {
        "id": "d-1",
        "source": "testes",
        "language": "pt-BR",
        "messages": [
            {"id": "m1", "author": "customer", "text": "Moro em Boa Viagem"},
            {"id": "m2", "author": "agent", "text": "Certo. A que horas?"},
            {"id": "m3", "author": "customer", "text": "Na verdade moro em Madalena, às 10h"},
            {"id": "m4", "author": "customer", "text": "Obrigada"},
        ],
        "gold": [
            {"after": "m1", "state": {"bairro": "Boa Viagem"}},
            {"after": "m3", "state": {"bairro": "Madalena", "hora": "10h"}, "accept": {"hora": ["às 10h"]}},
        ],
        **more,
    }


def written(folder: Path, *rows: dict[str, Any], name: str = "gold.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def change(path: str, value: str, message: str, quote: str) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value, "evidence": [{"message": message, "quote": quote}]}


FIRST = change(BAIRRO, "Boa Viagem", "m-1", "Boa Viagem")
SECOND = [change(BAIRRO, "Madalena", "m-3", "Madalena"), change(HORA, "às 10h", "m-3", "às 10h")]


# --- figures ------------------------------------------------------------------------------------------------------


def proposed(path: str, value: str, verdict: str = "allowed", *codes: str) -> Proposed:
    return Proposed("replace", path, value, verdict, codes)


def turn(after: str, *items: Proposed, **values: str) -> Turn:
    return Turn(after, {"facts": values}, items, 1)


def test_the_figures_are_those_of_dialogue_state_tracking(tmp_path: Path) -> None:
    (row,) = read(written(tmp_path, dialogue()))
    right = [
        turn("m1", proposed(BAIRRO, "Boa Viagem"), bairro="boa viagem"),
        turn("m3", proposed(BAIRRO, "Madalena"), proposed(HORA, "às 10h"), bairro="Madalena", hora="às 10h"),
        turn("m4", bairro="Madalena.", hora="10h"),
    ]
    figures, faults = score(row, right)
    assert faults == []
    assert set(figures.rates().values()) == {1.0, 0.0, None}
    assert (figures.turns, figures.joint, figures.right, figures.mentions, figures.mentions_proposed) == (3, 3, 5, 3, 3)

    wrong = [
        turn("m1", bairro="Boa Viagem"),
        turn(
            "m3", proposed(HORA, "10h"), proposed(BAIRRO, "Torre", "refused", "evidence.quote_not_found"), bairro="Boa Viagem"
        ),
        turn("m4", proposed(HORA, "11h"), bairro="Boa Viagem", hora="11h"),
    ]
    figures, faults = score(row, wrong)
    assert (figures.joint, figures.turns) == (1, 3)
    # After m3 the old value stands and a slot is missing; after m4 both are wrong.
    assert (figures.right, figures.wrong, figures.missed) == (1, 3, 4)
    assert figures.resurrected == 2
    assert (figures.mentions, figures.mentions_proposed) == (3, 1)  # a refused change is no proposal
    assert (figures.scored_proposals, figures.scored_wrong) == (2, 1)
    assert (figures.proposals, figures.refused, figures.evidence_stands) == (3, 1, 2)
    rates = figures.rates()
    assert (rates["slot_precision"], rates["slot_recall"], rates["slot_f1"]) == (0.25, 0.2, 0.2222)
    assert [(fault.after, fault.pointer, fault.have) for fault in faults][:2] == [
        ("m3", BAIRRO, "Boa Viagem"),
        ("m3", HORA, None),
    ]


def test_counts_add_up_and_nothing_to_count_is_no_rate() -> None:
    one = Figures(dialogues=1, turns=2, joint=1)
    one.add(Figures.of(one.counts()))
    assert (one.dialogues, one.turns, one.rates()["joint_goal_accuracy"]) == (2, 4, 0.5)
    assert set(Figures().rates().values()) == {None}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Eu quero 1 Atum; 2 Alho", "1 atum ;  2 ALHO", True),
        ("R$ 150,00", "r$ 150.00", True),
        (True, "true", True),
        ("Água", "Agua", False),
        ("1 Atum", "2 Atum", False),
    ],
)
def test_case_and_punctuation_make_no_other_value(one: Any, other: Any, same: bool) -> None:
    assert (spelled(one) == spelled(other)) is same


# --- files --------------------------------------------------------------------------------------------------------


def test_a_ticket_type_is_made_of_the_slots_and_of_what_is_said_of_them(tmp_path: Path) -> None:
    gold = [{"after": "m1", "state": {"Homes_1.area": "Torre"}}]
    other = dialogue(id="d-2", messages=dialogue()["messages"][:1], gold=[{"after": "m1", "state": {"Hotels_1.name": "Sol"}}])
    described = {"testes": {"Homes_1.area": {"description": "Where", "values": ["Torre", "Pina"]}}}
    (tmp_path / "gold-slots.json").write_text(json.dumps(described))
    one, two = read(written(tmp_path, dialogue(gold=gold), other))
    assert one.ticket_type["fields"] == {
        "/facts/Homes_1.area": {
            "label": "Area",
            "description": "Where",
            "schema": {"enum": ["Torre", "Pina"]},
            "sources": ["agent", "customer"],
        }
    }
    assert two.scored == {"/facts/Hotels_1.name"}
    assert one.digest != two.digest


def test_a_scenario_tells_what_is_expected_until_somebody_acts_by_hand(tmp_path: Path) -> None:
    (tmp_path / "ticket-types").mkdir()
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ticket-types" / "t.json").write_text('{"slug": "t", "name": "T", "fields": {}}')
    path = tmp_path / "scenarios" / "s.toml"
    path.write_text(
        """
        id = "s"
        ticket_type = "t"
        [[step]]
        do = "message"
        author = "customer"
        text = "Pina"
        [[step]]
        do = "expect"
        absent = ["/facts/hora"]
        [step.values]
        "/facts/bairro" = "Pina"
        [[step]]
        do = "set"
        [[step]]
        do = "expect"
        [step.values]
        "/facts/bairro" = "Torre"
        """
    )
    (row,) = read(path)
    assert row.gold == {"m1": Expected({BAIRRO: "Pina"}, frozenset({HORA}), whole=False)}
    figures, faults = score(row, [turn("m1", bairro="pina", hora="10h")])
    assert (figures.expectations, figures.expectations_met, [fault.pointer for fault in faults]) == (2, 1, [HORA])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no dialogue"),
        ("{", "no JSON"),
        ("{}", "has `messages` and `gold`"),
        ('{"messages": [{}], "gold": []}', "`id`, `author` and `text`"),
        ('{"messages": [{"id": "m1", "author": "martian", "text": ""}], "gold": []}', "unknown author"),
        ('{"messages": [], "gold": [{"after": "m9", "state": {}}]}', "`after` names a message"),
    ],
)
def test_what_holds_no_gold_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text(text)
    with pytest.raises(BadGold) as refused:
        read(path)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


# --- the whole way ------------------------------------------------------------------------------------------------


def tickets() -> int:
    """How many tickets were made for evaluations, apart from every other organisation's."""
    with tenancy.organization(Organization.objects.get(slug="avaliacao").pk):
        return Ticket.objects.count()


@pytest.fixture
def scripted(transactional_db: None, model_server: ModelServer, settings: Any) -> ModelServer:
    settings.PROPOSAL_DEBOUNCE = 3  # the messages of staff are read with the customer's next one
    model_server.answer(FIRST)
    model_server.answer(*SECOND)
    model_server.answer()
    return model_server


def test_a_dialogue_goes_through_the_worker_and_leaves_a_report(scripted: ModelServer, tmp_path: Path, capsys: Any) -> None:
    path, folder = written(tmp_path, dialogue()), tmp_path / "report"
    call_command("evaluate", str(path), "--report", str(folder))
    assert len(scripted.chats) == 3
    told = json.loads((folder / "report.json").read_text("utf-8"))
    assert told["total"]["joint_goal_accuracy"] == 1.0
    assert told["total"]["counts"]["calls"] == 3
    assert told["total"]["usage"]["prompt_tokens"] == 300
    assert told["models"] == ["scripted"]
    assert "Joint goal accuracy" in capsys.readouterr().out
    page = (folder / "report.html").read_text("utf-8")
    assert "100.0 %" in page
    assert "gold.jsonl" in page

    # The same again asks nothing; a line that a crash cut short is played anew.
    call_command("evaluate", str(path), "--report", str(folder))
    assert (len(scripted.chats), tickets()) == (3, 1)
    results = folder / "results.jsonl"
    results.write_text(results.read_text("utf-8")[:-40], "utf-8")
    call_command("evaluate", str(path), "--report", str(folder))
    assert (len(scripted.chats), tickets()) == (6, 2)
    assert len([line for line in results.read_text("utf-8").splitlines() if line.endswith("}")]) == 1


def test_a_reading_that_stops_is_counted_and_the_dialogue_goes_on(
    transactional_db: None, model_server: ModelServer, tmp_path: Path, settings: Any
) -> None:
    settings.PROPOSAL_DEBOUNCE = 3
    model_server.refuse()
    model_server.answer(*SECOND)
    model_server.answer()
    row = dialogue()
    row["messages"][0]["text"] = "<b>Moro</b> em Boa Viagem"
    call_command("evaluate", str(written(tmp_path, row)), "--report", str(tmp_path / "r"))
    told = json.loads((tmp_path / "r" / "report.json").read_text("utf-8"))
    assert told["total"]["counts"]["parked"] == 1
    assert told["dialogues"][0]["problems"] == ["m1: model.refused"]
    assert "model.refused" in (tmp_path / "r" / "report.html").read_text("utf-8")
    # The next reading read what the refused one had not.
    assert told["total"]["counts"]["right"] == 4


def test_a_reading_that_comes_to_no_end_is_told_and_not_taken_for_read(
    transactional_db: None, model_server: ModelServer, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PROPOSAL_DEBOUNCE, settings.MODEL_TIMEOUT, settings.MODEL_MAX_TRIES = 3, 0.1, 1
    monkeypatch.setattr(play, "_LEAST", 0.0)
    hour = timezone.now() + timedelta(hours=1)
    EndpointHealth.objects.create(identity=asking.endpoint().identity, failures=5, pause=600, open_until=hour)
    call_command("evaluate", str(written(tmp_path, dialogue())), "--report", str(tmp_path / "r"))
    told = json.loads((tmp_path / "r" / "report.json").read_text("utf-8"))
    assert told["dialogues"][0]["problems"][0] == "m1: evaluation.not_in_time"
    assert told["total"]["counts"]["parked"] == len(told["dialogues"][0]["problems"])
    assert model_server.chats == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--ticket-type", "nowhere.json"], "nowhere.json"),
        (["--language", "fr"], "no dialogue is left"),
        ([], "no model is configured"),
    ],
)
def test_bad_input_is_one_clear_line(db: None, tmp_path: Path, settings: Any, words: list[str], told: str) -> None:
    settings.OPENAI_BASE_URL = ""
    with pytest.raises(CommandError, match=told):
        call_command("evaluate", str(written(tmp_path, dialogue())), *words)


def test_the_halves_are_parted_by_the_ids_alone(tmp_path: Path) -> None:

    rows = read(written(tmp_path, *[dialogue(id=f"d-{number}") for number in range(40)]))
    halves = [half_of(row) for row in rows]
    assert halves == [half_of(row) for row in rows]
    assert 10 < halves.count("a") < 30
