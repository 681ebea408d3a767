"""What of a sensitive value is shown where nobody needs the whole of it: enough to tell two apart."""

from __future__ import annotations

from typing import Final

SHOWN: Final = 3  # letters and digits at its end


def but_its_end(text: str) -> str:
    """The text with a dot for each letter and digit but the last few; all of a short one."""
    countable = [at for at, character in enumerate(text) if character.isalnum()]
    kept = set(countable[-SHOWN:]) if len(countable) > SHOWN * 2 else set()
    return "".join("•" if character.isalnum() and at not in kept else character for at, character in enumerate(text))
