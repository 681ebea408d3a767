"""Who may get an account by the sign-in pages: nobody. Administrators make the members."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth ships no types
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
