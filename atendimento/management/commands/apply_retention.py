"""Erase what is over its period (L1), and finish erasures that were approved (L2). With --dry-run: say what it would be."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento import ledger, tenancy
from atendimento.actions import erasures, retention
from atendimento.actions.erasing import NoOwner
from atendimento.management.terminal import organization_named
from atendimento.models import ErasureRequest, ErasureStatus, Organization, RetentionRun


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--org", metavar="SLUG", help="one organisation (default: all)")
        parser.add_argument("--dry-run", action="store_true", help="count what would be erased, and erase nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["org"]
        organizations = [organization_named(slug)] if slug else list(Organization.objects.order_by("pk"))
        for organization in organizations:
            with tenancy.organization(organization.pk):
                if options["dry_run"]:
                    self._count(organization)
                    continue
                try:
                    self._erase(organization)
                except NoOwner:
                    raise CommandError("DATABASE_OWNER_URL must be the tables' owner's: nothing was erased") from None

    def _count(self, organization: Organization) -> None:
        found = retention.due(organization, retention.periods_of(organization), ledger.now())
        if not found:
            self.stdout.write(f"{organization.slug}: no periods are set")
        for item in found:
            rows = ", ".join(f"{place} {count}" for place, count in item.rows.items()) or "nothing"
            days = "no hold keeps it any more" if item.days is None else f"{item.days} days"
            oldest = f", the oldest of {item.oldest.date().isoformat()}" if item.oldest is not None else ""
            named = f", such as {', '.join(item.examples)}" if item.examples else ""
            self.stdout.write(f"{organization.slug} {item.kind} ({days}): {item.count}{oldest}{named}: {rows}")

    def _erase(self, organization: Organization) -> None:
        run = retention.begin_run(organization=organization, member=None)
        while not retention.work(organization_id=organization.pk, run_id=run.pk):
            pass
        report = RetentionRun.objects.get(pk=run.pk).report
        for kind, part in report.items():
            rows = ", ".join(f"{place} {count}" for place, count in part["rows"].items())
            self.stdout.write(f"{organization.slug} {kind}: {part['tickets']} ticket(s): {rows}")
        if not report:
            self.stdout.write(f"{organization.slug}: nothing was over its period")
        approved = ErasureRequest.objects.filter(status__in=[ErasureStatus.APPROVED, ErasureStatus.RUNNING])
        for key in list(approved.filter(organization=organization).order_by("requested_at").values_list("pk", flat=True)):
            erasures.work(organization_id=organization.pk, request_id=key)
            row = ErasureRequest.objects.get(pk=key)
            self.stdout.write(f"{organization.slug} erasure {key}: {row.status}, {row.done} of {row.total} ticket(s)")
