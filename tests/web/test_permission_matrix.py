"""Who may call what: every address of the browser's and the machine's door, method by method, with every role.

The addresses are read from the routes themselves. A new one fails here until it has its row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from atendimento.actions import decisions, imports, organizations
from atendimento.actions.canned import save_canned
from atendimento.actions.contexts import pin
from atendimento.actions.erasures import request_erasure
from atendimento.actions.exports import make_export
from atendimento.actions.holds import place_hold
from atendimento.actions.invitations import invite
from atendimento.actions.queue_views import keep_view
from atendimento.actions.rebuilds import start_rereading
from atendimento.actions.teams import create_team
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.actions.type_drafts import start_draft
from atendimento.models import ApiToken, Correction, Membership, Ticket
from tests.support import stories, trials
from tests.support.foreign import CHAT
from tests.support.stories import World, change
from tests.web.conftest import SignIn

ALL, SUPERVISORS, ADMINS = "agent supervisor admin", "supervisor admin", "admin"
CHANNEL = "ingest"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
REFUSED = frozenset({302, 401, 403, 404, 405})
"""What no allowed call is answered, but for a redirect that does not lead to the sign-in page."""

# Without signing in (the look is a cookie; the live stream answers a bare 401, as its own tests show).
OPEN = {"healthz", "readyz", "metrics", "api/schema/", "api/docs/", "api/v1/.*", "look", "live"}
# Doors of people who are not in yet; an invitation's link is its own key.
# Each checks for itself: an invitation is its own key, and the walk is there for the demonstration alone.
OPEN |= {"tour/"}
OPEN |= {"enter/", "enter/<slug:slug>/", "invitations/<str:secret>/"}
SIGN_IN = "conta/"  # the sign-in library's: what it shows is the caller's alone

TICKET, CHANGE = "tickets/<uuid:ticket_id>/", "tickets/<uuid:ticket_id>/changes/<uuid:change_id>/"
CUSTOMER = "customers/<uuid:customer_id>/"
IMPORT, MEMBER = "imports/<uuid:import_id>/", "admin/members/<int:member_id>/"
DRAFT = "admin/ticket-types/<slug:slug>/draft/"
TYPE, CAUSE = "admin/ticket-types/<slug:slug>/", "corrections/<int:correction_id>/cause"
SIMULATION = f"{TYPE}simulations/<uuid:simulation_id>/"
API, API_TICKET = "api/v1/", "api/v1/tickets/<str:ticket_id>"

MATRIX: dict[tuple[str, str], str] = {
    ("GET", ""): ALL,
    ("GET", "search"): ALL,
    ("GET", "live/news"): ALL,
    ("GET", "live/session"): ALL,
    ("POST", f"{TICKET}doing"): ALL,
    ("GET", TICKET): ALL,
    ("GET", f"{TICKET}memory"): ALL,
    ("GET", f"{TICKET}messages"): ALL,
    ("GET", f"{TICKET}customer"): ALL,
    ("POST", f"{TICKET}customer"): ALL,
    ("GET", f"{TICKET}summary"): ALL,
    ("GET", f"{TICKET}closing"): ALL,
    ("GET", f"{TICKET}dossier"): ALL,
    ("POST", f"{TICKET}summary/refresh"): ALL,
    ("POST", f"{TICKET}summary/checked"): ALL,
    ("GET", f"{TICKET}context"): ALL,
    ("POST", f"{TICKET}context"): ALL,
    ("POST", f"{TICKET}context/<int:pin_id>/unpin"): ALL,
    ("GET", "admin/model/prompts/"): ADMINS,
    ("GET", "admin/settings/"): ADMINS,
    ("POST", "admin/settings/identity"): ADMINS,
    ("POST", "admin/settings/working-time"): ADMINS,
    ("POST", "admin/settings/reasons"): ADMINS,
    ("POST", "admin/settings/causes"): ADMINS,
    ("GET", "first-steps/"): ADMINS,
    ("POST", "first-steps/model"): ADMINS,
    ("POST", "first-steps/pass"): ADMINS,
    ("POST", "first-steps/finish"): ADMINS,
    ("POST", "admin/model/endpoint"): ADMINS,
    ("GET", "account/"): ALL,
    ("POST", "account/sessions"): ALL,
    ("POST", "admin/members/invite"): ADMINS,
    ("POST", "admin/invitations/<int:invitation_id>/revoke"): ADMINS,
    ("POST", f"{MEMBER}sessions"): ADMINS,
    ("POST", f"{MEMBER}factor"): ADMINS,
    ("GET", "admin/sign-in/"): ADMINS,
    ("POST", "admin/sign-in/"): ADMINS,
    ("POST", "admin/sign-in/factor"): ADMINS,
    ("POST", f"{TICKET}reply"): ALL,
    ("POST", f"{TICKET}draft"): ALL,
    ("POST", f"{TICKET}check"): ALL,
    ("GET", f"{TICKET}canned"): ALL,
    ("POST", f"{TICKET}seen"): ALL,
    ("POST", f"{TICKET}status"): ALL,
    ("POST", f"{TICKET}assume"): ALL,
    ("GET", f"{TICKET}transfer"): ALL,
    ("POST", f"{TICKET}transfer"): ALL,
    ("GET", f"{TICKET}escalate"): ALL,
    ("POST", f"{TICKET}escalate"): ALL,
    ("GET", f"{TICKET}escalation/answer"): ALL,
    ("POST", f"{TICKET}escalation/answer"): ALL,
    ("GET", f"{TICKET}snooze"): ALL,
    ("POST", f"{TICKET}snooze"): ALL,
    ("GET", f"{TICKET}hands"): ALL,
    ("GET", "views/"): ALL,
    ("POST", "views/"): ALL,
    ("POST", "views/<int:view_id>/change"): "agent",  # whose it is
    ("POST", "views/<int:view_id>/move"): "agent",
    ("POST", "views/<int:view_id>/remove"): "agent",
    ("POST", f"{TICKET}decide"): ALL,
    ("POST", f"{TICKET}regroup"): ALL,
    ("POST", f"{TICKET}confirm"): ALL,
    ("POST", f"{TICKET}open"): ALL,
    ("POST", f"{TICKET}set"): ALL,
    ("POST", f"{TICKET}resolve"): ALL,
    ("POST", f"{TICKET}undo"): ALL,
    ("POST", f"{TICKET}propose"): ALL,
    ("GET", f"{TICKET}split"): ALL,
    ("POST", f"{TICKET}split"): ALL,
    ("GET", f"{TICKET}merge"): ALL,
    ("POST", f"{TICKET}merge"): ALL,
    ("GET", f"{TICKET}rebuild/"): SUPERVISORS,
    ("POST", f"{TICKET}rebuild/start"): SUPERVISORS,
    ("POST", f"{TICKET}rebuild/<uuid:rebuild_id>/retry"): SUPERVISORS,
    ("POST", f"{CHANGE}accept"): ALL,
    ("POST", f"{CHANGE}answer"): ALL,
    ("POST", f"{CHANGE}edit"): ALL,
    ("POST", f"{CHANGE}reject"): ALL,
    ("GET", "corrections/"): SUPERVISORS,
    ("GET", "corrections/export.csv"): SUPERVISORS,
    ("POST", CAUSE): SUPERVISORS,
    ("GET", "reminders/"): ALL,
    ("POST", "reminders/read"): ALL,
    ("POST", "reminders/mails"): ALL,
    ("POST", "reminders/<uuid:reminder_id>/open"): "agent",  # whose it is
    ("GET", "admin/reminders/"): ADMINS,
    ("POST", "admin/reminders/lead"): ADMINS,
    ("POST", "admin/reminders/retry"): ADMINS,
    ("GET", "canned/"): SUPERVISORS,
    ("POST", "canned/"): SUPERVISORS,
    ("POST", "canned/<int:canned_id>/change"): SUPERVISORS,
    ("POST", "canned/<int:canned_id>/remove"): SUPERVISORS,
    ("GET", "imports/"): SUPERVISORS,
    ("POST", "imports/"): SUPERVISORS,
    ("GET", IMPORT): SUPERVISORS,
    ("POST", f"{IMPORT}read"): SUPERVISORS,
    ("POST", f"{IMPORT}start"): SUPERVISORS,
    ("POST", f"{IMPORT}discard"): SUPERVISORS,
    ("POST", f"{IMPORT}undo"): SUPERVISORS,
    ("GET", f"{IMPORT}file"): SUPERVISORS,
    ("GET", "admin/members/"): ADMINS,
    ("POST", "admin/members/"): ADMINS,
    ("POST", f"{MEMBER}role"): ADMINS,
    ("POST", f"{MEMBER}deactivate"): ADMINS,
    ("POST", f"{MEMBER}reactivate"): ADMINS,
    ("GET", "admin/teams/"): ADMINS,
    ("POST", "admin/teams/"): ADMINS,
    ("POST", "admin/teams/<int:team_id>/change"): ADMINS,
    ("POST", "admin/teams/<int:team_id>/people"): ADMINS,
    ("POST", "admin/teams/<int:team_id>/archive"): ADMINS,
    ("GET", "admin/tokens/"): ADMINS,
    ("POST", "admin/tokens/"): ADMINS,
    ("POST", "admin/tokens/<int:token_id>/revoke"): ADMINS,
    ("GET", "admin/model/"): ADMINS,
    ("POST", "admin/model/masking"): ADMINS,
    ("POST", "admin/model/budget"): ADMINS,
    ("POST", "admin/model/forget"): ADMINS,
    ("POST", "admin/model/retry"): ADMINS,
    ("GET", "admin/log/"): ADMINS,
    ("POST", "admin/log/export"): ADMINS,
    ("GET", "admin/retention/"): ADMINS,
    ("POST", "admin/retention/"): ADMINS,
    ("POST", "admin/retention/run"): ADMINS,
    ("GET", "admin/erasures/"): ADMINS,
    ("POST", "admin/erasures/<uuid:request_id>/approve"): ADMINS,
    ("POST", "admin/erasures/<uuid:request_id>/refuse"): ADMINS,
    ("POST", "admin/holds/<int:hold_id>/lift"): ADMINS,
    ("GET", CUSTOMER): SUPERVISORS,
    ("POST", f"{CUSTOMER}erase"): SUPERVISORS,
    ("POST", f"{CUSTOMER}hold"): ADMINS,
    ("POST", f"{CUSTOMER}export"): SUPERVISORS,
    ("POST", "customers/exports/<uuid:export_id>"): SUPERVISORS,
    ("POST", f"{API}customers/<str:customer_id>/erase"): SUPERVISORS,
    ("GET", f"{API}customers/<str:customer_id>/export"): SUPERVISORS,
    ("GET", "admin/ticket-types/"): ADMINS,
    ("POST", "admin/ticket-types/new"): ADMINS,
    ("POST", "admin/ticket-types/start"): ADMINS,
    ("GET", TYPE): ADMINS,
    ("POST", f"{TYPE}start"): ADMINS,
    ("GET", f"{TYPE}publication"): ADMINS,
    ("GET", DRAFT): ADMINS,
    ("POST", f"{DRAFT}field"): ADMINS,
    ("POST", f"{DRAFT}add"): ADMINS,
    ("POST", f"{DRAFT}head"): ADMINS,
    ("POST", f"{DRAFT}collection"): ADMINS,
    ("POST", f"{DRAFT}document"): ADMINS,
    ("POST", f"{DRAFT}reading"): ADMINS,
    ("POST", f"{DRAFT}groups"): ADMINS,
    ("POST", f"{DRAFT}simulate"): ADMINS,
    ("GET", SIMULATION): ADMINS,
    ("GET", f"{SIMULATION}<int:difference_id>"): ADMINS,
    ("POST", f"{SIMULATION}stop"): ADMINS,
    ("GET", f"{DRAFT}publish"): ADMINS,
    ("POST", f"{DRAFT}publish"): ADMINS,
    ("POST", f"{DRAFT}discard"): ADMINS,
    ("GET", f"{API}tickets"): f"{ALL} {CHANNEL}",
    ("POST", f"{API}tickets"): f"{ALL} {CHANNEL}",
    ("GET", API_TICKET): f"{ALL} {CHANNEL}",
    ("PATCH", API_TICKET): ALL,
    ("GET", f"{API_TICKET}/messages"): f"{ALL} {CHANNEL}",
    ("POST", f"{API_TICKET}/messages"): f"{ALL} {CHANNEL}",
    ("DELETE", f"{API_TICKET}/messages/<str:message>"): CHANNEL,
    ("GET", f"{API_TICKET}/state"): ALL,
    ("GET", f"{API_TICKET}/state/diff"): ALL,
    ("GET", f"{API_TICKET}/proposals"): ALL,
    ("POST", f"{API_TICKET}/proposals"): ALL,
    ("POST", f"{API_TICKET}/propose"): ALL,
    ("POST", f"{API_TICKET}/decisions"): ALL,
    ("POST", f"{API_TICKET}/slots/confirm"): ALL,
    ("POST", f"{API_TICKET}/slots/resolve"): ALL,
    ("POST", f"{API_TICKET}/slots/set"): ALL,
    ("POST", f"{API_TICKET}/undo"): ALL,
    ("GET", f"{API_TICKET}/history"): ALL,
    ("GET", f"{API}proposals/<str:proposal_id>"): ALL,
    ("GET", f"{API}changes"): ALL,
    ("POST", f"{API}changes/<str:change_id>/accept"): ALL,
    ("POST", f"{API}changes/<str:change_id>/edit"): ALL,
    ("POST", f"{API}changes/<str:change_id>/reject"): ALL,
    ("GET", f"{API}history"): SUPERVISORS,
    ("GET", f"{API}ticket-types/<str:slug>"): ALL,
    ("PUT", f"{API}ticket-types/<str:slug>"): ADMINS,
    ("POST", f"{API}ticket-types/<str:slug>/simulate"): ADMINS,
}
# What a form must hold for the call to reach a row at all.
FORMS = {
    f"{TICKET}set": {"path": "/facts/bairro"},
    f"{TICKET}status": {"act": "take"},
    f"{MEMBER}role": {"role": "agent"},
    "admin/ticket-types/start": {"gallery": "clinica"},
    f"{DRAFT}field": {"pointer": "/facts/bairro"},
    f"{DRAFT}collection": {"collection": "pending"},
    CAUSE: {"cause": "old_record"},
    f"{CUSTOMER}hold": {"why": "processo"},
    "admin/erasures/<uuid:request_id>/refuse": {"reason": "falta prova"},
}
# Under a name that another organisation uses too, one publishes one's own.
OWN = {("PUT", f"{API}ticket-types/<str:slug>")}


def routes() -> Iterator[str]:
    def below(patterns: Iterable[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            route = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from below(pattern.url_patterns, route)
            else:
                yield route

    return below(get_resolver().url_patterns, "")


def guarded(found: Iterable[str]) -> set[str]:
    return {route for route in found if route not in OPEN and not route.startswith(SIGN_IN)}


def without_row(found: Iterable[str]) -> list[str]:
    return sorted(guarded(found) - {route for _method, route in MATRIX})


def test_every_address_has_its_row_and_every_row_its_address() -> None:
    assert without_row(routes()) == []
    assert {route for _method, route in MATRIX} - guarded(routes()) == set()


def test_an_address_without_a_row_is_found() -> None:
    assert without_row([*routes(), "admin/secrets/"]) == ["admin/secrets/"]


@dataclass
class House:
    """One row of everything, a browser and a token for each role, and a stranger with the same rights elsewhere."""

    ids: dict[str, str]
    browsers: dict[str, Client]
    tokens: dict[str, str]
    stranger: Client
    foreign: dict[str, str] = field(default_factory=dict)

    def call(self, method: str, route: str, who: str, *, foreign: bool = False) -> Any:
        """The answer, and nothing is left behind of it."""
        path = "/" + re.sub(r"<\w+:(\w+)>", lambda found: self.ids[found[1]], route)
        mark = transaction.savepoint()
        try:
            if not route.startswith(API):
                client = self.stranger if foreign else self.browsers.get(who, Client())
                return (
                    client.generic(method, path, **_form(FORMS.get(route, {})))
                    if method == "POST"
                    else client.generic(method, path)
                )
            token = (self.foreign if foreign else self.tokens).get(who)
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            body = b"" if method == "GET" else b"{}"
            return Client().generic(method, path, body, content_type="application/json", headers=headers)
        finally:
            transaction.savepoint_rollback(mark)


def _form(data: dict[str, str]) -> dict[str, Any]:
    text = "&".join(f"{key}={value}" for key, value in data.items())
    return {"data": text, "content_type": "application/x-www-form-urlencoded"}


def tokens_of(members: dict[str, Membership]) -> dict[str, str]:
    organization = members["admin"].organization
    made = {
        role: organizations.create_api_token(organization=organization, name=role, scope="member", member=member)
        for role, member in members.items()
    }
    return made | {CHANNEL: organizations.create_api_token(organization=organization, name="x", scope="ingest", member=None)}


def people_of(world: World) -> dict[str, Membership]:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    return {"agent": world.ana, "supervisor": world.silvia, "admin": admin}


@pytest.fixture
def house(world: World, sign_in: SignIn) -> House:
    people = people_of(world)
    publish_ticket_type(member=people["admin"], document=stories.TICKET_TYPE | {"slug": "so-nosso"})
    start_draft(member=people["admin"], slug="so-nosso")
    ticket = world.ticket()
    world.say(ticket, "moro em Boa Viagem")
    (row,) = world.propose(ticket, change("/facts/bairro", "Boa Viagem", ("m-1", "Boa Viagem")))
    (wrong,) = world.propose(ticket, change("/facts/sintoma", "barulho", ("m-1", "moro em")))
    decisions.reject_change(member=world.ana, change_id=wrong.pk)
    batch = imports.preview_import(
        organization=world.silvia.organization, member=world.silvia, file_name="a.txt", content=CHAT.encode()
    )
    ids = {
        "ticket_id": ticket.pk,
        "change_id": row.pk,
        "proposal_id": row.proposal_id,
        "message": "m-1",
        "correction_id": Correction.objects.get().pk,
        "import_id": batch.pk,
        "rebuild_id": start_rereading(organization=world.silvia.organization, member=world.silvia, ticket_id=ticket.pk).pk,
        "member_id": world.rui.pk,
        "canned_id": save_canned(member=world.silvia, title="Oi", text="Oi!").pk,
        "pin_id": pin(member=world.ana, ticket_id=ticket.pk, message="m-1").pk,
        "invitation_id": invite(member=people["admin"], email="bia@frio-certo.example", name="Bia", role="agent")[0].pk,
        "token_id": ApiToken.objects.get(organization=world.ana.organization).pk,
        "reminder_id": stories.remind(ticket, world.ana).pk,
        "view_id": keep_view(member=world.ana, name="Minhas", asked={"view": "mine"}).pk,
        "team_id": create_team(member=people["admin"], name="Rotas").pk,
        "slug": "so-nosso",
        "customer_id": ticket.customer_id,
        "request_id": request_erasure(member=world.silvia, customer_id=ticket.customer_id)[0].pk,
        "hold_id": place_hold(member=people["admin"], ticket_id=world.ticket().pk, reason="processo").pk,
        "export_id": make_export(member=world.silvia, customer_id=ticket.customer_id).pk,
        **trials.simulated(people["admin"], "so-nosso", ticket),
    }
    other = stories.make("outra", "Outra")
    theirs = people_of(other)
    world.enter()
    return House(
        {name: str(value) for name, value in ids.items()},
        {role: sign_in(member) for role, member in people.items()},
        tokens_of(people),
        sign_in(theirs["admin"]),
        tokens_of(theirs),
    )


def passed(answer: Any) -> bool:
    """Whether the call came as far as its action, whatever that said to an empty form."""
    if answer.status_code == 302:
        return "/login/" not in answer["Location"]
    return answer.status_code < 500 and answer.status_code not in REFUSED


def expected_refusal(route: str, who: str) -> set[int]:
    if who != "nobody":
        return {403}
    return {401} if route.startswith(API) else {302, 401}  # a form with words in it gets them back


@pytest.mark.parametrize("door", ["web", "api"])
def test_each_role_may_what_its_row_says_and_no_more(world: World, house: House, door: str) -> None:
    found: list[str] = []
    for (method, route), may in MATRIX.items():
        if route.startswith(API) != (door == "api"):
            continue
        callers = ["agent", "supervisor", "admin", "nobody", *([CHANNEL] if door == "api" else [])]
        for who in callers:
            answer = house.call(method, route, who)
            world.enter()
            allowed = who in may.split()
            good = passed(answer) if allowed else not passed(answer) and answer.status_code in expected_refusal(route, who)
            if not good:
                found.append(f"{method} {route} as {who}: {answer.status_code}, {'may' if allowed else 'may not'}")
    assert found == []


def test_what_is_of_another_organisation_is_not_there_whatever_the_role(world: World, house: House) -> None:
    found: list[str] = []
    for (method, route), may in MATRIX.items():
        if "<" not in route or (method, route) in OWN:
            continue
        answer = house.call(method, route, may.split()[-1], foreign=True)
        world.enter()
        if answer.status_code != 404:
            found.append(f"{method} {route}: {answer.status_code}")
    assert found == []


def test_what_is_of_another_team_is_not_there_for_an_agent(world: World, house: House) -> None:
    closed = create_team(member=people_of(world)["admin"], name="Financeiro")
    Ticket.objects.filter(pk=house.ids["ticket_id"]).update(team=closed, assignee=None)
    found: list[str] = []
    for (method, route), may in MATRIX.items():
        if not re.search(r"<\w+:(ticket_id|change_id|proposal_id)>", route) or "agent" not in may:
            continue
        statuses = {who: house.call(method, route, who).status_code for who in ("agent", "supervisor")}
        world.enter()
        if statuses["agent"] != 404 or statuses["supervisor"] == 404:
            found.append(f"{method} {route}: {statuses}")
    assert found == []


def test_no_address_takes_a_method_that_has_no_row(world: World, house: House) -> None:
    found: list[str] = []
    for route in sorted({route for _method, route in MATRIX}):
        for method in METHODS:
            if (method, route) not in MATRIX:
                status = house.call(method, route, "admin").status_code
                world.enter()
                if status != 405:
                    found.append(f"{method} {route}: {status}")
    assert found == []
