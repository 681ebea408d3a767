"""Invitations, an organisation's sign-in service, and whether it asks for a second factor."""

import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("atendimento", "0017_reminders"),
    ]

    operations = [
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
            ],
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
            ],
        ),
        migrations.RemoveConstraint(
            model_name="administrativeact",
            name="act_kind_known",
        ),
        migrations.AddField(
            model_name="organization",
            name="requires_second_factor",
            field=models.BooleanField(default=False),
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
                        ],
                    )
                ),
                name="act_kind_known",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="accepted_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="atendimento.membership",
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="invited_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"),
        ),
        migrations.AddField(
            model_name="invitation",
            name="organization",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="invitations", to="atendimento.organization"
            ),
        ),
        migrations.AddField(
            model_name="singlesignon",
            name="changed_by",
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="atendimento.membership"),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["agent", "supervisor", "admin"])), name="invitation_role_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="invitation",
            constraint=models.UniqueConstraint(
                models.F("organization"),
                django.db.models.functions.text.Lower("email"),
                condition=models.Q(("accepted_at", None), ("revoked_at", None)),
                name="invitation_open_once",
            ),
        ),
    ]
