"""The queue: saved views with counts, filters in the address, pages by key, one organisation alone."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from atendimento.actions.messages import delete_message
from atendimento.actions.teams import create_team, set_team_members
from atendimento.actions.tickets import update_ticket
from atendimento.models import Membership, Message, Organization, Ticket
from atendimento.selectors.queue import VIEWS, Filters, queue
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import SCRIPT, ask, text
from tests.support.stories import World, change


def titles(response: Any) -> list[str]:
    return [row.title for row in response.context["queue"].rows]


def counts(response: Any) -> dict[str, int]:
    return {view.key: view.count for view in response.context["queue"].views}


@pytest.fixture
def mixed(world: World) -> World:
    """One ticket to decide, one with a divergence, one to confirm, one overdue, one of Ana's that waits for nothing."""
    decide = world.ticket("A decidir")
    world.say(decide, "uso geladeira")
    world.propose(decide, change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
    stories.divergence(world)
    stale = stories.recife(world)
    world.accept(stories.correction(world, stale)[:1])
    late = world.ticket("Retorno prometido")
    world.say(late, "retorno ontem", "agent", "Ana")
    due = (timezone.localdate() - timedelta(days=2)).isoformat()
    promise = {"task": "retornar", "owner": "team", "due": due}
    world.accept(world.propose(late, change("/commitments/-", promise, ("m-1", "retorno ontem"))))
    mine = world.ticket("Da Ana")
    update_ticket(member=world.ana, ticket_id=mine.pk, assignee="me")
    return world


def test_every_view_counts_and_lists_its_tickets(mixed: World, ana: Client) -> None:
    response = ana.get("/")
    found = counts(response)
    assert found["conflicts"] == found["confirm"] == found["overdue"] == found["mine"] == 1
    assert (found["decide"], found["unowned"], found["all"], found["failed"], found["snoozed"]) == (2, 4, 5, 0, 0)
    assert "A decidir" in titles(response)
    assert titles(ana.get("/", {"view": "conflicts"})) == ["Endereço diverge do cadastro"]
    assert titles(ana.get("/", {"view": "overdue"})) == ["Retorno prometido"]
    assert titles(ana.get("/", {"view": "confirm"})) == ["Visita da geladeira"]
    assert titles(ana.get("/", {"view": "mine"})) == ["Da Ana"]


@pytest.mark.parametrize(
    "asked", [{"view": "nonsense"}, {"after": "x"}, {"after": "2026-01-01_x"}, {"q": "\0"}, {"type": "x"}, {"type": "\0"}]
)
def test_nonsense_in_the_address_breaks_nothing(mixed: World, ana: Client, asked: dict[str, str]) -> None:
    assert ana.get("/", asked).status_code == 200


@pytest.mark.parametrize("moment", ["2026-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+14:00"])
def test_a_page_s_key_that_somebody_wrote_themselves_breaks_nothing(ana: Client, moment: str) -> None:
    assert ana.get("/", {"after": f"{moment}_00000000-0000-7000-8000-000000000001"}).status_code == 200


def test_pages_follow_each_other_by_key_without_gap_or_repetition(world: World, ana: Client) -> None:
    for index in range(35):
        world.ticket(f"Atendimento {index:02}")
    first = ana.get("/", {"view": "all"})
    second = ask(ana, first.context["queue"].next_url)
    assert len(titles(first)) == 30
    assert sorted([*titles(first), *titles(second)]) == [f"Atendimento {index:02}" for index in range(35)]
    assert second.context["queue"].next_url == ""


def test_a_ticket_keeps_the_place_in_the_queue(mixed: World, ana: Client) -> None:
    row = ana.get("/", {"view": "overdue"}).context["queue"].rows[0]
    page = ana.get(row.url)
    assert [view.key for view in page.context["page"].queue.views if view.current] == ["overdue"]
    assert [one.current for one in page.context["page"].queue.rows] == [True]


def test_the_queue_alone_is_a_fragment(mixed: World, ana: Client) -> None:
    body = ask(ana, "/", part="queue").content.decode()
    assert body.lstrip().startswith("<nav")
    assert "<html" not in body


def test_other_organisations_have_their_own(mixed: World, stranger: Client) -> None:
    response = stranger.get("/", {"view": "all"})
    assert titles(response) == []
    assert counts(response)["all"] == 0


def test_the_queries_do_not_grow_with_the_tickets(world: World) -> None:
    member, counted = world.ana, []
    for many in (1, 12):
        for index in range(many):
            world.ticket(f"Mais um {index}")
        counted.append(queries_of(lambda: queue(member, Filters("all"))))
    assert counted[0] == counted[1]


# --- views of one's own -------------------------------------------------------------------------------------------


def names(client: Client) -> list[str]:
    return [view.name for view in client.get("/views/").context["views"]]


def test_the_present_filters_are_kept_under_a_name_and_found_again(mixed: World, ana: Client) -> None:
    kept = ana.post("/views/", {"name": "  Meus   parados ", "view": "mine", "waiting": "1d", "type": "", "after": "x"})
    assert kept["Location"] == "/?view=mine&waiting=1d&did=keep"
    assert "A visão foi guardada" in text(ana.get(kept["Location"]))
    shown = ask(ana, kept["Location"]).context["queue"]
    assert [(view.name, view.url, view.current) for view in shown.own] == [
        ("Meus parados", "/?view=mine&waiting=1d", True),
    ]
    assert "Guardar como visão" not in text(ana.get(kept["Location"]))  # it is kept already
    assert "Guardar como visão" in text(ana.get("/?view=mine&filters=open"))
    assert [view.key for view in shown.views if view.current] == []


def test_own_views_are_renamed_put_in_order_and_removed(world: World, ana: Client) -> None:
    for name in ("um", "dois", "três"):
        ana.post("/views/", {"name": name, "view": "all"})
    ids = {view.name: view.id for view in ana.get("/views/").context["views"]}
    ana.post(f"/views/{ids['três']}/move", {"to": "up"})
    ana.post(f"/views/{ids['um']}/move", {"to": "up"})  # the first goes no further
    assert names(ana) == ["um", "três", "dois"]
    ana.post(f"/views/{ids['um']}/move", {"to": "down"})
    ana.post(f"/views/{ids['dois']}/change", {"name": "dois e meio"})
    assert names(ana) == ["três", "um", "dois e meio"]
    ana.post(f"/views/{ids['três']}/remove")
    assert names(ana) == ["um", "dois e meio"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "um"])
