"""The post box: jobs by name, owed in the transaction that causes them and handed to the broker after its commit.

An outbox row is the job; what the broker carries is only a hint that it is due. Whatever the broker loses, the sweep
posts again, and a job that is settled already does nothing. Also here: the live events that open pages listen to.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache

import redis
import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from kombu.exceptions import OperationalError
from redis.backoff import NoBackoff
from redis.retry import Retry

from atendimento import locks
from atendimento.celery import app
from atendimento.models import OutboxEntry

log = structlog.get_logger("atendimento.jobs")

PROPOSE = "atendimento.tasks.propose"
"""Asks the model about a ticket's new messages. Subject: the proposal."""

WRITE_IMPORT = "atendimento.tasks.write_import"
"""Writes the messages of an imported file. Subject: the import."""

REREAD = "atendimento.tasks.reread"
"""Has the model read a ticket's messages again, window by window. Subject: the rebuild."""

MAIL_REMINDER = "atendimento.tasks.mail_reminder"
"""Sends the mail of a reminder. Subject: the reminder."""

SIMULATE = "atendimento.tasks.simulate"
"""Tries a draft of a ticket type on past decisions. Subject: the simulation."""

SETTLE_PUBLICATION = "atendimento.tasks.settle_publication"
"""Does to tickets what the publishing of a version asks for. Subject: the publication."""

WAKE = "atendimento.tasks.wake"
"""Opens a snoozed ticket again at its time. Subject: the ticket."""

RETAIN = "atendimento.tasks.retain"
"""Erases what is over its period. Subject: the run of retention."""

ERASE = "atendimento.tasks.erase"
"""Erases a customer. Subject: the request."""

REPOST_AFTER = timedelta(seconds=15)
"""How long a posted job may be overdue before it is taken for lost. A second posting does no harm."""

LOST_FOR_SURE = timedelta(minutes=10)
"""So long overdue, a job is posted again even where the broker's queue is full."""

QUEUE = "lastro:celery"
"""The Redis list that the workers take jobs from (see celery.py: key prefix, and Celery's own default queue)."""

GRACE = timedelta(seconds=5)
"""A job that is due now is most likely on its way."""

_SWEEPING = int.from_bytes(b"sweeping")


def owe(job: str, subject: uuid.UUID, organization_id: int, due_at: datetime, moment: datetime) -> None:
    """Owe a job from `due_at` on, in the transaction that the caller opened; again moves it. Posted after the commit."""
    OutboxEntry.objects.update_or_create(
        job=job, subject=subject, defaults={"organization_id": organization_id, "due_at": due_at, "posted_at": None}
    )
    countdown = max(0.0, (due_at - moment).total_seconds())
    transaction.on_commit(lambda: _post(job, subject, organization_id, countdown, moment))


def plan(job: str, subject: uuid.UUID, organization_id: int, due_at: datetime) -> None:
    """Owe a job that may be days away, in the transaction that the caller opened; again moves it.

    The broker is not told: what waits there for long is handed out twice. The sweep posts it within seconds of `due_at`.
    """
    OutboxEntry.objects.update_or_create(
        job=job, subject=subject, defaults={"organization_id": organization_id, "due_at": due_at, "posted_at": None}
    )


def post_owed(job: str, subject: uuid.UUID, organization_id: int, moment: datetime) -> None:
    """Tell the broker now, not in a transaction, of a job that is due. One that is owed no more is not posted."""
    if OutboxEntry.objects.filter(job=job, subject=subject).exists():
        _post(job, subject, organization_id, 0.0, moment)


def settle(job: str, subject: uuid.UUID) -> None:
    """The job is owed no more, in the transaction that the caller opened."""
    OutboxEntry.objects.filter(job=job, subject=subject).delete()


