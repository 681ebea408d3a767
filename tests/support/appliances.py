"""A ticket about two appliances: fields that repeat, and a proposal that would begin two groups."""

from __future__ import annotations

from typing import Any

from atendimento.actions import ticket_types
from atendimento.models import Membership, ProposedChange, Ticket
from tests.support.stories import TICKET_TYPE, World, change

NAME, WHERE, WHEN = "/items/{id}/aparelho", "/items/{id}/endereco", "/items/{id}/horario"

SAID = "Tenho uma geladeira Consul na Rua do Sol, 22, e um fogão Dako na Rua das Flores, 10. A geladeira é quinta às 14h"
MOVED = "A geladeira agora está na Rua da Aurora, 5"


def document(**groups: Any) -> dict[str, Any]:
    """The workshop's ticket type, with an appliance's name, address and time for each of up to three appliances."""

    def row(label: str, **more: Any) -> dict[str, Any]:
        return {"label": label, "schema": {"type": "string"}, "sources": ["registry", "agent", "customer"], **more}

    repeating = {
        NAME: row("Modelo"),
        WHERE: row("Endereço da visita", invalidates=[WHEN, "commitments:visit"]),
        WHEN: row("Horário da visita"),
    }
    said = {"items": {"label": "Aparelho", "plural": "Aparelhos", "named_by": NAME, "most": 3, **groups}}
    return TICKET_TYPE | {"fields": {**TICKET_TYPE["fields"], **repeating}, "groups": said}


def publish(world: World, **groups: Any) -> None:
    """Put the type with groups in force."""
    admin = Membership.objects.get(organization_id=world.ana.organization_id, role="admin")
    ticket_types.publish_ticket_type(member=admin, document=document(**groups))


def two(world: World, **groups: Any) -> tuple[Ticket, list[ProposedChange]]:
    """A conversation about two appliances, and what is proposed of them: three changes of one group, two of another."""
    publish(world, **groups)
    ticket = world.ticket("Dois aparelhos")
    world.say(ticket, SAID)
    rows = world.propose(
        ticket,
        change("/items/new-1/aparelho", "geladeira Consul", ("m-1", "geladeira Consul")),
        change("/items/new-2/aparelho", "fogão Dako", ("m-1", "fogão Dako")),
        change("/items/new-1/endereco", "Rua do Sol, 22", ("m-1", "Rua do Sol, 22")),
        change("/items/new-2/endereco", "Rua das Flores, 10", ("m-1", "Rua das Flores, 10")),
        change("/items/new-1/horario", "quinta às 14h", ("m-1", "quinta às 14h")),
    )
    return ticket, rows
