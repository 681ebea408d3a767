"""Whether a request to the model may go now: the organisation's day, the endpoint's breaker, and its places.

What may not go waits in the queue, visibly, and costs no try. All of it is in the database, so that it holds for every
worker: the breaker and what was spent in rows, a place at the endpoint as a lock of the session, which ends with its worker.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F, Q

from atendimento import jobs, ledger, locks
from atendimento.models import EndpointHealth, ModelSpend, Organization, Origin, Proposal, Rebuild, RunStatus, Waits
from memoria import breaker
from memoria.breaker import Breaker, Circuit
from memoria.extraction import Usage
from memoria.patch import Json
from memoria.runs import Outcome

log = structlog.get_logger("atendimento.gate")

LOOKS_AGAIN: Final = 5.0
"""Seconds after which a run that found another one trying out the endpoint looks again."""

PER: Final = Decimal(1_000_000)
"""Prices are for so many tokens."""


@dataclass(frozen=True, slots=True)
class Wait:
    """No request now: for what it waits, and when it looks again."""

    reason: Waits
    until: datetime


@dataclass(slots=True)
class Gate:
    """The way of one run to the endpoint. Use `opened`."""

    identity: str
    place: int | None = None
    probing: bool = False
    told: bool = field(default=False)

    def enter(self, organization: Organization, moment: datetime) -> Wait | None:
        """Take what a request needs, in the transaction that claims its run; or say what it has to wait for."""
        spent = is_spent(organization, moment)
        if spent:
            return Wait(Waits.BUDGET, tomorrow(organization, moment) + timedelta(seconds=_between(0, 60)))
        return self._pass_breaker(moment) or self._take_place(moment)

    def learn(self, outcome: Outcome) -> None:
        """Tell the breaker what came of the request. Where that says nothing new, `leave` lets the next one try it out."""
        row = EndpointHealth.objects.filter(identity=self.identity).first()
        before, moment = _breaker_of(row), ledger.now()
        if breaker.after(before, outcome, moment) == before:
            return
        self.told = True
        # Only what changes it is written, and on the newest row: requests end at the same time.
        with transaction.atomic():
            EndpointHealth.objects.get_or_create(identity=self.identity)
            locked = EndpointHealth.objects.select_for_update().get(identity=self.identity)
            _store(locked, breaker.after(_breaker_of(locked), outcome, moment), outcome, moment)

    def leave(self) -> None:
        """Give back what was taken. Raises nothing: an error that ends the run is the one to hear of."""
        if self.place is not None:
            locks.let_go(_number(self.identity), self.place)
            self.place = None
        if self.probing and not self.told:
            # Nothing was asked after all, or the answer told nothing: the next one may try it out.
            try:
                EndpointHealth.objects.filter(identity=self.identity).update(probe_until=None)
            except (DatabaseError, InterfaceError) as error:
                # Then it may when the trial's own time is over.
                log.warning("trial not given back", error=type(error).__name__)

    def _pass_breaker(self, moment: datetime) -> Wait | None:
        row = EndpointHealth.objects.filter(identity=self.identity).first()
        state = _breaker_of(row)
        match state.circuit(moment):
            case Circuit.CLOSED:
                return None
            case Circuit.OPEN:
                assert state.open_until is not None
                return Wait(Waits.BREAKER, state.open_until + timedelta(seconds=_between(0, state.pause / 4)))
            case _:
                free = Q(probe_until=None) | Q(probe_until__lte=moment)
                until = moment + timedelta(seconds=settings.MODEL_TIMEOUT + LOOKS_AGAIN)
                rows = EndpointHealth.objects.filter(free, identity=self.identity)
                self.probing = rows.update(probe_until=until) == 1
                return None if self.probing else Wait(Waits.BREAKER, moment + timedelta(seconds=_between(1, LOOKS_AGAIN)))

    def _take_place(self, moment: datetime) -> Wait | None:
        places = settings.MODEL_CONCURRENCY
        if not places:
            return None
        first = random.randrange(places)  # noqa: S311 - spreads the search, keeps no secret
        for offset in range(places):
            place = (first + offset) % places
            if locks.take(_number(self.identity), place):
                self.place = place
                return None
        # The more wait, the later each looks again: together they find every place that falls free.
        wanted = {"status": RunStatus.QUEUED, "waits_for": Waits.SLOT}
        waiting = Proposal.objects.filter(**wanted).count() + Rebuild.objects.filter(**wanted).count()
        return Wait(Waits.SLOT, moment + timedelta(seconds=_between(0.5, 1.0) * max(1.0, min(30.0, waiting / places))))


@contextmanager
def opened(identity: str) -> Iterator[Gate]:
    """The gate to an endpoint for one run; what it took is given back at the end."""
    gate = Gate(identity)
    try:
        yield gate
    finally:
        gate.leave()


@transaction.atomic
def hand_on() -> None:
    """A place at the endpoint has fallen free: what has waited for one the longest in this organisation is due.

    New messages come before old ones that are read again, as everywhere.
    """
    wanted = {"status": RunStatus.QUEUED, "waits_for": Waits.SLOT}
    runs = Proposal.objects.filter(origin=Origin.MODEL, **wanted)
    rereadings = Rebuild.objects.filter(**wanted)
    for job, waiting in ((jobs.PROPOSE, runs), (jobs.REREAD, rereadings)):
        free = waiting.select_for_update(skip_locked=True, of=("self",)).order_by("created_at", "id")
        key = free.values_list("pk", "organization_id").first()
        if key is not None:
            moment = ledger.now()
            waiting.filter(pk=key[0]).update(not_before=moment, waits_for="")
            jobs.owe(job, key[0], key[1], moment, moment)
            return


def circuit(identity: str, moment: datetime) -> tuple[Circuit, EndpointHealth | None]:
    """The breaker's state now, and what is known of the server."""
    row = EndpointHealth.objects.filter(identity=identity).first()
    return _breaker_of(row).circuit(moment), row


