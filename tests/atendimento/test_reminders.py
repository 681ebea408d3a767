"""Who is reminded of which commitment, once; and what becomes of a reminder when the commitment changes."""

from __future__ import annotations

import smtplib
import socket
import threading
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.core import mail
from django.db import connection

from atendimento import actions, jobs, tenancy
from atendimento.actions import organization_settings, reminder_mails, reminders
from atendimento.actions.reminders import remind_all
from atendimento.models import MailStatus, Membership, Organization, OutboxEntry, Reminder, Team, TeamMember, Ticket
from atendimento.selectors import reminders as words
from tests.builders import House, make_house, make_ticket
from tests.support import stories


def moment(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="seconds")


def promise(house: House, ticket: Ticket, due: str | None = None, who: Membership | None = None, **more: Any) -> str:
    """A commitment, recorded by Bruno where nobody is named; its id."""
    value = {"task": "ligar para Helena", "owner": "team", "due": due or moment(-1)} | more
    version = Ticket.objects.get(pk=ticket.pk).state_version
    written = actions.set_slot(
        member=who or house.bruno, ticket_id=ticket.pk, path="/commitments/-", value=value, expected_version=version
    )
    return f"c-{written.state.minted['commitments']}"


def set_status(house: House, ticket: Ticket, path: str, value: str | None, **more: Any) -> None:
    version = Ticket.objects.get(pk=ticket.pk).state_version
    actions.set_slot(member=house.bruno, ticket_id=ticket.pk, path=path, value=value, expected_version=version, **more)


def assign(house: House, ticket: Ticket, member: Membership) -> None:
    actions.update_ticket(member=house.celia, ticket_id=ticket.pk, assignee=str(member.pk))


def look(house: House) -> list[tuple[str, str, str]]:
    """Let the clock look at every ticket; the reminders that stand: whom, of what, which."""
    Ticket.objects.filter(remind_at__isnull=False).update(remind_at=datetime.now(UTC))
    remind_all(organization_of(house))
    rows = Reminder.objects.filter(cancelled_at=None).select_related("member").order_by("commitment", "kind", "member")
    return [(row.member.name, row.commitment, row.kind) for row in rows]


def organization_of(house: House) -> Organization:
    return Organization.objects.get(pk=house.organization.pk)


def lead(house: House, hours: int) -> None:
    reminders.set_lead(member=house.davi, hours=str(hours))


# --- who, of what, when -------------------------------------------------------------------------------------------


def test_the_assignee_is_reminded_of_the_teams_commitment_when_it_is_due(house: House, ticket: Ticket) -> None:
    assign(house, ticket, house.ana)
    promise(house, ticket)

    assert look(house) == [("Ana", "c-1", "due")]


def test_who_is_named_is_reminded_whoever_has_the_ticket(house: House, ticket: Ticket) -> None:
    assign(house, ticket, house.ana)
    promise(house, ticket, owner="  bruno ")

    assert look(house) == [("Bruno", "c-1", "due")]


def test_a_name_that_nobody_has_falls_back_to_the_assignee(house: House, ticket: Ticket) -> None:
    assign(house, ticket, house.ana)
    promise(house, ticket, owner="Técnico João")

    assert look(house) == [("Ana", "c-1", "due")]


def test_without_an_owner_supervisors_are_reminded(house: House, ticket: Ticket) -> None:
    promise(house, ticket)

    assert look(house) == [("Celia", "c-1", "due")]


def in_a_team(house: House, ticket: Ticket, leader: Membership) -> None:
    now = datetime.now(UTC)
    team = Team.objects.create(organization=house.organization, name="Contratos", slug="contratos", created_at=now)
    TeamMember.objects.create(organization=house.organization, team=team, member=leader, leads=True)
    actions.update_ticket(member=house.celia, ticket_id=ticket.pk, team="contratos")


def test_without_an_owner_whoever_leads_the_ticket_s_team_is_reminded(house: House, ticket: Ticket) -> None:
    in_a_team(house, ticket, house.ana)
    promise(house, ticket, who=house.celia)

    assert look(house) == [("Ana", "c-1", "due")]


def test_who_is_named_and_does_not_see_the_ticket_is_not_reminded_of_it(house: House, ticket: Ticket) -> None:
    in_a_team(house, ticket, house.ana)
    promise(house, ticket, who=house.celia, owner="Bruno")

    assert look(house) == [("Ana", "c-1", "due")]


