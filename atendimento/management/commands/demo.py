"""manage.py demo: the whole product on this machine, with nothing to install beside it."""

from __future__ import annotations

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento.demonstration import Demonstration, Options
from atendimento.embedded import EmbeddedError
from atendimento.supervise import KeepsDying


def port_number(word: str) -> int:
    if word.isascii() and word.isdigit() and int(word) <= 65535:
        return int(word)
    raise ArgumentTypeError(f"a port is a number from 0 to 65535, not {word!r}")


class Command(BaseCommand):
    help = (
        "Starts embedded PostgreSQL and Redis (unless DATABASE_URL and REDIS_URL are set), the web server, the workers, "
        "the clock and a stand-in model (unless OPENAI_BASE_URL is set), seeds a demonstration, and prints address and logins."
    )
    # Nothing is configured before it runs; the commands it starts are checked.
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: %(default)s)")
        parser.add_argument("--port", type=port_number, default=8000, help="default: %(default)s; 0 takes a free one")
        parser.add_argument(
            "--data-dir", type=Path, default=settings.DATA_DIR, help="where the data lies (default: %(default)s)"
        )
        parser.add_argument("--no-seed", action="store_true", help="start empty")

    def handle(self, *args: Any, **options: Any) -> None:
        def say(line: str) -> None:
            self.stdout.write(line)
            self.stdout.flush()

        chosen = Options(options["host"], options["port"], options["data_dir"].expanduser().resolve(), not options["no_seed"])
        try:
            Demonstration(chosen, say).run()
        except (EmbeddedError, KeepsDying) as problem:
            raise CommandError(str(problem)) from None
