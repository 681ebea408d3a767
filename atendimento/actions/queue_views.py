"""The views of the queue that a member keeps for themselves: what an address asks for, under a name, in an order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.db.models import Max

from atendimento import access
from atendimento.access import Permission
from atendimento.actions.faults import invalid
from atendimento.models import Membership, QueueView

MAX_NAME: Final = 60
MOST: Final = 30


def _name(member: Membership, name: str, other_than: int | None = None) -> str:
    kept = " ".join(name.replace("\0", "").split())
    if not kept or len(kept) > MAX_NAME:
        raise invalid("/name", "queue_view.name", f"must have between 1 and {MAX_NAME} characters")
    others = QueueView.objects.filter(member=member, name=kept)
    if (others if other_than is None else others.exclude(pk=other_than)).exists():
        raise invalid("/name", "queue_view.taken", "another view has this name")
    return kept


def _mine(member: Membership) -> list[QueueView]:
    """The member's views in their order, the member's row locked: two tabs move them one after the other."""
    access.require(member, Permission.READ)
    Membership.objects.select_for_update(no_key=True).get(pk=member.pk)
    return list(QueueView.objects.filter(member=member).order_by("position", "pk"))


@transaction.atomic
def keep_view(*, member: Membership, name: str, asked: Mapping[str, str]) -> QueueView:
    """Keep what the queue's address asks for. Raises InvalidInput for a bad or taken name, or one view too many."""
    views = _mine(member)
    if len(views) >= MOST:
        raise invalid("", "queue_view.too_many", f"more than {MOST} views")
    last = QueueView.objects.filter(member=member).aggregate(last=Max("position"))["last"] or 0
    return QueueView.objects.create(
        organization_id=member.organization_id,
        member=member,
        name=_name(member, name),
        asked=dict(asked),
        position=last + 1,
    )


@transaction.atomic
def rename_view(*, member: Membership, view_id: int, name: str) -> None:
    """Give the view another name. Raises InvalidInput, NotFound."""
    _mine(member)
    view = access.queue_view(member, view_id)
    view.name = _name(member, name, view.pk)
    view.save(update_fields=["name"])


@transaction.atomic
def remove_view(*, member: Membership, view_id: int) -> None:
    """Keep the view no longer. Raises NotFound."""
    _mine(member)
    access.queue_view(member, view_id).delete()


@transaction.atomic
def move_view(*, member: Membership, view_id: int, up: bool) -> None:
    """Let the view change places with its neighbour; the first goes no further up. Raises NotFound."""
    views = _mine(member)
    view = access.queue_view(member, view_id)
    order = [row.pk for row in views]
    at = order.index(view.pk)
    to = at - 1 if up else at + 1
    if not 0 <= to < len(order):
        return
    order[at], order[to] = order[to], order[at]
    places = {key: place for place, key in enumerate(order, 1)}
    for row in views:
        row.position = places[row.pk]
    QueueView.objects.bulk_update(views, ["position"])
