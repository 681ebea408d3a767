"""E11: the evidence may be an answer and the question of the other side that it answers."""

from __future__ import annotations

import pytest

from memoria.evidence import Found, Messages, find_quotes
from memoria.patch import Json
from memoria.proposals import Citation, Judgement
from tests.memoria.bench import Bench, a_field, a_type

TYPE = a_type({"/facts/unidade": a_field(literal=True), "/facts/a": a_field(), "/identifiers/id": a_field()})


def answered(question: str, answer: str, value: Json, path: str = "/facts/unidade", quote: str | None = None) -> Judgement:
    bench = Bench(TYPE)
    bench.say("agent", question)
    bench.say("customer", answer)
    return bench.one("add", path, value, ("m-2", answer), ("m-1", quote or question)).judgement


@pytest.mark.parametrize("answer", ["sim", "isso", "👍", "👍🏽", "S", "Sim, pode"])
def test_a_short_answer_and_its_question_carry_a_value(answer: str) -> None:
    """E11: the whole message is enough, and whose it is decides the source (E5)."""
    judgement = answered("A unidade é Boa Vista?", answer, "Boa Vista")
    assert judgement.verdict == "allowed"
    assert judgement.source == "customer"
    assert [item.message for item in judgement.evidence] == ["m-2", "m-1"]


def test_a_literal_may_stand_in_the_question() -> None:
    """E11, E10: and it is looked for as strictly there."""
    assert answered("É o pedido AB-12345?", "sim", "AB-12345", "/identifiers/id").verdict == "allowed"
    assert answered("É o pedido AB-12345?", "sim", "AB-12346", "/identifiers/id").code == "evidence.value_not_in_quote"
    assert answered("É AB-12345 ou não?", "sim", "AB-12345", "/identifiers/id", "ou não?").code == "evidence.value_not_in_quote"


def test_the_question_first_would_be_the_askers_word() -> None:
    """E11: the answer first. The other way round the source is the agent, who only asked, and the question is marked."""
    bench = Bench(TYPE)
    bench.say("agent", "A unidade é Boa Vista?")
    bench.say("customer", "sim")
    judgement = bench.one("add", "/facts/unidade", "Boa Vista", ("m-1", "A unidade é Boa Vista?"), ("m-2", "sim")).judgement
    assert judgement.source == "agent"
    assert "question" in judgement.evidence[0].cautions


def test_a_question_alone_is_marked_and_its_answer_is_no_part_of_it() -> None:
    """E8, E11: `A unidade é Boa Vista?` without an answer says nothing yet."""
    bench = Bench(TYPE)
    bench.say("customer", "A unidade é Boa Vista?")
    judgement = bench.one("add", "/facts/unidade", "Boa Vista", ("m-1", "A unidade é Boa Vista?")).judgement
    assert [caution.kind for caution in judgement.cautions] == ["question"]


def test_an_answer_that_takes_itself_back_is_marked() -> None:
    """E8: what turns the answer is seen as anywhere."""
    bench = Bench(TYPE)
    bench.say("agent", "A unidade é Boa Vista?")
    bench.say("customer", "acho que sim")
    found = find_quotes([Citation("m-2", "sim"), Citation("m-1", "A unidade é Boa Vista?")], Messages(bench.messages.values()))
    assert isinstance(found, tuple)
    assert all(isinstance(item, Found) for item in found)
    assert found[0].evidence.cautions == ("hedge",)


def test_a_short_answer_within_a_longer_message_is_too_short_alone() -> None:
    """E11, E4: `S` is enough where it is the whole message, not where it is picked out of one."""
    bench = Bench(TYPE)
    bench.say("agent", "Boa Vista?")
    bench.say("customer", "S, mas ligue")
    judgement = bench.one("add", "/facts/unidade", "Boa Vista", ("m-2", "S"), ("m-1", "Boa Vista?")).judgement
    assert judgement.code == "evidence.quote_too_short"
