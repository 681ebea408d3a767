"""HTML as a tree, and the parts of an answer put into it as the page's script puts them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"input", "br", "hr", "img", "link", "meta", "use", "path"})


@dataclass
class Node:
    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    def walk(self) -> list[Node]:
        """The node and all below it, in the document's order."""
        return [self, *(found for child in self.children if isinstance(child, Node) for found in child.walk())]

    def find(self, key: str) -> Node | None:
        return next((node for node in self.walk() if node.attributes.get("id") == key), None)

    def parent_of(self, wanted: Node) -> Node:
        return next(node for node in self.walk() if any(child is wanted for child in node.children))

    def plain(self) -> object:
        """The same for comparison: no white space between, no form token."""
        attributes = {
            key: value
            for key, value in self.attributes.items()
            if not (key == "value" and self.attributes.get("name") == "csrfmiddlewaretoken")
        }
        below = [child.plain() if isinstance(child, Node) else " ".join(child.split()) for child in self.children]
        return (self.tag, attributes, [child for child in below if child])


class _Tree(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {key: value or "" for key, value in attrs})
        self._open[-1].children.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open[-1].children.append(Node(tag, {key: value or "" for key, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open.pop().tag == tag, tag

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def tree(text: str) -> Node:
    parser = _Tree()
    parser.feed(text)
    parser.close()
    assert parser._open == [parser.root]
    return parser.root


def patched(page: str, answer: str) -> Node:
    """The page after an answer that has parts alone: each swapped into its target, and forms on the new version."""
    root, parts = tree(page), tree(answer)
    for part in parts.children:
        if isinstance(part, str):
            assert not part.strip(), part
            continue
        assert part.tag == "hx-partial", part.tag
        target = root.find(part.attributes["hx-target"].removeprefix("#"))
        if target is None:
            continue  # the toasts are outside of the pane
        match part.attributes["hx-swap"]:
            case "delete":
                root.parent_of(target).children = [child for child in root.parent_of(target).children if child is not target]
            case "innerHTML" | "innerMorph":
                target.children = part.children
            case "outerHTML" | "outerMorph":
                (new,) = (child for child in part.children if isinstance(child, Node))
                target.tag, target.attributes, target.children = new.tag, new.attributes, new.children
            case other:
                raise AssertionError(other)
    now = root.find("memory-now")
    assert now is not None
    version = now.attributes["data-version"]
    for node in root.walk():
        if node.attributes.get("name") == "expected_version":
            node.attributes["value"] = version
        if node.attributes.get("id") == "memory":
            node.attributes["data-version"] = version
    return root
