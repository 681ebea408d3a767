"""An organisation's rows are seen and written by the application only while that organisation is set.

`lastro.organization` is set per request or task (see atendimento/tenancy.py). Where it is not set, nothing is seen.
The owner of the tables passes: migrations and erasure run as that role. Users, memberships, tokens, organisations and
the outbox are read before the organisation is known, and stay outside.
"""

from django.db import migrations

TABLES = (
    "customer",
    "draft",
    "ledgerevent",
    "message",
    "messagerevision",
    "proposal",
    "proposedchange",
    "protocolcounter",
    "ticket",
    "ticketstate",
    "tickettype",
    "tickettypeversion",
    "ticketvisit",
)
OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0001_tables")]

    operations = [
        migrations.RunSQL(
            sql=[
                f"ALTER TABLE atendimento_{table} ENABLE ROW LEVEL SECURITY",
                f"CREATE POLICY organization_isolation ON atendimento_{table} USING ({OWN}) WITH CHECK ({OWN})",
            ],
            reverse_sql=[
                f"DROP POLICY organization_isolation ON atendimento_{table}",
                f"ALTER TABLE atendimento_{table} DISABLE ROW LEVEL SECURITY",
            ],
        )
        for table in TABLES
    ]
