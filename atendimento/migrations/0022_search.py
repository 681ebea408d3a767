"""What the search looks into: words without accents and capitals, kept by the database beside each text.

A message, a ticket, a customer and a state each have a column that the database works out from their own text whenever
that changes, so that no way of writing can forget it. The columns are read through views of the tables' owner: row
security lets no index serve the operator that compares words, because it might tell of foreign rows by its errors. Each
view keeps the wall itself, by the very condition of the policies, and takes no writing.
"""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"

FUNCTIONS = (
    # Small letters without accents and without what is not seen; compatibility forms (full-width digits, ligatures) as
    # the plain ones. `normalize` is part of PostgreSQL, so that no extension is needed.
    r"""
    CREATE FUNCTION lastro_folded(written text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(regexp_replace(
        normalize(written, NFKD),
        '[\u0300-\u036f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]', '', 'g'
    ))
    """,
    # The words alone, with spaces between: what the parser would take for an address or a version number is words too.
    r"""
    CREATE FUNCTION lastro_plain(folded text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN btrim(regexp_replace(folded, '[\u0001-/:-@\[-`{-\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u3000-\u303f]+', ' ', 'g'))
    """,
    # The endings under which Portuguese is stemmed carry accents; they come back, and plurals in -ões become -ão.
    r"""
    CREATE FUNCTION lastro_endings(plain text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN regexp_replace(regexp_replace(regexp_replace(
        plain, 'oes\M', 'ao', 'g'), 'cao\M', 'ção', 'g'), 'encia(s?)\M', 'ência\1', 'g')
    """,
    # Numbers as one reads them out: groups joined over `. - / ( ) + ,` and over spaces. Whole ones, never a part.
    r"""
    CREATE FUNCTION lastro_numbers(folded text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN folded !~ '[0-9]' THEN ARRAY[]::text[] ELSE (
        WITH joined AS (
            SELECT regexp_replace(
                regexp_replace(folded, '([0-9]),(?=[0-9])', '\1', 'g'), '([0-9a-z])[-./()+]{1,2}(?=[0-9a-z])', '\1', 'g'
            ) AS written
        ), groups AS (
            SELECT run.place, spot.nth, spot.digits FROM joined,
                regexp_matches(joined.written, '(?<![0-9a-z])[0-9]+(?:[ ()+-]{1,3}[0-9]+)+(?![0-9a-z])', 'g')
                    WITH ORDINALITY AS run (found, place),
                regexp_split_to_table(run.found[1], '[^0-9]+') WITH ORDINALITY AS spot (digits, nth)
            LIMIT 600
        ), whole AS (
            SELECT found.parts[1] AS number FROM joined,
                regexp_matches(joined.written, '[0-9a-z]*[0-9][0-9a-z]*', 'g') AS found (parts)
            UNION
            SELECT string_agg(next.digits, '' ORDER BY next.nth) FROM groups AS first
                CROSS JOIN generate_series(1, 5) AS more
                JOIN groups AS next
                    ON next.place = first.place AND next.nth BETWEEN first.nth AND first.nth + more
                GROUP BY first.place, first.nth, more
        )
        SELECT coalesce(array_agg(few.number), ARRAY[]::text[])
        FROM (SELECT number FROM whole WHERE length(number) BETWEEN 4 AND 40 LIMIT 3000) AS few
    ) END
    """,
    # All under which a text is found: its words as written, their stems, its numbers, and whose it is. A text so long that
    # this might not fit into what the database takes (1 MB) is found by its beginning; 100,000 Latin letters fit.
    """
    CREATE FUNCTION lastro_words(written text, organization bigint) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        WITH folded AS (SELECT public.lastro_folded(written) AS all_of_it),
        kept AS (
            SELECT CASE WHEN octet_length(all_of_it) <= 120000 THEN all_of_it ELSE left(all_of_it, 30000) END AS words
            FROM folded
        ), plain AS (SELECT kept.words, public.lastro_plain(kept.words) AS only FROM kept)
        SELECT to_tsvector('pg_catalog.simple', plain.only)
            || to_tsvector('pg_catalog.portuguese', public.lastro_endings(plain.only))
            || array_to_tsvector(public.lastro_numbers(plain.words) || ('@' || organization))
        FROM plain
    )
    """,
    # What the identifiers of a state hold, each as its letters and digits alone. The document's text is looked into as
    # text: as `jsonb` it would refuse what the state takes.
    r"""
    CREATE FUNCTION lastro_identifiers(document text, organization bigint) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        WITH held AS (
            SELECT regexp_replace(public.lastro_folded(coalesce(found.parts[1], found.parts[2])), '[^0-9a-z]', '', 'g') AS word
            FROM regexp_matches(
                substring(document FROM '"identifiers":(\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\})'),
                '"((?:[^"\\]|\\.)*)"|(-?[0-9][0-9.eE+-]*)', 'g'
            ) AS found (parts)
        )
        SELECT array_to_tsvector(
            coalesce(array_agg(held.word) FILTER (WHERE length(held.word) BETWEEN 1 AND 200), ARRAY[]::text[])
            || ('@' || organization)
        )
        FROM held
    )
    """,
    # What is looked for, of one term: its words in their order, whatever their endings and accents; `exact`: as written;
    # `unfinished`: the last word is only a beginning. A number is found however it is punctuated.
    r"""
    CREATE FUNCTION lastro_sought(term text, exact boolean, unfinished boolean) RETURNS tsquery
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        WITH folded AS (SELECT public.lastro_folded(term) AS words),
        plain AS (SELECT folded.words, public.lastro_plain(folded.words) AS only FROM folded),
        joined AS (
            SELECT plain.*, CASE WHEN plain.words ~ '^[-0-9a-z./()+, ]*[0-9][-0-9a-z./()+, ]*$'
                THEN regexp_replace(plain.words, '[^0-9a-z]', '', 'g') ELSE '' END AS number,
                to_tsquery('pg_catalog.simple', replace(plain.only, ' ', ' <-> ')) AS written,
                to_tsquery('pg_catalog.portuguese', replace(public.lastro_endings(plain.only), ' ', ' <-> ')) AS stems
            FROM plain
        )
        SELECT CASE
            WHEN joined.only = '' THEN ''::tsquery
            WHEN exact THEN joined.written
            WHEN unfinished AND length(joined.only) > 1
                THEN joined.stems || to_tsquery('pg_catalog.simple', replace(joined.only, ' ', ' <-> ') || ':*')
            WHEN numnode(joined.stems) = 0 THEN ''::tsquery
            ELSE joined.stems || joined.written
        END || CASE
            WHEN joined.number = '' OR length(joined.number) > 40 THEN ''::tsquery
            WHEN unfinished AND NOT exact AND length(joined.number) > 3 THEN (joined.number || ':*')::tsquery
            ELSE joined.number::tsquery
        END
        FROM joined
    )
    """,
)
NAMES = (
    "lastro_sought(text, boolean, boolean)",
    "lastro_identifiers(text, bigint)",
    "lastro_words(text, bigint)",
    "lastro_numbers(text)",
    "lastro_endings(text)",
    "lastro_plain(text)",
    "lastro_folded(text)",
)
COLUMNS = {
    "message": ("words", "lastro_words(text, organization_id)", "deleted_at IS NULL"),
    "ticket": (
        "words",
        "lastro_words(subject || ' ; ' || protocol || ' ; ' || coalesce(external_id, ''), organization_id)",
        "true",
    ),
    "customer": (
        "words",
        "lastro_words(name || ' ; ' || phone || ' ; ' || email || ' ; ' || external_id, organization_id)",
        "true",
    ),
    "ticketstate": ("identifiers", 'lastro_identifiers("values", organization_id)', "true"),
}
VIEWS = {
    "messagewords": (
        "message",
        "id, organization_id, ticket_id, number, author_kind, author_name, member_id, text, said_at, internal, words",
        f"{OWN} AND deleted_at IS NULL",
    ),
    "ticketwords": ("ticket", "id, organization_id, updated_at, words", OWN),
    "customerwords": ("customer", "id, organization_id, words", OWN),
    "ticketidentifiers": ("ticketstate", "ticket_id, organization_id, identifiers", OWN),
}


