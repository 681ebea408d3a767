"""The narrative says what holds and what does not, each clause with its status in words, and literals letter by letter."""

from __future__ import annotations

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.narrative import Narrative, People, narrative
from memoria.narrative_words import words_of
from memoria.sources import Kind
from memoria.state import SlotStatus, State
from tests.memoria.bench import SARA, Bench, a_field, a_type

ZONE = ZoneInfo("America/Sao_Paulo")
SERVICE = a_type(
    {
        "/goal": a_field(label="Objetivo"),
        "/facts/bairro": a_field(label="Bairro", invalidates=["/facts/horario", "commitments:visit"]),
        "/facts/horario": a_field("tool", "agent", "customer", label="Horário"),
        "/facts/sintoma": a_field(label="Sintoma", inference="flag"),
        "/facts/endereco": a_field("registry", "customer", label="Endereço"),
        "/facts/garantia": a_field(label="Garantia", schema={"type": "boolean"}),
        "/facts/passos": a_field(label="Passos", schema={"type": "array"}),
        "/facts/valor": a_field(label="Valor", schema={"type": "number"}),
        "/facts/unidade": a_field(label="Unidade", literal=True),
        "/identifiers/pedido": a_field(label="Pedido"),
    },
)


@pytest.fixture
def bench() -> Bench:
    return Bench(SERVICE)


def told(bench: Bench, language: str = "pt-BR", first_goal: str | None = None) -> Narrative:
    people = People(customer="Helena")
    return narrative(bench.state, bench.ticket_type, language=language, people=people, zone=ZONE, first_goal=first_goal)


def lines(bench: Bench, language: str = "pt-BR") -> list[str]:
    return [paragraph.text for paragraph in told(bench, language).paragraphs]


def test_a_ticket_that_nothing_is_known_of_says_that_its_goal_is_not_said_yet(bench: Bench) -> None:
    assert lines(bench) == ["Objetivo: ainda não dito."]
    assert lines(bench, "en") == ["Goal: not said yet."]


def test_what_holds_is_told_with_its_label_in_the_order_of_the_ticket_type(bench: Bench) -> None:
    bench.put("/facts/garantia", value=True)
    bench.put("/facts/bairro", "Boa Viagem")
    bench.put("/facts/passos", ["abrir", "salvar"])
    bench.put("/facts/valor", 250.5)
    assert lines(bench)[1] == "Vigente: Bairro: Boa Viagem; Garantia: sim; Passos: abrir, salvar; Valor: 250.5."


def test_a_goal_that_changed_is_told_with_the_first_one(bench: Bench) -> None:
    bench.put("/goal", "cotação do conserto")
    assert lines(bench) == ["Objetivo: cotação do conserto."]
    bench.put("/goal", "cancelar o pedido")
    assert lines(bench) == ["Objetivo: cancelar o pedido (o primeiro foi: cotação do conserto)."]
    bench.put("/goal", "trocar o aparelho")
    first = told(bench, first_goal="cotação do conserto").paragraphs[0].text
    assert first == "Objetivo: trocar o aparelho (o primeiro foi: cotação do conserto)."


def test_a_withdrawn_value_is_told_as_open_and_nothing_is_put_in_its_place(bench: Bench) -> None:
    bench.put("/facts/horario", "amanhã às 10h")
    bench.put("/facts/horario")
    assert lines(bench)[1:] == ["Em aberto: Horário: em aberto; amanhã às 10h foi retirado e não há outro valor."]


def test_what_stopped_holding_says_so_and_why(bench: Bench) -> None:
    bench.put("/facts/bairro", "Boa Viagem")
    bench.put("/facts/horario", "quinta 14h")
    bench.put("/commitments/-", {"task": "visita", "owner": "team", "kind": "visit"})
    bench.put("/facts/bairro", "Madalena")
    assert lines(bench)[1:] == [
        "Vigente: Bairro: Madalena.",
        "A confirmar: Horário: quinta 14h — precisa confirmar, porque Bairro mudou.",
        "Prometido: Ana (equipe): visita — prometido, ainda não feito, sem prazo, precisa confirmar, porque Bairro mudou.",
    ]


def test_what_waits_for_a_first_value_says_that_it_came_later_not_that_it_changed(bench: Bench) -> None:
    bench.put("/facts/horario", "quinta 14h")
    bench.put("/facts/bairro", "Madalena")
    assert lines(bench)[2:] == ["A confirmar: Horário: quinta 14h — precisa confirmar, porque só depois se soube Bairro."]


def test_an_inference_never_reads_as_if_someone_had_said_it(bench: Bench) -> None:
    said = bench.say("customer", "Faz um barulho e a comida estraga")
    bench.accept(bench.one("add", "/facts/sintoma", "compressor", (said, "Faz um barulho"), inference=True))
    assert lines(bench)[1:] == ["A confirmar: Sintoma: compressor — precisa confirmar, é uma conclusão, ninguém o disse."]


