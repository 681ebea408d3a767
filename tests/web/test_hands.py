"""Assume, transfer, escalate, answer, snooze: what is written, who is told, and when it is refused."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import ProgrammingError, transaction
from django.test import Client
from django.utils import timezone

from atendimento import access, jobs
from atendimento.actions.teams import create_team, set_team_members
from atendimento.actions.tickets import update_ticket
from atendimento.actions.waking import wake
from atendimento.models import Handing, Membership, Message, Organization, OutboxEntry, Team, Ticket
from atendimento.selectors.hands import snooze_times
from tests.support.asking import text
from tests.support.stories import World
from tests.web.conftest import SignIn


def admin_of(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


def team(world: World, name: str, *members: Membership, leads: tuple[Membership, ...] = ()) -> Team:
    made = create_team(member=admin_of(world), name=name)
    heads = [row.pk for row in leads]
    return set_team_members(
        member=admin_of(world), team_id=made.pk, members=[*(row.pk for row in members), *heads], leads=heads
    )


def fields(client: Client, address: str) -> dict[str, str]:
    """What the form at this address would send as it stands."""
    form = client.get(address).context["form"]
    return {"seen": form.seen, "key": form.key}


def kinds(ticket: Ticket) -> list[str]:
    return list(Handing.objects.filter(ticket=ticket).order_by("pk").values_list("kind", flat=True))


def test_taking_a_ticket_makes_it_mine_once(world: World, ana: Client) -> None:
    ticket = world.ticket()
    answers = [ana.post(f"/tickets/{ticket.pk}/assume", given) for given in ({"seen": "//"}, {})]
    assert [answer.status_code for answer in answers] == [302, 302]
    ticket.refresh_from_db()
    assert (ticket.assignee, kinds(ticket)) == (world.ana, ["assumed"])
    assert "Este atendimento agora está com você." in text(ana.get(answers[0]["Location"]))


def test_a_ticket_that_somebody_took_meanwhile_is_not_taken_out_of_their_hands(world: World, ana: Client) -> None:
    ticket = world.ticket()
    update_ticket(member=world.rui, ticket_id=ticket.pk, assignee="me")

    answer = ana.post(f"/tickets/{ticket.pk}/assume", {"seen": "//"})

    assert answer.status_code == 409
    assert "Rui Prado" in text(answer)
    ticket.refresh_from_db()
    assert (ticket.assignee, kinds(ticket)) == (world.rui, ["assumed"])
    # The form shows whose it is now: whoever takes it all the same has seen that.
    ana.post(f"/tickets/{ticket.pk}/assume", {"seen": answer.context["form"].seen})
    ticket.refresh_from_db()
    assert (ticket.assignee, kinds(ticket)) == (world.ana, ["assumed", "assumed"])


def test_a_transfer_to_a_person_leaves_its_note_in_the_conversation(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "cadê o técnico?")
    address = f"/tickets/{ticket.pk}/transfer"
    sent = fields(ana, address) | {"to": f"m:{world.rui.pk}", "note": "Cliente prefere falar com você."}
    for _press in range(2):  # a double click is one transfer and one note
        assert ana.post(address, sent).status_code == 302
    ticket.refresh_from_db()
    note = Message.objects.get(ticket=ticket, internal=True)
    row = Handing.objects.get(ticket=ticket)
    assert ticket.assignee == world.rui
    assert (note.text, note.author_kind, note.member) == ("Cliente prefere falar com você.", "agent", world.ana)
    assert (row.kind, row.by, row.from_member, row.to_member, row.note) == ("transferred", world.ana, None, world.rui, note)
    assert ticket.waiting_since is not None  # an internal note answers nobody


def test_a_transfer_to_a_team_takes_it_out_of_sight_of_whoever_is_not_in_it(world: World, ana: Client) -> None:
    ticket = world.ticket()
    update_ticket(member=world.ana, ticket_id=ticket.pk, assignee="me")
    parts = team(world, "Peças", world.rui)
    address = f"/tickets/{ticket.pk}/transfer"
    sent = fields(ana, address) | {"to": f"t:{parts.slug}", "note": ""}

    answer = ana.post(address, sent, headers={"referer": f"http://testserver/tickets/{ticket.pk}?view=mine"})

    assert (answer.status_code, answer["Location"]) == (302, "/?view=mine&did=transfer")
    assert ana.post(address, sent).status_code == 302  # the same press again, out of sight by now
    ticket.refresh_from_db()
    assert (ticket.team, ticket.assignee, kinds(ticket)) == (parts, None, ["assumed", "transferred"])
    assert ana.get(f"/tickets/{ticket.pk}/").status_code == 404
    assert not access.visible_tickets(world.ana).exists()
    assert access.visible_tickets(world.rui).get() == ticket


@pytest.mark.parametrize("to", ["", "m:", "m:999999", "t:nenhum", "x:1"])
def test_a_transfer_to_nobody_is_refused_and_keeps_the_note(world: World, ana: Client, to: str) -> None:
    ticket = world.ticket()
    answer = ana.post(f"/tickets/{ticket.pk}/transfer", {"to": to, "note": "guarde isto"})
    assert answer.status_code == 400
    assert "guarde isto" in answer.content.decode()
    assert (kinds(ticket), Message.objects.filter(ticket=ticket).count()) == ([], 0)


def test_an_escalation_is_seen_marked_and_answered(world: World, ana: Client, silvia: Client) -> None:
    ticket = world.ticket()
    update_ticket(member=world.ana, ticket_id=ticket.pk, assignee="me")
    address = f"/tickets/{ticket.pk}/escalate"
    empty = fields(ana, address) | {"to": f"m:{world.silvia.pk}", "note": "  "}
    assert ana.post(address, empty).status_code == 400
    peer = fields(ana, address) | {"to": f"m:{world.rui.pk}", "note": "ajuda"}
    assert ana.post(address, peer).status_code == 400
    assert ana.post(address, empty | {"note": "Posso devolver o valor?"}).status_code == 302

    listed = silvia.get("/", {"view": "escalated"}).context["queue"]
    assert [row.title for row in listed.rows] == [ticket.subject]
    assert {view.key: view.count for view in listed.views}["escalated"] == 1
    assert "encaminhado a você" in text(silvia.get(f"/tickets/{ticket.pk}/"))
    assert "encaminhado a Sílvia Reis" in text(ana.get(f"/tickets/{ticket.pk}/"))
    ticket.refresh_from_db()
    assert ticket.assignee == world.ana  # the owner stays

    answering = f"/tickets/{ticket.pk}/escalation/answer"
    assert ana.post(answering, {"note": "eu mesma"}).status_code == 403
    form = silvia.get(answering)
    assert "Posso devolver o valor?" in text(form)
    sent = fields(silvia, answering) | {"note": "Pode."}
    for _press in range(2):
        assert silvia.post(answering, sent).status_code == 302
    ticket.refresh_from_db()
    assert ticket.escalated_to is None
    assert kinds(ticket) == ["assumed", "escalated", "answered"]
    assert list(Message.objects.filter(ticket=ticket).values_list("text", "internal")) == [
        ("Posso devolver o valor?", True),
        ("Pode.", True),
    ]
    assert silvia.get("/", {"view": "escalated"}).context["queue"].rows == ()


def test_who_leads_the_team_can_be_asked_and_can_answer(world: World, ana: Client, sign_in: SignIn) -> None:
    led = team(world, "Rotas", world.ana, leads=(world.rui,))
    ticket = world.ticket()
    Ticket.objects.filter(pk=ticket.pk).update(team=led)
    address = f"/tickets/{ticket.pk}/escalate"
    sent = fields(ana, address) | {"to": f"m:{world.rui.pk}", "note": "qual rota?"}
    assert ana.post(address, sent).status_code == 302
    rui = sign_in(world.rui)
    assert rui.post(f"/tickets/{ticket.pk}/escalation/answer", {"note": "a do Pina"}).status_code == 302
    assert kinds(ticket) == ["escalated", "answered"]


def test_the_acts_stand_between_the_messages_and_in_the_book(world: World, ana: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "bom dia")
    update_ticket(member=world.rui, ticket_id=ticket.pk, assignee="me")
    sent = fields(ana, f"/tickets/{ticket.pk}/transfer") | {"to": f"m:{world.ana.pk}", "note": "assumo daqui"}
    ana.post(f"/tickets/{ticket.pk}/transfer", sent)
    ana.cookies["lastro_events"] = "on"

    page = ana.get(f"/tickets/{ticket.pk}/").context["page"]
    told = [event.sentence for message in page.transcript.messages for event in message.after if event.version is None]
    assert told == ["Rui Prado assumiu o atendimento", "Ana Lima assumiu o atendimento"]
    book = text(ana.get(f"/tickets/{ticket.pk}/hands"))
    assert "Rui Prado assumiu o atendimento" in book
    assert "assumo daqui" in book


def test_the_book_cannot_be_changed_by_the_application(world: World) -> None:
    ticket = world.ticket()
    update_ticket(member=world.ana, ticket_id=ticket.pk, assignee="me")
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        Handing.objects.update(kind="released")
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        Handing.objects.all()._raw_delete("default")


def test_a_merged_ticket_changes_hands_no_more(world: World, ana: Client) -> None:
    ticket, into = world.ticket(), world.ticket("Outro")
    Ticket.objects.filter(pk=ticket.pk).update(status="merged", merged_into=into)
    answer = ana.post(f"/tickets/{ticket.pk}/assume", {})
    assert answer.status_code == 409
    assert kinds(ticket) == []


# --- snoozing -----------------------------------------------------------------------------------------------------


def test_what_is_offered_is_told_in_the_organisation_s_own_time() -> None:
    zone = ZoneInfo("America/Sao_Paulo")

    def offered(year: int, month: int, day: int, hour: int, minute: int = 0) -> dict[str, str]:
        now = datetime(year, month, day, hour, minute, tzinfo=zone)
        return {item.key: item.at.strftime("%d %H:%M") for item in snooze_times(Organization(), now)}

    # A Friday morning; its afternoon; a Thursday before a holiday (20 November).
    assert offered(2026, 3, 13, 10) == {
        "hour": "13 11:00",
        "afternoon": "13 14:00",
        "tomorrow": "14 09:00",
        "working_day": "16 09:00",
    }
    assert offered(2026, 3, 13, 15) == {"hour": "13 16:00", "tomorrow": "14 09:00", "working_day": "16 09:00"}
    assert offered(2026, 11, 19, 23, 30) == {"hour": "20 00:30", "tomorrow": "20 09:00", "working_day": "23 09:00"}
    assert offered(2026, 3, 10, 15) == {"hour": "10 16:00", "tomorrow": "11 09:00"}


def snooze(client: Client, ticket: Ticket, **sent: str) -> Any:
    return client.post(f"/tickets/{ticket.pk}/snooze", sent)


def test_a_snoozed_ticket_comes_back_at_its_time_and_says_so(world: World, ana: Client) -> None:
    ticket = world.ticket()
    assert snooze(ana, ticket, until="hour").status_code == 302
    ticket.refresh_from_db()
    assert ticket.status == "snoozed"
    owed = OutboxEntry.objects.get(job=jobs.WAKE, subject=ticket.pk)
    assert owed.due_at == ticket.snoozed_until
    assert "adiado até" in text(ana.get("/", {"view": "snoozed"}))

    assert not wake(organization_id=ticket.organization_id, ticket_id=ticket.pk)  # too early: it sleeps on
    assert OutboxEntry.objects.filter(job=jobs.WAKE, subject=ticket.pk).exists()
    Ticket.objects.filter(pk=ticket.pk).update(snoozed_until=timezone.now() - timedelta(seconds=1))
    assert wake(organization_id=ticket.organization_id, ticket_id=ticket.pk)
    assert not wake(organization_id=ticket.organization_id, ticket_id=ticket.pk)  # again changes nothing
    woken = Ticket.objects.get(pk=ticket.pk)
    assert (woken.status, woken.snoozed_until) == ("open", None)
    assert not OutboxEntry.objects.filter(job=jobs.WAKE).exists()
    assert "voltou do adiamento" in text(ana.get("/", {"view": "all"}))

    ana.post(f"/tickets/{ticket.pk}/assume", {})
    assert "voltou do adiamento" not in text(ana.get("/", {"view": "all"}))


def test_a_customer_s_message_wakes_it_once_and_nothing_wakes_it_again(world: World, ana: Client) -> None:
    ticket = world.ticket()
    snooze(ana, ticket, until="tomorrow")
    world.say(ticket, "e então?")
    ticket.refresh_from_db()
    assert (ticket.status, ticket.woken_at is not None) == ("open", True)
    assert not OutboxEntry.objects.filter(job=jobs.WAKE).exists()
    assert not wake(organization_id=ticket.organization_id, ticket_id=ticket.pk)


def test_whoever_is_given_a_snoozed_ticket_finds_it_open(world: World, ana: Client) -> None:
    ticket = world.ticket()
    for how in ("form", "api"):
        update_ticket(member=world.ana, ticket_id=ticket.pk, assignee="me")
        snooze(ana, ticket, until="tomorrow")
        if how == "form":
            assert "adiado até" in text(ana.get(f"/tickets/{ticket.pk}/transfer"))
            sent = ana.post(f"/tickets/{ticket.pk}/transfer", {"to": f"m:{world.rui.pk}"})
            assert "Transferido para Rui Prado. Não está mais adiado." in text(ana.get(sent["Location"]))
        else:
            update_ticket(member=world.ana, ticket_id=ticket.pk, assignee=str(world.rui.pk))
        ticket.refresh_from_db()
        assert (ticket.status, ticket.snoozed_until, ticket.assignee) == ("open", None, world.rui)
        assert not OutboxEntry.objects.filter(job=jobs.WAKE, subject=ticket.pk).exists()
    # Looking at it is no change of hands, and who says both at once means both.
    ana.post(f"/tickets/{ticket.pk}/escalate", {"to": f"m:{world.silvia.pk}", "note": "veja"})
    until = timezone.now() + timedelta(days=1)
    update_ticket(member=world.ana, ticket_id=ticket.pk, assignee="me", status="snoozed", snoozed_until=until)
    ana.post(f"/tickets/{ticket.pk}/escalate", {"to": f"m:{world.silvia.pk}", "note": "veja de novo"})
    ticket.refresh_from_db()
    assert (ticket.status, ticket.assignee, ticket.escalated_to) == ("snoozed", world.ana, world.silvia)


def test_a_moment_of_one_s_own_is_the_organisation_s_time(world: World, ana: Client) -> None:
    ticket = world.ticket()
    zone = ZoneInfo(world.ana.organization.timezone)
    local = (timezone.now() + timedelta(days=3)).astimezone(zone).replace(second=0, microsecond=0)
    assert snooze(ana, ticket, until="", moment=local.strftime("%Y-%m-%dT%H:%M")).status_code == 302
    ticket.refresh_from_db()
    assert ticket.snoozed_until == local


@pytest.mark.parametrize(
    "moment", ["", "nunca", "2020-01-01T09:00", "9999-12-31T23:59", "0001-01-01T00:00", "2026-13-40T99:99"]
)
def test_no_moment_a_past_one_and_a_far_one_are_refused(world: World, ana: Client, moment: str) -> None:
    ticket = world.ticket()
    assert snooze(ana, ticket, moment=moment).status_code == 400
    ticket.refresh_from_db()
    assert ticket.status == "open"


def test_forms_of_another_organisation_s_ticket_are_not_there(world: World, stranger: Client) -> None:
    ticket = world.ticket()
    for act in ("assume", "transfer", "escalate", "escalation/answer", "snooze"):
        assert stranger.post(f"/tickets/{ticket.pk}/{act}", {"key": str(uuid.uuid4())}).status_code == 404
