"""How the sign-in library is bent to this house: nobody signs up, secrets are sealed, a service speaks for its own members."""

from __future__ import annotations

from typing import Any, Final

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.views import logout
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialLogin
from allauth.socialaccount.providers.base import AuthProcess
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from atendimento import outbound, seals, tenancy
from atendimento.actions import invitations
from atendimento.models import Membership, SingleSignOn, User

PROVIDER: Final = "openid_connect"
FACTOR_SEEN: Final = "lastro_second_factor"
"""Session key: this person's second factor was found. It cannot be given up while the organisation asks for it."""


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth ships no types
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def post_login(self, request: HttpRequest, user: User, **how: Any) -> HttpResponseBase:
        """A session that an organisation's service opened is good for that organisation alone."""
        login = (how.get("signal_kwargs") or {}).get("sociallogin")
        if login is not None:
            request.session[tenancy.SIGNED_ON_KEY] = login.state[tenancy.SIGNED_ON_KEY]
        return super().post_login(request, user, **how)  # type: ignore[no-any-return]


class FactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    def encrypt(self, text: str) -> str:
        return seals.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return seals.unseal(encrypted_text)

    def get_totp_issuer(self) -> str:
        return "Lastro"

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        asking = Membership.objects.filter(
            user_id=authenticator.user_id, is_active=True, organization__requires_second_factor=True
        )
        return not asking.exists()


class ServiceAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Members of one organisation by its own service: found by an address that the service has verified."""

    def list_apps(self, request: HttpRequest, provider: str | None = None, client_id: str | None = None) -> list[SocialApp]:
        rows = SingleSignOn.objects.select_related("organization").filter(active=True, organization__slug=provider)
        return [
            SocialApp(
                provider=PROVIDER,
                provider_id=row.organization.slug,
                name=row.organization.name,
                client_id=row.client_id,
                secret=seals.unseal(row.sealed_secret),
                settings={"server_url": row.issuer, "oauth_pkce_enabled": True},
            )
            for row in rows
        ]

    def get_requests_session(self) -> Any:
        """Addresses are looked at again at each call: a name may lead elsewhere than on the day it was typed."""
        session = super().get_requests_session()
        send = session.request

        def checked(method: str, url: str, **given: Any) -> Any:
            outbound.check(url)
            return send(method, url, **given | {"allow_redirects": False})

        session.request = checked
        return session

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Whom the service means. It never joins accounts, and never opens more than its own organisation."""
        service = SingleSignOn.objects.select_related("organization").get(organization__slug=sociallogin.account.provider)
        verified = next((item.email for item in sociallogin.email_addresses if item.verified), "")
        member = None
        if verified and sociallogin.state.get("process") == AuthProcess.LOGIN:
            with tenancy.organization(service.organization_id):
                member = invitations.member_by_address(organization_id=service.organization_id, email=verified)
        if member is None:
            page = render(
                request, "account/not_a_member.html", {"verified": verified, "name": service.organization.name}, status=403
            )
            raise ImmediateHttpResponse(page)
        sociallogin.user = member.user
        sociallogin.state[tenancy.SIGNED_ON_KEY] = service.organization_id


def lacks_second_factor(request: HttpRequest, member: Membership) -> bool:
    """Whether the organisation asks for a second factor that this person has not set up. A service sees to its own."""
    if not member.organization.requires_second_factor or request.session.get(tenancy.SIGNED_ON_KEY):
        return False
    if request.session.get(FACTOR_SEEN):
        return False
    if is_mfa_enabled(request.user, [Authenticator.Type.TOTP]):
        request.session[FACTOR_SEEN] = True
        return False
    return True


def sign_out(request: HttpRequest) -> HttpResponseBase:
    """Sign out, and have the browser forget what it kept of these pages: for whoever sits down there next."""
    response: HttpResponseBase = logout(request)
    if request.method == "POST":
        response["Clear-Site-Data"] = '"cache", "storage"'
        response["Cache-Control"] = "no-store, private"
    return response


def closed(request: HttpRequest) -> HttpResponse:
    """A page of the sign-in library that is none of ours: who may call themselves by which address, the command line says.

    An address that somebody took for themselves, unchecked, would be found by whoever makes its true owner a member.
    """
    raise Http404
