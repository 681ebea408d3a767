"""Portuguese for people, unless they chose another language in this browser; programs name theirs in a header."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation

API = "/api/"


class ChosenLanguageMiddleware(LocaleMiddleware):
    """Before signing in nobody's organisation is known, and a browser's own language is rarely a choice."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(API):
            super().process_request(request)
            return
        chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
        language = chosen if chosen in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE
        translation.activate(language)
        request.LANGUAGE_CODE = language

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return super().process_response(request, response)
        response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        return response
