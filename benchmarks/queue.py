"""The queue over 1,000,000 tickets against 1,000, as ratios within one run.

    python -m benchmarks.queue [--tickets N] [--rounds N] [--write]

PostgreSQL and Redis are started for it, in a folder of their own that is removed afterwards. Two databases with the same
organisation, people and teams: one with 1,000 tickets, one with these and N in all. The thousand are dense, so that every view
fills a page on both sides for both members: what is compared is looking for rows, not laying them out. Each view's page is
asked for in turn from the one and from the other, through every middleware by Django's test client: as a supervisor, who sees
all, and as an agent, who sees two of twelve teams. Beside the first pages, one far behind. Every statement of each page that
names the ticket table is explained on the large database, and its plan kept: no sequential scan of that table may be in it.

Figures are recorded, never asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

import django

django.setup()

import psycopg
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, setup_test_environment
from psycopg import sql

from atendimento import embedded
from atendimento.actions import administration, teams
from atendimento.models import Membership, Role, TicketType
from atendimento.selectors.queue_filters import VIEWS
from tests import settings
from tests.support import many_tickets, servers, stories
from tests.support.many_tickets import Shop
from tests.support.stories import World

FIGURES = Path(__file__).with_name("queue.json")
SMALL = 1_000
LARGE_DATABASE = f"{settings.TEST_DATABASE}_large"
TABLE = "atendimento_ticket"

DENSE = """
UPDATE atendimento_ticket SET
    status = CASE WHEN n < 120 THEN 'closed' WHEN n < 240 THEN 'snoozed' ELSE 'open' END,
    snoozed_until = CASE WHEN n BETWEEN 120 AND 239 THEN now() + interval '1 day' END,
    assignee_id = CASE n %% 4 WHEN 0 THEN %(agent)s WHEN 1 THEN %(supervisor)s WHEN 2 THEN NULL ELSE assignee_id END,
    escalated_to_id = CASE n %% 5 WHEN 0 THEN %(agent)s WHEN 1 THEN %(supervisor)s END,
    pending_count = 1, conflict_count = 1, stale_count = 1, parked_count = 1,
    next_due = CASE WHEN n %% 3 > 0 THEN now() + (CASE n %% 3 WHEN 1 THEN -n ELSE 3600 + n END) * interval '1 second' END
FROM (SELECT id AS key, row_number() OVER (ORDER BY id) - 1 AS n FROM atendimento_ticket) AS numbered
WHERE id = key
"""
"""Of the small database's tickets nearly all call for something. `today` has its rows until an hour before midnight there."""


def _superuser(database: str) -> str:
    return settings.POSTGRES.url(embedded.SUPERUSER, database)


def _shop(world: World) -> tuple[Shop, list[Membership]]:
    """Twelve teams, thirty people; Ana is in two teams."""
    admin = Membership.objects.get(organization=world.ana.organization, role=Role.ADMIN)
    people = [world.ana, world.rui]
    people += [
        administration.create_member(
            organization=world.ana.organization,
            email=f"p{number}@frio-certo.example",
            role="agent",
            name=f"Pessoa {number}",
            password="senha-de-banco-de-provas",  # noqa: S106 - of a database that lives for minutes
        )[0]
        for number in range(28)
    ]
    made = [teams.create_team(member=admin, name=f"Setor {number:02}") for number in range(12)]
    for team in made[:2]:
        teams.set_team_members(member=admin, team_id=team.pk, members=[world.ana.pk], leads=[])
    types = TicketType.objects.filter(organization=world.ana.organization).values_list("pk", flat=True)
    return Shop(world.ana.organization_id, list(types), [row.pk for row in people], [row.pk for row in made]), people


class Desk:
    """A signed-in member's browser, that can turn to either database: sessions and people are the same in both."""

    def __init__(self, member: Membership) -> None:
        self.client = Client(headers={"accept-language": "pt-BR"})
        self.client.force_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")

    def get(self, address: str) -> tuple[float, Any]:
        started = time.perf_counter()
        response = self.client.get(address)
        took = time.perf_counter() - started
        assert response.status_code == 200, (address, response.status_code)
        return took, response


