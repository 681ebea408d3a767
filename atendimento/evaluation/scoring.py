"""From what was proposed and what held after each customer's message to the figures of dialogue state tracking.

- *joint goal accuracy*: of the customer's messages with a whole gold state, the share after which every scored slot has
  the gold value and no other scored slot has one;
- *slot precision, recall, F1*: over the values that stand in the state after each of those messages, against gold;
- *mentions*: the slots that a customer's message gave or changed, and how many of them got a proposal in that reading;
- *proposals wrong*: those on scored slots whose value is not the one that holds by gold after the message;
- *expectations*: of scenarios, each value or absence that is named;
- *evidence*: the share of all proposed changes whose quotes stand in their messages;
- *resurrected*: values that came back though gold had replaced them.

Two values are the same when they are equal without regard to case and punctuation (an order's opening words such as "eu
quero" left out), or when gold lists the other spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from atendimento.evaluation.gold import Dialogue, Expected
from memoria.patch import MISSING, Missing, lookup
from memoria.sources import Kind

Json = Any

_OPENINGS: Final = re.compile(r"^(?:(?:eu )?(?:quero|queria|gostaria de)|uma pizza(?: de)?)\s+")


@dataclass(frozen=True, slots=True)
class Proposed:
    """One proposed change, as it was judged when it came."""

    op: str
    path: str
    value: Json
    verdict: str
    codes: tuple[str, ...]  # of its reasons

    @property
    def evidence_stands(self) -> bool:
        return not any(code.startswith("evidence.") and code != "evidence.older_than_current" for code in self.codes)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a reading brought, and the values that held after what it allowed was accepted."""

    after: str  # id of the last message that it read
    values: Json
    proposed: tuple[Proposed, ...]
    calls: int
    problem: str = ""  # why the run was parked


@dataclass(slots=True)
class Figures:
    """Counts; what is told of them is worked out of the counts, so that they can be added up."""

    dialogues: int = 0
    turns: int = 0  # with a whole gold state
    joint: int = 0
    right: int = 0  # (message, slot) with the gold value
    wrong: int = 0  # with another value, or where gold has none
    missed: int = 0  # gold values that are not there
    mentions: int = 0
    mentions_proposed: int = 0
    scored_proposals: int = 0
    scored_wrong: int = 0
    expectations: int = 0
    expectations_met: int = 0
    proposals: int = 0
    refused: int = 0
    evidence_stands: int = 0
    resurrected: int = 0
    calls: int = 0
    parked: int = 0

    def add(self, other: Figures) -> None:
        for row in fields(self):
            setattr(self, row.name, getattr(self, row.name) + getattr(other, row.name))

    def counts(self) -> dict[str, int]:
        return {row.name: getattr(self, row.name) for row in fields(self)}

    def rates(self) -> dict[str, float | None]:
        """What the field calls them; None where there was nothing to count."""
        precision, recall = _share(self.right, self.right + self.wrong), _share(self.right, self.right + self.missed)
        f1 = None if precision is None or recall is None else _share(2 * precision * recall, precision + recall)
        return {
            "joint_goal_accuracy": _share(self.joint, self.turns),
            "slot_precision": precision,
            "slot_recall": recall,
            "slot_f1": f1,
            "mentions_proposed": _share(self.mentions_proposed, self.mentions),
            "proposals_wrong": _share(self.scored_wrong, self.scored_proposals),
            "expectations_met": _share(self.expectations_met, self.expectations),
            "evidence_valid": _share(self.evidence_stands, self.proposals),
        }

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> Figures:
        return cls(**{row.name: int(counts.get(row.name, 0)) for row in fields(cls)})


def _share(part: float, whole: float) -> float | None:
    return round(part / whole, 4) if whole else None


