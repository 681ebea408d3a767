"""The stream of live updates and who is there: only for members, only of their organisation, and nothing is missed."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.core.handlers.asgi import ASGIHandler
from django.test import AsyncClient, Client

from atendimento import jobs, news, presence
from atendimento.models import Membership, Ticket
from tests.support import stories
from tests.support.stories import World
from tests.web.conftest import SignIn

TAB = "abcdefgh1234"


@dataclass
class Event:
    id: str
    kind: str
    data: dict[str, Any]


@dataclass
class Stream:
    """An open stream, read event by event, as a web server has it."""

    server: Any  # asgiref ships no types for it
    waiting: list[Event] = field(default_factory=list)

    async def next(self, kind: str) -> Event:
        """The next event of this kind. Raises EOFError where the stream ends."""
        while True:
            while self.waiting:
                event = self.waiting.pop(0)
                if event.kind == kind:
                    return event
            part = await self.server.receive_output(60)
            if not part.get("more_body"):
                raise EOFError
            self.waiting = [parsed(text) for text in part["body"].decode().split("\n\n") if text]

    async def hang_up(self) -> None:
        await self.server.send_input({"type": "http.disconnect"})
        await self.server.wait(60)


def parsed(text: str) -> Event:
    lines = dict(line.split(": ", 1) for line in text.split("\n"))
    return Event(lines.get("id", ""), lines["event"], json.loads(lines["data"]))


async def opened(stack: AsyncExitStack, member: Membership, asked: str = "", **headers: str) -> Stream:
    browser = AsyncClient()
    await browser.aforce_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
    sent = {"host": "testserver", "cookie": f"lastro_session={browser.cookies['lastro_session'].value}", **headers}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/live",
        "query_string": asked.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
    }
    connected: Any = ApplicationCommunicator
    stream = Stream(connected(ASGIHandler(), scope))
    await stream.server.send_input({"type": "http.request"})
    start = await stream.server.receive_output(60)
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    assert (told["Content-Type"], told["Cache-Control"]) == ("text/event-stream", "no-store, private")
    stack.push_async_callback(stream.hang_up)
    return stream


def say(organization_id: int, kind: str, **more: Any) -> None:
    seen = {"ticket": "t", "customer": "c", "kind": kind, "version": 3, "message": 4, "member": 5}
    jobs.publish(organization_id, {**seen, "team": None, "hands": [], **more})


@pytest.mark.django_db(transaction=True)
def test_a_member_hears_their_organisation_and_no_other() -> None:
    other = stories.make("outra", "Outra").ana
    mine = stories.make().ana

    async def heard() -> list[Event]:
        async with AsyncExitStack() as stack:
            stream = await opened(stack, mine)
            await stream.next("ready")
            say(other.organization_id, "decision")
            say(mine.organization_id, "message", team=None, hands=[])
            say(mine.organization_id, "reminder", to=[mine.pk + 1])
            say(mine.organization_id, "decision", team=7, hands=[None])  # of a team that she is not in
            say(mine.organization_id, "ticket", team=7, hands=[mine.pk])
            say(mine.organization_id, "ticket", team=7, hands=[], was={"team": None, "hands": []})  # it went there
            return [await stream.next("news") for _time in range(3)]

    first, second, third = async_to_sync(heard)()
    assert first.data == {"ticket": "t", "customer": "c", "kind": "message", "version": 3, "message": 4, "member": 5}
    assert (second.data["kind"], third.data["kind"]) == ("ticket", "ticket")
    assert set(third.data) == {"ticket", "customer", "kind", "version", "message", "member"}
    assert news.order(second.id) > news.order(first.id) > (0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_page_that_was_cut_off_hears_what_it_missed_once_and_is_told_where_that_is_not_all() -> None:
    mine = stories.make().ana
    organization = mine.organization_id
    say(organization, "message")
    known = news.newest(organization)
    say(organization, "decision")

    async def heard() -> tuple[list[Any], Event, Event]:
        async with AsyncExitStack() as stack:
            back = await opened(stack, mine, **{"Last-Event-ID": known})
            ready, caught = await back.next("ready"), await back.next("news")
            say(organization, "proposal")
            return (
                [ready.data["whole"], caught.data["kind"], (await back.next("news")).data["kind"]],
                await (await opened(stack, mine, "after=1-1")).next("ready"),
                await (await opened(stack, mine, "after=nonsense")).next("ready"),
            )

    told, older, unknown = async_to_sync(heard)()
    assert told == [True, "decision", "proposal"]
    assert older.data["whole"] is False
    assert older.id == news.newest(organization)
    assert unknown.data["whole"] is False


@pytest.mark.django_db(transaction=True)
def test_however_many_pages_are_open_one_connection_listens() -> None:
    world = stories.make()

    async def listening() -> int:
        async with AsyncExitStack() as stack:
            for _page in range(5):
                await (await opened(stack, world.ana)).next("ready")
            found: list[dict[str, str]] = jobs.connection().client_list()
            return sum(int(client["sub"]) > 0 for client in found)

    assert async_to_sync(listening)() == 1


@pytest.mark.django_db(transaction=True)
def test_a_page_hears_again_after_redis_dropped_it() -> None:
    world = stories.make()

    async def heard() -> str:
        async with AsyncExitStack() as stack:
            stream = await opened(stack, world.ana)
            await stream.next("ready")
            for client in jobs.connection().client_list():
                if int(client["sub"]):
                    jobs.connection().client_kill(client["addr"])
            with pytest.raises(EOFError):
                await stream.next("never")
            again = await opened(stack, world.ana)
            await again.next("ready")
            say(world.ana.organization_id, "message")
            return str((await again.next("news")).data["kind"])

    assert async_to_sync(heard)() == "message"


# --- who is there -------------------------------------------------------------------------------------------------


def names(event: Event) -> list[tuple[str, list[str]]]:
    return [(person["name"], person["doing"]) for person in event.data["here"]]


@pytest.mark.django_db(transaction=True)
def test_who_is_there_and_what_they_edit_is_told_and_ends_with_their_page() -> None:
    world = stories.make()
    ticket = world.ticket()
    other = world.ticket("outro")

    async def told() -> list[Any]:
        found: list[Any] = []
        async with AsyncExitStack() as stack:
            ana = await opened(stack, world.ana, f"ticket={ticket.pk}&tab={TAB}")
            found.append(names(await ana.next("ready")))
            async with AsyncExitStack() as inner:
                rui = await opened(inner, world.rui, f"ticket={ticket.pk}&tab=rui{TAB}")
                found.append(names(await rui.next("ready")))
                elsewhere = await opened(inner, world.silvia, f"ticket={other.pk}&tab=silvia{TAB}")
                found.append(names(await elsewhere.next("ready")))
                await ana.next("here")  # herself
                found.append(names(await ana.next("here")))
                await sync_to_async(edit)(world.rui, ticket, f"rui{TAB}", "ch-1")
                found.append(names(await ana.next("here")))
                second = await opened(inner, world.rui, f"ticket={ticket.pk}&tab=two{TAB}")
                found.append(names(await second.next("ready")))
            found += [names(await ana.next("here")) for _event in range(3)]
        return found

    alone: list[tuple[str, list[str]]] = [("Ana Lima", [])]
    both: list[tuple[str, list[str]]] = [*alone, ("Rui Prado", [])]
    editing = [("Ana Lima", []), ("Rui Prado", ["ch-1"])]
    start, middle, ending = (found := async_to_sync(told)())[:4], found[4:6], found[6:]
    assert start == [alone, both, [("Sílvia Reis", [])], both]
    assert middle == [editing, editing]  # two pages of one person are one
    assert ending[-1] == alone
    assert jobs.connection().keys(f"lastro:org:{world.ana.organization_id}:at:*") == []


def edit(member: Membership, ticket: Ticket, tab: str, doing: str) -> None:
    client = Client()
    client.force_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
    assert client.post(f"/tickets/{ticket.pk}/doing", {"tab": tab, "doing": doing}).status_code == 204


def place(member: Membership, tab: str = TAB) -> presence.Place:
    return presence.Place(member.organization_id, "t", member.pk, member.name, tab, "one")


def test_a_page_that_died_is_gone_once_its_time_is_over(world: World) -> None:
    presence.polled(place(world.ana))
    assert [person.name for person in presence.polled(place(world.rui))] == ["Ana Lima", "Rui Prado"]
    redis = jobs.connection()
    (key,) = redis.keys(f"*:at:t:{world.ana.pk}-*")
    assert 0 < redis.ttl(key) <= presence.EXPIRES
    redis.delete(key)  # as its expiry does
    assert [person.name for person in presence.polled(place(world.rui))] == ["Rui Prado"]


def test_nobody_speaks_for_anothers_page(world: World) -> None:
    presence.polled(place(world.ana))
    presence.do(place(world.rui), "reply")  # the same tab, by another person
    assert [person.doing for person in presence.polled(place(world.ana))] == [()]
    presence.do(place(world.ana), "reply")
    assert [person.doing for person in presence.polled(place(world.ana))] == [("reply",)]


@pytest.mark.parametrize(
    "form", [{"tab": "short", "doing": ""}, {"tab": TAB, "doing": "something"}, {"tab": TAB, "doing": "ch-a b"}, {}]
)
def test_what_is_no_page_and_no_act_is_refused(world: World, ana: Client, form: dict[str, str]) -> None:
    assert ana.post(f"/tickets/{world.ticket().pk}/doing", form).status_code == 400


# --- without a stream ---------------------------------------------------------------------------------------------


def test_asking_now_and_then_answers_nothing_where_nothing_is_new(world: World, ana: Client) -> None:
    ticket = world.ticket()
    say(world.ana.organization_id, "ticket")
    asked = f"/live/news?after={news.newest(world.ana.organization_id)}&ticket={ticket.pk}&tab={TAB}"
    first = ana.get(asked, headers={"HX-Request": "true"})
    assert (first.status_code, first.json()["whole"], first.json()["news"]) == (200, True, [])
    assert [person["name"] for person in first.json()["here"]] == ["Ana Lima"]
    assert ana.get(asked, headers={"If-None-Match": first["ETag"]}).status_code == 304
    say(world.ana.organization_id, "message")
    again = ana.get(asked, headers={"If-None-Match": first["ETag"]})
    assert [item["kind"] for item in again.json()["news"]] == ["message"]
    assert again.json()["after"] == news.newest(world.ana.organization_id)


def test_asking_too_often_waits(world: World, ana: Client, sign_in: SignIn) -> None:
    answers = [ana.get("/live/news").status_code for _time in range(125)]
    assert answers[0] == 200
    assert answers[-1] == 429
    assert sign_in(world.rui).get("/live/news").status_code == 200


def test_a_page_that_outlived_its_session_gets_a_token_once_its_member_is_back(world: World, ana: Client) -> None:
    assert Client().get("/live/session", headers={"HX-Request": "true"}).status_code == 401
    answer = ana.get("/live/session")
    assert answer.json()["member"] == world.ana.pk
    browser = Client(enforce_csrf_checks=True)
    browser.cookies = ana.cookies
    form = {"tab": TAB, "doing": "reply", "csrfmiddlewaretoken": answer.json()["token"]}
    assert browser.post(f"/tickets/{world.ticket().pk}/doing", form).status_code == 204
