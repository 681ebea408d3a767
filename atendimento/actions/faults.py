"""What an action cannot take: faults of the input, found before any rule is asked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    pointer: str  # JSON Pointer into the input
    code: str
    detail: str  # plain English, for developers


class InvalidInput(Exception):
    """The input is not what the call takes. Nothing was written."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("; ".join(f"{fault.pointer}: {fault.code}" for fault in faults))


def invalid(pointer: str, code: str, detail: str) -> InvalidInput:
    return InvalidInput(Fault(pointer, code, detail))
