"""What every answer carries: its request's id, a strict policy, and no licence to cache what is private."""

from __future__ import annotations

import json
import urllib.request

import pytest
from django.contrib.auth import get_user_model
from django.http import HttpResponse
from django.test import Client, RequestFactory

from atendimento.middleware import PrivatePagesMiddleware
from tests.support.live import LiveServer


def test_it_is_up(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.django_db
def test_it_is_ready(client: Client) -> None:
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "missing": []})


def test_a_missing_redis_is_named(db: None, client: Client, settings: object) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["missing"]) == (503, ["redis"])


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_health_is_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)("/healthz").status_code == 405


def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere(client: Client) -> None:
    policy = client.get("/healthz")["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_given_request_id_is_kept_and_a_forged_one_replaced(client: Client) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-12345678"})["X-Request-ID"] == "abc-12345678"
    assert "\n" not in client.get("/healthz", headers={"X-Request-ID": 'x"} {"forged'})["X-Request-ID"]


def test_what_a_token_or_a_person_saw_is_stored_nowhere() -> None:
    def page(request: object) -> HttpResponse:
        return HttpResponse("private")

    middleware = PrivatePagesMiddleware(page)
    with_token = RequestFactory().get("/", headers={"Authorization": "Bearer x"})
    signed_in = RequestFactory().get("/")
    signed_in.user = get_user_model()()
    anonymous = RequestFactory().get("/")

    assert middleware(with_token)["Cache-Control"] == "no-store, private"  # type: ignore[index]
    assert middleware(signed_in)["Cache-Control"] == "no-store, private"  # type: ignore[index]
    assert "Cache-Control" not in middleware(anonymous)  # type: ignore[operator]


def test_figures_name_routes_and_never_paths(live_server: LiveServer) -> None:
    for _ in range(2):
        with urllib.request.urlopen(f"{live_server.url}/healthz") as answer:
            assert json.load(answer) == {"status": "ok"}
    with urllib.request.urlopen(f"{live_server.url}/metrics") as answer:
        figures = answer.read().decode()

    assert 'lastro_request_seconds_count{method="GET",route="healthz",status="200"}' in figures
    assert 'route="/healthz' not in figures