def test_a_conflict_tells_both_sides(bench: Bench) -> None:
    registry = bench.say("registry", "Endereço validado: Rua das Flores, 10")
    bench.accept(bench.one("add", "/facts/endereco", "Rua das Flores, 10", (registry, "Rua das Flores, 10")))
    customer = bench.say("customer", "Meu endereço é Rua do Sol, 22")
    bench.accept(bench.one("replace", "/facts/endereco", "Rua do Sol, 22", (customer, "Rua do Sol, 22")))
    assert lines(bench)[1:] == ["A confirmar: Endereço: Rua das Flores, 10 — em conflito, cliente diz: Rua do Sol, 22."]
    gone = bench.say("customer", "Não moro mais lá")
    bench.accept(bench.one("remove", "/facts/endereco", None, (gone, "Não moro mais lá")))
    assert "cliente diz que não vale" in lines(bench)[1]


def test_an_option_offered_awaits_the_other_side_by_name(bench: Bench) -> None:
    agent = bench.say("agent", "Temos quinta às 14h. Posso confirmar?", "Ana")
    value = {"question": "Confirmar quinta às 14h?", "options": ["quinta às 14h"]}
    bench.accept(bench.one("add", "/pending/-", value, (agent, "Temos quinta às 14h")))
    customer = bench.say("customer", "Vocês aceitam cartão?", "Helena")
    bench.accept(bench.one("add", "/pending/-", {"question": "Aceitam cartão?"}, (customer, "Vocês aceitam cartão?")))
    clauses = told(bench).paragraphs[1].clauses
    assert [clause.text for clause in clauses] == [
        "Opção oferecida, aguarda Helena: Confirmar quinta às 14h? — opções: quinta às 14h",
        "Pergunta, aguarda equipe: Aceitam cartão?",
    ]
    assert lines(bench)[1].endswith("Aceitam cartão?")


def test_an_answered_option_is_offered_no_more(bench: Bench) -> None:
    bench.put("/pending/-", {"question": "Quinta?"})
    bench.put("/pending/p-1/status", "answered")
    assert lines(bench) == ["Objetivo: ainda não dito."]


@pytest.mark.parametrize(
    ("due", "due_text", "words"),
    [
        ("2026-03-13", None, "até 13/03/2026"),
        ("2026-03-13", "sexta", "até 13/03/2026 (“sexta”)"),
        ("2026-03-13T17:30:00Z", "sexta às 14h30", "até 13/03/2026 às 14h30 (“sexta às 14h30”)"),
        (None, "em breve", "prazo dito: “em breve”, sem data certa"),
        (None, None, "sem prazo"),
    ],
)
def test_a_promise_is_told_with_who_made_it_and_until_when(
    bench: Bench, due: str | None, due_text: str | None, words: str
) -> None:
    agent = bench.say("agent", "Vou verificar em breve, sexta às 14h30", "Rui")
    value = {"task": "verificar", "owner": "team", "due": due, "due_text": due_text}
    bench.accept(bench.one("add", "/commitments/-", value, (agent, "Vou verificar em breve, sexta às 14h30")))
    assert lines(bench)[1:] == [f"Prometido: Rui (equipe): verificar — prometido, ainda não feito, {words}."]


def test_a_term_that_was_withdrawn_is_told_so(bench: Bench) -> None:
    bench.put("/commitments/-", {"task": "verificar", "owner": "customer", "due": "2026-03-13"})
    bench.put("/commitments/c-1/due", None)
    assert lines(bench)[1:] == ["Prometido: Helena: verificar — prometido, ainda não feito, prazo retirado."]


def test_a_term_in_doubt_or_in_conflict_is_told_so(bench: Bench) -> None:
    agent = bench.say("agent", "A visita é sexta, dia 13", "Ana")
    value = {"task": "visita", "owner": "team", "due": "2026-03-13", "kind": "visit"}
    bench.accept(bench.one("add", "/commitments/-", value, (agent, "A visita é sexta, dia 13")))
    customer = bench.say("customer", "só posso dia 16", "Helena")
    bench.accept(bench.one("replace", "/commitments/c-1/due", "2026-03-16", (customer, "só posso dia 16")))
    assert "o prazo está em conflito" in lines(bench)[1]
    bench.resolve("/commitments/c-1/due", "challenger", challenger=0, actor=SARA)
    assert "até 16/03/2026" in lines(bench)[1]
    bench.rewrite(customer, "só posso outro dia")
    assert "o prazo precisa de confirmação" in lines(bench)[1]


def test_words_that_were_edited_away_are_told_as_the_reason_of_the_doubt(bench: Bench) -> None:
    said = bench.say("customer", "moro em Torre", "Helena")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "Torre")))
    bench.rewrite(said, "moro longe")
    assert lines(bench)[1:] == ["A confirmar: Bairro: Torre — precisa confirmar, a mensagem citada mudou."]


def test_a_type_without_a_goal_tells_of_none() -> None:
    assert lines(Bench(a_type())) == []


def test_a_slot_that_never_held_a_value_is_told_as_open(bench: Bench) -> None:
    bench.put("/facts/horario", "quinta")
    slot = replace(bench.slot("/facts/horario"), status=SlotStatus.OPEN, replaces=None)
    state = replace(bench.state, values={**bench.state.values, "facts": {}}, slots={"/facts/horario": slot})
    found = narrative(state, SERVICE, language="pt-BR")
    assert found.paragraphs[1].text == "Em aberto: Horário: em aberto."


