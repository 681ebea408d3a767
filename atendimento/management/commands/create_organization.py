"""Make an organisation. Again: its name and time zone are brought up to date."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from atendimento.actions import create_organization
from atendimento.management.terminal import one_line


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="short name: letters, digits, - and _")
        parser.add_argument("--name", required=True, help="the name that people see")
        parser.add_argument("--timezone", default="America/Sao_Paulo", help="IANA name (default: %(default)s)")

    def handle(self, *args: Any, **options: Any) -> None:
        with one_line():
            row, made = create_organization(slug=options["slug"], name=options["name"], timezone=options["timezone"])
        self.stdout.write(f"{row.slug}: {'created' if made else 'up to date'}")
