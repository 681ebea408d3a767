"""The tables as migrations 0001 to 0030 leave them, made in one go: a new database takes seconds instead of many.

A database that has those already counts this one as applied (`replaces`). Walls, rights, functions and views are the very
statements of those migrations, in their order, without what moved the rows of older databases (`elidable`).
tests/house/test_migrations.py compares what both ways come to.
"""

import datetime as dt
from importlib import import_module

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import atendimento.models.fields
import atendimento.models.ids
import atendimento.models.organizations

REPLACED = [
    "0001_tables",
    "0002_row_security",
    "0003_role_rights",
    "0004_runs",
    "0005_any_operation",
    "0006_imports",
    "0007_snapshots",
    "0008_rebuilds",
    "0009_administration",
    "0010_corrections",
    "0011_model_limits",
    "0012_canned_replies",
    "0013_split_and_merged",
    "0014_contexts",
    "0015_read_in_part",
    "0016_sent_once",
    "0017_reminders",
    "0018_sign_in",
    "0019_retention",
    "0020_changing_rules",
    "0021_teams_and_queue",
    "0022_search",
    "0023_customer_panel",
    "0024_model_forgotten",
    "0025_settings",
    "0026_first_run",
    "0027_search_statistics",
    "0028_search_views",
    "0029_handings_stay",
    "0030_superseded_by",
]


def statements(name: str) -> list[migrations.RunSQL]:
    module = import_module(f"atendimento.migrations.{name}")
    return [
        operation
        for operation in module.Migration.operations
        if isinstance(operation, migrations.RunSQL) and not operation.elidable
    ]


