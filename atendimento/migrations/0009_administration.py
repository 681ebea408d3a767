"""The log of administrative acts, which only grows, and drafts of ticket types; each visible to its organisation alone."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TABLES = ("administrativeact", "tickettypedraft")
KINDS = [
    ("member_added", "Member Added"),
    ("member_role", "Member Role"),
    ("member_deactivated", "Member Deactivated"),
    ("member_reactivated", "Member Reactivated"),
    ("token_created", "Token Created"),
    ("token_revoked", "Token Revoked"),
    ("type_published", "Type Published"),
]


def owned_by(model: str) -> Any:
    return models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=f"atendimento.{model}")


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0008_rebuilds"),
    ]

    operations = [
        migrations.CreateModel(
            name="AdministrativeAct",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=KINDS, max_length=30)),
                ("subject", models.CharField(max_length=300)),
                ("details", atendimento.models.fields.DocumentField()),
                ("at", models.DateTimeField()),
                ("member", owned_by("membership")),
                ("organization", owned_by("organization")),
            ],
        ),
        migrations.CreateModel(
            name="TicketTypeDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.CharField(max_length=100)),
                ("document", atendimento.models.fields.DocumentField()),
                ("revision", models.PositiveIntegerField(default=1)),
                ("base", models.PositiveIntegerField(default=0)),
                ("changed_at", models.DateTimeField()),
                ("changed_by", owned_by("membership")),
                ("organization", owned_by("organization")),
            ],
        ),
        migrations.AddIndex(
            model_name="administrativeact",
            index=models.Index(fields=["organization", "-id"], name="act_recent"),
        ),
        migrations.AddConstraint(
            model_name="administrativeact",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", [kind for kind, _label in KINDS])), name="act_kind_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="tickettypedraft",
            constraint=models.UniqueConstraint(fields=("organization", "slug"), name="ticket_type_draft_unique"),
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
        migrations.RunSQL(
            sql="REVOKE UPDATE, DELETE, TRUNCATE ON atendimento_administrativeact FROM lastro_app",
            reverse_sql="GRANT UPDATE, DELETE ON atendimento_administrativeact TO lastro_app",
        ),
    ]
