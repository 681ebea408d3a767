"""A ticket's messages as they stood at a moment of the past: what had arrived, in the text that it then had."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate

from memoria.evidence import Message, message_number


@dataclass(frozen=True, slots=True)
class Kept:
    """A message with its past. `texts` are all that it had, each with the moment from which it had it, oldest first."""

    message: Message  # as its latest revision has it
    arrived_at: datetime
    texts: tuple[tuple[datetime, str], ...] = ()  # empty: it was never edited
    deleted_at: datetime | None = None

    def at(self, moment: datetime) -> Message | None:
        """The message as it stood at the moment; None where it had not arrived."""
        if self.arrived_at > moment:
            return None
        if not self.texts and self.deleted_at is None:
            return self.message
        deleted = self.deleted_at is not None and self.deleted_at <= moment
        text = self.message.text
        for since, had in self.texts:
            if since <= moment:
                text = had
        if not self.texts or text == self.message.text:
            return replace(self.message, text=text, deleted=deleted)
        # Which parts of an earlier text quoted somebody else is not kept: they are the latest text's.
        return replace(self.message, text=text, deleted=deleted, unquotable=())


class Archive:
    """What was said in one ticket, at every moment. `at` gives the transcript of then."""

    def __init__(self, kept: Iterable[Kept]) -> None:
        self._kept = {item.message.number: item for item in kept}
        self._numbers = sorted(self._kept)
        self._latest = list(accumulate((self._kept[number].arrived_at for number in self._numbers), max))
        self._by_author: dict[tuple[str, str], list[int]] = {}
        for number in self._numbers:
            self._by_author.setdefault(_identity(self._kept[number].message), []).append(number)

    def at(self, moment: datetime) -> PastTranscript:
        return PastTranscript(self, moment)

    def find(self, number: int, moment: datetime) -> Message | None:
        kept = self._kept.get(number)
        return None if kept is None else kept.at(moment)

    def following(self, message: Message, moment: datetime) -> Message | None:
        numbers = self._by_author.get(_identity(message), [])
        for number in numbers[bisect_right(numbers, message.number) :]:
            found = self._kept[number].at(moment)
            if found is not None and not found.deleted:
                return found
        return None

    def last_number(self, moment: datetime) -> int:
        """The number of the newest message that had arrived; 0 where none had."""
        arrived = bisect_right(self._latest, moment)
        return self._numbers[arrived - 1] if arrived else 0


def _identity(message: Message) -> tuple[str, str]:
    return message.author.kind.value, message.author.external_id or message.author.name


@dataclass(frozen=True, slots=True)
class PastTranscript:
    """`memoria.evidence.Transcript` as of a moment."""

    archive: Archive
    moment: datetime

    def find(self, reference: str) -> Message | None:
        number = message_number(reference)
        return None if number is None else self.archive.find(number, self.moment)

    def following(self, message: Message) -> Message | None:
        return self.archive.following(message, self.moment)

    @property
    def last_number(self) -> int:
        return self.archive.last_number(self.moment)
