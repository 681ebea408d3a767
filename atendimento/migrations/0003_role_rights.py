"""What the application's role may do: read and write rows, but never change or remove a ledger event (H1).

The role is called lastro_app everywhere; whoever sets the database up makes it (docs, containers and the
demonstration all do).
"""

from django.db import migrations

REQUIRE_ROLE = """
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'lastro_app') THEN
    RAISE EXCEPTION 'the role lastro_app does not exist: create it before migrating (see docs/operations.md)';
  END IF;
END $$
"""


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0002_row_security")]

    operations = [
        migrations.RunSQL(
            sql=[
                REQUIRE_ROLE,
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO lastro_app",
                "GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO lastro_app",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO lastro_app",
                "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO lastro_app",
                "REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM lastro_app",
            ],
            # The rights were there before, from whoever made the database; only what this took is given back.
            reverse_sql=["GRANT INSERT, UPDATE, DELETE ON django_migrations TO lastro_app"],
        ),
        migrations.RunSQL(
            sql="REVOKE UPDATE, DELETE, TRUNCATE ON atendimento_ledgerevent, atendimento_tickettypeversion FROM lastro_app",
            reverse_sql="GRANT UPDATE, DELETE ON atendimento_ledgerevent, atendimento_tickettypeversion TO lastro_app",
        ),
    ]
