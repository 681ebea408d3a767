"""The tools of the tests do what the tests rely on."""

from __future__ import annotations

import socket

import httpx
import pytest
import redis
from django.conf import settings
from playwright.sync_api import Page

from atendimento.celery import app
from tests.support.live import LiveServer, LiveWorker
from tests.support.model_server import ModelServer

CHAT = {"model": "scripted", "messages": []}


def ask(server: ModelServer, **options: float) -> httpx.Response:
    return httpx.post(f"{server.url}/chat/completions", json=CHAT, **options)  # type: ignore[arg-type]


def test_a_test_reaches_no_other_machine() -> None:
    with socket.socket() as outside, pytest.raises(AssertionError, match=r"tried to reach 192\.0\.2\.1"):
        outside.connect(("192.0.2.1", 80))


def test_answers_come_in_the_order_scripted_and_questions_are_kept(model_server: ModelServer) -> None:
    model_server.answer({"op": "add", "path": "/goal"})
    model_server.fail(429, retry_after="2")
    model_server.refuse("no")

    first, second, third, fourth = (ask(model_server) for _ in range(4))

    assert first.json()["choices"][0]["message"]["content"] == '{"changes": [{"op": "add", "path": "/goal"}]}'
    assert (second.status_code, second.headers["Retry-After"]) == (429, "2")
    assert third.json()["choices"][0]["message"]["refusal"] == "no"
    assert fourth.json()["choices"][0]["message"]["content"] == '{"changes": []}'
    assert [asked.body for asked in model_server.chats] == [CHAT] * 4


def test_faults_of_the_line_are_real(model_server: ModelServer) -> None:
    model_server.hang(1.0)
    model_server.cut_connection()

    with pytest.raises(httpx.ReadTimeout):
        ask(model_server, timeout=0.2)
    with pytest.raises(httpx.RemoteProtocolError):
        ask(model_server)


def test_one_test_does_not_hear_the_script_of_another(model_server: ModelServer) -> None:
    assert (model_server.left, model_server.requests) == (0, [])


def test_equal_texts_have_equal_vectors(model_server: ModelServer) -> None:
    answer = httpx.post(
        f"{model_server.url}/embeddings", json={"model": "m", "input": ["Recife visita", "Recife visita", "outra"]}
    )

    first, same, other = (row["embedding"] for row in answer.json()["data"])
    assert first == same != other


def test_the_worker_listens_on_this_tests_queue(live_worker: LiveWorker) -> None:
    answers = app.control.ping(timeout=10, limit=1) or []

    assert [answer for each in answers for answer in each.values()] == [{"ok": "pong"}]


@pytest.mark.parametrize("turn", [1, 2])
def test_keys_are_gone_in_the_next_test(servers: None, turn: int) -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        assert client.keys("note*") == []
        client.set(f"note-{turn}", "1")


def test_the_reading_page_of_the_api_works_under_its_policy(page: Page) -> None:
    page.goto("/api/docs/")

    page.get_by_role("heading", name="Lastro").wait_for()


@pytest.mark.console_errors
def test_other_pages_refuse_what_is_inline(page: Page, live_server: LiveServer) -> None:
    page.goto("/healthz")

    refused = page.evaluate(
        """() => new Promise(resolve => {
            document.addEventListener('securitypolicyviolation', event => resolve(event.effectiveDirective));
            const script = document.createElement('script');
            script.textContent = 'window.broken = true';
            document.head.append(script);
        })"""
    )

    assert refused == "script-src-elem"
    assert page.evaluate("window.broken") is None
