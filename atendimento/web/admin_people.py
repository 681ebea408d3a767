"""Members, tokens, and the log of what administrators did. Every step is a plain form."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from atendimento import token_use
from atendimento.actions import administration as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import administration as pages
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, member_view, show


def _typed(request: MemberRequest, *names: str) -> dict[str, str]:
    return {name: request.POST.get(name, "").replace("\0", "").strip()[:254] for name in names}


def _beside(error: InvalidInput) -> dict[str, str]:
    """What is wrong, by the control that it stands beside."""
    return {fault.pointer.removeprefix("/"): pages.fault(fault.code) for fault in error.faults}


@require_http_methods(["GET", "POST"])
@member_view
def members(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        return show(request, "admin/members.html", tab="members", page=pages.members_page(request.member))
    typed = _typed(request, "email", "name", "role")
    try:
        made = actions.add_member(member=request.member, password=request.POST.get("password", ""), **typed)
    except InvalidInput as error:
        page = pages.members_page(request.member, typed=typed, faults=_beside(error))
        return show(request, "admin/members.html", 400, tab="members", page=page)
    page = pages.members_page(request.member, added=pages.member_added(made.name))
    return show(request, "admin/members.html", tab="members", page=page)


def _change(request: MemberRequest, run: Callable[[], None]) -> HttpResponse:
    try:
        run()
    except InvalidInput as error:
        problem = Problem(_("Nothing was changed."), " ".join(_beside(error).values()))
        return show(request, "admin/members.html", 409, tab="members", page=pages.members_page(request.member, problem=problem))
    return redirect("web:admin-members")


@require_POST
@member_view
def role(request: MemberRequest, member_id: int) -> HttpResponse:
    chosen = request.POST.get("role", "")
    return _change(request, lambda: actions.change_role(member=request.member, member_id=member_id, role=chosen))


@require_POST
@member_view
def deactivate(request: MemberRequest, member_id: int) -> HttpResponse:
    return _change(request, lambda: actions.deactivate_member(member=request.member, member_id=member_id))


@require_POST
@member_view
def reactivate(request: MemberRequest, member_id: int) -> HttpResponse:
    return _change(request, lambda: actions.reactivate_member(member=request.member, member_id=member_id))


@require_http_methods(["GET", "POST"])
@member_view
def tokens(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        return show(request, "admin/tokens.html", tab="tokens", page=pages.tokens_page(request.member, token_use.last_uses))
    typed = _typed(request, "name", "scope")
    try:
        made = actions.create_token(member=request.member, **typed)
    except InvalidInput as error:
        page = pages.tokens_page(request.member, token_use.last_uses, typed=typed, faults=_beside(error))
        return show(request, "admin/tokens.html", 400, tab="tokens", page=page)
    # Answered at once, not by a redirect: the token is written down nowhere that a second page could read.
    return show(
        request, "admin/tokens.html", tab="tokens", page=pages.tokens_page(request.member, token_use.last_uses, made=made)
    )


@require_POST
@member_view
def revoke(request: MemberRequest, token_id: int) -> HttpResponse:
    actions.revoke_token(member=request.member, token_id=token_id)
    return redirect(reverse("web:admin-tokens"))
