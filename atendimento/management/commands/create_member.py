"""Make a member of an organisation. Again: role, name and, where given, password are brought up to date."""

from __future__ import annotations

import getpass
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from atendimento.actions import create_member
from atendimento.management.terminal import one_line, organization_named
from atendimento.models import Role, User


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="what the person signs in with")
        parser.add_argument("--org", required=True, metavar="SLUG", help="the organisation")
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--name", required=True, help="the name that people see")
        parser.add_argument("--password", help="left out: read from standard input when piped, else asked for")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = organization_named(options["org"])
        password = options["password"]
        if password is None:
            password = self._read_password(options["email"])
        with one_line():
            row, made = create_member(
                organization=organization,
                email=options["email"],
                role=options["role"],
                name=options["name"],
                password=password,
            )
        self.stdout.write(f"{row.user.email}: {row.role} of {organization.slug}, {'created' if made else 'up to date'}")

    def _read_password(self, email: str) -> str | None:
        """From a pipe or the terminal; None for a person who has one already and pipes none."""
        exists = User.objects.filter(email__iexact=email).exists()
        if sys.stdin is not None and not sys.stdin.isatty():
            return sys.stdin.readline().rstrip("\r\n") or (None if exists else "")
        return None if exists else getpass.getpass(f"Password of {email}: ")
