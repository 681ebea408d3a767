"""Small builders: an organisation with its people, a ticket in it, and a client of the machine's door.

Ana and Bruno are agents, Célia supervises, Davi administers; Eva works for another organisation; the channel delivers.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import jsonschema_rs
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator

from atendimento import access, actions, ledger, proof, tenancy
from atendimento.actions.teams import create_team, set_team_members
from atendimento.models import Membership, Organization, Team, Ticket, TicketState
from memoria.sources import Author, Kind
from memoria.state import replay, state_from_json

PASSWORD = "uma-senha-de-teste"

TICKET_TYPE: dict[str, Any] = {
    "slug": "assistencia",
    "name": "Assistência",
    "fields": {
        "/goal": {"label": "Objetivo", "schema": {"type": "string"}, "sources": ["agent", "customer"]},
        "/facts/bairro": {
            "label": "Bairro",
            "schema": {"type": "string", "maxLength": 80},
            "sources": ["registry", "agent", "customer"],
            "invalidates": ["/facts/horario", "commitments:visit"],
        },
        "/facts/horario": {"label": "Horário", "schema": {"type": "string"}, "sources": ["agent", "customer"]},
        "/facts/aparelho": {
            "label": "Aparelho",
            "schema": {"type": "string"},
            "sources": ["agent", "customer"],
            "tie": "conflict",
        },
        "/identifiers/pedido": {"label": "Pedido", "schema": {"type": "string"}, "sources": ["registry", "customer"]},
    },
    "collections": {
        "commitments": {"sources": ["registry", "tool", "agent", "customer"], "kinds": ["visit", "return_call"]},
        "pending": {"sources": ["agent", "customer"]},
        "constraints": {"sources": ["agent", "customer"]},
    },
}


def ticket_type(slug: str = "assistencia", **changes: Any) -> dict[str, Any]:
    return copy.deepcopy(TICKET_TYPE) | {"slug": slug} | changes


@dataclass(frozen=True)
class House:
    """An organisation, its people, and a token for each."""

    organization: Organization
    ana: Membership
    bruno: Membership
    celia: Membership
    davi: Membership
    tokens: dict[str, str]

    def api(self, who: str = "ana") -> Api:
        return Api(self.tokens[who])

    @property
    def channel(self) -> access.Caller:
        return access.Caller(self.organization, None, "ingest:canal")


def make_house(slug: str = "casa") -> House:
    """An organisation with a published ticket type. The connection sees its rows afterwards."""
    organization, _ = actions.create_organization(slug=slug, name=slug.title())
    tenancy.enter(organization.pk)
    people, tokens = {}, {}
    for name, role in (("ana", "agent"), ("bruno", "agent"), ("celia", "supervisor"), ("davi", "admin")):
        people[name], _ = actions.create_member(
            organization=organization, email=f"{name}@{slug}.example", role=role, name=name.title(), password=PASSWORD
        )
        tokens[name] = actions.create_api_token(organization=organization, name="teste", scope="member", member=people[name])
    tokens["canal"] = actions.create_api_token(organization=organization, name="canal", scope="ingest", member=None)
    actions.publish_ticket_type(member=people["davi"], document=ticket_type())
    return House(organization, **people, tokens=tokens)


def make_ticket(house: House, customer: str = "cli-1") -> Ticket:
    row, _ = actions.create_ticket(
        caller=house.channel,
        ticket_type="assistencia",
        subject="Geladeira parada",
        customer=actions.CustomerData(customer, "Helena"),
    )
    return row


def make_team(
    house: House, name: str, *members: Membership, leads: Collection[Membership] = (), open_to_all: bool = False
) -> Team:
    """A team with these members; `leads` are in it as well."""
    team = create_team(member=house.davi, name=name, open_to_all=open_to_all)
    inside, heads = [row.pk for row in (*members, *leads)], [row.pk for row in leads]
    return set_team_members(member=house.davi, team_id=team.pk, members=inside, leads=heads)


def say(house: House, ticket: Ticket, text: str, kind: Kind = Kind.CUSTOMER, name: str = "Helena", **more: Any) -> str:
    """A message delivered by the channel; its id."""
    author = Author(kind, name, name)
    return actions.receive_message(caller=house.channel, ticket_id=ticket.pk, author=author, text=text, **more).message.ref


def change(path: str, value: Any, *evidence: tuple[str, str], op: str = "add", **more: Any) -> dict[str, Any]:
    cited = [{"message": message, "quote": quote} for message, quote in evidence]
    return {"op": op, "path": path, "value": value, "evidence": cited, **more}


def assert_replays(ticket: Ticket) -> None:
    """What every action leaves behind: the log replays to the projection, and the chain holds (H2, H3)."""
    row = TicketState.objects.get(ticket_id=ticket.pk)
    stored = state_from_json({"version": row.version, "values": row.values, "slots": row.slots, "minted": row.minted})
    assert replay(ledger.events_between(ticket.pk, 0, row.version)) == stored
    assert proof.verify(ticket.pk) == []
    assert Ticket.objects.get(pk=ticket.pk).state_version == row.version


def queries_of(call: Callable[[], object]) -> int:
    """How many queries a call makes."""
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def propose(house: House, ticket: Ticket, *changes: dict[str, Any], who: str = "ana", **more: Any) -> list[dict[str, Any]]:
    """A proposal by the API against the present version; its changes as they came back."""
    version = Ticket.objects.get(pk=ticket.pk).state_version
    body = {"base_version": version, "producer": "teste", "changes": list(changes), **more}
    answer = house.api(who).post(f"tickets/{ticket.pk}/proposals", body)
    assert answer.status in (200, 201), answer.body
    return list(answer.body["changes"])


# --- the machine's door -------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    """The OpenAPI document, as the product makes it."""
    document: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return json.loads(json.dumps(document, default=str))  # type: ignore[no-any-return]


@contextmanager
def same_organization() -> Iterator[None]:
    """A request ends with no organisation set; the test goes on with the one it had."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lastro.organization', true)")
        (held,) = cursor.fetchone()
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lastro.organization', %s, false)", [held or ""])


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any
    headers: Any

    @property
    def code(self) -> str:
        return str(self.body["code"])


