"""What the law lets a customer ask for: all that is held about them, and that it be erased."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from atendimento import access
from atendimento.access import Permission
from atendimento.actions import erasures, exports
from atendimento.api import bodies, schemas, shapes
from atendimento.api.describe import call
from atendimento.api.door import Call


class Erase(Call):
    needs = {"POST": Permission.REQUEST_ERASURE}

    @call(
        "Ask for a customer's erasure; an administrator decides. One that is under way or done is the same request",
        {202: schemas.ERASURE, 200: schemas.ERASURE},
        takes=schemas.ERASE_IN,
        refuses=(404,),
        tag="customers",
    )
    def post(self, request: Request, customer_id: str) -> Response:
        access.customer(self.caller.organization, customer_id)
        body = bodies.read(request, schemas.ERASE_IN, optional=True)
        row, made = erasures.request_erasure(member=self.member, customer_id=customer_id, reason=str(body.get("reason") or ""))
        return Response(shapes.erasure(row), status=202 if made else 200)


class Export(Call):
    needs = {"GET": Permission.REQUEST_ERASURE}

    @call(
        "All that is held about a customer, of others only what is theirs; the reading is written into the log",
        {200: schemas.CUSTOMER_EXPORT},
        refuses=(404,),
        tag="customers",
    )
    def get(self, request: Request, customer_id: str) -> Response:
        return Response(exports.read_held_data(member=self.member, customer_id=customer_id))
