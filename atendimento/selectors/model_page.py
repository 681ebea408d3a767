"""What administrators see of the model: its server, the day's budget, what waits and for what, and what failed."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from atendimento import access, wording
from atendimento.access import Permission
from atendimento.models import (
    EndpointHealth,
    EndpointMode,
    Membership,
    ModelEndpoint,
    ModelSpend,
    Origin,
    Proposal,
    RunStatus,
    Waits,
)
from atendimento.selectors import address_words, model_words
from atendimento.selectors.model_server import server_of
from memoria.breaker import Breaker, Circuit

SHOWN: Final = 100
RAW_SHOWN: Final = 20_000  # code points of a raw answer
WAITS: Final[Mapping[str, Promise]] = {
    Waits.BREAKER.value: gettext_lazy("waits for the model's server, which does not answer"),
    Waits.SLOT.value: gettext_lazy("waits for a place at the model's server"),
    Waits.BUDGET.value: gettext_lazy("waits for tomorrow: today's budget for the model is used up"),
    Waits.CAP.value: gettext_lazy("waits for tomorrow: the ticket type lets no more readings today"),
    Waits.SCHEDULE.value: gettext_lazy("waits for its hour: the ticket type has the model read at set times"),
}
CIRCUITS: Final[Mapping[Circuit, Promise]] = {
    Circuit.CLOSED: gettext_lazy("It is asked."),
    Circuit.OPEN: gettext_lazy("It is left alone for a while: it failed too often in a row."),
    Circuit.HALF_OPEN: gettext_lazy("One request tries whether it is back."),
}
FAULTS: Final[Mapping[str, Promise]] = {
    "budget.no_number": gettext_lazy("Give a whole number, or leave it empty for no limit."),
    "budget.no_amount": gettext_lazy("Give an amount such as 12.50, or leave it empty for no limit."),
}


@dataclass(frozen=True, slots=True)
class ServerView:
    host: str  # '' where no model is configured
    model: str
    mode: str  # how it takes structured answers, in words; '' before the first
    circuit: str
    words: str
    until: datetime | None
    last_failure: str
    last_failure_at: datetime | None
    places: int  # requests at once; 0: no limit
    refusal: model_words.Detail  # where the last request of this organisation was not taken
    refused_at: datetime | None


@dataclass(frozen=True, slots=True)
class BudgetView:
    tokens: str  # as typed, or as set
    cost: str
    spent_tokens: int
    spent_cost: Decimal
    requests: int
    currency: str
    priced: bool
    over: bool


@dataclass(frozen=True, slots=True)
class RunRow:
    id: uuid.UUID
    ticket_id: uuid.UUID
    protocol: str
    subject: str
    words: str
    detail: str  # the server's own words
    attempts: int
    at: datetime | None
    due: datetime | None
    raw: str = ""


ENDPOINT_FAULTS: Final[Mapping[str, Promise]] = {
    "model.not_configured": gettext_lazy(
        "No model is configured yet. Whoever runs this installation names one, or you give your own."
    ),
    "model.unavailable": gettext_lazy("The model's server did not answer."),
    "model.rejected_request": gettext_lazy("The model's server refused the question."),
    "model.invalid_answer": gettext_lazy("Something answered, but not as a model does."),
    "endpoint.no_model": gettext_lazy("Name the model, in at most 200 characters."),
    "endpoint.key_lost": gettext_lazy("The key that was kept cannot be read any more. Type it again."),
}
SAYS: Final = frozenset({"model.unavailable", "model.rejected_request"})


@dataclass(frozen=True, slots=True)
class OwnModel:
    """The organisation's own model, as kept or as typed."""

    base_url: str
    name: str
    has_key: bool
    key_lost: bool
    kept: bool


@dataclass(frozen=True, slots=True)
class ModelPage:
    server: ServerView
    budget: BudgetView
    masks: bool
    counts: tuple[tuple[str, int], ...]
    waiting: tuple[RunRow, ...]
    failures: tuple[RunRow, ...]
    failed: int  # of them, shown or not
    faults: Mapping[str, str]
    own: OwnModel


def model_page(
    member: Membership, identity: str, *, typed: Mapping[str, str] | None = None, faults: Mapping[str, str] | None = None
) -> ModelPage:
    """`identity` is the endpoint's. Raises DomainError `permission.denied`."""
    access.require(member, Permission.MANAGE)
    # Whole questions are large, and not shown here.
    runs = Proposal.objects.filter(organization_id=member.organization_id, origin=Origin.MODEL)
    runs = runs.defer("request", "context_report", "run")
    under_way = runs.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING]).select_related("ticket")
    parked = runs.filter(status=RunStatus.PARKED).select_related("ticket")
    return ModelPage(
        _server(member, identity),
        _budget(member, typed or {}),
        member.organization.masks_personal_data,
        _counts(runs),
        tuple(_waiting(row) for row in under_way.order_by("not_before", "created_at")[:SHOWN]),
        tuple(_failure(row) for row in parked.order_by("-finished_at")[:SHOWN]),
        parked.count(),
        faults or {},
        _own(member, typed or {}),
    )