def index_of(table: str, column: str, condition: str) -> str:
    where = "" if condition == "true" else f" WHERE {condition}"
    return f"CREATE INDEX search_{table} ON atendimento_{table} USING gin ({column}){where}"


NEWEST = "CREATE INDEX search_newest ON atendimento_message (organization_id, said_at DESC, id DESC) WHERE deleted_at IS NULL"


def query_of(table: str, columns: str, condition: str) -> str:
    return " ".join(("SELECT", columns, "FROM", f"atendimento_{table}", "WHERE", condition))


def linked(to: str, kind: type[models.ForeignKey[Any, Any]] = models.ForeignKey, **more: Any) -> models.ForeignKey[Any, Any]:
    return kind(f"atendimento.{to}", models.DO_NOTHING, related_name="+", **more)


def of_ticket() -> list[tuple[str, models.Field[Any, Any]]]:
    """Columns that the views have from the migration `search_views` on."""
    return [
        ("ticket_organization", models.BigIntegerField(db_column="ticket_organization_id")),
        ("ticket_lane", models.BigIntegerField()),
        ("ticket_assignee", models.BigIntegerField(db_column="ticket_assignee_id", null=True)),
        ("ticket_escalated_to", models.BigIntegerField(db_column="ticket_escalated_to_id", null=True)),
        ("ticket_status", models.CharField(max_length=20)),
        ("ticket_kind", models.BigIntegerField(db_column="ticket_kind_id")),
    ]


