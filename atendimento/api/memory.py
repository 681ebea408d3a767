"""A ticket's state, what is proposed for it, and what people decide."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from atendimento import access, actions, ledger, timeline
from atendimento.access import Permission
from atendimento.actions import Written, auditing
from atendimento.api import bodies, queries, schemas, shapes
from atendimento.api.describe import PAGED, call, query
from atendimento.api.door import Call
from atendimento.api.seen import Seen
from atendimento.selectors import machine
from memoria.patch import MISSING, Missing
from memoria.proposals import Change, Status
from memoria.sources import Kind

READ = {"GET": Permission.READ}
DECIDE = {"POST": Permission.DECIDE}
STATUSES = frozenset(status.value for status in Status)


class Write(Call):
    """A call that makes a version, or answers the one that it made before."""

    needs = DECIDE

    def written(self, result: Written, *, batch: bool = False) -> Response:
        told = ledger.tell(result.ticket_id, self.caller.organization, result.state, result.ticket_type)
        return Response(shapes.written(result, machine.changes_named(result.changes), told.text, batch=batch))


class State(Call):
    needs = READ

    @call(
        "What holds, now, at a version or at a time",
        {200: schemas.STATE},
        parameters=(query("version"), query("at", "A time with its zone: what held then. Not beside `version`.")),
        refuses=(400, 404),
        tag="state",
    )
    def get(self, request: Request, ticket_id: str) -> Response:
        ticket = access.ticket(self.caller, ticket_id)
        version, at = queries.version(request), queries.moment(request, "at")
        if version is not None and at is not None:
            raise queries.bad("at", "does not go with version")
        read = ledger.read_state(ticket, version, at)
        auditing.note_reading(
            caller=self.caller, ticket=ticket, ticket_type=read.ticket_type, pointers=auditing.held_in(read.state)
        )
        told = ledger.tell(ticket.pk, self.caller.organization, read.state, read.ticket_type)
        return Response(shapes.state_read(read, told.text))


class StateDiff(Call):
    needs = READ

    @call(
        "What differs between two versions",
        {200: schemas.DIFF},
        parameters=(query("from"), query("to")),
        refuses=(404,),
        tag="state",
    )
    def get(self, request: Request, ticket_id: str) -> Response:
        ticket = access.ticket(self.caller, ticket_id)
        before = ledger.read_state(ticket, queries.version(request, "from") or 0).state
        read = ledger.read_state(ticket, queries.version(request, "to"))
        after = read.state
        changed = timeline.slots_changed(before, after)
        auditing.note_reading(caller=self.caller, ticket=ticket, ticket_type=read.ticket_type, pointers=changed.keys())
        return Response(
            {
                "from": before.version,
                "to": after.version,
                "patch": [operation.to_json() for operation in machine.difference(before.values, after.values)],
                "slots": changed,
            }
        )


class Proposals(Call):
    needs = READ | DECIDE

    @call(
        "Proposals, newest first",
        {200: schemas.page_of(schemas.PROPOSAL)},
        parameters=PAGED,
        refuses=(400, 404),
        tag="proposals",
    )
    def get(self, request: Request, ticket_id: str) -> Response:
        ticket = access.ticket(self.caller, ticket_id)
        after, limit = queries.cursor(request, 2), queries.limit(request)
        seen = Seen(self.caller)
        return seen.answer(
            request,
            lambda: machine.proposals(ticket, after=after, limit=limit),
            lambda row: seen.proposal(row, row.changes.all()),
        )

    @call(
        "Hand in a proposal that was made outside",
        {201: schemas.PROPOSAL, 200: schemas.PROPOSAL},
        takes=schemas.PROPOSAL_IN,
        refuses=(404, 409),
        tag="proposals",
    )
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.PROPOSAL_IN)
        row, made = actions.store_proposal(
            member=self.member,
            ticket_id=ticket_id,
            base_version=body.whole("base_version"),
            producer=body["producer"],
            changes=[_change(item) for item in body["changes"]],
            through_message=body.get("through_message"),
            key=body.get("key"),
        )
        return Response(shapes.proposal(row, machine.changes_of(row)), status=201 if made else 200)


def _change(document: dict[str, object]) -> Change:
    evidence = document.get("evidence")
    reason = document.get("reason")
    return Change(
        str(document["op"]),
        str(document["path"]),
        document.get("value", MISSING),
        tuple(map(bodies.citation, evidence)) if isinstance(evidence, list) else (),
        bool(document.get("inference", False)),
        reason if isinstance(reason, str) else None,
    )


class Proposal(Call):
    needs = READ

    @call("A proposal", {200: schemas.PROPOSAL}, refuses=(404,), tag="proposals")
    def get(self, request: Request, proposal_id: str) -> Response:
        row = access.proposal(self.caller, proposal_id)
        seen = Seen(self.caller)
        shown = seen.proposal(row, machine.changes_of(row))
        seen.note()
        return Response(shown)


class Propose(Call):
    needs = DECIDE

    @call("Ask the model now", {202: schemas.PROPOSAL}, takes=schemas.NOTHING_IN, refuses=(404,), tag="proposals")
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        bodies.read(request, schemas.NOTHING_IN, optional=True)
        row = actions.request_proposal(member=self.member, ticket_id=ticket_id)
        return Response(shapes.proposal(row, machine.changes_of(row)), status=202)


class Changes(Call):
    needs = READ

    @call(
        "The review queue, oldest first",
        {200: schemas.page_of(schemas.CHANGE)},
        parameters=(query("status"), query("ticket"), *PAGED),
        refuses=(400, 404),
        tag="changes",
    )
    def get(self, request: Request) -> Response:
        wanted = queries.text(request, "ticket")
        ticket = access.ticket(self.caller, wanted) if wanted else None
        status = queries.text(request, "status", STATUSES)
        after, limit = queries.cursor(request, 1), queries.limit(request)
        seen = Seen(self.caller)
        return seen.answer(
            request,
            lambda: machine.changes(self.caller, status=status, ticket=ticket, after=after, limit=limit),
            seen.change,
        )


class Accept(Write):
    @call("Accept a change", {200: schemas.WRITTEN}, takes=schemas.ACCEPT_IN, refuses=(404, 409), tag="changes")
    def post(self, request: Request, change_id: str) -> Response:
        access.change(self.caller, change_id)
        body = bodies.read(request, schemas.ACCEPT_IN)
        override = body.get("override")
        return self.written(
            actions.accept_change(
                member=self.member,
                change_id=change_id,
                expected_version=body.whole("expected_version"),
                override=override["reason"] if override else None,
                evidence=body.citations(),
            )
        )


class Edit(Write):
    @call(
        "Accept a change with another value",
        {200: schemas.WRITTEN},
        takes=schemas.EDIT_IN,
        refuses=(404, 409),
        tag="changes",
    )
    def post(self, request: Request, change_id: str) -> Response:
        access.change(self.caller, change_id)
        body = bodies.read(request, schemas.EDIT_IN)
        return self.written(
            actions.edit_change(
                member=self.member,
                change_id=change_id,
                expected_version=body.whole("expected_version"),
                value=body["value"],
                evidence=body.citations(),
                reason=body.get("reason"),
            )
        )


class Reject(Write):
    @call("Reject a change", {200: schemas.WRITTEN}, takes=schemas.REJECT_IN, refuses=(404, 409), tag="changes")
    def post(self, request: Request, change_id: str) -> Response:
        access.change(self.caller, change_id)
        body = bodies.read(request, schemas.REJECT_IN, optional=True)
        return self.written(actions.reject_change(member=self.member, change_id=change_id, reason=body.get("reason")))


class Decisions(Write):
    @call(
        "Decide several changes in one version",
        {200: schemas.WRITTEN},
        takes=schemas.DECISION_IN,
        refuses=(404, 409),
        tag="changes",
    )
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.DECISION_IN)
        result = actions.decide_changes(
            member=self.member,
            ticket_id=ticket_id,
            expected_version=body.whole("expected_version"),
            accept=body.get("accept", ()),
            reject=body.get("reject", ()),
        )
        return self.written(result, batch=True)


def _reported(body: bodies.Body) -> Kind | None:
    reported = body.get("reported")
    return None if reported is None else Kind(reported)


class Confirm(Write):
    @call("Confirm a value", {200: schemas.WRITTEN}, takes=schemas.CONFIRM_IN, refuses=(404, 409), tag="slots")
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.CONFIRM_IN)
        return self.written(
            actions.confirm_slot(
                member=self.member,
                ticket_id=ticket_id,
                path=body["path"],
                expected_version=body.whole("expected_version"),
                evidence=body.citations() or (),
                reported=_reported(body),
            )
        )


class Resolve(Write):
    @call("Settle a conflict", {200: schemas.WRITTEN}, takes=schemas.RESOLVE_IN, refuses=(404, 409), tag="slots")
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.RESOLVE_IN)
        challenger = body.get("challenger")
        return self.written(
            actions.resolve_slot(
                member=self.member,
                ticket_id=ticket_id,
                path=body["path"],
                expected_version=body.whole("expected_version"),
                choice=body["choice"],
                reason=body["reason"],
                challenger=None if challenger is None else int(challenger),
            )
        )


class Set(Write):
    @call("State or withdraw a value oneself", {200: schemas.WRITTEN}, takes=schemas.SET_IN, refuses=(404, 409), tag="slots")
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.SET_IN)
        value: object | Missing = body.get("value", MISSING)
        return self.written(
            actions.set_slot(
                member=self.member,
                ticket_id=ticket_id,
                path=body["path"],
                value=value,
                expected_version=body.whole("expected_version"),
                evidence=body.citations() or (),
                reported=_reported(body),
                reason=body.get("reason"),
            )
        )


class Undo(Write):
    @call("Undo a version", {200: schemas.WRITTEN}, takes=schemas.UNDO_IN, refuses=(404, 409), tag="history")
    def post(self, request: Request, ticket_id: str) -> Response:
        access.ticket(self.caller, ticket_id)
        body = bodies.read(request, schemas.UNDO_IN)
        result = actions.undo_version(
            member=self.member,
            ticket_id=ticket_id,
            version=body.whole("version"),
            expected_version=body.whole("expected_version"),
            reason=body["reason"],
        )
        return self.written(result)
