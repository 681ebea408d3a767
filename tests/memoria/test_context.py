"""What goes into a request: bounded by layer, in a stable order, and never without literals, constraints or open promises."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.context import Budget, Material, Pinned, Proposed, Snippet, TurnedDown, assemble, dump
from memoria.extraction import Request
from memoria.field_list import field_list
from memoria.instructions import instructions
from memoria.marks import Mark, PastChange, marks
from memoria.passages import CUT, cut, passages, without
from memoria.patch import MISSING
from memoria.proposals import Status
from memoria.state import Replaced
from tests.memoria.asking import ZONE, ask_about, count_words, document_of
from tests.memoria.bench import Bench, a_field, a_type

TYPE = a_type(
    {
        "/goal": a_field(label="Objetivo"),
        "/facts/bairro": a_field(label="Bairro", invalidates=["/facts/horario"]),
        "/facts/horario": a_field(label="Horário"),
        "/facts/valor": a_field("tool", "agent", label="Valor", schema={"type": "number"}, inference="flag"),
        "/facts/unidade": a_field(label="Unidade", literal=True, description="Onde se atende"),
        "/identifiers/pedido": a_field(label="Pedido"),
    }
)


@pytest.fixture
def bench() -> Bench:
    return Bench(TYPE)


def layer(request: Request, name: str) -> Any:
    return next(item for item in request.report.layers if item.name == name)


def why_left_out(request: Request, name: str) -> dict[str, str]:
    return {item.what: item.why for item in layer(request, name).left_out}


# --- the ticket type and the state --------------------------------------------------------------------------------


def test_the_fields_stand_at_the_end_of_the_instructions_and_what_most_share_is_said_once(bench: Bench) -> None:
    request = ask_about(bench, bench.say("customer", "oi"))
    assert request.system.startswith(instructions("pt-BR"))
    assert request.system.removeprefix(instructions("pt-BR")).split("\n") == [
        "Teste",
        "sources=agent,customer",
        "/goal: Objetivo",
        "/facts/",
        "bairro",
        "horario",
        "valor | type=number | sources=tool,agent | inference=flag",
        "unidade | literal | about=Onde se atende",
        "/identifiers/",
        "pedido",
        "/commitments/- | kind=visit,return_call",
    ]


def test_a_label_stands_only_where_it_says_more_than_the_name_and_a_type_as_short_as_it_goes() -> None:
    def told(pointer: str, **row: Any) -> str:
        return field_list(a_type({pointer: a_field(**row)})).split("\n")[3]

    assert told("/facts/data_compra", label="Data da compra") == "data_compra"
    assert told("/facts/data", label="Data da compra") == "data: Data da compra"
    assert told("/facts/horario", label="Horário") == "horario"
    assert told("/facts/itens", label="Itens", schema={"type": "array", "items": {"type": "string"}}) == "itens | type=string[]"
    assert told("/facts/p", label="P", schema={"enum": ["manhã", "tarde"]}) == 'p | type=["manhã","tarde"]'
    assert told("/facts/p", label="P", schema={"type": "string", "pattern": "^[A-Z]+$"}) == "p | type=/^[A-Z]+$/"
    assert told("/facts/p", label="P", schema={"type": "string", "format": "date"}) == "p | type=date"
    assert told("/facts/p", label="P", schema={"type": "string", "maxLength": 9}) == "p"
    assert told("/facts/p", label="P", schema=True) == "p | type=any"
    bars = told("/facts/p", label="A | B\nC", schema={"enum": ["a | b"]})
    assert bars == 'p: A B C | type={"enum":["a \\u007c b"]}'


def test_what_holds_stands_apart_from_what_is_in_doubt_or_open(bench: Bench) -> None:
    bench.put("/facts/bairro", "Boa Viagem")
    bench.put("/facts/horario", "quinta 14h")
    bench.put("/facts/bairro", "Madalena")
    assert document_of(ask_about(bench, bench.say("customer", "oi")))["state"] == {
        "facts": {"bairro": "Madalena"},
        "doubtful": {"/facts/horario": {"value": "quinta 14h", "status": "needs_confirmation"}},
    }
    bench.put("/facts/horario")
    doubtful = document_of(ask_about(bench, bench.say("customer", "oi")))["state"]["doubtful"]
    assert doubtful == {"/facts/horario": {"status": "open", "was": "quinta 14h"}}


def test_a_conflict_shows_what_stands_against_the_value(bench: Bench) -> None:
    agent, customer = bench.say("agent", "bairro Torre"), bench.say("customer", "bairro Graças, não Torre")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (agent, "bairro Torre")))
    bench.accept(bench.one("replace", "/facts/bairro", "Graças", (customer, "bairro Graças")))
    bench.accept(bench.one("remove", "/facts/bairro", None, (customer, "não Torre")))
    doubtful = document_of(ask_about(bench, bench.say("customer", "oi")))["state"]["doubtful"]
    assert doubtful["/facts/bairro"] == {"value": "Torre", "status": "conflict", "against": ["Graças", "withdraw"]}


def _crowded(bench: Bench, number: int) -> Bench:
    for index in range(number):
        bench.put("/attempts/-", {"action": f"tentativa número {index} com o aparelho"})
        bench.put("/commitments/-", {"task": f"tarefa encerrada {index}", "owner": "team", "status": "done"})
    return bench


def test_literals_constraints_decisions_and_open_promises_are_never_left_out(bench: Bench) -> None:
    bench.put("/identifiers/pedido", "AB-1234")
    bench.put("/facts/unidade", "Olinda")
    bench.put("/facts/bairro", "Torre")
    for index in range(15):
        bench.put("/commitments/-", {"task": f"ligar para o fornecedor {index}", "owner": "team"})
        bench.put("/constraints/-", {"text": f"não liguem no dia {index}"})
    bench.put("/decisions/-", {"text": "trocar a placa"})
    tiny = Budget(state=1, members=0, recent=0, older=0, new=1)
    document = document_of(ask_about(bench, bench.say("customer", "oi"), budget=tiny))
    assert document["literals"]["identifiers"] == {"pedido": "AB-1234"}
    assert document["literals"]["facts"] == {"unidade": "Olinda"}
    assert len(document["literals"]["constraints"]) == 15
    assert "d-1" in document["literals"]["decisions"]
    assert len(document["state"]["commitments"]) == 15
    assert "facts" not in document["state"]


def test_settled_things_are_named_a_few_of_them_and_the_rest_is_counted(bench: Bench) -> None:
    request = ask_about(_crowded(bench, 30), bench.say("customer", "oi"), budget=Budget(members=4))
    state = document_of(request)["state"]
    assert len(state["settled"]) == 4
    assert state["settled"][0] == "c-30 tarefa encerrada 29 (done)"
    assert len(state["attempts"]) == 4
    assert [item.what for item in layer(request, "state").left_out][-1] == "52 older"


def test_a_member_in_doubt_says_so() -> None:
    bench = Bench(a_type({"/facts/bairro": a_field(label="Bairro", invalidates=["commitments:visit"])}))
    bench.put("/facts/bairro", "Torre")
    bench.put("/commitments/-", {"task": "visita", "owner": "team", "kind": "visit"})
    bench.put("/facts/bairro", "Graças")
    promised = document_of(ask_about(bench, bench.say("customer", "oi")))["state"]["commitments"]["c-1"]
    assert promised == {"task": "visita", "owner": "team", "kind": "visit", "slot": "needs_confirmation"}


def test_what_is_open_goes_before_what_is_recent(bench: Bench) -> None:
    bench.put("/pending/-", {"question": "Quinta às 14h?"})
    _crowded(bench, 8)
    state = document_of(ask_about(bench, bench.say("customer", "oi"), budget=Budget(members=2)))["state"]
    assert "p-1" in state["pending"]


# --- messages -----------------------------------------------------------------------------------------------------


def test_the_last_older_messages_are_shown_oldest_first_and_the_rest_is_counted(bench: Bench) -> None:
    for number in range(9):
        bench.say("customer", f"mensagem {number}")
    request = ask_about(bench, bench.say("customer", "nova"), budget=Budget(older=3))
    assert [row["id"] for row in document_of(request)["context"]] == ["m-7", "m-8", "m-9"]
    assert why_left_out(request, "recent") == {"6 before": "older"}


def test_from_an_older_message_that_does_not_fit_on_nothing_is_shown(bench: Bench) -> None:
    bench.say("customer", "curta")
    bench.say("customer", "muito comprida " * 60)
    bench.say("customer", "outra curta")
    request = ask_about(bench, bench.say("customer", "nova"), budget=Budget(recent=60, older_message=1000, older_least=1))
    # Nor is what was said before it: read on, it would seem to belong to what came after.
    assert [row["text"] for row in document_of(request)["context"]] == ["outra curta"]
    reported = next(row for row in request.report.to_json()["layers"] if row["name"] == "recent")
    assert reported["left_out"] == [{"what": "2 before", "why": "older"}]


def test_the_last_two_messages_are_shown_whatever_they_cost(bench: Bench) -> None:
    for number in range(4):
        bench.say("customer", f"mensagem {number} " * 60)
    request = ask_about(bench, bench.say("customer", "nova"), budget=Budget(recent=1, older_message=1000))
    assert [row["id"] for row in document_of(request)["context"]] == ["m-3", "m-4"]


def test_an_older_message_tells_its_time_where_that_was_another_day(bench: Bench) -> None:
    bench.say("customer", "de ontem")
    bench.now += timedelta(days=1)
    bench.say("agent", "de hoje", "Ana")
    row, today = document_of(ask_about(bench, bench.say("customer", "nova")))["context"]
    assert row == {"id": "m-1", "kind": "customer", "sent_at": "2026-03-10T09:01-03:00", "text": "de ontem"}
    assert today == {"id": "m-2", "kind": "agent", "text": "de hoje"}


def test_deleted_automatic_and_quoted_words_are_not_shown(bench: Bench) -> None:
    bench.say("customer", "apagada")
    bench.say("customer", "Estou ausente até segunda", automatic=True)
    bench.say("customer", "> citado", unquotable=((0, 8),))
    bench.delete("m-1")
    mail = bench.say("customer", "Sim, pode.\n> Posso confirmar?\nObrigada", unquotable=((11, 29),))
    request = ask_about(bench, mail)
    assert "context" not in document_of(request)
    assert why_left_out(request, "recent") == {"m-1": "deleted", "m-2": "automatic", "m-3": "nothing to quote"}
    assert document_of(request)["new_messages"][0]["text"] == f"Sim, pode.{CUT}Obrigada"


def test_a_huge_message_is_cut_by_passages_and_the_report_says_which(bench: Bench) -> None:
    filler = "Isto não diz nada de novo a ninguém. "
    text = f"Começo. {filler * 200}O pedido é o 4455. {filler * 200}Fim."
    request = ask_about(bench, bench.say("customer", text), budget=Budget(new_message=300))
    shown = document_of(request)["new_messages"][0]["text"]
    assert shown.startswith("Começo.")
    assert shown.endswith("Fim.")
    assert "O pedido é o 4455." in shown
    assert len(shown) < 2000
    assert all(what.startswith("m-1[") for what in why_left_out(request, "new"))


def test_what_was_cut_off_is_read_in_the_calls_that_follow_until_nothing_is_left(bench: Bench) -> None:
    text = "".join(f"Frase número {number} desta mensagem comprida. " for number in range(200))
    reference = bench.say("customer", text)
    unread: dict[int, Any] = {}
    shown: list[str] = []
    calls = 0
    while not calls or unread:
        calls += 1
        request = ask_about(bench, reference, budget=Budget(new_message=300), unread=unread)
        shown += document_of(request)["new_messages"][0]["text"].split(CUT)
        assert set(why_left_out(request, "new").values()) <= {"next run"}
        assert set(request.rest) <= {1}
        unread = dict(request.rest)
        assert calls < 20
    assert calls > 3
    assert sorted(re.findall("[0-9]+", " ".join(shown)), key=int) == [str(number) for number in range(200)]
    # Nothing of what a tool says is asked for again.
    by_tool = ask_about(bench, bench.say("tool", text), budget=Budget(tool_output=50))
    assert by_tool.rest == {}


def test_a_tools_output_is_cut_first_and_reported_apart(bench: Bench) -> None:
    long = "linha de registro sem interesse. " * 200
    bench.say("tool", long)
    request = ask_about(bench, bench.say("tool", long), bench.say("customer", long), budget=Budget(tool_output=50))
    by_tool, by_customer = document_of(request)["new_messages"]
    assert len(by_tool["text"]) < len(by_customer["text"]) / 5
    assert layer(request, "tool_output").included == 2
    assert {what.partition("[")[0] for what in why_left_out(request, "tool_output")} == {"m-1", "m-2"}


def test_words_whose_value_no_longer_holds_carry_a_mark(bench: Bench) -> None:
    old = bench.say("customer", "moro em Boa Viagem")
    bench.accept(bench.one("add", "/facts/bairro", "Boa Viagem", (old, "moro em Boa Viagem")))
    new = bench.say("customer", "aliás, Madalena")
    bench.accept(bench.one("replace", "/facts/bairro", "Madalena", (new, "Madalena")))
    document = document_of(ask_about(bench, bench.say("customer", "ok"), marks=marks(bench.state)))
    assert [row.get("mark") for row in document["context"]] == [
        [{"what": "corrected", "path": "/facts/bairro", "value": "Boa Viagem"}],
        None,
    ]


def test_what_was_proposed_learnt_and_retrieved_has_its_place_and_its_budget(bench: Bench) -> None:
    old = bench.say("customer", "da outra vez o técnico atrasou")
    message = bench.messages[int(old[2:])]
    snippet = Snippet("cliente prefere manhã", "atendimento 12", bench.now - timedelta(days=90))
    reference = bench.say("customer", "nova")
    request = ask_about(
        bench,
        reference,
        proposed=[Proposed("/facts/bairro", "Torre"), Proposed("/facts/horario", MISSING)],
        rejected=[TurnedDown("/facts/bairro", "Pina", "não é dele"), TurnedDown("/facts/horario", MISSING)],
        learnings=["Prefere mensagens curtas", "x" * 5000],
        retrieved=[message, snippet],
    )
    document = document_of(request)
    assert list(document) == [
        "learnings",
        "proposed",
        "rejected",
        "retrieved",
        "context",
        "new_messages",
    ]
    assert document["proposed"] == [{"path": "/facts/bairro", "value": "Torre"}, {"path": "/facts/horario"}]
    assert document["rejected"] == [{"path": "/facts/bairro", "value": "Pina", "why": "não é dele"}, {"path": "/facts/horario"}]
    assert document["learnings"] == ["Prefere mensagens curtas"]
    assert document["retrieved"][0]["id"] == old
    assert document["retrieved"][1]["from"] == "atendimento 12"
    assert why_left_out(request, "learnings") == {"x" * 40: "budget"}
    short = ask_about(bench, reference, retrieved=[message, snippet], budget=Budget(retrieved=5))
    assert why_left_out(short, "retrieved") == {old: "budget", "atendimento 12": "budget"}


def test_what_is_pinned_goes_in_letter_by_letter_whatever_it_costs_and_never_twice(bench: Bench) -> None:
    old = bench.messages[int(bench.say("customer", "linha um\n  linha “dois”. " * 40)[2:])]
    gone = bench.messages[int(bench.say("customer", "apagada")[2:])]
    bench.delete(gone.id)
    near = bench.messages[int(bench.say("agent", "o código é AB-77, anote", "Ana")[2:])]
    new = bench.say("customer", "x " * 3000)
    pins = [Pinned(old), Pinned(bench.messages[gone.number]), Pinned(near), Pinned(near, 0, 8), Pinned(bench.messages[4])]
    tiny = Budget(state=1, recent=1, older_least=0, new_message=50)
    request = ask_about(bench, new, pinned=pins, budget=tiny)
    document = document_of(request)
    assert [(row["id"], row["text"]) for row in document["pinned"]] == [
        (old.id, old.text),
        (near.id, near.text),
        (near.id, "o código"),
    ]
    assert document["new_messages"][0]["text"] == "x " * 3000  # a new one that is pinned is not cut, nor shown twice
    assert "context" not in document
    assert why_left_out(request, "pinned") == {gone.id: "deleted"}
    # Beside the messages before, one that is pinned whole is not repeated; of one with a pinned passage nothing is missing.
    document = document_of(ask_about(bench, new, pinned=pins[3:4]))
    assert [row["id"] for row in document["context"]][-1] == near.id
    document = document_of(ask_about(bench, new, pinned=pins[2:3]))
    assert near.id not in [row["id"] for row in document.get("context", ())]


# --- the whole ----------------------------------------------------------------------------------------------------


def test_the_cost_of_a_message_does_not_grow_with_the_conversation(bench: Bench) -> None:
    totals = []
    for round_ in range(120):
        bench.say("agent", f"Resposta número {round_}, com algumas palavras de costume para encher a linha.")
        new = bench.say("customer", f"Pergunta número {round_}, com mais algumas palavras de costume na linha.")
        totals.append(ask_about(bench, new).report.total_tokens)
        bench.put("/attempts/-", {"action": f"tentativa {round_}"})
        bench.put("/facts/bairro", f"Bairro {round_}")
    assert max(totals[60:]) <= max(totals[20:60]) * 1.02


def test_the_report_adds_up_to_what_is_sent(bench: Bench) -> None:
    request = ask_about(bench, bench.say("customer", "moro em Torre"))
    sent = count_words(request.system) + count_words(dump(request.schema)) + count_words(request.user)
    assert request.report.total_tokens == sent
    document = request.report.to_json()
    assert document["total_tokens"] == sent
    assert document["layers"][7] == {"name": "retrieved", "tokens": 0, "included": 0, "left_out": []}
    assert [row["name"] for row in document["layers"]][:2] == ["rules", "ticket_type"]


def test_without_a_new_message_nothing_breaks(bench: Bench) -> None:
    context = assemble(Material(TYPE, bench.state, ()), zone=ZONE, language="en", count_tokens=count_words)
    assert (context.document["new_messages"], context.through) == ([], 0)


# --- marks --------------------------------------------------------------------------------------------------------


def test_a_withdrawn_value_and_a_cancelled_promise_mark_the_words_that_backed_them(bench: Bench) -> None:
    said = bench.say("customer", "pode ser quinta 14h", "Helena")
    bench.accept(bench.one("add", "/facts/horario", "quinta 14h", (said, "quinta 14h")))
    promised = bench.say("agent", "Vou ligar amanhã", "Ana")
    bench.accept(bench.one("add", "/commitments/-", {"task": "ligar", "owner": "team"}, (promised, "Vou ligar amanhã")))
    bench.put("/commitments/c-1/status", "in_progress")  # moves on, and nothing about it was wrong
    assert marks(bench.state) == {}
    gone = bench.say("customer", "não é quinta, e não precisa ligar", "Helena")
    bench.accept(
        bench.one("remove", "/facts/horario", None, (gone, "não é quinta")),
        bench.one("replace", "/commitments/c-1/status", "cancelled", (gone, "não precisa ligar")),
    )
    assert marks(bench.state) == {
        said: (Mark("withdrawn", "/facts/horario", "quinta 14h"),),
        promised: (Mark("withdrawn", "/commitments/c-1", "ligar"),),
    }


@pytest.mark.parametrize(
    ("past", "found"),
    [
        (PastChange(Status.REJECTED, "/facts/bairro", "Graças", ("m-9",)), Mark("rejected", "/facts/bairro", "Graças")),
        (PastChange(Status.REJECTED, "/pending/-", {"question": "Sim?"}, ("m-9",)), Mark("rejected", "/pending/-", "Sim?")),
        (PastChange(Status.ACCEPTED, "/facts/bairro", "Graças", ("m-9",)), Mark("corrected", "/facts/bairro", "Graças")),
        (PastChange(Status.EDITED, "/facts/horario", "10h", ("m-9",)), Mark("withdrawn", "/facts/horario", "10h")),
        # What holds, what is undecided, and what made a member that stands mark nothing.
        (PastChange(Status.ACCEPTED, "/facts/bairro", "Torre", ("m-9",)), None),
        (PastChange(Status.PENDING, "/facts/bairro", "Graças", ("m-9",)), None),
        (PastChange(Status.ACCEPTED, "/facts/horario", MISSING, ("m-9",)), None),
        (PastChange(Status.ACCEPTED, "/constraints/-", {"text": "x"}, ("m-9",)), None),
        (PastChange(Status.ACCEPTED, "/constraints/k-1", {"text": "não ligar"}, ("m-9",)), None),
        (PastChange(Status.ACCEPTED, "/commitments/c-1/status", "done", ("m-9",)), None),
    ],
)
def test_past_decisions_mark_the_words_that_they_rested_on(bench: Bench, past: PastChange, found: Mark | None) -> None:
    bench.put("/facts/bairro", "Torre")
    bench.put("/constraints/-", {"text": "não ligar"})
    assert marks(bench.state, [past, past]) == ({"m-9": (found,)} if found else {})


def test_a_value_that_holds_again_marks_nothing(bench: Bench) -> None:
    said = bench.say("customer", "moro em Torre", "Helena")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "Torre")))
    bench.put("/facts/bairro", "Graças")
    bench.put("/facts/bairro", "Torre")
    assert said not in marks(bench.state)


def test_a_state_whose_last_change_brought_back_the_same_value_marks_nothing(bench: Bench) -> None:
    said = bench.say("customer", "moro em Torre", "Helena")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "Torre")))
    slot = bench.slot("/facts/bairro")
    replaced = Replaced(1, "Torre", slot.evidence)
    state = replace(bench.state, slots={"/facts/bairro": replace(slot, replaces=replaced)})
    assert marks(state) == {}


def test_a_mark_without_a_value_names_none() -> None:
    assert Mark("rejected", "/facts/bairro", MISSING).to_json() == {"what": "rejected", "path": "/facts/bairro"}


# --- passages -----------------------------------------------------------------------------------------------------


@given(st.text(alphabet=st.sampled_from("ab1 .\n?;"), max_size=2000))
def test_passages_lie_side_by_side_and_cover_the_text(text: str) -> None:
    found = passages(text, 0, len(text))
    assert "".join(text[low:high] for low, high in found) == text
    assert all(0 < high - low <= 300 for low, high in found)


@given(st.text(min_size=1, max_size=3000), st.integers(0, 300))
def test_what_a_cut_keeps_is_the_texts_own_and_what_it_drops_is_said(text: str, budget: int) -> None:
    kept, dropped = cut(text, [(0, len(text))], budget, count_words, ())
    at = 0
    for piece in kept.split(CUT):
        at = text.find(piece, at)
        assert at >= 0
    if not dropped:
        assert kept == text.strip("\n")


@pytest.mark.parametrize(
    ("text", "spans", "parts"),
    [
        ("abc", [], [(0, 3)]),
        ("abc", [(0, 3)], []),
        ("abcdef", [(2, 4)], [(0, 2), (4, 6)]),
        ("a   b", [(0, 1), (4, 5)], []),  # white space is no part
        ("abcdef", [(3, 5), (1, 4)], [(0, 1), (5, 6)]),  # overlapping, in any order
    ],
)
def test_the_parts_outside_of_spans_are_what_can_be_quoted(
    text: str, spans: list[tuple[int, int]], parts: list[tuple[int, int]]
) -> None:
    assert without(text, spans) == parts
