"""What every asking of the model shares: one at a time for a ticket, where the model is, and what follows an outcome."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from django.conf import settings

from atendimento import jobs, ledger, llm, locks, outbound
from atendimento.models import EndpointMode, Origin, Proposal, RunStatus
from atendimento.selectors.model_server import server_of
from memoria import runs
from memoria.extraction import Reader, Request
from memoria.patch import Json
from memoria.runs import Limits, Mode, Outcome, Rejected, Run

ALIVE_FOR: Final = timedelta(seconds=15)
"""After so long a running job is posted again, in case its worker died; one that lives makes the posting do nothing."""


@contextmanager
def alone(ticket_id: uuid.UUID) -> Iterator[bool]:
    """Whether nobody else asks the model about this ticket; nobody does while the block runs.

    A job that comes meanwhile finds the ticket taken and ends. So whoever had it looks, once it is free again, what is due.
    """
    with locks.held(int.from_bytes(ticket_id.bytes[8:], signed=True)) as ours:
        yield ours
    if ours:
        _post_what_is_due(ticket_id)


def _post_what_is_due(ticket_id: uuid.UUID) -> None:
    moment = ledger.now()
    unfinished = Proposal.objects.filter(
        ticket_id=ticket_id, origin=Origin.MODEL, status__in=[RunStatus.QUEUED, RunStatus.RUNNING]
    )
    # The oldest is the one that a worker takes. Where it has to wait, so does the next.
    run = unfinished.only("organization_id", "status", "not_before").order_by("created_at", "id").first()
    if run is not None and run.status == RunStatus.QUEUED and run.not_before is not None and run.not_before <= moment:
        jobs.post_owed(jobs.PROPOSE, run.pk, run.organization_id, moment)


def ask(
    request: Request, asked: llm.Endpoint, mode: Mode, read: Reader, meanwhile: Callable[[], None] | None = None
) -> llm.Reply:
    """Ask once, not inside a transaction. An address that an administrator typed is looked at again each time: its name may
    lead elsewhere than on the day it was saved, and the operator may have changed what is permitted.
    """
    if asked.base_url.rstrip("/") != settings.OPENAI_BASE_URL.rstrip("/"):
        try:
            outbound.check(asked.base_url)
        except outbound.NotAllowed as error:
            return llm.Reply(Rejected(403, f"this installation does not call that address any more ({error.code})"))
    return llm.ask(request, asked, mode, read) if meanwhile is None else llm.ask(request, asked, mode, read, meanwhile)


def knock(asked: llm.Endpoint) -> tuple[str, str]:
    """`llm.knock`, for an address that may still be called."""
    if asked.base_url.rstrip("/") != settings.OPENAI_BASE_URL.rstrip("/"):
        try:
            outbound.check(asked.base_url)
        except outbound.NotAllowed as error:
            return error.code, ""
    return llm.knock(asked)


def endpoint(organization_id: int | None = None) -> llm.Endpoint:
    """The model that this organisation asks; without one, the installation's."""
    server = server_of(organization_id)
    return llm.Endpoint(server.base_url, server.key, server.model, float(settings.MODEL_TIMEOUT))


def remembered(run: Json | None, asked: llm.Endpoint) -> Run:
    """The run as it was left; a new one begins in the mode that the server was found to take."""
    if run is not None:
        return Run.from_json(run)
    known = EndpointMode.objects.filter(identity=asked.identity).first()
    mode = Mode(known.mode) if known else Mode.MARKED_SCHEMA
    if mode is Mode.MARKED_SCHEMA and not settings.MODEL_CACHE_BREAKPOINTS:
        mode = Mode.JSON_SCHEMA
    return Run(mode, mode_tested=known is not None)


def after(run: Run, outcome: Outcome, asked: llm.Endpoint) -> tuple[Run, runs.Next]:
    """The run after this outcome, and what to do now; a mode that was found to work is remembered."""
    limits = Limits(settings.MODEL_MAX_TRIES, float(settings.MODEL_BACKOFF))
    following, then = runs.step(run, outcome, limits, random.random())  # noqa: S311 - spreads retries, keeps no secret
    if following.mode_tested and not run.mode_tested:
        EndpointMode.objects.update_or_create(identity=asked.identity, defaults={"mode": following.mode.value})
    return following, then


def document(body: str) -> object:
    """A stored body, parsed; None where it is no JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
