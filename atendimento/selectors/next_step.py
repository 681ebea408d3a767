"""The next step in words: one line above the memory pane, and all of it for whoever opens the line."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento import wording
from atendimento.selectors import values
from atendimento.selectors.parts import StepLine, StepPart
from memoria.fields import TicketType
from memoria.groups import unfolded
from memoria.next_step import Asked, Due, Lack, NextStep, Tried, When, Why, next_step
from memoria.patch import Missing
from memoria.state import State

SHOWN_LACKS = 3
ENDED = ("worked", "failed")


def line(state: State, ticket_type: TicketType, now: datetime) -> StepLine:
    """What is due, missing, asked and tried, the most pressing of each first."""
    step = next_step(state, ticket_type, now, timezone.get_current_timezone())
    if step.nothing_left:
        part = StepPart("circle-check", _("Nothing is missing"), _("what was asked is settled: the ticket can be closed"))
        return StepLine((part,), ())
    told = _Words(state, ticket_type)
    every = (
        [told.due(item) for item in step.due]
        + [told.lack(item) for item in step.lacks]
        + [told.asked(item) for item in step.asked]
        + [told.tried(item) for item in step.tried]
    )
    return StepLine(tuple(_short(step, told)), tuple(every))


def _short(step: NextStep, told: _Words) -> Iterable[StepPart]:
    if step.due:
        yield told.due(step.due[0])
    if step.lacks:
        names = [told.lacking(item) for item in step.lacks[:SHOWN_LACKS]]
        more = len(step.lacks) - len(names)
        if more:
            names.append(ngettext("%(count)d more", "%(count)d more", more) % {"count": more})
        yield StepPart("circle-dashed", _("Missing"), ", ".join(names), told.lack(step.lacks[0]).tone)
    if step.asked:
        yield told.asked(step.asked[0])
    open_or_failed = [item for item in step.tried if item.status != "worked"]
    if open_or_failed:
        yield told.tried(open_or_failed[0])


class _Words:
    """Codes to words, with what the state holds at their pointers."""

    def __init__(self, state: State, ticket_type: TicketType) -> None:
        self._state = state
        self._type = unfolded(ticket_type, state)

    def _text(self, pointer: str) -> str:
        held = values.held(self._state, pointer)
        return "" if isinstance(held, Missing) else values.member_text(held)

    def _label(self, pointer: str) -> str:
        field = self._type.fields.get(pointer)
        return field.label if field is not None else values.kind_and_id(pointer)

    def due(self, item: Due) -> StepPart:
        held = values.held(self._state, item.pointer)
        member = held if isinstance(held, dict) else {}
        due = member.get("due")
        until = _("until %(when)s") % {"when": values.moment_or_text(due)} if isinstance(due, str) else _("without a due date")
        words = [values.owner(str(member.get("owner", ""))), until]
        if item.doubtful:
            words.append(str(wording.SLOT_STATUSES["needs_confirmation"]))
        label, tone = {
            When.OVERDUE: (_("Overdue commitment"), "bad"),
            When.TODAY: (_("Commitment due today"), "warn"),
        }.get(item.when, (_("Commitment"), ""))
        return StepPart("calendar-clock", label, f"{self._text(item.pointer)} ({', '.join(words)})", tone)

    def lacking(self, item: Lack) -> str:
        """A thing that is missing, by its name and why; several of which one is enough, joined by "or"."""
        names = _(" or ").join(self._label(pointer) for pointer in item.any_of)
        why = {
            Why.CONFLICT: _("divergence"),
            Why.OPEN: _("open"),
            Why.NEEDS_CONFIRMATION: str(wording.SLOT_STATUSES["needs_confirmation"]),
        }.get(item.why, "")
        return f"{names} ({why})" if why else names

    def lack(self, item: Lack) -> StepPart:
        text = self.lacking(item)
        if item.why is Why.NO_GROUND:
            text = _("%(what)s, for “%(task)s”") % {"what": text, "task": self._text(item.of)}
        elif item.why is Why.LED_TO:
            text = _("%(what)s, which follows from %(field)s") % {"what": text, "field": self._label(item.of)}
        tone = {Why.CONFLICT: "bad", Why.NEEDS_CONFIRMATION: "warn"}.get(item.why, "")
        return StepPart("circle-dashed", _("Missing"), text, tone)

    def asked(self, item: Asked) -> StepPart:
        label = _("Already asked") if item.by_staff else _("To be answered")
        return StepPart("message-circle-question-mark", label, self._text(item.pointer), "" if item.by_staff else "warn")

    def tried(self, item: Tried) -> StepPart:
        label = _("Already tried") if item.status != "suggested" else _("Already suggested")
        text = self._text(item.pointer)
        if item.status in ENDED:
            text = f"{text} ({wording.MEMBER_STATUSES[item.status]})"
        return StepPart("history", label, text)
