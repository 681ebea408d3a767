"""The language of a page before it is known whose it is: chosen in this browser, else the browser's own, else Portuguese.

Where a member is signed in, `doors.language_of` has the last word.
"""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import translation
from django.utils.cache import patch_vary_headers

API = "/api/"


class ChosenLanguageMiddleware(LocaleMiddleware):
    """Programs name their language in a header; so do browsers, until somebody signs in or chooses."""

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(API):
            super().process_request(request)
            return
        chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
        if chosen in dict(settings.LANGUAGES):
            language = chosen
        elif settings.SESSION_COOKIE_NAME in request.COOKIES:
            language = settings.LANGUAGE_CODE  # whose page it is says so later
        else:
            language = translation.get_language_from_request(request)
        translation.activate(language)
        request.LANGUAGE_CODE = language

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return super().process_response(request, response)
        patch_vary_headers(response, ["Accept-Language", "Cookie"])
        response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
        return response
