"""The acts that a simulation found to come out otherwise: how many, and in which of a ticket's groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.utils.translation import ngettext

from atendimento import timeline
from atendimento.models import Simulation, SimulationDifference, TicketState, TicketType
from atendimento.selectors import reading
from memoria import fields, groups
from memoria.rows import SEPARATOR, group_of, template_of


def counted(row: Simulation) -> str:
    """One decision may hold several acts, each of which has a row of its own."""
    acts = row.differences.count()
    if acts == row.different:
        return ""
    return ngettext(
        "%(count)d act comes out otherwise, and has its row here.",
        "%(count)d acts come out otherwise, and each has its row here.",
        acts,
    ) % {"count": acts}


def called(
    row: Simulation, lines: Sequence[SimulationDifference], draft: fields.TicketType, labels: Mapping[str, str]
) -> Mapping[int, str]:
    """What the field of each line that lies in a group is called, by the line's id: under its group's name (G6).

    Three queries at most. A group that the ticket has no more is left out.
    """
    tickets = {item.ticket_id for item in lines if group_of(item.pointer) is not None}
    if not tickets:
        return {}
    kind = TicketType.objects.filter(organization_id=row.organization_id, slug=row.slug).values_list("pk", flat=True).first()
    rules = reading.definition(kind) if kind is not None else draft
    rules = rules if rules.groups is not None else draft
    names = {
        state.ticket_id: groups.labels(rules, timeline.projection(state))
        for state in TicketState.objects.filter(ticket__in=tickets)
    }
    found: dict[int, str] = {}
    for item in lines:
        name = names.get(item.ticket_id, {}).get(group_of(item.pointer) or "")
        if name is not None:
            key = template_of(item.pointer)
            own = draft.fields[key].label if key in draft.fields else labels.get(key, key)
            found[item.pk] = f"{name}{SEPARATOR}{own}"
    return found
