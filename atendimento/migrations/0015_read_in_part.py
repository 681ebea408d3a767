"""What of a message is still to be read, where one call did not take all of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0014_contexts"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="unread",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
