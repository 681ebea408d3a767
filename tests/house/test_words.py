"""Every word that people read is said in both languages: in Python, in templates, in mails, in scripts and in the gallery."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po
from django.utils import translation
from django.utils.translation.template import templatize

from atendimento.selectors import gallery

ROOT = Path(__file__).resolve().parents[2]
MARKERS = {"_": 1, "gettext": 1, "gettext_lazy": 1, "gettext_noop": 1, "ngettext": 2, "ngettext_lazy": 2}
LITERAL = r"u?(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
MARKED = re.compile(rf"\b(?:_|gettext|ngettext|npgettext|pgettext)\(\s*({LITERAL})(?:\s*,\s*({LITERAL}))?")
PLACE = re.compile(r"%\((\w+)\)[sd]")

Words = tuple[str, ...]
"""A message as it is marked: its singular, and its plural where it has one."""


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with (ROOT / "locale/pt_BR/LC_MESSAGES/django.po").open("rb") as file:
        return read_po(file)


def of_python(source: str) -> Iterator[Words]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        wanted = MARKERS.get(node.func.id, 0)
        texts = [arg.value for arg in node.args[:wanted] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        if wanted and len(texts) == wanted:
            yield tuple(texts)


def of_template(source: str) -> Iterator[Words]:
    for found in MARKED.finditer(templatize(source)):
        yield tuple(ast.literal_eval(text.removeprefix("u")) for text in found.groups() if text is not None)


def marked() -> dict[Words, str]:
    """Every marked message, with a file in which it stands."""
    found: dict[Words, str] = {}
    for path in sorted((ROOT / "atendimento").rglob("*.py")):
        found |= dict.fromkeys(of_python(path.read_text("utf-8")), path.name)
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix in {".html", ".txt"}:
            found |= dict.fromkeys(of_template(path.read_text("utf-8")), path.name)
    return found


def said(words: Words, catalogue: Catalog) -> bool:
    message = catalogue.get(words[0])
    if message is None or message.fuzzy:
        return False
    return all(message.string) if isinstance(message.string, list | tuple) else bool(message.string)


def test_what_is_marked_in_the_sources_is_said_in_portuguese(catalogue: Catalog) -> None:
    sources = marked()

    assert len(sources) > 800
    assert [(words[0], name) for words, name in sources.items() if not said(words, catalogue)] == []


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('{% load i18n %}{% translate "Zero words" %}', ("Zero words",)),
        ("{% load i18n %}{% blocktranslate trimmed %}\n  Two\n  lines\n{% endblocktranslate %}", ("Two lines",)),
        (
            "{% load i18n %}{% blocktranslate count n=n %}{{ n }} cat{% plural %}{{ n }} cats{% endblocktranslate %}",
            ("%(n)s cat", "%(n)s cats"),
        ),
    ],
)
def test_a_template_s_words_are_found(source: str, words: Words, catalogue: Catalog) -> None:
    assert list(of_template(source)) == [words]
    assert not said(words, catalogue)


def test_a_module_s_words_are_found() -> None:
    source = 'x = _("One"), ngettext("%(count)d two", "%(count)d twos", n), gettext_lazy("Th" "ree"), print("four")'

    assert list(of_python(source)) == [("One",), ("%(count)d two", "%(count)d twos"), ("Three",)]


def test_a_translation_keeps_its_places_and_plurals(catalogue: Catalog) -> None:
    wrong = []
    for message in catalogue:
        if not message.id:
            continue
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
        places = set(PLACE.findall(ids[-1]))
        # A singular may say "one" without its number; nothing may name what is not given.
        if len(strings) != len(ids) or set(PLACE.findall(strings[-1])) != places:
            wrong.append(ids[0])
        wrong += [ids[0] for text in strings if not set(PLACE.findall(text)) <= places]
    assert wrong == []


# --- scripts ------------------------------------------------------------------------------------------------------

SENTENCE = re.compile(r"(?:[A-ZÀ-Þ][\w’]*(?:,? [\w’]+)+|[\w’]+(?:,? [\w’]+){2,})[.!?:…]?")


def spoken(script: str) -> list[str]:
    """Texts of a script that read like words for people; a script takes those from the page, which is translated."""
    code = re.sub(r"(?m)^\s*//.*$|\s//\s.*$", "", script)
    literals = re.findall(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`", code)
    texts = ["".join(found) for found in literals]
    return [text for text in texts if SENTENCE.fullmatch(text.strip()) or re.search(r"[À-ÿ]{1}[a-z]", text)]


def test_no_script_holds_words_of_its_own() -> None:
    scripts = sorted((ROOT / "static/js").glob("*.js"))

    assert len(scripts) > 8
    assert {path.name: found for path in scripts if (found := spoken(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize("script", ['x.textContent = "Try again";', "alert('Sessão encerrada')", "say(`Nothing was lost.`)"])
def test_a_script_that_speaks_is_found(script: str) -> None:
    assert spoken(script)


def test_what_a_script_takes_from_the_page_is_not_taken_for_words() -> None:
    assert spoken('const a = "#memory [data-card]", b = "list-only", c = "htmx:after:swap", d = `${x}?${y}`;') == []


# --- the gallery --------------------------------------------------------------------------------------------------


def test_a_ready_ticket_type_is_told_in_both_languages() -> None:
    documents = [json.loads(path.read_text("utf-8")) for path in sorted(gallery.FOLDER.glob("*.json"))]
    told = {part[key] for document in documents for part in gallery.parts(document) for key in gallery.SPOKEN if key in part}

    assert told == set(gallery.english())
    assert all(gallery.english().values())


def test_who_begins_in_english_gets_english_labels_and_the_same_rules() -> None:
    with translation.override("en"):
        english = gallery.document("telecom")
    with translation.override("pt-br"):
        portuguese = gallery.document("telecom")

    assert english["fields"]["/goal"]["label"] == "Present goal"
    assert portuguese["fields"]["/goal"]["label"] == "Objetivo atual"
    assert [field["schema"] for field in english["fields"].values()] == [
        field["schema"] for field in portuguese["fields"].values()
    ]


def test_what_a_customer_may_say_keeps_its_name_when_staff_relay_it() -> None:
    for path in gallery.FOLDER.glob("*.json"):
        for pointer, field in json.loads(path.read_text("utf-8"))["fields"].items():
            sources = field["sources"]
            if "customer" in sources:
                assert sources[sources.index("customer") + 1 :][:1] == ["customer_reported"], (path.name, pointer)
