"""Retention (L1) on the real tables: what is over its period, what a run erases, what stands against it (L4)."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from atendimento import actions, jobs, ledger, proof, tasks, tenancy
from atendimento.actions import decisions, erasing, exports, holds, retention, slots
from atendimento.actions.faults import InvalidInput
from atendimento.actions.imports import preview_import
from atendimento.actions.merging import merge_ticket
from atendimento.models import (
    Act,
    AdministrativeAct,
    Correction,
    CustomerExport,
    Import,
    LedgerEvent,
    Membership,
    Message,
    Organization,
    OutboxEntry,
    Proposal,
    ProposedChange,
    RetentionRun,
    Ticket,
    TicketState,
)
from memoria.errors import DomainError
from memoria.retention import DataClass
from memoria.state import SlotStatus
from tests.atendimento.test_rebuilds import begin, step
from tests.atendimento.test_runs import run as read_by_model
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, same_organization, say
from tests.support.foreign import CHAT
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
WORD = "zqretido"


@pytest.fixture
def house(transactional_db: None) -> House:
    return make_house()


def version(ticket: Ticket) -> int:
    return Ticket.objects.get(pk=ticket.pk).state_version


def lived_in(house: House, customer: str = "cli-1") -> Ticket:
    """A ticket with a word said, accepted, corrected and stated; nothing of it is being read."""
    ticket = make_ticket(house, customer)
    said = say(house, ticket, f"moro no {WORD}, às 14h", external_id="m1")
    rows = propose(
        house,
        ticket,
        change("/facts/bairro", WORD, (said, WORD)),
        change("/facts/horario", "14h", (said, "às 14h")),
    )
    accept = [row["id"] for row in rows]
    decisions.decide_changes(member=house.ana, ticket_id=ticket.pk, expected_version=0, accept=accept)
    slots.set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/aparelho", value=f"{WORD} 1", expected_version=1)
    slots.set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/aparelho", value=f"{WORD} 2", expected_version=2)
    Proposal.objects.filter(ticket=ticket, status="queued").update(status="superseded")
    OutboxEntry.objects.all().delete()
    return ticket


def close(house: House, ticket: Ticket, days: int) -> None:
    actions.update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")
    Ticket.objects.filter(pk=ticket.pk).update(closed_at=timezone.now() - timedelta(days=days))


def keep(house: House, **periods: int) -> None:
    retention.set_periods(member=house.davi, typed={kind: str(days) for kind, days in periods.items()})
    house.organization.refresh_from_db()
    house.davi.organization.refresh_from_db()


def over(house: House) -> Mapping[str, int]:
    """How many tickets, or rows, of each class the dry run finds."""
    found = retention.due(house.organization, retention.periods_of(house.organization), timezone.now())
    return {item.kind.value: item.count for item in found if item.count}


def run(house: House, member: Membership | None = None) -> Mapping[str, Any]:
    """A whole run; its report."""
    row = retention.begin_run(organization=house.organization, member=member)
    while not retention.work(organization_id=house.organization.pk, run_id=row.pk):
        pass
    row.refresh_from_db()
    assert row.status == "done"
    report: dict[str, Any] = row.report
    return report


# --- what is over ---------------------------------------------------------------------------------------------------


def test_only_what_is_closed_for_longer_than_the_period_is_over_it_and_counting_writes_nothing(house: House) -> None:
    old, young, open_ticket = (lived_in(house, f"cli-{number}") for number in range(3))
    close(house, old, 31)
    close(house, young, 29)
    Ticket.objects.filter(pk=open_ticket.pk).update(created_at=timezone.now() - timedelta(days=900))
    keep(house, messages=30, history=60)
    before = list(Message.objects.values()) + list(LedgerEvent.objects.values())

    found = retention.due(house.organization, retention.periods_of(house.organization), timezone.now())

    (messages,) = [item for item in found if item.kind is DataClass.MESSAGES]
    assert (messages.count, messages.examples, messages.days) == (1, (old.protocol,), 30)
    assert messages.oldest == Ticket.objects.get(pk=old.pk).closed_at
    assert {name.split(" (")[0]: count for name, count in messages.rows.items()} == {"message": 1}
    assert over(house) == {"messages": 1}
    assert list(Message.objects.values()) + list(LedgerEvent.objects.values()) == before
    assert not RetentionRun.objects.exists()


@pytest.mark.parametrize("until", ["", "today"])
def test_what_is_held_is_kept_until_it_is_lifted(house: House, until: str) -> None:
    ticket, other = lived_in(house, "cli-1"), lived_in(house, "cli-2")
    close(house, ticket, 40)
    close(house, other, 40)
    keep(house, messages=30)
    day = holds.today(house.organization).isoformat() if until else ""
    one = holds.place_hold(member=house.davi, ticket_id=ticket.pk, reason="processo", until=day)
    two = holds.place_hold(member=house.davi, customer_id=other.customer_id, reason="processo", until=day)
    assert over(house) == {}
    assert run(house) == {}

    holds.lift_hold(member=house.davi, hold_id=one.pk)
    assert over(house) == {"messages": 1}
    two.until = holds.today(house.organization) - timedelta(days=1)
    two.save(update_fields=["until"])
    assert over(house) == {"messages": 2}
    kinds = list(AdministrativeAct.objects.order_by("pk").values_list("kind", flat=True))
    assert [kinds.count(kind) for kind in (Act.HOLD_PLACED, Act.HOLD_LIFTED)] == [2, 1]


def test_a_merged_ticket_goes_with_the_one_that_it_goes_on_in(house: House) -> None:
    into = lived_in(house)
    merged = lived_in(house)
    merge_ticket(member=house.ana, ticket_id=merged.pk, into=into.protocol)
    Ticket.objects.filter(pk=merged.pk).update(closed_at=timezone.now() - timedelta(days=90))
    keep(house, messages=30)
    assert over(house) == {}

    close(house, into, 20)
    assert over(house) == {}
    close(house, into, 31)
    assert over(house) == {"messages": 2}


def test_a_ticket_that_is_read_just_now_waits(house: House) -> None:
    ticket = lived_in(house)
    close(house, ticket, 40)
    keep(house, messages=30, model=10)
    Proposal.objects.filter(ticket=ticket, origin="api").update(status="running")

    assert over(house) == {}


def test_what_is_opened_again_starts_its_period_anew(house: House) -> None:
    ticket = lived_in(house)
    close(house, ticket, 400)
    keep(house, messages=30)
    say(house, ticket, "voltei")
    Proposal.objects.filter(status="queued").update(status="superseded")
    assert Ticket.objects.get(pk=ticket.pk).closed_at is None

    actions.update_ticket(member=house.ana, ticket_id=ticket.pk, status="closed")

    assert over(house) == {}


# --- what a run erases ----------------------------------------------------------------------------------------------


def test_messages_go_and_the_values_that_rest_on_them_say_so(house: House) -> None:
    ticket = lived_in(house)
    close(house, ticket, 40)
    updated = Ticket.objects.get(pk=ticket.pk).updated_at
    keep(house, messages=30)

    report = run(house, house.davi)

    message = Message.objects.get(ticket=ticket)
    assert (message.text, message.author_name, message.number, message.author_kind) == ("", "", 1, "customer")
    state = ledger.current_state(ticket.pk)
    assert state.values["facts"]["bairro"] == WORD
    slot = state.slots["/facts/bairro"]
    assert (slot.status, slot.stale_because and slot.stale_because.to_json()) == (
        SlotStatus.NEEDS_CONFIRMATION,
        "evidence_erased",
    )
    assert state.slots["/facts/aparelho"].status is SlotStatus.CURRENT  # a statement rests on no message
    assert_replays(ticket)
    assert report["messages"]["tickets"] == 1
    assert Ticket.objects.get(pk=ticket.pk).updated_at == updated
    act = AdministrativeAct.objects.get(kind=Act.RETENTION_RUN)
    assert (act.member, act.details["rows"]) == (house.davi, sum(report["messages"]["rows"].values()))


def test_a_late_repetition_brings_no_erased_words_back(house: House) -> None:
    ticket = lived_in(house)
    close(house, ticket, 40)
    keep(house, messages=30)
    run(house)

    assert say(house, ticket, f"moro no {WORD}, às 14h", external_id="m1") == "m-1"
    assert Message.objects.get(ticket=ticket).text == ""


def test_a_new_reading_begins_where_retention_has_left_and_promises_nothing(house: House, model_server: ModelServer) -> None:
    """H5, L3: it reads the first message that is left, and says what is gone."""
    ticket = lived_in(house)
    close(house, ticket, 40)
    keep(house, messages=30)
    run(house)
    say(house, ticket, "moro na Torre")
    model_server.answer(change("/facts/bairro", "Torre", ("m-2", "Torre")))
    row = begin(house, ticket)

    while row.status in ("queued", "running"):
        row = step(house, row)

    shown = {item["pointer"]: item for item in row.report["rows"]}
    assert (row.report["gone"], row.report["first"], row.total) == (1, 2, 1)
    assert (shown["/facts/horario"]["difference"], shown["/facts/horario"]["lost"]) == ("only_now", ["m-1"])
    asked = model_server.chats[-1].body["messages"][-1]["content"]
    assert [item["id"] for item in json.loads(asked)["new_messages"]] == ["m-2"]
    assert WORD not in json.dumps(json.loads(asked).get("earlier_messages", []))


def test_the_model_s_traffic_goes_first_and_alone(house: House, model_server: ModelServer) -> None:
    ticket = lived_in(house)
    said = say(house, ticket, f"{WORD} de novo")
    model_server.answer(change("/facts/aparelho", f"{WORD} lido", (said, WORD)))
    row = read_by_model(house)
    assert row.status == "ready"
    close(house, ticket, 40)
    keep(house, messages=90, model=30)

    report = run(house)

    row.refresh_from_db()
    assert (row.request, row.raw_answer, row.context_report) == (None, None, None)
    assert row.usage["prompt_tokens"] == 100
    assert set(report) == {"model"}
    assert WORD in Message.objects.get(ticket=ticket, number=2).text
    assert over(house) == {}


def test_the_history_goes_last_and_the_ticket_can_go_on(house: House) -> None:
    ticket = lived_in(house)
    close(house, ticket, 100)
    keep(house, messages=30, history=90)

    report = run(house)

    assert set(report) == {"messages", "history"}
    assert set(LedgerEvent.objects.filter(content=None).values_list("kind", flat=True)) == {
        "decision",
        "statement",
        "evidence_erased",
    }
    row = Correction.objects.get(ticket=ticket)
    assert (row.label, row.folded_old, row.act, row.pointer) == ("", "", "replaced", "/facts/aparelho")
    assert {change.reason for change in ProposedChange.objects.all()} == {""}
    assert proof.verify(ticket.pk) == []
    assert WORD not in repr(TicketState.objects.values())
    say(house, ticket, "voltei, moro na Torre")
    (new,) = propose(house, ticket, change("/facts/bairro", "Torre", ("m-2", "Torre")))
    decisions.accept_change(member=house.ana, change_id=new["id"], expected_version=version(ticket))
    assert ledger.current_state(ticket.pk).values["facts"] == {"bairro": "Torre"}
    assert proof.verify(ticket.pk) == []
    assert run(house) == {}


def test_a_run_goes_on_slice_by_slice_and_one_under_way_is_the_same(house: House) -> None:
    for number in range(2):
        close(house, lived_in(house, f"cli-{number}"), 100)
    keep(house, messages=30)
    first = retention.begin_run(organization=house.organization, member=house.davi)
    assert retention.begin_run(organization=house.organization, member=None) == first

    assert not retention.work(organization_id=house.organization.pk, run_id=first.pk, most=1)
    assert Message.objects.filter(text="").count() == 1
    assert OutboxEntry.objects.filter(job=jobs.RETAIN, subject=first.pk).exists()
    with same_organization():
        tasks.retain(house.organization.pk, str(first.pk))

    first.refresh_from_db()
    assert (first.status, first.report["messages"]["tickets"]) == ("done", 2)
    assert not OutboxEntry.objects.filter(job=jobs.RETAIN).exists()
    assert run(house) == {}


def test_a_run_that_died_between_the_steps_of_a_ticket_goes_on(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = lived_in(house)
    close(house, ticket, 100)
    keep(house, messages=30, history=90)

    def died(*_args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "erase_history", died)
        with pytest.raises(KeyboardInterrupt):
            run(house)
    assert LedgerEvent.objects.filter(ticket=ticket, content=None).count() == 0
    before = version(ticket)

    report = run(house)

    assert (version(ticket), report["history"]["tickets"]) == (before, 2)  # counted in each of its two goes
    assert LedgerEvent.objects.filter(ticket=ticket, content=None).count() == before - 1
    assert proof.verify(ticket.pk) == []


def test_files_exports_and_the_log_go_by_their_own_age(house: House) -> None:
    ticket = make_ticket(house)
    batch = preview_import(organization=house.organization, member=house.celia, file_name="a.txt", content=CHAT.encode())
    exports.make_export(member=house.celia, customer_id=ticket.customer_id)
    kept = exports.make_export(member=house.celia, customer_id=ticket.customer_id)
    CustomerExport.objects.exclude(pk=kept.pk).update(expires_at=timezone.now())
    Import.objects.filter(pk=batch.pk).update(created_at=timezone.now() - timedelta(days=11))
    keep(house, imports=10, log=5)
    old = AdministrativeAct.objects.order_by("pk")[0]
    age = timezone.now() - timedelta(days=6)
    AdministrativeAct.objects.using("owner").filter(pk=old.pk).update(at=age)
    assert over(house) == {"imports": 1, "log": 1}

    report = run(house)

    assert {kind: part["rows"] for kind, part in report.items()} == {
        "imports": {"import": 1, "importfile": 1},
        "exports": {"customerexport": 1},
        "log": {"administrativeact": 1},
    }
    assert list(CustomerExport.objects.all()) == [kept]
    assert not Import.objects.exists()
    assert not AdministrativeAct.objects.filter(pk=old.pk).exists()


# --- who sets it, and who runs it -----------------------------------------------------------------------------------


def test_periods_are_set_by_administrators_checked_and_logged(house: House) -> None:
    with pytest.raises(DomainError, match=r"permission\.denied"):
        retention.set_periods(member=house.celia, typed={"messages": "30"})
    with pytest.raises(InvalidInput) as refused:
        retention.set_periods(member=house.davi, typed={"messages": "30", "model": "60", "history": "10", "log": "x"})
    assert {fault.pointer: fault.code for fault in refused.value.faults} == {
        "/model": "retention.outlives_messages",
        "/history": "retention.before_messages",
        "/log": "retention.no_period",
    }
    assert Organization.objects.get(pk=house.organization.pk).retention == {}
    keep(house, messages=30)
    keep(house, messages=30)
    act = AdministrativeAct.objects.get(kind=Act.RETENTION_SET)
    assert act.details == {"was": {}, "periods": {"messages": 30}}


def test_the_command_counts_with_a_dry_run_and_erases_without(house: House) -> None:
    ticket = lived_in(house)
    close(house, ticket, 40)
    keep(house, messages=30)

    def told(*words: str) -> str:
        out = io.StringIO()
        with same_organization():
            call_command("apply_retention", *words, stdout=out)
        return out.getvalue()

    counted = told("--dry-run", "--org", "casa")
    assert "casa messages (30 days): 1, the oldest of " in counted
    assert ticket.protocol in counted
    assert WORD in Message.objects.get(ticket=ticket).text
    assert "casa messages: 1 ticket(s)" in told()
    assert Message.objects.get(ticket=ticket).text == ""
    assert "casa: nothing was over its period" in told()
    with pytest.raises(CommandError, match="there is no organisation 'nada'"):
        told("--org", "nada")


def test_the_clock_begins_a_run_for_every_organisation_that_has_something_to_end(house: House) -> None:
    keep(house, messages=30)
    other, idle = make_house("outra"), make_house("parada")
    tenancy.enter(other.organization.pk)
    export = exports.make_export(member=other.celia, customer_id=make_ticket(other).customer_id)
    CustomerExport.objects.filter(pk=export.pk).update(expires_at=timezone.now())

    tasks.start_retention()

    begun = RetentionRun.objects.using("owner").order_by("organization")
    assert [(row.organization, row.started_by) for row in begun] == [(house.organization, None), (other.organization, None)]
    assert OutboxEntry.objects.filter(job=jobs.RETAIN).count() == 2
    assert not RetentionRun.objects.using("owner").filter(organization=idle.organization).exists()


def test_a_worker_that_is_not_the_owner_leaves_the_job_and_erases_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = lived_in(house)
    close(house, ticket, 40)
    keep(house, messages=30)
    row = retention.begin_run(organization=house.organization, member=None)
    with monkeypatch.context() as patch:
        patch.setattr(erasing, "OWNER", "default")  # connected as the application, as where the variable is not set
        with pytest.raises(erasing.NoOwner):
            retention.work(organization_id=house.organization.pk, run_id=row.pk)
        with same_organization():
            tasks.retain(house.organization.pk, str(row.pk))

    entry = OutboxEntry.objects.get(job=jobs.RETAIN, subject=row.pk)
    assert entry.due_at > timezone.now() + timedelta(minutes=5)
