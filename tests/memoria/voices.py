"""One field and the voices that speak for it, from the strongest to the weakest."""

from __future__ import annotations

from typing import Any

from memoria.patch import MISSING, Json
from memoria.proposals import Judgement
from tests.memoria.bench import Bench, Held, a_field, a_type

SOURCES = ("registry", "agent", "customer")


def desk(**more: Any) -> Bench:
    return Bench(a_type({"/facts/a": a_field(*SOURCES, **more), "/facts/b": a_field("customer")}))


def says(bench: Bench, kind: str, value: Json, name: str | None = None, *, op: str = "replace", **more: Any) -> Held:
    """A message with these words, and the change that they propose."""
    words = f"agora é {value}" if value is not MISSING else "não é mais isso"
    sent_at = more.pop("sent_at", None)
    return bench.one(op, "/facts/a", value, (bench.say(kind, words, name, sent_at=sent_at), words), **more)


def told(bench: Bench, kind: str, value: Json, name: str | None = None, **more: Any) -> Held:
    """The same, accepted."""
    held = says(bench, kind, value, name, **more)
    bench.accept(held)
    return held


def spoken(judgement: Judgement) -> tuple[str, str, str]:
    """Verdict, code and rule."""
    (reason,) = judgement.reasons
    return judgement.verdict.value, reason.code.value, reason.rule


def doubt(bench: Bench) -> None:
    """Send `/facts/a` to "needs confirmation": the message that it cites is deleted (E7)."""
    bench.delete(bench.slot("/facts/a").evidence[0].message)
    assert bench.status("/facts/a") == "needs_confirmation"
