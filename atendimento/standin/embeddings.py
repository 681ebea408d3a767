"""Vectors of texts that share words lie near each other: hashed words and word beginnings, the same in every run."""

from __future__ import annotations

import hashlib
import math
import re
from typing import Final

from atendimento.standin.words import plain

DIMENSIONS: Final = 256


def embed(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector of length 1. Case, accents and word endings weigh little."""
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", plain(text)) or [""]:
        for feature, weight in ((word, 1.0), (word[:5], 0.7)):
            digest = int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "little")
            vector[digest % dimensions] += weight if digest >> 40 & 1 else -weight
    length = math.sqrt(sum(value * value for value in vector)) or 1.0
    return [value / length for value in vector]
