"""What the model may cost and when it is left alone: budgets, the breaker of an endpoint, masking as an organisation's choice."""

import django.db.models.deletion
from django.db import migrations, models

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0010_corrections"),
    ]

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
            name="ModelSpend",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("requests", models.PositiveBigIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=8, default=0, max_digits=18)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="administrativeact",
            name="act_kind_known",
        ),
        migrations.AddField(
            model_name="organization",
            name="daily_cost",
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=12, null=True),
        ),
        migrations.AddField(
            model_name="organization",
            name="daily_tokens",
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="organization",
            name="masks_personal_data",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="proposal",
            name="waits_for",
            field=models.CharField(
                blank=True, choices=[("breaker", "Breaker"), ("slot", "Slot"), ("budget", "Budget")], max_length=10
            ),
        ),
        migrations.AddField(
            model_name="rebuild",
            name="waits_for",
            field=models.CharField(
                blank=True, choices=[("breaker", "Breaker"), ("slot", "Slot"), ("budget", "Budget")], max_length=10
            ),
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
                ],
                max_length=30,
            ),
        ),
        migrations.AddIndex(
            model_name="proposal",
            index=models.Index(
                condition=models.Q(("status__in", ["queued", "running"])),
                fields=["organization", "not_before"],
                name="proposal_under_way",
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
                        ],
                    )
                ),
                name="act_kind_known",
            ),
        ),
        migrations.AddField(
            model_name="modelspend",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.organization"
            ),
        ),
        migrations.AddConstraint(
            model_name="modelspend",
            constraint=models.UniqueConstraint(fields=("organization", "day"), name="model_spend_unique"),
        ),
        migrations.RunSQL(
            sql=[
                "ALTER TABLE atendimento_modelspend ENABLE ROW LEVEL SECURITY",
                f"CREATE POLICY organization_isolation ON atendimento_modelspend USING ({OWN}) WITH CHECK ({OWN})",
            ],
            reverse_sql=[
                "DROP POLICY organization_isolation ON atendimento_modelspend",
                "ALTER TABLE atendimento_modelspend DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