def view(name: str, *fields: tuple[str, models.Field[Any, Any]]) -> migrations.CreateModel:
    """What the code reads a view as; the database makes nothing of it."""
    return migrations.CreateModel(
        name=name, fields=list(fields), options={"managed": False, "db_table": f"atendimento_{name.lower()}"}
    )


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0021_teams_and_queue")]

    operations = [
        migrations.RunSQL(sql=list(FUNCTIONS), reverse_sql=[f"DROP FUNCTION {name}" for name in NAMES]),
        migrations.RunSQL(
            sql=[
                f"ALTER TABLE atendimento_{table} ADD COLUMN {column} tsvector GENERATED ALWAYS AS ({text}) STORED"
                for table, (column, text, _condition) in COLUMNS.items()
            ],
            reverse_sql=[
                f"ALTER TABLE atendimento_{table} DROP COLUMN {column}" for table, (column, *_rest) in COLUMNS.items()
            ],
        ),
        migrations.RunSQL(
            sql=[
                *(index_of(table, column, condition) for table, (column, _text, condition) in COLUMNS.items()),
                # Words that stand in very many messages are read along this one, newest first, until a page is full.
                NEWEST,
            ],
            reverse_sql=["DROP INDEX search_newest", *(f"DROP INDEX search_{table}" for table in COLUMNS)],
        ),
        migrations.RunSQL(
            sql=[
                statement
                for name, rows in VIEWS.items()
                for statement in (
                    f"CREATE VIEW atendimento_{name} AS {query_of(*rows)}",
                    f"REVOKE ALL ON atendimento_{name} FROM lastro_app",
                    f"GRANT SELECT ON atendimento_{name} TO lastro_app",
                )
            ],
            reverse_sql=[f"DROP VIEW atendimento_{name}" for name in VIEWS],
        ),
        view(
            "MessageWords",
            ("id", models.BigIntegerField(primary_key=True, serialize=False)),
            ("number", models.PositiveIntegerField()),
            ("author_kind", models.CharField(max_length=20)),
            ("author_name", models.CharField(max_length=200)),
            ("text", models.TextField()),
            ("said_at", models.DateTimeField()),
            ("internal", models.BooleanField()),
            ("words", SearchVectorField()),
            ("organization", linked("organization")),
            ("ticket", linked("ticket")),
            ("member", linked("membership", null=True)),
            *of_ticket(),
        ),
        view(
            "TicketWords",
            ("id", models.UUIDField(primary_key=True, serialize=False)),
            ("ticket_updated_at", models.DateTimeField()),
            ("words", SearchVectorField()),
            ("organization", linked("organization")),
            ("customer", linked("customer")),
            *of_ticket(),
        ),
        view(
            "CustomerWords",
            ("id", models.UUIDField(primary_key=True, serialize=False)),
            ("created_at", models.DateTimeField()),
            ("words", SearchVectorField()),
            ("organization", linked("organization")),
        ),
        view(
            "TicketIdentifiers",
            ("ticket", linked("ticket", models.OneToOneField, primary_key=True, serialize=False)),
            ("ticket_updated_at", models.DateTimeField()),
            ("identifiers", SearchVectorField()),
            ("organization", linked("organization")),
            *of_ticket(),
        ),
    ]
