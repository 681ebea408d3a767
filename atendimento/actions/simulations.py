"""Trying a draft on past decisions (T3): begun by a person, done in the workers slice by slice, stopped by a person.

How far it came stands in the simulation's row, which is locked for each slice: a lost worker costs a slice, and two workers
on one simulation take turns. No ticket is locked, and none is written to.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from django.db import transaction

from atendimento import access, jobs, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.faults import invalid
from atendimento.models import LedgerEvent, Membership, Simulation, SimulationDifference, Ticket, TicketTypeDraft, WorkStatus
from atendimento.selectors import past_decisions
from atendimento.selectors.past_decisions import Again
from memoria import fields
from memoria.events import document_digest
from memoria.members import YEARS
from memoria.patch import Json, Missing
from memoria.simulation import DECIDED, Simulated
from memoria.sources import Actor

DEFAULT_LAST: Final = 500
MOST: Final = 20_000
"""Decisions of one simulation, however long the period."""
MOST_AT_ONCE: Final = 2_000
"""Decisions that a program may have tried while it waits."""
SLICE: Final = 100
"""Decisions that a slice looks at, at least one ticket's."""
LEASE: Final = timedelta(seconds=15)
UNDER_WAY: Final = (WorkStatus.QUEUED, WorkStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which decisions: the `last` so many, or those from a day to a day, both included, in the organisation's zone."""

    last: int | None = DEFAULT_LAST
    since: date | None = None
    until: date | None = None

    def to_json(self) -> dict[str, Json]:
        if self.since is None and self.until is None:
            return {"last": self.last}
        return {
            "from": self.since.isoformat() if self.since else None,
            "to": self.until.isoformat() if self.until else None,
        }


@transaction.atomic
def start_simulation(*, member: Membership, slug: str, revision: int, scope: Scope) -> Simulation:
    """Try the type's draft on past decisions; one that is under way is stopped and makes place.

    Raises NotFound; InvalidInput `draft.overtaken`, `simulation.scope`; memoria's InvalidTicketType.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    draft = TicketTypeDraft.objects.select_for_update().filter(organization_id=member.organization_id, slug=slug).first()
    if draft is None:
        raise NotFound("draft")
    if draft.revision != revision:
        raise invalid("", "draft.overtaken", "somebody has changed the draft meanwhile")
    fields.TicketType.from_document(draft.document)
    check_scope(scope)
    moment = ledger.now()
    under_way = Simulation.objects.select_for_update().filter(organization_id=member.organization_id, slug=slug)
    for row in under_way.filter(status__in=UNDER_WAY):
        _stop(row, moment)
    plan = plan_of(member, slug, scope)
    made = Simulation.objects.create(
        organization=member.organization,
        slug=slug,
        document=draft.document,
        digest=document_digest(draft.document),
        scope=scope.to_json(),
        plan=[[str(ticket), versions] for ticket, versions in plan.items()],
        total=sum(map(len, plan.values())),
        created_by=member,
        created_at=moment,
    )
    jobs.owe(jobs.SIMULATE, made.pk, member.organization_id, moment, moment)
    return made


def check_scope(scope: Scope, most: int = MOST) -> None:
    """Raises InvalidInput `simulation.scope`."""
    if any(day is not None and day.year not in YEARS for day in (scope.since, scope.until)):
        raise invalid("/from", "simulation.scope", "is no day of our time")
    if scope.since is None and scope.until is None:
        if scope.last is None or not 1 <= scope.last <= most:
            raise invalid("/last", "simulation.scope", f"must be from 1 to {most}")
    elif scope.since is not None and scope.until is not None and scope.since > scope.until:
        raise invalid("/from", "simulation.scope", "is after the end")


def plan_of(member: Membership, slug: str, scope: Scope, at_most: int = MOST) -> dict[uuid.UUID, list[int]]:
    """The versions that decisions of this type's tickets made, by ticket, the newest decision's ticket first."""
    found = LedgerEvent.objects.filter(
        organization_id=member.organization_id,
        ticket__ticket_type__slug=slug,
        kind__in=[kind.value for kind in DECIDED],
    )
    zone = ZoneInfo(member.organization.timezone)
    if scope.since is not None:
        found = found.filter(at__gte=datetime.combine(scope.since, time.min, zone))
    if scope.until is not None:
        found = found.filter(at__lt=datetime.combine(scope.until + timedelta(days=1), time.min, zone))
    most = at_most if scope.since or scope.until else scope.last or DEFAULT_LAST
    plan: dict[uuid.UUID, list[int]] = {}
    for ticket, version in found.order_by("-at", "-id").values_list("ticket_id", "version")[:most]:
        plan.setdefault(ticket, []).insert(0, version)
    return plan


@transaction.atomic
def cancel_simulation(*, member: Membership, slug: str, simulation_id: uuid.UUID) -> Simulation:
    """Stop a simulation; what it found so far stays. One that has ended is left as it is. Raises NotFound."""
    access.require(member, Permission.PUBLISH_TYPES)
    rows = Simulation.objects.select_for_update().filter(organization_id=member.organization_id, slug=slug)
    row = rows.filter(pk=simulation_id).first()
    if row is None:
        raise NotFound("simulation")
    if row.status in UNDER_WAY:
        _stop(row, ledger.now())
    return row


def _stop(row: Simulation, moment: datetime) -> None:
    row.status, row.finished_at = WorkStatus.CANCELLED, moment
    row.save(update_fields=["status", "finished_at"])
    jobs.settle(jobs.SIMULATE, row.pk)


def run_simulation(*, organization_id: int, simulation_id: uuid.UUID, step: int = SLICE) -> None:
    """Do what is left of a simulation, and settle its job. `step`: decisions that a slice looks at."""
    row = Simulation.objects.filter(pk=simulation_id).first()
    if row is None or row.status not in UNDER_WAY:
        jobs.settle(jobs.SIMULATE, simulation_id)
        return
    draft = fields.TicketType.from_document(row.document)
    actors = past_decisions.actors_of(organization_id)
    while _slice(simulation_id, draft, actors, step):
        pass


@transaction.atomic
def _slice(simulation_id: uuid.UUID, draft: fields.TicketType, actors: Mapping[str, Actor], step: int) -> bool:
    """Look at the next tickets' decisions; False where there is nothing left to do."""
    row = Simulation.objects.select_for_update().get(pk=simulation_id)
    if row.status not in UNDER_WAY:
        jobs.settle(jobs.SIMULATE, row.pk)
        return False
    looked_at = 0
    while row.position < len(row.plan) and looked_at < step:
        ticket, versions = row.plan[row.position]
        _take(row, past_decisions.decide_again(uuid.UUID(ticket), versions, draft, actors))
        row.position += 1
        looked_at += len(versions)
    row.done += looked_at
    more = row.position < len(row.plan)
    moment = ledger.now()
    row.status = WorkStatus.RUNNING if more else WorkStatus.DONE
    row.finished_at = None if more else moment
    row.save(update_fields=["status", "position", "done", "different", "incomparable", "finished_at"])
    if more:
        jobs.postpone(jobs.SIMULATE, row.pk, moment + LEASE, moment)
    else:
        jobs.settle(jobs.SIMULATE, row.pk)
    return more


def _take(row: Simulation, again: Again) -> None:
    row.incomparable += len(again.lost) + sum(not item.comparable for item in again.decisions)
    row.different += sum(item.differs for item in again.decisions)
    SimulationDifference.objects.bulk_create(
        difference for item in again.decisions if item.differs for difference in _differences(row, again, item)
    )


def _differences(row: Simulation, again: Again, item: Simulated) -> list[SimulationDifference]:
    return [
        SimulationDifference(
            organization_id=row.organization_id,
            simulation=row,
            ticket=again.ticket,
            version=item.event.version,
            place=place,
            act=compared.act.act,
            pointer=compared.act.pointer[:250],
            kind=compared.kind,
            at=item.event.at,
        )
        for place, compared in enumerate(item.acts)
        if compared.kind is not None
    ]


# --- at once ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AtOnce:
    """What a simulation that was waited for came to."""

    decisions: int
    incomparable: int
    different: tuple[tuple[Ticket, Simulated], ...]  # the newest decision's ticket first


def simulate_now(*, member: Membership, slug: str, document: Json | Missing, scope: Scope) -> AtOnce:
    """Try a definition (MISSING: the type's draft) on past decisions and answer what would differ. Nothing is kept.

    Raises NotFound for a type, or a draft, that there is not; InvalidInput; memoria's InvalidTicketType.
    """
    access.require(member, Permission.PUBLISH_TYPES)
    access.ticket_type(member.organization, slug)
    check_scope(scope, MOST_AT_ONCE)
    if isinstance(document, Missing):
        draft = TicketTypeDraft.objects.filter(organization_id=member.organization_id, slug=slug).first()
        if draft is None:
            raise NotFound("draft")
        document = draft.document
    definition = fields.TicketType.from_document(document)
    if definition.slug != slug:
        raise invalid("/document/slug", "ticket_type.other_slug", "is not the one in the address")
    actors = past_decisions.actors_of(member.organization_id)
    plan = plan_of(member, slug, scope, MOST_AT_ONCE)
    found = [past_decisions.decide_again(ticket, versions, definition, actors) for ticket, versions in plan.items()]
    return AtOnce(
        sum(map(len, plan.values())),
        sum(len(item.lost) + sum(not decision.comparable for decision in item.decisions) for item in found),
        tuple((item.ticket, decision) for item in found for decision in item.decisions if decision.differs),
    )
