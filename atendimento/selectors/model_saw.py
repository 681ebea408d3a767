"""What the model had before it when it proposed a change: the stored report of its request, in words (N3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.conf import settings
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento.models import Proposal
from atendimento.selectors.parts import ModelSaw, SeenLayer
from atendimento.wording import MEMBER_STATUSES
from memoria.patch import Json

LAYERS: Final[Mapping[str, Promise]] = {
    "rules": gettext_lazy("rules and answer schema"),
    "pinned": gettext_lazy("pinned"),
    "ticket_type": gettext_lazy("ticket type"),
    "learnings": gettext_lazy("what was learned before"),
    "literals": gettext_lazy("values word for word"),
    "state": gettext_lazy("what holds"),
    "proposed": gettext_lazy("proposals that wait"),
    "rejected": gettext_lazy("what people rejected"),
    "retrieved": gettext_lazy("other tickets of the customer"),
    "recent": gettext_lazy("messages before"),
    "new": gettext_lazy("new messages"),
    "tool_output": gettext_lazy("answers of tools"),
}
WHYS: Final[Mapping[str, Promise]] = {
    "budget": gettext_lazy("no room"),
    "next run": gettext_lazy("left for the next reading"),
    "older": gettext_lazy("older"),
    "deleted": gettext_lazy("deleted"),
    "automatic": gettext_lazy("automatic"),
    "nothing to quote": gettext_lazy("nothing to quote"),
    "settled": gettext_lazy("settled"),
}


@dataclass(frozen=True, slots=True)
class SawInFull(ModelSaw):
    """What the model saw, and what the reading cost."""

    cost: str = ""  # '' where nothing has a price
    took: str = ""  # from the question to its answer taken in; '' where it is not known
    ticket: str = ""  # id


def model_saw(proposal: Proposal) -> SawInFull | None:
    """None where no model was asked, or nothing was kept of it."""
    report = proposal.context_report
    if not isinstance(report, dict) or not report.get("layers"):
        return None
    return SawInFull(
        model=proposal.model or proposal.producer,
        prompt_version=proposal.prompt_version,
        at=proposal.finished_at or proposal.created_at,
        through=proposal.through_message,
        tokens=_tokens(report.get("total_tokens", 0)),
        layers=tuple(_layer(layer) for layer in report["layers"] if layer.get("included") or layer.get("left_out")),
        cost=_cost(proposal.usage),
        took=_took(proposal),
        ticket=str(proposal.ticket_id),
    )


def _cost(usage: Json) -> str:
    cost = usage.get("cost") if isinstance(usage, dict) else None
    if not isinstance(cost, int | float) or isinstance(cost, bool):
        return ""
    return f"{settings.MODEL_CURRENCY} {number_format(cost, 4, force_grouping=True)}"


def _took(proposal: Proposal) -> str:
    """Seconds from the putting together of the last question to the taking in of its answer."""
    kept = proposal.raw_answer
    if proposal.finished_at is None or not isinstance(kept, dict) or not isinstance(kept.get("moment"), str):
        return ""
    seconds = (proposal.finished_at - datetime.fromisoformat(kept["moment"])).total_seconds()
    return _("%(seconds)s s") % {"seconds": number_format(max(0.0, seconds), 1)}


def _layer(layer: Mapping[str, Json]) -> SeenLayer:
    left = []
    for item in layer.get("left_out", ()):
        why = str(item.get("why", ""))
        left.append(f"{_named(str(item.get('what', '')))} ({WHYS.get(why, why)})")
    name = str(layer.get("name", ""))
    return SeenLayer(
        str(LAYERS.get(name, name)),
        _tokens(layer.get("tokens", 0)),
        _("left out: %(what)s") % {"what": "; ".join(left)} if left else "",
    )


def _named(what: str) -> str:
    """What a report names: an id or a pointer as it is, the rest in words."""
    counted, following = re.fullmatch(r"([0-9]+) (?:before|older)", what), re.fullmatch(r"(m-[0-9]+) on", what)
    if counted:
        return ngettext("%(count)s more", "%(count)s more", int(counted[1])) % {"count": counted[1]}
    if following:
        return _("%(message)s and what follows") % {"message": following[1]}
    ended = re.fullmatch(r"(.*) \(([a-z_]+)\)", what, re.DOTALL)
    if ended and ended[2] in MEMBER_STATUSES:
        return f"{ended[1]} ({MEMBER_STATUSES[ended[2]]})"
    return what


def _tokens(count: int) -> str:
    return ngettext("%(count)s token", "%(count)s tokens", count) % {"count": number_format(count, force_grouping=True)}