def postpone(job: str, subject: uuid.UUID, due_at: datetime, moment: datetime) -> None:
    """Keep the job owed, but do not post it: it falls due by itself unless it is settled before (a lease)."""
    OutboxEntry.objects.filter(job=job, subject=subject).update(due_at=due_at, posted_at=moment)


def sweep(moment: datetime, limit: int = 500) -> int:
    """Post what is due and was not posted, or was posted and did not get done. Returns how many.

    Where the broker's queue is long, nothing need be lost: workers are busy, and every job posted twice would keep them
    busier. So what is overdue tops the queue up, and no more. Nor do two sweeps at once: the second one does nothing.
    """
    with locks.held(_SWEEPING) as alone:
        return _sweep(moment, limit) if alone else 0


def _sweep(moment: datetime, limit: int) -> int:
    never = Q(posted_at=None, due_at__lte=moment)
    overdue = Q(due_at__lte=moment - GRACE)
    posted = _post_all(never | (overdue & Q(posted_at__lte=moment - LOST_FOR_SURE)), limit, moment)
    room = limit - posted - _queued()
    if room > 0:
        posted += _post_all(overdue & Q(posted_at__lte=moment - REPOST_AFTER), room, moment)
    return posted


def _post_all(which: Q, limit: int, moment: datetime) -> int:
    posted = 0
    for entry in OutboxEntry.objects.filter(which).order_by("due_at")[:limit]:
        if not _post(entry.job, entry.subject, entry.organization_id, 0.0, moment):
            break
        posted += 1
    return posted


def _queued() -> int:
    """How many jobs the broker holds for workers; none, where it cannot be asked."""
    try:
        return int(connection().llen(QUEUE))
    except redis.RedisError:
        return 0


def _post(job: str, subject: uuid.UUID, organization_id: int, countdown: float, moment: datetime) -> bool:
    try:
        app.send_task(job, args=[organization_id, str(subject)], countdown=countdown or None, retry=False, ignore_result=True)
    except (OperationalError, redis.RedisError, OSError) as error:
        # The row stays unposted; the sweep finds it when the broker is back.
        log.warning("job not posted", job=job, subject=str(subject), error=type(error).__name__)
        return False
    OutboxEntry.objects.filter(job=job, subject=subject).update(posted_at=moment)
    return True


# --- live events --------------------------------------------------------------------------------------------------

KEPT_EVENTS = 1000
"""So many of an organisation's last live events are kept for pages that were cut off. After a longer gap they ask anew."""

KEPT_SECONDS = 24 * 60 * 60

# In one stroke, so that whoever listens hears events in the order in which they are kept.
_PUBLISH = """
local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'd', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('PUBLISH', KEYS[2], id .. ' ' .. ARGV[1])
return id
"""


def channel(organization_id: int) -> str:
    """The Redis channel of an organisation's live events."""
    return f"lastro:org:{organization_id}"


def kept(organization_id: int) -> str:
    """The Redis stream in which the last of them are kept."""
    return f"lastro:org:{organization_id}:kept"


@lru_cache(maxsize=1)
def connection() -> redis.Redis:
    """This process's connection to Redis, for live events and rate limits: short waits, a lost server is no fault."""
    # One more try, for a connection that the server has dropped; the client's own way waits for seconds between tries.
    once_more = Retry(NoBackoff(), 1)
    return redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1, retry=once_more)


def publish(organization_id: int, document: Mapping[str, object]) -> None:
    """Tell open pages what happened. They catch up by themselves, so a lost event is only logged.

    `document` is {ticket, kind, version, message, member, team, hands}, or {kind, to}: ids and numbers, no words. Team (or
    None) and hands (members whom it lies with) say who may hear of it, as access.visible does; pages are not told those.
    """
    keys = [kept(organization_id), channel(organization_id)]
    try:
        connection().eval(_PUBLISH, len(keys), *keys, json.dumps(document), str(KEPT_EVENTS), str(KEPT_SECONDS))
    except redis.RedisError as error:
        log.warning("live event not published", error=type(error).__name__)
