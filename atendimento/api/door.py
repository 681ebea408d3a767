"""The machine's door: who calls, whether they may, how often, and in which language they are answered."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import redis
import structlog
from django.contrib.auth.models import AnonymousUser
from django.utils import translation
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from atendimento import access, jobs, tenancy, token_use
from atendimento.access import Caller, Permission
from atendimento.api.problems import handle
from atendimento.models import Membership
from memoria.errors import Code, DomainError

log = structlog.get_logger("atendimento.api")

RATE = 200
"""Requests a second that one token may make."""


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer TOKEN`. The organisation is the token's; from here on the connection sees its rows alone."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, Caller]:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise NotAuthenticated("A bearer token is needed.")
        caller = access.bearer(token.strip())
        if caller is None:
            raise AuthenticationFailed("The token is unknown or revoked.")
        tenancy.enter(caller.organization.pk)
        translation.activate(caller.organization.language)
        # A token is no signed-in person: what looks at `request.user` finds nobody.
        return AnonymousUser(), caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the API's description names it."""

    target_class = BearerAuthentication
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


def caller_of(request: Request) -> Caller:
    """Whoever the token acts for."""
    caller: object = request.auth
    if not isinstance(caller, Caller):
        raise NotAuthenticated("A bearer token is needed.")
    return caller


class TokenRate(BaseThrottle):
    """A count per token and second in Redis. While Redis is away, requests pass: a limit is no reason to stop work."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        caller = caller_of(request)
        second = int(time.time())
        key = f"lastro:rate:{caller.token_id}:{second}"
        try:
            with jobs.connection().pipeline(transaction=False) as pipeline:
                pipeline.incr(key)
                pipeline.expire(key, 2)
                token_use.note(pipeline, caller.token_id, second)
                count = pipeline.execute()[0]
        except redis.RedisError as error:
            log.warning("rate limit not counted", error=type(error).__name__)
            return True
        return int(count) <= RATE

    def wait(self) -> float:
        return 1.0


class Call(APIView):
    """A call's base: `needs` names the permission for each method, and is asked before anything is looked up."""

    authentication_classes = (BearerAuthentication,)
    throttle_classes = (TokenRate,)
    renderer_classes = (JSONRenderer,)
    metadata_class = None
    needs: ClassVar[dict[str, Permission]] = {}

    def check_permissions(self, request: Request) -> None:
        method = "GET" if request.method == "HEAD" else request.method or ""
        if method in self.needs:
            caller_of(request).require(self.needs[method])

    def get_exception_handler(self) -> Any:
        return handle

    @property
    def caller(self) -> Caller:
        return caller_of(self.request)

    @property
    def member(self) -> Membership:
        """The member whom the token acts for; an integration decides nothing."""
        if self.caller.member is None:
            raise DomainError(Code.PERMISSION_DENIED, "§3")
        return self.caller.member
