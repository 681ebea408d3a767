"""Prove that no ticket's log was tampered with, and that replaying it gives the stored state. Exit 1 where not."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento import proof, tenancy
from atendimento.management.terminal import organization_named
from atendimento.models import Organization, Ticket


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", metavar="SLUG", help="one organisation (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["org"]
        organizations = [organization_named(slug)] if slug else list(Organization.objects.order_by("pk"))
        checked = faults = erased = 0
        for organization in organizations:
            with tenancy.organization(organization.pk):
                tickets = Ticket.objects.filter(organization=organization).order_by("pk").values_list("pk", "protocol")
                for key, protocol in tickets.iterator():
                    checked += 1
                    erased += proof.tombstones([key])
                    for finding in proof.verify(key):
                        faults += 1
                        self.stderr.write(
                            f"{organization.slug} {protocol} ({key}), version {finding.version}: {finding.what} does not agree"
                        )
        if faults:
            raise CommandError(f"{faults} disagreement(s) in {checked} ticket(s)")
        gone = f"; {erased} event(s) without content, erased" if erased else ""
        self.stdout.write(f"{checked} ticket(s): log, chain and state agree{gone}")
