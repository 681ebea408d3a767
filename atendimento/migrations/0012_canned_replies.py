"""Replies written beforehand, and proposals that a rule makes."""

import django.db.models.deletion
from django.db import migrations, models

OWN = "organization_id = nullif(current_setting('lastro.organization', true), '')::bigint"


class Migration(migrations.Migration):
    dependencies = [("atendimento", "0011_model_limits")]

    operations = [
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
                "constraints": [models.UniqueConstraint(fields=["organization", "title"], name="canned_title_unique")],
            },
        ),
        migrations.AlterField(
            model_name="proposal",
            name="origin",
            field=models.CharField(
                choices=[("model", "Model"), ("api", "Api"), ("rebuild", "Rebuild"), ("rule", "Rule")], max_length=10
            ),
        ),
        migrations.RunSQL(
            sql=[
                "ALTER TABLE atendimento_cannedreply ENABLE ROW LEVEL SECURITY",
                f"CREATE POLICY organization_isolation ON atendimento_cannedreply USING ({OWN}) WITH CHECK ({OWN})",
            ],
            reverse_sql=[
                "DROP POLICY organization_isolation ON atendimento_cannedreply",
                "ALTER TABLE atendimento_cannedreply DISABLE ROW LEVEL SECURITY",
            ],
        ),
    ]
