"""A person's reminders, and what an administrator sets for them. Every step is a plain form."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from atendimento.actions import reminder_mails
from atendimento.actions import reminders as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import reminders as pages
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


@require_GET
@member_view
def index(request: MemberRequest) -> HttpResponse:
    if is_fragment(request):
        return show(request, "parts/bell.html", bell=pages.bell(request.member, with_news=True))
    return show(request, "reminders.html", page=pages.reminders(request.member))


@require_POST
@member_view
def opened(request: MemberRequest, reminder_id: str) -> HttpResponse:
    """Opening one is what marks it as read."""
    return redirect(pages.place(actions.read_reminder(member=request.member, reminder_id=reminder_id)))


@require_POST
@member_view
def all_read(request: MemberRequest) -> HttpResponse:
    actions.read_all(member=request.member)
    return redirect("web:reminders")


@require_POST
@member_view
def mails(request: MemberRequest) -> HttpResponse:
    actions.set_mails(member=request.member, on=request.POST.get("mails") == "on")
    return redirect("web:reminders")


@require_GET
@member_view
def settings(request: MemberRequest) -> HttpResponse:
    return show(request, "admin/reminders.html", tab="reminders", page=pages.administered(request.member))


@require_POST
@member_view
def lead(request: MemberRequest) -> HttpResponse:
    typed = request.POST.get("hours", "").replace("\0", "").strip()[:20]
    try:
        actions.set_lead(member=request.member, hours=typed)
    except InvalidInput as error:
        page = pages.administered(request.member, typed, error.faults[0].code)
        return show(request, "admin/reminders.html", 400, tab="reminders", page=page)
    messages.info(request, _("Saved."))
    return redirect("web:admin-reminders")


@require_POST
@member_view
def mail_again(request: MemberRequest) -> HttpResponse:
    owed = reminder_mails.mail_again(member=request.member)
    said = ngettext("%(count)d mail is tried again.", "%(count)d mails are tried again.", owed) % {"count": owed}
    messages.info(request, said)
    return redirect("web:admin-reminders")
