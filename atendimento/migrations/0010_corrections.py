"""Corrections as rows of their own, and what people say of their causes.

The application may change a correction's cause, and nothing else of it; a choice is added and stays.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TABLES = ("correction", "causechoice")
ACTS = ["replaced", "withdrawn", "resolved", "overridden", "rejected", "edited", "undone"]
CAUSES = ["changed_mind", "model_misread", "staff_error", "old_record"]


def linked(to: str, name: str = "+", *, null: bool = False, checked: bool = True) -> Any:
    to = f"atendimento.{to}"
    protect = django.db.models.deletion.PROTECT
    return models.ForeignKey(on_delete=protect, related_name=name, to=to, null=null, db_constraint=checked)


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0009_administration")]

    operations = [
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("act", models.CharField(choices=[(act, act) for act in ACTS], max_length=20)),
                ("pointer", models.CharField(max_length=250)),
                ("label", models.TextField()),
                ("old", atendimento.models.fields.ValueField(default=atendimento.models.fields.missing, null=True)),
                ("new", atendimento.models.fields.ValueField(default=atendimento.models.fields.missing, null=True)),
                ("old_source", models.CharField(blank=True, max_length=30)),
                ("source", models.CharField(blank=True, max_length=30)),
                ("verdict", models.CharField(blank=True, max_length=20)),
                ("override", models.TextField(blank=True)),
                ("reason", models.TextField(blank=True)),
                ("message", models.PositiveIntegerField(null=True)),
                ("proposed_cause", models.CharField(blank=True, max_length=20)),
                ("cause", models.CharField(blank=True, max_length=20)),
                ("folded_label", models.TextField()),
                ("folded_old", models.TextField(blank=True)),
                ("folded_new", models.TextField(blank=True)),
                ("organization", linked("organization")),
                ("ticket", linked("ticket", "corrections")),
                ("event", linked("ledgerevent", "corrections", checked=False)),
                ("member", linked("membership", null=True)),
                ("change", linked("proposedchange", null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "-at", "-id"], name="correction_recent"),
                    models.Index(fields=["organization", "pointer", "-at", "-id"], name="correction_of_field"),
                    models.Index(fields=["organization", "member", "-at", "-id"], name="correction_of_member"),
                    models.Index(fields=["organization", "source", "-at", "-id"], name="correction_of_source"),
                    models.Index(fields=["organization", "act", "-at", "-id"], name="correction_of_act"),
                    models.Index(fields=["organization", "cause", "-at", "-id"], name="correction_of_cause"),
                    models.Index(
                        fields=["organization", "-at", "-id"], name="correction_overrides", condition=~models.Q(override="")
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["event", "position"], name="correction_position_unique"),
                    models.CheckConstraint(condition=models.Q(act__in=ACTS), name="correction_act_known"),
                    models.CheckConstraint(condition=models.Q(cause__in=["", *CAUSES]), name="correction_cause_known"),
                ],
            },
        ),
        migrations.CreateModel(
            name="CauseChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("cause", models.CharField(choices=[(cause, cause) for cause in CAUSES], max_length=20)),
                ("at", models.DateTimeField()),
                ("organization", linked("organization")),
                ("correction", linked("correction", "choices")),
                ("by", linked("membership")),
            ],
            options={
                "indexes": [models.Index(fields=["correction", "-id"], name="cause_choice_of")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(cause__in=CAUSES), name="cause_choice_known"),
                ],
            },
        ),
        *(
            migrations.RunSQL(
                sql=[
                    f"ALTER TABLE atendimento_{table} ENABLE ROW LEVEL SECURITY",
                    f"CREATE POLICY organization_isolation ON atendimento_{table} USING ({OWN}) WITH CHECK ({OWN})",
                    f"REVOKE UPDATE, DELETE, TRUNCATE ON atendimento_{table} FROM lastro_app",
                ],
                reverse_sql=[
                    f"GRANT UPDATE, DELETE ON atendimento_{table} TO lastro_app",
                    f"DROP POLICY organization_isolation ON atendimento_{table}",
                    f"ALTER TABLE atendimento_{table} DISABLE ROW LEVEL SECURITY",
                ],
            )
            for table in TABLES
        ),
        migrations.RunSQL(
            sql="GRANT UPDATE (cause) ON atendimento_correction TO lastro_app",
            reverse_sql="REVOKE UPDATE (cause) ON atendimento_correction FROM lastro_app",
        ),
    ]
