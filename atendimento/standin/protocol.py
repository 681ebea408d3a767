"""The OpenAI protocol, as far as a client of this product needs it: from a request's body to a response's."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from atendimento.standin.answer import propose
from atendimento.standin.embeddings import DIMENSIONS, embed
from atendimento.standin.filling import fill

MODEL: Final = "lastro-standin"
_CREATED: Final = 1_767_225_600  # a fixed moment: equal requests have equal answers

Json = Any


class BadRequest(ValueError):
    """A body that is no request. `args[0]` says why."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the answer is to come."""

    schema: Json
    tool: str | None


def models() -> dict[str, Json]:
    """The answer to `GET /v1/models`."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": _CREATED, "owned_by": "lastro"}]}


def chat(body: Json) -> dict[str, Json]:
    """A chat completion. Raises BadRequest."""
    if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
        raise BadRequest("'messages' must be a list that holds something")
    wanted = _wanted(body)
    text = json.dumps(_answer(body["messages"], wanted.schema), ensure_ascii=False)
    message: dict[str, Json] = {"role": "assistant", "content": text, "refusal": None}
    if wanted.tool is not None:
        call = {"id": "call_0", "type": "function", "function": {"name": wanted.tool, "arguments": text}}
        message |= {"content": None, "tool_calls": [call]}
    prompt = json.dumps(body["messages"], ensure_ascii=False)
    return {
        "id": "chatcmpl-" + hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()[:24],
        "object": "chat.completion",
        "created": _CREATED,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if wanted.tool else "stop"}],
        "usage": _usage(prompt, text),
    }


def chunks(completion: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """The same completion in pieces, for a client that asked for a stream."""
    base = {key: completion[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    choice = completion["choices"][0]
    delta = {key: value for key, value in choice["message"].items() if value is not None}
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(delta["tool_calls"])]
    yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield base | {"choices": [], "usage": completion["usage"]}


def embeddings(body: Json) -> dict[str, Json]:
    """The answer to `POST /v1/embeddings`. Raises BadRequest."""
    given = body.get("input") if isinstance(body, dict) else None
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise BadRequest("'input' must be a text or a list of texts")
    size = body.get("dimensions", DIMENSIONS)
    if not isinstance(size, int) or not 1 <= size <= 4096:
        raise BadRequest("'dimensions' must lie between 1 and 4096")
    data = [{"object": "embedding", "index": index, "embedding": embed(text, size)} for index, text in enumerate(texts)]
    used = sum(map(_tokens, texts))
    return {"object": "list", "model": MODEL, "data": data, "usage": {"prompt_tokens": used, "total_tokens": used}}


def _wanted(body: dict[str, Json]) -> Wanted:
    form = body.get("response_format")
    schema = form.get("json_schema", {}).get("schema") if isinstance(form, dict) and form.get("type") == "json_schema" else None
    tools = [tool["function"] for tool in body.get("tools") or () if isinstance(tool, dict) and "function" in tool]
    if body.get("tool_choice") == "none" or not tools:
        return Wanted(schema, None)
    choice = body.get("tool_choice")
    name = choice.get("function", {}).get("name") if isinstance(choice, dict) else None
    tool = next((tool for tool in tools if tool.get("name") == name), tools[0])
    return Wanted(tool.get("parameters"), str(tool.get("name")))


def _answer(messages: list[Json], schema: Json) -> Json:
    document = next(filter(None, map(_document, messages)), None)
    if document is not None:
        told = [_content(message) for message in messages if _role(message) in ("system", "developer")]
        return propose(document, "\n\n".join(told))
    return fill(schema) if schema is not None else {"changes": []}


def _document(message: Json) -> Json:
    """The document of a user turn that holds new messages; None for any other turn."""
    if _role(message) != "user":
        return None
    try:
        document = json.loads(_content(message))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) and "new_messages" in document else None


def _role(message: Json) -> Json:
    return message.get("role") if isinstance(message, dict) else None


def _content(message: Json) -> str:
    """The text of a turn; parts are put together."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _tokens(text: str) -> int:
    return (len(text) + 3) // 4


def _usage(prompt: str, answer: str) -> dict[str, Json]:
    """Four characters a token: near enough for a meter, and the same everywhere."""
    asked, said = _tokens(prompt), _tokens(answer)
    return {
        "prompt_tokens": asked,
        "completion_tokens": said,
        "total_tokens": asked + said,
        "prompt_tokens_details": {"cached_tokens": 0},
    }
