"""`docs/domain.md` says what the code does: its codes, its words, its rules, and every example in it is played."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memoria import cautions, commitments
from memoria.decisions import Edit
from memoria.errors import Code, DomainError, Reason
from memoria.evidence import Message, Messages, find_quote
from memoria.fields import InvalidTicketType, TicketType
from memoria.members import SHAPES
from memoria.patch import MISSING, Json
from memoria.proposals import Change, Citation
from memoria.runs import Problem
from memoria.sources import LISTABLE, Author, Kind
from memoria.state import Stale
from tests.memoria.bench import ANA, SARA, START, Bench, Held

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "domain.md").read_text("utf-8")
RULES = [
    *(f"E{n}" for n in range(1, 12)), *(f"P{n}" for n in range(1, 10)), *(f"C{n}" for n in range(1, 5)),
    *(f"K{n}" for n in range(1, 10)), *(f"M{n}" for n in range(1, 10)), "A1", *(f"V{n}" for n in range(1, 8)),
    *(f"H{n}" for n in range(1, 7)), *(f"N{n}" for n in range(1, 7)), "T1", "T2", "T3", "T4", "D1", "U1", "U2", "U3",
    *(f"G{n}" for n in range(1, 8)),
    "R1", "R2", "R3", "L1", "L2", "L3", "S1", "S2",
]  # fmt: skip
_JSON = json.JSONDecoder()


def _fences(info: str) -> list[str]:
    return re.findall(rf"^```{re.escape(info)}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def _table_under(heading: str) -> list[list[str]]:
    """The cells of the first table behind `heading`, its head left out; backticks around a cell are taken off."""
    rows = TEXT.split(heading, 1)[1].split("\n|", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip().removeprefix("`").removesuffix("`") for cell in row.strip("| ").split(" | ")] for row in rows]


# --- codes, rules, words --------------------------------------------------------------------------------------------


def test_the_table_of_codes_names_every_code_and_no_other() -> None:
    listed = [row[0] for row in _table_under("## All codes")]
    assert sorted(listed) == sorted(code.value for code in Code)


def test_no_code_is_named_that_there_is_not() -> None:
    known = {*(code.value for code in Code), *(problem.value for problem in Problem)}
    spoken = " ".join("".join(pair) for pair in re.findall(r"`([^`\n]+)`|→ (.*)", TEXT))
    named = set(re.findall(r"\b[a-z_]+\.[a-z_]+\b", spoken))
    areas = {code.value.partition(".")[0] for code in Code} | {"model"}
    assert {name for name in named if name.partition(".")[0] in areas and not name.endswith(".py")} <= known


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_its_heading_and_anchor(rule: str) -> None:
    assert f'<a id="{rule.lower()}"></a>\n\n### {rule} · ' in TEXT


def test_every_rule_of_the_domain_has_an_example() -> None:
    parts = re.split(r"^### ([A-Z][0-9]+) · .*$", TEXT, flags=re.MULTILINE)
    without = [rule for rule, body in zip(parts[1::2], parts[2::2], strict=True) if "```" not in body and "Example" not in body]
    assert without == []


def _rules_in_the_code() -> Iterator[str]:
    for path in sorted((ROOT / "memoria").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Reason", "DomainError") and len(node.args) > 1:
                rule = node.args[1]
                if isinstance(rule, ast.Constant) and isinstance(rule.value, str):
                    yield rule.value


def test_every_rule_that_a_reason_names_can_be_found() -> None:
    named = set(_rules_in_the_code())
    assert {"E1", "P7", "M7", "2", "4"} <= named
    assert {rule for rule in named if f'<a id="{rule.lower()}"></a>' not in TEXT} == set()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("negation", cautions.NEGATIONS),
        ("following-negation", cautions.FOLLOWING_NEGATIONS),
        ("opening-negation", cautions.OPENING_NEGATIONS),
        ("hedge", cautions.HEDGES),
    ],
)
def test_the_closed_lists_of_words_are_those_of_the_code(name: str, words: tuple[str, ...]) -> None:
    (listed,) = _fences(f"words {name}")
    assert tuple(re.split(r",\s+", listed.strip())) == words


def test_the_sources_are_those_of_the_code() -> None:
    assert {row[0] for row in _table_under("### Sources")} == {*LISTABLE, "inference"}


def test_the_collections_are_those_of_the_code() -> None:
    listed = {row[0]: (row[1], row[2], row[3], row[4]) for row in _table_under("### Collections")}
    assert listed == {
        name: (
            f"{shape.letter}-1",
            ", ".join(shape.required),
            ", ".join(shape.optional),
            ", ".join(shape.statuses) or "none",
        )
        for name, shape in SHAPES.items()
    }


def test_the_status_moves_are_those_of_the_code() -> None:
    listed = {(row[0], row[1]): set(row[2].split(", ")) - {"nothing"} for row in _table_under("### Status moves")}
    assert listed == {
        (collection, status): set(onward)
        for collection, moves in commitments.TRANSITIONS.items()
        for status, onward in moves.items()
    }


def test_every_link_within_the_document_leads_somewhere() -> None:
    anchors = set(re.findall(r'<a id="([^"]+)"></a>', TEXT))
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


# --- examples --------------------------------------------------------------------------------------------------------


def _ticket_type() -> TicketType:
    document = json.loads(_fences("json ticket-type")[0])
    document["fields"] |= json.loads(_fences("json group-fields")[0])
    named = re.findall(r'`"groups": (\{.*\})`', TEXT)
    return TicketType.from_document({**document, "groups": json.loads(named[0])}, version=1)


@pytest.mark.parametrize("row", _table_under("### Quotes, judged"), ids=lambda row: f"{row[0]}--{row[1]}")
def test_a_quote_in_the_table_is_judged_as_the_table_says(row: list[str]) -> None:
    text, quote, outcome = row
    message = Message(1, Author(Kind.CUSTOMER, "helena", "Helena"), _unescaped(text), START)
    found = find_quote(Citation("m-1", _unescaped(quote)), Messages([message]))
    if isinstance(found, Reason):
        got = found.code.value
    else:
        evidence = found.evidence
        got = ", ".join([f"{evidence.start}–{evidence.end}", *["ambiguous"] * evidence.ambiguous, *evidence.cautions])
    assert got == outcome


def _unescaped(text: str) -> str:
    return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text)


@pytest.mark.parametrize("block", _fences("json invalid-ticket-type"))
def test_a_ticket_type_that_is_shown_as_invalid_is(block: str) -> None:
    shown = json.loads(block)
    with pytest.raises(InvalidTicketType) as caught:
        TicketType.from_document({**json.loads(_fences("json ticket-type")[0]), "fields": shown["fields"]})
    assert [problem.code.value for problem in caught.value.problems] == [shown["code"]]
    assert list(caught.value.problems[0].path) == shown["path"]


class Play:
    """Reads the small language of the document's examples. Each block is a new ticket."""

    def __init__(self) -> None:
        self.bench = Bench(_ticket_type())
        self.held: list[Held] = []
        self.error: str | None = None

    def line(self, line: str) -> None:
        if line.startswith("→ "):
            return self.outcome(line[2:])
        assert self.error is None, f"unexpected {self.error}"
        try:
            self.do(line)
        except DomainError as error:
            self.error = error.code.value
        return None

    # --- what is done ------------------------------------------------------------------------------------------------

    def do(self, line: str) -> None:
        words: dict[str, Callable[[str], object]] = {
            "propose": self.propose,
            "accept": self.accept,
            "edit": self.edit,
            "reject": self.reject,
            "set": self.set,
            "withdraw": self.set,
            "confirm": self.confirm,
            "resolve": self.resolve,
            "undo": lambda rest: self.bench.undo(int(rest)),
        }
        if match := re.match(r"(\w+)(?: (\w+))?(?: \(sent (\d\d:\d\d)\))?: (.*)\Z", line):
            kind, name, sent, text = match.groups()
            hour = datetime.fromisoformat(f"{START.date()}T{sent}+00:00") if sent else None
            self.bench.say(kind, text, name, sent_at=hour)
        elif match := re.match(r"(m-\d+) now reads: (.*)\Z", line):
            self.bench.rewrite(match[1], match[2])
        elif match := re.match(r"(m-\d+) is deleted\Z", line):
            self.bench.delete(match[1])
        else:
            supervisor = line.startswith("supervisor ")
            self.bench.actor = SARA if supervisor else ANA
            word, _, rest = line.removeprefix("supervisor ").partition(" ")
            words[word](rest)

    def propose(self, rest: str) -> None:
        inference = rest.endswith(" as inference")
        op, path, rest = f"{rest.removesuffix(' as inference')} ".split(" ", 2)
        value, rest = self._value(rest)
        self.held.append(self.bench.propose(Change(op, path, value, self._evidence(rest)[0] or (), inference))[0])

    def accept(self, rest: str) -> None:
        expected, rest = self._expected(rest)
        override, rest = self._quoted(rest, "with override ")
        chosen = [self.held[int(number) - 1] for number in re.findall(r"\d+", rest)] or [self.held[-1]]
        self.bench.accept(*chosen, expected=expected, override=override)

    def edit(self, rest: str) -> None:
        value, rest = self._value(rest)
        self.bench.accept(self.held[-1], edit=Edit(value, self._evidence(rest)[0]))

    def reject(self, rest: str) -> None:
        self.bench.reject(self.held[int(rest) - 1 if rest else -1])

    def set(self, rest: str) -> None:
        path, _, rest = rest.partition(" ")
        expected, rest = self._expected(rest)
        value, rest = self._value(rest)
        reason, rest = self._quoted(rest, "because ")
        evidence, rest = self._evidence(rest)
        self.bench.put(path, value, expected=expected, evidence=evidence or (), reported=self._reported(rest), reason=reason)

    def confirm(self, rest: str) -> None:
        path, _, rest = rest.partition(" ")
        evidence, rest = self._evidence(rest)
        self.bench.confirm(path, evidence=evidence or (), reported=self._reported(rest))

    def resolve(self, rest: str) -> None:
        path, choice, *index = rest.split()
        self.bench.resolve(path, choice, challenger=int(index[0]) if index else None)

    # --- its parts ---------------------------------------------------------------------------------------------------

    def _value(self, rest: str) -> tuple[Json, str]:
        if not rest.strip() or rest.startswith(("from ", "reported ", "because ")):
            return MISSING, rest
        value, end = _JSON.raw_decode(rest)
        return value, rest[end:].lstrip()

    def _evidence(self, rest: str) -> tuple[tuple[Citation, ...] | None, str]:
        before, found, cited = rest.partition("from ")
        if not found:
            return None, rest
        items = re.findall(r'(m-\d+) "([^"]*)"', cited)
        assert items or cited.strip() == "nothing", cited
        return tuple(Citation(message, _unescaped(quote)) for message, quote in items), before

    def _quoted(self, rest: str, word: str) -> tuple[str | None, str]:
        match = re.search(word + r'"([^"]*)"', rest)
        return (match[1], rest.replace(match[0], "")) if match else (None, rest)

    def _expected(self, rest: str) -> tuple[int | None, str]:
        match = re.search(r"at version (\d+) ?", rest)
        return (int(match[1]), rest.replace(match[0], "")) if match else (None, rest)

    def _reported(self, rest: str) -> Kind | None:
        match = re.search(r"reported (\w+)", rest)
        return Kind(match[1]) if match else None

    # --- what comes of it ----------------------------------------------------------------------------------------------

    def outcome(self, line: str) -> None:
        if line.startswith("error: "):
            assert self.error == line.removeprefix("error: ")
            self.error = None
            return
        assert self.error is None, f"unexpected {self.error}"
        pointer, _, wanted = f"{line} ".partition(": ")
        wanted = wanted.strip()
        if pointer.startswith("/"):
            self._holds(pointer, wanted)
        else:
            self._judged(pointer, wanted)

    def _judged(self, what: str, wanted: str) -> None:
        number = re.match(r"change (\d+)\Z", what)
        judgement = self.held[-1].judgement
        got: Any
        match what:
            case "allowed" | "no_change" | "conflict" | "refused":
                got, wanted = (judgement.verdict.value, judgement.code.value), (what, wanted)  # type: ignore[assignment]
            case "in doubt":
                got = ", ".join(judgement.cascade) or "nothing"
            case "caution":
                got = ", ".join(
                    " ".join([item.kind, *item.members, *([f'"{item.words}"'] if item.words else [])])
                    for item in judgement.cautions
                )
            case "source":
                got = judgement.source
            case "same as":
                got = judgement.same_as
            case "version":
                got = str(self.bench.state.version)
            case _ if number:
                got = self.held[int(number[1]) - 1].status.value
            case _:
                raise AssertionError(f"no such outcome: {what}")
        assert got == wanted

    def _holds(self, pointer: str, wanted: str) -> None:
        if wanted.startswith("nothing"):
            value, rest = MISSING, wanted.removeprefix("nothing")
        else:
            value, rest = self._value(wanted)
        held = self.bench.value(pointer)
        if isinstance(value, dict):
            held = {key: held[key] for key in value}
        assert held == value
        for part in filter(None, rest.strip(", ").split(", ")):
            self._slot(pointer, part)

    def _slot(self, pointer: str, part: str) -> None:
        slot = self.bench.slot(pointer)
        word, _, rest = part.partition(" ")
        got: Any
        match word:
            case "source":
                got = slot.source
            case "author":
                got = slot.author.name
            case "edited":
                rest, got = rest.removeprefix("by "), slot.edited_by.name if slot.edited_by else None
            case "evidence":
                got = " ".join(item.message for item in slot.evidence)
            case "stale":
                rest = rest.removeprefix("because of ")
                stale = slot.stale_because or Stale()
                got = stale.cause or f"{stale.pointer} at {stale.version}"
            case "replaces":
                got = json.dumps(slot.replaces.value, ensure_ascii=False) if slot.replaces else None
            case "challenged":
                rest = rest.removeprefix("by ")
                got = " ".join(json.dumps(item.value, ensure_ascii=False) for item in slot.challengers)
            case "confirmed":
                rest, got = rest.removeprefix("by "), slot.confirmed.ground if slot.confirmed else None
            case _:
                rest, got = part, slot.status.value
        assert got == rest


def _examples() -> list[Any]:
    found = []
    heading = ""
    for match in re.finditer(r"^#{2,3} ([^\n]+)$|^```example\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        heading = match[1] or heading
        if match[2]:
            found.append(pytest.param(match[2], id=heading))
    return found


@pytest.mark.parametrize("block", _examples())
def test_an_example_comes_out_as_the_document_says(block: str) -> None:
    play = Play()
    for line in filter(None, map(str.strip, block.splitlines())):
        try:
            play.line(line)
        except (AssertionError, DomainError) as problem:
            raise AssertionError(f"{line}: {problem}") from problem
    assert play.error is None
