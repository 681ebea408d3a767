"""Which of two voices holds at one pointer (section 4): the order of sources, age, and the tie rule."""

from __future__ import annotations

from dataclasses import dataclass

from memoria.errors import Code, Reason
from memoria.proposals import Verdict
from memoria.sources import INFERENCE, REPORTED, Age, Author, Kind
from memoria.state import Slot, SlotStatus


@dataclass(frozen=True, slots=True)
class Claim:
    """The voice of a change: whose words, how old, and what weight they have."""

    source: str
    author: Author
    age: Age

    @property
    def inferred(self) -> bool:
        return self.source == INFERENCE


def rank(sources: tuple[str, ...], source: str) -> int:
    """The place of a source in a field's order, 0 the strongest.

    What the order does not name (a performer, whoever revokes) comes after all that it names; an inference last (P1).
    """
    if source == INFERENCE:
        return len(sources) + 1
    return sources.index(source) if source in sources else len(sources)


def stronger(sources: tuple[str, ...], one: str, other: str) -> bool:
    return rank(sources, one) < rank(sources, other)


def statement_source(sources: tuple[str, ...], reported: Kind | None) -> str:
    """The source of what staff say themselves (E9): what they relay has its own name where the order lists it."""
    relayed = (source for source in sources if reported is not None and source == REPORTED.get(reported))
    return next(relayed, Kind.AGENT.value)


def too_old(slot: Slot | None, claim: Claim, sources: tuple[str, ...]) -> bool:
    """P7: the claim's words are older than the slot's, and its source is not stronger."""
    return slot is not None and claim.age < slot.age and not stronger(sources, claim.source, slot.source)


def reaffirms(slot: Slot, claim: Claim, sources: tuple[str, ...]) -> bool:
    """P3's first case: the same value from a voice stronger than the slot's, or as strong and not older; no inference."""
    if claim.inferred:
        return False
    mine, its = rank(sources, claim.source), rank(sources, slot.source)
    return mine < its or (mine == its and claim.age >= slot.age)


def weigh(slot: Slot | None, claim: Claim, sources: tuple[str, ...], tie: str, *, undefended: bool) -> tuple[Verdict, Reason]:
    """The verdict on a change of value, once P1, P3 and the transitions have spoken.

    1. P7: older than the slot and not stronger: refused.
    2. P2: no slot, or one that is open or awaits confirmation (`undefended`: M9, its member does): allowed.
    3. P4: stronger: allowed.
    4. P6: weaker: conflict.
    5. P5: as strong: on a slot in conflict it joins the challengers; the same author may correct themself; else the
       tie rule decides.
    """
    if slot is None:
        return Verdict.ALLOWED, Reason(Code.FIRST_VALUE, "P2", {"source": claim.source})
    if too_old(slot, claim, sources):
        return Verdict.REFUSED, Reason(Code.OLDER_THAN_CURRENT, "P7", {"than": primary_message(slot)})
    data = {"source": claim.source, "against": slot.source, "replaced": primary_message(slot)}
    if slot.status is SlotStatus.OPEN:
        return Verdict.ALLOWED, Reason(Code.WAS_OPEN, "P2", data)
    if slot.status is SlotStatus.NEEDS_CONFIRMATION or undefended:
        return Verdict.ALLOWED, Reason(Code.AWAITED_CONFIRMATION, "P2", data)
    mine, its = rank(sources, claim.source), rank(sources, slot.source)
    if mine < its:
        return Verdict.ALLOWED, Reason(Code.STRONGER_SOURCE, "P4", data)
    if mine > its:
        return Verdict.CONFLICT, Reason(Code.SOURCE_WEAKER, "P6", data)
    if slot.status is SlotStatus.CONFLICT:
        return Verdict.CONFLICT, Reason(Code.SOURCE_TIE, "P5", data)
    if claim.author.same_as(slot.author):
        return Verdict.ALLOWED, Reason(Code.SAME_AUTHOR, "P5", data)
    if tie == "latest":
        return Verdict.ALLOWED, Reason(Code.LATEST_OF_EQUALS, "P5", data)
    return Verdict.CONFLICT, Reason(Code.SOURCE_TIE, "P5", data)


def primary_message(slot: Slot) -> str | None:
    """The message that the slot's value rests on first; None where it is a statement without one."""
    return slot.evidence[0].message if slot.evidence else None
