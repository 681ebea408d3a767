"""Measure the configured model on files with gold states: dialogues (.jsonl) and scenarios (.toml).

Each dialogue is played on a ticket of its own, in an organisation that is kept for it (`avaliacao`): its messages come in,
the worker's code asks the model, and what the rules allow is accepted. Told are joint goal accuracy, slot precision, recall
and F1, how many mentions got a proposal, whether quotes stand, and which values came back. With --report the folder gets
report.html and report.json, and the same command again goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from atendimento import tenancy
from atendimento.evaluation import report
from atendimento.evaluation.gold import BadGold, Dialogue, read
from atendimento.evaluation.play import play, stage
from atendimento.management.terminal import one_line
from memoria.instructions import PROMPT_VERSION
from memoria.strict_json import NotStrictJson, loads


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--report", metavar="DIR", type=Path, help="where the report goes; makes the run resumable")
        parser.add_argument("--ticket-type", metavar="FILE", type=Path, help="definition for dialogues that name none")
        parser.add_argument("--language", metavar="CODE", help="only dialogues of this language, as their line says")
        parser.add_argument("--half", choices=["a", "b"], help="only this half of the dialogues, parted by their ids' digest")
        parser.add_argument("--limit", metavar="N", type=int, help="only the first N dialogues")

    def handle(self, *args: Any, **options: Any) -> None:
        dialogues = self._dialogues(options)
        if not settings.OPENAI_BASE_URL:
            raise CommandError("no model is configured: set OPENAI_BASE_URL and OPENAI_MODEL")
        folder: Path | None = options["report"]
        known: dict[str, report.Result] = {}
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                known = report.kept(folder)
            except OSError as error:
                raise CommandError(f"{folder}: {error}") from None
        with one_line():
            organization, member = stage()
        results = []
        for number, dialogue in enumerate(dialogues, 1):
            key = _key(dialogue)
            if key not in known:
                with tenancy.organization(organization.pk), one_line():
                    result = report.result_of(key, dialogue, play(dialogue, organization, member))
                known[key] = result
                if folder is not None:
                    report.keep(folder, result)
                self.stderr.write(f"{number}/{len(dialogues)} {dialogue.id}: {len(result.faults)} not as gold has it")
            results.append(known[key])
        told = report.summary(results) if folder is None else report.write(folder, results)
        for line in report.lines(told):
            self.stdout.write(line)

    def _dialogues(self, options: Mapping[str, Any]) -> list[Dialogue]:
        definition = None
        if options["ticket_type"] is not None:
            try:
                definition = loads(options["ticket_type"].read_text("utf-8"))
            except (OSError, NotStrictJson) as error:
                raise CommandError(f"{options['ticket_type']}: {error}") from None
        try:
            found = [dialogue for path in options["files"] for dialogue in read(path, definition)]
        except BadGold as error:
            raise CommandError(str(error)) from None
        if options["language"]:
            found = [dialogue for dialogue in found if dialogue.language == options["language"]]
        if options["half"]:
            found = [dialogue for dialogue in found if half_of(dialogue) == options["half"]]
        found = found[: options["limit"]]
        if not found:
            raise CommandError("no dialogue is left to play")
        return found


def half_of(dialogue: Dialogue) -> str:
    """Which half a dialogue belongs to: by its id alone, the same on every machine and in every file."""
    return "ab"[hashlib.sha256(dialogue.id.encode()).digest()[0] % 2]


def _key(dialogue: Dialogue) -> str:
    """What a result depends on: the dialogue, the model that is asked and the prompt."""
    told = f"{dialogue.digest}\n{settings.OPENAI_BASE_URL}\n{settings.OPENAI_MODEL}\n{PROMPT_VERSION}"
    return hashlib.sha256(told.encode()).hexdigest()[:24]
