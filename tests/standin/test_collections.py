"""Promises, offers, prohibitions, decisions, permissions and attempts, as the stand-in hears them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.standin.talk import members_of, proposals, values_of


def _commitment(task: str, kind: str | None, owner: str = "team", due: tuple[str | None, str | None] = (None, None)) -> Any:
    return {"task": task, "owner": owner, "due": due[0], "due_text": due[1], "status": "requested", "kind": kind}


@pytest.mark.parametrize(
    ("kind", "text", "made"),
    [
        ("agent", "Vou verificar a agenda.", [_commitment("verificar a agenda", "schedule_query")]),
        (
            "agent",
            "Te ligo amanhã às 15h",
            [_commitment("ligar", "return_call", due=("2026-03-06T15:00:00-03:00", "amanhã às 15h"))],
        ),
        ("agent", "retorno depois de amanhã", [_commitment("retornar", "return_call", due=("2026-03-07", "depois de amanhã"))]),
        ("agent", "Vamos estornar tudo até 20/03", [_commitment("estornar tudo", "refund", due=("2026-03-20", "20/03"))]),
        # Monday is the 9th: a day that contradicts itself is none.
        ("agent", "Vou avisar na segunda, dia 8", [_commitment("avisar", "return_call", due=(None, "segunda, dia 8"))]),
        (
            "agent",
            "Retorno em até 2 horas",
            [_commitment("retornar", "return_call", due=("2026-03-05T12:01:00-03:00", "em até 2 horas"))],
        ),
        # Working days take a calendar, which the stand-in has not.
        ("agent", "Retorno em 3 dias úteis", [_commitment("retornar", "return_call", due=(None, "em 3 dias úteis"))]),
        ("agent", "Te mando o laudo ainda hoje", [_commitment("mandar o laudo", "delivery", due=("2026-03-05", "hoje"))]),
        ("agent", "Quer que eu verifique?", []),
        ("agent", "Não vou conseguir hoje", []),
        ("agent", "Acho que vou enviar", []),
        ("agent", "O pedido vai demorar", []),
        ("customer", "vou mandar a nota", [_commitment("mandar a nota", "delivery", "customer")]),
        ("customer", "vou pagar no cartão", []),
        ("customer", "vou ver com meu marido", []),
        ("agent", "O técnico passa amanhã", [_commitment("O técnico passa", "visit", due=("2026-03-06", "amanhã"))]),
    ],
)
def test_a_promise_is_a_commitment_that_is_only_requested(kind: str, text: str, made: list[Any]) -> None:
    assert members_of("commitments", (kind, text)) == made


def test_two_promises_in_one_sentence_are_two_commitments_with_quotes_of_their_own() -> None:
    changes = [
        change for change in proposals(("agent", "Vou consultar o estoque e te aviso hoje")) if "task" in change["value"]
    ]
    assert [(change["value"]["task"], change["evidence"][0]["quote"]) for change in changes] == [
        ("consultar o estoque", "Vou consultar o estoque"),
        ("avisar", "te aviso hoje"),
    ]


OPEN = {"/commitments/c-1": {"task": "ligar para o cliente", "owner": "team", "status": "requested", "kind": "return_call"}}
DATED = {"/commitments/c-1": {"task": "visita", "owner": "team", "status": "requested", "due": "2026-03-06", "kind": "visit"}}


DATED_REFUND = {
    "/commitments/c-1": {"task": "estornar", "owner": "team", "status": "requested", "due": "2026-03-06", "kind": None}
}


@pytest.mark.parametrize(
    ("kind", "text", "members", "moves"),
    [
        ("agent", "Já liguei para o cliente", OPEN, [("/commitments/c-1/status", "done")]),
        ("tool", "ligação para o cliente realizada", OPEN, [("/commitments/c-1/status", "done")]),
        ("assistant", "ligação para o cliente realizada", OPEN, []),  # an assistant completes nothing
        ("customer", "já liguei para o cliente", OPEN, []),  # not the one who performs it
        ("agent", "ainda não foi feita a ligação para o cliente", OPEN, []),
        ("tool", "nota fiscal enviada", OPEN, []),  # something else
        ("customer", "não precisa mais ligar", OPEN, [("/commitments/c-1/status", "cancelled")]),
        ("customer", "cancela tudo, por favor", OPEN, [("/commitments/c-1/status", "cancelled")]),
        ("customer", "cancela a entrega", OPEN, []),
        ("agent", "A visita ficou para segunda", DATED, [("/commitments/c-1/due", "2026-03-09")]),
        ("agent", "A cobrança ficou para segunda", DATED_REFUND, []),  # another matter
        ("agent", "A visita ficou para sexta", DATED, []),  # it is that day already
        ("agent", "ficou para segunda?", DATED, []),
    ],
)
def test_a_commitment_moves_by_the_words_of_those_who_may_move_it(
    kind: str, text: str, members: dict[str, Any], moves: list[Any]
) -> None:
    made = members_of("commitments", (kind, text), members=members)
    assert [item for item in made if isinstance(item, tuple)] == moves


def test_an_offer_with_its_question_is_pending_and_no_fact() -> None:
    said = ("agent", "Tenho vaga na terça às 10h. Pode ser?")
    made = members_of("pending", said)
    assert [item["options"] for item in made] == [["terça às 10h"]]
    assert "/facts/horario" not in values_of(said)


@pytest.mark.parametrize(
    "text",
    ["Temos terça às 10h", "Qual o seu bairro?", "Posso confirmar?"],  # no question, no offer, nothing offered
)
def test_half_an_offer_is_none(text: str) -> None:
    assert members_of("pending", ("agent", text)) == []


def test_options_stand_on_both_sides_of_an_or() -> None:
    made = members_of("pending", ("agent", "Temos o modelo azul ou o modelo preto, qual prefere?"))
    assert made[0]["options"] == ["o modelo azul", "o modelo preto, qual prefere"]


ASKED = {"/pending/p-1": {"question": "Tenho vaga na terça às 10h. Pode ser?", "options": ["terça às 10h"], "status": "open"}}


@pytest.mark.parametrize(
    ("text", "moved", "settled"),
    [
        ("sim, pode ser", True, True),
        ("👍", True, True),
        ("Isso mesmo", True, True),
        ("não, obrigada", True, False),
        ("não confirme, por favor", False, False),
        ("sim, mas ainda vou ver", False, False),
        ("quanto custa?", False, False),
    ],
)
def test_an_answer_cites_itself_first_and_then_the_question(text: str, moved: bool, settled: bool) -> None:
    before = (("agent", "Tenho vaga na terça às 10h. Pode ser?"),)
    changes = proposals(("customer", text), before=before, members=ASKED)
    moves = {change["path"]: change for change in changes}
    assert ("/pending/p-1/status" in moves) is moved
    assert ("/facts/horario" in moves) is settled
    for change in moves.values():
        if change["path"] in ("/pending/p-1/status", "/facts/horario"):
            assert [cited["message"] for cited in change["evidence"]] == ["m-2", "m-1"]


def test_an_answer_that_names_one_of_several_options_takes_it() -> None:
    asked = "Posso agendar para terça às 10h ou quinta à tarde. O que prefere?"
    held = {"/pending/p-1": {"question": asked, "options": ["terça às 10h", "quinta à tarde"], "status": "open"}}
    changes = proposals(("customer", "quinta à tarde é melhor"), before=(("agent", asked),), members=held)
    moves = {change["path"]: change["value"] for change in changes}
    assert (moves["/pending/p-1/status"], moves["/facts/horario"]) == ("answered", "quinta à tarde")


def test_a_yes_to_the_question_for_leave_authorizes_what_the_question_names() -> None:
    before = (("agent", "O conserto custa R$ 200,00. Você autoriza o conserto?"),)
    change = next(change for change in proposals(("customer", "Sim, autorizo"), before=before) if "scope" in change["value"])
    assert (change["value"]["action"], change["value"]["scope"]) == ("execute", "o conserto")
    assert [cited["message"] for cited in change["evidence"]] == ["m-2", "m-1"]
    assert members_of("authorizations", ("customer", "ainda não, espera"), before=before) == []


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Não me liguem antes das 9h.", [{"text": "Não me liguem antes das 9h", "applies_to": ["commitments:return_call"]}]),
        ("por favor não toquem no portão", [{"text": "por favor não toquem no portão", "applies_to": []}]),
        ("não me mandem áudio, por favor!", [{"text": "não me mandem áudio", "applies_to": ["commitments:delivery"]}]),
        ("Nada de visita no feriado", [{"text": "Nada de visita no feriado", "applies_to": ["commitments:visit"]}]),
        ("não liga", []),  # an appliance that does not start
        ("não enviem ainda", []),
        ("vocês não entregam aqui?", []),
    ],
)
def test_a_prohibition_is_kept_in_its_own_words(text: str, made: list[Any]) -> None:
    assert members_of("constraints", ("customer", text)) == made


def test_a_prohibition_is_lifted_by_words_that_allow_what_it_names() -> None:
    held = {"/constraints/k-1": {"text": "não liguem aos domingos"}}
    assert members_of("constraints", ("customer", "podem ligar aos domingos, sem problema"), members=held) == [
        ("/constraints/k-1", None)
    ]
    assert members_of("constraints", ("customer", "podem ligar na segunda"), members=held) == []


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Ficou decidido: troca da placa", [("troca da placa", None)]),
        ("Optamos por trocar a placa porque o conserto custa mais", [("trocar a placa", "o conserto custa mais")]),
        ("Vamos usar peça original", [("Vamos usar peça original", None)]),
        ("Vamos usar peça original?", []),
    ],
)
def test_a_decision_is_kept_with_its_reason_where_one_is_given(text: str, made: list[Any]) -> None:
    assert [(item["text"], item["reason"]) for item in members_of("decisions", ("agent", text))] == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Autorizo o conserto do aparelho", [("execute", "conserto do aparelho")]),
        ("autorizo vocês a compartilhar meu contato com a transportadora", [("contact", None)]),
        ("Podem mandar o orçamento por e-mail", [("send", "mandar o orçamento por e-mail")]),
        ("prefiro que mandem por e-mail", []),  # a preference is no authorisation
        ("não autorizo o conserto", []),
        ("podem mandar?", []),
    ],
)
def test_permission_is_express_or_none(text: str, made: list[Any]) -> None:
    found = members_of("authorizations", ("customer", text))
    assert [(item["action"], item["scope"] if made[0][1] else None) for item in found] == made


def test_a_change_of_mind_takes_a_permission_back() -> None:
    held = {"/authorizations/a-1": {"action": "execute", "scope": "consertar o aparelho", "status": "granted"}}
    moved = members_of("authorizations", ("customer", "Mudei de ideia, não quero o conserto"), members=held)
    assert moved == [("/authorizations/a-1/status", "revoked")]


def test_what_was_tried_is_kept_with_what_came_of_it() -> None:
    tried = members_of("attempts", ("customer", "Já reiniciei o roteador e não adiantou"))
    assert [(item["action"], item["by"], item["status"]) for item in tried] == [
        ("Já reiniciei o roteador", "customer", "failed")
    ]
    suggested = members_of("attempts", ("agent", "Experimente trocar o cabo"))
    assert [(item["by"], item["status"]) for item in suggested] == [("team", "suggested")]
    waiting = {"/attempts/t-1": {"action": "trocar o cabo", "status": "suggested"}}
    assert members_of("attempts", ("customer", "funcionou!"), members=waiting) == [("/attempts/t-1/status", "worked")]


def test_a_member_with_the_same_words_is_not_proposed_again() -> None:
    held = {"/constraints/k-1": {"text": "não liguem aos domingos"}}
    assert members_of("constraints", ("customer", "Não liguem aos domingos!"), members=held) == []
    waiting = [{"path": "/constraints/-", "value": {"text": "não liguem aos domingos"}}]
    assert members_of("constraints", ("customer", "não liguem aos domingos"), proposed=waiting) == []
