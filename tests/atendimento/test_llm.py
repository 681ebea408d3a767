"""One call is one HTTP request; whatever servers and networks do comes back as an outcome."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from atendimento import llm
from atendimento.llm import Embedded, Endpoint, ask, embed
from memoria.extraction import Request, Usage
from memoria.proposals import Change, Citation
from memoria.runs import Answered, Declined, Mode, Outcome, Problem, Rejected, Unreached, Unreadable
from tests.memoria.asking import ask_about
from tests.memoria.bench import Bench
from tests.support.model_server import ModelServer, Reply, completion


@pytest.fixture
def endpoint(model_server: ModelServer) -> Endpoint:
    return Endpoint(model_server.url, "secret", "test-model", timeout=0.5)


@pytest.fixture
def request_for_a() -> Request:
    bench = Bench()
    return ask_about(bench, bench.say("customer", "Moro em Casa Forte"))


def test_an_answer_comes_back_as_changes_with_usage_and_the_servers_name_for_the_model(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request
) -> None:
    model_server.answer({"op": "add", "path": "/facts/a", "value": "x", "evidence": [{"message": "m-1", "quote": "Moro"}]})
    reply = ask(request_for_a, endpoint, Mode.JSON_SCHEMA)
    assert reply.outcome == Answered((Change("add", "/facts/a", "x", (Citation("m-1", "Moro"),)),))
    assert (reply.usage.prompt_tokens, reply.model) == (100, "scripted")
    assert json.loads(reply.raw)["choices"]
    asked = model_server.chats[0]
    headers = {name.lower(): value for name, value in asked.headers.items()}
    assert headers["authorization"] == "Bearer secret"
    assert asked.body["model"] == "test-model"


def test_each_mode_asks_in_its_own_way_and_only_the_plain_ones_carry_the_schema_in_words(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request
) -> None:
    for mode in Mode:
        ask(request_for_a, endpoint, mode)
    marked, schema, json_object, tool, text = [asked.body for asked in model_server.chats]
    assert marked["response_format"] == schema["response_format"]
    assert marked["messages"][0]["content"] == [
        {"type": "text", "text": request_for_a.system, "prompt_cache_breakpoint": {"mode": "explicit"}}
    ]
    assert marked["prompt_cache_options"] == {"mode": "explicit"}
    assert marked["messages"][1:] == schema["messages"][1:]
    assert not any("prompt_cache" in key for key in schema)
    assert schema["response_format"]["json_schema"] == {
        "name": "propose_changes",
        "strict": True,
        "schema": request_for_a.schema,
    }
    assert json_object["response_format"] == {"type": "json_object"}
    assert tool["tools"][0]["function"]["parameters"] == request_for_a.schema
    assert tool["tool_choice"] == {"type": "function", "function": {"name": "propose_changes"}}
    assert {"response_format", "tools"}.isdisjoint(text)
    assert ["additionalProperties" in body["messages"][0]["content"] for body in (schema, json_object, tool, text)] == [
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (429, Unreached("rate_limit", None, 429, "scripted failure")),
        (408, Unreached("timeout", None, 408, "scripted failure")),
        (500, Unreached("server_error", None, 500, "scripted failure")),
        (503, Unreached("server_error", None, 503, "scripted failure")),
        (400, Rejected(400, "scripted failure")),
        (401, Rejected(401, "scripted failure")),
        (403, Rejected(403, "scripted failure")),
        (404, Rejected(404, "scripted failure")),
        (409, Rejected(409, "scripted failure")),
        (422, Rejected(422, "scripted failure")),
    ],
)
def test_an_error_status_is_an_outcome_and_the_client_retries_nothing_by_itself(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request, status: int, outcome: Outcome
) -> None:
    model_server.fail(status)
    assert ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome == outcome
    assert len(model_server.chats) == 1


@pytest.mark.parametrize("as_date", [False, True])
def test_what_the_server_asks_to_wait_is_read_from_both_forms_of_its_header(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request, *, as_date: bool
) -> None:
    then = datetime.now(UTC) + timedelta(hours=1)
    model_server.fail(429, retry_after=format_datetime(then, usegmt=True) if as_date else "3600")
    outcome = ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome
    assert isinstance(outcome, Unreached)
    assert outcome.retry_after == pytest.approx(3600, abs=60)


def test_a_server_that_hangs_cuts_or_is_not_there_is_an_outcome(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request
) -> None:
    model_server.hang(2.0)
    assert ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome == Unreached("timeout")
    model_server.cut_connection()
    cut = ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome
    assert isinstance(cut, Unreached)
    assert cut.kind == "connection"
    nobody = ask(request_for_a, Endpoint("http://127.0.0.1:9/v1", "", "m", 0.5), Mode.JSON_SCHEMA).outcome
    assert isinstance(nobody, Unreached)
    assert nobody.kind == "connection"


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "script",
    [
        lambda server: server.drip(),
        lambda server: server.send(HEAD + b"X-Slow: " + b"a" * 200, drip=0.1),  # not even the head is whole in time
        lambda server: server.send(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 40, drip=0.02),
        lambda server: server.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n{\r\n" * 100, drip=0.02),
    ],
)
def test_a_server_that_drips_holds_nobody_beyond_the_deadline(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request, script: Callable[[ModelServer], None]
) -> None:
    script(model_server)
    began = time.monotonic()
    assert ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome == Unreached("timeout")
    assert time.monotonic() - began < 9  # the deadline is half a second; what is more is a busy machine's
    # The connection is given up with it: the next request has one of its own.
    assert isinstance(ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome, Answered)


@pytest.mark.parametrize(
    "raw",
    [
        b"",  # closed without a word
        b"SSH-2.0-OpenSSH_9.6\r\n",  # no HTTP at all
        HEAD,  # closed in the head
        HEAD + b"Content-Length: 400\r\n\r\n{",  # closed in the body
        HEAD + b'Transfer-Encoding: chunked\r\n\r\n5\r\n{"cho',  # closed in a chunk
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",  # a length that is none
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
    ],
)
def test_a_connection_that_breaks_wherever_it_does_is_an_outcome_of_one_request(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request, raw: bytes
) -> None:
    model_server.send(raw)
    outcome = ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome
    assert isinstance(outcome, Unreached)
    assert outcome.kind in ("connection", "not_a_completion")
    assert len(model_server.chats) == 1


def test_what_is_to_be_done_meanwhile_is_done_before_the_answer_comes_and_ends_the_request_where_it_fails(
    model_server: ModelServer, request_for_a: Request
) -> None:
    patient = Endpoint(model_server.url, "secret", "test-model", timeout=60.0)
    model_server.answer()
    # The server has been asked when it is done.
    reply = ask(request_for_a, patient, Mode.TEXT, meanwhile=lambda: void(model_server.wait_for_chats(1)))
    assert isinstance(reply.outcome, Answered)

    def fail() -> None:
        # Once the server has taken it: a request that comes later would take the next test's answer.
        model_server.wait_for_chats(2)
        raise ZeroDivisionError

    model_server.hang(30)
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        ask(request_for_a, patient, Mode.TEXT, meanwhile=fail)
    assert time.monotonic() - began < 20


def void(_: object) -> None:
    """For a callback that is to return nothing."""


def test_threads_that_ask_first_at_the_same_time_share_one_loop() -> None:
    for _ in range(5):
        fresh = llm._Loop()
        with ThreadPoolExecutor(8) as pool:
            (loop,) = set(pool.map(lambda _, of=fresh: of.get(), range(8)))
        loop.call_soon_threadsafe(loop.stop)
        deadline = time.monotonic() + 30
        while loop.is_running():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        loop.close()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_followed_nowhere(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request, status: int
) -> None:
    model_server.reply(Reply(status=status, headers={"Location": f"{model_server.url}/chat/completions"}))
    assert ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome == Rejected(status, "")
    assert len(model_server.requests) == 1


def test_what_the_model_itself_does_wrong_is_told_apart(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request
) -> None:
    model_server.refuse()
    model_server.filter()
    model_server.say_nothing()
    model_server.answer_text("")
    model_server.cut_answer()
    model_server.answer_text("Claro! Aqui está")
    outcomes = [ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome for _ in range(6)]
    assert [outcome.problem for outcome in outcomes if isinstance(outcome, Declined | Unreadable)] == [
        Problem.REFUSED,
        Problem.FILTERED,
        Problem.FILTERED,
        Problem.EMPTY,
        Problem.TRUNCATED,
        Problem.INVALID_ANSWER,
    ]


@pytest.mark.parametrize(
    "body",
    [b"<html>Bad gateway</html>", b"", b"null", b"[]", b'{"choices": 3}', b"\xff\xfe\x00", b"[" * 100_000],
)
def test_a_body_that_is_no_completion_is_asked_for_again_and_breaks_nothing(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request, body: bytes
) -> None:
    model_server.reply(Reply(body=body))
    assert ask(request_for_a, endpoint, Mode.JSON_SCHEMA).outcome == Unreached("not_a_completion")


def test_an_answer_with_characters_that_no_database_takes_can_be_stored_all_the_same(
    model_server: ModelServer, endpoint: Endpoint, request_for_a: Request
) -> None:
    body = json.dumps(completion("\ud800\0 não é JSON")).encode()
    model_server.reply(Reply(body=body))
    reply = ask(request_for_a, endpoint, Mode.JSON_SCHEMA)
    assert isinstance(reply.outcome, Unreadable)
    assert "\0" not in reply.outcome.raw
    reply.outcome.raw.encode()


def test_texts_are_embedded_in_their_order(model_server: ModelServer, endpoint: Endpoint) -> None:
    embedded = embed(["um dois", "três"], endpoint)
    assert isinstance(embedded, Embedded)
    assert len(embedded.vectors) == 2
    assert embedded.vectors[0] != embedded.vectors[1]
    assert embedded.usage == Usage(1, 0, 0)


def test_embeddings_that_cannot_be_had_are_an_outcome() -> None:
    assert isinstance(embed(["um"], Endpoint("http://127.0.0.1:9/v1", "", "m", 0.5)), Unreached)


def test_a_key_is_never_written_out() -> None:
    assert "secret" not in repr(Endpoint("http://127.0.0.1:9/v1", "secret", "m"))


def test_a_mode_is_remembered_for_the_same_server_and_model_whatever_the_key() -> None:
    here = Endpoint("http://127.0.0.1:9/v1", "a", "m")
    assert here.identity == Endpoint("http://127.0.0.1:9/v1/", "b", "m").identity
    assert here.identity != Endpoint("http://127.0.0.1:9/v1", "a", "other").identity


def test_of_many_endpoints_the_longest_unused_are_let_go(model_server: ModelServer, request_for_a: Request) -> None:
    for number in range(llm._CLIENTS + 5):
        assert ask(request_for_a, Endpoint(model_server.url, f"key-{number}", "scripted", 5.0), Mode.JSON_SCHEMA).raw
    assert len(llm._clients) == llm._CLIENTS
    assert all(not held.users and not held.client.is_closed() for held in llm._clients.values())
    assert next(reversed(llm._clients)).api_key == f"key-{llm._CLIENTS + 4}"
