"""What the sign-in pages give to nobody: an account, or another address. Administrators make the members."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import Http404, HttpRequest, HttpResponse


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth ships no types
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False


def closed(request: HttpRequest) -> HttpResponse:
    """A page of the sign-in library that is none of ours: who may call themselves by which address, the command line says.

    An address that somebody took for themselves, unchecked, would be found by whoever makes its true owner a member.
    """
    raise Http404
