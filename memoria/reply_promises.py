"""What a reply promises, against the commitments that there are; and the commitment that a promise would make (M6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from memoria.date_words import plain, spoken_days
from memoria.dates import Resolved, resolve
from memoria.fields import TicketType
from memoria.next_step import unfinished
from memoria.patch import Json
from memoria.reply_findings import Code, Finding, Ground, Offer
from memoria.reply_words import Promised, promised, same_thing, sentences, stem, telling
from memoria.sources import Kind

_CONTACT_STEM: Final = stem("ligar")
_BEFORE_A_DUE: Final = re.compile(r"(?:\s*\b(?:até|ate|em|para|pra|na|no|ainda|já|ja|logo|by|until))+\s*\Z")
_GENERIC: Final = frozenset(stem(word) for word in ("fazer", "dar", "passar", "realizar", "entrar", "providenciar", "ir"))


def promises(text: str, ground: Ground) -> Iterator[Finding]:
    """The promises of a reply that no unfinished commitment of ours bears out, as `reply_check` tells."""
    ours = [
        (pointer, member, telling(str(member["task"])))
        for pointer, member in unfinished(ground.state)
        if member.get("owner") not in ("customer", "third_party")
    ]
    waiting = [
        (item, telling(str(item.value["task"])))
        for item in ground.undecided
        if item.pointer == "/commitments/-" and isinstance(item.value, dict) and "task" in item.value
    ]
    for promise in promised(text, _with_a_day(text, ground)):
        offer = _offer(text, promise, ground)
        verb, about = stem(promise.verb), telling(text[promise.start : promise.end])
        held = [(pointer, member) for pointer, member, stems in ours if _recorded(verb, about, stems)]
        if held:
            if offer.due is not None and all(_other_day(member.get("due"), offer.due, ground.zone) for _, member in held):
                pointer, member = held[0]
                yield Finding(Code.PROMISE_OTHER_DUE, promise.start, promise.end, pointer, value=member.get("due"), offer=None)
            continue
        proposed = next((item for item, stems in waiting if _recorded(verb, about, stems)), None)
        if proposed is not None:
            yield Finding(Code.PROMISE_UNDECIDED, promise.start, promise.end, proposed.pointer, messages=proposed.messages)
        else:
            rules = ground.ticket_type.collections.get("commitments")
            may = rules is not None and Kind.AGENT.value in rules.sources  # E9: recorded, it is a statement of staff
            yield Finding(Code.PROMISE_UNRECORDED, promise.start, promise.end, offer=offer if may else None)


def _recorded(verb: str, about: frozenset[str], stems: frozenset[str]) -> bool:
    if verb in _GENERIC:
        return bool((about - _GENERIC) & stems)
    return (verb in stems and same_thing(about, stems, verb)) or len((about - {verb}) & stems) > 1


def _other_day(due: Json, other: str, zone: tzinfo) -> bool:
    return isinstance(due, str) and _day(due, zone) != _day(other, zone)


def _day(due: str, zone: tzinfo) -> date:
    return date.fromisoformat(due) if len(due) == 10 else datetime.fromisoformat(due.upper()).astimezone(zone).date()


def _with_a_day(text: str, ground: Ground) -> set[int]:
    """The starts of the sentences that name a day or an hour, today or later."""
    said = ground.now.astimezone(ground.zone)
    found = set()
    for sentence in sentences(text):
        due = resolve(sentence.text, said, ground.zone, ground.calendar)
        if isinstance(due, Resolved):
            if _day(due.iso, ground.zone) >= said.date():
                found.add(sentence.start)
        elif spoken_days(plain(sentence.text), said, ground.calendar):
            found.add(sentence.start)
    return found


def _offer(text: str, promise: Promised, ground: Ground) -> Offer:
    """The commitment: its verb as a dictionary has it, its words without the due, and the due on a working day."""
    clause = text[promise.start : promise.end]
    due = resolve(clause, ground.now, ground.zone, ground.calendar)
    tail = text[promise.task_start : promise.end]
    if isinstance(due, Resolved):
        low, high = due.start - (promise.task_start - promise.start), due.end - (promise.task_start - promise.start)
        if low >= 0:
            tail = _BEFORE_A_DUE.sub("", tail[:low]) + tail[high:]
    task = " ".join(f"{promise.verb} {tail}".split()).rstrip(" ,;.!")
    kind = _kind(stem(promise.verb), telling(clause), ground.ticket_type)
    if not isinstance(due, Resolved):
        return Offer(task, kind)
    moved = _working(due, ground)
    if moved is None:
        return Offer(task, kind, due.iso, due.expression)
    return Offer(task, kind, moved.isoformat(), due.expression, _day(due.iso, ground.zone))


def _working(due: Resolved, ground: Ground) -> date | None:
    """The next working day where the day named is none; None where it is one, or where an hour was named."""
    if isinstance(due.value, datetime) or ground.calendar.works_on(due.value):
        return None
    return ground.calendar.working_day_from(due.value + timedelta(days=1))


_KIND_WORDS: Final = {
    "return_call": frozenset({_CONTACT_STEM}),
    "visit": frozenset({stem("visita")}),
    "schedule_query": frozenset({stem("consultar")}),
    "refund": frozenset({stem("reembolso")}),
    "delivery": frozenset({stem("entrega")}),
    "budget": frozenset({stem("orcamento")}),
    "parts": frozenset({stem("peca")}),
}


def _kind(verb: str, about: frozenset[str], ticket_type: TicketType) -> str | None:
    """The kind that the verb names, else the first that the words do; None where the ticket type has none such."""
    rules = ticket_type.collections.get("commitments")
    kinds = rules.kinds if rules is not None else ()
    for stems in ({verb}, about):
        for kind in kinds:
            if _KIND_WORDS.get(kind, frozenset()) & stems:
                return kind
    return None
