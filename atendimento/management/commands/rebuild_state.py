"""Write a ticket's stored state anew from its log. Says whether it had differed; again changes nothing."""

from __future__ import annotations

import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from atendimento import ledger, tenancy
from atendimento.access import NotFound
from atendimento.models import Organization, Ticket


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ticket", metavar="TICKET", help="the ticket's id or protocol number")
        parser.add_argument("--org", metavar="SLUG", help="the organisation, where a protocol number is not enough")

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(self._find(options["ticket"], options["org"]))
        if not found:
            raise CommandError(f"there is no ticket {options['ticket']}")
        if len(found) > 1:
            raise CommandError(f"{len(found)} organisations have a ticket {options['ticket']}: name one with --org")
        organization, key = found[0]
        try:
            with tenancy.organization(organization.pk), transaction.atomic():
                differed = ledger.rebuild(organization, key)
        except NotFound:
            raise CommandError(f"there is no ticket {options['ticket']}") from None
        self.stdout.write("the stored state had differed and was written anew" if differed else "the stored state agrees")

    def _find(self, reference: str, slug: str | None) -> Any:
        try:
            wanted: dict[str, Any] = {"pk": uuid.UUID(reference)}
        except ValueError:
            wanted = {"protocol": reference}
        organizations = Organization.objects.order_by("pk")
        for organization in organizations.filter(slug=slug) if slug else organizations:
            with tenancy.organization(organization.pk):
                for key in Ticket.objects.filter(organization=organization, **wanted).values_list("pk", flat=True):
                    yield organization, key
