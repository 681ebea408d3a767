"""What the model is asked about new messages, and how its answer becomes changes or a reason to ask again.

Message text reaches the model only as JSON data in the user turn (U1). Nothing here mends an answer: a code fence or white
space around the whole of it is taken off, and everything else is read as it stands or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Final

from memoria.answer_schema import answer_schema
from memoria.context import Budget, ContextReport, CountTokens, Layer, Material, assemble, dump
from memoria.field_list import field_list
from memoria.instructions import instructions, prompt_version, repair_words, schema_heading
from memoria.passages import Span
from memoria.patch import MISSING, Json
from memoria.proposals import Change, Citation
from memoria.runs import Answered, Declined, Outcome, Problem, Repair, Unreached, Unreadable
from memoria.strict_json import NotStrictJson, loads

TOOL_NAME: Final = "propose_changes"
MAX_CHANGES: Final = 100  # of one proposal, by the outer contract
_SHOWN_OF_ANSWER: Final = 12_000  # code points of a bad answer that go back to the model

_FENCE: Final = re.compile(r"```(?:json)?[ \t]*\r?\n(?P<inside>.*?)\r?\n?[ \t]*```\Z", re.DOTALL | re.IGNORECASE)

Reader = Callable[[str], Any]


@dataclass(frozen=True, slots=True)
class Request:
    """One question to the model, whatever way the server takes it. `atendimento.llm` sends it."""

    system: str  # the rules and the ticket type's fields: the same for every message of a ticket type
    user: str  # one JSON document
    schema: Json  # of the answer
    name: str  # of the schema, and of the tool where the answer comes as a tool call
    prompt_version: str
    language: str
    through: int  # number of the last new message in it; where newer ones were handed in, they wait for the next run
    report: ContextReport
    rest: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)  # of cut new messages: what is still to be read
    repair: Repair | None = None  # the answer that could not be used, and what was wrong with it

    def messages(self, *, with_schema: bool) -> list[dict[str, Json]]:
        """The chat messages. `with_schema` puts the schema into the instructions, for servers that take it nowhere else."""
        system = self.system + (schema_heading(self.language) + dump(self.schema) if with_schema else "")
        turns: list[dict[str, Json]] = [{"role": "system", "content": system}, {"role": "user", "content": self.user}]
        if self.repair is not None:
            turns.append({"role": "assistant", "content": self.repair.raw[:_SHOWN_OF_ANSWER] or "-"})
            turns.append({"role": "user", "content": repair_words(self.language, self.repair.finding)})
        return turns


def build_request(
    material: Material, *, language: str, zone: tzinfo, count_tokens: CountTokens, budget: Budget | None = None
) -> Request:
    """The request about `material.new`, bounded by `budget`, with the report of what went in and what did not (N3)."""
    context = assemble(material, zone=zone, language=language, count_tokens=count_tokens, budget=budget)
    schema, fields = answer_schema(material.ticket_type), field_list(material.ticket_type)
    rules, user = instructions(language, material.ticket_type), dump(context.document)
    system = rules + fields
    rules_layer = Layer("rules", count_tokens(rules) + count_tokens(dump(schema)), 1)
    fields_layer = Layer("ticket_type", count_tokens(system) - count_tokens(rules), len(material.ticket_type.fields))
    total = count_tokens(system) + count_tokens(dump(schema)) + count_tokens(user)
    report = ContextReport((rules_layer, fields_layer, *context.layers), total)
    version = prompt_version(material.ticket_type)
    return Request(system, user, schema, TOOL_NAME, version, language, context.through, report, context.rest)


# --- reading the answer -------------------------------------------------------------------------------------------


class BadAnswer(ValueError):
    """An answer that cannot be read. `args[0]` says why, in English, without message text."""


def read_answer(raw: str) -> tuple[Change, ...]:
    """The changes of an answer. Raises BadAnswer where the whole of it cannot be used.

    What is wrong with a single change (an unknown path, a value of another type, a quote that is not there) is no fault of
    the answer: the change comes back as it is, and review refuses it with its reason.
    """
    changes = read_object(raw).get("changes")
    if not isinstance(changes, list):
        raise BadAnswer("the object has no list `changes`")
    if len(changes) > MAX_CHANGES:
        raise BadAnswer(f"more than {MAX_CHANGES} changes")
    return tuple(_change(item, f"changes[{index}]") for index, item in enumerate(changes))


def read_object(raw: str) -> dict[str, Json]:
    """The JSON object that an answer is, a fence or white space around the whole of it taken off. Raises BadAnswer."""
    text = raw.strip().strip("\ufeff").strip()
    fenced = _FENCE.match(text)
    try:
        document = loads(fenced["inside"] if fenced else text)
    except NotStrictJson as error:
        raise BadAnswer(f"not valid JSON: {error.args[0]}") from error
    if not isinstance(document, dict):
        raise BadAnswer("not a JSON object")
    return document


def _change(item: Json, where: str) -> Change:
    if not isinstance(item, dict):
        raise BadAnswer(f"{where} is not an object")
    for key in ("op", "path"):
        if not isinstance(item.get(key), str):
            raise BadAnswer(f"{where}.{key} is not a text")
    evidence = item.get("evidence")
    if not isinstance(evidence, list | None):
        raise BadAnswer(f"{where}.evidence is not a list")
    inference, reason = item.get("inference"), item.get("reason")
    if not isinstance(inference, bool | None):
        raise BadAnswer(f"{where}.inference is not true or false")
    if not isinstance(reason, str | None):
        raise BadAnswer(f"{where}.reason is not a text")
    # A strict schema makes the model name a value for every operation; what it names for a removal says nothing.
    value = MISSING if item["op"] == "remove" else item.get("value", MISSING)
    citations = tuple(_citation(cited, f"{where}.evidence[{index}]") for index, cited in enumerate(evidence or ()))
    return Change(item["op"], item["path"], value, citations, bool(inference), reason)


def _citation(item: Json, where: str) -> Citation:
    if not isinstance(item, dict):
        raise BadAnswer(f"{where} is not an object")
    for key in ("message", "quote"):
        if not isinstance(item.get(key), str):
            raise BadAnswer(f"{where}.{key} is not a text")
    start = item.get("start")
    if isinstance(start, bool) or not isinstance(start, int | None):
        raise BadAnswer(f"{where}.start is not a whole number")
    return Citation(item["message"], item["quote"], start)


def read_completion(response: Json, name: str = TOOL_NAME, read: Reader = read_answer) -> Outcome:
    """What came of a request that the server answered with HTTP 200, from the parsed body. Raises nothing.

    `read` turns the answer's text into what the asker wants, or raises BadAnswer. A cut answer is not read even where it
    parses: what is missing may be what takes back the rest.
    """
    choices = response.get("choices") if isinstance(response, dict) else None
    if choices == []:
        return Declined(Problem.FILTERED, "no choices")
    choice = choices[0] if isinstance(choices, list) else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Unreached("not_a_completion")
    content, foreign = _content(message, name)
    refusal, finish = message.get("refusal"), choice.get("finish_reason")
    outcome: Outcome
    if isinstance(refusal, str) and refusal.strip():
        outcome = Declined(Problem.REFUSED, storable(refusal)[:300], storable(refusal))
    elif finish == "content_filter":
        outcome = Declined(Problem.FILTERED, "content filter", storable(content))
    elif finish == "length":
        outcome = Unreadable(Problem.TRUNCATED, "it was cut off before its end; make it shorter", storable(content))
    elif foreign is not None:
        outcome = Unreadable(Problem.INVALID_ANSWER, foreign, storable(content))
    elif not content.strip():
        outcome = Declined(Problem.EMPTY)
    else:
        outcome = _read(content, read)
    return outcome


def _read(content: str, read: Reader) -> Outcome:
    try:
        return Answered(read(content))
    except BadAnswer as error:
        return Unreadable(Problem.INVALID_ANSWER, error.args[0], storable(content))


def storable(text: str) -> str:
    """The text without what a database takes in no text: NUL characters and halves of surrogate pairs."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _content(message: Mapping[str, Json], name: str) -> tuple[str, str | None]:
    """The answer's text, and what is wrong with the way it came: a call of another tool, or several calls."""
    calls = message.get("tool_calls")
    if message.get("function_call") and not calls:
        calls = [{"function": message["function_call"]}]
    if isinstance(calls, list) and calls:
        functions = [call.get("function", call) if isinstance(call, dict) else {} for call in calls]
        named = [function if isinstance(function, dict) else {} for function in functions]
        arguments = named[0].get("arguments")
        text = arguments if isinstance(arguments, str) else dump(arguments) if arguments is not None else ""
        if len(calls) > 1:
            return text, "several tools were called instead of answering once"
        return text, None if named[0].get("name") == name else "a tool was called that there is not"
    content = message.get("content")
    if isinstance(content, list):  # some servers send parts
        content = "".join(part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str))
    return (content, None) if isinstance(content, str) else ("", None)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a request cost, as the server counts them; 0 where it says nothing."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
        )

    def to_json(self) -> dict[str, Json]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
        }


NO_USAGE: Final = Usage()


def read_usage(response: Json) -> Usage:
    """The `usage` of a response, in whatever shape it is."""
    usage = response.get("usage") if isinstance(response, dict) else None
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")), _count(cached))


def _count(value: Json) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0
