"""The web server's entrance."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Final

import django
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from atendimento.bodies import bounded

POSTS_WITHIN: Final = 2
"""Seconds that the web server waits for the broker; workers, who listen to it, wait longer."""

LIVE: Final = "/live"


class Handler(ASGIHandler):
    """Django's own, but what is written for a thread is answered on one, from the first middleware to the last.

    Left to itself Django goes from the loop to the thread and back for each half of each middleware, which takes longer than
    many an answer. Only live pages, which wait for hours, and static files are asynchronous throughout.
    """

    def __init__(self) -> None:
        super().__init__()
        self._on_thread = BaseHandler()
        self._on_thread.load_middleware()

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info == LIVE or request.path_info.startswith(settings.STATIC_URL):
            return await super().get_response_async(request)
        return await sync_to_async(self._on_thread.get_response, thread_sensitive=True)(request)


# Requests run on many short-lived threads: without a pool each would open a connection of its own.
os.environ.setdefault("DATABASE_POOL_SIZE", "10")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atendimento.settings")
django.setup(set_prefix=False)
application = bounded(Handler())

# Whoever writes a message must not wait for a broker that hangs: the job is owed already, and the sweep posts it.
# Fetched here: it reads the settings, which the lines above have a say in.
broker = import_module("atendimento.celery").app.conf
broker.broker_transport_options = {**broker.broker_transport_options, "socket_timeout": POSTS_WITHIN}
