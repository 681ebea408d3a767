"""What every answer carries: its request's id, a strict policy, and no licence to cache what is private."""

from __future__ import annotations

import json
import urllib.request
from ipaddress import ip_network
from typing import Any, NamedTuple

import pytest
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from atendimento.middleware import ForwardedMiddleware, PrivatePagesMiddleware
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


class Seen(NamedTuple):
    address: str
    secure: bool
    left: bool  # whether anything below still sees what was forwarded


def seen(**meta: str) -> Seen:
    """Who asks, as everything below finds it."""
    found: list[HttpRequest] = []

    def view(request: HttpRequest) -> HttpResponse:
        found.append(request)
        return HttpResponse()

    ForwardedMiddleware(view)(RequestFactory().get("/", **meta))  # type: ignore[arg-type]
    (request,) = found
    return Seen(request.META["REMOTE_ADDR"], request.is_secure(), "X-Forwarded-For" in request.headers)


FORWARDED = {"HTTP_X_FORWARDED_FOR": "8.8.8.8, 203.0.113.7, 10.0.0.2", "HTTP_X_FORWARDED_PROTO": "https"}


def test_nobody_is_believed_about_who_asks_unless_a_proxy_is_named(settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert seen(REMOTE_ADDR="127.0.0.1", **FORWARDED) == ("127.0.0.1", False, False)
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    assert seen(REMOTE_ADDR="203.0.113.9", **FORWARDED) == ("203.0.113.9", False, False)
    # The proxy heard another proxy of ours, and that one heard 203.0.113.7; who stands before is hearsay.
    assert seen(REMOTE_ADDR="10.0.0.1", **FORWARDED) == ("203.0.113.7", True, False)
    assert seen(REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="8.8.8.8, nobody") == ("10.0.0.1", False, False)


def test_figures_are_for_the_bearer_of_their_token_or_for_this_machine_alone(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", REMOTE_ADDR="203.0.113.9").status_code == 403
    assert client.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 403
    settings.SERVED_HERE = False
    assert client.get("/metrics").status_code == 403
    settings.METRICS_TOKEN = "a-long-one"
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer another"}).status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer a-long-one"}).status_code == 200


def test_figures_name_routes_and_never_paths(live_server: LiveServer) -> None:
    for _ in range(2):
        with urllib.request.urlopen(f"{live_server.url}/healthz") as answer:
            assert json.load(answer) == {"status": "ok"}
    with urllib.request.urlopen(f"{live_server.url}/metrics") as answer:
        figures = answer.read().decode()

    assert 'lastro_request_seconds_count{method="GET",route="healthz",status="200"}' in figures
    assert 'route="/healthz' not in figures
