"""Which ticket may be merged into which (S2). A merged ticket stays as it is and points on; no chain is a circle."""

from __future__ import annotations

from dataclasses import dataclass

from memoria.errors import Code, DomainError


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a ticket decides whether it can be merged. `into` is the protocol of the ticket it was merged into."""

    ticket: str
    protocol: str
    customer: str
    is_open: bool
    into: str | None = None


def check_merge(this: Standing, into: Standing) -> None:
    """Let `this` be merged into `into`, or raise.

    `ticket.merged`: it was merged already. `ticket.merge_refused` with `why`: `itself`, `other_customer`, or
    `not_open`. A ticket that was merged is never open again, so a chain of mergers never comes back.
    """
    check_unmerged(this.protocol, this.into)
    why = None
    if this.ticket == into.ticket:
        why = "itself"
    elif this.customer != into.customer:
        why = "other_customer"
    elif not into.is_open or into.into is not None:
        why = "not_open"
    if why is not None:
        raise DomainError(Code.MERGE_REFUSED, "S2", why=why, protocol=into.protocol)


def check_unmerged(protocol: str, into: str | None) -> None:
    """S2: a merged ticket is read, and nothing is decided in it. Raises `ticket.merged`."""
    if into is not None:
        raise DomainError(Code.TICKET_MERGED, "S2", protocol=protocol, into=into)
