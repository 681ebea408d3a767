"""What an evaluation leaves in its folder: a line a dialogue as it ends, then the figures as JSON and as a page.

`results.jsonl` makes a run resumable: a dialogue that stands there, played with the same words, gold, model and prompt, is
not played again. `report.json` and `report.html` are made anew of all lines that belong to the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from atendimento.evaluation.gold import Dialogue
from atendimento.evaluation.play import Played
from atendimento.evaluation.scoring import Figures, score

Json = Any

RESULTS: Final = "results.jsonl"
_NAMES: Final[Mapping[str, str]] = {
    "joint_goal_accuracy": "Joint goal accuracy",
    "slot_precision": "Slot precision",
    "slot_recall": "Slot recall",
    "slot_f1": "Slot F1",
    "mentions_proposed": "Mentions that got a proposal",
    "proposals_wrong": "Proposals that were wrong",
    "expectations_met": "Expectations met",
    "evidence_valid": "Quotes that stand",
}
_STYLE: Final = """body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
color:#1c1f23;background:#fff}
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .7rem;border-bottom:1px solid #d8dce1;text-align:left;
vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-size:.9em}
@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#16181b}th,td{border-color:#3a3f45}}"""


@dataclass(frozen=True, slots=True)
class Result:
    """One dialogue's line."""

    key: str  # of the dialogue, the model and the prompt
    id: str
    file: str
    figures: Figures
    faults: tuple[Mapping[str, Json], ...]
    problems: tuple[str, ...]
    usage: Mapping[str, int]
    seconds: float
    model: str
    prompt_version: str

    def to_json(self) -> dict[str, Json]:
        return {**asdict(self), "figures": self.figures.counts(), "faults": list(self.faults), "problems": list(self.problems)}

    @classmethod
    def from_json(cls, row: Mapping[str, Json]) -> Result:
        return cls(
            row["key"],
            row["id"],
            row["file"],
            Figures.of(row["figures"]),
            tuple(row["faults"]),
            tuple(row["problems"]),
            row["usage"],
            row["seconds"],
            row["model"],
            row["prompt_version"],
        )


def result_of(key: str, dialogue: Dialogue, played: Played) -> Result:
    figures, faults = score(dialogue, played.turns)
    problems = tuple(f"{turn.after}: {turn.problem}" for turn in played.turns if turn.problem)
    return Result(
        key,
        dialogue.id,
        dialogue.file,
        figures,
        tuple(asdict(fault) for fault in faults),
        problems,
        played.usage,
        played.seconds,
        played.model,
        played.prompt_version,
    )


def kept(folder: Path) -> dict[str, Result]:
    """The lines of an earlier run, by key. A last line that a crash cut short is passed over."""
    path = folder / RESULTS
    found: dict[str, Result] = {}
    for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
        try:
            row = Result.from_json(json.loads(line))
        except (ValueError, KeyError, TypeError):
            continue
        found[row.key] = row
    return found


def keep(folder: Path, result: Result) -> None:
    path = folder / RESULTS
    cut = path.is_file() and not path.read_bytes().endswith(b"\n") and path.stat().st_size > 0
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if cut else "") + json.dumps(result.to_json(), ensure_ascii=False) + "\n")


def summary(results: Sequence[Result]) -> dict[str, Json]:
    """All figures, of the whole and of each file."""
    files = sorted({result.file for result in results})
    return {
        "models": sorted({result.model for result in results if result.model}),
        "prompt_versions": sorted({result.prompt_version for result in results if result.prompt_version}),
        "total": _told(results),
        "files": {name: _told([result for result in results if result.file == name]) for name in files},
        "dialogues": [result.to_json() for result in results],
    }


def _told(results: Iterable[Result]) -> dict[str, Json]:
    figures, usage, seconds = Figures(), dict.fromkeys(("prompt_tokens", "completion_tokens", "cached_tokens"), 0), 0.0
    for result in results:
        figures.add(result.figures)
        seconds += result.seconds
        for key in usage:
            usage[key] += int(result.usage.get(key, 0))
    return {**figures.rates(), "counts": figures.counts(), "usage": usage, "seconds": round(seconds, 1)}


def write(folder: Path, results: Sequence[Result]) -> dict[str, Json]:
    told = summary(results)
    (folder / "report.json").write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", "utf-8")
    (folder / "report.html").write_text(page(told), "utf-8")
    return told


def lines(told: Mapping[str, Json]) -> list[str]:
    """The whole's figures for a terminal."""
    shown = [f"{_NAMES[key]:<30} {_percent(told['total'][key])}" for key in _NAMES if told["total"][key] is not None]
    counts = told["total"]["counts"]
    return [*shown, f"{'Resurrected values':<30} {counts['resurrected']}", f"{'Calls':<30} {counts['calls']}"]


def page(told: Mapping[str, Json]) -> str:
    """One page that needs nothing else."""
    model = escape(", ".join(told["models"]) or "-")
    prompt = escape(", ".join(told["prompt_versions"]) or "-")
    heads = ["", "dialogues", *_NAMES.values(), "resurrected", "parked", "calls", "prompt tokens"]
    rows = [("all", told["total"]), *told["files"].items()]
    table = "".join(f"<tr><th>{escape(name)}</th>{_cells(row)}</tr>" for name, row in rows)
    faults = "".join(
        f"<tr><td><code>{escape(row['id'])}</code></td><td>{escape(fault['after'])}</td>"
        f"<td><code>{escape(fault['pointer'])}</code></td><td>{_value(fault['wanted'])}</td><td>{_value(fault['have'])}</td></tr>"
        for row in told["dialogues"]
        for fault in row["faults"]
    )
    problems = "".join(
        f"<li><code>{escape(row['id'])}</code> {escape(problem)}</li>"
        for row in told["dialogues"]
        for problem in row["problems"]
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Evaluation: {model}</title>'
        f"<style>{_STYLE}</style></head><body><h1>Evaluation</h1><p>Model: {model}. Prompt: {prompt}.</p>"
        f"<table><thead><tr>{''.join(f'<th>{escape(head)}</th>' for head in heads)}</tr></thead><tbody>{table}</tbody></table>"
        f"<h2>Not as gold has it</h2><table><thead><tr><th>dialogue</th><th>after</th><th>slot</th><th>gold</th><th>state</th>"
        f"</tr></thead><tbody>{faults}</tbody></table>"
        + (f"<h2>Readings that stopped</h2><ul>{problems}</ul>" if problems else "")
        + "</body></html>\n"
    )


def _cells(row: Mapping[str, Json]) -> str:
    counts = row["counts"]
    numbers = [str(counts["dialogues"]), *(_percent(row[key]) for key in _NAMES)]
    numbers += [str(counts["resurrected"]), str(counts["parked"]), str(counts["calls"]), f"{row['usage']['prompt_tokens']:,}"]
    return "".join(f'<td class="n">{number}</td>' for number in numbers)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _value(value: Json) -> str:
    return "-" if value is None else escape(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
