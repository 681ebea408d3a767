"""When an organisation works, its own model, and its names for causes."""

import datetime as dt

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.organizations

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0024_model_forgotten"),
    ]

    operations = [
        migrations.CreateModel(
            name="ModelEndpoint",
            fields=[
                (
                    "organization",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="atendimento.organization",
                    ),
                ),
                ("base_url", models.URLField(max_length=500)),
                ("model", models.CharField(max_length=200)),
                ("embedding_model", models.CharField(blank=True, max_length=200)),
                ("sealed_key", models.TextField(blank=True)),
                ("tried_at", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="administrativeact",
            name="act_kind_known",
        ),
        migrations.AddField(
            model_name="organization",
            name="cause_names",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="organization",
            name="closes_at",
            field=models.TimeField(default=dt.time(18, 0)),
        ),
        migrations.AddField(
            model_name="organization",
            name="holidays",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="organization",
            name="opens_at",
            field=models.TimeField(default=dt.time(9, 0)),
        ),
        migrations.AddField(
            model_name="organization",
            name="weekdays",
            field=models.JSONField(blank=True, default=atendimento.models.organizations.working_week),
        ),
        migrations.AlterField(
            model_name="administrativeact",
            name="kind",
            field=models.CharField(
                choices=[
                    ("member_added", "Member Added"),
                    ("member_role", "Member Role"),
                    ("member_deactivated", "Member Deactivated"),
                    ("member_reactivated", "Member Reactivated"),
                    ("token_created", "Token Created"),
                    ("token_revoked", "Token Revoked"),
                    ("type_published", "Type Published"),
                    ("masking", "Masking"),
                    ("budget", "Budget"),
                    ("model_forgotten", "Model Forgotten"),
                    ("model_endpoint", "Model Endpoint"),
                    ("settings", "Settings"),
                    ("first_run", "First Run"),
                    ("reminders", "Reminders"),
                    ("invited", "Invited"),
                    ("invitation_revoked", "Invitation Revoked"),
                    ("invitation_accepted", "Invitation Accepted"),
                    ("sign_on", "Sign On"),
                    ("second_factor", "Second Factor"),
                    ("second_factor_reset", "Second Factor Reset"),
                    ("sessions_ended", "Sessions Ended"),
                    ("team_created", "Team Created"),
                    ("team_changed", "Team Changed"),
                    ("team_archived", "Team Archived"),
                    ("team_restored", "Team Restored"),
                    ("team_members", "Team Members"),
                    ("retention_set", "Retention Set"),
                    ("retention_run", "Retention Run"),
                    ("hold_placed", "Hold Placed"),
                    ("hold_lifted", "Hold Lifted"),
                    ("erasure_requested", "Erasure Requested"),
                    ("erasure_approved", "Erasure Approved"),
                    ("erasure_refused", "Erasure Refused"),
                    ("erasure_done", "Erasure Done"),
                    ("customer_changed", "Customer Changed"),
                    ("customer_exported", "Customer Exported"),
                    ("customer_export_read", "Customer Export Read"),
                    ("log_exported", "Log Exported"),
                    ("sensitive_read", "Sensitive Read"),
                ],
                max_length=30,
            ),
        ),
        migrations.AddConstraint(
            model_name="administrativeact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "member_added",
                            "member_role",
                            "member_deactivated",
                            "member_reactivated",
                            "token_created",
                            "token_revoked",
                            "type_published",
                            "masking",
                            "budget",
                            "model_forgotten",
                            "model_endpoint",
                            "settings",
                            "first_run",
                            "reminders",
                            "invited",
                            "invitation_revoked",
                            "invitation_accepted",
                            "sign_on",
                            "second_factor",
                            "second_factor_reset",
                            "sessions_ended",
                            "team_created",
                            "team_changed",
                            "team_archived",
                            "team_restored",
                            "team_members",
                            "retention_set",
                            "retention_run",
                            "hold_placed",
                            "hold_lifted",
                            "erasure_requested",
                            "erasure_approved",
                            "erasure_refused",
                            "erasure_done",
                            "customer_changed",
                            "customer_exported",
                            "customer_export_read",
                            "log_exported",
                            "sensitive_read",
                        ],
                    )
                ),
                name="act_kind_known",
            ),
        ),
        migrations.AddField(
            model_name="modelendpoint",
            name="changed_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"),
        ),
        migrations.RunSQL(
            sql=[
                "ALTER TABLE atendimento_modelendpoint ENABLE ROW LEVEL SECURITY",
                f"CREATE POLICY organization_isolation ON atendimento_modelendpoint USING ({OWN}) WITH CHECK ({OWN})",
            ],
            reverse_sql=[
                "DROP POLICY organization_isolation ON atendimento_modelendpoint",
                "ALTER TABLE atendimento_modelendpoint DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