def _turn_to(database: str) -> None:
    """Let what follows ask this database."""
    connection.close()
    connection.settings_dict["NAME"] = database


def _deep(view: str, rows: int) -> str:
    """The address of a page so many rows behind the first, by a key as the pages themselves have it."""
    order = "next_due" if view in ("overdue", "today") else "updated_at"
    turned = "" if order == "next_due" else "DESC"
    held = {"closed": "status = 'closed'", "all": "status = 'open'", "decide": "status = 'open' AND pending_count > 0"}[view]
    with psycopg.connect(_superuser(LARGE_DATABASE)) as link:
        query = f"SELECT {order}, id FROM {TABLE} WHERE {held} ORDER BY {order} {turned}, id {turned} OFFSET %s LIMIT 1"  # noqa: S608
        row = link.execute(query, [rows]).fetchone()
    assert row is not None
    return f"/?view={view}&after={row[0].astimezone(UTC).isoformat().replace('+', '%2B')}_{row[1]}"


def _nodes(plan: dict[str, Any]) -> list[str]:
    named = plan["Node Type"] + (f" {plan['Index Name']}" if "Index Name" in plan else "")
    if plan.get("Relation Name") and "Index" not in plan["Node Type"]:
        named += f" on {plan['Relation Name']}"
    return [named, *(node for child in plan.get("Plans", ()) for node in _nodes(child))]