@dataclass(slots=True)
class _Past:
    """What gold had before, by pointer."""

    now: Expected = field(default_factory=lambda: Expected({}))
    gone: dict[str, list[Json]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """A scored slot, or an expectation, that was not as gold has it. None: no value."""

    after: str
    pointer: str
    wanted: Json
    have: Json


def score(dialogue: Dialogue, turns: Sequence[Turn]) -> tuple[Figures, list[Fault]]:
    """The figures of one dialogue, and what was not as gold has it."""
    figures, past = Figures(dialogues=1), _Past()
    faults: list[Fault] = []
    read = {turn.after: turn for turn in turns}
    pending: list[Proposed] = []
    for said in dialogue.said:
        expected = dialogue.gold.get(said.id)
        turn = read.get(said.id)
        if turn is not None:
            pending = list(turn.proposed)
            _count(figures, turn)
        if expected is not None and not expected.whole:
            faults += _expectations(figures, said.id, expected, turn.values if turn else {})
        elif turn is not None and said.kind is Kind.CUSTOMER and dialogue.scored:
            before, past.now = past.now, expected or past.now
            _remember(past, before)
            faults += _state(figures, said.id, dialogue.scored, past, turn.values)
            _mentions(figures, dialogue.scored, before, past.now, pending)
    return figures, faults


def _count(figures: Figures, turn: Turn) -> None:
    figures.calls += turn.calls
    figures.parked += bool(turn.problem)
    figures.proposals += len(turn.proposed)
    figures.refused += sum(item.verdict == "refused" for item in turn.proposed)
    figures.evidence_stands += sum(item.evidence_stands for item in turn.proposed)


def _remember(past: _Past, before: Expected) -> None:
    for pointer, value in before.values.items():
        if pointer not in past.now.values or not _same(value, pointer, past.now):
            past.gone.setdefault(pointer, []).append(value)


def _state(figures: Figures, after: str, scored: Iterable[str], past: _Past, values: Json) -> list[Fault]:
    faults = []
    for pointer in sorted(scored):
        have, wanted = lookup(values, pointer), pointer in past.now.values
        held = not isinstance(have, Missing)
        right = held and wanted and _same(have, pointer, past.now)
        figures.right += right
        figures.wrong += held and not right
        figures.missed += wanted and not right
        if (held or wanted) and not right:
            faults.append(Fault(after, pointer, past.now.values.get(pointer), have if held else None))
        figures.resurrected += held and not right and any(spelled(have) == spelled(old) for old in past.gone.get(pointer, ()))
    figures.turns += 1
    figures.joint += not faults
    return faults


def _mentions(figures: Figures, scored: Iterable[str], before: Expected, now: Expected, proposed: Sequence[Proposed]) -> None:
    for pointer in scored:
        on_it = [item for item in proposed if item.path == pointer and item.verdict != "refused"]
        had, has = before.values.get(pointer, MISSING), now.values.get(pointer, MISSING)
        changed = not (isinstance(had, Missing) and isinstance(has, Missing)) and spelled(had) != spelled(has)
        figures.mentions += changed
        figures.mentions_proposed += changed and bool(on_it)
        for item in on_it:
            figures.scored_proposals += 1
            removed = item.op == "remove"
            figures.scored_wrong += (removed and pointer in now.values) or (
                not removed and not (pointer in now.values and _same(item.value, pointer, now))
            )


def _expectations(figures: Figures, after: str, expected: Expected, values: Json) -> list[Fault]:
    faults = []
    for pointer in [*expected.values, *sorted(expected.absent)]:
        have, wanted = lookup(values, pointer), expected.values.get(pointer)
        held = not isinstance(have, Missing)
        met = held and _covers(have, wanted) if pointer in expected.values else not held
        figures.expectations += 1
        figures.expectations_met += met
        if not met:
            faults.append(Fault(after, pointer, wanted, have if held else None))
    return faults


def _covers(have: Json, wanted: Json) -> bool:
    """An object is as expected where every key that is named is."""
    if isinstance(wanted, Mapping):
        return isinstance(have, Mapping) and all(key in have and _covers(have[key], part) for key, part in wanted.items())
    return bool(spelled(have) == spelled(wanted))


def _same(value: Json, pointer: str, expected: Expected) -> bool:
    return spelled(value) in map(spelled, (expected.values[pointer], *expected.accept.get(pointer, ())))


def spelled(value: Json) -> Json:
    """The value as it is compared."""
    if isinstance(value, str):
        plain = re.sub(r"[\W_]+", " ", value.casefold()).strip()
        return _OPENINGS.sub("", plain)
    if isinstance(value, bool):
        return str(value).casefold()
    return value
