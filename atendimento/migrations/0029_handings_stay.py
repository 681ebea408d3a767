"""Who had a ticket stays on record: nothing is removed behind it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0028_search_views"),
    ]

    operations = [
        migrations.AlterField(
            model_name="handing",
            name="ticket",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="handings", to="atendimento.ticket"
            ),
        ),
    ]
