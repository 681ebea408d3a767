"""The views of the search with what says who sees a row: a query that joins a table under row security uses no index of words.

Where one is joined, the other tables' conditions count as less safe than its policy, and an operator that may leak is
compared after them, row by row. What the code reads the views as is said where they were first made.
"""

from django.db import migrations

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TICKET = (
    "t.organization_id AS ticket_organization_id, t.lane AS ticket_lane, t.assignee_id AS ticket_assignee_id,"
    " t.escalated_to_id AS ticket_escalated_to_id, t.status AS ticket_status, t.ticket_type_id AS ticket_kind_id"
)
MESSAGE = (
    "m.id, m.organization_id, m.ticket_id, m.number, m.author_kind, m.author_name, m.member_id, m.text, m.said_at, m.internal,"
    " m.words"
)
VIEWS = {
    "messagewords": (
        f"{MESSAGE}, {TICKET}",
        "atendimento_message m JOIN atendimento_ticket t ON t.id = m.ticket_id",
        f"m.{OWN} AND m.deleted_at IS NULL",
    ),
    "ticketwords": (
        f"t.id, t.organization_id, t.customer_id, t.updated_at AS ticket_updated_at, t.words, {TICKET}",
        "atendimento_ticket t",
        f"t.{OWN}",
    ),
    "customerwords": ("id, organization_id, created_at, words", "atendimento_customer", OWN),
    "ticketidentifiers": (
        f"s.ticket_id, s.organization_id, s.identifiers, t.updated_at AS ticket_updated_at, {TICKET}",
        "atendimento_ticketstate s JOIN atendimento_ticket t ON t.id = s.ticket_id",
        f"s.{OWN}",
    ),
}
BEFORE = {
    "messagewords": (MESSAGE, "atendimento_message m", f"m.{OWN} AND m.deleted_at IS NULL"),
    "ticketwords": ("id, organization_id, updated_at, words", "atendimento_ticket", OWN),
    "customerwords": ("id, organization_id, words", "atendimento_customer", OWN),
    "ticketidentifiers": ("ticket_id, organization_id, identifiers", "atendimento_ticketstate", OWN),
}


def made(views: dict[str, tuple[str, str, str]]) -> list[str]:
    statements = []
    for name, (columns, tables, condition) in views.items():
        statements += [
            f"DROP VIEW atendimento_{name}",
            " ".join((f"CREATE VIEW atendimento_{name} AS SELECT", columns, "FROM", tables, "WHERE", condition)),
            f"REVOKE ALL ON atendimento_{name} FROM lastro_app",
            f"GRANT SELECT ON atendimento_{name} TO lastro_app",
        ]
    return statements


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0027_search_statistics")]

    operations = [
        migrations.RunSQL(sql=[*made(VIEWS)], reverse_sql=[*made(BEFORE)]),
    ]
