"""Tickets and their messages."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from atendimento import access, actions, ledger
from atendimento.access import Permission
from atendimento.actions import merging
from atendimento.actions.faults import Fault, InvalidInput, invalid
from atendimento.api import bodies, queries, schemas, shapes
from atendimento.api.describe import PAGED, call, query
from atendimento.api.door import Call
from atendimento.selectors import machine
from memoria.patch import MISSING
from memoria.sources import Author, Kind


class Tickets(Call):
    needs = {"GET": Permission.READ_MESSAGES, "POST": Permission.CREATE_TICKETS}

    @call(
        "Tickets, the latest changed first",
        {200: schemas.page_of(schemas.TICKET)},
        parameters=(
            query("status"),
            query("assignee", "A member's id or e-mail address, `me` or `none`."),
            query("attention", "proposals, conflict, needs_confirmation or overdue."),
            *PAGED,
        ),
        refuses=(400,),
    )
    def get(self, request: Request) -> Response:
        now = ledger.now()
        status = queries.text(request, "status", machine.STATUSES)
        assignee = queries.text(request, "assignee")
        attention = queries.text(request, "attention", machine.ATTENTION)
        after, limit = queries.cursor(request, 2), queries.limit(request)
        return queries.answer(
            request,
            lambda: machine.tickets(
                self.caller, status=status, assignee=assignee, attention=attention, now=now, after=after, limit=limit
            ),
            lambda row: shapes.ticket(row, now),
        )

    @call("Open a ticket", {201: schemas.TICKET, 200: schemas.TICKET}, takes=schemas.TICKET_IN)
    def post(self, request: Request) -> Response:
        body = bodies.read(request, schemas.TICKET_IN)
        row, made = actions.create_ticket(
            caller=self.caller,
            ticket_type=body["ticket_type"],
            subject=body["subject"],
            customer=actions.CustomerData(**body["customer"]),
            channel=body.get("channel") or "",
            external_id=body.get("external_id"),
        )
        return Response(shapes.ticket(row, ledger.now()), status=201 if made else 200)


class Ticket(Call):
    needs = {"GET": Permission.READ_MESSAGES, "PATCH": Permission.CHANGE_TICKETS}

    @call("A ticket", {200: schemas.TICKET}, refuses=(404,))
    def get(self, request: Request, ticket_id: str) -> Response:
        return Response(shapes.ticket(access.ticket(self.caller, ticket_id), ledger.now()))

    @call(
        "Change status, owner, team or subject; merge into another ticket",
        {200: schemas.TICKET},
        takes=schemas.TICKET_CHANGE_IN,
        refuses=(404, 409),
    )
    def patch(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.TICKET_CHANGE_IN)
        if "merged_into" in body:
            return self._merge(body, ticket_id)
        given: dict[str, Any] = {key: body.get(key, MISSING) for key in ("status", "assignee", "team", "subject")}
        until = body.moment("snoozed_until") if "snoozed_until" in body else MISSING
        row = actions.update_ticket(member=self.member, ticket_id=ticket_id, snoozed_until=until, **given)
        return Response(shapes.ticket(row, ledger.now()))

    def _merge(self, body: bodies.Body, ticket_id: str) -> Response:
        if body.get("status") != "merged":
            raise invalid("/status", "ticket.not_merged", "merged_into comes with status merged")
        others = sorted(set(body.document) - {"status", "merged_into"})
        if others:
            raise InvalidInput(*(Fault(f"/{key}", "ticket.merged_alone", "merging changes nothing else") for key in others))
        row = merging.merge_ticket(member=self.member, ticket_id=ticket_id, into=body["merged_into"])
        return Response(shapes.ticket(row, ledger.now()))


class Messages(Call):
    needs = {"GET": Permission.READ_MESSAGES}

    @call(
        "Messages in the order of their arrival",
        {200: schemas.page_of(schemas.MESSAGE)},
        parameters=(query("after", "A message id: those after it."), *PAGED),
        refuses=(400, 404),
        tag="messages",
    )
    def get(self, request: Request, ticket_id: str) -> Response:
        ticket = access.ticket(self.caller, ticket_id)
        cursor = queries.cursor(request, 1)
        after, limit = queries.message_after(request), queries.limit(request)
        return queries.answer(
            request,
            lambda: machine.messages(ticket, after=int(cursor[0]) if cursor else after, limit=limit),
            shapes.message,
        )

    @call(
        "Take a message in",
        {201: schemas.MESSAGE, 200: schemas.MESSAGE},
        takes=schemas.MESSAGE_IN,
        refuses=(404,),
        tag="messages",
    )
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.MESSAGE_IN)
        author = body["author"]
        received = actions.receive_message(
            caller=self.caller,
            ticket_id=ticket_id,
            author=Author(Kind(author["kind"]), author.get("external_id"), author.get("name") or ""),
            text=body.raw["text"],  # with its NUL characters, so that the message notes their removal
            external_id=body.get("external_id"),
            sent_at=body.moment("sent_at"),
            attachments=body.get("attachments", ()),
            internal=body.get("internal", False),
        )
        return Response(shapes.message(received.message), status=201 if received.created else 200)


class Message(Call):
    needs = {"DELETE": Permission.DELIVER_MESSAGES}

    @call("The channel deleted a message", {204: None}, refuses=(404,), tag="messages")
    def delete(self, request: Request, ticket_id: str, message: str) -> Response:
        actions.delete_message(caller=self.caller, ticket_id=ticket_id, message=message)
        return Response(status=204)
