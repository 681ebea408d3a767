"""How the database finds the queue's rows and counts: by index, whatever the number of tickets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from atendimento import embedded
from atendimento.models import Membership, Ticket, TicketType
from atendimento.selectors.queue import next_to_decide, queue
from atendimento.selectors.queue_filters import VIEWS, Filters
from atendimento.selectors.queue_rows import CAP
from tests import settings
from tests.builders import House, make_house, make_team
from tests.support import many_tickets

TICKETS = 12_000
TABLE = "atendimento_ticket"


@pytest.fixture
def shop(transactional_db: None) -> House:
    house = make_house()
    teams = [make_team(house, f"Setor {number}") for number in range(8)]
    teams += [make_team(house, "Rotas", house.ana), make_team(house, "Peças", house.ana)]
    organization = house.organization.pk
    many_tickets.fill(
        settings.POSTGRES.url(embedded.SUPERUSER, settings.TEST_DATABASE),
        many_tickets.Shop(
            organization,
            list(TicketType.objects.filter(organization=organization).values_list("pk", flat=True)),
            list(Membership.objects.filter(organization=organization).values_list("pk", flat=True)),
            [row.pk for row in teams],
        ),
        1,
        TICKETS,
    )
    return house


def nodes(plan: dict[str, Any], *, limited: bool = False) -> list[dict[str, Any]]:
    """The plan's nodes, each with whether a limit above it lets it stop."""
    limited = limited or plan["Node Type"] == "Limit"
    return [{**plan, "limited": limited}, *(node for child in plan.get("Plans", ()) for node in nodes(child, limited=limited))]


def plan_of(sql: str) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + sql.replace("%", "%%"), [])
        (found,) = cursor.fetchone()
    return nodes((found if isinstance(found, list) else json.loads(found))[0]["Plan"])


def read_whole(ask: Callable[[], object]) -> list[str]:
    """What of these queries reads the ticket table whole, or gathers more of its rows than a count may read."""
    with CaptureQueriesContext(connection) as seen:
        ask()
    found = []
    for query in seen.captured_queries:
        for node in plan_of(query["sql"]) if TABLE in query["sql"] else ():
            whole = node["Node Type"] == "Seq Scan" and node["Relation Name"] == TABLE
            # In the order of an index a limit lets it stop; a sort and a bitmap are whole before the first row.
            gathers = node["Node Type"].startswith(("Bitmap Heap", "Sort", "Index")) and node["Plan Rows"] > CAP + 1
            gathers = gathers and not (node["Node Type"].startswith("Index") and node["limited"])
            if whole or gathers:
                found.append(f"{node['Node Type']} of {node['Plan Rows']} rows")
    return found


def test_no_view_reads_the_table_whole_for_rows_or_counts(shop: House) -> None:
    found: dict[str, list[str]] = {}
    for member in (shop.ana, shop.celia):
        last = parse_qs(urlsplit(queue(member, Filters("all")).next_url).query)["after"][0]
        asked = [Filters(view) for view in VIEWS]
        asked += [Filters("all", after=last), Filters("closed", team="rotas"), Filters("all", assignee=str(shop.bruno.pk))]
        for filters in asked:
            if whole := read_whole(lambda member=member, filters=filters: queue(member, filters)):  # type: ignore[misc]
                found[f"{member}: {filters.address()}"] = whole
        for current in (None, Ticket.objects.filter(organization=shop.organization, pending_count__gt=0).first()):
            if whole := read_whole(lambda member=member, current=current: next_to_decide(member, current)):  # type: ignore[misc]
                found[f"{member}: next"] = whole
    assert found == {}
    shown = {view.key: view.shown for view in queue(shop.celia, Filters()).views}
    assert (shown["all"], shown["closed"]) == ("999+", "")
    # What is looked for would be found: the same count without a limit.
    assert read_whole(lambda: Ticket.objects.filter(organization=shop.organization, status="open").count())
