"""What happened, of one ticket and across tickets; and the ticket types by which it was judged."""

from __future__ import annotations

from typing import NoReturn

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.response import Response

from atendimento import access, actions
from atendimento.access import NotFound, Permission
from atendimento.api import bodies, queries, schemas, shapes
from atendimento.api.describe import PAGED, call, query
from atendimento.api.door import Call
from atendimento.api.seen import Seen
from atendimento.selectors import machine, misfits
from memoria.events import EventKind

KINDS = frozenset(kind.value for kind in EventKind)


class TicketHistory(Call):
    needs = {"GET": Permission.READ}

    @call(
        "A ticket's events, newest first",
        {200: schemas.page_of(schemas.EVENT)},
        parameters=PAGED,
        refuses=(400, 404),
        tag="history",
    )
    def get(self, request: Request, ticket_id: str) -> Response:
        ticket = access.ticket(self.caller, ticket_id)
        after, limit = queries.cursor(request, 1), queries.limit(request)
        seen = Seen(self.caller)
        return seen.answer(request, lambda: machine.history(ticket, after=after, limit=limit), seen.event)


class History(Call):
    needs = {"GET": Permission.READ_ALL_HISTORY}

    @call(
        "Events of all tickets, newest first",
        {200: schemas.page_of(schemas.EVENT)},
        parameters=(
            query("field", "A pointer that the event touched."),
            query("actor", "A member's id."),
            query("source"),
            query("kind"),
            query("from", "A time with its zone."),
            query("to", "A time with its zone."),
            *PAGED,
        ),
        refuses=(400,),
        tag="history",
    )
    def get(self, request: Request) -> Response:
        wanted = machine.HistoryFilter(
            field=queries.text(request, "field"),
            actor=queries.whole(request, "actor"),
            source=queries.text(request, "source"),
            kind=queries.text(request, "kind", KINDS),
            since=queries.moment(request, "from"),
            until=queries.moment(request, "to"),
        )
        after, limit = queries.cursor(request, 2), queries.limit(request)
        organization, seen = self.caller.organization, Seen(self.caller)
        return seen.answer(request, lambda: machine.history_across(organization, wanted, after=after, limit=limit), seen.event)


class TicketType(Call):
    needs = {"GET": Permission.READ, "PUT": Permission.PUBLISH_TYPES}

    @call("A ticket type as published", {200: schemas.TICKET_TYPE}, refuses=(404,), tag="ticket types")
    def get(self, request: Request, slug: str) -> Response:
        if "\0" in slug:  # no text of the database holds one
            raise NotFound("ticket type")
        row = access.ticket_type(self.caller.organization, slug)
        if row.published is None:
            raise NotFound("ticket type")
        return Response(shapes.ticket_type(row.published, row.slug))

    @call(
        "Publish a ticket type; the same content again publishes nothing",
        {200: schemas.TICKET_TYPE, 201: schemas.TICKET_TYPE},
        takes=schemas.TICKET_TYPE_IN,
        tag="ticket types",
    )
    def put(self, request: Request, slug: str) -> Response:
        body = bodies.read(request, schemas.TICKET_TYPE_IN)
        version, made = actions.publish_ticket_type(member=self.member, document=body.document, slug=slug)
        return Response(shapes.ticket_type(version, slug, misfits.count(version).values), status=201 if made else 200)


class Nowhere(Call):
    """Every other address below /api/v1/."""

    schema = None

    def http_method_not_allowed(self, request: HttpRequest, *args: object, **kwargs: object) -> NoReturn:
        raise NotFound("call")
