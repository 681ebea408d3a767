"""Drafts tried on past decisions, what publishing does to tickets, and when a ticket's next value ends."""

import django.db.models.deletion
from django.db import migrations, models

import atendimento.models.fields
import atendimento.models.ids

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"
TABLES = ("simulation", "simulationdifference", "publication")


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0019_retention")]

    operations = [
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
            ],
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
            ],
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
            ],
        ),
        migrations.RemoveConstraint(
            model_name="correction",
            name="correction_act_known",
        ),
        migrations.AddField(
            model_name="ticket",
            name="next_expiry",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name="correction",
            name="act",
            field=models.CharField(
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
        migrations.AlterField(
            model_name="proposal",
            name="waits_for",
            field=models.CharField(
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
        migrations.AlterField(
            model_name="rebuild",
            name="waits_for",
            field=models.CharField(
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
        migrations.AddConstraint(
            model_name="correction",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("act__in", ["replaced", "withdrawn", "resolved", "overridden", "rejected", "edited", "undone", "unfit"])
                ),
                name="correction_act_known",
            ),
        ),
        migrations.AddField(
            model_name="publication",
            name="created_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"),
        ),
        migrations.AddField(
            model_name="publication",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="publication",
            name="version",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="publication", to="atendimento.tickettypeversion"
            ),
        ),
        migrations.AddField(
            model_name="simulation",
            name="created_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"),
        ),
        migrations.AddField(
            model_name="simulation",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="simulationdifference",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="simulationdifference",
            name="simulation",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="differences", to="atendimento.simulation"
            ),
        ),
        migrations.AddField(
            model_name="simulationdifference",
            name="ticket",
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="atendimento.ticket"),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "done", "cancelled"])), name="publication_status_known"
            ),
        ),
        migrations.AddIndex(
            model_name="simulation",
            index=models.Index(fields=["organization", "slug", "-created_at", "-id"], name="simulation_recent"),
        ),
        migrations.AddConstraint(
            model_name="simulation",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "done", "cancelled"])), name="simulation_status_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="simulation",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["queued", "running"])),
                fields=("organization", "slug"),
                name="simulation_one_under_way",
            ),
        ),
        migrations.AddIndex(
            model_name="simulationdifference",
            index=models.Index(fields=["simulation", "-at", "-id"], name="simulation_difference_recent"),
        ),
        migrations.AddConstraint(
            model_name="simulationdifference",
            constraint=models.UniqueConstraint(
                fields=("simulation", "ticket", "version", "place"), name="simulation_difference_unique"
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("next_expiry__isnull", False)), fields=["organization", "next_expiry"], name="ticket_expiry"
            ),
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
