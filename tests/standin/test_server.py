"""The stand-in over HTTP: three addresses, every way of asking for structure, and errors in the protocol's shape."""

from __future__ import annotations

import ast
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atendimento.llm import Embedded, Endpoint, ask, embed
from atendimento.standin import answer, server
from atendimento.standin.answer import propose
from memoria.extraction import read_answer
from memoria.runs import Answered, Mode
from tests.memoria.asking import ask_about
from tests.memoria.bench import Bench, a_field, a_type
from tests.standin.talk import a_document, instructed

PACKAGE = Path(answer.__file__).parent


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    standin = server.Server("127.0.0.1", 0)
    threading.Thread(target=standin.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{standin.server_port}"
    standin.shutdown()
    standin.server_close()


def call(address: str, body: bytes | None = None) -> tuple[int, Any]:
    request = urllib.request.Request(address, data=body, headers={"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def post(address: str, document: Any) -> tuple[int, Any]:
    return call(address, json.dumps(document).encode())


TOLD = instructed()


def user(document: Any) -> list[dict[str, str]]:
    return [{"role": "system", "content": TOLD}, {"role": "user", "content": json.dumps(document, ensure_ascii=False)}]


def test_every_mode_of_the_products_own_client_is_answered_with_the_same_changes(url: str) -> None:
    bench = Bench(a_type({"/facts/bairro": a_field(label="Bairro")}))
    request = ask_about(bench, bench.say("customer", "moro em Casa Amarela"))
    endpoint = Endpoint(f"{url}/v1", "", "any", 10)
    outcomes = [ask(request, endpoint, mode).outcome for mode in Mode]
    assert all(isinstance(outcome, Answered) and outcome.answer[0].value == "Casa Amarela" for outcome in outcomes)
    reply = ask(request, endpoint, Mode.JSON_SCHEMA)
    assert reply.model == "lastro-standin"
    assert reply.usage.prompt_tokens > 100


def test_texts_that_share_words_lie_nearer_than_others_and_the_same_text_always_in_the_same_place(url: str) -> None:
    endpoint = Endpoint(f"{url}/v1", "", "any", 10)
    embedded = embed(["geladeira não gela", "a geladeira parou de gelar", "boleto vencido", "geladeira não gela"], endpoint)
    assert isinstance(embedded, Embedded)
    one, near, far, again = embedded.vectors

    def likeness(a: tuple[float, ...], b: tuple[float, ...]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert one == again
    assert likeness(one, near) > likeness(one, far) + 0.1
    assert likeness(one, one) == pytest.approx(1.0)


def test_models_are_listed_by_name(url: str) -> None:
    assert call(f"{url}/v1/models")[1]["data"][0]["id"] == "lastro-standin"
    assert call(f"{url}/healthz")[0] == 200


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/chat/completions", b"{", 400),
        ("/v1/chat/completions", b"[]", 400),
        ("/v1/chat/completions", b'{"messages": []}', 400),
        ("/v1/chat/completions", b"\xff", 400),
        ("/v1/chat/completions", b"[" * 100_000, 400),
        ("/v1/embeddings", b'{"input": 3}', 400),
        ("/v1/embeddings", b'{"input": "a", "dimensions": 0}', 400),
        ("/v1/nothing", b"{}", 404),
    ],
)
def test_a_bad_request_is_told_so_in_the_protocols_shape(url: str, path: str, body: bytes, status: int) -> None:
    got, document = call(url + path, body)
    assert got == status
    assert document["error"]["message"]


def test_a_question_that_it_has_no_rule_for_gets_the_plainest_document_of_its_schema(url: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "learnings": {"type": "array"},
            "mood": {"enum": ["calm", "angry"]},
            "note": {"type": ["string", "null"]},
        },
    }
    form = {"type": "json_schema", "json_schema": {"name": "other", "schema": schema}}
    status, document = post(f"{url}/v1/chat/completions", {"messages": user({"ticket": 1}), "response_format": form})
    assert status == 200
    assert json.loads(document["choices"][0]["message"]["content"]) == {"learnings": [], "mood": "calm", "note": ""}


def test_a_stream_carries_the_same_answer(url: str) -> None:
    body = {"messages": user(a_document(("customer", "moro em Torre"))), "stream": True}
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=10) as response:
        events = [line[6:] for line in response.read().decode().splitlines() if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    text = "".join(choice["delta"].get("content") or "" for event in events[:-1] for choice in json.loads(event)["choices"])
    assert read_answer(text)[0].value == "Torre"


def test_it_runs_as_a_program_and_ends_when_told() -> None:
    command = [sys.executable, "-m", "atendimento.standin", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.split()[-1]
        assert call(f"{address}/models")[0] == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0


def test_a_port_that_is_taken_is_one_clear_line_and_exit_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "atendimento.standin", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


WORDS = ["vou", "ligar", "amanhã", "às 10h", "não", "é", ",", ".", "?", "!", "sim", "bairro", "Torre", "R$ 10", "OS-1234"]
WORDS += ["2 Atum", ";", "quero", "cancelar", "👍", "\n", "mais", "dia 31", "temos", "ou", "autorizo", "já", "troca", "por"]
texts = st.text(max_size=200) | st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.sampled_from(["customer", "agent", "tool", "assistant", "martian"]), texts), min_size=1, max_size=4)
)
def test_whatever_is_said_each_quote_is_a_piece_of_its_message_and_the_answer_is_always_the_same(
    said: list[tuple[str, str]],
) -> None:
    document = a_document(*said)
    made = propose(document, TOLD)
    words = {row["id"]: row["text"] for row in document["new_messages"]}
    for change in read_answer(json.dumps(made)):
        assert all(cited.quote in words[cited.message] for cited in change.evidence)
    assert propose(document, TOLD) == made


