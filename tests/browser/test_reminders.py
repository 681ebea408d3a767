"""A reminder that comes while a page is open: the bell counts it, a note says it, and the way leads to the commitment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import expect

from atendimento.actions import reminders, slots
from atendimento.models import Membership, Organization, Reminder, Ticket
from tests.browser.conftest import Open
from tests.browser.test_axe import faults
from tests.support import stories
from tests.support.stories import World

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_reminder_reaches_an_open_page(open_ticket: Open, world: World) -> None:
    ticket = world.ticket()
    due = (datetime.now(UTC) - timedelta(minutes=5)).isoformat(timespec="seconds")
    value = {"task": "ligar para Helena", "owner": "Ana Lima", "due": due}
    slots.set_slot(member=world.rui, ticket_id=ticket.pk, path="/commitments/-", value=value, expected_version=0)
    page = open_ticket()
    expect(page.locator("#bell .count")).to_have_count(0)

    world.enter()
    assert reminders.remind_all(Organization.objects.get(pk=world.ana.organization_id)) == 1

    expect(page.locator("#bell .count")).to_have_text("1")
    expect(page.locator("#notices")).to_contain_text("ligar para Helena")
    page.locator("#bell").click()
    page.get_by_role("button", name="ligar para Helena").click()

    expect(page.locator("#memory")).to_contain_text("ligar para Helena")
    expect(page).to_have_url(
        f"{page.url.split('/tickets/')[0]}/tickets/{ticket.pk}/?pane=state&show=memory#sl-commitments-c-2d-1"
    )
    expect(page.locator("#bell .count")).to_have_count(0)
    world.enter()
    assert Reminder.objects.get().read_at is not None
    assert Ticket.objects.get(pk=ticket.pk).remind_at is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_list_and_what_an_administrator_sets_by_axe(open_ticket: Open, world: World, scheme: Any) -> None:
    boss = Membership.objects.get(organization=world.ana.organization, role="admin")
    stories.remind(world.ticket(), boss, mail="failed", mail_problem="SMTPDataError 550")
    page = open_ticket(member=boss)
    page.emulate_media(color_scheme=scheme)

    for path in ("/reminders/", "/admin/reminders/"):
        page.goto(path)
        assert faults(page) == []