def test_a_view_needs_a_name_of_its_own(world: World, ana: Client, name: str) -> None:
    ana.post("/views/", {"name": "um", "view": "all"})
    assert ana.post("/views/", {"name": name, "view": "mine"}).status_code == 400
    assert names(ana) == ["um"]


def test_nobody_sees_or_changes_a_colleague_s_views(world: World, ana: Client, silvia: Client) -> None:
    ana.post("/views/", {"name": "só minha", "view": "all"})
    key = ana.get("/views/").context["views"][0].id
    assert names(silvia) == []
    assert silvia.post(f"/views/{key}/remove").status_code == 403
    assert names(ana) == ["só minha"]


# --- filters, and the place in the list ---------------------------------------------------------------------------


def test_each_filter_narrows_the_list_and_lives_in_the_address(world: World, ana: Client) -> None:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    team = create_team(member=admin, name="Rotas", open_to_all=True)
    one, two = world.ticket("Um"), world.ticket("Dois")
    ago = timezone.now() - timedelta(hours=5)
    Ticket.objects.filter(pk=one.pk).update(team=team, assignee=world.rui, channel="email", waiting_since=ago)
    for asked, expected in (
        ({"team": "rotas"}, ["Um"]),
        ({"team": "none"}, ["Dois"]),
        ({"team": "nenhum"}, []),
        ({"assignee": str(world.rui.pk)}, ["Um"]),
        ({"assignee": "none"}, ["Dois"]),
        ({"assignee": "me"}, []),
        ({"channel": "email"}, ["Um"]),
        ({"waiting": "4h"}, ["Um"]),
        ({"waiting": "1d"}, []),
        ({"type": "assistencia-tecnica"}, ["Dois", "Um"]),
        ({"type": "outro"}, []),
        ({"team": "rotas", "channel": "email", "waiting": "1h"}, ["Um"]),
        ({"team": "rotas", "channel": "chat"}, []),
    ):
        response = ana.get("/", {"view": "all", **asked})
        assert titles(response) == expected, asked
        for row in response.context["queue"].rows:
            assert all(f"{key}={value}" in row.url for key, value in asked.items())
    assert two.pk != one.pk
    # What is set stands in a line, each with the way back; the panel is folded until it is asked for.
    both = {"view": "all", "team": "rotas", "channel": "email"}
    folded, choosing = ana.get("/", both), ana.get("/", both | {"filters": "open"})
    chips = {chip.words: chip.url for chip in folded.context["queue"].chips}
    assert chips == {"Setor: Rotas": "/?view=all&channel=email", "Canal: e-mail": "/?view=all&team=rotas"}
    assert (folded.context["queue"].choosing, choosing.context["queue"].choosing) == (False, True)
    assert choosing.context["queue"].chips == ()
    (rid,) = ana.get("/", {"view": "all", "type": "outro"}).context["queue"].chips
    assert (rid.words, rid.url) == ("Limpar os filtros", "/?view=all")


