"""Mutation testing of the rules: every small fault in these modules must make a test of the domain fail.

    python -m benchmarks.mutation [--only precedence,cascade] [--workers N] [--write]

Works on a copy in a temporary folder. A mutant that survives is either a gap in the tests, or equivalent: no input tells
it from the original. The equivalent ones are named with their reason in `mutation-equivalents.toml`; any other survivor
makes this end non-zero. Figures go to `mutation.json`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_name("mutation.json")
EQUIVALENTS = Path(__file__).with_name("mutation-equivalents.toml")
MODULES = ("precedence", "evidence", "cascade", "commitments", "review", "decisions", "state", "judgement", "draft", "versions")
# Tests of other rooms of the domain, and those that play at random: what they find they find by chance.
LEFT_OUT = {
    "test_properties.py",
    "test_domain_docs.py",
    "test_context.py",
    "test_dates.py",
    "test_extraction.py",
    "test_narrative.py",
    "test_runs.py",
    "test_strict_json.py",
    "test_patch.py",
}
_LINE = re.compile(r"^\s*(?P<name>memoria\.[\w.ǁ]+__mutmut_\d+): (?P<outcome>[\w ]+)$")


def _prepare(folder: Path, modules: list[str]) -> None:
    shutil.copytree(ROOT / "memoria", folder / "memoria", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "tests/memoria", folder / "tests/memoria", ignore=shutil.ignore_patterns("__pycache__"))
    tests = sorted(path.name for path in (folder / "tests/memoria").glob("test_*.py") if path.name not in LEFT_OUT)
    listed = "\n    ".join
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n", "utf-8")
    (folder / "setup.cfg").write_text(
        "[mutmut]\n"
        "source_paths=memoria\n"
        f"only_mutate={listed(f'memoria/{module}.py' for module in modules)}\n"
        f"pytest_add_cli_args={listed(['-q', '-p', 'no:randomly', '-p', 'no:cacheprovider', '--import-mode=importlib'])}\n"
        f"pytest_add_cli_args_test_selection={listed(f'tests/memoria/{name}' for name in tests)}\n"
        "also_copy=pytest.ini\n"
        "track_dependencies=false\n"
        "use_git_change_detection=false\n",
        "utf-8",
    )


def _outcomes(folder: Path) -> dict[str, str]:
    command = [str(Path(sys.executable).with_name("mutmut")), "results", "--all", "true"]
    out = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
    return {match["name"]: match["outcome"] for line in out.splitlines() if (match := _LINE.match(line))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="these modules of memoria, separated by commas")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    parser.add_argument("--keep", type=Path, help="work in this folder and leave it, to look at the mutants")
    options = parser.parse_args()
    modules = options.only.split(",") if options.only else list(MODULES)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="lastro-mutation-"))
    folder.mkdir(exist_ok=True)
    started = time.monotonic()
    try:
        _prepare(folder, modules)
        run = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(options.workers)]
        with (folder / "run.log").open("wb") as log:
            subprocess.run(run, cwd=folder, check=False, stdout=log, stderr=subprocess.STDOUT)
        outcomes = _outcomes(folder)
        if not outcomes or "not checked" in outcomes.values():
            said = (folder / "run.log").read_text("utf-8", "replace").replace("\r", "\n").splitlines()
            raise SystemExit("the tests do not run on the copy:\n" + "\n".join(said[-30:]))
    finally:
        if options.keep is None:
            shutil.rmtree(folder)
    return _report(modules, outcomes, time.monotonic() - started, write=options.write)


def _report(modules: list[str], outcomes: dict[str, str], seconds: float, *, write: bool) -> int:
    equivalent = tomllib.loads(EQUIVALENTS.read_text("utf-8")) if EQUIVALENTS.exists() else {}
    figures: dict[str, dict[str, int]] = {}
    gaps: list[str] = []
    for module in modules:
        mine = {name: outcome for name, outcome in outcomes.items() if name.split(".")[1] == module}
        alive = [name for name, outcome in mine.items() if outcome not in ("killed", "timeout", "segfault")]
        known = [name for name in alive if name in equivalent]
        gaps += [f"{name}: {mine[name]}" for name in alive if name not in equivalent]
        figures[module] = {"mutants": len(mine), "killed": len(mine) - len(alive), "equivalent": len(known)}
    total = sum(row["mutants"] for row in figures.values())
    same = sum(row["equivalent"] for row in figures.values())
    summary = {
        "measured": datetime.now(UTC).date().isoformat(),
        "minutes": round(seconds / 60, 1),
        "modules": figures,
        "mutants": total,
        "equivalent_percent": round(100 * same / total, 2) if total else 0.0,
        "gaps": gaps,
    }
    text = json.dumps(summary, indent=2, ensure_ascii=False)
    print(text)
    if write:
        FIGURES.write_text(text + "\n", "utf-8")
    return 1 if gaps or not total else 0


if __name__ == "__main__":
    sys.exit(main())
