"""Small worlds for the console's tests: an organisation with its people, and tickets with something to decide."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from atendimento import access
from atendimento.access import Caller
from atendimento.actions import decisions, messages, organizations, proposals, ticket_types, tickets
from atendimento.models import (
    ApiToken,
    MailStatus,
    Membership,
    Message,
    Proposal,
    ProposedChange,
    Reminder,
    ReminderKind,
    Ticket,
)
from atendimento.tenancy import enter
from memoria.proposals import Change, Citation
from memoria.sources import Author, Kind

PASSWORD = "uma-senha-comprida"

TICKET_TYPE: dict[str, Any] = {
    "slug": "assistencia-tecnica",
    "name": "Assistência técnica",
    "fields": {
        "/goal": {"label": "Objetivo atual", "schema": {"type": "string"}, "sources": ["agent", "customer"]},
        "/facts/aparelho": {"label": "Aparelho", "schema": {"type": "string"}, "sources": ["registry", "agent", "customer"]},
        "/facts/bairro": {
            "label": "Bairro da visita",
            "schema": {"type": "string", "maxLength": 80},
            "sources": ["registry", "agent", "customer"],
            "invalidates": ["/facts/horario", "commitments:visit"],
        },
        "/facts/horario": {"label": "Horário", "schema": {"type": "string"}, "sources": ["tool", "agent", "customer"]},
        "/facts/orcamento": {
            "label": "Orçamento",
            "schema": {"type": "number", "minimum": 0},
            "sources": ["tool", "agent", "customer"],
        },
        "/facts/endereco": {
            "label": "Endereço",
            "schema": {"type": "string"},
            "sources": ["registry", "customer", "customer_reported"],
            "tie": "conflict",
        },
        "/facts/garantia": {
            "label": "Em garantia",
            "schema": {"type": "boolean"},
            "sources": ["registry", "agent", "customer"],
        },
        "/facts/comprado": {
            "label": "Comprado em",
            "schema": {"type": "string", "format": "date"},
            "sources": ["agent", "customer"],
        },
        "/facts/sintoma": {
            "label": "Sintoma",
            "schema": {"type": "string"},
            "sources": ["agent", "customer"],
            "inference": "flag",
        },
        "/preferences/periodo": {
            "label": "Período preferido",
            "schema": {"enum": ["manhã", "tarde", "noite"]},
            "sources": ["customer", "customer_reported", "agent"],
        },
        "/identifiers/pedido": {
            "label": "Pedido",
            "schema": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4,8}$"},
            "sources": ["registry", "customer", "agent"],
        },
    },
    "collections": {
        "commitments": {
            "sources": ["registry", "tool", "agent", "customer"],
            "kinds": ["visit", "schedule_query"],
            "completion_sources": ["tool", "registry", "performer"],
        },
        "pending": {"sources": ["agent", "customer", "third_party", "assistant"]},
        "constraints": {"sources": ["agent", "customer"]},
        "decisions": {"sources": ["agent"]},
        "attempts": {"sources": ["agent", "customer", "tool"]},
    },
}


@dataclass
class World:
    """An organisation: Ana decides, Sílvia supervises, Rui is a colleague, and a channel brings messages."""

    ana: Membership
    rui: Membership
    silvia: Membership
    channel: Caller

    def enter(self) -> None:
        """Let this test's connection see the organisation's rows."""
        enter(self.ana.organization_id)

    def ticket(self, subject: str = "Visita da geladeira", customer: str = "Helena Melo") -> Ticket:
        data = tickets.CustomerData(uuid.uuid4().hex, customer)
        made, _new = tickets.create_ticket(
            caller=self.channel, ticket_type="assistencia-tecnica", subject=subject, customer=data, channel="whatsapp"
        )
        return made

    def say(
        self, ticket: Ticket, text: str, kind: str = "customer", name: str = "Helena", ago: timedelta = timedelta(), **more: Any
    ) -> Message:
        sent = datetime.now(UTC) - ago if ago else None
        author = Author(Kind(kind), name.lower(), name)
        return messages.receive_message(
            caller=self.channel, ticket_id=ticket.pk, author=author, text=text, sent_at=sent, **more
        ).message

    def many(self, ticket: Ticket, texts: Sequence[str], name: str = "Helena") -> None:
        """Messages of one person, a second apart, straight into the table: as they would lie there after a long talk."""
        ticket.refresh_from_db()
        first, start = ticket.last_message_number + 1, datetime.now(UTC) - timedelta(seconds=len(texts))
        author = {
            "author_kind": "customer",
            "author_name": name,
            "author_external_id": name.lower(),
            "author_key": name.lower(),
        }
        moments = [start + timedelta(seconds=index) for index in range(len(texts))]
        Message.objects.bulk_create(
            Message(
                organization_id=ticket.organization_id,
                ticket=ticket,
                number=first + index,
                text=text,
                received_at=moments[index],
                said_at=moments[index],
                **author,
            )
            for index, text in enumerate(texts)
        )
        ticket.last_message_number, ticket.last_message_at = first + len(texts) - 1, moments[-1]
        ticket.save(update_fields=["last_message_number", "last_message_at"])

    def propose(self, ticket: Ticket, *changes: Change, producer: str = "roteiro") -> list[ProposedChange]:
        ticket.refresh_from_db()
        made, _new = proposals.store_proposal(
            member=self.silvia, ticket_id=ticket.pk, base_version=ticket.state_version, producer=producer, changes=changes
        )
        return list(ProposedChange.objects.filter(proposal=made).order_by("position"))

    def accept(self, rows: Sequence[ProposedChange], member: Membership | None = None) -> int:
        ticket = Ticket.objects.get(pk=rows[0].ticket_id)
        written = decisions.decide_changes(
            member=member or self.ana,
            ticket_id=ticket.pk,
            expected_version=ticket.state_version,
            accept=[str(row.pk) for row in rows],
        )
        return written.version


def make(slug: str = "frio-certo", name: str = "Frio Certo Recife") -> World:
    """A new organisation whose rows this connection sees from now on."""
    organization, _new = organizations.create_organization(slug=slug, name=name, timezone="America/Recife")
    enter(organization.pk)

    def person(email: str, role: str, called: str) -> Membership:
        member, _made = organizations.create_member(
            organization=organization, email=f"{email}@{slug}.example", role=role, name=called, password=PASSWORD
        )
        return access.membership_of(member.user) or member

    admin = person("adm", "admin", "Adm")
    ticket_types.publish_ticket_type(member=admin, document=TICKET_TYPE)
    organizations.create_api_token(organization=organization, name="whatsapp", scope="ingest", member=None)
    token = ApiToken.objects.get(organization=organization)
    people = (
        person("ana", "agent", "Ana Lima"),
        person("rui", "agent", "Rui Prado"),
        person("silvia", "supervisor", "Sílvia Reis"),
    )
    return World(*people, Caller(organization, None, "ingest:whatsapp", token.pk))


def change(path: str, value: Any, *quotes: tuple[str, str], op: str = "add", **more: Any) -> Change:
    """A proposed change that cites these (message, quote) pairs."""
    return Change(op, path, value, tuple(Citation(message, quote) for message, quote in quotes), **more)


def recife(world: World) -> Ticket:
    """The visit in Recife up to the correction: first values in the state, the rest said and not yet proposed."""
    ticket = world.ticket()
    hours = timedelta(hours=1)
    world.say(
        ticket,
        "Bom dia! Quero agendar uma visita para minha geladeira, moro em Boa Viagem. De preferência pela manhã.",
        ago=3 * hours,
    )
    world.say(ticket, "Claro, vou consultar a agenda e retorno.", "agent", "Ana", ago=2.9 * hours)
    world.say(ticket, "consulta concluída: quinta 14h livre", "tool", "Agenda", ago=2.8 * hours)
    promise = {"task": "consultar a agenda", "owner": "team", "kind": "schedule_query"}
    world.accept(
        world.propose(
            ticket,
            change("/goal", "agendar visita", ("m-1", "Quero agendar uma visita")),
            change("/facts/aparelho", "geladeira", ("m-1", "minha geladeira")),
            change("/facts/bairro", "Boa Viagem", ("m-1", "moro em Boa Viagem")),
            change("/preferences/periodo", "manhã", ("m-1", "De preferência pela manhã")),
            change("/facts/horario", "quinta às 14h", ("m-3", "quinta 14h livre")),
            change("/commitments/-", promise, ("m-2", "vou consultar a agenda")),
        )
    )
    return ticket


def correction(world: World, ticket: Ticket) -> list[ProposedChange]:
    """Helena corrects the place and the time of day, and holds the confirmation back: four changes to decide."""
    world.say(ticket, "O aparelho está na casa da minha mãe, na Madalena. E pode ser à tarde", ago=timedelta(minutes=50))
    world.say(ticket, "Temos um horário na quinta às 14h. Posso confirmar?", "agent", "Ana", ago=timedelta(minutes=40))
    world.say(ticket, "não confirme ainda, vou falar com ela", ago=timedelta(minutes=30))
    return world.propose(
        ticket,
        change("/facts/bairro", "Madalena", ("m-4", "na casa da minha mãe, na Madalena")),
        change("/preferences/periodo", "tarde", ("m-4", "pode ser à tarde")),
        change("/pending/-", {"question": "Confirmar quinta às 14h?"}, ("m-5", "na quinta às 14h")),
        change("/facts/orcamento", 350, ("m-6", "vou falar com ela")),
    )


def divergence(world: World) -> Ticket:
    """A ticket whose address the registry and the customer give differently, already recorded as a divergence."""
    ticket = world.ticket("Endereço diverge do cadastro", "Eva Torres")
    world.say(ticket, "Endereço: Rua das Flores, 10", "registry", "Cadastro", ago=timedelta(hours=2))
    world.say(ticket, "meu endereço é Rua do Sol, 22", name="Eva", ago=timedelta(hours=1))
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua das Flores, 10", ("m-1", "Rua das Flores, 10"))))
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua do Sol, 22", ("m-2", "Rua do Sol, 22"))))
    return ticket


def latest(ticket: Ticket) -> Proposal | None:
    return Proposal.objects.filter(ticket=ticket).order_by("-created_at").first()


def remind(ticket: Ticket, member: Membership, commitment: str = "c-1", **more: Any) -> Reminder:
    """A reminder as the clock would have made it."""
    now = datetime.now(UTC)
    made = {"due": "2026-03-10", "due_at": now, "kind": ReminderKind.DUE, "made_at": now, "mail": MailStatus.UNWANTED} | more
    return Reminder.objects.create(
        organization_id=ticket.organization_id, ticket=ticket, member=member, commitment=commitment, **made
    )
