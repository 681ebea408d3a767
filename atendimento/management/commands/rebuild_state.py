"""Say whether a ticket's stored state is what its log gives; write it anew, or have the messages read again, if asked to."""

from __future__ import annotations

import time
import uuid
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento import tenancy
from atendimento.access import NotFound
from atendimento.actions.rebuilds import rebuild_from_log, start_rereading
from atendimento.models import Organization, Rebuild, RunStatus, Ticket
from memoria.errors import DomainError


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ticket", metavar="TICKET", help="the ticket's id or protocol number")
        parser.add_argument("--org", metavar="SLUG", help="the organisation, where a protocol number is not enough")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--write", action="store_true", help="where it differs and the chain verifies, write it anew")
        what.add_argument("--from-messages", action="store_true", help="have the model read the messages again (H5)")
        parser.add_argument("--no-wait", action="store_true", help="with --from-messages: leave it to the workers")

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(self._find(options["ticket"], options["org"]))
        if not found:
            raise CommandError(f"there is no ticket {options['ticket']}")
        if len(found) > 1:
            raise CommandError(f"{len(found)} organisations have a ticket {options['ticket']}: name one with --org")
        organization, key = found[0]
        try:
            with tenancy.organization(organization.pk):
                if options["from_messages"]:
                    self._read_again(organization, key, wait=not options["no_wait"])
                else:
                    self._compare(organization, key, write=options["write"])
        except NotFound:
            raise CommandError(f"there is no ticket {options['ticket']}") from None
        except DomainError as error:
            raise CommandError(f"{error.code.value} ({error.rule})") from None

    def _compare(self, organization: Organization, key: uuid.UUID, *, write: bool) -> None:
        found, written = rebuild_from_log(organization=organization, ticket_id=key, write=write)
        if found.unsound:
            places = ", ".join(f"version {item.version} ({item.what})" for item in found.unsound)
            raise CommandError(f"the log does not verify at {places}: no state can be had from it, nothing was written")
        if found.agrees:
            self.stdout.write("the stored state agrees with its log")
            return
        where = ", ".join(found.differs)
        if not written:
            raise CommandError(f"the stored state differs from its log at {where}; --write writes it anew")
        self.stdout.write(f"the stored state had differed at {where} and was written anew")

    def _read_again(self, organization: Organization, key: uuid.UUID, *, wait: bool) -> None:
        row = start_rereading(organization=organization, member=None, ticket_id=key)
        told = -1
        while wait and row.status in (RunStatus.QUEUED, RunStatus.RUNNING):
            if row.done != told:
                self.stdout.write(f"{row.done} of {row.total} message(s) read")
                told = row.done
            time.sleep(0.5)
            row.refresh_from_db()
        if row.status in (RunStatus.QUEUED, RunStatus.RUNNING):
            self.stdout.write(f"{row.total} message(s) are to be read by the workers")
        elif row.status == RunStatus.READY:
            self.stdout.write(self._outcome(row))
        else:
            raise CommandError(f"the reading stopped: {row.problem_code} {row.problem_detail}".strip())

    def _outcome(self, row: Rebuild) -> str:
        rows = row.report["rows"]
        differ = [item for item in rows if item["difference"] != "same"]
        proposed = sum(item["change"] is not None for item in rows)
        lost = sum(bool(item["lost"]) for item in rows)
        return (
            f"{row.done} message(s) read: {len(rows)} value(s) compared, {len(differ)} differ, {proposed} proposed, "
            f"{lost} with evidence that is gone; nothing was overwritten"
        )

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
