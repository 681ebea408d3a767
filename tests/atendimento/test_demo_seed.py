"""The demonstration's data: it plays on any day, comes in by itself, and changes nothing when it comes again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import call_command
from django.db.models import Max

from atendimento import jobs, ledger, proof, tenancy
from atendimento.demo import script
from atendimento.demo.moments import Moments
from atendimento.demo.play import Judged, Play, PlayError
from atendimento.models import (
    EndpointMode,
    LedgerEvent,
    Membership,
    Message,
    Organization,
    OutboxEntry,
    Proposal,
    ProposedChange,
    RunStatus,
    Ticket,
    TicketTypeVersion,
)
from memoria.decisions import Edit
from memoria.fields import TicketType
from memoria.patch import Json, Missing
from memoria.proposals import Change, Citation, Status
from memoria.sources import Kind
from memoria.state import SlotStatus, State
from tests.memoria.bench import ANA, SARA, Bench

ZONE = ZoneInfo("America/Sao_Paulo")
ROLES = {"agent": ANA, "supervisor": SARA, "admin": SARA}
MOMENTS = [
    "2026-03-10T12:00:00-03:00",  # a Tuesday
    "2026-03-14T00:04:00-03:00",  # just past midnight on a Saturday
    "2026-12-31T23:58:00-03:00",  # the last minutes of a year
    "2028-02-28T19:30:00-03:00",  # before a leap day
]


class MemoryStage:
    """A ticket held in memory: the domain alone, no database."""

    def __init__(self, conversation: script.Conversation, now: datetime) -> None:
        document = next(item for item in script.ticket_types() if item["slug"] == conversation.ticket_type)
        self.people = conversation.people
        self.bench = Bench(TicketType.from_document(document, 1))
        self.bench.now = now
        self.refs: dict[str, str] = {}

    def say(self, by: str, text: str, sent_at: datetime, key: str, *, internal: bool) -> str:
        if by in ROLES:
            kind, name = Kind.AGENT, ROLES[by].member
        else:
            kind, name = self.people[by].kind, self.people[by].name
        self.refs[key] = self.bench.say(kind, text, name, sent_at=sent_at)
        return self.refs[key]

    def rewrite(self, key: str, text: str) -> None:
        self.bench.rewrite(self.refs[key], text)

    def erase(self, message: str) -> None:
        self.bench.delete(message)

    def propose(self, changes: Sequence[Change]) -> Sequence[Judged]:
        return [
            Judged(
                held.id,
                held.judgement.verdict.value,
                held.judgement.code.value,
                tuple(caution.kind for caution in held.judgement.cautions),
            )
            for held in self.bench.propose(*changes)
        ]

    def decide(self, by: str, accept: Sequence[str], reject: Sequence[str], reason: str | None) -> int:
        held = self.bench.changes
        return self.bench.decide([held[key] for key in accept], [held[key] for key in reject], actor=ROLES[by], reason=reason)

    def edit(self, by: str, change: str, value: Json, reason: str | None) -> int:
        return self.bench.accept(self.bench.changes[change], edit=Edit(value, None, reason), actor=ROLES[by])

    def override(self, by: str, change: str, reason: str) -> int:
        return self.bench.accept(self.bench.changes[change], override=reason, actor=ROLES[by])

    def put(self, by: str, path: str, value: Json | Missing, reported: Kind | None, reason: str | None) -> int:
        return self.bench.put(path, value, reported=reported, reason=reason, actor=ROLES[by]).version

    def confirm(self, by: str, path: str, evidence: Sequence[Citation], reported: Kind | None) -> int:
        return self.bench.confirm(path, evidence=evidence, reported=reported, actor=ROLES[by]).version

    def resolve(self, by: str, path: str, choice: str, challenger: int | None, reason: str) -> int:
        return self.bench.resolve(path, choice, challenger=challenger, reason=reason, actor=ROLES[by]).version

    def undo(self, by: str, version: int, reason: str) -> int:
        return self.bench.undo(version, actor=ROLES[by], reason=reason).version

    def visit(self, by: str) -> None:
        """Nobody's looking is kept in memory."""

    def shelve(self, by: str, status: str, until: datetime | None) -> None:
        """A ticket's status is none of the domain's."""


def conversation_named(slug: str) -> script.Conversation:
    return next(item for item in script.conversations() if item.slug == slug)


# --- the content, in memory -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("now", MOMENTS)
@pytest.mark.parametrize("conversation", script.conversations(), ids=lambda item: item.slug)
def test_a_conversation_plays_as_written_on_any_day(conversation: script.Conversation, now: str) -> None:
    moment = datetime.fromisoformat(now)
    Play(conversation, MemoryStage(conversation, moment), Moments(moment, ZONE)).run()


def test_a_quote_that_does_not_stand_stops_the_play_and_names_the_step() -> None:
    conversation = conversation_named("12-ainda-nao-lido")
    moment = datetime.fromisoformat(MOMENTS[0])
    wrong = script.ChangePart("replace", "/facts/aparelho", "freezer", (("oi", "meu freezer novo"),))
    steps = (*conversation.steps, script.Propose("engano", (wrong,)))
    broken = script.Conversation(**{**_fields(conversation), "steps": steps})
    with pytest.raises(PlayError, match=r"12-ainda-nao-lido, step 4 \(propose engano\).*evidence.quote_not_found"):
        Play(broken, MemoryStage(broken, moment), Moments(moment, ZONE)).run()


def _fields(conversation: script.Conversation) -> dict[str, Any]:
    return {name: getattr(conversation, name) for name in script.Conversation.__dataclass_fields__}


