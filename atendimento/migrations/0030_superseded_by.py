"""Which version made a change moot, so that undoing it brings the change back."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0029_handings_stay"),
    ]

    operations = [
        migrations.AddField(
            model_name="proposedchange",
            name="superseded_by",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
