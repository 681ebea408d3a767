"""What the model had before it when it proposed a change: the stored report of its request, in words (N3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from atendimento.models import Proposal
from atendimento.selectors.parts import ModelSaw, SeenLayer
from memoria.patch import Json

LAYERS: Final[Mapping[str, Promise]] = {
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
}


def model_saw(proposal: Proposal) -> ModelSaw | None:
    """None where no model was asked, or nothing was kept of it."""
    report = proposal.context_report
    if not isinstance(report, dict) or not report.get("layers"):
        return None
    return ModelSaw(
        model=proposal.model or proposal.producer,
        prompt_version=proposal.prompt_version,
        at=proposal.finished_at or proposal.created_at,
        through=proposal.through_message,
        tokens=_tokens(report.get("total_tokens", 0)),
        layers=tuple(_layer(layer) for layer in report["layers"] if layer.get("tokens") or layer.get("left_out")),
    )


def _layer(layer: Mapping[str, Json]) -> SeenLayer:
    left = [
        f"{item.get('what', '')} ({WHYS.get(item.get('why', ''), item.get('why', ''))})" for item in layer.get("left_out", ())
    ]
    name = str(layer.get("name", ""))
    return SeenLayer(
        str(LAYERS.get(name, name)),
        _tokens(layer.get("tokens", 0)),
        _("left out: %(what)s") % {"what": "; ".join(left)} if left else "",
    )


def _tokens(count: int) -> str:
    return ngettext("%(count)s token", "%(count)s tokens", count) % {"count": number_format(count, force_grouping=True)}
