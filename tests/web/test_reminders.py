"""A person's reminders as pages, without any script: the bell, the list, opening one, and what is set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from atendimento.actions import slots
from atendimento.models import AdministrativeAct, MailStatus, Membership, Organization, Reminder, Ticket
from tests.builders import queries_of
from tests.support import stories
from tests.support.stories import World
from tests.web.conftest import SignIn

DUE = (datetime.now(UTC) - timedelta(hours=1)).isoformat(timespec="seconds")


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


def promised(world: World, member: Membership, task: str = "ligar para Helena") -> Reminder:
    ticket = world.ticket()
    value = {"task": task, "owner": "team", "due": DUE}
    slots.set_slot(member=world.rui, ticket_id=ticket.pk, path="/commitments/-", value=value, expected_version=0)
    return stories.remind(ticket, member, due=DUE)


def text(client: Client, address: str, **headers: str) -> str:
    return client.get(address, headers=headers).content.decode()


def test_the_bell_counts_what_is_unread_of_this_person_alone(world: World, ana: Client) -> None:
    promised(world, world.ana)
    promised(world, world.rui)

    assert 'aria-label="1 lembrete não lido"' in text(ana, "/")


def test_the_list_says_what_when_and_where(world: World, ana: Client) -> None:
    row = promised(world, world.ana)

    page = text(ana, "/reminders/")

    assert "ligar para Helena" in page
    assert row.ticket.protocol in page
    assert ", vencido" in page


def test_opening_one_marks_it_as_read_and_leads_to_the_commitment(world: World, ana: Client) -> None:
    row = promised(world, world.ana)

    answer = ana.post(f"/reminders/{row.pk}/open")

    assert answer.status_code == 302
    assert answer["Location"] == f"/tickets/{row.ticket_id}/?pane=state&show=memory#sl-commitments-c-2d-1"
    assert 'id="sl-commitments-c-2d-1"' in text(ana, answer["Location"])
    row.refresh_from_db()
    assert row.read_at is not None
    assert "lembrete não lido" not in text(ana, "/")


def test_looking_at_the_list_marks_nothing(world: World, ana: Client) -> None:
    promised(world, world.ana)

    ana.get("/reminders/")

    assert Reminder.objects.filter(read_at=None).count() == 1


def test_all_at_once(world: World, ana: Client) -> None:
    promised(world, world.ana)
    theirs = promised(world, world.rui)

    assert ana.post("/reminders/read").status_code == 302

    assert [row.pk for row in Reminder.objects.filter(read_at=None)] == [theirs.pk]


def test_a_colleagues_reminder_is_not_opened(world: World, ana: Client) -> None:
    row = promised(world, world.rui)

    assert ana.post(f"/reminders/{row.pk}/open").status_code == 403
    row.refresh_from_db()
    assert row.read_at is None


def test_a_cancelled_one_is_gone(world: World, ana: Client) -> None:
    row = promised(world, world.ana)
    Reminder.objects.filter(pk=row.pk).update(cancelled_at=datetime.now(UTC))

    assert "ligar para Helena" not in text(ana, "/reminders/")


def test_the_bell_of_an_open_page_brings_the_newest_in_words(world: World, ana: Client) -> None:
    promised(world, world.ana, "mandar o <boleto>")

    bell = text(ana, "/reminders/", **{"HX-Request": "true"})

    assert "mandar o &lt;boleto&gt;" in bell
    assert "<html" not in bell


def test_mails_are_turned_off_and_on(world: World, ana: Client) -> None:
    ana.post("/reminders/mails")
    assert not Membership.objects.get(pk=world.ana.pk).takes_reminder_mails

    ana.post("/reminders/mails", {"mails": "on"})

    assert Membership.objects.get(pk=world.ana.pk).takes_reminder_mails


def test_a_mail_that_failed_is_seen_by_its_reader_and_by_administrators_who_try_again(
    world: World, ana: Client, boss: Membership, sign_in: SignIn
) -> None:
    row = promised(world, world.ana)
    Reminder.objects.filter(pk=row.pk).update(mail=MailStatus.FAILED, mail_problem="SMTPDataError 550")
    adm = sign_in(boss)

    assert "O e-mail não pôde ser enviado." in text(ana, "/reminders/")
    assert "SMTPDataError 550" in text(adm, "/admin/reminders/")

    adm.post("/admin/reminders/retry")

    row.refresh_from_db()
    assert row.mail == MailStatus.OWED


def test_the_lead_time_is_set_logged_and_looked_at_anew(world: World, boss: Membership, sign_in: SignIn) -> None:
    ticket = promised(world, world.ana).ticket
    Ticket.objects.filter(pk=ticket.pk).update(remind_at=None)

    sign_in(boss).post("/admin/reminders/lead", {"hours": "5"})

    assert Organization.objects.get(pk=boss.organization_id).reminder_hours == 5
    assert AdministrativeAct.objects.filter(kind="reminders").count() == 1
    assert Ticket.objects.get(pk=ticket.pk).remind_at is not None


@pytest.mark.parametrize("typed", ["", "-1", "duas", "41", "2.5", "٣"])
def test_what_is_no_number_of_hours_is_refused_beside_the_field(
    world: World, boss: Membership, sign_in: SignIn, typed: str
) -> None:
    answer = sign_in(boss).post("/admin/reminders/lead", {"hours": typed})

    assert answer.status_code == 400
    assert f'value="{typed}"' in answer.content.decode()
    assert Organization.objects.get(pk=boss.organization_id).reminder_hours == 2


def test_the_list_costs_as_many_queries_for_many_as_for_one(world: World, ana: Client) -> None:
    promised(world, world.ana)
    one = queries_of(lambda: ana.get("/reminders/"))
    for _ in range(5):
        promised(world, world.ana)

    assert queries_of(lambda: ana.get("/reminders/")) == one
