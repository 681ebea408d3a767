"""The workers' entrance, and what runs by the clock."""

from __future__ import annotations

import os

from celery import Celery
from celery.schedules import crontab
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atendimento.settings")

# A task that outlives this is handed to another worker while it still runs, so it must exceed
# the longest model call with all its tries.
VISIBILITY_TIMEOUT = 3600

app = Celery("atendimento")
app.conf.update(
    broker_url=settings.REDIS_URL,
    broker_connection_retry_on_startup=True,
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
    task_serializer="json",
    accept_content=["json"],
    enable_utc=True,
    timezone=settings.TIME_ZONE,
    beat_schedule={
        "retention": {"task": "atendimento.tasks.start_retention", "schedule": crontab(hour="3", minute="17")},
        # What the broker missed (down after a commit) is posted by the sweep.
        "sweep-outbox": {"task": "atendimento.tasks.sweep_outbox", "schedule": 5.0, "options": {"expires": 5}},
        "expire-values": {"task": "atendimento.tasks.expire_values", "schedule": 60.0, "options": {"expires": 60}},
        "sweep-reminders": {"task": "atendimento.tasks.sweep_reminders", "schedule": 10.0, "options": {"expires": 10}},
    },
)
app.autodiscover_tasks(["atendimento"])
