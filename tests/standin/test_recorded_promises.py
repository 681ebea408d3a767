"""A promise that was recorded with its reply, and the model's reading of that reply: said once, it is there once (M7)."""

from __future__ import annotations

import pytest

from memoria.proposals import Change, Verdict
from memoria.reply_check import Code, check
from tests.memoria.bench import Bench, cite
from tests.memoria.replying import SERVICE, ground
from tests.standin.talk import proposals

REPLIES = [
    # the reply, how many promises it makes, and how many of them are read again in the very words they were recorded in
    ("Vou verificar a agenda e retorno até amanhã.", 2, 2),
    ("Te ligo amanhã às 15h!", 1, 1),
    ("Te mando o laudo ainda hoje", 1, 1),
    ("Bom dia! Enviaremos a peça na segunda.", 1, 1),
    ("Vou consultar o estoque, e te aviso hoje", 2, 2),
    ("Vou verificar e te retorno ainda hoje.", 2, 2),
    ("Damos retorno amanhã", 1, 0),
    ("O técnico vai passar amanhã", 1, 0),
    ("Vou agendar a visita para quinta às 14h e confirmo até amanhã", 2, 1),
]


@pytest.mark.parametrize(("text", "count", "same"), REPLIES, ids=[row[0] for row in REPLIES])
def test_what_was_recorded_with_a_reply_is_not_proposed_as_new(text: str, count: int, same: int) -> None:
    offered = [item for item in check(text, ground()) if item.code is Code.PROMISE_UNRECORDED and item.offer is not None]
    assert len(offered) == count
    bench = Bench(SERVICE)
    reply = bench.say("agent", text, "Ana")
    for item in offered:
        assert item.offer is not None
        value = {"task": item.offer.task, "owner": "team", "due": item.offer.due}
        bench.put("/commitments/-", value, evidence=cite((reply, text[item.start : item.end], item.start)))
    read = [
        bench.one("add", "/commitments/-", found["value"] | {"kind": None}, (reply, found["evidence"][0]["quote"]))
        for found in proposals(("agent", text))
        if found["path"] == "/commitments/-"
    ]
    assert read
    verdicts = [held.judgement.verdict for held in read]
    assert verdicts.count(Verdict.NO_CHANGE) == same
    for held in read:
        known = held.judgement.verdict is Verdict.NO_CHANGE
        doubted = [caution.kind for caution in held.judgement.cautions]
        assert known or "possible_duplicate" in doubted, held.change


def test_a_promise_that_nobody_recorded_is_a_plain_proposal() -> None:
    bench = Bench(SERVICE)
    reply = bench.say("agent", "Te ligo amanhã às 15h!", "Ana")
    held = bench.propose(Change("add", "/commitments/-", {"task": "ligar", "owner": "team"}, cite((reply, "Te ligo amanhã"))))[
        0
    ]
    assert (held.judgement.verdict, held.judgement.cautions) == (Verdict.ALLOWED, ())
