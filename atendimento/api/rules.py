"""Trying a ticket type's rules on what was decided."""

from __future__ import annotations

from datetime import date
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from atendimento import wording
from atendimento.access import NotFound, Permission
from atendimento.actions import simulations
from atendimento.actions.faults import invalid
from atendimento.api import bodies, schemas, shapes
from atendimento.api.describe import call
from atendimento.api.door import Call
from atendimento.models import Ticket
from memoria.patch import MISSING
from memoria.simulation import Outcome, Simulated


class Simulate(Call):
    needs = {"POST": Permission.PUBLISH_TYPES}

    @call(
        "Take past decisions again under a draft, and answer each verdict that would differ; nothing is changed",
        {200: schemas.SIMULATION},
        takes=schemas.SIMULATE_IN,
        refuses=(404,),
        tag="ticket types",
    )
    def post(self, request: Request, slug: str) -> Response:
        if "\0" in slug:  # no text of the database holds one
            raise NotFound("ticket type")
        body = bodies.read(request, schemas.SIMULATE_IN)
        last = body.whole("last") if "last" in body else simulations.DEFAULT_LAST
        scope = simulations.Scope(last, _day(body, "from"), _day(body, "to"))
        found = simulations.simulate_now(
            member=self.member, slug=slug, document=body.document.get("definition", MISSING), scope=scope
        )
        return Response(
            {
                "decisions": found.decisions,
                "different": len(found.different),
                "incomparable": found.incomparable,
                "differences": [shown for ticket, item in found.different for shown in _differences(ticket, item)],
            }
        )


def _day(body: bodies.Body, name: str) -> date | None:
    """A day; None where none is named. Raises InvalidInput for one that no calendar has."""
    try:
        return date.fromisoformat(body[name]) if name in body else None
    except ValueError:
        raise invalid(f"/{name}", "format.wrong", "no day") from None


def _differences(ticket: Ticket, item: Simulated) -> list[dict[str, Any]]:
    event = item.event
    return [
        {
            "ticket": str(ticket.pk),
            "protocol": ticket.protocol,
            "version": event.version,
            "ticket_type_version": event.ticket_type_version,
            "at": shapes.moment(event.at),
            "actor": {"member": event.actor.member, "name": event.actor.name},
            "act": compared.act.act,
            "path": compared.act.pointer,
            "kind": compared.kind,
            "before": _outcome(compared.before),
            "after": _outcome(compared.after),
        }
        for compared in item.acts
        if compared.kind is not None
    ]


def _outcome(outcome: Outcome) -> dict[str, Any]:
    reason = outcome.reason
    return {
        "verdict": outcome.verdict.value,
        "reasons": []
        if reason is None
        else [{"code": reason.code.value, "rule": reason.rule, "detail": wording.sentence(reason)}],
        "cascade": list(outcome.cascade),
        "source": outcome.source,
    }
