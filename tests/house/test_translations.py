"""The interface's words are compiled where they are missing or old, without gettext's programs."""

from __future__ import annotations

import gettext
import os
from pathlib import Path

from django.utils import translation
from django.utils.translation import ngettext

from atendimento.translations import compile_stale


def test_none_is_plural_in_portuguese() -> None:
    with translation.override("pt-br"):
        said = [ngettext("%(count)d message", "%(count)d messages", count) % {"count": count} for count in (0, 1, 2)]
    assert said == ["0 mensagens", "1 mensagem", "2 mensagens"]


SOURCE = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\nmsgid "Accept"\nmsgstr "%s"\n'


def written(folder: Path, word: str) -> Path:
    source = folder / "pt_BR" / "LC_MESSAGES" / "django.po"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(SOURCE % word, encoding="utf-8")
    return source


def test_a_missing_catalogue_is_compiled_once(tmp_path: Path) -> None:
    source = written(tmp_path, "Aceitar")

    assert compile_stale(tmp_path) == [source.with_suffix(".mo")]
    assert compile_stale(tmp_path) == []
    with source.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("Accept") == "Aceitar"


def test_an_old_catalogue_is_compiled_again(tmp_path: Path) -> None:
    source = written(tmp_path, "Aceitar")
    (target,) = compile_stale(tmp_path)
    os.utime(target, (1, 1))
    written(tmp_path, "Aprovar")

    compile_stale(tmp_path)

    with source.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("Accept") == "Aprovar"