def test_someone_who_left_is_not_reminded(house: House, ticket: Ticket) -> None:
    assign(house, ticket, house.ana)
    promise(house, ticket)
    Membership.objects.filter(pk=house.ana.pk).update(is_active=False)

    assert look(house) == [("Celia", "c-1", "due")]


def test_before_it_is_due_by_the_organisations_working_hours(house: House, ticket: Ticket) -> None:
    lead(house, 40)  # from now, the time for it came days ago
    assign(house, ticket, house.ana)
    promise(house, ticket, moment(1))

    assert look(house) == [("Ana", "c-1", "before")]


def test_nothing_before_where_the_organisation_wants_none(house: House, ticket: Ticket) -> None:
    lead(house, 0)
    assign(house, ticket, house.ana)
    promise(house, ticket, moment(0.2))

    assert look(house) == []


def test_who_has_just_typed_a_due_is_not_told_of_it_at_once(house: House, ticket: Ticket) -> None:
    lead(house, 40)
    assign(house, ticket, house.ana)
    promise(house, ticket, moment(1), who=house.ana)

    assert look(house) == []


def test_what_is_far_off_waits_and_the_ticket_says_until_when(house: House, ticket: Ticket) -> None:
    day = (datetime.now(UTC) + timedelta(days=30)).date()
    promise(house, ticket, day.isoformat())

    assert look(house) == []
    until = Ticket.objects.get(pk=ticket.pk).remind_at
    assert until is not None
    assert date(day.year, day.month, day.day) - until.date() < timedelta(days=8)


def test_what_was_due_long_ago_when_it_was_recorded_is_left_in_peace(house: House, ticket: Ticket) -> None:
    promise(house, ticket, moment(-24 * 9))

    assert look(house) == []


def test_a_snoozed_ticket_reminds_and_a_closed_one_does_not(house: House, ticket: Ticket) -> None:
    assign(house, ticket, house.ana)
    promise(house, ticket)
    actions.update_ticket(
        member=house.ana, ticket_id=ticket.pk, status="snoozed", snoozed_until=datetime.now(UTC) + timedelta(days=2)
    )
    assert look(house) == [("Ana", "c-1", "due")]

    actions.update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")

    assert look(house) == []


# --- once ---------------------------------------------------------------------------------------------------------


def test_looking_again_makes_nothing_again(house: House, ticket: Ticket) -> None:
    promise(house, ticket)

    assert look(house) == look(house)
    assert Reminder.objects.count() == 1
    assert OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_remind_once() -> None:
    house = make_house()
    for number in range(6):
        promise(house, make_ticket(house, f"cli-{number}"))
    barrier = threading.Barrier(2)
    looked: list[int] = []

    def work() -> None:
        try:
            with tenancy.organization(house.organization.pk):
                barrier.wait(30)
                looked.append(remind_all(organization_of(house)))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    tenancy.enter(house.organization.pk)
    assert sum(looked) == 6
    assert Reminder.objects.count() == 6


# --- what changes -------------------------------------------------------------------------------------------------


def test_a_finished_commitment_reminds_nobody_from_that_moment_on(house: House, ticket: Ticket) -> None:
    promise(house, ticket)
    look(house)

    set_status(house, ticket, "/commitments/c-1/status", "cancelled")

    assert Reminder.objects.filter(cancelled_at=None).count() == 0


def test_a_due_that_is_moved_cancels_its_reminder_and_moved_back_it_counts_again(house: House, ticket: Ticket) -> None:
    first, later = moment(-1), moment(24 * 30)
    promise(house, ticket, first)
    look(house)
    set_status(house, ticket, "/commitments/c-1/due", later)
    assert look(house) == []

    set_status(house, ticket, "/commitments/c-1/due", first)

    assert look(house) == [("Celia", "c-1", "due")]
    assert Reminder.objects.count() == 1


def test_a_ticket_that_changes_hands_reminds_its_new_owner(house: House, ticket: Ticket) -> None:
    assign(house, ticket, house.ana)
    promise(house, ticket)
    look(house)

    assign(house, ticket, house.bruno)

    assert look(house) == [("Bruno", "c-1", "due")]


def test_when_it_is_due_the_reminder_before_it_has_had_its_time(house: House, ticket: Ticket) -> None:
    due = moment(-1)
    promise(house, ticket, due)
    earlier = datetime.now(UTC) - timedelta(hours=3)
    stories.remind(ticket, house.celia, due=due, due_at=datetime.fromisoformat(due), kind="before", made_at=earlier)

    assert look(house) == [("Celia", "c-1", "due")]


