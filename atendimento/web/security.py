"""One's own sign-in: sessions, second factor, password; and for administrators, how everybody comes in."""

from __future__ import annotations

import smtplib

import structlog
from django.core.mail import send_mail
from django.http import HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento import tenancy
from atendimento.access import NotFound
from atendimento.actions import invitations, sessions, sign_on
from atendimento.actions.faults import InvalidInput
from atendimento.models import Invitation
from atendimento.selectors import administration as people
from atendimento.selectors import signin as pages
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, member_view, number, show

log = structlog.get_logger("atendimento.mail")


@require_GET
@member_view
def security(request: MemberRequest) -> HttpResponse:
    return _security(request)


def _security(request: MemberRequest, ended: str = "") -> HttpResponse:
    page = pages.security_page(
        request.member,
        session_key=request.session.session_key or "",
        by_service=tenancy.SIGNED_ON_KEY in request.session,
        ended=ended,
    )
    return show(request, "account/security.html", page=page)


@require_POST
@member_view
def end_sessions(request: MemberRequest) -> HttpResponse:
    """One of the person's own sessions, or all but this one."""
    user = request.member.user
    one = number(request.POST.get("session"))
    if one is not None:
        sessions.end_session(user=user, session_id=one)
        return redirect("web:security")
    count = sessions.end_other_sessions(user=user, current_key=request.session.session_key or "")
    return _security(
        request, ngettext("%(count)d session was ended.", "%(count)d sessions were ended.", count) % {"count": count}
    )


@never_cache
@require_POST
@member_view
def invite(request: MemberRequest) -> HttpResponse:
    """Invite by mail. The link is shown as well, this once: mail may not be set up, or may not arrive."""
    typed = {name: request.POST.get(name, "").replace("\0", "").strip()[:254] for name in ("email", "name", "role")}
    try:
        made, secret = invitations.invite(member=request.member, **typed)
    except InvalidInput as error:
        faults = {fault.pointer.removeprefix("/"): people.fault(fault.code) for fault in error.faults}
        page = people.members_page(request.member, invited=typed, invite_faults=faults)
        return show(request, "admin/members.html", 400, tab="members", page=page)
    link = request.build_absolute_uri(reverse("web:invitation", args=[secret]))
    page = people.members_page(request.member, link=link, mailed=_mailed(made, link), link_for=made.name)
    return show(request, "admin/members.html", tab="members", page=page)


def _mailed(made: Invitation, link: str) -> bool:
    """Whether the mail could be handed over; the page says so either way."""
    context = {"invitation": made, "link": link, "organization": made.organization.name, "by": made.invited_by.name}
    subject = _("%(by)s invites you to %(organization)s on Lastro") % {
        "by": context["by"],
        "organization": context["organization"],
    }
    try:
        sent = send_mail(
            " ".join(subject.split()), render_to_string("account/invitation_mail.txt", context), None, [made.email]
        )
    except (OSError, smtplib.SMTPException) as error:
        log.warning("invitation not mailed", error=type(error).__name__)
        return False
    return sent == 1


@require_POST
@member_view
def revoke_invitation(request: MemberRequest, invitation_id: int) -> HttpResponse:
    invitations.revoke_invitation(member=request.member, invitation_id=invitation_id)
    return redirect("web:admin-members")


@require_POST
@member_view
def end_sessions_of(request: MemberRequest, member_id: int) -> HttpResponse:
    sessions.end_sessions_of(member=request.member, member_id=member_id)
    return redirect("web:admin-members")


@require_POST
@member_view
def reset_factor(request: MemberRequest, member_id: int) -> HttpResponse:
    try:
        sessions.reset_second_factor(member=request.member, member_id=member_id)
    except NotFound as error:
        if error.what != "second_factor":
            raise
        problem = Problem(
            _("Nothing was changed."),
            _("This person belongs to another organisation too, which may rely on that second factor."),
        )
        return show(
            request, "admin/members.html", 409, tab="members", page=people.members_page(request.member, problem=problem)
        )
    return redirect("web:admin-members")


@require_http_methods(["GET", "POST"])
@member_view
def sign_in(request: MemberRequest) -> HttpResponse:
    """The organisation's sign-in service."""
    if request.method == "GET":
        return _sign_in(request)
    typed = {
        name: request.POST.get(name, "").replace("\0", "").strip()[:500] for name in ("issuer", "client_id", "secret", "active")
    }
    try:
        sign_on.save_sign_on(
            member=request.member,
            issuer=typed["issuer"],
            client_id=typed["client_id"],
            secret=typed["secret"],
            active=typed["active"] == "on",
        )
    except InvalidInput as error:
        faults = {fault.pointer.removeprefix("/"): pages.fault(fault.code) for fault in error.faults}
        return _sign_in(request, 400, typed=typed, faults=faults)
    return _sign_in(request, saved=_("The service answered, and was saved."))


@require_POST
@member_view
def second_factor(request: MemberRequest) -> HttpResponse:
    sign_on.require_second_factor(member=request.member, required=request.POST.get("required") == "on")
    return redirect("web:admin-sign-in")


def _sign_in(
    request: MemberRequest,
    status: int = 200,
    *,
    typed: dict[str, str] | None = None,
    faults: dict[str, str] | None = None,
    saved: str = "",
) -> HttpResponse:
    slug = request.member.organization.slug
    page = pages.sign_on_page(
        request.member,
        callback=request.build_absolute_uri(reverse("openid_connect_callback", kwargs={"provider_id": slug})),
        entrance=request.build_absolute_uri(reverse("web:entrance-service", args=[slug])),
        typed=typed,
        faults=faults,
        saved=saved,
    )
    return show(request, "admin/sign_in.html", status, tab="sign-in", page=page)
