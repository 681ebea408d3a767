"""What invalidates what, laid out on the server: columns from cause to consequence, whole numbers for the page's SVG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from atendimento import wording
from atendimento.selectors import policy_words as words
from memoria.fields import COMMITMENTS, TicketType

WIDTH: Final = 176
HEIGHT: Final = 34
GAP_X: Final = 64
GAP_Y: Final = 14
MARGIN: Final = 4
LETTERS: Final = 24


@dataclass(frozen=True, slots=True)
class Node:
    name: str  # the whole label
    label: str  # as much of it as fits
    x: int
    y: int
    text_x: int
    text_y: int
    commitment: bool


@dataclass(frozen=True, slots=True)
class Edge:
    path: str  # the d of an SVG path


@dataclass(frozen=True, slots=True)
class Graph:
    width: int
    height: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    node_width: int = WIDTH
    node_height: int = HEIGHT


def draw(ticket_type: TicketType) -> Graph | None:
    """The fields and kinds that take part in an invalidation; None where nothing invalidates anything."""
    edges = [(pointer, target) for pointer, field in ticket_type.fields.items() for target in field.invalidates]
    if not edges:
        return None
    columns = _columns(ticket_type, edges)
    places: dict[str, tuple[int, int]] = {}
    for number, column in enumerate(columns):
        for row, name in enumerate(column):
            places[name] = (MARGIN + number * (WIDTH + GAP_X), MARGIN + row * (HEIGHT + GAP_Y))
    nodes = tuple(_node(name, place, ticket_type) for name, place in places.items())
    deepest = max(map(len, columns))
    return Graph(
        2 * MARGIN + len(columns) * (WIDTH + GAP_X) - GAP_X,
        2 * MARGIN + deepest * (HEIGHT + GAP_Y) - GAP_Y,
        nodes,
        tuple(_edge(places[cause], places[effect]) for cause, effect in edges),
    )


def _columns(ticket_type: TicketType, edges: list[tuple[str, str]]) -> list[list[str]]:
    """Each name stands right of all that invalidates it; near the causes that stand before it."""
    depth: dict[str, int] = {}
    # A cause reaches more than what it invalidates, so in this order each depth is final when it is used (no circles: K4).
    for cause in sorted({cause for cause, _effect in edges}, key=lambda name: -len(ticket_type.dependents(name))):
        depth.setdefault(cause, 0)
        for effect in ticket_type.fields[cause].invalidates:
            depth[effect] = max(depth.get(effect, 0), depth[cause] + 1)
    columns: list[list[str]] = [[] for _number in range(max(depth.values()) + 1)]
    for name, number in depth.items():
        columns[number].append(name)
    rows: dict[str, float] = {}
    for number, column in enumerate(columns):
        if number:
            column.sort(key=lambda name: _middle([rows[cause] for cause, effect in edges if effect == name and cause in rows]))
        rows |= {name: float(row) for row, name in enumerate(column)}
    return columns


def _middle(rows: list[float]) -> float:
    return sum(rows) / len(rows) if rows else 0.0


def _node(name: str, place: tuple[int, int], ticket_type: TicketType) -> Node:
    commitment = name.startswith(COMMITMENTS)
    label = wording.kind(name.removeprefix(COMMITMENTS)) if commitment else words.target(name, ticket_type)
    short = label if len(label) <= LETTERS else label[: LETTERS - 1] + "…"
    x, y = place
    return Node(words.target(name, ticket_type), short, x, y, x + WIDTH // 2, y + HEIGHT // 2 + 4, commitment)


def _edge(cause: tuple[int, int], effect: tuple[int, int]) -> Edge:
    x1, y1 = cause[0] + WIDTH, cause[1] + HEIGHT // 2
    x2, y2 = effect[0] - 7, effect[1] + HEIGHT // 2
    bend = GAP_X // 2
    return Edge(f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}")
