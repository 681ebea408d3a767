"""What is written and done around the conversation: replies, drafts, the ticket's owner and status."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from atendimento import wording
from atendimento.actions import console, tickets
from atendimento.actions.faults import InvalidInput
from atendimento.actions.messages import MAX_TEXT
from atendimento.selectors import memory as panes
from atendimento.selectors import problems
from atendimento.selectors import reply as replies
from atendimento.selectors import ticket as pages
from atendimento.selectors.memory import Asked
from atendimento.selectors.pages import Composer
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show
from atendimento.web.places import place_of, ticket_at
from memoria.errors import Code, DomainError


@require_POST
@member_view
def reply(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Record what was written. A reply that the state does not bear out asks once more; a note says it to nobody."""
    text, internal = request.POST.get("text", "").replace("\0", ""), request.POST.get("kind") == "note"
    key = _key(request)
    if key is not None and replies.was_sent(request.member, ticket_id, key):
        return _recorded(request, ticket_id, lambda: None)  # the same press again
    if internal or not text.strip():
        return _recorded(request, ticket_id, lambda: console.send_draft(**_said(request, ticket_id, text, internal=internal)))
    found = replies.checked(request.member, ticket_id, text)
    asked = request.POST.get("send") == "record"
    recording = asked and bool(found.promises)
    if asked and request.POST.get("promised") != replies.promised(found):
        # What the button said is not what the words promise now: it is shown before anything is recorded.
        return _composer(request, ticket_id, Composer(text, internal, check=replies.view(found, held=True)), 409)
    if found.hinders(recording=recording) and request.POST.get("checked") != replies.digest(text):
        composer = Composer(text, internal, check=replies.view(found, held=True))
        return _composer(request, ticket_id, composer, 409)
    if not recording:
        return _recorded(request, ticket_id, lambda: console.send_draft(**_said(request, ticket_id, text)))
    return _with_commitments(request, ticket_id, text, found)


def _said(request: MemberRequest, ticket_id: uuid.UUID, text: str, *, internal: bool = False) -> dict[str, Any]:
    said = {"member": request.member, "ticket_id": ticket_id, "text": text, "internal": internal}
    return {**said, "key": _key(request)}


def _key(request: MemberRequest) -> uuid.UUID | None:
    try:
        return uuid.UUID(request.POST.get("key", ""))
    except ValueError:
        return None


def _recorded(request: MemberRequest, ticket_id: uuid.UUID, run: Callable[[], object]) -> HttpResponse:
    text, internal = request.POST.get("text", ""), request.POST.get("kind") == "note"
    try:
        run()
    except DomainError as error:
        if error.code is not Code.TICKET_MERGED:
            raise
        problem = Problem(wording.sentence(error.reason))
        return _composer(request, ticket_id, Composer(text, internal, problem), 409)
    except InvalidInput:
        problem = Problem(_("Write something first, of at most 100,000 characters."))
        return _composer(request, ticket_id, Composer(text, internal, problem), 400)
    if is_fragment(request):
        return _composer(request, ticket_id, Composer(internal=internal), 200)
    return redirect(ticket_at(request, ticket_id, show="talk"))


def _with_commitments(request: MemberRequest, ticket_id: uuid.UUID, text: str, found: replies.Checked) -> HttpResponse:
    promised = [(promise.value, promise.start, promise.end) for promise in found.promises]
    try:
        sent = console.send_with_commitments(
            member=request.member, ticket_id=ticket_id, text=text, commitments=promised, key=_key(request)
        )
    except DomainError as error:
        problem = problems.problem(request.member, ticket_id, error.reason)
        return _composer(request, ticket_id, Composer(text, problem=problem, check=replies.view(found)), 409)
    except InvalidInput:
        problem = Problem(_("Write something first, of at most 100,000 characters."))
        return _composer(request, ticket_id, Composer(text, problem=problem), 400)
    if not is_fragment(request):
        return redirect(ticket_at(request, ticket_id, show="talk", done="" if sent.version is None else str(sent.version)))
    memory = panes.read(request.member, ticket_id, Asked(done=sent.version, place=place_of(request)))
    head = pages.head(request.member, ticket_id)
    return show(request, "parts/reply_answer.html", composer=Composer(), head=head, memory=memory)


def _composer(request: MemberRequest, ticket_id: uuid.UUID, composer: Composer, status: int) -> HttpResponse:
    """The composer alone for a script, else the whole page with it."""
    if is_fragment(request):
        return show(request, "parts/composer.html", status, composer=composer, head=pages.head(request.member, ticket_id))
    page = pages.ticket_page(request.member, ticket_id, Asked(), place_of(request), composer)
    return show(request, "ticket.html", status, page=page, seen_url=reverse("web:seen", args=[ticket_id]))


@require_POST
@member_view
def check(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """What the rules find in the reply that is being written. It comes by POST: its text belongs in no address."""
    text = request.POST.get("text", "").replace("\0", "")[:MAX_TEXT]
    if request.POST.get("kind") == "note":
        text = ""
    found = replies.checked(request.member, ticket_id, text)
    return show(request, "parts/reply_findings.html", check=replies.view(found))


@require_POST
@member_view
def draft(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Keep what is being written. `add` comes from a form without scripts: its words go below what is there already."""
    text, internal = request.POST.get("text", ""), request.POST.get("kind") == "note"
    added = request.POST.get("add")
    try:
        if added is None:
            console.keep_draft(member=request.member, ticket_id=ticket_id, text=text, internal=internal)
        else:
            console.add_to_draft(member=request.member, ticket_id=ticket_id, text=added, internal=internal)
    except InvalidInput:
        return HttpResponse(status=400)
    except DomainError as error:
        if error.code is Code.PERMISSION_DENIED:
            raise
        return HttpResponse(status=409)
    if is_fragment(request):
        return HttpResponse(status=204)
    return redirect(ticket_at(request, ticket_id, show="talk") + "#composer")


@require_POST
@member_view
def seen(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    console.note_visit(member=request.member, ticket_id=ticket_id)
    return HttpResponse(status=204)


@require_POST
@member_view
def status(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    changes: dict[str, dict[str, Any]] = {"take": {"assignee": "me"}, "close": {"status": "closed"}, "open": {"status": "open"}}
    change = changes.get(request.POST.get("act", ""))
    if change is None:
        return HttpResponse(status=400)
    try:
        tickets.update_ticket(member=request.member, ticket_id=ticket_id, **change)
    except DomainError as error:
        if error.code is not Code.TICKET_MERGED:
            raise
        return redirect(ticket_at(request, ticket_id))  # a merged ticket's page says so itself
    return redirect(ticket_at(request, ticket_id, did=request.POST["act"]))
