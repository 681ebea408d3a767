"""The web server's entrance."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Final

from django.core.asgi import get_asgi_application

from atendimento.bodies import bounded

POSTS_WITHIN: Final = 2
"""Seconds that the web server waits for the broker; workers, who listen to it, wait longer."""

# Requests run on many short-lived threads: without a pool each would open a connection of its own.
os.environ.setdefault("DATABASE_POOL_SIZE", "10")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atendimento.settings")
application = bounded(get_asgi_application())

# Whoever writes a message must not wait for a broker that hangs: the job is owed already, and the sweep posts it.
# Fetched here: it reads the settings, which the lines above have a say in.
broker = import_module("atendimento.celery").app.conf
broker.broker_transport_options = {**broker.broker_transport_options, "socket_timeout": POSTS_WITHIN}
