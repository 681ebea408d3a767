"""Records of rebuilds, and the readings of messages that they consist of."""

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields
import atendimento.models.ids

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TABLES = ("rebuild", "rebuildreading")


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0007_snapshots"),
    ]

    operations = [
        migrations.AlterField(
            model_name="proposal",
            name="origin",
            field=models.CharField(choices=[("model", "Model"), ("api", "Api"), ("rebuild", "Rebuild")], max_length=10),
        ),
        migrations.CreateModel(
            name="Rebuild",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("kind", models.CharField(choices=[("replay", "Replay"), ("messages", "Messages")], max_length=20)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("ready", "Ready"),
                            ("parked", "Parked"),
                            ("superseded", "Superseded"),
                        ],
                        max_length=20,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("base_version", models.PositiveIntegerField(default=0)),
                ("report", atendimento.models.fields.DocumentField(null=True)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("through_message", models.PositiveIntegerField(default=0)),
                ("read_through", models.PositiveIntegerField(default=0)),
                ("position", models.PositiveIntegerField(default=0)),
                ("state", atendimento.models.fields.DocumentField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("not_before", models.DateTimeField(blank=True, null=True)),
                ("holder", models.UUIDField(blank=True, null=True)),
                ("run", atendimento.models.fields.DocumentField(null=True)),
                ("problem_code", models.CharField(blank=True, max_length=50)),
                ("problem_detail", models.TextField(blank=True)),
                ("usage", atendimento.models.fields.DocumentField(null=True)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("prompt_version", models.CharField(blank=True, max_length=50)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "proposal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.proposal",
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rebuilds", to="atendimento.ticket"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RebuildReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("through_message", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("request", atendimento.models.fields.DocumentField()),
                ("context_report", atendimento.models.fields.DocumentField()),
                ("raw_answer", models.TextField(blank=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "rebuild",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="readings", to="atendimento.rebuild"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="rebuild",
            index=models.Index(fields=["ticket", "-created_at", "-id"], name="rebuild_recent"),
        ),
        migrations.AddConstraint(
            model_name="rebuild",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["replay", "messages"])), name="rebuild_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="rebuild",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "ready", "parked", "superseded"])),
                name="rebuild_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="rebuild",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["queued", "running"])), fields=("ticket",), name="rebuild_one_under_way"
            ),
        ),
        migrations.AddConstraint(
            model_name="rebuildreading",
            constraint=models.UniqueConstraint(fields=("rebuild", "position"), name="rebuild_reading_unique"),
        ),
        *(
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
        ),
    ]
