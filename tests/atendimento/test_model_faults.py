"""Every row of the table of faults, against a real server that misbehaves so: what becomes of the message, how many requests
it takes, what a person sees, and that a person can have it read afterwards. Nothing is lost, nothing doubled.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client

from atendimento import actions
from atendimento.actions import asking
from atendimento.embedded import free_port
from atendimento.models import EndpointMode, Message, OutboxEntry, Proposal, ProposedChange, RunStatus, Ticket
from tests.atendimento.test_runs import TORRE, run
from tests.builders import House, same_organization, say
from tests.support.asking import text
from tests.support.model_server import ModelServer, Reply

Script = Callable[[ModelServer], None]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
GOOD = json.dumps({"changes": [TORRE]}, ensure_ascii=False)
UNAVAILABLE = "Não foi possível falar com o modelo."
REFUSED = "O modelo recusou responder."
FILTERED = "A resposta foi retida por um filtro de conteúdo."
EMPTY = "O modelo não respondeu nada."
CUT = "A resposta foi cortada antes do fim."
UNREADABLE = "A resposta não pôde ser lida."
REJECTED = "O servidor do modelo não aceita o pedido."


def status(code: int, times: int = 1, message: str = "scripted failure") -> Script:
    return lambda server: server.fail(code, times=times, message=message)


def says(words: str | None, times: int = 1, **more: Any) -> Script:
    def script(server: ModelServer) -> None:
        for _ in range(times):
            server.answer_text(words, **more)

    return script


def sends(raw: bytes, times: int = 1) -> Script:
    def script(server: ModelServer) -> None:
        for _ in range(times):
            server.send(raw)

    return script


def body(content: bytes) -> Script:
    return lambda server: server.reply(Reply(body=content))


def one_after_another(*scripts: Script) -> Script:
    def script(server: ModelServer) -> None:
        for each in scripts:
            each(server)

    return script


def calls(name: str, arguments: str, times: int = 1) -> Script:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}
    return says(None, times, finish="tool_calls", tool_calls=[call])


@dataclass(frozen=True)
class Row:
    """A fault, and what must come of it. `seen` is part of what the ticket's page says; '' where all went well."""

    script: Script
    requests: int
    code: str = ""  # of the problem; '' where the message is read
    seen: str = ""
    tested: bool = False  # the server has taken this mode before
    timeout: float = 5.0


