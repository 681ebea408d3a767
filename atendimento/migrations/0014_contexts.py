"""Pins, the words of prompt versions, and who has read a summary."""

import django.db.models.deletion
from django.db import migrations, models

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0013_split_and_merged"),
    ]

    operations = [
        migrations.CreateModel(
            name="PromptText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.CharField(max_length=50)),
                ("language", models.CharField(max_length=20)),
                ("text", models.TextField()),
                ("first_used_at", models.DateTimeField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("version", "language"), name="prompt_text_unique")],
            },
        ),
        migrations.CreateModel(
            name="BriefReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("last_message", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="brief_readings", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("ticket", "member", "version", "last_message"), name="brief_read_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="MessagePin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("start", models.PositiveIntegerField(blank=True, null=True)),
                ("end", models.PositiveIntegerField(blank=True, null=True)),
                ("pinned_at", models.DateTimeField()),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pins", to="atendimento.message"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "pinned_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("message", "start", "end"), name="pin_once", nulls_distinct=False),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("end", None), ("start", None)), ("start__lt", models.F("end")), _connector="OR"
                        ),
                        name="pin_of_something",
                    ),
                ],
            },
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
            for table in ("messagepin", "briefreading")
        ),
    ]
