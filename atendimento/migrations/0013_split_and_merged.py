"""Tickets that were split off or merged, and messages that were copied: pointers on rows that the policies guard already."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0012_canned_replies"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="copied_from",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="ticket",
            name="merged_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="ticket",
            name="merged_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="atendimento.membership",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="merged_into",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="merged_here",
                to="atendimento.ticket",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="split_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="atendimento.membership",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="split_from",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="split_off",
                to="atendimento.ticket",
            ),
        ),
        migrations.AddField(
            model_name="ticket",
            name="split_key",
            field=models.UUIDField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="ticket",
            constraint=models.UniqueConstraint(fields=("organization", "split_key"), name="ticket_split_once"),
        ),
        migrations.AddConstraint(
            model_name="ticket",
            constraint=models.CheckConstraint(
                condition=models.Q(("merged_into", None), ("status", "merged"), _connector="OR"), name="ticket_merged_stays"
            ),
        ),
        migrations.AddConstraint(
            model_name="ticket",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("merged_into", None), models.Q(("merged_into", models.F("id")), _negated=True), _connector="OR"
                ),
                name="ticket_not_into_itself",
            ),
        ),
    ]
