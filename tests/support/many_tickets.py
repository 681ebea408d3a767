"""Many tickets at once, by SQL: as an organisation has them that has worked for a year.

Four of five are closed. What is open is spread over teams, people and what calls for attention; which ticket gets what
follows from its number alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

CUSTOMERS = """
INSERT INTO atendimento_customer (id, organization_id, external_id, name, phone, email, created_at)
SELECT md5('c' || n || '-' || %(organization)s)::uuid, %(organization)s, 'c-' || n, 'Cliente ' || n, '', '', now()
FROM generate_series(%(first)s::int / 5, %(last)s::int / 5) AS n
ON CONFLICT DO NOTHING
"""

TICKETS = """
INSERT INTO atendimento_ticket (
    id, organization_id, protocol, source, ticket_type_id, customer_id, subject, channel, status, snoozed_until,
    assignee_id, team_id, escalated_to_id, waiting_since, created_at, updated_at, last_message_number, state_version,
    through_message, pending_count, conflict_count, stale_count, parked_count, next_due
)
SELECT
    md5('t' || n || '-' || %(organization)s)::uuid, %(organization)s, 'B-' || n, '',
    (%(types)s::bigint[])[1 + n %% array_length(%(types)s::bigint[], 1)],
    md5('c' || n / 5 || '-' || %(organization)s)::uuid, 'Atendimento ' || n, (ARRAY['whatsapp', 'email', 'chat'])[1 + n %% 3],
    status, CASE WHEN status = 'snoozed' THEN now() + n %% 1000 * interval '1 minute' END,
    CASE WHEN h %% 5 > 0 THEN (%(people)s::bigint[])[1 + h %% array_length(%(people)s::bigint[], 1)] END,
    CASE WHEN h %% 10 > 0 THEN (%(teams)s::bigint[])[1 + (h / 7) %% array_length(%(teams)s::bigint[], 1)] END,
    CASE WHEN live AND h %% 200 = 3 THEN (%(people)s::bigint[])[1 + (h / 3) %% array_length(%(people)s::bigint[], 1)] END,
    CASE WHEN live AND h %% 2 = 0 THEN now() - h %% 5000 * interval '1 minute' END,
    now() - age, now() - age, 1, 0, 0,
    CASE WHEN live AND h %% 3 = 0 THEN 1 + h %% 4 ELSE 0 END, CASE WHEN live AND h %% 50 = 1 THEN 1 ELSE 0 END,
    CASE WHEN live AND h %% 30 = 1 THEN 1 ELSE 0 END, CASE WHEN h %% 400 = 1 THEN 1 ELSE 0 END,
    CASE WHEN live AND h %% 5 = 1 THEN now() + (h %% 4000 - 2000) * interval '1 minute' END
FROM (
    SELECT n, h, status, status IN ('open', 'snoozed') AS live,
        (h %% 500000) * interval '1 minute' + n * interval '1 microsecond' AS age
    FROM (
        SELECT n, h, CASE WHEN h %% 100 < 17 THEN 'open' WHEN h %% 100 < 20 THEN 'snoozed' ELSE 'closed' END AS status
        FROM (
            SELECT n, ('x' || substr(md5(n::text), 1, 7))::bit(28)::int AS h
            FROM generate_series(%(first)s::int, %(last)s::int) AS n
        ) AS numbered
    ) AS stated
) AS aged
"""


@dataclass(frozen=True)
class Shop:
    """Whose tickets they are, and among what they are spread: ids."""

    organization: int
    types: Sequence[int]
    people: Sequence[int]
    teams: Sequence[int]


def fill(url: str, shop: Shop, first: int, last: int, *, indexes_after: bool = False) -> None:
    """Write the tickets with these numbers, and let the database take its statistics. `url` is the superuser's.

    `indexes_after`: build the ticket table's indexes anew behind the rows, which is much faster for very many.
    """
    given = {
        "organization": shop.organization,
        "types": list(shop.types),
        "people": list(shop.people),
        "teams": list(shop.teams),
        "first": first,
        "last": last,
    }
    with psycopg.connect(url, autocommit=True) as link:
        link.execute("SET session_replication_role = replica")  # keys are right by construction; checking each takes long
        link.execute("SET maintenance_work_mem = '256MB'")
        # What is not yet on the disk is not marked as seen by all, and plans depend on how much is: it must not be chance.
        link.execute("SET synchronous_commit = on")
        dropped = _drop_indexes(link) if indexes_after else []
        link.execute(CUSTOMERS, given)
        link.execute(TICKETS, given)
        for statement in dropped:
            link.execute(statement.encode())
        link.execute("VACUUM ANALYZE atendimento_ticket, atendimento_customer")


def _drop_indexes(link: psycopg.Connection) -> list[str]:
    """Drop the ticket table's indexes that no constraint needs; what makes them again."""
    rows = link.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid = 'atendimento_ticket'::regclass AND NOT indisunique"
    ).fetchall()
    for name, _definition in rows:
        link.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
    return [definition for _name, definition in rows]