# --- mails --------------------------------------------------------------------------------------------------------


def sent_to(house: House, reminder: Reminder) -> Reminder:
    OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).update(due_at=datetime.now(UTC) - timedelta(seconds=1))
    reminder_mails.mail_reminder(organization_id=house.organization.pk, reminder_id=reminder.pk)
    reminder.refresh_from_db()
    return reminder


def test_a_mail_says_protocol_and_task_and_nothing_that_is_personal(house: House, ticket: Ticket, settings: Any) -> None:
    settings.PUBLIC_URL = "https://casa.example"
    promise(house, ticket, task="ligar para (81) 98765-4321 de Helena")
    look(house)

    row = sent_to(house, Reminder.objects.get())

    assert (row.mail, row.mail_tries) == (MailStatus.SENT, 1)
    (letter,) = mail.outbox
    assert letter.to == ["celia@casa.example"]
    assert ticket.protocol in letter.subject
    assert "98765" not in f"{letter.subject}{letter.body}"
    assert "ligar para" in letter.body
    assert f"https://casa.example/tickets/{ticket.pk}/?pane=state" in letter.body
    assert letter.extra_headers["Message-ID"] == f"<reminder-{row.pk}@localhost>"
    assert not OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).exists()


@pytest.mark.parametrize(("language", "word"), [("", "Compromisso vencido"), ("en", "Commitment due")])
def test_a_mail_is_written_in_its_readers_language(house: House, ticket: Ticket, language: str, word: str) -> None:
    house.celia.user.language = language
    house.celia.user.save(update_fields=["language"])
    promise(house, ticket)
    look(house)

    sent_to(house, Reminder.objects.get())

    assert mail.outbox[0].subject.startswith(word)


def test_who_takes_no_mails_gets_none(house: House, ticket: Ticket) -> None:
    reminders.set_mails(member=house.celia, on=False)
    promise(house, ticket)
    look(house)

    assert Reminder.objects.get().mail == MailStatus.UNWANTED
    assert not OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).exists()


@pytest.mark.parametrize("change", ["read", "cancelled", "mails off"])
def test_a_mail_that_is_not_needed_any_more_is_not_sent(house: House, ticket: Ticket, change: str) -> None:
    promise(house, ticket)
    look(house)
    row = Reminder.objects.get()
    if change == "read":
        reminders.read_reminder(member=house.celia, reminder_id=row.pk)
    elif change == "cancelled":
        set_status(house, ticket, "/commitments/c-1/status", "cancelled")
    else:
        reminders.set_mails(member=house.celia, on=False)

    assert sent_to(house, row).mail == MailStatus.UNWANTED
    assert mail.outbox == []


def test_a_ticket_that_goes_to_a_closed_team_takes_its_reminders_and_mails_along(house: House, ticket: Ticket) -> None:
    promise(house, ticket)
    look(house)
    row = Reminder.objects.get()
    Membership.objects.filter(pk=house.celia.pk).update(role="agent")
    demoted = Membership.objects.select_related("organization").get(pk=house.celia.pk)
    assert words.bell(demoted, with_news=True).news != ""

    now = datetime.now(UTC)
    team = Team.objects.create(organization=house.organization, name="Contratos", slug="contratos", created_at=now)
    Ticket.objects.filter(pk=ticket.pk).update(team=team)

    bell = words.bell(demoted, with_news=True)
    assert (bell.unread, bell.news) == (0, "")
    page = words.reminders(demoted)
    assert (page.rows, page.unread) == ((), 0)
    assert reminders.read_all(member=demoted) == 0
    assert sent_to(house, row).mail == MailStatus.UNWANTED
    assert mail.outbox == []
    assert not OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).exists()


def test_one_that_another_worker_has_claimed_is_left_to_it(house: House, ticket: Ticket) -> None:
    promise(house, ticket)
    look(house)
    row = Reminder.objects.get()
    jobs.postpone(jobs.MAIL_REMINDER, row.pk, datetime.now(UTC) + timedelta(minutes=1), datetime.now(UTC))

    reminder_mails.mail_reminder(organization_id=house.organization.pk, reminder_id=row.pk)

    assert mail.outbox == []


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_a_mail_server_that_is_down_is_tried_again_later_each_time_and_then_given_up_visibly(
    house: House, ticket: Ticket, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", closed_port()
    promise(house, ticket)
    look(house)
    row = Reminder.objects.get()
    waits = []

    for _ in range(reminder_mails.MAX_TRIES - 1):
        assert sent_to(house, row).mail == MailStatus.OWED
        waits.append(OutboxEntry.objects.get(job=jobs.MAIL_REMINDER).due_at - datetime.now(UTC))

    assert all(later > earlier * 1.5 for earlier, later in pairwise(waits))
    assert sent_to(house, row).mail == MailStatus.FAILED
    assert row.mail_problem.startswith("ConnectionRefusedError")
    assert not OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).exists()

    assert reminder_mails.mail_again(member=house.davi) == 1
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert sent_to(house, row).mail == MailStatus.SENT


