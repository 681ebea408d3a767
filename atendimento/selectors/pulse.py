"""Whether anything changed, at the price of one row: for open pages that cannot listen."""

from __future__ import annotations

from atendimento import access
from atendimento.models import Membership


def mark(member: Membership) -> str:
    """What is another one as soon as a ticket that the member sees was changed."""
    newest = access.visible_tickets(member).order_by("-updated_at", "-id")
    found = newest.values_list("updated_at", "pk").first()
    return "" if found is None else f"{found[0].isoformat()} {found[1]}"
