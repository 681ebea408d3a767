"""Make a bearer token and print it, alone on the last line: it is shown this once. Earlier tokens stay valid.

A token of the scope `member` acts as EMAIL, with their role. One of the scope `ingest` belongs to an integration, which
EMAIL sets up: it delivers tickets and messages, and decides nothing; tokens of one name are one source.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from atendimento.actions import create_api_token
from atendimento.management.terminal import member_with, one_line, organization_named
from atendimento.models import Scope


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="a member of the organisation")
        parser.add_argument("--org", required=True, metavar="SLUG", help="the organisation")
        parser.add_argument("--name", required=True, help="what the token is for")
        parser.add_argument("--scope", choices=Scope.values, default=Scope.MEMBER.value, help="default: %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = organization_named(options["org"])
        member = member_with(options["email"], organization)
        with one_line():
            token = create_api_token(
                organization=organization, name=options["name"], scope=options["scope"], member=member, created_by=member
            )
        self.stdout.write(f"Token {options['name']!r} ({options['scope']}) of {organization.slug}:")
        self.stdout.write(token)
