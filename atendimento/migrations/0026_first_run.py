"""How far an organisation has come in setting up."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0025_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="organization",
            name="first_run",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
