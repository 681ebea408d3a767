"""Which processes a stopped demonstration left: python -m tests.support.leftovers NAME=VALUE DATA_DIR.

A process belongs to it when it inherited the mark, or works in the data folder (the database servers get a
fresh environment).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def belongs(process: Path, mark: str, data_dir: Path) -> bool:
    try:
        if (process / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return False
        environment = (process / "environ").read_bytes().split(b"\0")
        return mark.encode() in environment or (process / "cwd").readlink().is_relative_to(data_dir)
    except OSError:
        return False  # it ended meanwhile, or is a thread of the kernel


def left_behind(mark: str, data_dir: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid() and belongs(process, mark, data_dir):
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            found.append(f"{process.name} {command[:150]}")
    return found


if __name__ == "__main__":
    for line in left_behind(sys.argv[1], Path(sys.argv[2])):
        sys.stdout.write(line + "\n")