def _plans(desk: Desk, address: str, organization: int) -> tuple[int, dict[str, list[str]]]:
    """How many statements the page makes, and the plan of each that names the ticket table, as the application's role."""
    with CaptureQueriesContext(connection) as seen:
        desk.get(address)
    found = {}
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lastro.organization', %s, false)", [str(organization)])
        for index, query in enumerate(seen.captured_queries):
            if TABLE not in query["sql"] or not query["sql"].lstrip("(").startswith("SELECT"):
                continue
            cursor.execute("EXPLAIN (FORMAT JSON) " + query["sql"].replace("%", "%%"), [])
            (plan,) = cursor.fetchone()
            found[f"{index}"] = _nodes((plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"])
    return len(seen), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tickets", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    options = parser.parse_args()
    servers.start_postgres()
    servers.start_redis()
    try:
        servers.make_database()
        setup_test_environment()
        figures = _measure(options.tickets, options.rounds)
    finally:
        connection.close()
        servers.stop_redis()
        servers.stop_postgres()
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    if options.write:
        FIGURES.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


def _measure(tickets: int, rounds: int) -> dict[str, Any]:
    world = stories.make()
    shop, _people = _shop(world)
    many_tickets.fill(_superuser(settings.TEST_DATABASE), shop, 1, SMALL)
    with psycopg.connect(_superuser(settings.TEST_DATABASE), autocommit=True) as link:
        link.execute(DENSE, {"agent": world.ana.pk, "supervisor": world.silvia.pk})
        link.execute("VACUUM ANALYZE atendimento_ticket")
    desks = {"agent": Desk(world.ana), "supervisor": Desk(world.silvia)}
    connection.close()
    with psycopg.connect(_superuser("postgres"), autocommit=True) as link:
        names = {"new": sql.Identifier(LARGE_DATABASE), "old": sql.Identifier(settings.TEST_DATABASE)}
        link.execute(sql.SQL("CREATE DATABASE {new} TEMPLATE {old}").format(**names))
    started = time.perf_counter()
    many_tickets.fill(_superuser(LARGE_DATABASE), shop, SMALL + 1, tickets, indexes_after=True)
    filled = time.perf_counter() - started

    pages = {(who, view): f"/?view={view}" for who in desks for view in VIEWS}
    times: dict[tuple[str, str], dict[str, list[float]]] = {key: {"small": [], "large": []} for key in pages}
    behind = tickets // 50
    deep = {(who, view): _deep(view, behind) for who in desks for view in ("all", "closed", "decide")}
    deeps: dict[tuple[str, str], list[float]] = {key: [] for key in deep}
    counts: dict[str, dict[str, str]] = {}
    shown: dict[tuple[str, str], dict[str, int]] = {key: {} for key in pages}
    for round_ in range(rounds + 1):
        for size, database in (("small", settings.TEST_DATABASE), ("large", LARGE_DATABASE)):
            _turn_to(database)
            for desk in desks.values():
                desk.get("/views/")  # a connection is opened, and nothing of it is measured
            for key, address in pages.items():
                took, response = desks[key[0]].get(address)
                shown[key][size] = len(response.context["queue"].rows)
                if round_:
                    times[key][size].append(took)
                elif key[1] == "decide":
                    counts[f"{key[0]}, {size}"] = {view.key: view.shown for view in response.context["queue"].views}
            for key, address in deep.items() if size == "large" else ():
                took, response = desks[key[0]].get(address)
                if round_:
                    deeps[key].append(took)
    _turn_to(LARGE_DATABASE)
    plans, statements, scans = {}, {}, []
    for (who, view), address in (
        pages | {(f"{who} far behind", view): address for (who, view), address in deep.items()}
    ).items():
        statements[f"{who}: {view}"], plan = _plans(desks[who.split()[0]], address, shop.organization)
        plans[f"{who}: {view}"] = plan
        scans += [f"{who}: {view}" for nodes in plan.values() for node in nodes if re.match(rf"Seq Scan on {TABLE}$", node)]
    return _told(tickets, rounds, filled, times, shown, deeps, counts, statements, plans, scans)


def _milliseconds(values: list[float]) -> dict[str, float]:
    """The best and the middle one. What else a machine does makes a page slower and never faster: ratios are of the best."""
    return {"best": round(min(values) * 1000, 1), "median": round(statistics.median(values) * 1000, 1)}


def _told(
    tickets: int,
    rounds: int,
    filled: float,
    times: dict[tuple[str, str], dict[str, list[float]]],
    shown: dict[tuple[str, str], dict[str, int]],
    deeps: dict[tuple[str, str], list[float]],
    counts: dict[str, dict[str, str]],
    statements: dict[str, int],
    plans: dict[str, dict[str, list[str]]],
    scans: list[str],
) -> dict[str, Any]:
    views = {
        f"{who}: {view}": {
            "small_ms": _milliseconds(found["small"]),
            "large_ms": _milliseconds(found["large"]),
            "ratio": round(min(found["large"]) / min(found["small"]), 2),
            "rows": [shown[who, view]["small"], shown[who, view]["large"]],
        }
        for (who, view), found in times.items()
    }
    # A page of thirty rows is laid out longer than one of three, whatever the table holds: only like is set beside like.
    alike = {key: found for key, found in times.items() if shown[key]["small"] == shown[key]["large"]}
    whole = {
        who: round(
            sum(min(found["large"]) for (one, _view), found in alike.items() if one == who)
            / sum(min(found["small"]) for (one, _view), found in alike.items() if one == who),
            2,
        )
        for who in ("agent", "supervisor")
    }
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"python": platform.python_version(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)},
        "small": SMALL,
        "large": tickets,
        "rounds": rounds,
        "seconds_to_fill": round(filled),
        "ratio_of_pages_with_as_many_rows": whole,
        "worst_of_them": max((views[f"{who}: {view}"]["ratio"], f"{who}: {view}") for who, view in alike),
        "views": views,
        "far_behind_ms": {f"{who}: {view}, {tickets // 50} rows": _milliseconds(found) for (who, view), found in deeps.items()},
        "counts": counts,
        "statements_a_page": statements,
        "sequential_scans_of_tickets": scans,
        "plans": plans,
    }


if __name__ == "__main__":
    raise SystemExit(main())
