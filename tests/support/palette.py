"""A screenshot with at most 256 colours: a third of its size, and nothing that an eye would miss on a page of few colours."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from itertools import accumulate

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256
Colour = tuple[int, int, int]


def reduced(png: bytes) -> bytes:
    """The picture (eight bits, RGB or RGBA, as browsers write it) with a palette; alpha is dropped."""
    width, height, channels, data = _chunks(png)
    rows = _rows(zlib.decompress(data), width, height, channels)
    lines = [list(zip(*(line[channel::channels] for channel in range(3)), strict=True)) for line in rows]
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
    """By whole lines where a filter allows it: a screen has four million of these bytes."""
    if kind == 1:
        for channel in range(channels):
            line[channel::channels] = bytes(value & 255 for value in accumulate(line[channel::channels]))
    elif kind == 2:
        line[:] = bytes((value + up) & 255 for value, up in zip(line, above, strict=True))
    elif kind in (3, 4):
        padded, corners = bytes(channels), bytes(channels) + above
        line[:0] = padded
        for at in range(channels, len(line)):
            left, up = line[at - channels], above[at - channels]
            added = (left + up) // 2 if kind == 3 else _paeth(left, up, corners[at - channels])
            line[at] = (line[at] + added) & 255
        del line[:channels]


def _paeth(left: int, up: int, corner: int) -> int:
    if left == corner:
        return up
    if up == corner:
        return left
    guess = left + up - corner
    by_left, by_up, by_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
    if by_left <= by_up and by_left <= by_corner:
        return left
    return up if by_up <= by_corner else corner
