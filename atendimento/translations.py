"""Compile the interface's words: python -m atendimento.translations. Needs no gettext programs.

Compiled catalogues are no part of the repository, so that they cannot lag behind their sources.
"""

from __future__ import annotations

import os
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

LOCALE = Path(__file__).resolve().parent.parent / "locale"


def compile_stale(folder: Path = LOCALE) -> list[Path]:
    """Compile each catalogue that is missing or older than its source; the compiled ones are returned."""
    compiled = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
        # Moved into place whole: test workers compile at the same time and read each other's result.
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        with beside.open("wb") as file:
            write_mo(file, catalogue)
        beside.replace(target)
        compiled.append(target)
    return compiled


if __name__ == "__main__":
    compile_stale()
