"""Short steps for the tests of a ticket's memory: a message and the change that cites all of it, in one call."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from memoria.fields import TicketType
from memoria.patch import MISSING, Json
from memoria.proposals import Change
from tests.memoria.bench import START, Bench, Held, a_field, a_type, cite


def minute(number: int) -> datetime:
    """A time before everything that a bench does by itself: words sent earlier, arriving later."""
    return START - timedelta(days=1) + timedelta(minutes=number)


def tell(
    bench: Bench,
    kind: str,
    path: str,
    value: Json = MISSING,
    *,
    text: str | None = None,
    name: str | None = None,
    at: int | None = None,
    op: str | None = None,
    producer: str = "model",
    **more: Any,
) -> Held:
    """Somebody says it, at minute `at` where that is given, and the change that cites the whole message is proposed."""
    words = text if text is not None else value if isinstance(value, str) else "isso mudou agora"
    message = bench.say(kind, words, name, sent_at=None if at is None else minute(at))
    operation = op or ("remove" if value is MISSING else "add")
    return bench.propose(Change(operation, path, value, cite((message, words)), **more), producer=producer)[0]


def take(bench: Bench, kind: str, path: str, value: Json = MISSING, **more: Any) -> int:
    """The same, accepted at once; the version that it made."""
    return bench.accept(tell(bench, kind, path, value, **more))


def promise(bench: Bench, kind: str | None = "visit", *, by: str = "agent", at: int | None = None, **member: Json) -> str:
    """A commitment, made and accepted; its pointer."""
    task = f"tarefa {len(bench.state.values['commitments']) + 1}"
    value = {"task": task, "owner": "team", "kind": kind, **member}
    take(bench, by, "/commitments/-", value, text=f"fica combinada a {task}", at=at)
    return list(bench.state.slots)[-1]


def diamond() -> TicketType:
    """`p` invalidates `left` and `right`; both invalidate `end`, and that `tail` and the visits. `other` stands apart."""
    return a_type(
        {
            "/facts/p": a_field(invalidates=["/facts/left", "/facts/right"]),
            "/facts/left": a_field("tool", "agent", "customer", invalidates=["/facts/end"]),
            "/facts/right": a_field(invalidates=["/facts/end"]),
            "/facts/end": a_field(invalidates=["/facts/tail", "commitments:visit"]),
            "/facts/tail": a_field(inference="flag"),
            "/facts/other": a_field(),
        }
    )
