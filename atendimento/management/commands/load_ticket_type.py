"""Check a ticket type file and publish it. The same content again publishes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento import tenancy
from atendimento.actions import publish_ticket_type
from atendimento.management.terminal import member_with, one_line, organization_named
from atendimento.selectors import misfits
from memoria.strict_json import NotStrictJson, loads


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.json", type=Path)
        parser.add_argument("--org", required=True, metavar="SLUG", help="the organisation")
        parser.add_argument("--as", required=True, dest="email", metavar="EMAIL", help="the admin who publishes it")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = organization_named(options["org"])
        member = member_with(options["email"], organization)
        try:
            document = loads(options["file"].read_text("utf-8"))
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read ({error.strerror})") from None
        except (NotStrictJson, UnicodeDecodeError) as error:
            raise CommandError(f"{options['file']} is no JSON: {error}") from None
        with one_line(), tenancy.organization(organization.pk):
            version, made = publish_ticket_type(member=member, document=document)
            unfit = misfits.count(version)
        word = "published" if made else "published already, nothing to do"
        self.stdout.write(f"{document['slug']} version {version.number}: {word}")
        if unfit.values:
            among = f" of the {misfits.LOOKED_AT} that changed last" if unfit.more else ""
            self.stdout.write(
                f"{unfit.values} value(s) in {unfit.tickets} ticket(s){among} do not fit it: "
                "in open tickets they await confirmation, or are withdrawn where it does not have them any more"
            )
