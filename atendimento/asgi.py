"""The web server's entrance."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

from atendimento.bodies import bounded

# Requests run on many short-lived threads: without a pool each would open a connection of its own.
os.environ.setdefault("DATABASE_POOL_SIZE", "10")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atendimento.settings")
application = bounded(get_asgi_application())
