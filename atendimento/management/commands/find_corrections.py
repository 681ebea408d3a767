"""Find the corrections in logs that are older than the list of corrections, and propose their causes.

What is listed already stays as it is; a second run adds nothing.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from atendimento import tenancy
from atendimento.actions.corrections import find_corrections
from atendimento.management.terminal import organization_named
from atendimento.models import Organization


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", metavar="SLUG", help="one organisation (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["org"]
        organizations = [organization_named(slug)] if slug else list(Organization.objects.order_by("pk"))
        for organization in organizations:
            with tenancy.organization(organization.pk):
                found, tickets = find_corrections(organization)
            self.stdout.write(f"{organization.slug}: {found} correction(s) added from {tickets} ticket(s)")
