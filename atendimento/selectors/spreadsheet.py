"""Cells that a spreadsheet shows as they are, whoever wrote them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

BEGINS: Final = "=+-@\t\r\n＝＋－＠"
"""What makes a spreadsheet take a cell for a formula, or look behind it for one."""

PHONE: Final = re.compile(r"\+\d[\d()]*(?: [\d() -]*)?")
AMOUNT: Final = re.compile(r"-\d+(?:[.\u00a0\u202f]\d{3})*(?:[.,]\d+)?%?")
INSIDE: Final = re.compile(r"([;,\t\r\n])(?=[=+@-])")
BYTE_ORDER_MARK: Final = "\ufeff"  # without it Excel reads UTF-8 as something else


def harmless(text: str) -> str:
    """The text so that no spreadsheet runs it: led by an apostrophe where it would be a formula.

    A phone number keeps its plus, and a negative amount stays a number. A separator inside is followed by one too:
    a spreadsheet that cuts at another character than ours would find a cell there.
    """
    apart = INSIDE.sub(r"\1'", text)
    plain = PHONE.fullmatch(apart) or AMOUNT.fullmatch(apart)
    return f"'{apart}" if apart[:1] and apart[0] in BEGINS and not plain else apart


def lines(rows: Iterable[Sequence[str]], language: str) -> str:
    """The rows as CSV, each cell made harmless. The separator is the one that the language's spreadsheets expect."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";" if language.startswith("pt") else ",", lineterminator="\r\n")
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()
