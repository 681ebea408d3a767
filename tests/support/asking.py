"""Short ways to ask the console: as a script does, and for what a page holds."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from django.test import Client

SCRIPT = {"HX-Request": "true"}


def ask(client: Client, path: str, /, **query: Any) -> Any:
    """A fragment, as a script asks for it."""
    return client.get(path, query, headers=SCRIPT)


def act(client: Client, path: str, /, **data: Any) -> Any:
    """A form sent by a script."""
    return client.post(path, data, headers=SCRIPT)


def text(response: Any) -> str:
    """What a person would read: the words, with white space folded."""
    found = _Words()
    found.feed(response.content.decode())
    return re.sub(r"\s+", " ", " ".join(found.words)).strip()


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in {"script", "style", "title"}

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in {"script", "style", "title"}

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.words.append(data)
