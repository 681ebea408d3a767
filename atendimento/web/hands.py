"""Assume, transfer, escalate, answer, snooze: plain forms that a script shows as dialogs over the ticket."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento import access, wording
from atendimento.access import NotFound
from atendimento.actions import handing, tickets
from atendimento.actions.faults import InvalidInput, invalid
from atendimento.actions.handing import ChangedHands
from atendimento.hands import Hands
from atendimento.models import Ticket, TicketStatus
from atendimento.selectors import hands
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show
from atendimento.web.places import place_of, ticket_at
from memoria.errors import Code, DomainError

LONGEST = timedelta(days=366)


@require_POST
@member_view
def assume(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Make the ticket one's own at once; where somebody else has it by now, it is asked once more."""
    seen = Hands.read(request.POST.get("seen", ""))
    return _act(request, ticket_id, "assume", lambda: handing.assume(member=request.member, ticket_id=ticket_id, seen=seen))


@require_http_methods(["GET", "POST"])
@member_view
def transfer(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    kind, _colon, to = request.POST.get("to", "").partition(":")
    person, team = to if kind == "m" else None, to if kind == "t" else None
    return _form(request, ticket_id, "transfer", lambda **given: handing.transfer(**given, to_member=person, to_team=team))


@require_http_methods(["GET", "POST"])
@member_view
def escalate(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    number = request.POST.get("to", "").removeprefix("m:")
    to = int(number) if number.isascii() and number.isdecimal() and len(number) < 18 else 0
    return _form(request, ticket_id, "escalate", lambda **given: handing.escalate(**given, to_member=to))


@require_http_methods(["GET", "POST"])
@member_view
def answer(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    return _form(request, ticket_id, "answer", handing.answer)


@require_GET
@member_view
def history(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Who had the ticket, and who handed it to whom."""
    page = hands.history(request.member, ticket_id)
    return show(request, "parts/hands.html" if is_fragment(request) else "hands.html", page=page)


@require_http_methods(["GET", "POST"])
@member_view
def snooze(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    if request.method == "GET":
        return _shown(request, hands.form(request.member, ticket_id, "snooze"))

    def run() -> Ticket:
        until = _until(request)
        return tickets.update_ticket(
            member=request.member, ticket_id=ticket_id, status=TicketStatus.SNOOZED.value, snoozed_until=until
        )

    return _act(request, ticket_id, "snooze", run, moment=request.POST.get("moment", "")[:30])


def _until(request: MemberRequest) -> datetime:
    """The moment that was chosen, by its name or as the organisation's own time. Raises InvalidInput."""
    zone = ZoneInfo(request.member.organization.timezone)
    now, chosen = timezone.now().astimezone(zone), request.POST.get("until", "")
    named = {item.key: item.at for item in hands.snooze_times(request.member.organization, now)}
    if chosen in named:
        return named[chosen]
    try:
        local = datetime.fromisoformat(request.POST.get("moment", ""))
        until = local.replace(tzinfo=local.tzinfo or zone).astimezone(UTC)
    except (ValueError, OverflowError):
        raise invalid("/moment", "snooze.no_moment", "must be a moment") from None
    if until <= now:
        raise invalid("/moment", "snooze.past", "must be in the future")
    if until > now + LONGEST:
        raise invalid("/moment", "snooze.too_far", "must be within a year")
    return until


def _form(request: MemberRequest, ticket_id: uuid.UUID, act: str, run: Callable[..., Ticket]) -> HttpResponse:
    if request.method == "GET":
        return _shown(request, hands.form(request.member, ticket_id, act))
    note = request.POST.get("note", "").replace("\0", "")
    given = {
        "member": request.member,
        "ticket_id": ticket_id,
        "note": note,
        "seen": Hands.read(request.POST.get("seen", "")),
        "key": _key(request),
    }
    return _act(request, ticket_id, act, lambda: run(**given), note=note, to=request.POST.get("to", ""))


def _key(request: MemberRequest) -> uuid.UUID | None:
    try:
        return uuid.UUID(request.POST.get("key", ""))
    except ValueError:
        return None


def _act(request: MemberRequest, ticket_id: uuid.UUID, act: str, run: Callable[[], Ticket], **typed: str) -> HttpResponse:
    """Run it, and go back to the ticket, or to the queue where that is out of sight now. A refusal keeps what was typed."""
    asleep = (
        act == "transfer"
        and Ticket.objects.filter(
            pk=ticket_id, organization=request.member.organization_id, status=TicketStatus.SNOOZED
        ).exists()
    )
    try:
        moved = run()
    except ChangedHands as error:
        return _refused(request, ticket_id, act, hands.changed_hands(error.last), 409, **typed)
    except InvalidInput as error:
        return _refused(request, ticket_id, act, " ".join(hands.fault(item.code) for item in error.faults), 400, **typed)
    except DomainError as error:
        if error.code is not Code.TICKET_MERGED:
            raise
        return _refused(request, ticket_id, act, wording.sentence(error.reason), 409, **typed)
    did = "transfer_awake" if asleep and moved.status == TicketStatus.OPEN else act
    try:
        access.ticket(request.member, ticket_id)
    except NotFound:
        return redirect(place_of(request).address(did=did))
    return redirect(ticket_at(request, ticket_id, did=did))


def _refused(request: MemberRequest, ticket_id: uuid.UUID, act: str, problem: str, status: int, **typed: str) -> HttpResponse:
    return _shown(request, hands.form(request.member, ticket_id, act, problem=problem, **typed), status)


def _shown(request: MemberRequest, form: hands.HandForm, status: int = 200) -> HttpResponse:
    template = "parts/hand.html" if is_fragment(request) else "hand.html"
    return show(request, template, status, form=form)
