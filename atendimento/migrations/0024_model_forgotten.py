"""The act of forgetting what was learned about a model server."""

from django.db import migrations, models

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
    ("model_forgotten", "Model Forgotten"),
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
]


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0023_customer_panel")]

    operations = [
        migrations.RemoveConstraint("administrativeact", "act_kind_known"),
        migrations.AlterField("administrativeact", "kind", models.CharField(choices=ACTS, max_length=30)),
        migrations.AddConstraint(
            "administrativeact",
            models.CheckConstraint(condition=models.Q(kind__in=[kind for kind, _ in ACTS]), name="act_kind_known"),
        ),
    ]