def test_a_mail_that_cannot_be_written_is_a_try_that_failed(house: House, ticket: Ticket, settings: Any) -> None:
    settings.DEFAULT_FROM_EMAIL = "Lastro\nBcc: x <lastro@casa.example>"
    promise(house, ticket)
    look(house)

    row = sent_to(house, Reminder.objects.get())

    assert (row.mail, row.mail_tries, row.mail_problem) == (MailStatus.OWED, 1, "BadHeaderError")
    assert OutboxEntry.objects.get(job=jobs.MAIL_REMINDER).due_at > datetime.now(UTC)


def test_tries_that_end_without_a_word_are_counted_and_given_up_too(house: House, ticket: Ticket, settings: Any) -> None:
    settings.EMAIL_BACKEND = "nowhere.EmailBackend"
    promise(house, ticket)
    look(house)
    row = Reminder.objects.get()

    for _ in range(reminder_mails.MAX_TRIES):
        with pytest.raises(ModuleNotFoundError):
            sent_to(house, row)

    assert sent_to(house, row).mail == MailStatus.FAILED
    assert (row.mail_tries, row.mail_problem) == (reminder_mails.MAX_TRIES, "unfinished")
    assert not OutboxEntry.objects.filter(job=jobs.MAIL_REMINDER).exists()


def test_of_a_mail_servers_refusal_the_code_is_kept_and_not_the_words() -> None:
    refusal = smtplib.SMTPDataError(550, b"no such user ana@casa.example")

    assert reminder_mails._problem(refusal) == "SMTPDataError 550"


# --- another clock ------------------------------------------------------------------------------------------------

FAR = date(2031, 3, 5)  # a Wednesday


def planned(ticket: Ticket) -> tuple[datetime | None, datetime | None]:
    """When the ticket's next reminder is due, and when it counts as overdue."""
    row = Ticket.objects.get(pk=ticket.pk)
    return row.remind_at, row.next_due


def test_other_working_hours_plan_the_reminders_anew(house: House, ticket: Ticket) -> None:
    promise(house, ticket, FAR.isoformat())
    look(house)
    before, due = planned(ticket)

    organization_settings.save_working_time(
        member=house.davi, weekdays=["0", "1", "2", "3", "4"], opens="07:00", closes="11:00", holidays=""
    )
    remind_all(organization_of(house))

    after, same = planned(ticket)
    assert before is not None
    assert after is not None
    assert after < before
    assert same == due


def test_another_zone_moves_reminders_and_what_counts_as_overdue(house: House, ticket: Ticket) -> None:
    promise(house, ticket, FAR.isoformat())
    look(house)
    before, due = planned(ticket)

    organization_settings.save_identity(member=house.davi, name="Casa", timezone="America/Rio_Branco", language="pt-br")
    remind_all(organization_of(house))

    after, later = planned(ticket)
    assert before is not None
    assert due is not None
    assert (after, later) == (before + timedelta(hours=2), due + timedelta(hours=2))


def test_another_name_has_no_ticket_looked_at(house: House, ticket: Ticket) -> None:
    promise(house, ticket, FAR.isoformat())
    look(house)
    before = planned(ticket)
    organization = organization_of(house)

    organization_settings.save_identity(
        member=house.davi, name="Casa Nova", timezone=organization.timezone, language=organization.language
    )

    assert planned(ticket) == before


# --- another organisation -----------------------------------------------------------------------------------------


def test_a_look_at_one_organisation_leaves_the_others_alone(house: House, ticket: Ticket) -> None:
    promise(house, ticket)
    other = make_house("outra")
    theirs = make_ticket(other)
    promise(other, theirs)

    remind_all(organization_of(other))

    assert [row.member.name for row in Reminder.objects.select_related("member")] == ["Celia"]
    tenancy.enter(house.organization.pk)
    assert Reminder.objects.count() == 0