class Api:
    """A client with a token. Every answer is checked against the API's description."""

    def __init__(self, token: str | None) -> None:
        self.token = token
        self.client = Client(raise_request_exception=False)

    def get(self, path: str, **query: Any) -> Answer:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.call("POST", path, body)

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Any = None,
        raw: bytes | None = None,
        media: str = "application/json",
    ) -> Answer:
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        data = raw if raw is not None else b"" if body is None else json.dumps(body).encode()
        address = path if path.startswith(("http", "/")) else f"/api/v1/{path}"
        with same_organization():
            response = self.client.generic(method, address, data, content_type=media, headers=headers, query_params=query)
        document = json.loads(response.content) if response.content else None
        assert_described(method, response, document)
        return Answer(response.status_code, document, response.headers)


def assert_described(method: str, response: Any, document: Any) -> None:
    """The answer is one that the description names for this call, and has its shape."""
    match = response.resolver_match
    if match is None or match.route.endswith(".*") or method in ("HEAD", "OPTIONS"):
        return
    path = "/" + match.route.replace("<str:", "{").replace(">", "}")
    operation = description()["paths"][path].get(method.lower())
    if operation is None:
        assert response.status_code in (401, 405)
        return
    described = operation["responses"].get(str(response.status_code))
    assert described is not None, f"{method} {path} is not described to answer {response.status_code}"
    content = described.get("content")
    if content is None:
        assert document is None
        return
    schema = content[response.headers["Content-Type"]]["schema"]
    errors = [
        f"{'/'.join(map(str, e.instance_path))}: {e.message}" for e in jsonschema_rs.validator_for(schema).iter_errors(document)
    ]
    assert errors == [], f"{method} {path} answers another shape than it is described with"