def test_days_are_told_relative_to_the_moment() -> None:
    moments = Moments(datetime.fromisoformat("2026-04-02T10:00:00-03:00"), ZONE)  # the Thursday before Good Friday
    assert moments.told("{weekday+0} {date-1} {iso+1}") == "quinta-feira 01/04 2026-04-03"
    assert moments.told("{iso+1w} {weekday+1w}") == "2026-04-06 segunda-feira"
    assert moments.told("{at+1wT15:00}") == "2026-04-06T15:00:00-03:00"
    assert moments.sent("-1 09:12") == datetime.fromisoformat("2026-04-01T09:12:00-03:00")


def test_the_long_conversation_has_400_messages_that_seldom_repeat() -> None:
    texts = [step.text for step in conversation_named("10-condominio").steps if isinstance(step, script.Say)]
    assert len(texts) == 400
    assert len(set(texts)) > 300
    assert not any("<" in text for text in texts)


# --- in the database ------------------------------------------------------------------------------------------------


def ticket_of(organization: Organization, slug: str) -> Ticket:
    return Ticket.objects.get(organization=organization, external_id=slug)


def state_of(organization: Organization, slug: str) -> State:
    return ledger.current_state(ticket_of(organization, slug).pk)


def everything() -> tuple[object, ...]:
    """What a second seed might touch: how many rows there are, when tickets changed, who the members are."""
    tables = (Organization, TicketTypeVersion, Ticket, Message, Proposal, ProposedChange, LedgerEvent, OutboxEntry)
    counts = {table.__name__: table.objects.count() for table in tables}
    return counts, Ticket.objects.aggregate(Max("updated_at")), list(Membership.objects.order_by("pk").values())


def test_the_seed_shows_every_stage_asks_the_model_once_and_comes_in_only_once(
    db: None, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """One test, because seeding is the dear part of it."""
    settings.PROPOSAL_DEBOUNCE = 3  # one run for a burst, as in the demonstration
    call_command("seed_demo")
    organization = Organization.objects.get(slug="demonstracao")
    with tenancy.organization(organization.pk):
        every_stage_is_there(organization)
        one_conversation_awaits_the_model(organization)
        assert [finding for ticket in Ticket.objects.all() for finding in proof.verify(ticket.pk)] == []
        before = everything()
    the_printed_logins_hold(organization, capsys.readouterr().out)

    user = Membership.objects.get(organization=organization, role="agent").user
    user.set_password("outra-senha")
    user.save()
    call_command("seed_demo")
    assert "there already" in capsys.readouterr().out
    with tenancy.organization(organization.pk):
        assert everything() == before
    user.refresh_from_db()
    assert user.check_password("outra-senha")


def every_stage_is_there(organization: Organization) -> None:
    tickets = {str(ticket.external_id): ticket for ticket in Ticket.objects.filter(organization=organization)}
    assert set(tickets) == {item.slug for item in script.conversations()}
    assert tickets["01-visita-recife"].pending_count == 4
    assert state_of(organization, "02-endereco-cadastro").slots["/facts/endereco"].status is SlotStatus.CONFLICT
    assert state_of(organization, "03-pedido-cancelado").values["goal"] == "cancelar o pedido"
    doubted = state_of(organization, "04-prioridade-defeito").slots["/facts/prioridade"]
    assert doubted.status is SlotStatus.NEEDS_CONFIRMATION
    due = tickets["05-reembolso-vencido"].next_due
    assert due is not None
    assert due < ledger.now()
    assert tickets["06-troca-unidade"].stale_count == 5
    assert state_of(organization, "07-autorizacao-exame").values["authorizations"]["a-1"]["action"] == "send"
    assert tickets["08-leitura-parada"].parked_count == 1
    stale = state_of(organization, "09-mensagem-editada").slots["/facts/local_entrega"].stale_because
    assert stale is not None
    assert stale.cause == "evidence_changed"
    assert tickets["10-condominio"].last_message_number == 400
    assert tickets["10-condominio"].pending_count > 20
    settled = tickets["11-chamado-encerrado"]
    assert (settled.status, settled.pending_count, settled.conflict_count, settled.stale_count) == ("closed", 0, 0, 0)
    fates = set(ProposedChange.objects.filter(ticket=settled).values_list("status", flat=True))
    assert fates == {Status.ACCEPTED, Status.EDITED, Status.REJECTED}
    assert tickets["12-ainda-nao-lido"].assignee is None
    assert tickets["13-retorno-adiado"].status == "snoozed"
    two = state_of(organization, "14-dois-aparelhos")
    assert two.slots["/items/i-2/horario"].status is SlotStatus.NEEDS_CONFIRMATION
    assert two.slots["/items/i-1/horario"].status is SlotStatus.CURRENT


def one_conversation_awaits_the_model(organization: Organization) -> None:
    waiting = Proposal.objects.exclude(status__in=[RunStatus.READY, RunStatus.PARKED])
    assert [row.ticket.external_id for row in waiting] == ["12-ainda-nao-lido"]
    asleep = Ticket.objects.get(external_id="13-retorno-adiado")
    owed = {(jobs.PROPOSE, waiting[0].pk), (jobs.WAKE, asleep.pk)}
    assert sorted(OutboxEntry.objects.values_list("job", "subject")) == sorted(owed)
    unread = Message.objects.filter(awaits_reading=True, deleted_at=None).values_list("ticket__external_id", flat=True)
    assert set(unread) == {"08-leitura-parada", "12-ainda-nao-lido"}
    assert not EndpointMode.objects.exists()


def the_printed_logins_hold(organization: Organization, printed: str) -> None:
    assert "casa-fria-demo" in printed
    for member in Membership.objects.select_related("user").filter(organization=organization):
        assert member.user.email in printed
        assert member.user.check_password("casa-fria-demo")
