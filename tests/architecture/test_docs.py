"""The documents say what is there: variables, commands, calls, codes, keys, files; and no link leads nowhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoria.proposals import Verdict
from tests.architecture.support import ROOT

DOCS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
CAUTIONS = {"ambiguous", "negation", "question", "hedge", "possible_duplicate", "group_exists", "group_unknown", "constraint"}
WORDS = (ROOT / "locale" / "pt_BR" / "LC_MESSAGES" / "django.po").read_text("utf-8")


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def rows(name: str, heading: str) -> list[list[str]]:
    """The cells of the first table behind `heading`, its head left out."""
    table = read(name).split(f"\n{heading}\n", 1)[1].split("\n|", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table]


def code_words(text: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", text)


def calls(source: str, name: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name:
            yield node


def test_every_variable_of_the_environment_is_described_and_no_other() -> None:
    readers = ("text", "flag", "integer", "seconds", "amount", "words", "networks", "path", "url", "database", "email")
    named = {
        node.args[0].value
        for reader in readers
        for node in calls(read("atendimento/settings.py"), reader)
        if isinstance(node.func, ast.Attribute)
        and isinstance(node.args[0], ast.Constant)
        and ast.unparse(node.func.value) == "env"
    }

    assert {row[0].strip("`") for row in rows("docs/operations.md", "## Environment")} == named | {"DATA_DIR"}


def test_every_command_is_described_and_no_other() -> None:
    files = (ROOT / "atendimento" / "management" / "commands").glob("[!_]*.py")
    described = {row[0].strip("`").split()[0] for row in rows("docs/operations.md", "## Commands")}

    assert described == {path.stem for path in files}


def test_every_call_is_described_and_no_other() -> None:
    addresses = re.findall(r'path\("([^"]+)", (\w+)\.(\w+)\.as_view', read("atendimento/api/urls.py"))
    there = set()
    for address, module, view in addresses:
        tree = ast.parse(read(f"atendimento/api/{module}.py"))
        body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == view)
        methods = [item.name.upper() for item in body if isinstance(item, ast.FunctionDef)]
        plain = re.sub(r"<str:(\w+)>", lambda found: "{" + re.sub(r"\w+_id", "id", found[1]) + "}", address)
        there |= {f"{method} {plain}" for method in methods if method in ("GET", "POST", "PUT", "PATCH", "DELETE")}

    assert {row[0].strip("`") for row in rows("docs/api.md", "## Calls")} == there


def test_the_codes_of_the_door_are_described() -> None:
    source = read("atendimento/api/problems.py")
    own = {word for word in re.findall(r'"([a-z_]+(?:\.[a-z_]+)*)"', source.split("_HTTP_CODES", 1)[1]) if "." in word}
    described = code_words("\n".join("|".join(row) for row in rows("docs/api.md", "## Errors")))

    assert own | {"json.invalid", "query.invalid", "internal", "not_found"} <= set(described)


def test_the_keys_are_those_of_the_console() -> None:
    shown = re.findall(r"<dt>(.*?)</dt>", read("templates/parts/keys.html"), re.DOTALL)
    keys = {key for cell in shown for key in re.findall(r"<kbd>(.*?)</kbd>", cell)}

    assert {key for row in rows("docs/user/agent.md", "## Teclas") for key in code_words(row[0])} == keys


@pytest.mark.parametrize(
    ("heading", "named"),
    [("## O que dizem os vereditos", {item.value for item in Verdict}), ("## O que dizem as ressalvas", CAUTIONS)],
)
def test_every_verdict_and_caution_is_explained(heading: str, named: set[str]) -> None:
    assert {word for row in rows("docs/user/agent.md", heading) for word in code_words(row[0])} == named


def test_the_cautions_are_those_that_have_a_sentence() -> None:
    sentences = read("atendimento/wording.py").split("CAUTIONS", 1)[1].split("\n}", 1)[0]

    assert set(re.findall(r'^    "(\w+)":', sentences, re.MULTILINE)) == CAUTIONS


def test_the_buttons_and_views_are_called_as_the_console_calls_them() -> None:
    views = re.findall(r"\*\*([^*]+)\*\*", read("docs/user/agent.md").split("Visões prontas", 1)[1].split(". Há", 1)[0])
    buttons = [row[0] for row in rows("docs/user/agent.md", "## Decidir")]

    assert [words for words in [*views, *buttons] if f'msgstr "{words}"' not in WORDS] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    lost = []
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text("utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        if not found.exists() or (anchor and f'<a id="{anchor}"></a>' not in found.read_text("utf-8")):
            lost.append(target)

    # The picture of the console is taken from the running product, after its pages.
    assert [target for target in lost if not target.startswith("docs/pictures/")] == []


@pytest.mark.parametrize("path", DOCS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_is_named_exists(path: Path) -> None:
    roots = (
        "memoria/",
        "atendimento/",
        "templates/",
        "static/",
        "locale/",
        "tests/",
        "benchmarks/",
        "docs/",
        "docker/",
        ".ci/",
    )
    named = {word for word in code_words(path.read_text("utf-8")) if word.startswith(roots) and " " not in word}

    assert {word for word in named if not (ROOT / word).exists()} == set()


def test_the_map_has_every_room() -> None:
    shown = code_words(read("CONTRIBUTING.md").split("## Everyday", 1)[0])
    rooms = [path for path in (ROOT / "atendimento").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    missing = {path.name for path in rooms if f"atendimento/{path.name}/" not in shown}

    assert missing <= {"migrations", "templatetags"}
