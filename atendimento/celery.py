"""The workers' entrance, and what runs by the clock."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any, Self

from celery import Celery, Task, bootsteps
from celery.app.amqp import AMQP
from celery.schedules import crontab
from celery.worker.consumer import Consumer
from django.conf import settings
from django.db import connections
from kombu import Connection
from kombu.exceptions import OperationalError
from redis import RedisError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atendimento.settings")
# Every command looks for mistakes as it starts, `migrate` before all of them. A worker that takes the place of a lost one
# would spend a quarter of its start on loading pages for that.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# A task that outlives this is handed to another worker while it still runs, so it must exceed
# the longest model call with all its tries.
VISIBILITY_TIMEOUT = 3600

SWEEP = "atendimento.tasks.sweep_outbox"


class Broker(Connection):
    """A connection to the broker. One that is lost is looked for soon, and for as long as it takes."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Self:
        pace = {"interval_start": 0.2, "interval_step": 0.2, "interval_max": 2.0}  # seconds; Celery's own is 2, 4, 6, … 30
        return super().ensure_connection(*args, **pace | kwargs)


class Post(AMQP):
    Connection = Broker


class Work(Task):  # type: ignore[type-arg]
    """A task. Its thread's connections to the database are those of the task before; what the server dropped is given up."""

    def before_start(self, *_: Any) -> None:
        for connection in connections.all(initialized_only=True):
            if connection.connection is not None and not connection.is_usable():
                connection.close()


class SweepAtOnce(bootsteps.StartStopStep):
    """Whoever has come to the broker, or come back to it, has it asked at once what is due: it may have lost everything."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, consumer: Consumer) -> None:
        with suppress(OperationalError, RedisError, OSError):  # gone again; it will be asked when it is back
            consumer.app.send_task(SWEEP, expires=5, retry=False, ignore_result=True)


app = Celery("atendimento", amqp=Post, task_cls=Work)
app.steps["consumer"].add(SweepAtOnce)
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_TIMEOUT,
        "global_keyprefix": "lastro:",
        "socket_timeout": 30,
        "socket_connect_timeout": 5,
    },
    # Answers are rows in the database; nobody waits for a task's return value.
    result_backend=None,
    task_ignore_result=True,
    # A worker that dies in the middle gives its task back instead of losing it.
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    # Asked to end (SIGQUIT; SIGTERM where REMAP_SIGTERM=SIGQUIT), short tasks get this long; a model call that takes
    # longer goes back to the queue at once, instead of after the visibility timeout.
    worker_soft_shutdown_timeout=3.0,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    worker_hijack_root_logger=False,
    # Celery's hands off the database connections: it would close them after each task. See Work.
    CELERY_DB_REUSE_MAX=2**31,
    task_serializer="json",
    accept_content=["json"],
    enable_utc=True,
    timezone=settings.TIME_ZONE,
    beat_schedule={
        "retention": {"task": "atendimento.tasks.start_retention", "schedule": crontab(hour="3", minute="17")},
        # What the broker missed (down after a commit) is posted by the sweep.
        "sweep-outbox": {"task": SWEEP, "schedule": 5.0, "options": {"expires": 5}},
        "expire-values": {"task": "atendimento.tasks.expire_values", "schedule": 60.0, "options": {"expires": 60}},
        "sweep-reminders": {"task": "atendimento.tasks.sweep_reminders", "schedule": 10.0, "options": {"expires": 10}},
    },
)
app.autodiscover_tasks(["atendimento"])
