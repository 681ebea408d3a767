"""Pin every package with its hashes, from pyproject.toml: python -m requirements.pin [--upgrade].

base.txt is what the product runs on. dev.txt holds the same pins and the tools. No address of an
index stands in them: the machine's own settings say where packages come from.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = HERE.parent / "pyproject.toml"


def compile_pins(output: Path, *options: str) -> None:
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", str(PROJECT)),
        *("--universal", "--python-version", "3.11", "--generate-hashes"),
        *("--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate"),
        *("--output-file", str(output)),
        *options,
    ]
    subprocess.run(command, check=True)


def main(options: list[str]) -> None:
    base, development = HERE / "base.txt", HERE / "dev.txt"
    compile_pins(base, *options)
    compile_pins(development, "--extra", "dev", "--constraint", str(base), *options)


if __name__ == "__main__":
    main(sys.argv[1:])
