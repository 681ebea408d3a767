"""Teams, the book of who handed a ticket to whom, and the indexes that the queue's views are read by."""

import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
from django.db import migrations, models

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TABLES = ("team", "teammember", "handing", "queueview")


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0020_changing_rules"),
    ]

    operations = [
        migrations.CreateModel(
            name="Handing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("assumed", "Assumed"),
                            ("released", "Released"),
                            ("transferred", "Transferred"),
                            ("escalated", "Escalated"),
                            ("answered", "Answered"),
                        ],
                        max_length=20,
                    ),
                ),
                ("at", models.DateTimeField()),
                ("after_message", models.PositiveIntegerField(default=0)),
                ("key", models.UUIDField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="QueueView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("asked", models.JSONField()),
                ("position", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Team",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=100)),
                ("name", models.CharField(max_length=100)),
                ("open_to_all", models.BooleanField(default=False)),
                ("archived_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("leads", models.BooleanField(default=False)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="administrativeact",
            name="act_kind_known",
        ),
        migrations.RemoveIndex(
            model_name="ticket",
            name="ticket_due",
        ),
        migrations.RemoveIndex(
            model_name="ticket",
            name="ticket_to_decide",
        ),
        migrations.AddField(
            model_name="ticket",
            name="escalated_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="ticket",
            name="escalated_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="atendimento.membership",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="escalated_to",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="atendimento.membership",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="waiting_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="ticket",
            name="woken_at",
            field=models.DateTimeField(blank=True, null=True),
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
            model_name="handing",
            name="by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"),
        ),
        migrations.AddField(
            model_name="handing",
            name="from_member",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
            ),
        ),
        migrations.AddField(
            model_name="handing",
            name="note",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.message"
            ),
        ),
        migrations.AddField(
            model_name="handing",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="handing",
            name="ticket",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="handings", to="atendimento.ticket"
            ),
        ),
        migrations.AddField(
            model_name="handing",
            name="to_member",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
            ),
        ),
        migrations.AddField(
            model_name="queueview",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="queue_views", to="atendimento.membership"
            ),
        ),
        migrations.AddField(
            model_name="queueview",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="team",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="teams", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="handing",
            name="from_team",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.team"
            ),
        ),
        migrations.AddField(
            model_name="handing",
            name="to_team",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.team"
            ),
        ),
        migrations.RenameField("ticket", "team", "team_name"),
        migrations.AddField(
            "ticket",
            "team",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="tickets",
                to="atendimento.team",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="lane",
            field=models.GeneratedField(
                db_persist=True,
                expression=django.db.models.functions.comparison.Coalesce("team_id", models.Value(0)),
                output_field=models.BigIntegerField(),
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("assignee__isnull", False), ("status__in", ["open", "snoozed"])),
                fields=["organization", "assignee", "-updated_at", "-id"],
                name="ticket_mine",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("escalated_to__isnull", False)),
                fields=["organization", "escalated_to", "-updated_at", "-id"],
                name="ticket_escalated",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status", "open")), fields=["organization", "-updated_at", "-id"], name="queue_open"
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status", "open")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_open_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("pending_count__gt", 0), ("status", "open")),
                fields=["organization", "-updated_at", "-id"],
                name="queue_decide",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("pending_count__gt", 0), ("status", "open")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_decide_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("stale_count__gt", 0), ("status", "open")),
                fields=["organization", "-updated_at", "-id"],
                name="queue_confirm",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("stale_count__gt", 0), ("status", "open")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_confirm_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("conflict_count__gt", 0), ("status", "open")),
                fields=["organization", "-updated_at", "-id"],
                name="queue_conflict",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("conflict_count__gt", 0), ("status", "open")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_conflict_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("assignee__isnull", True), ("status", "open")),
                fields=["organization", "-updated_at", "-id"],
                name="queue_unowned",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("assignee__isnull", True), ("status", "open")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_unowned_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("parked_count__gt", 0)), fields=["organization", "-updated_at", "-id"], name="queue_failed"
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("parked_count__gt", 0)),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_failed_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status", "snoozed")), fields=["organization", "-updated_at", "-id"], name="queue_snoozed"
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status", "snoozed")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_snoozed_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status", "closed")), fields=["organization", "-updated_at", "-id"], name="queue_closed"
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("status", "closed")),
                fields=["organization", "lane", "-updated_at", "-id"],
                name="queue_closed_lane",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("next_due__isnull", False), ("status", "open")),
                fields=["organization", "next_due", "id"],
                name="queue_due",
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("next_due__isnull", False), ("status", "open")),
                fields=["organization", "lane", "next_due", "id"],
                name="queue_due_lane",
            ),
        ),
        migrations.AddField(
            model_name="teammember",
            name="member",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="teams", to="atendimento.membership"
            ),
        ),
        migrations.AddField(
            model_name="teammember",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="teammember",
            name="team",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="members", to="atendimento.team"),
        ),
        migrations.AddConstraint(
            model_name="queueview",
            constraint=models.UniqueConstraint(fields=("member", "name"), name="queue_view_name_unique"),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(fields=("organization", "slug"), name="team_slug_unique"),
        ),
        migrations.AddConstraint(
            model_name="team",
            constraint=models.UniqueConstraint(
                models.F("organization"), django.db.models.functions.text.Lower("name"), name="team_name_unique"
            ),
        ),
        migrations.AddIndex(
            model_name="handing",
            index=models.Index(fields=["ticket", "after_message", "id"], name="handing_of_ticket"),
        ),
        migrations.AddConstraint(
            model_name="handing",
            constraint=models.UniqueConstraint(fields=("ticket", "key"), name="handing_once"),
        ),
        migrations.AddConstraint(
            model_name="handing",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["assumed", "released", "transferred", "escalated", "answered"])),
                name="handing_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="teammember",
            constraint=models.UniqueConstraint(fields=("team", "member"), name="team_member_unique"),
        ),
        # What was text until now becomes teams, open to all: who saw such a ticket goes on seeing it.
        migrations.RunSQL(
            sql=[
                "SET CONSTRAINTS ALL IMMEDIATE",  # else the tables could not be altered after these writes
                """
                INSERT INTO atendimento_team (organization_id, slug, name, open_to_all, created_at)
                SELECT organization_id, 'team-' || row_number() OVER (PARTITION BY organization_id ORDER BY name), name, true, now()
                FROM (SELECT organization_id, min(trim(team_name)) AS name FROM atendimento_ticket
                      WHERE trim(team_name) <> '' GROUP BY organization_id, lower(trim(team_name))) AS named
                """,
                """
                UPDATE atendimento_ticket AS ticket SET team_id = team.id FROM atendimento_team AS team
                WHERE team.organization_id = ticket.organization_id AND lower(team.name) = lower(trim(ticket.team_name))
                """,
                # Who waits: since the first message of the other side that no reply followed.
                """
                UPDATE atendimento_ticket AS ticket SET waiting_since = waiting.at FROM (
                    SELECT message.ticket_id, min(message.received_at) AS at FROM atendimento_message AS message
                    WHERE message.author_kind IN ('customer', 'third_party') AND NOT message.automatic
                      AND message.deleted_at IS NULL AND NOT EXISTS (
                        SELECT FROM atendimento_message AS reply WHERE reply.ticket_id = message.ticket_id
                        AND reply.author_kind = 'agent' AND NOT reply.internal AND reply.number > message.number)
                    GROUP BY message.ticket_id) AS waiting
                WHERE waiting.ticket_id = ticket.id AND ticket.status IN ('open', 'snoozed')
                """,
                # Those snoozed until a moment are woken by the post box from now on.
                """
                INSERT INTO atendimento_outboxentry (job, subject, organization_id, due_at, created_at)
                SELECT 'atendimento.tasks.wake', id, organization_id, snoozed_until, now() FROM atendimento_ticket
                WHERE status = 'snoozed' AND snoozed_until IS NOT NULL
                """,
            ],
            reverse_sql=[
                "DELETE FROM atendimento_outboxentry WHERE job = 'atendimento.tasks.wake'",
                """
                UPDATE atendimento_ticket AS ticket SET team_name = team.name FROM atendimento_team AS team
                WHERE team.id = ticket.team_id
                """,
            ],
            elidable=True,
        ),
        migrations.RunSQL(
            sql=[
                *(
                    statement
                    for table in TABLES
                    for statement in (
                        f"ALTER TABLE atendimento_{table} ENABLE ROW LEVEL SECURITY",
                        f"CREATE POLICY organization_isolation ON atendimento_{table} USING ({OWN}) WITH CHECK ({OWN})",
                    )
                ),
                "REVOKE UPDATE, DELETE, TRUNCATE ON atendimento_handing FROM lastro_app",
            ],
            reverse_sql=[
                "GRANT UPDATE, DELETE ON atendimento_handing TO lastro_app",
                *(
                    statement
                    for table in TABLES
                    for statement in (
                        f"DROP POLICY organization_isolation ON atendimento_{table}",
                        f"ALTER TABLE atendimento_{table} DISABLE ROW LEVEL SECURITY",
                    )
                ),
            ],
        ),
        migrations.RemoveField("ticket", "team_name"),
    ]
