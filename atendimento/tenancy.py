"""Which organisation a request or task works for, told to the database so that row security can keep the walls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from asgiref.sync import sync_to_async
from django.db import InterfaceError, OperationalError, connection
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from atendimento import access
from atendimento.middleware import Around
from atendimento.models import Membership

log = structlog.get_logger("atendimento.tenancy")

SESSION_KEY = "lastro_membership"
"""Session key of the membership that a person of several organisations chose last."""
SIGNED_ON_KEY = "lastro_signed_on"
"""Session key of the organisation whose own service opened the session: it says nothing of any other organisation."""

ACCOUNT_PAGES = ("/conta/fator/", "/conta/password/", "/conta/reauthenticate/")
"""What decides how a person signs in everywhere: shut to a session that one organisation's service has opened."""


def enter(organization_id: int) -> None:
    """Let this connection see and write this organisation's rows, until `leave`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lastro.organization', %s, false)", [str(organization_id)])


def leave() -> None:
    """Let this connection see no organisation's rows. Does nothing where no connection is open.

    One that the database has dropped meanwhile is given up: it carries nothing over, and the work that was done on it
    before is done, whatever becomes of it now.
    """
    if connection.connection is not None and not connection.connection.closed:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('lastro.organization', '', false)")
        except (OperationalError, InterfaceError) as error:
            log.warning("connection lost", error=type(error.__cause__ or error).__name__)
            connection.close()


@contextmanager
def organization(organization_id: int) -> Iterator[None]:
    """Work for one organisation inside the block: tasks, commands and tests."""
    enter(organization_id)
    try:
        yield
    finally:
        leave()


class TenancyMiddleware(Around):
    """Sets `request.member` for who is signed in, and the connection's organisation; clears it afterwards.

    The machine's door finds its member by token instead, but is cleared up after here like any other.
    """

    def before(self, request: HttpRequest) -> None:
        request.member = None  # type: ignore[attr-defined]
        if request.path.startswith("/api/") or not request.user.is_authenticated:
            return
        if request.path.startswith(ACCOUNT_PAGES) and SIGNED_ON_KEY in request.session:
            raise Http404
        member = _chosen(request)
        if member is not None:
            request.member = member  # type: ignore[attr-defined]
            enter(member.organization_id)

    def after(self, request: HttpRequest, response: HttpResponseBase) -> None:
        leave()

    async def acall(self, request: HttpRequest) -> HttpResponseBase:
        # The database is reached in the request's own thread, where the view will find the same connection.
        try:
            # Inside: where the browser hangs up meanwhile, the thread goes on, and what it set is cleared all the same.
            await sync_to_async(self.before)(request)
            answered = await self.get_response(request)  # type: ignore[misc]
        finally:
            await sync_to_async(leave)()
        assert isinstance(answered, HttpResponseBase)
        return answered


def _chosen(request: HttpRequest) -> Membership | None:
    assert request.user.is_authenticated
    session = request.session
    return access.membership_of(request.user, session.get(SESSION_KEY), within=session.get(SIGNED_ON_KEY))
