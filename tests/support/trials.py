"""A draft that was tried, for tests that only need that there is one."""

from __future__ import annotations

from atendimento.actions.simulations import Scope, start_simulation
from atendimento.models import Membership, SimulationDifference, Ticket


def simulated(admin: Membership, slug: str, ticket: Ticket) -> dict[str, object]:
    """A simulation of the type's draft, with a difference in this ticket's first decision: their ids."""
    row = start_simulation(member=admin, slug=slug, revision=1, scope=Scope())
    difference = SimulationDifference.objects.create(
        organization_id=row.organization_id,
        simulation=row,
        ticket=ticket,
        version=1,
        place=0,
        act="rejected",
        pointer="/facts/sintoma",
        kind="allowed>refused",
        at=row.created_at,
    )
    return {"simulation_id": row.pk, "difference_id": difference.pk}
