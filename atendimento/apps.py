"""The project's one app. It loads the Celery app too, so that every process posts tasks to the same broker."""

from __future__ import annotations

from django.apps import AppConfig

from atendimento.celery import app as celery_app

__all__ = ["AtendimentoConfig", "celery_app"]


class AtendimentoConfig(AppConfig):
    name = "atendimento"
    label = "atendimento"
    verbose_name = "Atendimento"
