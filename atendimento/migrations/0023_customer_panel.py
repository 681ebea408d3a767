"""A customer's tickets in order, the act of changing their contact, and no index of words that row security leaves unused."""

from django.db import migrations, models

KINDS = [
    "member_added",
    "member_role",
    "member_deactivated",
    "member_reactivated",
    "token_created",
    "token_revoked",
    "type_published",
    "masking",
    "budget",
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
]


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0022_search"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="administrativeact",
            name="act_kind_known",
        ),
        migrations.RemoveIndex(
            model_name="message",
            name="message_words",
        ),
        migrations.AlterField(
            model_name="administrativeact",
            name="kind",
            field=models.CharField(choices=[(kind, kind.replace("_", " ").title()) for kind in KINDS], max_length=30),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(fields=["customer", "-updated_at", "-id"], name="ticket_of_customer"),
        ),
        migrations.AddConstraint(
            model_name="administrativeact",
            constraint=models.CheckConstraint(condition=models.Q(("kind__in", KINDS)), name="act_kind_known"),
        ),
    ]
