"""What the product knows about a model's server and its answers, in the reader's words.

Findings are stored as the model was told them, in English; servers' own words are quoted as they came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoria.runs import Mode, Problem

MODES: Final[Mapping[str, Promise]] = {
    Mode.MARKED_SCHEMA.value: gettext_lazy("answers by a schema, and keeps what never changes of a question"),
    Mode.JSON_SCHEMA.value: gettext_lazy("answers by a schema"),
    Mode.JSON_OBJECT.value: gettext_lazy("answers in JSON, without a schema"),
    Mode.TOOL.value: gettext_lazy("answers by calling a tool"),
    Mode.TEXT.value: gettext_lazy("answers in JSON within plain text"),
}
KINDS: Final[Mapping[str, Promise]] = {
    "rate_limit": gettext_lazy("too many requests for it"),
    "server_error": gettext_lazy("an error of its own"),
    "connection": gettext_lazy("no connection"),
    "timeout": gettext_lazy("no answer in time"),
    "not_a_completion": gettext_lazy("its answer is none of the kind asked for"),
}
"""Why a server was not reached, by `memoria.runs.Unreached.kind`."""

_FINDINGS: Final[tuple[tuple[re.Pattern[str], Promise], ...]] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"the worker was lost during the last try", gettext_lazy("The worker was lost during the last try.")),
        (r"no model is configured", gettext_lazy("No model is configured.")),
        (r"no choices", gettext_lazy("It holds no answer at all.")),
        (r"content filter", gettext_lazy("The server's filter held it back.")),
        (r"it was cut off before its end; make it shorter", gettext_lazy("It was longer than the server lets it be.")),
        (r"several tools were called.*", gettext_lazy("Several tools were called instead of answering once.")),
        (r"a tool was called that there is not", gettext_lazy("A tool was called that there is not.")),
        (r"the object has no list `(?P<where>\w+)`", gettext_lazy("The list %(where)s is missing.")),
        (r"more than (?P<count>\d+) \w+", gettext_lazy("It holds more than %(count)s proposals.")),
        (r"not a JSON object", gettext_lazy("It is no JSON object.")),
        (r"not valid JSON: (?P<where>line \d+, column \d+).*", gettext_lazy("It is no valid JSON (%(where)s).")),
        (r"not valid JSON.*", gettext_lazy("It is no valid JSON.")),
        (r"(?P<where>[\w.\[\]]+) is not an object", gettext_lazy("%(where)s is no object.")),
        (r"(?P<where>[\w.\[\]]+) is not a text", gettext_lazy("%(where)s is no text.")),
        (r"(?P<where>[\w.\[\]]+) is not a list", gettext_lazy("%(where)s is no list.")),
        (r"(?P<where>[\w.\[\]]+) is not true or false", gettext_lazy("%(where)s is neither true nor false.")),
        (r"(?P<where>[\w.\[\]]+) is not a whole number", gettext_lazy("%(where)s is no whole number.")),
    )
)
_PLACE: Final = re.compile(r"line (\d+), column (\d+)")
_STATUS: Final = re.compile(r"(?P<status>[1-5]\d\d)\b ?(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Detail:
    """What is known of a failure: in the reader's words, and in the server's own, which are quoted."""

    words: str = ""
    quoted: str = ""


def mode(name: str) -> str:
    """How a server takes structured answers, in words."""
    return str(MODES.get(name, name))


def last_failure(stored: str) -> str:
    """The breaker's last failure ('server_error 503') in words."""
    kind, _space, status = stored.partition(" ")
    words = str(KINDS.get(kind, kind))
    return f"{words} (HTTP {status})" if status else words


def detail(problem: str, stored: str) -> Detail:
    """The detail of a failed reading; `problem` is its code."""
    for pattern, finding in _FINDINGS:
        found = pattern.fullmatch(stored)
        if found is not None:
            return Detail(str(finding) % {name: _place(text) for name, text in found.groupdict().items()})
    kind, _space, rest = stored.partition(" ")
    if problem == Problem.UNAVAILABLE and kind in KINDS:
        words = str(KINDS[kind])
        return Detail(words[:1].upper() + words[1:] + ".", rest)
    status = _STATUS.fullmatch(stored)
    if problem == Problem.REJECTED_REQUEST and status is not None:
        return Detail(f"HTTP {status['status']}.", status["rest"])
    return Detail("", stored)


def _place(text: str) -> str:
    return _PLACE.sub(lambda found: _("line %(line)s, column %(column)s") % {"line": found[1], "column": found[2]}, text)
