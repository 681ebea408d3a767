"""The composer of everyday talk: scenes of a few lines, told over a span of days. It always tells the same."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

_SLOT = re.compile(r"<(\w+)(?:\.(\w+))?>")
FIRST_HOUR: Final = 8
SCENES_A_DAY: Final = 4
MINUTES_A_SCENE: Final = 150


@dataclass(frozen=True, slots=True)
class Line:
    by: str
    at: str  # "-12 09:41"
    text: str


@cache
def _content() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("chatter.toml").read_text("utf-8"))


@dataclass
class Told:
    """What one conversation was told so far: each scene comes with other words when it comes again."""

    count: int = 0
    _drawn: dict[str, int] = field(default_factory=dict)

    def scenes(self, number: int, *, first_day: int, last_day: int) -> list[Line]:
        """So many scenes, spread over the days from `first_day` to `last_day` (counted from today, negative)."""
        days = last_day - first_day + 1
        if not 0 < number <= days * SCENES_A_DAY:
            raise ValueError(f"{number} scenes do not fit into {days} days")
        lines: list[Line] = []
        for index in range(number):
            day = first_day + index * days // number
            first_of_day = next(other for other in range(number) if first_day + other * days // number == day)
            start = FIRST_HOUR * 60 + 7 + (index - first_of_day) * MINUTES_A_SCENE + self.count * 17 % 48
            lines.extend(self._scene(day, start))
        return lines

    def _scene(self, day: int, start: int) -> list[Line]:
        scenes: Sequence[Mapping[str, Any]] = _content()["scene"]
        round_, turn = divmod(self.count, len(scenes))
        self.count += 1
        # A later round tells the scenes in another order and other words: a question and its answer stand in one column.
        number = (turn * (1, 4, 7)[round_ % 3] + round_) % len(scenes)
        scene = scenes[number]
        drawn = {name: self._draw(name) for name in _content()["pools"]}
        lines: list[Line] = []
        minute = start
        for position, (by, *wordings) in enumerate(scene["lines"]):
            told = _SLOT.sub(lambda match: _word(drawn[match[1]], match[2]), wordings[round_ % len(wordings)])
            if by == "agent":
                told = told[0].upper() + told[1:]
            lines.append(Line(by, f"{day} {minute // 60:02}:{minute % 60:02}", told))
            minute += 1 + (self.count * 5 + position * 3) % 6
        return lines

    def _draw(self, pool: str) -> Any:
        words: Sequence[Any] = _content()["pools"][pool]
        at = self._drawn.get(pool, len(pool))
        self._drawn[pool] = at + 1
        return words[at % len(words)]


def _word(drawn: Any, form: str | None) -> str:
    return str(drawn if form is None else drawn[form])
