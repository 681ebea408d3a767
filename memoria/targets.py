"""What `applies_to` and `invalidates` call a change, and which prohibitions and decisions speak of it (K9, G5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memoria.fields import COMMITMENTS
from memoria.members import Place
from memoria.patch import Json
from memoria.proposals import Change
from memoria.rows import group_of, template_of
from memoria.state import State


def target_names(place: Place, change: Change, values: Mapping[str, Json]) -> tuple[str, ...]:
    """The names by which a change is known: its pointer, that of all groups (G5), and a commitment's kind."""
    if place.collection != "commitments":
        in_groups = group_of(place.pointer) is not None
        return (place.pointer, template_of(place.pointer)) if in_groups else (place.pointer,)
    member = change.value if place.kind == "new" else values["commitments"].get(place.member)
    kind = member.get("kind") if isinstance(member, dict) else None
    return (place.pointer, COMMITMENTS + kind) if kind else (place.pointer,)


def constraints_on(state: State, names: Sequence[str]) -> list[str]:
    """K9: the ids of the constraints and decisions that apply to one of these names."""
    return [
        identity
        for collection in ("constraints", "decisions")
        for identity, member in state.values[collection].items()
        if any(name in member.get("applies_to", ()) for name in names)
    ]
