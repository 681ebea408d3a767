"""Splitting a ticket, and merging it into another one: pages of their own, which work without JavaScript."""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from atendimento.actions.faults import InvalidInput
from atendimento.actions.merging import merge_ticket
from atendimento.actions.splitting import MOST_MESSAGES, Part, split_ticket
from atendimento.selectors import moving as pages
from atendimento.selectors import problems
from atendimento.selectors.moving import SplitChoice
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, member_view, number, show
from memoria.errors import Code, DomainError

MOST_VALUES = 1000


@require_http_methods(["GET", "POST"])
@member_view
def split(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Choose what goes to the new ticket. Looking at other messages posts the form too, so that nothing chosen is lost."""
    choice = _choice(request)
    if request.method == "GET" or "window" in request.POST:
        return show(request, "moving/split.html", page=pages.split_page(request.member, ticket_id, choice))
    try:
        key = uuid.UUID(choice.key)
    except ValueError:
        return _split_again(request, ticket_id, choice, Problem(_("The form is not complete. Reload the page.")), 400)
    messages = (*choice.messages, *_range(choice.first, choice.last))
    part = Part(choice.subject or "", choice.ticket_type, messages, choice.values)
    version = number(request.POST.get("expected_version")) or 0
    try:
        made, _new = split_ticket(member=request.member, ticket_id=ticket_id, part=part, expected_version=version, key=key)
    except InvalidInput as error:
        return _split_again(request, ticket_id, choice, _fault(error.faults[0].code), 400)
    except DomainError as error:
        if error.code is Code.PERMISSION_DENIED:
            raise
        if error.code is Code.TICKET_MERGED:
            return redirect(reverse("web:ticket", args=[ticket_id]))
        problem = problems.problem(request.member, ticket_id, error.reason)
        if error.code is Code.CARRY_NOT_POSSIBLE:
            items = pages.not_taken(request.member, ticket_id, choice.ticket_type, choice.values)
            problem = Problem(problem.title, "", items)
        return _split_again(request, ticket_id, choice, problem, 409)
    return redirect(reverse("web:ticket", args=[made.pk]))


def _choice(request: MemberRequest) -> SplitChoice:
    if request.method == "GET":
        return SplitChoice()
    given = request.POST
    return SplitChoice(
        subject=given.get("subject", "").replace("\0", "")[:400],
        ticket_type=given.get("type", "").replace("\0", "")[:100],
        messages=tuple(dict.fromkeys(given.getlist("message")))[: MOST_MESSAGES + 1],
        values=tuple(dict.fromkeys(given.getlist("value")))[:MOST_VALUES],
        first=given.get("first", "").strip()[:12],
        last=given.get("last", "").strip()[:12],
        before=number(given.get("window")),
        key=given.get("key", "")[:50],
    )


def _range(first: str, last: str) -> tuple[str, ...]:
    """The messages of a range, both ends included, as far as a form may name them: one more than that is too many."""
    if not first and not last:
        return ()
    low, high = (number(text.lower().removeprefix("m-")) for text in (first or last, last or first))
    if low is None or high is None or low > high:
        return ("",)  # names no message
    return tuple(f"m-{at}" for at in range(low, min(high, low + MOST_MESSAGES) + 1))


def _fault(code: str) -> Problem:
    words = {
        "split.subject": _("Give the new ticket a subject."),
        "split.empty": _("Choose a message or a value."),
        "message.unknown": _("One of the messages is not there, or was deleted."),
        "split.too_many_messages": _("At most %(count)d messages can be chosen.") % {"count": MOST_MESSAGES},
    }
    return Problem(words.get(code, _("The form is not complete. Reload the page.")))


def _split_again(
    request: MemberRequest, ticket_id: uuid.UUID, choice: SplitChoice, problem: Problem, status: int
) -> HttpResponse:
    return show(request, "moving/split.html", status, page=pages.split_page(request.member, ticket_id, choice, problem))


@require_http_methods(["GET", "POST"])
@member_view
def merge(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Choose the ticket that takes this one in; then, with all that is left undecided in view, merge."""
    if request.method == "GET":
        query = request.GET.get("q", "").replace("\0", "").strip()[:200]
        into = request.GET.get("into", "").replace("\0", "").strip()[:40]
        return show(request, "moving/merge.html", page=pages.merge_page(request.member, ticket_id, query=query, into=into))
    into, chosen = request.POST.get("into", "")[:40], request.POST.getlist("value")[:MOST_VALUES]
    versions = [number(request.POST.get(name)) for name in ("expected_version", "into_version")]
    seen = request.POST.get("seen", "").split()  # in one field, since a form's fields are limited in number
    try:
        if None in versions:
            raise InvalidInput
        merge_ticket(
            member=request.member,
            ticket_id=ticket_id,
            into=into,
            carry=chosen,
            expected_version=versions[0],
            into_version=versions[1],
            seen=seen,
        )
    except InvalidInput:
        problem = Problem(_("Choose the ticket that takes this one in."))
        return show(request, "moving/merge.html", 400, page=pages.merge_page(request.member, ticket_id, problem=problem))
    except DomainError as error:
        if error.code is Code.PERMISSION_DENIED:
            raise
        if error.code is Code.TICKET_MERGED:
            return redirect(reverse("web:ticket", args=[ticket_id]))
        problem = problems.problem(request.member, ticket_id, error.reason)
        page = pages.merge_page(request.member, ticket_id, into=into, chosen=chosen, problem=problem)
        return show(request, "moving/merge.html", 409, page=page)
    return redirect(reverse("web:ticket", args=[ticket_id]))
