"""Make the demonstration's organisation, its members and its conversations. What is there already is left as it is."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from atendimento import tenancy
from atendimento.demo.play import PlayError
from atendimento.demo.script import ScriptError
from atendimento.demo.seed import fill, open_house
from atendimento.management.terminal import one_line


class Command(BaseCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with one_line():
                house = open_house()
                with tenancy.organization(house.organization.pk):
                    made = fill(house, self._say)
        except (PlayError, ScriptError) as problem:
            raise CommandError(str(problem)) from None
        if not made:
            self._say("The conversations are there already.")
        self._say(f"\nOrganisation: {house.organization.name}. Password of all three: {house.content.password}")
        for member in house.members.values():
            self._say(f"  {member.user.email:<22} {member.role:<11} {member.name}")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