ONCE = {
    "429": Row(status(429), 2),
    "408": Row(status(408), 2),
    "500": Row(status(500), 2),
    "502": Row(status(502), 2),
    "503": Row(status(503), 2),
    "504": Row(status(504), 2),
    "529, which no standard knows": Row(status(529), 2),
    "dropped in the body": Row(lambda server: server.cut_connection(), 2),
    "dropped in the head": Row(sends(HEAD), 2),
    "dropped in a chunk": Row(sends(HEAD + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"cho'), 2),
    "closed without a word": Row(sends(b""), 2),
    "no HTTP": Row(sends(b"\x15\x03\x01\x00\x02\x02\x46"), 2),
    "no answer in time": Row(lambda server: server.hang(2.0), 2, timeout=0.5),
    "an answer that drips": Row(lambda server: server.drip(), 2, timeout=0.5),
    "a proxy's page": Row(body(b"<html>Bad gateway</html>"), 2),
    "half a document": Row(body(b'{"choices": [{"mess'), 2),
    "another document": Row(body(b'{"object": "list", "data": []}'), 2),
    "bytes that are no text": Row(body(b"\xff\xfe\x00\x01"), 2),
    "a fence around the whole": Row(says(f"```json\n{GOOD}\n```"), 1),
    "white space around the whole": Row(says(f"\n\n  {GOOD}\n"), 1),
    "malformed JSON": Row(says('Claro! Aqui está: {"changes": [oops'), 2),
    "JSON inside prose": Row(says(f"Segue o resultado:\n```json\n{GOOD}\n```\nEspero ter ajudado."), 2),
    "JSON of another shape": Row(says('{"unexpected": true}'), 2),
    "a list where an object stands": Row(says("[]"), 2),
    "a change that is no object": Row(says('{"changes": ["Torre"]}'), 2),
    "a path that is no text": Row(says('{"changes": [{"op": "add", "path": 3, "evidence": []}]}'), 2),
    "the same key twice": Row(says('{"changes": [], "changes": []}'), 2),
    "cut off": Row(lambda server: server.cut_answer(), 2),
    "cut off where it parses": Row(says(GOOD, finish="length"), 2),
    "a tool that there is not": Row(calls("apply_directly", GOOD), 2),
    "an answer by tool call": Row(calls("propose_changes", GOOD), 1),
    "400, the mode untested": Row(status(400), 2),
    "404, the mode untested": Row(status(404), 2),
    "422, the mode untested": Row(status(422), 2),
    "three modes refused": Row(status(400, 3), 4),
    "one of everything": Row(one_after_another(status(400), status(500), says("{")), 4),
    "empty": Row(says(""), 1, "model.empty", EMPTY),
    "only white space": Row(says(" \n\t"), 1, "model.empty", EMPTY),
    "no content": Row(says(None), 1, "model.empty", EMPTY),
    "a refusal": Row(lambda server: server.refuse(), 1, "model.refused", REFUSED),
    "filtered": Row(lambda server: server.filter(), 1, "model.filtered", FILTERED),
    "filtered with an answer": Row(says(GOOD, finish="content_filter"), 1, "model.filtered", FILTERED),
    "no choices": Row(lambda server: server.say_nothing(), 1, "model.filtered", FILTERED),
    "400, the mode known": Row(status(400), 1, "model.rejected_request", REJECTED, tested=True),
    "404, the mode known": Row(status(404), 1, "model.rejected_request", REJECTED, tested=True),
    "422, the mode known": Row(status(422), 1, "model.rejected_request", REJECTED, tested=True),
    "401": Row(status(401), 1, "model.rejected_request", REJECTED),
    "403": Row(status(403), 1, "model.rejected_request", REJECTED),
    "409": Row(status(409), 1, "model.rejected_request", REJECTED),
    "413": Row(status(413), 1, "model.rejected_request", REJECTED),
    "redirected": Row(lambda s: s.reply(Reply(status=307, headers={"Location": s.url})), 1, "model.rejected_request", REJECTED),
}
ALWAYS = {
    "429": Row(status(429, 9), 5, "model.unavailable", UNAVAILABLE),
    "500": Row(status(500, 9), 5, "model.unavailable", UNAVAILABLE),
    "dropped": Row(sends(b"", 9), 5, "model.unavailable", UNAVAILABLE),
    "401": Row(status(401, 9), 1, "model.rejected_request", REJECTED),
    "400 in every mode": Row(status(400, 9), 4, "model.rejected_request", REJECTED),
    "malformed": Row(says("{", 9), 2, "model.invalid_answer", UNREADABLE),
    "another shape": Row(says('{"unexpected": true}', 9), 2, "model.invalid_answer", UNREADABLE),
    "prose": Row(says(f"Segue: {GOOD}", 9), 2, "model.invalid_answer", UNREADABLE),
    "a tool that there is not": Row(calls("apply_directly", GOOD, 9), 2, "model.invalid_answer", UNREADABLE),
    "cut off": Row(says(GOOD, 9, finish="length"), 2, "model.truncated", CUT),
    "every mode refused, then malformed, then down": Row(
        one_after_another(status(400, 3), says("{"), status(500, 9)), 5, "model.unavailable", UNAVAILABLE
    ),
    "down, then malformed": Row(one_after_another(status(500, 4), says("{", 9)), 5, "model.invalid_answer", UNREADABLE),
}


def page_of(house: House, ticket: Ticket) -> str:
    browser = Client(headers={"accept-language": "pt-BR"})
    browser.force_login(house.ana.user, "allauth.account.auth_backends.AuthenticationBackend")
    with same_organization():
        return text(browser.get(f"/tickets/{ticket.pk}/"))


def run_to_its_end(house: House) -> Proposal:
    row = run(house)
    for _ in range(20):
        if row.status not in (RunStatus.QUEUED, RunStatus.RUNNING):
            return row
        assert Message.objects.filter(awaits_reading=True).count() == 1
        row = run(house)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("row", [*ONCE.values(), *ALWAYS.values()], ids=[*ONCE, *(f"always {name}" for name in ALWAYS)])
def test_no_fault_loses_or_doubles_a_message(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any, row: Row
) -> None:
    settings.MODEL_TIMEOUT = row.timeout
    if row.tested:
        EndpointMode.objects.create(identity=asking.endpoint().identity, mode="json_schema")
    say(house, ticket, "Moro em Torre")
    row.script(model_server)
    if row.requests > 1:
        model_server.answer(TORRE)

    proposal = run_to_its_end(house)

    assert len(model_server.chats) == row.requests == proposal.attempts
    assert proposal.attempts <= settings.MODEL_MAX_TRIES
    assert proposal.problem_code == row.code
    assert not OutboxEntry.objects.exists()
    if row.code:
        assert proposal.status == RunStatus.PARKED
        assert row.seen in page_of(house, ticket)
        assert Message.objects.filter(awaits_reading=True).count() == 1
        # A person has it tried again, by a server that is well.
        model_server.reset()
        model_server.answer(TORRE)
        actions.request_proposal(member=house.ana, ticket_id=ticket.pk)
        proposal = run_to_its_end(house)
    assert proposal.status == RunStatus.READY
    assert [change.value for change in ProposedChange.objects.all()] == ["Torre"]
    assert not Message.objects.filter(awaits_reading=True).exists()


def test_where_nobody_listens_it_is_tried_to_the_last_and_kept(
    house: House, ticket: Ticket, model_server: ModelServer, settings: Any
) -> None:
    url, settings.OPENAI_BASE_URL = settings.OPENAI_BASE_URL, f"http://127.0.0.1:{free_port()}/v1"
    say(house, ticket, "Moro em Torre")

    proposal = run_to_its_end(house)

    assert (proposal.status, proposal.problem_code, proposal.attempts) == (RunStatus.PARKED, "model.unavailable", 5)
    assert UNAVAILABLE in page_of(house, ticket)
    settings.OPENAI_BASE_URL = url
    model_server.answer(TORRE)
    actions.request_proposal(member=house.ana, ticket_id=ticket.pk)
    assert run_to_its_end(house).status == RunStatus.READY
    assert ProposedChange.objects.count() == 1