def test_a_row_tells_who_owns_it_and_since_when_somebody_waits(world: World, ana: Client) -> None:
    ticket = world.ticket()
    update_ticket(member=world.ana, ticket_id=ticket.pk, assignee="me")

    def row() -> Any:
        return ana.get("/", {"view": "all"}).context["queue"].rows[0]

    assert (row().owner_initials, row().waiting_since) == ("AL", None)
    world.say(ticket, "alguém aí?")
    since = row().waiting_since
    world.say(ticket, "oi??")
    assert row().waiting_since == since is not None
    ana.post(f"/tickets/{ticket.pk}/reply", {"text": "vou falar com o técnico", "kind": "note"})
    assert row().waiting_since == since  # a note answers nobody
    ana.post(f"/tickets/{ticket.pk}/reply", {"text": "bom dia!", "kind": "reply"})
    assert row().waiting_since is None


def test_a_message_that_the_channel_deleted_lets_nobody_wait(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "engano")
    world.say(ticket, "agora sim: cadê o técnico?")
    second = Message.objects.get(ticket=ticket, number=2).received_at
    for message, since in (("m-1", second), ("m-2", None)):
        delete_message(caller=world.channel, ticket_id=ticket.pk, message=message)
        assert ana.get("/", {"view": "all"}).context["queue"].rows[0].waiting_since == since


def test_more_rows_join_the_list_and_a_ticket_opened_among_them_keeps_them(world: World, ana: Client) -> None:
    for index in range(65):
        world.ticket(f"Atendimento {index:02}")
    first = ana.get("/", {"view": "all"}).context["queue"]
    more = ask(ana, first.more_url).context["queue"]
    assert more.rows[0].title == "Atendimento 34"
    opened = ana.get(more.rows[5].url).context["page"].queue
    assert len(opened.rows) == 60
    assert [row.title for row in opened.rows if row.current] == [more.rows[5].title]
    # Going back leads to the same sixty rows.
    assert len(titles(ask(ana, more.place))) == 60
    last = ask(ana, more.more_url).context["queue"]
    assert (len(last.rows), last.next_url) == (5, "")


def test_without_a_script_a_later_page_keeps_its_place_too(world: World, ana: Client) -> None:
    for index in range(32):
        world.ticket(f"Atendimento {index:02}")
    second = ana.get(ana.get("/", {"view": "all"}).context["queue"].next_url).context["queue"]
    opened = ana.get(second.rows[0].url).context["page"].queue
    assert [row.title for row in opened.rows] == ["Atendimento 01", "Atendimento 00"]
    assert opened.top_url == "/?view=all"


