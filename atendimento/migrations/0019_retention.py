"""What keeps and what ends data, and the log of who read what is sensitive."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields
import atendimento.models.ids

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TABLES = ("legalhold", "retentionrun", "erasurerequest", "customerexport")
ACTS = [
    ("member_added", "Member Added"),
    ("member_role", "Member Role"),
    ("member_deactivated", "Member Deactivated"),
    ("member_reactivated", "Member Reactivated"),
    ("token_created", "Token Created"),
    ("token_revoked", "Token Revoked"),
    ("type_published", "Type Published"),
    ("masking", "Masking"),
    ("budget", "Budget"),
    ("reminders", "Reminders"),
    ("invited", "Invited"),
    ("invitation_revoked", "Invitation Revoked"),
    ("invitation_accepted", "Invitation Accepted"),
    ("sign_on", "Sign On"),
    ("second_factor", "Second Factor"),
    ("second_factor_reset", "Second Factor Reset"),
    ("sessions_ended", "Sessions Ended"),
    ("retention_set", "Retention Set"),
    ("retention_run", "Retention Run"),
    ("hold_placed", "Hold Placed"),
    ("hold_lifted", "Hold Lifted"),
    ("erasure_requested", "Erasure Requested"),
    ("erasure_approved", "Erasure Approved"),
    ("erasure_refused", "Erasure Refused"),
    ("erasure_done", "Erasure Done"),
    ("customer_exported", "Customer Exported"),
    ("customer_export_read", "Customer Export Read"),
    ("log_exported", "Log Exported"),
    ("sensitive_read", "Sensitive Read"),
]
TASKS = [("queued", "Queued"), ("running", "Running"), ("done", "Done")]
ERASURES = [
    ("requested", "Requested"),
    ("refused", "Refused"),
    ("approved", "Approved"),
    ("running", "Running"),
    ("held", "Held"),
    ("done", "Done"),
]


def owned_by(model: str, related_name: str = "+", **options: Any) -> Any:
    options = {"on_delete": django.db.models.deletion.PROTECT} | options
    return models.ForeignKey(related_name=related_name, to=f"atendimento.{model}", **options)


def maybe(model: str, related_name: str = "+") -> Any:
    return owned_by(model, related_name, blank=True, null=True)


def key() -> Any:
    return models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False)


def number() -> Any:
    return models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0018_sign_in")]

    operations = [
        migrations.AddField("organization", "retention", models.JSONField(blank=True, default=dict)),
        migrations.AddField("customer", "erased_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("ticket", "closed_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("ticket", "erased_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("message", "erased_at", models.DateTimeField(blank=True, null=True)),
        migrations.RunSQL(
            # When a ticket was closed was not written down; it was not changed later than this.
            sql="UPDATE atendimento_ticket SET closed_at = coalesce(merged_at, updated_at) WHERE status IN ('closed', 'merged')",
            reverse_sql=migrations.RunSQL.noop,
            elidable=True,
        ),
        migrations.AddIndex(
            "ticket",
            models.Index(
                fields=["organization", "closed_at"], name="ticket_closed", condition=models.Q(closed_at__isnull=False)
            ),
        ),
        migrations.RemoveConstraint("administrativeact", "act_kind_known"),
        migrations.AlterField("administrativeact", "kind", models.CharField(choices=ACTS, max_length=30)),
        migrations.AlterField("administrativeact", "member", maybe("membership")),
        migrations.AddConstraint(
            "administrativeact",
            models.CheckConstraint(condition=models.Q(kind__in=[kind for kind, _ in ACTS]), name="act_kind_known"),
        ),
        migrations.AddIndex("administrativeact", models.Index(fields=["organization", "kind", "-id"], name="act_of_kind")),
        migrations.AddIndex("administrativeact", models.Index(fields=["organization", "member", "-id"], name="act_of_member")),
        migrations.AddIndex("administrativeact", models.Index(fields=["organization", "at"], name="act_by_time")),
        migrations.CreateModel(
            name="LegalHold",
            fields=[
                ("id", number()),
                ("reason", models.CharField(max_length=300)),
                ("until", models.DateField(blank=True, null=True)),
                ("placed_at", models.DateTimeField()),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                ("organization", owned_by("organization")),
                ("ticket", maybe("ticket", "holds")),
                ("customer", maybe("customer", "holds")),
                ("placed_by", owned_by("membership")),
                ("lifted_by", maybe("membership")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(ticket=None, customer__isnull=False) | models.Q(ticket__isnull=False, customer=None),
                        name="hold_of_one_thing",
                    )
                ],
                "indexes": [
                    models.Index(fields=["organization", "-id"], name="hold_standing", condition=models.Q(lifted_at=None))
                ],
            },
        ),
        migrations.CreateModel(
            name="RetentionRun",
            fields=[
                ("id", key()),
                ("status", models.CharField(choices=TASKS, default="queued", max_length=20)),
                ("periods", atendimento.models.fields.DocumentField()),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("report", atendimento.models.fields.DocumentField()),
                ("organization", owned_by("organization")),
                ("started_by", maybe("membership")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(status__in=[status for status, _ in TASKS]), name="retention_status_known"
                    ),
                    models.UniqueConstraint(
                        fields=["organization"], condition=~models.Q(status="done"), name="retention_one_under_way"
                    ),
                ],
                "indexes": [models.Index(fields=["organization", "-created_at"], name="retention_recent")],
            },
        ),
        migrations.CreateModel(
            name="ErasureRequest",
            fields=[
                ("id", key()),
                ("status", models.CharField(choices=ERASURES, default="requested", max_length=20)),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("requested_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("refusal", models.CharField(blank=True, max_length=300)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("report", atendimento.models.fields.DocumentField()),
                ("organization", owned_by("organization")),
                ("customer", owned_by("customer", "erasures")),
                ("requested_by", owned_by("membership")),
                ("decided_by", maybe("membership")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(status__in=[status for status, _ in ERASURES]), name="erasure_status_known"
                    ),
                    models.UniqueConstraint(
                        fields=["customer"],
                        condition=~models.Q(status__in=["refused", "done"]),
                        name="erasure_one_under_way",
                    ),
                ],
                "indexes": [models.Index(fields=["organization", "-requested_at"], name="erasure_recent")],
            },
        ),
        migrations.CreateModel(
            name="CustomerExport",
            fields=[
                ("id", key()),
                ("content", models.BinaryField()),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("organization", owned_by("organization")),
                ("customer", owned_by("customer", "exports", on_delete=django.db.models.deletion.CASCADE)),
                ("made_by", owned_by("membership")),
            ],
            options={"indexes": [models.Index(fields=["organization", "expires_at"], name="export_expiry")]},
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
