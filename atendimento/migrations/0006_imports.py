"""Imports, visible to their organisation alone (see 0002_row_security.py)."""

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields
import atendimento.models.ids

TABLES = ("import", "importfile", "importedticket")
OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0005_any_operation"),
    ]

    operations = [
        migrations.CreateModel(
            name="Import",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("preview", "Preview"),
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("undone", "Undone"),
                        ],
                        default="preview",
                        max_length=20,
                    ),
                ),
                ("file_name", models.CharField(max_length=200)),
                ("digest", models.CharField(max_length=64)),
                ("format", models.CharField(max_length=20)),
                ("options", atendimento.models.fields.DocumentField()),
                ("summary", atendimento.models.fields.DocumentField()),
                ("plan", atendimento.models.fields.DocumentField(null=True)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("added", models.PositiveIntegerField(default=0)),
                ("problem", atendimento.models.fields.DocumentField(null=True)),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("undone_at", models.DateTimeField(blank=True, null=True)),
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
                    "undone_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ImportedTicket",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("protocol", models.CharField(max_length=30)),
                ("made", models.BooleanField()),
                ("added", models.PositiveIntegerField(default=0)),
                ("numbers", atendimento.models.fields.DocumentField()),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tickets", to="atendimento.import"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="atendimento.ticket"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ImportFile",
            fields=[
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="file",
                        serialize=False,
                        to="atendimento.import",
                    ),
                ),
                ("content", models.BinaryField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="import",
            index=models.Index(fields=["organization", "-created_at", "-id"], name="import_recent"),
        ),
        migrations.AddConstraint(
            model_name="import",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["preview", "queued", "running", "done", "failed", "undone"])),
                name="import_status_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="import",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["queued", "running", "done"])),
                fields=("organization", "digest"),
                name="import_file_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="importedticket",
            constraint=models.UniqueConstraint(fields=("batch", "position"), name="imported_ticket_unique"),
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
