"""JSON that readers understand differently, at both ways in: a posted proposal, and an answer of the model.

Neither is mended: a posted one is refused as a whole, an answer is asked for once more and then parked with its words kept.
"""

from __future__ import annotations

import pytest

from atendimento.models import LedgerEvent, Proposal, ProposedChange, RunStatus, Ticket
from tests.atendimento.test_runs import run
from tests.builders import House, say
from tests.support.model_server import ModelServer

GOOD = '{"op":"replace","path":"/facts/horario","value":"14h","evidence":[{"message":"m-1","quote":"às 14h"}]}'


def bairro(value: str) -> str:
    """A change of the neighbourhood, its value spelled as given."""
    return f'{{"op":"replace","path":"/facts/bairro","value":{value},"evidence":[{{"message":"m-1","quote":"Torre"}}]}}'


UNREADABLE = {
    "a value given twice": '"changes":[' + bairro('"Torre","value":"Pina"') + "]",
    "a number beyond every float": f'"changes":[{bairro("1e400")}]',
    "no number, behind a good change": f'"changes":[{GOOD},{bairro("NaN")}]',
    "an operation given twice": '"changes":[' + bairro('"Torre","op":"remove"') + "]",
    "the list given twice": f'"changes":[{GOOD}],"changes":[]',
    "a quote given twice": '"changes":[' + bairro('"Torre"').replace('"quote":"Torre"', '"quote":"Torre","quote":"Moro"') + "]",
    "infinity below": f'"changes":[{bairro("-Infinity")}]',
    "a whole number of 5,000 digits": f'"changes":[{bairro("9" * 5000)}]',
    "half a surrogate pair": '"changes":[' + bairro(r'"\ud83d"') + "]",
    "a value nested beyond the limit": f'"changes":[{bairro("[" * 40 + "]" * 40)}]',
    "a comma too many": f'"changes":[{GOOD},]',
    "single quotes": '"changes":[' + bairro("'Torre'") + "]",
    "the end is missing": f'"changes":[{GOOD}',
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_posted_proposal_is_refused_as_a_whole(house: House, ticket: Ticket, body: str) -> None:
    say(house, ticket, "Moro em Torre, às 14h")
    raw = f'{{"base_version":0,"producer":"teste",{body}}}'.encode()

    answer = house.api().call("POST", f"tickets/{ticket.pk}/proposals", raw=raw)

    assert (answer.status, answer.code) == (400, "json.invalid")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert not ProposedChange.objects.exists()
    assert not LedgerEvent.objects.exists()


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_answer_of_the_model_is_unusable_as_a_whole(
    house: House, ticket: Ticket, model_server: ModelServer, body: str
) -> None:
    say(house, ticket, "Moro em Torre, às 14h")
    for _ in range(2):
        model_server.answer_text(f"{{{body}}}")

    assert run(house).status == RunStatus.QUEUED  # asked once more, with what was wrong
    row = run(house)

    assert (row.status, row.problem_code, row.attempts) == (RunStatus.PARKED, "model.invalid_answer", 2)
    assert not ProposedChange.objects.exists()
    assert not LedgerEvent.objects.exists()


@pytest.mark.parametrize("value", ['"Torre"', '"\\u0054orre"', '"Torre" '], ids=["plain", "escaped", "spaced"])
def test_the_same_words_spelled_otherwise_are_taken_at_both(
    house: House, ticket: Ticket, model_server: ModelServer, value: str
) -> None:
    say(house, ticket, "Moro em Torre, às 14h")
    body = f'"changes":[{bairro(value)}]'
    posted = house.api().call(
        "POST", f"tickets/{ticket.pk}/proposals", raw=f'{{"base_version":0,"producer":"teste",{body}}}'.encode()
    )
    model_server.answer_text(f"{{{body}}}")

    assert posted.status == 201
    assert run(house).status == RunStatus.READY
    assert [change.value for change in ProposedChange.objects.all()] == ["Torre", "Torre"]
    assert Proposal.objects.count() == 2