def test_the_next_ticket_is_of_the_list_that_one_works_in(world: World, ana: Client) -> None:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    team = create_team(member=admin, name="Rotas", open_to_all=True)
    found = []
    for name in ("velho", "de Rotas", "de Rotas também"):
        ticket = world.ticket(name)
        world.say(ticket, "uso geladeira")
        world.propose(ticket, change("/facts/aparelho", "geladeira", ("m-1", "geladeira")))
        found.append(ticket)
    Ticket.objects.filter(pk__in=[found[1].pk, found[2].pk]).update(team=team)

    page = ana.get(f"/tickets/{found[2].pk}/", {"team": "rotas"}).context["page"]
    assert page.memory.next_url == f"/tickets/{found[1].pk}/?team=rotas"
    # A part that is asked for from that page knows its list as well.
    sent_from = {"referer": f"http://testserver/tickets/{found[2].pk}/?team=rotas"}
    part = ana.get(f"/tickets/{found[2].pk}/memory", headers=SCRIPT | sent_from)
    assert part.context["memory"].next_url == f"/tickets/{found[1].pk}/?team=rotas"
    assert ana.get(f"/tickets/{found[2].pk}/").context["page"].memory.next_url == f"/tickets/{found[1].pk}/"

    # In the order of the screen, behind its last row the first: who only looks comes past each of them.
    shown = [row.url for row in ana.get("/").context["queue"].rows]
    way = [ana.get("/").context["next_url"]]
    for _step in range(len(shown)):
        way.append(ana.get(way[-1]).context["page"].memory.next_url)
    assert way == [*shown, shown[0]]
    assert len(shown) == len(found)


# --- each ticket in its views -------------------------------------------------------------------------------------


def test_each_ticket_stands_in_exactly_the_views_whose_conditions_it_meets(world: World, ana: Client, silvia: Client) -> None:
    admin = Membership.objects.get(organization=world.ana.organization, role="admin")
    teams = [
        None,
        set_team_members(member=admin, team_id=create_team(member=admin, name="A").pk, members=[world.ana.pk], leads=[]),
        create_team(member=admin, name="B", open_to_all=True),
        create_team(member=admin, name="C"),
    ]
    now, chance = timezone.now(), random.Random(8)
    at_noon = 12 - now.hour  # wherever it is noon now, today ends for nobody while this runs
    Organization.objects.filter(pk=world.ana.organization_id).update(timezone=f"Etc/GMT{-at_noon:+d}" if at_noon else "UTC")
    rows = []
    for number in range(60):
        ticket = world.ticket(f"T{number:02}")
        made = {
            "status": chance.choice(["open"] * 6 + ["snoozed", "closed", "closed"]),
            "team": chance.choice(teams),
            "assignee": chance.choice([None, world.ana, world.rui]),
            "escalated_to": chance.choice([None, None, None, world.ana, world.silvia]),
            "pending_count": chance.choice([0, 0, 2]),
            "stale_count": chance.choice([0, 0, 1]),
            "conflict_count": chance.choice([0, 0, 0, 1]),
            "parked_count": chance.choice([0, 0, 0, 1]),
            "next_due": chance.choice([None, now - timedelta(days=1), now + timedelta(hours=5), now + timedelta(days=2)]),
        }
        Ticket.objects.filter(pk=ticket.pk).update(**made)
        rows.append((ticket.subject, made))
    tonight = now + timedelta(hours=12 - 1)

    def meets(view: str, row: dict[str, Any], member: Membership) -> bool:
        opened, due = row["status"] == "open", row["next_due"]
        sees = member.role != "agent" or row["team"] in teams[:3] or member in (row["assignee"], row["escalated_to"])
        return (
            sees
            and {
                "decide": opened and row["pending_count"] > 0,
                "mine": opened and row["assignee"] == member,
                "escalated": row["status"] in ("open", "snoozed") and row["escalated_to"] == member,
                "confirm": opened and row["stale_count"] > 0,
                "conflicts": opened and row["conflict_count"] > 0,
                "overdue": opened and due is not None and due < now,
                "today": opened and due is not None and now <= due < tonight,
                "unowned": opened and row["assignee"] is None,
                "failed": row["parked_count"] > 0,
                "snoozed": row["status"] == "snoozed",
                "all": opened,
                "closed": row["status"] == "closed",
            }[view]
        )

    for client, member in ((ana, world.ana), (silvia, world.silvia)):
        counted = counts(client.get("/"))
        for view in VIEWS:
            listed = sorted(titles(client.get("/", {"view": view, "rows": "90"})))
            assert listed == [subject for subject, row in rows if meets(view, row, member)], (member, view)
            assert counted[view] == (None if view == "closed" else len(listed)), (member, view)
