"""Logging: one JSON object a line, with the ids of the request, ticket and task it belongs to.

Both our own loggers and those of the libraries go through the same chain, so that every line has one shape.
"""

from __future__ import annotations

import logging
import logging.config
from typing import Any

import structlog
from structlog.tracebacks import ExceptionDictTransformer

# Lines of these are repeated by our own request line, or tell nothing an operator acts upon.
QUIET = {"uvicorn.access": "WARNING", "httpx": "WARNING", "httpcore": "WARNING", "openai": "WARNING", "django.request": "ERROR"}
# Without local variables: they hold what people wrote, and addresses with passwords.
TRACEBACKS = structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False))

# Their errors come from what a request or a task was given: an exception's words, and a path, may hold what people wrote.
SPARING = frozenset({"django.request", "celery.app.trace"})


def without_words(_logger: Any, _method: str, line: dict[str, Any]) -> dict[str, Any]:
    """An unforeseen error by its kind and place alone."""
    if line.get("logger") in SPARING and "exception" in line:
        line["event"] = "unforeseen error"
        for error in line["exception"]:
            error.pop("exc_value", None)
            error.pop("exc_notes", None)
    elif line.get("logger") == "django.request":
        line["event"] = str(line["event"]).partition(":")[0]
    return line


def configure(settings: dict[str, Any]) -> None:
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    renderer: list[Any] = (
        [structlog.dev.ConsoleRenderer(colors=False)]
        if settings["readable"]
        else [TRACEBACKS, without_words, structlog.processors.JSONRenderer(ensure_ascii=False)]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {
                "lines": {
                    "()": structlog.stdlib.ProcessorFormatter,
                    "foreign_pre_chain": shared,
                    "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderer],
                }
            },
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
            "root": {"handlers": ["stderr"], "level": settings["level"]},
            "loggers": {name: {"level": level} for name, level in QUIET.items()},
        }
    )
