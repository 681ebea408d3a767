"""How far what a published version does to tickets has come, and what it came to (T2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from atendimento.models import Publication, WorkStatus
from atendimento.selectors import policy_words as words


@dataclass(frozen=True, slots=True)
class PublicationView:
    """How far what publishing does to tickets has come. `state`: under_way, done, cancelled."""

    state: str
    done: int
    total: int
    said: str
    outcome: str
    at: datetime


def publication(ticket_type_id: int) -> PublicationView | None:
    """The last publication of a type that had something to do with tickets."""
    rows = Publication.objects.filter(version__ticket_type_id=ticket_type_id).select_related("version")
    row = rows.order_by("-created_at").first()
    if row is None:
        return None
    under_way = row.status in (WorkStatus.QUEUED, WorkStatus.RUNNING)
    said = ngettext("%(done)d of %(count)d ticket seen to", "%(done)d of %(count)d tickets seen to", row.total)
    return PublicationView(
        "under_way" if under_way else row.status,
        row.done,
        row.total,
        said % {"done": row.done, "count": row.total},
        _outcome(row),
        row.finished_at or row.created_at,
    )


def _outcome(row: Publication) -> str:
    parts = []
    if row.doubted:
        parts.append(
            ngettext("%(count)d value awaits confirmation", "%(count)d values await confirmation", row.doubted)
            % {"count": row.doubted}
        )
    if row.withdrawn:
        parts.append(
            ngettext("%(count)d value was withdrawn", "%(count)d values were withdrawn", row.withdrawn)
            % {"count": row.withdrawn}
        )
    if row.judged:
        parts.append(
            ngettext(
                "%(count)d undecided change is answered otherwise",
                "%(count)d undecided changes are answered otherwise",
                row.judged,
            )
            % {"count": row.judged}
        )
    if not parts:
        return _("Nothing in them had to be changed.")
    return words.upper_first(words.listed(parts)) + "."