def _breaker_of(row: EndpointHealth | None) -> Breaker:
    return Breaker() if row is None else Breaker(row.failures, row.pause, row.open_until)


def _store(row: EndpointHealth, state: Breaker, outcome: Outcome, moment: datetime) -> None:
    if state.open_until is not None and row.open_until != state.open_until:
        log.warning("endpoint left alone", pause=state.pause, failures=state.failures)
    elif state.open_until is None and row.open_until is not None:
        log.warning("endpoint is back", failures=row.failures)
    row.failures, row.pause, row.open_until, row.probe_until = state.failures, state.pause, state.open_until, None
    if breaker.is_failure(outcome):
        status = getattr(outcome, "status", None)
        row.last_failure = f"{getattr(outcome, 'kind', '')} {status or ''}".strip()
        row.last_failure_at = moment
    else:
        row.last_answer_at = moment
    row.save()


def _number(identity: str) -> int:
    """The endpoint as the first half of a lock's key."""
    return zlib.crc32(identity.encode()) - 2**31


def _between(least: float, most: float) -> float:
    return random.uniform(least, most)  # noqa: S311 - spreads what waits, keeps no secret


# --- what a day costs ---------------------------------------------------------------------------------------------


def today(organization: Organization, moment: datetime) -> date:
    return moment.astimezone(ZoneInfo(organization.timezone)).date()


def tomorrow(organization: Organization, moment: datetime) -> datetime:
    """When the organisation's next day begins."""
    zone = ZoneInfo(organization.timezone)
    return datetime.combine(today(organization, moment) + timedelta(days=1), time(), zone)


def spent_today(organization: Organization, moment: datetime) -> ModelSpend:
    """What the day came to so far; nothing, where there is no row."""
    day = today(organization, moment)
    found = ModelSpend.objects.filter(organization=organization, day=day).first()
    return found or ModelSpend(organization=organization, day=day)


def is_spent(organization: Organization, moment: datetime) -> bool:
    """Whether a budget of today is used up. What is under way may go beyond it, by what it costs itself."""
    tokens, cost = organization.daily_tokens, organization.daily_cost
    if tokens is None and cost is None:
        return False
    spent = spent_today(organization, moment)
    return (tokens is not None and spent.tokens >= tokens) or (cost is not None and spent.cost >= cost)


def price(usage: Usage) -> Decimal | None:
    """What this cost, by the prices that are configured; None where there are none."""
    prices = (settings.MODEL_PRICE_INPUT, settings.MODEL_PRICE_CACHED, settings.MODEL_PRICE_OUTPUT)
    if prices[0] is None and prices[2] is None:
        return None
    fresh, cached, answered = (
        max(0, usage.prompt_tokens - usage.cached_tokens),
        min(usage.cached_tokens, usage.prompt_tokens),
        usage.completion_tokens,
    )
    paid, cheap, out = prices[0] or Decimal(0), prices[1], prices[2] or Decimal(0)
    return (fresh * paid + cached * (paid if cheap is None else cheap) + answered * out) / PER


def spend(organization: Organization, usage: Usage, moment: datetime) -> None:
    """Book an answered request on the organisation's day, in the transaction that stores the answer."""
    day = today(organization, moment)
    row = ModelSpend.objects.filter(organization=organization, day=day)
    more = {
        "requests": F("requests") + 1,
        "tokens": F("tokens") + usage.prompt_tokens + usage.completion_tokens,
        "cost": F("cost") + (price(usage) or Decimal(0)),
    }
    if not row.update(**more):  # the day's first request
        ModelSpend.objects.get_or_create(organization=organization, day=day)
        row.update(**more)


def booked(before: Json | None, usage: Usage) -> Json:
    """A run's usage as it is stored, with one more request's; `cost` is null where nothing has a price."""
    earlier = before or {}
    names = ("prompt_tokens", "completion_tokens", "cached_tokens")
    total = Usage(*(earlier.get(name, 0) for name in names)) + usage
    cost, known = price(usage), earlier.get("cost")
    summed = known if cost is None else round(float(cost) + (known or 0.0), 8)
    return {**total.to_json(), "cost": summed}
