"""Is the process up, and does it reach what it needs?"""

from __future__ import annotations

import os
import secrets

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from redis.backoff import NoBackoff
from redis.retry import Retry

NO_RETRY = Retry(NoBackoff(), 0)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    missing = [*database_problems(), *redis_problems()]
    return JsonResponse({"status": "unavailable" if missing else "ok", "missing": missing}, status=503 if missing else 200)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    if not _may_read_figures(request):
        return HttpResponse(status=403)
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        # Several processes serve and work; each leaves its figures in that folder, and any of them adds all up.
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _may_read_figures(request: HttpRequest) -> bool:
    """Whoever bears METRICS_TOKEN. Without one: this machine itself, where the product serves nobody else."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {settings.METRICS_TOKEN}".encode())
    asks = request.META.get("REMOTE_ADDR", "")
    here = asks == "::1" or asks.startswith("127.")
    # A proxy on this machine asks from here too, for others; it would be known by its address or by what it adds.
    return here and settings.SERVED_HERE and not request.META.get("lastro.forwarded")


def database_problems() -> list[str]:
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return ["database"]
    return [f"migration {migration.app_label}.{migration.name}" for migration, _ in waiting]


def redis_problems() -> list[str]:
    try:
        # The client's own retries would keep the probe waiting for longer than its caller does.
        with redis.Redis.from_url(settings.REDIS_URL, retry=NO_RETRY, socket_connect_timeout=2, socket_timeout=2) as client:
            client.ping()
    except redis.RedisError:
        return ["redis"]
    return []
