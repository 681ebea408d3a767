"""A screenshot with at most 256 colours: a third of its size, and nothing that an eye would miss on a page of few colours."""

from __future__ import annotations

import struct
import zlib
from collections import Counter

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
Colour = tuple[int, int, int]


def reduced(png: bytes) -> bytes:
    """The picture (eight bits, RGB or RGBA, as browsers write it) with a palette; alpha is dropped."""
    width, height, channels, data = _chunks(png)
    rows = _rows(zlib.decompress(data), width, height, channels)
    lines = [[(line[at], line[at + 1], line[at + 2]) for at in range(0, len(line), channels)] for line in rows]
    counted = Counter(pixel for line in lines for pixel in line)
    palette = _palette(counted)
    index = {colour: at for at, colour in enumerate(palette)}
    for colour in counted:
        if colour not in index:
            index[colour] = min(range(len(palette)), key=lambda at: _distance(palette[at], colour))
    body = b"".join(b"\0" + bytes(map(index.__getitem__, line)) for line in lines)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    colours = bytes(part for colour in palette for part in colour)
    chunks = ((b"IHDR", header), (b"PLTE", colours), (b"IDAT", zlib.compress(body, 9)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, content) for kind, content in chunks)


def _palette(counted: Counter[Colour]) -> list[Colour]:
    """The commonest colour of each shade; a vivid one counts for more: a red digit is small, and means something."""
    shades: dict[Colour, tuple[int, Colour]] = {}
    for colour, times in counted.most_common():
        shade = (colour[0] >> 3, colour[1] >> 3, colour[2] >> 3)
        weight, first = shades.get(shade, (0, colour))
        shades[shade] = (weight + times * (1 + (max(colour) - min(colour)) // 8), first)
    return [colour for _weight, colour in sorted(shades.values(), reverse=True)[:COLOURS]]


def _distance(one: Colour, other: Colour) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _chunks(png: bytes) -> tuple[int, int, int, bytes]:
    assert png.startswith(SIGNATURE)
    at, width, height, channels, data = len(SIGNATURE), 0, 0, 0, b""
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", content)
            assert depth == 8, "eight bits a channel"
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            data += content
        at += 12 + size
    return width, height, channels, data


def _rows(data: bytes, width: int, height: int, channels: int) -> list[bytearray]:
    """The lines as they were before each was written as its difference from its neighbours."""
    rows: list[bytearray] = []
    stride = width * channels
    above = bytearray(stride)
    for number in range(height):
        start = number * (stride + 1)
        line = bytearray(data[start + 1 : start + 1 + stride])
        _restore(data[start], line, above, channels)
        rows.append(line)
        above = line
    return rows


def _restore(kind: int, line: bytearray, above: bytearray, channels: int) -> None:
    if kind == 0:
        return
    for at in range(len(line)):
        left = line[at - channels] if at >= channels else 0
        up = above[at]
        corner = above[at - channels] if at >= channels else 0
        added = {1: left, 2: up, 3: (left + up) // 2}.get(kind)
        line[at] = (line[at] + (_paeth(left, up, corner) if added is None else added)) & 255


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    near = (abs(guess - left), abs(guess - up), abs(guess - corner))
    return (left, up, corner)[near.index(min(near))]
