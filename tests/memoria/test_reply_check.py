"""A reply against the state, the undecided changes and the unread messages. Each right answer beside a wrong one."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from memoria.calendar import WorkingCalendar
from memoria.patch import MISSING
from memoria.reply_check import LONGEST, Code, Ground, Offer, Proposed, check
from tests.memoria.bench import Bench, a_field, a_type
from tests.memoria.replying import FRIDAY, WEDNESDAY, ZONE, Given, Told, ground, put, said, task, told, withdraw

VISIT = task("agendar a visita", kind="visit")
MADALENA = Proposed("/facts/bairro", "Madalena", ("m-4",))

DONE: list[tuple[str, tuple[Given, ...], str, list[str], str]] = [
    # name, what holds, the reply, the words found, words that somebody might take
    ("a participle of the task", (VISIT,), "Sua visita foi agendada.", ["agendada"], "visita"),
    ("the first person", (VISIT,), "Já agendei sua visita!", ["agendei"], "Já agendei"),
    ("a visit put on another day", (VISIT,), "Já remarquei a visita para sexta.", ["remarquei"], "visita"),
    ("a sound that is written otherwise", (task("ligar para o técnico"),), "Já liguei para o técnico.", ["liguei"], "técnico"),
    ("the same in the plural", (task("trocar a peça"),), "A peça nós já trocamos.", ["trocamos"], "peça"),
    ("a short first person", (task("pedir a peça"),), "Já pedi a peça ao fornecedor.", ["pedi"], "peça"),
    ("one that stands for it", (task("encomendar a peça"),), "Já pedi a peça.", ["pedi"], "peça"),
    ("sent by another word", (task("enviar a nota"),), "A nota já foi despachada hoje.", ["despachada"], "nota"),
    ("a thing put right", (task("corrigir o endereço"),), "Já atualizei o endereço.", ["atualizei"], "endereço"),
    ("put off till then", (VISIT,), "Remarcar a visita é simples.", [], "Remarcar"),
    ("a word that stands for it", (VISIT,), "Visita marcada, Helena", ["marcada"], "Visita"),
    ("a general word with the task's own", (VISIT,), "Tudo certo com a visita.", ["certo"], "visita"),
    ("nothing is open", (), "Sua visita foi agendada.", [], "agendada"),
    ("it is finished", (VISIT, put("/commitments/c-1/status", "cancelled")), "Visita agendada.", [], "agendada"),
    ("another thing", (VISIT,), "A peça foi agendada para troca.", [], "agendada"),
    ("a question", (VISIT,), "A visita foi agendada?", [], "agendada"),
    ("a negation", (VISIT,), "A visita ainda não foi agendada.", [], "agendada"),
    ("the future", (VISIT,), "A visita será agendada depois.", [], "agendada"),
    ("a condition", (VISIT,), "Aviso assim que a visita estiver agendada.", [], "agendada"),
    ("another sentence", (VISIT,), "Pedido recebido. Sobre a visita, aguarde.", [], "recebido"),
    (
        "an open question of ours",
        (put("/pending/-", {"question": "Qual o modelo?"}),),
        "Modelo confirmado!",
        ["confirmado"],
        "Modelo",
    ),
    ("an adjective that looks so", (VISIT,), "Obrigado, e até a visita.", [], "Obrigado"),
    ("in English", (VISIT,), "Your visita is booked.", ["booked"], "visita"),
    (
        "a value that awaits confirmation",
        (put("/facts/bairro", "Boa Viagem"), put("/facts/horario", "14h"), put("/facts/bairro", "Madalena")),
        "Horário confirmado.",
        ["confirmado"],
        "Horário",
    ),
]


@pytest.mark.parametrize(("given", "text", "right", "wrong"), [row[1:] for row in DONE], ids=[row[0] for row in DONE])
def test_what_is_announced_as_done_and_still_open(given: tuple[Given, ...], text: str, right: list[str], wrong: str) -> None:
    found = [text[item.start : item.end] for item in check(text, ground(*given)) if item.code is Code.DONE_BUT_OPEN]
    assert found == right
    assert wrong not in found


RETURN = task("retornar ao cliente", kind="return_call", due="2026-03-12")
PROMISES: list[tuple[str, tuple[Given, ...], str, list[Told], Told]] = [
    ("a noun with a day", (), "Retorno até amanhã.", [("promise_unrecorded", "Retorno até amanhã", "")], ("unread", "", "")),
    ("going to", (), "Vou consultar a agenda.", [("promise_unrecorded", "Vou consultar a agenda", "")], ("unread", "", "")),
    ("to whom", (), "Te ligo.", [("promise_unrecorded", "Te ligo", "")], ("promise_undecided", "Te ligo", "")),
    ("a future", (), "Enviaremos a etiqueta", [("promise_unrecorded", "Enviaremos a etiqueta", "")], ("unread", "", "")),
    (
        "two in one sentence",
        (),
        "Vou ver a peça e te aviso até sexta.",
        [("promise_unrecorded", "Vou ver a peça", ""), ("promise_unrecorded", "te aviso até sexta", "")],
        ("promise_unrecorded", "Vou ver a peça e te aviso até sexta", ""),
    ),
    ("it is recorded", (RETURN,), "Retorno até amanhã.", [], ("promise_unrecorded", "Retorno até amanhã", "")),
    ("by another word", (RETURN,), "Te ligo amanhã.", [], ("promise_unrecorded", "Te ligo amanhã", "")),
    (
        "with another day",
        (RETURN,),
        "Retorno até sexta.",
        [("promise_other_due", "Retorno até sexta", "/commitments/c-1")],
        ("promise_unrecorded", "Retorno até sexta", ""),
    ),
    (
        "another thing by the same verb",
        (task("enviar o orçamento"),),
        "Vou enviar a etiqueta.",
        [("promise_unrecorded", "Vou enviar a etiqueta", "")],
        ("promise_other_due", "Vou enviar a etiqueta", "/commitments/c-1"),
    ),
    (
        "the customer's own commitment is not ours",
        (put("/commitments/-", {"task": "enviar a foto", "owner": "customer"}),),
        "Vou enviar a foto.",
        [("promise_unrecorded", "Vou enviar a foto", "")],
        ("promise_other_due", "Vou enviar a foto", "/commitments/c-1"),
    ),
    ("a present without a day", (), "Retorno seu contato.", [], ("promise_unrecorded", "Retorno seu contato", "")),
    ("a past day", (), "Aviso dado ontem.", [], ("promise_unrecorded", "Aviso dado ontem", "")),
    ("a question", (), "Te ligo amanhã?", [], ("promise_unrecorded", "Te ligo amanhã", "")),
    ("a negation", (), "Não vou ligar.", [], ("promise_unrecorded", "vou ligar", "")),
    ("a hedge", (), "Talvez eu consiga, vou ligar.", [], ("promise_unrecorded", "vou ligar", "")),
    ("no promise at all", (), "Vou precisar do seu CPF.", [], ("promise_unrecorded", "Vou precisar do seu CPF", "")),
    ("courtesy", (), "Vou te ajudar!", [], ("promise_unrecorded", "Vou te ajudar", "")),
    ("in English", (), "I'll call you tomorrow.", [("promise_unrecorded", "I'll call you tomorrow", "")], ("unread", "", "")),
]


@pytest.mark.parametrize(("given", "text", "right", "wrong"), [row[1:] for row in PROMISES], ids=[row[0] for row in PROMISES])
def test_what_is_promised_and_not_recorded(given: tuple[Given, ...], text: str, right: list[Told], wrong: Told) -> None:
    found = told(text, check(text, ground(*given)))
    assert [row for row in found if row[0].startswith("promise")] == right
    assert wrong not in found


@pytest.mark.parametrize(
    ("text", "now", "right"),
    [
        (
            "Vou consultar a agenda até amanhã.",
            WEDNESDAY,
            Offer("consultar a agenda", None, "2026-03-12", "amanhã"),
        ),
        ("Retorno até amanhã.", WEDNESDAY, Offer("retornar", "return_call", "2026-03-12", "amanhã")),
        # Tomorrow is a Saturday: the next working day, and the day that was named.
        ("Retorno até amanhã.", FRIDAY, Offer("retornar", "return_call", "2026-03-16", "amanhã", date(2026, 3, 14))),
        ("Te ligo amanhã às 15h.", WEDNESDAY, Offer("ligar", "return_call", "2026-03-12T15:00:00-03:00", "amanhã às 15h")),
        (
            "Enviaremos a etiqueta em até 3 dias úteis.",
            FRIDAY,
            Offer("enviar a etiqueta", None, "2026-03-18", "em até 3 dias úteis"),
        ),
        ("Te aviso em breve.", WEDNESDAY, Offer("avisar em breve", "return_call")),
        ("Faremos a visita na quinta.", WEDNESDAY, Offer("fazer a visita", "visit", "2026-03-12", "quinta")),
    ],
)
def test_the_offer_has_its_task_its_kind_and_a_working_day(text: str, now: datetime, right: Offer) -> None:
    offers = [item.offer for item in check(text, ground(now=now)) if item.offer is not None]
    assert offers == [right]


def test_a_holiday_moves_the_due_as_a_weekend_does() -> None:
    calendar = WorkingCalendar(holidays={date(2026, 3, 12)})
    (found,) = check("Retorno até amanhã.", ground(calendar=calendar))
    assert found.offer == Offer("retornar", "return_call", "2026-03-13", "amanhã", date(2026, 3, 12))


def test_a_proposed_commitment_is_named_and_not_offered_again() -> None:
    waiting = Proposed("/commitments/-", {"task": "retornar ao cliente", "owner": "team"}, ("m-2",))
    (found,) = check("Retorno até amanhã.", ground(undecided=[waiting]))
    assert (found.code, found.messages, found.offer) == (Code.PROMISE_UNDECIDED, ("m-2",), None)


FALLEN = (put("/facts/bairro", "Boa Viagem"), put("/facts/horario", "quinta 14h"), put("/facts/bairro", "Madalena"))
CONFLICT = (
    said("registry", "/facts/endereco", "Rua A, 10", "Rua A, 10"),
    said("customer", "/facts/endereco", "Rua B, 20", "Rua B, 20"),
)
VALUES: list[tuple[str, tuple[Given, ...], str, list[Told], Told]] = [
    (
        "corrected",
        FALLEN,
        "Vamos a Boa Viagem então",
        [("not_current", "Boa Viagem", "corrected")],
        ("not_current", "Boa Viagem", "withdrawn"),
    ),
    (
        "without accents or case",
        FALLEN,
        "em BOA VIAGEM",
        [("not_current", "BOA VIAGEM", "corrected")],
        ("not_current", "BOA", "corrected"),
    ),
    ("the present value", FALLEN, "em Madalena", [], ("not_current", "Madalena", "corrected")),
    (
        "in doubt",
        FALLEN,
        "Fica quinta 14h.",
        [("not_current", "quinta 14h", "needs_confirmation")],
        ("not_current", "quinta 14h", "corrected"),
    ),
    ("in doubt, and asked", FALLEN, "Fica quinta 14h?", [], ("not_current", "quinta 14h", "needs_confirmation")),
    ("corrected, and negated", FALLEN, "Não é mais Boa Viagem.", [], ("not_current", "Boa Viagem", "corrected")),
    ("a cut word", FALLEN, "em Boa Viagens", [], ("not_current", "Boa Viagem", "corrected")),
    (
        "withdrawn",
        (put("/facts/bairro", "Boa Viagem"), withdraw("/facts/bairro")),
        "em Boa Viagem",
        [("not_current", "Boa Viagem", "withdrawn")],
        ("not_current", "Boa Viagem", "corrected"),
    ),
    (
        "one side of a divergence",
        CONFLICT,
        "na Rua A, 10",
        [("not_current", "Rua A, 10", "conflict")],
        ("not_current", "Rua A, 10", "corrected"),
    ),
    (
        "the other side",
        CONFLICT,
        "na Rua B, 20",
        [("not_current", "Rua B, 20", "conflict")],
        ("not_current", "Rua B, 20", "rejected"),
    ),
    (
        "both sides, in the question that is drafted of them",
        CONFLICT,
        "Qual resposta vale para “Endereço”: “Av. Um, 10. Ap. 3” ou “Rua A, 10”?",
        [],
        ("not_current", "Rua A, 10", "conflict"),
    ),
    (
        "an abbreviation ends no sentence",
        (*FALLEN, put("/facts/horario", "Av. Um, 10"), put("/facts/bairro", "Torre")),
        "Só confirmando: horário, Av. Um, 10?",
        [],
        ("not_current", "Av. Um, 10", "needs_confirmation"),
    ),
    (
        "a point before the next sentence ends one",
        FALLEN,
        "Fica quinta 14h. Pode ser?",
        [("not_current", "quinta 14h", "needs_confirmation")],
        ("unread", "", ""),
    ),
    (
        "an old amount however written",
        (put("/facts/orcamento", 1180), put("/facts/orcamento", 900)),
        "São R$ 1.180,00.",
        [("not_current", "1.180,00", "corrected")],
        ("not_current", "1.180", "corrected"),
    ),
    (
        "another amount",
        (put("/facts/orcamento", 1180), put("/facts/orcamento", 900)),
        "São R$ 11.180,00.",
        [],
        ("not_current", "1.180,00", "corrected"),
    ),
    (
        "an old date as people write it",
        (put("/facts/compra", "2026-02-01"), put("/facts/compra", "2026-02-03")),
        "comprada em 01/02",
        [("not_current", "01/02", "corrected")],
        ("not_current", "01", "corrected"),
    ),
    (
        "another date",
        (put("/facts/compra", "2026-02-01"), put("/facts/compra", "2026-02-03")),
        "comprada em 11/02",
        [],
        ("not_current", "1/02", "corrected"),
    ),
    (
        "within a value that holds",
        (put("/facts/bairro", "Boa Viagem"), put("/facts/bairro", "Boa Viagem Norte")),
        "em Boa Viagem Norte",
        [],
        ("not_current", "Boa Viagem", "corrected"),
    ),
    (
        "a boolean names nothing",
        (put("/facts/garantia", value=True), put("/facts/garantia", value=False)),
        "true",
        [],
        ("not_current", "true", "corrected"),
    ),
]


@pytest.mark.parametrize(("given", "text", "right", "wrong"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_values_that_do_not_hold(given: tuple[Given, ...], text: str, right: list[Told], wrong: Told) -> None:
    found = told(text, check(text, ground(*given)))
    assert found == right
    assert wrong not in found


def test_a_rejected_value_is_no_value_and_a_proposed_one_not_yet() -> None:
    held = put("/facts/bairro", "Boa Viagem")
    rejected = ground(held, rejected=[MADALENA])
    assert told("em Madalena", check("em Madalena", rejected)) == [("not_current", "Madalena", "rejected")]
    waiting = ground(held, undecided=[MADALENA])
    (found,) = check("em Madalena", waiting)
    assert (found.code, found.why, found.messages, found.value) == (Code.UNDECIDED, "proposed", ("m-4",), "Madalena")
    (found,) = check("em Boa Viagem", waiting)
    assert (found.code, found.why, found.value) == (Code.UNDECIDED, "contested", "Madalena")
    (found,) = check("em Boa Viagem", ground(held, undecided=[Proposed("/facts/bairro", MISSING, ("m-4",))]))
    assert (found.why, found.value) == ("contested", None)
    assert check("em Madalena", ground(put("/facts/bairro", "Madalena"), undecided=[MADALENA])) == ()


def test_without_a_place_for_statements_there_is_no_offer() -> None:
    closed = a_type({"/facts/a": a_field()}, {"commitments": {"sources": ["tool", "customer"]}})
    (found,) = check("Te ligo amanhã.", Ground(Bench(closed).state, closed, WEDNESDAY, ZONE))
    assert (found.code, found.offer) == (Code.PROMISE_UNRECORDED, None)


def test_a_gap_of_a_canned_reply_is_found_and_other_brackets_are_not() -> None:
    text = "Visita em [Bairro da visita], nota [1]."
    assert told(text, check(text, ground())) == [("gap", "[Bairro da visita]", "/facts/bairro")]


def test_a_place_that_nobody_filled_is_found_and_other_braces_are_not() -> None:
    text = "Sua visita em {bairro} e {facts/horario}: use {} e {1} e {x=2} no código {\n}."
    found = [(item.code.value, text[item.start : item.end]) for item in check(text, ground())]
    assert found == [("gap", "{bairro}"), ("gap", "{facts/horario}")]


def test_unread_messages_are_told_and_hinder_nothing() -> None:
    unread = ground(unread=["m-7", "m-8"])
    (found,) = check("Bom dia!", unread)
    assert (found.code, found.messages, found.hinders) == (Code.UNREAD, ("m-7", "m-8"), False)
    assert check(" \n", unread) == ()
    assert all(item.hinders for item in check("Retorno até amanhã.", ground()))


@pytest.mark.parametrize(
    "text",
    [
        "Bom dia, Helena! Tudo bem?",
        "Obrigada pelo contato.",
        "Qual é o modelo da geladeira?",
        "👍",
        "…",
        "a" * 5000,
        "não " * 2000,
    ],
)
def test_what_asserts_nothing_is_left_in_peace(text: str) -> None:
    assert check(text, ground(*FALLEN, VISIT)) == ()


def test_findings_stand_in_the_order_of_the_words_and_never_twice() -> None:
    text = "Retorno até amanhã. Boa Viagem, Boa Viagem. Visita agendada."
    found = check(text, ground(*FALLEN, VISIT))
    assert [item.start for item in found] == sorted(item.start for item in found)
    assert len(set(found)) == len(found)
    assert {item.code for item in found} == {Code.PROMISE_UNRECORDED, Code.NOT_CURRENT, Code.DONE_BUT_OPEN}


def test_of_a_list_each_item_is_a_literal() -> None:
    given = [put("/facts/defeitos", ["porta torta", "vidro trincado"]), put("/facts/defeitos", ["vidro trincado"])]
    proposed = Proposed("/facts/defeitos", ["motor queimado"], ("m-4",))
    text = "Anotei: porta torta, vidro trincado e motor queimado."
    found = check(text, ground(*given, undecided=[proposed]))
    assert told(text, found) == [
        ("not_current", "porta torta", "corrected"),
        ("undecided", "vidro trincado", "contested"),
        ("undecided", "motor queimado", "proposed"),
    ]
    assert [item.value for item in found] == [["vidro trincado"], ["motor queimado"], ["motor queimado"]]


def test_of_a_text_beyond_any_reply_the_beginning_is_read() -> None:
    text = f"{'Bom dia! ' * (LONGEST // 9)}Fica em Boa Viagem."
    inside = text[-LONGEST:]
    assert check(text, ground(*FALLEN)) == ()
    assert [item.code for item in check(inside, ground(*FALLEN))] == [Code.NOT_CURRENT]