def _own(member: Membership, typed: Mapping[str, str]) -> OwnModel:
    row = ModelEndpoint.objects.filter(organization_id=member.organization_id).first()
    server = server_of(member.organization_id)
    return OwnModel(
        typed.get("base_url", row.base_url if row else ""),
        typed.get("name", row.model if row else ""),
        bool(row and row.sealed_key),
        server.key_lost,
        row is not None,
    )


def endpoint_fault(code: str, said: str) -> str:
    """Why a model was not taken, and the server's own words about it, where it said any."""
    if code in address_words.ADDRESSES:
        return str(address_words.ADDRESSES[code])
    words = str(ENDPOINT_FAULTS[code])
    return f"{words} {said}".rstrip() if code in SAYS else words


def fault(code: str) -> str:
    return str(FAULTS.get(code, code))


def waits_for(row: Proposal) -> str:
    """For what a queued run waits, in words; '' where it only waits for its turn."""
    return str(WAITS[row.waits_for]) if row.status == RunStatus.QUEUED and row.waits_for else ""


def _server(member: Membership, identity: str) -> ServerView:
    row = EndpointHealth.objects.filter(identity=identity).first()
    state = Breaker() if row is None else Breaker(row.failures, row.pause, row.open_until)
    circuit = state.circuit(timezone.now())
    mode = EndpointMode.objects.filter(identity=identity).first()
    refused = (
        Proposal.objects.filter(organization_id=member.organization_id, problem_code="model.rejected_request")
        .order_by("-finished_at")
        .first()
    )
    server = server_of(member.organization_id)
    return ServerView(
        urlsplit(server.base_url).netloc.rpartition("@")[2],
        server.model,
        model_words.mode(mode.mode) if mode else "",
        circuit.value,
        str(CIRCUITS[circuit]),
        state.open_until if circuit is Circuit.OPEN else None,
        model_words.last_failure(row.last_failure) if row else "",
        row.last_failure_at if row else None,
        settings.MODEL_CONCURRENCY,
        model_words.detail(refused.problem_code, refused.problem_detail) if refused else model_words.Detail(),
        refused.finished_at if refused else None,
    )


def _budget(member: Membership, typed: Mapping[str, str]) -> BudgetView:
    organization = member.organization
    day = timezone.now().astimezone(ZoneInfo(organization.timezone)).date()
    spent = ModelSpend.objects.filter(organization=organization, day=day).first() or ModelSpend()
    tokens, cost = organization.daily_tokens, organization.daily_cost
    over = (tokens is not None and spent.tokens >= tokens) or (cost is not None and spent.cost >= cost)
    return BudgetView(
        typed.get("tokens", "" if tokens is None else str(tokens)),
        typed.get("cost", "" if cost is None else str(cost)),
        spent.tokens,
        Decimal(spent.cost),
        spent.requests,
        settings.MODEL_CURRENCY,
        settings.MODEL_PRICE_INPUT is not None or settings.MODEL_PRICE_OUTPUT is not None,
        over,
    )


def _counts(runs: QuerySet[Proposal]) -> tuple[tuple[str, int], ...]:
    """How many runs there are of each state that asks for attention."""
    found = {
        (row["status"], row["waits_for"]): row["number"]
        for row in runs.filter(status__in=[RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.PARKED])
        .values("status", "waits_for")
        .annotate(number=Count("pk"))
    }
    queued = {reason: found.get((RunStatus.QUEUED.value, reason), 0) for reason in ("", *Waits.values)}
    rows = [
        (_("being read now"), sum(number for (status, _reason), number in found.items() if status == RunStatus.RUNNING)),
        (_("queued"), queued[""]),
        *((str(WAITS[reason]), queued[reason]) for reason in Waits.values),
        (_("failed"), sum(number for (status, _reason), number in found.items() if status == RunStatus.PARKED)),
    ]
    return tuple(rows)


def _waiting(row: Proposal) -> RunRow:
    if row.status == RunStatus.RUNNING:
        words = _("being read now")
    elif row.waits_for:
        words = waits_for(row)
    else:
        words = _("waits to be tried again") if row.attempts else _("queued")
    due = row.not_before if row.status == RunStatus.QUEUED else None
    return _row(row, words, "", row.created_at, due)


def _failure(row: Proposal) -> RunRow:
    words = str(wording.PROBLEMS.get(row.problem_code, _("The reading stopped.")))
    detail = model_words.detail(row.problem_code, row.problem_detail)
    return _row(row, f"{words} {detail.words}".rstrip(), detail.quoted, row.finished_at, None, _raw(row))


def _row(row: Proposal, words: str, detail: str, at: datetime | None, due: datetime | None, raw: str = "") -> RunRow:
    ticket = row.ticket
    return RunRow(row.pk, ticket.pk, ticket.protocol, ticket.subject, words, detail, row.attempts, at, due, raw)


def _raw(row: Proposal) -> str:
    """The server's last body, as it came; JSON is set out in lines."""
    body: str = (row.raw_answer or {}).get("body", "")
    with suppress(ValueError, RecursionError):  # whatever it is, it is shown
        body = json.dumps(json.loads(body), ensure_ascii=False, indent=2)
    return body[:RAW_SHOWN]