def test_what_is_over_is_told_apart_from_what_is_promised(bench: Bench) -> None:
    bench.put("/commitments/-", {"task": "consultar agenda", "owner": "team"})
    bench.put("/commitments/-", {"task": "enviar nota", "owner": "Transportadora Sul"})
    bench.put("/commitments/c-1/status", "done")
    assert lines(bench)[1:] == [
        "Prometido: Transportadora Sul: enviar nota — prometido, ainda não feito, sem prazo.",
        "Encerrado: Ana (equipe): consultar agenda — feito.",
    ]


def test_a_decision_without_a_reason_says_that_none_is_recorded(bench: Bench) -> None:
    bench.put("/decisions/-", {"text": "vamos com Postgres", "reason": "licença"})
    bench.put("/decisions/-", {"text": "trocar a placa", "applies_to": ["/facts/bairro", "commitments:visit"]})
    assert lines(bench)[1:] == [
        "Decidido: vamos com Postgres — motivo: licença; trocar a placa — motivo não registrado, vale para: Bairro, visita."
    ]


def test_what_was_tried_allowed_and_forbidden_is_told(bench: Bench) -> None:
    bench.put("/attempts/-", {"action": "reiniciar", "by": "customer", "status": "failed", "result": "mesma luz"})
    bench.put("/attempts/-", {"action": "trocar o cabo", "status": "suggested"})
    said = bench.say("customer", "Autorizo o conserto. Autorizo o envio.")
    for words in ("o conserto", "o envio"):
        bench.accept(bench.one("add", "/authorizations/-", {"action": "execute", "scope": words}, (said, f"Autorizo {words}")))
    bench.put("/authorizations/a-2/status", "revoked")
    bench.put("/constraints/-", {"text": "não liguem depois das 18h", "applies_to": ["commitments:return_call"]})
    assert lines(bench)[1:] == [
        "Tentado: Helena: reiniciar — não deu certo, resultado: mesma luz; trocar o cabo — sugerido.",
        "Autorizado: Execução: o conserto; Execução: o envio — autorização revogada.",
        "Proibido: não liguem depois das 18h — vale para: retorno.",
    ]


def test_literals_stand_after_it_letter_by_letter(bench: Bench) -> None:
    said = bench.say("customer", "O pedido é  CD 4455, unidade “Olinda”")
    bench.accept(bench.one("add", "/identifiers/pedido", "CD-4455", (said, "CD 4455")))
    bench.put("/facts/unidade", "“Olinda”")
    bench.put("/constraints/-", {"text": "não  toquem em {legacy}/frete_v1.py"})
    bench.put("/decisions/-", {"text": "vamos com {text}"})
    found = told(bench)
    assert [(item.pointer, item.text) for item in found.verbatim] == [
        ("/facts/unidade", "“Olinda”"),
        ("/identifiers/pedido", "CD-4455"),
        ("/constraints/k-1", "não  toquem em {legacy}/frete_v1.py"),
        ("/decisions/d-1", "vamos com {text}"),
    ]
    assert found.text.count("não  toquem em {legacy}/frete_v1.py") == 2
    assert found.text.count("vamos com {text}") == 2


def test_each_clause_names_its_pointer_and_status_for_the_console(bench: Bench) -> None:
    bench.put("/facts/bairro", "Torre")
    document = told(bench).to_json()
    assert document["paragraphs"][1] == {
        "kind": "holds",
        "heading": "Vigente",
        "clauses": [{"text": "Bairro: Torre", "pointer": "/facts/bairro", "status": "current"}],
    }
    assert document["text"].splitlines()[1] == "Vigente: Bairro: Torre."


def test_both_languages_have_the_same_words() -> None:
    assert words_of("pt-BR").keys() == words_of("en").keys()
    assert {kind.value for kind in Kind} <= words_of("pt-BR").keys()


def test_the_same_state_is_told_in_english_with_its_values_untouched(bench: Bench) -> None:
    bench.put("/facts/bairro", "Madalena")
    bench.put("/commitments/-", {"task": "ligar", "owner": "team", "due": "2026-03-13"})
    assert lines(bench, "en")[1:] == [
        "Current: Bairro: Madalena.",
        "Promised: Ana (team): ligar — promised, not done yet, until 2026-03-13.",
    ]


def test_the_narrative_of_a_state_is_always_the_same_and_reads_nothing_but_the_state(bench: Bench) -> None:
    bench.put("/facts/bairro", "Torre")
    copy = State(bench.state.version, bench.state.values, bench.state.slots, bench.state.minted)
    assert narrative(copy, SERVICE, language="pt-BR") == narrative(bench.state, SERVICE, language="pt-BR")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip))
def test_whatever_a_literal_holds_it_stands_in_the_text_as_it_is(words: str) -> None:
    bench = Bench(SERVICE)
    bench.put("/facts/unidade", words)
    bench.put("/constraints/-", {"text": words})
    found = told(bench)
    assert words in found.text
    assert [item.text for item in found.verbatim] == [words, words]