class Migration(migrations.Migration):
    initial = True
    replaces = [("atendimento", name) for name in REPLACED]
    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        migrations.CreateModel(
            name="EndpointHealth",
            fields=[
                ("identity", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("pause", models.FloatField(default=0.0)),
                ("open_until", models.DateTimeField(blank=True, null=True)),
                ("probe_until", models.DateTimeField(blank=True, null=True)),
                ("last_failure", models.CharField(blank=True, max_length=50)),
                ("last_failure_at", models.DateTimeField(blank=True, null=True)),
                ("last_answer_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="EndpointMode",
            fields=[
                ("identity", models.CharField(max_length=32, primary_key=True, serialize=False)),
                ("mode", models.CharField(max_length=20)),
                ("updated_at", models.DateTimeField(auto_now=True)),
            ],
        ),
        migrations.CreateModel(
            name="Organization",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.SlugField(max_length=100, unique=True)),
                ("name", models.CharField(max_length=200)),
                ("timezone", models.CharField(default="America/Sao_Paulo", max_length=64)),
                ("language", models.CharField(default="pt-br", max_length=10)),
                ("requires_second_factor", models.BooleanField(default=False)),
                ("reject_reasons", models.JSONField(blank=True, default=list)),
                ("weekdays", models.JSONField(blank=True, default=atendimento.models.organizations.working_week)),
                ("opens_at", models.TimeField(default=dt.time(9, 0))),
                ("closes_at", models.TimeField(default=dt.time(18, 0))),
                ("holidays", models.JSONField(blank=True, default=list)),
                ("cause_names", models.JSONField(blank=True, default=dict)),
                ("masks_personal_data", models.BooleanField(default=True)),
                ("daily_tokens", models.PositiveBigIntegerField(blank=True, null=True)),
                ("daily_cost", models.DecimalField(blank=True, decimal_places=2, max_digits=12, null=True)),
                ("retention", models.JSONField(blank=True, default=dict)),
                ("reminder_hours", models.PositiveSmallIntegerField(default=2)),
                ("first_run", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
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
            name="User",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                ("email", models.EmailField(max_length=254, unique=True)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("language", models.CharField(blank=True, max_length=10)),
                ("is_active", models.BooleanField(default=True)),
                ("is_staff", models.BooleanField(default=False)),
                ("date_joined", models.DateTimeField(auto_now_add=True)),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(django.db.models.functions.text.Lower("email"), name="user_email_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="Customer",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("external_id", models.CharField(max_length=200)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("phone", models.CharField(blank=True, max_length=50)),
                ("email", models.CharField(blank=True, max_length=254)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="customers", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "external_id"), name="customer_external_id_unique")
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelSpend",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("requests", models.PositiveBigIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=8, default=0, max_digits=18)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("organization", "day"), name="model_spend_unique")],
            },
        ),
        migrations.CreateModel(
            name="OutboxEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("job", models.CharField(max_length=50)),
                ("subject", models.UUIDField()),
                ("due_at", models.DateTimeField()),
                ("posted_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["due_at"], name="outbox_due")],
                "constraints": [models.UniqueConstraint(fields=("job", "subject"), name="outbox_job_unique")],
            },
        ),
        migrations.CreateModel(
            name="ProtocolCounter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("year", models.PositiveIntegerField()),
                ("last", models.PositiveIntegerField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("organization", "year"), name="protocol_counter_unique")],
            },
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
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="teams", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "slug"), name="team_slug_unique"),
                    models.UniqueConstraint(
                        models.F("organization"), django.db.models.functions.text.Lower("name"), name="team_name_unique"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("agent", "Agent"), ("supervisor", "Supervisor"), ("admin", "Admin")], max_length=20
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("is_active", models.BooleanField(default=True)),
                ("takes_reminder_mails", models.BooleanField(default=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user", "organization"), name="membership_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["agent", "supervisor", "admin"])), name="membership_role_known"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AdministrativeAct",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
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
                ("subject", models.CharField(max_length=300)),
                ("details", atendimento.models.fields.DocumentField()),
                ("at", models.DateTimeField()),
                (
                    "member",
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
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "-id"], name="act_recent"),
                    models.Index(fields=["organization", "kind", "-id"], name="act_of_kind"),
                    models.Index(fields=["organization", "member", "-id"], name="act_of_member"),
                    models.Index(fields=["organization", "at"], name="act_by_time"),
                ],
                "constraints": [
                    models.CheckConstraint(
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
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("scope", models.CharField(choices=[("member", "Member"), ("ingest", "Ingest")], max_length=20)),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "membership",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tokens", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("membership", None), ("scope", "ingest")),
                            models.Q(("membership__isnull", False), ("scope", "member")),
                            _connector="OR",
                        ),
                        name="token_acts_as_its_scope_says",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CannedReply",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=80)),
                ("text", models.TextField()),
                ("changed_at", models.DateTimeField()),
                (
                    "changed_by",
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
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("organization", "title"), name="canned_title_unique")],
            },
        ),
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
                    "undone_by",
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
            ],
            options={
                "indexes": [models.Index(fields=["organization", "-created_at", "-id"], name="import_recent")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["preview", "queued", "running", "done", "failed", "undone"])),
                        name="import_status_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "done"])),
                        fields=("organization", "digest"),
                        name="import_file_once",
                    ),
                ],
            },
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
        migrations.CreateModel(
            name="Invitation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254)),
                ("name", models.CharField(max_length=200)),
                (
                    "role",
                    models.CharField(
                        choices=[("agent", "Agent"), ("supervisor", "Supervisor"), ("admin", "Admin")], max_length=20
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("invited_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["agent", "supervisor", "admin"])), name="invitation_role_known"
                    ),
                    models.UniqueConstraint(
                        models.F("organization"),
                        django.db.models.functions.text.Lower("email"),
                        condition=models.Q(("accepted_at", None), ("revoked_at", None)),
                        name="invitation_open_once",
                    ),
                ],
            },
        ),
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
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="QueueView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("asked", models.JSONField()),
                ("position", models.PositiveIntegerField()),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="queue_views", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("member", "name"), name="queue_view_name_unique")],
            },
        ),
        migrations.CreateModel(
            name="RetentionRun",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        default="queued",
                        max_length=20,
                    ),
                ),
                ("periods", atendimento.models.fields.DocumentField()),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("report", atendimento.models.fields.DocumentField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "-created_at"], name="retention_recent")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "done"])), name="retention_status_known"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "done"), _negated=True),
                        fields=("organization",),
                        name="retention_one_under_way",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Simulation",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("slug", models.CharField(max_length=100)),
                ("document", atendimento.models.fields.DocumentField()),
                ("digest", models.CharField(max_length=64)),
                ("scope", atendimento.models.fields.DocumentField()),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done"), ("cancelled", "Cancelled")],
                        default="queued",
                        max_length=20,
                    ),
                ),
                ("plan", atendimento.models.fields.DocumentField()),
                ("position", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("different", models.PositiveIntegerField(default=0)),
                ("incomparable", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "slug", "-created_at", "-id"], name="simulation_recent")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "done", "cancelled"])),
                        name="simulation_status_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=("organization", "slug"),
                        name="simulation_one_under_way",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SingleSignOn",
            fields=[
                (
                    "organization",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="single_sign_on",
                        serialize=False,
                        to="atendimento.organization",
                    ),
                ),
                ("issuer", models.URLField(max_length=500)),
                ("client_id", models.CharField(max_length=300)),
                ("sealed_secret", models.TextField()),
                ("sign_in_origin", models.CharField(max_length=500)),
                ("active", models.BooleanField(default=True)),
                ("changed_at", models.DateTimeField()),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TicketType",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("slug", models.CharField(max_length=100)),
                ("name", models.CharField(max_length=200)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ticket_types", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("organization", "slug"), name="ticket_type_slug_unique")],
            },
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
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("organization", "slug"), name="ticket_type_draft_unique")],
            },
        ),
        migrations.CreateModel(
            name="CustomerExport",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("content", models.BinaryField()),
                ("made_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                (
                    "customer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="exports", to="atendimento.customer"
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "expires_at"], name="export_expiry")],
            },
        ),
        migrations.CreateModel(
            name="ErasureRequest",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "Requested"),
                            ("refused", "Refused"),
                            ("approved", "Approved"),
                            ("running", "Running"),
                            ("held", "Held"),
                            ("done", "Done"),
                        ],
                        default="requested",
                        max_length=20,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("requested_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("refusal", models.CharField(blank=True, max_length=300)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("report", atendimento.models.fields.DocumentField()),
                (
                    "customer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="erasures", to="atendimento.customer"
                    ),
                ),
                (
                    "decided_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["organization", "-requested_at"], name="erasure_recent")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["requested", "refused", "approved", "running", "held", "done"])),
                        name="erasure_status_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ["refused", "done"]), _negated=True),
                        fields=("customer",),
                        name="erasure_one_under_way",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TeamMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("leads", models.BooleanField(default=False)),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="teams", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="atendimento.team"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("team", "member"), name="team_member_unique")],
            },
        ),
        migrations.CreateModel(
            name="TicketTypeVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("document", atendimento.models.fields.DocumentField()),
                ("digest", models.CharField(max_length=64)),
                ("published_at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "ticket_type",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="atendimento.tickettype"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("ticket_type", "number"), name="ticket_type_version_unique")],
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("choices", atendimento.models.fields.DocumentField()),
                ("closed", models.BooleanField(default=False)),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done"), ("cancelled", "Cancelled")],
                        default="queued",
                        max_length=20,
                    ),
                ),
                ("after", models.UUIDField(blank=True, null=True)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("changed", models.PositiveIntegerField(default=0)),
                ("withdrawn", models.PositiveIntegerField(default=0)),
                ("doubted", models.PositiveIntegerField(default=0)),
                ("judged", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="publication",
                        to="atendimento.tickettypeversion",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "done", "cancelled"])),
                        name="publication_status_known",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("protocol", models.CharField(max_length=30)),
                ("source", models.CharField(blank=True, max_length=120)),
                ("external_id", models.CharField(blank=True, max_length=200, null=True)),
                ("subject", models.CharField(max_length=300)),
                ("channel", models.CharField(blank=True, max_length=50)),
                (
                    "status",
                    models.CharField(
                        choices=[("open", "Open"), ("snoozed", "Snoozed"), ("closed", "Closed"), ("merged", "Merged")],
                        default="open",
                        max_length=20,
                    ),
                ),
                ("snoozed_until", models.DateTimeField(blank=True, null=True)),
                (
                    "lane",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce("team_id", models.Value(0)),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                ("escalated_at", models.DateTimeField(blank=True, null=True)),
                ("waiting_since", models.DateTimeField(blank=True, null=True)),
                ("woken_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                ("last_message_at", models.DateTimeField(blank=True, null=True)),
                ("last_message_number", models.PositiveIntegerField(default=0)),
                ("state_version", models.PositiveIntegerField(default=0)),
                ("through_message", models.PositiveIntegerField(default=0)),
                ("split_key", models.UUIDField(blank=True, null=True)),
                ("merged_at", models.DateTimeField(blank=True, null=True)),
                ("pending_count", models.PositiveIntegerField(default=0)),
                ("conflict_count", models.PositiveIntegerField(default=0)),
                ("stale_count", models.PositiveIntegerField(default=0)),
                ("parked_count", models.PositiveIntegerField(default=0)),
                ("next_due", models.DateTimeField(blank=True, null=True)),
                ("next_expiry", models.DateTimeField(blank=True, null=True)),
                ("remind_at", models.DateTimeField(blank=True, null=True)),
                (
                    "merged_into",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged_here",
                        to="atendimento.ticket",
                    ),
                ),
                (
                    "split_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="split_off",
                        to="atendimento.ticket",
                    ),
                ),
                (
                    "customer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tickets", to="atendimento.customer"
                    ),
                ),
                (
                    "assignee",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "escalated_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "escalated_to",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "merged_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "split_by",
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
                        on_delete=django.db.models.deletion.PROTECT, related_name="tickets", to="atendimento.organization"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tickets",
                        to="atendimento.team",
                    ),
                ),
                (
                    "ticket_type",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tickets", to="atendimento.tickettype"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("closed_at__isnull", False)),
                        fields=["organization", "closed_at"],
                        name="ticket_closed",
                    ),
                    models.Index(
                        condition=models.Q(("next_expiry__isnull", False)),
                        fields=["organization", "next_expiry"],
                        name="ticket_expiry",
                    ),
                    models.Index(fields=["organization", "-updated_at", "-id"], name="ticket_recent"),
                    models.Index(fields=["organization", "status", "-updated_at", "-id"], name="ticket_by_status"),
                    models.Index(fields=["organization", "assignee", "-updated_at", "-id"], name="ticket_by_assignee"),
                    models.Index(fields=["customer", "-updated_at", "-id"], name="ticket_of_customer"),
                    models.Index(
                        condition=models.Q(("assignee__isnull", False), ("status__in", ["open", "snoozed"])),
                        fields=["organization", "assignee", "-updated_at", "-id"],
                        name="ticket_mine",
                    ),
                    models.Index(
                        condition=models.Q(("escalated_to__isnull", False)),
                        fields=["organization", "escalated_to", "-updated_at", "-id"],
                        name="ticket_escalated",
                    ),
                    models.Index(
                        condition=models.Q(("status", "open")), fields=["organization", "-updated_at", "-id"], name="queue_open"
                    ),
                    models.Index(
                        condition=models.Q(("status", "open")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_open_lane",
                    ),
                    models.Index(
                        condition=models.Q(("pending_count__gt", 0), ("status", "open")),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_decide",
                    ),
                    models.Index(
                        condition=models.Q(("pending_count__gt", 0), ("status", "open")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_decide_lane",
                    ),
                    models.Index(
                        condition=models.Q(("stale_count__gt", 0), ("status", "open")),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_confirm",
                    ),
                    models.Index(
                        condition=models.Q(("stale_count__gt", 0), ("status", "open")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_confirm_lane",
                    ),
                    models.Index(
                        condition=models.Q(("conflict_count__gt", 0), ("status", "open")),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_conflict",
                    ),
                    models.Index(
                        condition=models.Q(("conflict_count__gt", 0), ("status", "open")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_conflict_lane",
                    ),
                    models.Index(
                        condition=models.Q(("assignee__isnull", True), ("status", "open")),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_unowned",
                    ),
                    models.Index(
                        condition=models.Q(("assignee__isnull", True), ("status", "open")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_unowned_lane",
                    ),
                    models.Index(
                        condition=models.Q(("parked_count__gt", 0)),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_failed",
                    ),
                    models.Index(
                        condition=models.Q(("parked_count__gt", 0)),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_failed_lane",
                    ),
                    models.Index(
                        condition=models.Q(("status", "snoozed")),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_snoozed",
                    ),
                    models.Index(
                        condition=models.Q(("status", "snoozed")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_snoozed_lane",
                    ),
                    models.Index(
                        condition=models.Q(("status", "closed")),
                        fields=["organization", "-updated_at", "-id"],
                        name="queue_closed",
                    ),
                    models.Index(
                        condition=models.Q(("status", "closed")),
                        fields=["organization", "lane", "-updated_at", "-id"],
                        name="queue_closed_lane",
                    ),
                    models.Index(
                        condition=models.Q(("next_due__isnull", False), ("status", "open")),
                        fields=["organization", "next_due", "id"],
                        name="queue_due",
                    ),
                    models.Index(
                        condition=models.Q(("next_due__isnull", False), ("status", "open")),
                        fields=["organization", "lane", "next_due", "id"],
                        name="queue_due_lane",
                    ),
                    models.Index(
                        condition=models.Q(("remind_at__isnull", False)),
                        fields=["organization", "remind_at"],
                        name="ticket_remind",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "protocol"), name="ticket_protocol_unique"),
                    models.UniqueConstraint(fields=("organization", "source", "external_id"), name="ticket_external_id_unique"),
                    models.UniqueConstraint(fields=("organization", "split_key"), name="ticket_split_once"),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["open", "snoozed", "closed", "merged"])), name="ticket_status_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("merged_into", None), ("status", "merged"), _connector="OR"),
                        name="ticket_merged_stays",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("merged_into", None), models.Q(("merged_into", models.F("id")), _negated=True), _connector="OR"
                        ),
                        name="ticket_not_into_itself",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="StateSnapshot",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("values", atendimento.models.fields.DocumentField()),
                ("slots", atendimento.models.fields.DocumentField()),
                ("minted", atendimento.models.fields.DocumentField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="snapshots", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("ticket", "version"), name="snapshot_version_unique")],
            },
        ),
        migrations.CreateModel(
            name="TicketState",
            fields=[
                (
                    "ticket",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="state",
                        serialize=False,
                        to="atendimento.ticket",
                    ),
                ),
                ("version", models.PositiveIntegerField(default=0)),
                ("values", atendimento.models.fields.DocumentField()),
                ("slots", atendimento.models.fields.DocumentField()),
                ("minted", atendimento.models.fields.DocumentField()),
                ("head_hash", models.CharField(max_length=64)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BriefReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("last_message", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="brief_readings", to="atendimento.ticket"
                    ),
                ),
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
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("ticket", "member", "version", "last_message"), name="brief_read_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Draft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(blank=True)),
                ("internal", models.BooleanField(default=False)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="atendimento.ticket"
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("member", "ticket"), name="draft_unique")],
            },
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
                    "ticket",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="atendimento.ticket"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("batch", "position"), name="imported_ticket_unique")],
            },
        ),
        migrations.CreateModel(
            name="LedgerEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=30)),
                ("actor", atendimento.models.fields.DocumentField()),
                ("at", models.DateTimeField()),
                ("ticket_type_version", models.PositiveIntegerField()),
                ("content", atendimento.models.fields.DocumentField(null=True)),
                ("salt", models.BinaryField(null=True)),
                ("content_digest", models.CharField(max_length=64)),
                ("previous_hash", models.CharField(max_length=64)),
                ("hash", models.CharField(max_length=64)),
                (
                    "pointers",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=250), default=list, size=None
                    ),
                ),
                (
                    "sources",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=30), default=list, size=None
                    ),
                ),
                ("through_message", models.PositiveIntegerField(default=0)),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="events", to="atendimento.ticket"
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["organization", "-at", "-id"], name="ledger_recent"),
                    models.Index(fields=["ticket", "-at", "-version"], name="ledger_of_ticket"),
                    django.contrib.postgres.indexes.GinIndex(fields=["pointers"], name="ledger_pointers"),
                ],
                "constraints": [models.UniqueConstraint(fields=("ticket", "version"), name="ledger_version_unique")],
            },
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                (
                    "author_kind",
                    models.CharField(
                        choices=[
                            ("customer", "customer"),
                            ("third_party", "third_party"),
                            ("agent", "agent"),
                            ("assistant", "assistant"),
                            ("tool", "tool"),
                            ("registry", "registry"),
                            ("system", "system"),
                        ],
                        max_length=20,
                    ),
                ),
                ("author_name", models.CharField(blank=True, max_length=200)),
                ("author_external_id", models.CharField(blank=True, max_length=200, null=True)),
                ("author_key", models.CharField(blank=True, max_length=200)),
                ("text", models.TextField(blank=True)),
                ("source", models.CharField(blank=True, max_length=120)),
                ("external_id", models.CharField(blank=True, max_length=200, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("received_at", models.DateTimeField()),
                ("said_at", models.DateTimeField()),
                ("internal", models.BooleanField(default=False)),
                ("automatic", models.BooleanField(default=False)),
                ("unquotable", models.JSONField(blank=True, default=list)),
                ("attachments", models.JSONField(blank=True, default=list)),
                ("notes", models.JSONField(blank=True, default=list)),
                ("edited_at", models.DateTimeField(blank=True, null=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("erased_at", models.DateTimeField(blank=True, null=True)),
                ("awaits_reading", models.BooleanField(default=False)),
                ("unread", models.JSONField(blank=True, null=True)),
                ("send_key", models.UUIDField(blank=True, null=True)),
                ("copied_from", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "member",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="messages", to="atendimento.ticket"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["ticket", "author_kind", "author_key", "number"], name="message_by_author"),
                    models.Index(
                        condition=models.Q(("awaits_reading", True)), fields=["ticket", "number"], name="message_unread"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("ticket", "number"), name="message_number_unique"),
                    models.UniqueConstraint(fields=("ticket", "source", "external_id"), name="message_external_id_unique"),
                    models.UniqueConstraint(fields=("ticket", "send_key"), name="message_sent_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MessageRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("text", models.TextField(blank=True)),
                ("received_at", models.DateTimeField()),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="revisions", to="atendimento.message"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("message", "number"), name="message_revision_unique")],
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
                    "pinned_by",
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
        migrations.CreateModel(
            name="Proposal",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[("model", "Model"), ("api", "Api"), ("rebuild", "Rebuild"), ("rule", "Rule")], max_length=10
                    ),
                ),
                ("producer", models.CharField(max_length=100)),
                ("key", models.CharField(blank=True, max_length=200, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("ready", "Ready"),
                            ("parked", "Parked"),
                            ("superseded", "Superseded"),
                        ],
                        max_length=20,
                    ),
                ),
                ("base_version", models.PositiveIntegerField(default=0)),
                ("through_message", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("not_before", models.DateTimeField(blank=True, null=True)),
                (
                    "waits_for",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("breaker", "Breaker"),
                            ("slot", "Slot"),
                            ("budget", "Budget"),
                            ("cap", "Cap"),
                            ("schedule", "Schedule"),
                        ],
                        max_length=10,
                    ),
                ),
                ("holder", models.UUIDField(blank=True, null=True)),
                ("run", atendimento.models.fields.DocumentField(null=True)),
                ("problem_code", models.CharField(blank=True, max_length=50)),
                ("problem_detail", models.TextField(blank=True)),
                ("request", atendimento.models.fields.DocumentField(null=True)),
                ("raw_answer", atendimento.models.fields.DocumentField(null=True)),
                ("context_report", atendimento.models.fields.DocumentField(null=True)),
                ("usage", atendimento.models.fields.DocumentField(null=True)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("prompt_version", models.CharField(blank=True, max_length=50)),
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
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="proposals", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["ticket", "-created_at", "-id"], name="proposal_recent"),
                    models.Index(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=["ticket", "created_at"],
                        name="proposal_to_run",
                    ),
                    models.Index(
                        condition=models.Q(("status", "parked")), fields=["organization", "-created_at"], name="proposal_parked"
                    ),
                    models.Index(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=["organization", "not_before"],
                        name="proposal_under_way",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("ticket", "origin", "producer", "key"), name="proposal_key_unique"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "running")), fields=("ticket",), name="proposal_one_running_a_ticket"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "ready", "parked", "superseded"])),
                        name="proposal_status_known",
                    ),
                ],
            },
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
                ("kind", models.CharField(choices=[("before", "Before"), ("due", "Due")], max_length=10)),
                ("made_at", models.DateTimeField()),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("cancelled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "mail",
                    models.CharField(
                        choices=[("unwanted", "Unwanted"), ("owed", "Owed"), ("sent", "Sent"), ("failed", "Failed")],
                        max_length=10,
                    ),
                ),
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
                "indexes": [
                    models.Index(
                        condition=models.Q(("cancelled_at", None)), fields=["member", "-made_at"], name="reminder_live"
                    ),
                    models.Index(
                        condition=models.Q(("mail", "failed")), fields=["organization", "-made_at"], name="reminder_unmailed"
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("ticket", "commitment", "due", "kind", "member"), name="reminder_once"),
                    models.CheckConstraint(condition=models.Q(("kind__in", ["before", "due"])), name="reminder_kind_known"),
                    models.CheckConstraint(
                        condition=models.Q(("mail__in", ["unwanted", "owed", "sent", "failed"])), name="reminder_mail_known"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SimulationDifference",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveIntegerField()),
                ("place", models.PositiveIntegerField()),
                ("act", models.CharField(max_length=20)),
                ("pointer", models.CharField(max_length=250)),
                ("kind", models.CharField(max_length=40)),
                ("at", models.DateTimeField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "simulation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="differences", to="atendimento.simulation"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.ticket"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["simulation", "-at", "-id"], name="simulation_difference_recent")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("simulation", "ticket", "version", "place"), name="simulation_difference_unique"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TicketVisit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seen_at", models.DateTimeField()),
                ("seen_version", models.PositiveIntegerField(default=0)),
                ("seen_message", models.PositiveIntegerField(default=0)),
                (
                    "member",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="visits", to="atendimento.membership"
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="visits", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("member", "ticket"), name="visit_unique")],
            },
        ),
        migrations.CreateModel(
            name="LegalHold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=300)),
                ("until", models.DateField(blank=True, null=True)),
                ("placed_at", models.DateTimeField()),
                ("lifted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "customer",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="holds",
                        to="atendimento.customer",
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="holds",
                        to="atendimento.ticket",
                    ),
                ),
                (
                    "lifted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.membership",
                    ),
                ),
                (
                    "placed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("lifted_at", None)), fields=["organization", "-id"], name="hold_standing")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("customer__isnull", False), ("ticket", None)),
                            models.Q(("customer", None), ("ticket__isnull", False)),
                            _connector="OR",
                        ),
                        name="hold_of_one_thing",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ProposedChange",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("position", models.PositiveIntegerField()),
                ("op", models.TextField()),
                ("path", models.TextField()),
                ("value", atendimento.models.fields.ValueField(default=atendimento.models.fields.missing, null=True)),
                ("citations", atendimento.models.fields.DocumentField()),
                ("inference", models.BooleanField(default=False)),
                ("reason", models.TextField(blank=True)),
                ("proposed_verdict", models.CharField(max_length=20)),
                (
                    "verdict",
                    models.CharField(
                        choices=[
                            ("allowed", "allowed"),
                            ("no_change", "no_change"),
                            ("conflict", "conflict"),
                            ("refused", "refused"),
                        ],
                        max_length=20,
                    ),
                ),
                ("reasons", atendimento.models.fields.DocumentField()),
                ("evidence", atendimento.models.fields.DocumentField()),
                ("source", models.CharField(blank=True, max_length=30)),
                ("author", atendimento.models.fields.DocumentField(null=True)),
                ("current_value", atendimento.models.fields.ValueField(default=atendimento.models.fields.missing, null=True)),
                ("cascade", atendimento.models.fields.DocumentField()),
                ("same_as", models.CharField(blank=True, max_length=250)),
                ("cautions", atendimento.models.fields.DocumentField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("pending", "pending"),
                            ("accepted", "accepted"),
                            ("edited", "edited"),
                            ("rejected", "rejected"),
                            ("refused", "refused"),
                            ("superseded", "superseded"),
                        ],
                        max_length=20,
                    ),
                ),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(blank=True, null=True)),
                ("superseded_by", models.PositiveIntegerField(blank=True, null=True)),
                ("decision", atendimento.models.fields.DocumentField(null=True)),
                (
                    "decided_by",
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
                    "proposal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="changes", to="atendimento.proposal"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="changes", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["ticket", "status", "id"], name="change_of_ticket"),
                    models.Index(fields=["organization", "status", "id"], name="change_queue"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("proposal", "position"), name="change_position_unique"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("status__in", ["pending", "accepted", "edited", "rejected", "refused", "superseded"])
                        ),
                        name="change_status_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rebuild",
            fields=[
                (
                    "id",
                    models.UUIDField(default=atendimento.models.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                ("kind", models.CharField(choices=[("replay", "Replay"), ("messages", "Messages")], max_length=20)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("ready", "Ready"),
                            ("parked", "Parked"),
                            ("superseded", "Superseded"),
                        ],
                        max_length=20,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("base_version", models.PositiveIntegerField(default=0)),
                ("report", atendimento.models.fields.DocumentField(null=True)),
                ("total", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("through_message", models.PositiveIntegerField(default=0)),
                ("read_through", models.PositiveIntegerField(default=0)),
                ("position", models.PositiveIntegerField(default=0)),
                ("state", atendimento.models.fields.DocumentField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("not_before", models.DateTimeField(blank=True, null=True)),
                (
                    "waits_for",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("breaker", "Breaker"),
                            ("slot", "Slot"),
                            ("budget", "Budget"),
                            ("cap", "Cap"),
                            ("schedule", "Schedule"),
                        ],
                        max_length=10,
                    ),
                ),
                ("holder", models.UUIDField(blank=True, null=True)),
                ("run", atendimento.models.fields.DocumentField(null=True)),
                ("problem_code", models.CharField(blank=True, max_length=50)),
                ("problem_detail", models.TextField(blank=True)),
                ("usage", atendimento.models.fields.DocumentField(null=True)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("prompt_version", models.CharField(blank=True, max_length=50)),
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
                    "proposal",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.proposal",
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rebuilds", to="atendimento.ticket"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["ticket", "-created_at", "-id"], name="rebuild_recent")],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("kind__in", ["replay", "messages"])), name="rebuild_kind_known"),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["queued", "running", "ready", "parked", "superseded"])),
                        name="rebuild_status_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=("ticket",),
                        name="rebuild_one_under_way",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RebuildReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("through_message", models.PositiveIntegerField()),
                ("count", models.PositiveIntegerField()),
                ("request", atendimento.models.fields.DocumentField()),
                ("context_report", atendimento.models.fields.DocumentField()),
                ("raw_answer", models.TextField(blank=True)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "rebuild",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="readings", to="atendimento.rebuild"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("rebuild", "position"), name="rebuild_reading_unique")],
            },
        ),
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField()),
                ("version", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "act",
                    models.CharField(
                        choices=[
                            ("replaced", "replaced"),
                            ("withdrawn", "withdrawn"),
                            ("resolved", "resolved"),
                            ("overridden", "overridden"),
                            ("rejected", "rejected"),
                            ("edited", "edited"),
                            ("undone", "undone"),
                            ("unfit", "unfit"),
                        ],
                        max_length=20,
                    ),
                ),
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
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="corrections", to="atendimento.ticket"
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="corrections",
                        to="atendimento.ledgerevent",
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "change",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="atendimento.proposedchange",
                    ),
                ),
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
                        condition=models.Q(("override", ""), _negated=True),
                        fields=["organization", "-at", "-id"],
                        name="correction_overrides",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("event", "position"), name="correction_position_unique"),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "act__in",
                                ["replaced", "withdrawn", "resolved", "overridden", "rejected", "edited", "undone", "unfit"],
                            )
                        ),
                        name="correction_act_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("cause__in", ["", "changed_mind", "model_misread", "staff_error", "old_record"])),
                        name="correction_cause_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="CauseChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("changed_mind", "changed_mind"),
                            ("model_misread", "model_misread"),
                            ("staff_error", "staff_error"),
                            ("old_record", "old_record"),
                        ],
                        max_length=20,
                    ),
                ),
                ("at", models.DateTimeField()),
                (
                    "correction",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="choices", to="atendimento.correction"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["correction", "-id"], name="cause_choice_of")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("cause__in", ["changed_mind", "model_misread", "staff_error", "old_record"])),
                        name="cause_choice_known",
                    )
                ],
            },
        ),
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
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="handings", to="atendimento.ticket"
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "from_member",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "to_member",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"
                    ),
                ),
                (
                    "note",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.message"
                    ),
                ),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "from_team",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.team"
                    ),
                ),
                (
                    "to_team",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.team"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["ticket", "after_message", "id"], name="handing_of_ticket")],
                "constraints": [
                    models.UniqueConstraint(fields=("ticket", "key"), name="handing_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["assumed", "released", "transferred", "escalated", "answered"])),
                        name="handing_kind_known",
                    ),
                ],
            },
        ),
        migrations.AddField(
            model_name="TicketType",
            name="published",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.tickettypeversion"
            ),
        ),
        migrations.CreateModel(
            name="MessageWords",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("author_kind", models.CharField(max_length=20)),
                ("author_name", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("said_at", models.DateTimeField()),
                ("internal", models.BooleanField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.ticket"
                    ),
                ),
                (
                    "member",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.membership"
                    ),
                ),
                ("ticket_organization", models.BigIntegerField(db_column="ticket_organization_id")),
                ("ticket_lane", models.BigIntegerField()),
                ("ticket_assignee", models.BigIntegerField(db_column="ticket_assignee_id", null=True)),
                ("ticket_escalated_to", models.BigIntegerField(db_column="ticket_escalated_to_id", null=True)),
                ("ticket_status", models.CharField(max_length=20)),
                ("ticket_kind", models.BigIntegerField(db_column="ticket_kind_id")),
            ],
            options={
                "managed": False,
                "db_table": "atendimento_messagewords",
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TicketWords",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("ticket_updated_at", models.DateTimeField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.organization"
                    ),
                ),
                (
                    "customer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.customer"
                    ),
                ),
                ("ticket_organization", models.BigIntegerField(db_column="ticket_organization_id")),
                ("ticket_lane", models.BigIntegerField()),
                ("ticket_assignee", models.BigIntegerField(db_column="ticket_assignee_id", null=True)),
                ("ticket_escalated_to", models.BigIntegerField(db_column="ticket_escalated_to_id", null=True)),
                ("ticket_status", models.CharField(max_length=20)),
                ("ticket_kind", models.BigIntegerField(db_column="ticket_kind_id")),
            ],
            options={
                "managed": False,
                "db_table": "atendimento_ticketwords",
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="CustomerWords",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("created_at", models.DateTimeField()),
                ("words", django.contrib.postgres.search.SearchVectorField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.organization"
                    ),
                ),
            ],
            options={
                "managed": False,
                "db_table": "atendimento_customerwords",
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="TicketIdentifiers",
            fields=[
                (
                    "ticket",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="atendimento.ticket",
                    ),
                ),
                ("ticket_updated_at", models.DateTimeField()),
                ("identifiers", django.contrib.postgres.search.SearchVectorField()),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.DO_NOTHING, related_name="+", to="atendimento.organization"
                    ),
                ),
                ("ticket_organization", models.BigIntegerField(db_column="ticket_organization_id")),
                ("ticket_lane", models.BigIntegerField()),
                ("ticket_assignee", models.BigIntegerField(db_column="ticket_assignee_id", null=True)),
                ("ticket_escalated_to", models.BigIntegerField(db_column="ticket_escalated_to_id", null=True)),
                ("ticket_status", models.CharField(max_length=20)),
                ("ticket_kind", models.BigIntegerField(db_column="ticket_kind_id")),
            ],
            options={
                "managed": False,
                "db_table": "atendimento_ticketidentifiers",
                "indexes": [],
                "constraints": [],
            },
        ),
        *(operation for name in REPLACED for operation in statements(name)),
    ]
