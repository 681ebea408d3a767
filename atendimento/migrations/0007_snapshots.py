"""Kept states of tickets, so that reading the past folds few events. The application adds and reads them, no more."""

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0006_imports")]

    operations = [
        migrations.AddIndex(
            model_name="ledgerevent",
            index=models.Index(fields=["ticket", "-at", "-version"], name="ledger_of_ticket"),
        ),
        migrations.CreateModel(
            name="StateSnapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="snapshots", to="atendimento.ticket"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("values", atendimento.models.fields.DocumentField()),
                ("slots", atendimento.models.fields.DocumentField()),
                ("minted", atendimento.models.fields.DocumentField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="statesnapshot",
            constraint=models.UniqueConstraint(fields=("ticket", "version"), name="snapshot_version_unique"),
        ),
        migrations.RunSQL(
            sql=[
                "ALTER TABLE atendimento_statesnapshot ENABLE ROW LEVEL SECURITY",
                f"CREATE POLICY organization_isolation ON atendimento_statesnapshot USING ({OWN}) WITH CHECK ({OWN})",
                "REVOKE UPDATE, DELETE, TRUNCATE ON atendimento_statesnapshot FROM lastro_app",
            ],
            reverse_sql=[
                "GRANT UPDATE, DELETE ON atendimento_statesnapshot TO lastro_app",
                "DROP POLICY organization_isolation ON atendimento_statesnapshot",
                "ALTER TABLE atendimento_statesnapshot DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
