"""What a page brings along: vendored files as they were taken, all words in Portuguese, and little weight."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.test import Client

from tests.support import stories
from tests.support.stories import World

ROOT = Path(__file__).resolve().parents[2]
VENDORED = sorted(path.parent for path in (*ROOT.glob("static/vendor/*/VERSION"), *ROOT.glob("tests/browser/vendor/*/VERSION")))


@pytest.mark.parametrize("folder", VENDORED, ids=lambda folder: folder.name)
def test_a_vendored_file_is_as_it_was_taken_with_its_licence(folder: Path) -> None:
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert files == set(sums)
    assert "LICENSE" in files
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest


def test_every_word_of_the_interface_is_said_in_portuguese() -> None:
    with (ROOT / "locale/pt_BR/LC_MESSAGES/django.po").open("rb") as file:
        catalogue = read_po(file)
    missing = [message.id for message in catalogue if message.id and not all(_strings(message.string))]
    assert missing == []
    assert not [message.id for message in catalogue if message.fuzzy and message.id]


def _strings(string: object) -> list[str]:
    return [str(item) for item in string] if isinstance(string, list | tuple) else [str(string)]


def test_a_first_page_weighs_less_than_150_kb(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    stories.correction(world, ticket)
    response = ana.get(f"/tickets/{ticket.pk}/", headers={"accept-encoding": "gzip"})
    assert response["Content-Encoding"] == "gzip"
    body = gzip.decompress(response.content)
    paths = {path.split("#")[0] for path in re.findall(r'(?:src|href)="/static/([^"]+)"', body.decode())}
    paths.add("vendor/inter/inter-latin.woff2")
    files = [ROOT / "static" / path for path in paths]
    # Collected files go out compressed; the demonstration, which serves them from the disk beside it, sends them as they are.
    compressed = {path.name: len(gzip.compress(path.read_bytes())) for path in files}
    # What comes once it is wanted (js/needs.js) is no part of a first page.
    assert sum(compressed.values()) + len(response.content) < 90_000, compressed
    plain = {path.name: path.stat().st_size for path in files}
    assert sum(plain.values()) + len(response.content) < 175_000, plain


def test_nothing_is_loaded_from_elsewhere() -> None:
    for path in (*ROOT.glob("templates/**/*.html"), *ROOT.glob("static/css/*.css"), *ROOT.glob("static/js/*.js")):
        assert not re.findall(r"https?://(?!www\.w3\.org)", path.read_text()), path