@pytest.mark.parametrize("unit", ["não ", "a", "A B ", "vou ligar ", "Rua A, 1 ", "está na casa ", "R$ 1.", " \n"])
def test_a_long_monotonous_message_is_read_in_time_that_grows_with_its_length_alone(unit: str) -> None:
    started = time.monotonic()
    propose(a_document(("customer", unit * (10_000 // len(unit)))), TOLD)
    assert time.monotonic() - started < 15  # minutes, where an expression tries every pair of places


KEYS = ["new_messages", "facts", "commitments", "doubtful", "state", "settled", "id", "text", "path", "goal", "kind"]
KEYS += ["value", "status", "literals", "context", "proposed", "sent_at", "task"]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_no_document_breaks_it(document: Any) -> None:
    assert "changes" in propose(document, TOLD)


def test_it_imports_nothing_of_the_product_and_nothing_of_the_product_imports_it() -> None:
    imported = {
        name
        for path in PACKAGE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in (
            [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in getattr(node, "names", [])]
        )
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    ours = {name for name in imported if name.startswith(("memoria", "atendimento"))}
    assert {name for name in ours if not name.startswith("atendimento.standin")} == set()
    root = PACKAGE.parent.parent
    users = [
        path
        for folder in ("memoria", "atendimento")
        for path in (root / folder).rglob("*.py")
        if PACKAGE not in path.parents and re.search(r"(?:from|import) atendimento\.standin", path.read_text("utf-8"))
    ]
    assert users == []


def test_no_sentence_of_the_material_that_it_is_measured_by_stands_in_its_source(shared: Path) -> None:
    source = "\n".join(path.read_text("utf-8") for path in PACKAGE.glob("*.py")).casefold()
    scenarios = (shared / "acceptance" / "scenarios").glob("*.toml")
    said = [line for path in scenarios for line in re.findall(r'^text = "(.{12,})"$', path.read_text("utf-8"), re.MULTILINE)]
    dialogues = (shared / "data" / "dialogues-dev.jsonl").read_text("utf-8").splitlines()
    said += [row["text"] for line in dialogues for row in json.loads(line)["messages"] if len(row["text"]) > 16]
    assert len(said) > 500
    assert [text for text in said if text.casefold() in source] == []


@pytest.fixture
def shared() -> Path:
    path = os.environ.get("LASTRO_SHARED", "")
    assert path, "LASTRO_SHARED must name the folder of outside data"
    return Path(path)
