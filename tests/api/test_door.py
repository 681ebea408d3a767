"""What holds for every call: tokens, roles, strict JSON, errors as problem documents, limits."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

import pytest
from django.test import Client, RequestFactory
from rest_framework.request import Request

from atendimento import jobs
from atendimento.actions import create_api_token
from atendimento.api import queries
from atendimento.api.problems import BadRequest
from atendimento.models import ApiToken, Ticket
from atendimento.selectors.machine import Page
from tests.builders import Api, House, description, same_organization

UNKNOWN = str(uuid.UUID(int=7))

# Per call: method, path, body, and who may. The rest is answered 403, before anything is looked up.
MEMBERS = {"ana", "bruno", "celia", "davi"}
CALLS: list[tuple[str, str, Any, set[str]]] = [
    ("GET", "tickets", None, MEMBERS | {"canal"}),
    ("POST", "tickets", {}, MEMBERS | {"canal"}),
    ("GET", f"tickets/{UNKNOWN}", None, MEMBERS | {"canal"}),
    ("PATCH", f"tickets/{UNKNOWN}", {}, MEMBERS),
    ("GET", f"tickets/{UNKNOWN}/messages", None, MEMBERS | {"canal"}),
    ("POST", f"tickets/{UNKNOWN}/messages", {}, MEMBERS | {"canal"}),
    ("DELETE", f"tickets/{UNKNOWN}/messages/m-1", None, {"canal"}),
    ("GET", f"tickets/{UNKNOWN}/state", None, MEMBERS),
    ("GET", f"tickets/{UNKNOWN}/state/diff", None, MEMBERS),
    ("GET", f"tickets/{UNKNOWN}/proposals", None, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/proposals", {}, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/propose", {}, MEMBERS),
    ("GET", f"proposals/{UNKNOWN}", None, MEMBERS),
    ("GET", "changes", None, MEMBERS),
    ("POST", f"changes/{UNKNOWN}/accept", {}, MEMBERS),
    ("POST", f"changes/{UNKNOWN}/edit", {}, MEMBERS),
    ("POST", f"changes/{UNKNOWN}/reject", {}, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/decisions", {}, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/slots/confirm", {}, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/slots/resolve", {}, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/slots/set", {}, MEMBERS),
    ("POST", f"tickets/{UNKNOWN}/undo", {}, MEMBERS),
    ("GET", f"tickets/{UNKNOWN}/history", None, MEMBERS),
    ("GET", "history", None, {"celia", "davi"}),
    ("GET", "ticket-types/nada", None, MEMBERS),
    ("PUT", "ticket-types/nada", {}, {"davi"}),
    ("POST", "ticket-types/nada/simulate", {}, {"davi"}),
    ("POST", f"customers/{UNKNOWN}/erase", {}, {"celia", "davi"}),
    ("GET", f"customers/{UNKNOWN}/export", None, {"celia", "davi"}),
]


@pytest.mark.parametrize(("method", "path", "body", "who_may"), CALLS)
def test_roles_are_asked_before_anything_is_looked_up(
    house: House, method: str, path: str, body: Any, who_may: set[str]
) -> None:
    for who in house.tokens:
        answer = house.api(who).call(method, path, body)
        if who in who_may:
            assert answer.status in ({404} if UNKNOWN in path or ("nada" in path and method != "PUT") else {200, 400})
        else:
            assert (answer.status, answer.code) == (403, "permission.denied")


@pytest.mark.parametrize(("method", "path", "body", "who_may"), CALLS)
def test_nobody_passes_without_a_token(house: House, method: str, path: str, body: Any, who_may: set[str]) -> None:
    for token in (None, "", "lastro_unknown"):
        answer = Api(token).call(method, path, body)
        assert (answer.status, answer.code) == (401, "authentication.required")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_every_call_that_there_is_has_its_roles_tested() -> None:
    described = {
        (method.upper(), path)
        for path, operations in description()["paths"].items()
        if path.startswith("/api/v1/")
        for method in operations
    }
    tested = {
        (method, "/api/v1/" + path.replace(UNKNOWN, "*").replace("m-1", "*").replace("nada", "*"))
        for method, path, _, _ in CALLS
    }
    plain = {
        (method, "/".join("*" if part.startswith("{") else part for part in path.split("/"))) for method, path in described
    }
    assert plain == tested


def test_a_revoked_token_and_an_inactive_member_are_nobody(house: House) -> None:
    ApiToken.objects.filter(membership=house.ana).update(revoked_at="2020-01-01T00:00:00Z")
    house.bruno.is_active = False
    house.bruno.save()
    house.celia.user.is_active = False
    house.celia.user.save()

    assert [house.api(who).get("tickets").status for who in ("ana", "bruno", "celia", "davi")] == [401, 401, 401, 200]


def test_tokens_are_kept_as_digests_alone(house: House) -> None:
    token = create_api_token(organization=house.organization, name="x", scope="ingest", member=None)

    row = ApiToken.objects.latest("pk")
    assert token not in json.dumps([str(getattr(row, field.attname)) for field in row._meta.concrete_fields])
    assert Api(token).get("tickets").status == 200


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{", "json.invalid"),
        (b"", "json.invalid"),
        (b'{"subject": "a", "subject": "b"}', "json.invalid"),
        (b'{"subject": NaN}', "json.invalid"),
        (b'{"subject": Infinity}', "json.invalid"),
        (b'{"subject": 1e400}', "json.invalid"),
        (b'{"subject": "\\ud800"}', "json.invalid"),
        (b'{"subject\\u0000": "a"}', "json.invalid"),  # without the NUL, a key that the body may hold already
        (b'{"subject": "\xff"}', "json.invalid"),
        (b'{"subject": ' + b"[" * 40 + b"]" * 40 + b"}", "json.invalid"),
        (b"[" * 100_000, "json.invalid"),
        (b"[]", "type.wrong"),
        (b"1" + b"0" * 5000, "json.invalid"),
    ],
)
def test_json_is_read_to_the_letter(house: House, raw: bytes, code: str) -> None:
    answer = house.api("canal").call("POST", "tickets", raw=raw)

    codes = [answer.code, *(item["code"] for item in answer.body.get("errors", ()))]
    assert answer.status == 400
    assert code in codes


def test_nesting_of_32_is_read(house: House, ticket: Ticket) -> None:
    value = b"[" * 28 + b"]" * 28
    raw = b'{"base_version":0,"producer":"p","changes":[{"op":"add","path":"/goal","evidence":[],"value":' + value + b"}]}"

    assert house.api().call("POST", f"tickets/{ticket.pk}/proposals", raw=raw).status == 201


def test_a_message_whose_key_holds_a_nul_is_no_message(house: House, ticket: Ticket) -> None:
    raw = b'{"author": {"kind": "customer"}, "te\\u0000xt": "oi"}'

    answer = house.api("canal").call("POST", f"tickets/{ticket.pk}/messages", raw=raw)

    assert (answer.status, answer.code) == (400, "json.invalid")


def test_a_cursor_is_blamed_only_where_one_was_given() -> None:
    def read() -> Page:
        raise ValueError("a fault of ours")

    plain, followed = (Request(RequestFactory().get("/", query)) for query in ({}, {"cursor": "W10"}))

    with pytest.raises(ValueError, match="a fault of ours"):
        queries.answer(plain, read, dict)
    with pytest.raises(BadRequest):
        queries.answer(followed, read, dict)


def test_a_body_of_more_than_1_mib_is_too_large(house: House) -> None:
    answer = house.api("canal").call("POST", "tickets", raw=b'{"subject": "' + b"x" * 1024 * 1024 + b'"}')

    assert (answer.status, answer.code) == (413, "body.too_large")


def test_a_body_that_is_no_json_is_an_unsupported_type(house: House) -> None:
    answer = house.api("canal").call("POST", "tickets", raw=b"a=1", media="application/x-www-form-urlencoded")

    assert (answer.status, answer.code) == (415, "media_type.unsupported")


@pytest.mark.parametrize(
    ("method", "path", "status"), [("DELETE", "tickets", 405), ("GET", "nada", 404), ("POST", "a/b/c", 404)]
)
def test_calls_that_there_are_not(house: House, method: str, path: str, status: int) -> None:
    answer = house.api().call(method, path, {})

    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/problem+json")


def test_errors_are_problem_documents(house: House) -> None:
    answer = house.api().get(f"tickets/{UNKNOWN}")

    assert answer.headers["Content-Type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "code"} <= set(answer.body)
    assert answer.headers["Cache-Control"] == "no-store, private"


def test_ids_of_any_shape_are_not_found(house: House) -> None:
    for odd in ("x", "%00", "../..", "1" * 300):
        assert house.api().get(f"tickets/{odd}/state").status == 404


def test_the_connection_sees_nobody_s_rows_after_a_request(house: House, ticket: Ticket) -> None:
    with same_organization():
        Client().get("/api/v1/tickets", headers={"Authorization": f"Bearer {house.tokens['ana']}"})
        assert Ticket.objects.count() == 0
    assert Ticket.objects.count() == 1


def test_more_than_200_requests_of_a_token_in_a_second_are_refused(house: House) -> None:
    token = ApiToken.objects.get(membership=house.ana)
    # As if 199 had been counted already, in this second and those that the test may take.
    for second in range(int(time.time()), int(time.time()) + 60):
        jobs.connection().set(f"lastro:rate:{token.pk}:{second}", 199)

    answers = [house.api().get("tickets") for _ in range(30)]

    last = answers[-1] if answers[-1].status == 429 else next(answer for answer in answers if answer.status == 429)
    assert (last.code, last.headers["Retry-After"]) == ("rate.limited", "1")
    assert house.api("bruno").get("tickets").status == 200


def test_answers_speak_the_organisation_s_language(house: House, ticket: Ticket) -> None:
    body = {"path": "/goal/x", "value": 1, "expected_version": 0}

    assert house.api().post(f"tickets/{ticket.pk}/slots/set", body).body["detail"].startswith("Este tipo de atendimento")
    house.organization.language = "en"
    house.organization.save()
    assert house.api().post(f"tickets/{ticket.pk}/slots/set", body).body["detail"].startswith("This ticket type")
