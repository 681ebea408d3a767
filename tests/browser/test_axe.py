"""Each screen by axe, light and dark, wide and narrow: WCAG 2.2 AA."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from atendimento.actions import asking, teams
from atendimento.models import EndpointMode, Membership, Origin, PromptText, Proposal, Role, RunStatus, Ticket
from tests.browser.conftest import Open
from tests.support import stories
from tests.support.stories import World, change

AXE = (Path(__file__).parent / "vendor/axe/axe.min.js").read_text(encoding="utf-8")
COMPARED = "?pane=history&from=0&to=4"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def faults(page: Page) -> list[str]:
    # A page that a form has led to is there before its styles are, and sizes are looked at.
    page.wait_for_load_state()
    page.evaluate(AXE)
    found: dict[str, Any] = page.evaluate("tags => axe.run({runOnly: {type: 'tag', values: tags}})", RULES)
    return [
        f"{fault['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else fault['help']}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


@pytest.fixture
def crowded(world: World) -> Ticket:
    """A ticket with every kind of card, a refused proposal, and a value of every status."""
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.accept(rows[:1])
    world.say(ticket, "Endereço: Rua das Flores, 10", "registry", "Cadastro")
    world.say(ticket, "moro na Rua do Sol, 22. Meu vizinho fica no número 30")
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua das Flores, 10", ("m-7", "Rua das Flores, 10"))))
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua do Sol, 22", ("m-8", "Rua do Sol, 22"))))
    world.propose(
        ticket,
        change("/facts/endereco", "número 30", ("m-8", "número 30")),
        change("/facts/aparelho", "adega", ("m-8", "isto não está lá")),
        change("/facts/sintoma", "não gela", ("m-8", "moro na Rua do Sol"), inference=True),
    )
    return ticket


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["wide", "narrow"])
def test_every_screen(world: World, crowded: Ticket, open_ticket: Open, scheme: Any, size: tuple[int, int]) -> None:
    page = open_ticket(crowded, world.silvia)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    assert faults(page) == []
    page.keyboard.press("j")
    page.keyboard.press("e")
    assert faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    assert faults(page) == []
    page.keyboard.press("?")
    assert faults(page) == []
    page.keyboard.press("Escape")
    for query in (
        "?pane=state&report=customer",
        "?pane=history",
        "?show=talk",
        "?show=queue",
        "?pane=state&version=1",
        COMPARED,
    ):
        page.goto(f"/tickets/{crowded.pk}/{query}")
        if "state" in query:
            page.evaluate("document.querySelectorAll('#memory details').forEach(details => { details.open = true; })")
        assert faults(page) == [], query
    ticket = f"/tickets/{crowded.pk}/"
    forms = [f"{ticket}{form}" for form in ("transfer", "escalate", "snooze", "hands")]
    for path in (
        "/",
        f"{ticket}summary",
        f"{ticket}context?message=m-8",
        f"{ticket}rebuild/",
        *forms,
        "/?waiting=1h",
        "/views/",
    ):
        page.goto(path)
        assert faults(page) == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_the_pages_about_the_model(world: World, open_ticket: Open, scheme: Any, width: int) -> None:
    boss = Membership.objects.get(organization=world.ana.organization, role=Role.ADMIN)
    ticket = world.ticket()
    world.say(ticket, "Moro em Torre")
    now, organization = timezone.now(), world.ana.organization
    run = {"organization": organization, "ticket": ticket, "origin": Origin.MODEL, "producer": "model", "created_at": now}
    detail = {"problem_code": "model.invalid_answer", "problem_detail": "not a JSON object", "raw_answer": {"body": "[1]"}}
    Proposal.objects.create(status=RunStatus.PARKED, finished_at=now, **run, **detail)
    layers = [{"name": "state", "tokens": 9, "included": 1, "left_out": [{"what": "a placa (done)", "why": "settled"}]}]
    report = {"layers": layers, "total_tokens": 9}
    Proposal.objects.create(status=RunStatus.READY, finished_at=now, through_message=1, context_report=report, **run)
    EndpointMode.objects.create(identity=asking.endpoint().identity, mode="json_schema")
    for version in ("extraction-0", "extraction-1"):
        PromptText.objects.create(version=version, language=organization.language, text="# Regras\num", first_used_at=now)
    page = open_ticket(ticket, boss)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("/admin/model/", "/admin/model/prompts/", f"/tickets/{ticket.pk}/context"):
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
        assert faults(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize(("scheme", "size"), [("light", (1440, 900)), ("dark", (390, 844))], ids=["wide", "narrow"])
def test_the_search_and_the_customer(
    world: World, crowded: Ticket, open_ticket: Open, scheme: Any, size: tuple[int, int]
) -> None:
    page = open_ticket(crowded, world.silvia)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    ticket = f"/tickets/{crowded.pk}/"
    for path in ("/search?q=geladeira", "/search?q=nada-disso&from=2020-01-01", f"{ticket}?show=customer&customer=open"):
        page.goto(path)
        expect(page.locator(".hits, .empty, #customer h2").first).to_be_visible()
        assert faults(page) == [], path
    page.goto(f"{ticket}?show=talk")
    page.keyboard.press("/")
    page.keyboard.type("geladeira")
    expect(page.locator("#search-panel [role=option]").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert faults(page) == [], "the panel of the search"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)], ids=["wide", "narrow"])
def test_teams_first_steps_filters_and_the_customer_s_own_page(
    world: World, open_ticket: Open, scheme: Any, width: int
) -> None:
    boss = Membership.objects.get(organization=world.ana.organization, role=Role.ADMIN)
    team = teams.create_team(member=boss, name="Recife")
    teams.set_team_members(member=boss, team_id=team.pk, members=[world.ana.pk], leads=[])
    ticket = stories.recife(world)
    page = open_ticket(ticket, boss)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    for path in ("/admin/teams/", "/first-steps/", "/?filters=open", f"/tickets/{ticket.pk}/customer", "/?did=transfer"):
        page.goto(path)
        page.evaluate("document.querySelectorAll('main details').forEach(details => { details.open = true; })")
        assert faults(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_before_signing_in(transactional_db: None, page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    for path in ("/conta/login/", "/conta/password/reset/", "/conta/signup/"):
        page.goto(path)
        assert faults(page) == [], path
    page.goto("/conta/login/")
    page.locator("#id_login").fill("ninguem@example.com")
    page.locator("#id_password").fill("errada-mas-longa")
    page.locator("button.main").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert faults(page) == []


@pytest.mark.parametrize("width", [1440, 1100, 760, 390, 320])
def test_nothing_sticks_out_sideways(crowded: Ticket, open_ticket: Open, width: int) -> None:
    page = open_ticket(crowded)
    page.set_viewport_size({"width": width, "height": 800})
    for query in ("", "?pane=state", "?pane=history", COMPARED, "?show=talk", "?show=queue"):
        page.goto(f"/tickets/{crowded.pk}/{query}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, query
        for part in ("#transcript", "#memory-scroll", "#queue-scroll"):
            wide = page.locator(part).evaluate("part => part.scrollWidth - part.clientWidth")
            assert wide <= 0, f"{part} at {query}"
