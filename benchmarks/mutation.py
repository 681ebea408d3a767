"""Mutation testing of the rules: every small fault in these modules must make a test of the domain fail.

    python -m benchmarks.mutation [--only precedence,cascade] [--names PATTERN] [--workers N] [--write]

Works on a copy in a temporary folder: mutmut plants the faults, `mutation_trial.py` tries each. A mutant that survives is
either a gap in the tests, or equivalent: no input tells it from the original. The equivalent ones stand with their reason
in `mutation-equivalents.toml`; any other survivor is shown and makes this end non-zero. Figures go to `mutation.json`,
module by module, each with the commit that it was measured at.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FIGURES = Path(__file__).with_name("mutation.json")
EQUIVALENTS = Path(__file__).with_name("mutation-equivalents.toml")
TRIAL = Path(__file__).with_name("mutation_trial.py")
MODULES = (
    "precedence", "evidence", "cascade", "commitments", "review", "decisions", "state", "judgement", "draft", "versions",
    "misfits", "publishing", "expiry", "durations", "retention", "erasure", "reading", "reservations", "fates", "redaction",
    "past_messages", "simulation", "secrecy", "personal",
)  # fmt: skip
# Tests of other rooms of the domain, and those that play at random: what they find they find by chance.
LEFT_OUT = {
    "test_properties.py",
    "test_domain_docs.py",
    "test_context.py",
    "test_dates.py",
    "test_extraction.py",
    "test_instructions.py",
    "test_long_texts.py",  # what is slow, not what is wrong
    "test_masking.py",
    "test_narrative.py",
    "test_patch.py",
    "test_personal.py",
    "test_runs.py",
    "test_scenarios.py",  # its folder is not in every checkout
    "test_strict_json.py",
}
# Of those, the tests of these modules' own room.
OWN_TESTS = {"personal": {"test_personal.py"}, "secrecy": {"test_masking.py"}}
DESELECTED = (
    # Reads a folder that is not in every checkout.
    "tests/memoria/test_ticket_type.py::test_the_example_and_the_acceptance_types_are_read",
    # About size: too slow for every mutant.
    "tests/memoria/test_ticket_type.py::test_a_chain_of_more_than_a_thousand_fields_is_read",
    "tests/memoria/test_cascade.py::test_a_diamond_is_no_circle_and_a_long_chain_is_no_burden",
)
# The same examples in every run, or a mutant would live or die by chance.
CONFTEST = """
from hypothesis import Phase, settings
settings.register_profile(
    "the same", deadline=None, derandomize=True, database=None, max_examples=20, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("the same")
"""
# Plants the faults: run in the copy, since mutmut looks for its settings where it is.
_PLANT = """
import json, sys
from pathlib import Path
from mutmut.mutation.file_mutation import mutate_file_contents
names = []
for module in sys.argv[1:]:
    path = Path("memoria", module + ".py")
    mutated = mutate_file_contents(str(path), path.read_text("utf-8"))
    path.write_text(mutated.code, "utf-8")
    names += [f"memoria.{module}.{name}" for name in mutated.mutant_names]
Path("mutants.json").write_text(json.dumps(names), "utf-8")
"""

Edit = tuple[str, str]
"""What a mutant changes: the lines that were, and those that are."""


def _plant(folder: Path, modules: list[str], names: str) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "memoria", folder / "memoria", ignore=ignored)
    shutil.copytree(ROOT / "tests/memoria", folder / "tests/memoria", ignore=ignored)
    (folder / "tests/memoria/conftest.py").write_text(CONFTEST, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\n", "utf-8")
    (folder / "setup.cfg").write_text("[mutmut]\nsource_paths=memoria\n", "utf-8")
    subprocess.run([sys.executable, "-c", _PLANT, *modules], cwd=folder, check=True, env=_environment())
    planted = json.loads((folder / "mutants.json").read_text("utf-8"))
    wanted = [name for name in planted if re.search(names, name)]
    (folder / "mutants.json").write_text(json.dumps(wanted), "utf-8")


def _environment() -> dict[str, str]:
    """The copy is read, never this tree; and pytest goes without the plugins that the domain's tests do not need."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return {**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _try(folder: Path, modules: list[str], workers: int, patience: float) -> dict[str, str]:
    """The fate of each mutant, by name."""
    left_out = LEFT_OUT - {name for module in modules for name in OWN_TESTS.get(module, ())}
    tests = [path for path in sorted((folder / "tests/memoria").glob("test_*.py")) if path.name not in left_out]
    # What needs more than the domain and its own bench is about another room, and its help is not in the copy.
    chosen = [str(path.relative_to(folder)) for path in tests if "tests.support" not in path.read_text("utf-8")]
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", "--assert=plain", "--tb=line", "--capture=no"]
    options += [f"--deselect={test}" for test in DESELECTED]
    with (folder / "run.log").open("wb") as log:
        command = [sys.executable, str(TRIAL), str(folder), str(workers), str(patience), *options, *chosen]
        done = subprocess.run(command, cwd=folder, check=False, stdout=log, stderr=log, env=_environment())
    if done.returncode or not (folder / "outcomes.json").exists():
        said = (folder / "run.log").read_text("utf-8", "replace").splitlines()
        raise SystemExit("the mutants could not be tried:\n" + "\n".join(said[-30:]))
    outcomes: dict[str, str] = json.loads((folder / "outcomes.json").read_text("utf-8"))
    return outcomes


def edits(code: str) -> dict[str, Edit]:
    """What each mutant in a mutated module changes, by the mutant's name within the module."""
    lines = code.splitlines()
    bodies: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name:
            bodies[node.name] = [line.strip() for line in lines[node.lineno - 1 : node.end_lineno]][1:]
    found: dict[str, Edit] = {}
    for name, body in bodies.items():
        stem = name.rpartition("__mutmut_")[0]
        changes = list(difflib.ndiff(bodies[stem + "__mutmut_orig"], body))
        was = "\n".join(line[2:] for line in changes if line.startswith("- "))
        found[name] = was, "\n".join(line[2:] for line in changes if line.startswith("+ "))
    return found


def _known() -> dict[tuple[str, str, str], str]:
    """The reason why a mutant is equivalent, by `module.function` and what it changes."""
    rows: list[dict[str, str]] = tomllib.loads(EQUIVALENTS.read_text("utf-8")).get("equivalent", [])
    return {(row["function"], row["was"].strip(), row["is"].strip()): row["reason"] for row in rows}


def function_of(name: str) -> str:
    """`memoria.draft.xǁDraftǁwrite__mutmut_3` -> `draft.Draft.write`; `memoria.draft.x_merged__mutmut_1` -> `draft.merged`."""
    _, module, mangled = name.rpartition("__mutmut_")[0].split(".")
    return f"{module}.{mangled.removeprefix('x').removeprefix('ǁ').replace('ǁ', '.') if 'ǁ' in mangled else mangled[2:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="these modules of memoria, separated by commas")
    parser.add_argument("--names", default="", help="these mutants alone: a pattern for their names")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--patience", type=float, default=60, help="seconds of a processor for each mutant")
    parser.add_argument("--write", action="store_true", help=f"keep the figures in {FIGURES.name}")
    parser.add_argument("--keep", type=Path, help="work in this new folder and leave it, to look at the mutants")
    options = parser.parse_args()
    if options.write and options.names:
        parser.error("figures are of whole modules")
    modules = options.only.split(",") if options.only else list(MODULES)
    folder = options.keep or Path(tempfile.mkdtemp(prefix="lastro-mutation-"))
    folder.mkdir(exist_ok=True)
    started = time.monotonic()
    try:
        _plant(folder, modules, options.names)
        outcomes = _try(folder, modules, options.workers, options.patience)
        changes = {
            f"memoria.{module}.{name}": edit
            for module in modules
            for name, edit in edits((folder / "memoria" / f"{module}.py").read_text("utf-8")).items()
        }
    finally:
        if options.keep is None:
            shutil.rmtree(folder)
    return _report(modules, outcomes, changes, time.monotonic() - started, write=options.write)


def _report(modules: list[str], outcomes: dict[str, str], changes: dict[str, Edit], seconds: float, *, write: bool) -> int:
    known = _known()
    alive = [name for name, outcome in outcomes.items() if not outcome.startswith(("killed", "timeout"))]
    same = {name for name in alive if (function_of(name), *changes[name]) in known}
    gaps = [name for name in alive if name not in same]
    for name in gaps:
        was, now = changes[name]
        print(f"{name}: {outcomes[name]}\n  - " + was.replace("\n", "\n  - ") + "\n  + " + now.replace("\n", "\n  + "))
    rows: dict[str, Any] = {}
    for module in modules:
        mine = [name for name in outcomes if name.split(".")[1] == module]
        dead = [name for name in mine if name not in alive]
        rows[module] = {
            "mutants": len(mine),
            "killed": len(dead),
            "of these by time": sum(outcomes[name] == "timeout" for name in dead),
            "equivalent": sum(name in same for name in mine),
            "gaps": sum(name in gaps for name in mine),
            "commit": _commit(module),
        }
    print(f"{len(outcomes)} mutants in {seconds / 60:.1f} minutes")
    summary = _merged(rows) if write else _summary(rows)
    text = json.dumps(summary, indent=2, ensure_ascii=False)
    print(text)
    if write:
        FIGURES.write_text(text + "\n", "utf-8")
    return 1 if gaps or not outcomes else 0


def _commit(module: str) -> str:
    """The commit that the module was tried as, with a mark where it was changed since."""
    git, path = ["git", "-C", str(ROOT)], f"memoria/{module}.py"
    last = subprocess.run([*git, "log", "-1", "--format=%h", "--", path], capture_output=True, text=True, check=False)
    changed = subprocess.run([*git, "status", "--porcelain", "--", path], capture_output=True, text=True, check=False)
    return last.stdout.strip() + ("+" if changed.stdout.strip() else "")


def _summary(rows: dict[str, Any]) -> dict[str, Any]:
    total = sum(row["mutants"] for row in rows.values())
    same = sum(row["equivalent"] for row in rows.values())
    return {
        "measured": datetime.now(UTC).date().isoformat(),
        "mutants": total,
        "killed": sum(row["killed"] for row in rows.values()),
        "equivalent": same,
        "equivalent_percent": round(100 * same / total, 2) if total else 0.0,
        "gaps": sum(row["gaps"] for row in rows.values()),
        "modules": rows,
    }


def _merged(rows: dict[str, Any]) -> dict[str, Any]:
    """The figures of these modules among those that were kept of the others."""
    kept = json.loads(FIGURES.read_text("utf-8"))["modules"] if FIGURES.exists() else {}
    return _summary({module: {**kept, **rows}[module] for module in MODULES if module in {**kept, **rows}})


if __name__ == "__main__":
    sys.exit(main())
