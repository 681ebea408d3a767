"""Doors for people who are not in yet: an invitation's link, and an organisation's own sign-in service."""

from __future__ import annotations

from allauth.account.utils import perform_login
from csp.decorators import csp_update
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from atendimento import tenancy
from atendimento.access import NotFound
from atendimento.actions import invitations
from atendimento.actions.faults import InvalidInput
from atendimento.models import Invitation, SingleSignOn
from atendimento.selectors import signin as words
from atendimento.selectors.joining import ROLES


@never_cache
@require_http_methods(["GET", "POST"])
def invitation(request: HttpRequest, secret: str) -> HttpResponseBase:
    found = invitations.open_invitation(secret)
    if found is None:
        return render(request, "account/invitation.html", {"gone": True}, status=404)
    language = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "") or found.organization.language
    with translation.override(language), tenancy.organization(found.organization_id):
        return _accept(request, found, secret) if request.method == "POST" else _shown(request, found)


def _shown(request: HttpRequest, found: Invitation, status: int = 200, problem: str = "") -> HttpResponse:
    account = invitations.person_of(found)
    signed_in = request.user.is_authenticated
    mine = signed_in and account is not None and account.pk == request.user.pk
    context = {
        "invitation": found,
        "role": ROLES[found.role],
        "has_account": account is not None,
        "mine": mine,
        "as_other": signed_in and not mine,
        "sign_in": f"{reverse('account_login')}?next={request.path}",
        "problem": problem,
    }
    return render(request, "account/invitation.html", context, status=status)


def _accept(request: HttpRequest, found: Invitation, secret: str) -> HttpResponseBase:
    try:
        if invitations.person_of(found) is not None:
            if not request.user.is_authenticated:
                return redirect_to_login(request.path)
            member = invitations.accept_as(secret=secret, user=request.user)
            # A session that another organisation's service opened stays that organisation's: this one is entered anew.
            if tenancy.SIGNED_ON_KEY not in request.session:
                request.session[tenancy.SESSION_KEY] = member.pk
            return redirect("web:queue")
        member, user = invitations.accept_with_password(secret=secret, password=request.POST.get("password", "")[:4096])
    except InvalidInput as error:
        return _shown(request, found, 400, words.fault(error.faults[0].code))
    except NotFound:
        return _shown(request, found, 409, words.fault("invitation.other_address"))
    response: HttpResponseBase = perform_login(request, user, email_verification="none", redirect_url=reverse("web:queue"))
    request.session[tenancy.SESSION_KEY] = member.pk
    return response


@require_GET
def organization(request: HttpRequest) -> HttpResponse:
    """Which organisation's service? Its short name, as the administrator passes on, leads to its own page."""
    slug = request.GET.get("organization", "").replace("\0", "").strip().lower()[:100]
    if not slug:
        return render(request, "account/organization.html", {"slug": ""})
    service = _service(slug)
    if service is None:
        return render(request, "account/organization.html", {"slug": slug, "unknown": True}, status=404)
    return redirect("web:entrance-service", slug=slug)


@require_GET
def service(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The page from which the browser is sent to the organisation's service, which its form may therefore lead to."""
    found = _service(slug)
    if found is None:
        raise Http404
    context = {"service": found, "host": found.sign_in_origin.partition("://")[2], "next": request.GET.get("next", "")}
    widened = csp_update({"form-action": [found.sign_in_origin]})
    return widened(lambda asked: render(asked, "account/service.html", context))(request)


def _service(slug: str) -> SingleSignOn | None:
    return SingleSignOn.objects.select_related("organization").filter(active=True, organization__slug=slug).first()
