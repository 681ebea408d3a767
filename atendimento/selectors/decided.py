"""The answer to a decision: what it changed of the cards to decide, and nothing that it left as it was.

It is made of what the decision itself read under its lock. Where more changed than that, there is no such answer, and the
whole pane is shown instead.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from django.utils import timezone

from atendimento import access
from atendimento.access import Permission
from atendimento.aftermath import Aftermath
from atendimento.models import Membership, Proposal, ProposedChange
from atendimento.selectors import cards, grouping, history, next_step, reading, together
from atendimento.selectors.cards import Sight, slot_key
from atendimento.selectors.memory import CARDS_SHOWN, reject_reasons
from atendimento.selectors.pane_parts import CascadeRow, ChangeCard, DecidedNote, SlotCard
from atendimento.selectors.parts import StepLine
from memoria.evidence import Transcript
from memoria.patch import related
from memoria.rows import group_of
from memoria.state import SlotStatus, State

WAITING = (SlotStatus.CONFLICT, SlotStatus.NEEDS_CONFIRMATION)


@dataclass(frozen=True, slots=True)
class Slots:
    """The cards of values that wait for a person."""

    conflicts: tuple[SlotCard, ...]
    confirms: tuple[SlotCard, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """What changes in the pane "decide" of a page that shows the version before."""

    ticket_id: str
    version: int
    pane: str
    to_decide: int
    keys: tuple[str, ...]  # of every card that is there now
    gone: tuple[str, ...]
    changes: tuple[ChangeCard, ...]  # the cards that read otherwise now
    slots: Slots | None  # None: they are as they were
    bulk_ids: tuple[str, ...]
    bulk_falls: tuple[CascadeRow, ...]
    reject_reasons: tuple[str, ...]
    step: StepLine
    decided: DecidedNote


def decided(member: Membership, left: Aftermath) -> Decided | None:
    """None where the pane has to be shown whole: nothing is left to decide, or more waits than it shows."""
    if len(left.pending) + len(left.decided) + len(left.superseded) > CARDS_SHOWN:
        return None
    waiting = _waiting(left.state)
    if (not left.pending and not waiting) or _groups_moved(left):
        return None
    touched = left.event.pointers
    changed = [row for row in left.pending if row.pk in left.judged or _concerns(row, touched)]
    proposed = {row.path for row in left.pending}
    # A value to confirm says whether another one is proposed: of those, some may just have gone.
    no_more = {row.path for row in (*left.decided, *left.superseded)} - proposed
    shows_slots = waiting != _waiting(left.before) or any(
        pointer in no_more or _slot_concerns(pointer, left, touched) for pointer in waiting
    )
    sight = _sight(member, left, changed, waiting if shows_slots else ())
    bulk = together.plain(left.pending, partial(_text_of, left.transcript))
    falls = together.falls(member, left.ticket, left.ticket_type, left.state, bulk, left.transcript)
    return Decided(
        ticket_id=str(left.ticket.pk),
        version=left.state.version,
        pane="decide",
        to_decide=len(left.pending) + len(waiting),
        keys=(*(f"ch-{row.pk}" for row in left.pending), *map(slot_key, waiting)),
        gone=tuple(f"ch-{row.pk}" for row in (*left.decided, *left.superseded)),
        changes=tuple(cards.change_card(row, sight) for row in changed),
        slots=Slots(*cards.slot_cards(sight, proposed)) if shows_slots else None,
        bulk_ids=tuple(str(row.pk) for row in bulk),
        bulk_falls=cards.cascade_rows(falls, sight),
        reject_reasons=reject_reasons(member),
        step=next_step.line(left.state, left.ticket_type, timezone.now()),
        decided=history.told(left.event, sight),
    )


def _groups_moved(left: Aftermath) -> bool:
    """Whether a group began, ended or is called otherwise now, or fewer changes would begin one: many cards name it."""
    if left.ticket_type.groups is None:
        return False
    settled = (*left.decided, *left.superseded)
    known = grouping.begun(left.before)
    if any(group is not None and group not in known for group in map(group_of, (row.path for row in settled))):
        return True
    was, now = (grouping.names(left.ticket_type, state) for state in (left.before, left.state))
    return was != now


def _waiting(state: State) -> tuple[str, ...]:
    """The pointers whose values wait for a person."""
    return tuple(pointer for pointer, slot in state.slots.items() if slot.status in WAITING)


def _text_of(transcript: Transcript, reference: str) -> str | None:
    message = transcript.find(reference)
    return None if message is None else message.text


def _near(pointer: str, touched: Iterable[str]) -> bool:
    return any(related(pointer, other) for other in touched)


def _concerns(row: ProposedChange, touched: frozenset[str]) -> bool:
    """Whether a card shows anything of what was touched: its place, what would fall with it, a rule that bears on it."""
    rules = [f"/{kind}/{member}" for item in row.cautions for member in item.get("members", ()) for kind in cards.RULES]
    own = () if row.path.endswith("/-") else (row.path,)
    return any(_near(pointer, touched) for pointer in (*own, *row.cascade, *rules))


def _slot_concerns(pointer: str, left: Aftermath, touched: frozenset[str]) -> bool:
    """The same of a value that waits: itself, what put it in doubt, what waits for it."""
    slot = left.state.slots[pointer]
    because = slot.stale_because.pointer if slot.stale_because is not None else None
    held = cards.on_hold(pointer, left.ticket_type, left.state) if slot.status is SlotStatus.CONFLICT else ()
    return any(_near(shown, touched) for shown in (pointer, *((because,) if because else ()), *held))


def _sight(member: Membership, left: Aftermath, changed: Sequence[ProposedChange], waiting: Iterable[str]) -> Sight:
    """What the cards that read otherwise are made from; where there are none, nothing is read."""
    proposals: dict[uuid.UUID, Proposal] = Proposal.objects.in_bulk({row.proposal_id for row in changed}) if changed else {}
    for row in changed:
        row.proposal = proposals[row.proposal_id]
    cited = {item["message"] for row in changed for item in row.citations}
    for pointer in waiting:
        slot = left.state.slots[pointer]
        cited |= {item.message for item in slot.evidence}
        cited |= {item.message for challenger in slot.challengers for item in challenger.evidence}
    messages = reading.cited(left.ticket.pk, cited)
    ticket_type = reading.with_groups(left.ticket_type, left.state, left.pending)
    may_override = access.caller_of(member).may(Permission.OVERRIDE)
    called = grouping.names(ticket_type, left.state, left.pending)
    return Sight(ticket_type, left.state, messages, may_override, called=called)
