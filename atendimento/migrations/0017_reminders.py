"""Reminders of commitments, and the language that a person reads."""

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.ids

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
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
]
KINDS = [("before", "Before"), ("due", "Due")]
MAILS = [("unwanted", "Unwanted"), ("owed", "Owed"), ("sent", "Sent"), ("failed", "Failed")]


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0016_sent_once")]

    operations = [
        migrations.AddField("user", "language", models.CharField(blank=True, max_length=10)),
        migrations.AddField("membership", "takes_reminder_mails", models.BooleanField(default=True)),
        migrations.AddField("organization", "reminder_hours", models.PositiveSmallIntegerField(default=2)),
        migrations.AddField("ticket", "remind_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddIndex(
            "ticket",
            models.Index(
                fields=["organization", "remind_at"], name="ticket_remind", condition=models.Q(remind_at__isnull=False)
            ),
        ),
        migrations.RemoveConstraint("administrativeact", "act_kind_known"),
        migrations.AlterField("administrativeact", "kind", models.CharField(choices=ACTS, max_length=30)),
        migrations.AddConstraint(
            "administrativeact",
            models.CheckConstraint(condition=models.Q(kind__in=[kind for kind, _ in ACTS]), name="act_kind_known"),
        ),
        migrations.CreateModel(
            name="Reminder",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("commitment", models.CharField(max_length=20)),
                ("due", models.CharField(max_length=40)),
                ("due_at", models.DateTimeField()),
                ("kind", models.CharField(choices=KINDS, max_length=10)),
                ("made_at", models.DateTimeField()),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("cancelled_at", models.DateTimeField(blank=True, null=True)),
                ("mail", models.CharField(choices=MAILS, max_length=10)),
                ("mail_tries", models.PositiveSmallIntegerField(default=0)),
                ("mail_problem", models.CharField(blank=True, max_length=100)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reminders", to="atendimento.membership"
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="reminders", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=["ticket", "commitment", "due", "kind", "member"], name="reminder_once"),
                    models.CheckConstraint(
                        condition=models.Q(kind__in=[kind for kind, _ in KINDS]), name="reminder_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(mail__in=[mail for mail, _ in MAILS]), name="reminder_mail_known"
                    ),
                ],
                "indexes": [
                    models.Index(fields=["member", "-made_at"], name="reminder_live", condition=models.Q(cancelled_at=None)),
                    models.Index(
                        fields=["organization", "-made_at"], name="reminder_unmailed", condition=models.Q(mail="failed")
                    ),
                ],
            },
        ),
        migrations.RunSQL(
            sql=[
                "ALTER TABLE atendimento_reminder ENABLE ROW LEVEL SECURITY",
                f"CREATE POLICY organization_isolation ON atendimento_reminder USING ({OWN}) WITH CHECK ({OWN})",
                # What is due from now on is reminded of; what was overdue before there were reminders is not.
                "UPDATE atendimento_ticket SET remind_at = now() WHERE next_due > now()",
            ],
            reverse_sql=[
                "DROP POLICY organization_isolation ON atendimento_reminder",
                "ALTER TABLE atendimento_reminder DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
