"""Bring in conversations from a file: a WhatsApp export (.txt or .zip), a mail, a mailbox, or dialogues as JSON Lines.

The same file again adds nothing. What was understood is printed first; with --dry-run nothing more happens. Whoever is
named neither as staff nor as customer is taken for what the file or the organisation's own people tell; where they do not,
the first of them is the customer, and says so here: an import can be undone in the console.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento import tenancy
from atendimento.actions.import_writing import write_import
from atendimento.actions.imports import How, Plan, begin_import, look_into, preview_import
from atendimento.ingest.neutral import MAX_FILE, Format, Unreadable
from atendimento.management.terminal import one_line, organization_named
from atendimento.models import Import, ImportedTicket, ImportStatus, Organization


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--org", required=True, metavar="SLUG", help="the organisation")
        parser.add_argument("--ticket-type", required=True, metavar="SLUG", help="of the tickets that are made")
        parser.add_argument("--format", required=True, choices=[item.value for item in Format])
        parser.add_argument("--staff", action="append", default=[], metavar="NAME", help="name or address; may be repeated")
        parser.add_argument("--customer", metavar="NAME", help="name or address of the customer")
        parser.add_argument("--date-order", default="", choices=["dmy", "mdy"], help="where the file leaves it open")
        parser.add_argument("--unread", action="store_true", help="do not have the model read the messages")
        parser.add_argument("--dry-run", action="store_true", help="only say what was understood")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = organization_named(options["org"])
        content = _content(options["file"])
        named = [*options["staff"], *([options["customer"]] if options["customer"] else [])]
        how = How.of(options["date_order"], named)
        form = Format(options["format"])
        with tenancy.organization(organization.pk):
            try:
                _reading, summary = look_into(organization, options["file"].name, content, form, how)
            except Unreadable as error:
                raise CommandError(f"{options['file']}: {error}") from None
            roles = _roles(summary["people"], options["staff"], options["customer"])
            self._tell(summary, roles)
            if options["dry_run"]:
                return
            plan = Plan(options["ticket_type"], roles, read=not options["unread"])
            self._write(organization, options["file"].name, content, form, how, plan)

    def _write(self, organization: Organization, name: str, content: bytes, form: Format, how: How, plan: Plan) -> None:
        batch = preview_import(organization=organization, member=None, file_name=name, content=content, form=form, how=how)
        with one_line():
            begin_import(organization=organization, member=None, import_id=batch.pk, plan=plan)
        before = batch.status == ImportStatus.DONE
        write_import(organization_id=organization.pk, import_id=batch.pk)
        batch = Import.objects.get(pk=batch.pk)
        if batch.status == ImportStatus.FAILED:
            raise CommandError(f"stopped after {batch.done} of {batch.total} messages: {batch.problem['code']}")
        protocols = list(ImportedTicket.objects.filter(batch=batch).order_by("position").values_list("protocol", flat=True))
        words = "imported already, nothing to do" if before else f"{batch.added} of {batch.total} messages are new"
        self.stdout.write(f"{words}: {', '.join(protocols[:20])}{' …' if len(protocols) > 20 else ''}")

    def _tell(self, summary: Mapping[str, Any], roles: Mapping[str, str]) -> None:
        span = f", {summary['first'][:16]} to {summary['last'][:16]} UTC" if summary["first"] else ""
        self.stdout.write(
            f"{summary['format']}: {summary['messages']} messages, {summary['conversations']} conversations{span}"
        )
        for person in summary["people"]:
            name = person["name"] or person["key"]
            self.stdout.write(f"  {name}: {person['messages']} messages, taken as {roles[person['key']]}")
        if summary["date_order_by"] == "assumed":
            self.stdout.write(f"  the order of day and month was assumed: {summary['date_order']} (--date-order)")
        for item in summary["not_understood"]:
            self.stdout.write(f"  line {item['line']} is left out, {item['why']}: {item['text'][:60]}")


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE:
            raise CommandError(f"{path}: file_too_large: most {MAX_FILE}")
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read ({error.strerror})") from None


def _roles(people: Sequence[Mapping[str, Any]], staff: Sequence[str], customer: str | None) -> dict[str, str]:
    """By key; who is named on the command line counts over what was suggested."""
    given = {name.casefold(): "agent" for name in staff}
    if customer:
        given[customer.casefold()] = "customer"
    known = {name.casefold() for person in people for name in (person["key"], person["name"])}
    for name in given:
        if name not in known:
            raise CommandError(f"nobody in the file is called {name!r}")
    roles: dict[str, str] = {}
    for person in people:
        named = given.get(person["key"].casefold()) or given.get(person["name"].casefold())
        roles[person["key"]] = named or person["role"]
    for person in people:
        if not roles[person["key"]]:
            has_customer = "customer" in roles.values()
            alone = has_customer and len(people) == 2
            roles[person["key"]] = "agent" if alone else "third_party" if has_customer else "customer"
    return roles
