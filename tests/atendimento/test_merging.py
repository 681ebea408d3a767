"""Merging a ticket: it stays whole, takes no decision, and what comes for it lands where it points (S2)."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction

from atendimento import actions, jobs, ledger, tenancy
from atendimento.access import NotFound
from atendimento.actions import console, decisions, messages, rebuilds, runs, slots, undo
from atendimento.actions.faults import InvalidInput
from atendimento.actions.merging import merge_ticket
from atendimento.actions.splitting import Part, split_ticket
from atendimento.models import Draft, LedgerEvent, Membership, Message, OutboxEntry, Proposal, ProposedChange, RunStatus, Ticket
from memoria.errors import DomainError
from memoria.proposals import Status
from memoria.state import Slot, SlotStatus
from tests.atendimento.test_concurrency import at_once
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, say


@pytest.fixture
def house(db: None) -> House:
    return make_house()


def opened(house: House, external_id: str, customer: str = "cli-1") -> Ticket:
    row, _new = actions.create_ticket(
        caller=house.channel,
        ticket_type="assistencia",
        subject=external_id,
        customer=actions.CustomerData(customer, "Helena"),
        external_id=external_id,
    )
    return row


@pytest.fixture
def one(house: House) -> Ticket:
    """The ticket to be merged: a value, a change to decide."""
    row = opened(house, "conversa-1")
    say(house, row, "Moro no Batel, de manhã", external_id="w-1")
    (bairro, _horario) = propose(
        house,
        row,
        change("/facts/bairro", "Batel", ("m-1", "Batel")),
        change("/facts/horario", "manhã", ("m-1", "de manhã")),
    )
    decisions.accept_change(member=house.ana, change_id=bairro["id"], expected_version=0)
    row.refresh_from_db()
    return row


@pytest.fixture
def two(house: House) -> Ticket:
    row = opened(house, "conversa-2")
    say(house, row, "E a visita?", external_id="w-1")
    row.refresh_from_db()
    return row


def merge(house: House, this: Ticket, into: Ticket | str, *, member: Membership | None = None, **more: Any) -> Ticket:
    named = into if isinstance(into, str) else into.protocol
    return merge_ticket(member=member or house.ana, ticket_id=this.pk, into=named, **more)


def test_both_histories_stay_and_the_merged_ticket_points_on(house: House, one: Ticket, two: Ticket) -> None:
    before = ledger.current_state(one.pk), ledger.current_state(two.pk)

    merged = merge(house, one, two)

    assert (merged.status, merged.merged_into, merged.merged_by) == ("merged", two, house.ana)
    assert (ledger.current_state(one.pk), ledger.current_state(two.pk)) == before
    assert Message.objects.filter(ticket=one).count() == Message.objects.filter(ticket=two).count() == 1
    assert [row.status for row in ProposedChange.objects.order_by("position")] == [Status.ACCEPTED, Status.SUPERSEDED]
    assert (merged.pending_count, merged.stale_count, merged.next_due) == (0, 0, None)
    assert_replays(one)
    assert_replays(two)


def test_present_values_are_carried_where_nothing_is_held(house: House, one: Ticket, two: Ticket) -> None:
    slots.set_slot(member=house.ana, ticket_id=one.pk, path="/goal", value="visita", expected_version=1)
    slots.set_slot(member=house.ana, ticket_id=two.pk, path="/facts/bairro", value="Mercês", expected_version=0)

    with pytest.raises(DomainError) as refused:
        merge(house, one, two, carry=["/goal", "/facts/bairro"])
    assert (refused.value.code, refused.value.data["why"]) == ("carry.not_possible", "held")
    assert Ticket.objects.get(pk=one.pk).status == "open"
    merge(house, one, two, carry=["/goal"])

    state = ledger.current_state(two.pk)
    assert (state.values["goal"], state.values["facts"]) == ("visita", {"bairro": "Mercês"})
    assert state.slots["/goal"].status.value == "needs_confirmation"
    two.refresh_from_db()
    assert_replays(two)
    undo.undo_version(member=house.ana, ticket_id=two.pk, version=2, expected_version=2, reason="engano")
    assert "/goal" not in ledger.current_state(two.pk).slots


def test_nothing_is_decided_in_a_merged_ticket(house: House, one: Ticket, two: Ticket) -> None:
    left = ProposedChange.objects.get(ticket=one, status=Status.PENDING)
    taken = ProposedChange.objects.get(ticket=one, status=Status.ACCEPTED)
    merge(house, one, two)
    here: dict[str, Any] = {"member": house.celia, "ticket_id": one.pk}
    refused: dict[str, Callable[[], object]] = {
        "set": lambda: slots.set_slot(**here, path="/goal", value="x", expected_version=1),
        "confirm": lambda: slots.confirm_slot(**here, path="/facts/bairro", expected_version=1),
        "resolve": lambda: slots.resolve_slot(**here, path="/goal", expected_version=1, choice="open", reason="x"),
        "undo": lambda: undo.undo_version(**here, version=1, expected_version=1, reason="x"),
        "propose": lambda: actions.store_proposal(**here, base_version=1, producer="x", changes=[]),
        "ask": lambda: runs.request_proposal(**here),
        "reply": lambda: messages.write_reply(**here, text="Olá"),
        "update": lambda: actions.update_ticket(**here, status="open"),
        "split": lambda: split_ticket(**here, part=Part("x", "assistencia", ["m-1"]), expected_version=1, key=uuid.uuid4()),
        "reread": lambda: rebuilds.start_rereading(organization=house.organization, member=house.celia, ticket_id=one.pk),
    }
    codes = {}
    for name, call in refused.items():
        with pytest.raises(DomainError) as error:
            call()
        codes[name] = error.value.code.value
    assert codes == dict.fromkeys(refused, "ticket.merged")
    with pytest.raises(DomainError, match=r"change\.superseded"):
        decisions.reject_change(member=house.ana, change_id=left.pk)
    again = decisions.accept_change(member=house.ana, change_id=taken.pk, expected_version=0)
    assert again.version == 1  # V4: the same decision answers what it came to


def test_what_the_channel_brings_for_it_lands_where_it_points_once_each(house: House, one: Ticket, two: Ticket) -> None:
    three = opened(house, "conversa-3")
    merge(house, one, two)
    assert say(house, one, "Moro no Batel, de manhã", external_id="w-1") == "m-1"  # it has that one

    assert say(house, one, "Segue a nota", external_id="w-2") == "m-2"
    assert say(house, one, "Segue a nota", external_id="w-2") == "m-2"
    assert say(house, two, "De outra conversa", external_id="w-2") == "m-3"  # its own w-2 is another message
    assert say(house, one, "Segue a nota fiscal", external_id="w-2") == "m-2"
    merge(house, two, three)
    assert say(house, one, "Segue a nota fiscal", external_id="w-2") == "m-2"
    assert say(house, one, "Chegou?", external_id="w-3") == "m-1"
    assert say(house, one, "Chegou?", external_id="w-3") == "m-1"
    say(house, two, "Sem número")

    assert [(row.ticket_id, row.text) for row in Message.objects.order_by("ticket_id", "number")] == [
        (one.pk, "Moro no Batel, de manhã"),
        (two.pk, "E a visita?"),
        (two.pk, "Segue a nota fiscal"),
        (two.pk, "De outra conversa"),
        (three.pk, "Chegou?"),
        (three.pk, "Sem número"),
    ]
    assert [Ticket.objects.get(pk=row.pk).status for row in (one, two, three)] == ["merged", "merged", "open"]
    assert opened(house, "conversa-1") == one


def test_the_customer_s_answer_to_a_merged_ticket_reopens_the_one_it_points_at(house: House, one: Ticket, two: Ticket) -> None:
    merge(house, one, two)
    actions.update_ticket(member=house.ana, ticket_id=two.pk, status="closed")

    received = house.api("canal").post(
        f"tickets/{one.pk}/messages", {"author": {"kind": "customer", "name": "Helena"}, "text": "Segue a nota."}
    )

    assert (received.status, received.body["id"], received.body["ticket"]) == (201, "m-2", str(two.pk))
    assert [Ticket.objects.get(pk=row.pk).status for row in (one, two)] == ["merged", "open"]


def test_an_edit_of_a_message_that_it_has_stays_with_it(house: House, one: Ticket, two: Ticket) -> None:
    merge(house, one, two)

    say(house, one, "Moro nas Mercês", external_id="w-1")

    assert Message.objects.get(ticket=one).text == "Moro nas Mercês"
    assert ledger.current_state(one.pk).slots["/facts/bairro"].status.value == "needs_confirmation"
    one.refresh_from_db()
    assert (one.stale_count, Message.objects.get(ticket=one).awaits_reading) == (0, False)
    assert_replays(one)


@pytest.mark.parametrize("how", ["itself", "other_customer", "closed", "snoozed", "merged", "circle"])
def test_only_another_open_ticket_of_the_same_customer_takes_it(house: House, one: Ticket, two: Ticket, how: str) -> None:
    this, into, code = one, two, "ticket.merge_refused"
    match how:
        case "itself":
            into = one
        case "other_customer":
            into = opened(house, "conversa-9", "cli-9")
        case "closed" | "snoozed":
            actions.update_ticket(member=house.ana, ticket_id=two.pk, status=how)
        case "merged":
            merge(house, two, opened(house, "conversa-3"))
        case "circle":
            merge(house, two, one)
    before = Ticket.objects.get(pk=this.pk)

    with pytest.raises(DomainError) as refused:
        merge(house, this, into)

    assert (refused.value.code, refused.value.rule) == (code, "S2")
    assert Ticket.objects.get(pk=this.pk).status == before.status


def test_it_is_merged_once(house: House, one: Ticket, two: Ticket) -> None:
    first = merge(house, one, two)

    assert merge(house, one, two).merged_at == first.merged_at
    with pytest.raises(DomainError) as refused:
        merge(house, one, opened(house, "conversa-3"))
    assert (refused.value.code, refused.value.data["into"]) == ("ticket.merged", two.protocol)


def test_another_organisation_s_ticket_is_neither_merged_nor_merged_into(house: House, one: Ticket) -> None:
    other = make_house("outra")
    theirs = make_ticket(other)
    with pytest.raises(NotFound):
        merge(house, one, theirs, member=other.celia)
    tenancy.enter(house.organization.pk)

    for named in (theirs.protocol + "x", str(theirs.pk), str(uuid.uuid4()), "", "\0"):
        with pytest.raises(InvalidInput) as refused:
            merge(house, one, named)
        assert [fault.code for fault in refused.value.faults] == ["ticket.unknown"]


def test_what_happened_since_the_page_was_made_is_shown_first(house: House, one: Ticket, two: Ticket) -> None:
    left = str(ProposedChange.objects.get(ticket=one, status=Status.PENDING).pk)
    seen: dict[str, Any] = {"expected_version": 1, "into_version": 0, "seen": [left]}
    slots.set_slot(member=house.bruno, ticket_id=two.pk, path="/goal", value="outra coisa", expected_version=0)
    propose(house, one, change("/facts/aparelho", "Batel", ("m-1", "Batel")))

    with pytest.raises(DomainError) as undecided:
        merge(house, one, two, **seen)
    slots.set_slot(member=house.bruno, ticket_id=one.pk, path="/goal", value="visita", expected_version=1)
    with pytest.raises(DomainError) as decided:
        merge(house, one, two, **seen | {"seen": None})
    with pytest.raises(DomainError) as there:
        merge(house, one, two, expected_version=2, into_version=0, carry=["/goal"])

    assert {error.value.code.value for error in (undecided, decided, there)} == {"version.conflict"}
    assert Ticket.objects.get(pk=one.pk).status == "open"
    assert merge(house, one, two, expected_version=2, into_version=0).status == "merged"


def test_what_the_model_was_to_read_there_is_asked_no_more(house: House, one: Ticket, two: Ticket, settings: Any) -> None:
    settings.OPENAI_BASE_URL, settings.PROPOSAL_DEBOUNCE = "http://127.0.0.1:9", 60
    say(house, one, "Ainda não lida")
    reading = rebuilds.start_rereading(organization=house.organization, member=house.celia, ticket_id=one.pk)
    owed = OutboxEntry.objects.filter(
        subject__in=[*Proposal.objects.filter(ticket=one).values_list("pk", flat=True), reading.pk]
    )
    assert {entry.job for entry in owed} == {jobs.PROPOSE, jobs.REREAD}

    merge(house, one, two)

    assert {row.status for row in Proposal.objects.filter(ticket=one, origin="model")} == {RunStatus.SUPERSEDED}
    assert list(owed.all()) == []
    say(house, one, "Esta é do outro")
    assert {row.ticket for row in Proposal.objects.filter(status=RunStatus.QUEUED)} == {two}


def test_what_members_were_writing_goes_on_where_they_go_on(house: House, one: Ticket, two: Ticket) -> None:
    for member, ticket, text in ((house.ana, one, "Um"), (house.bruno, one, "Dois"), (house.bruno, two, "Três")):
        console.keep_draft(member=member, ticket_id=ticket.pk, text=text, internal=text == "Dois")

    merge(house, one, two)

    drafts = {(row.member, row.ticket, row.text, row.internal) for row in Draft.objects.all()}
    assert drafts == {(house.ana, two, "Um", False), (house.bruno, two, "Três\n\nDois", True)}


def test_the_api_merges_with_a_target_and_not_without(house: House, one: Ticket, two: Ticket) -> None:
    api, address = house.api(), f"tickets/{one.pk}"
    answers = {
        "no target": api.call("PATCH", address, {"status": "merged"}),
        "no status": api.call("PATCH", address, {"merged_into": str(two.pk)}),
        "not alone": api.call("PATCH", address, {"status": "merged", "merged_into": str(two.pk), "team": "x"}),
        "unknown": api.call("PATCH", address, {"status": "merged", "merged_into": str(uuid.uuid4())}),
    }
    assert {name: (answer.status, answer.body["errors"][0]["code"]) for name, answer in answers.items()} == {
        "no target": (400, "ticket.merged_into_missing"),
        "no status": (400, "ticket.not_merged"),
        "not alone": (400, "ticket.merged_alone"),
        "unknown": (400, "ticket.unknown"),
    }
    itself = api.call("PATCH", address, {"status": "merged", "merged_into": one.protocol})
    assert (itself.status, itself.body["code"], itself.body["rule"]) == (409, "ticket.merge_refused", "S2")
    assert house.api("canal").call("PATCH", address, {"status": "merged", "merged_into": str(two.pk)}).status == 403

    merged = api.call("PATCH", address, {"status": "merged", "merged_into": two.protocol})
    assert (merged.status, merged.body["status"], merged.body["merged_into"]) == (200, "merged", str(two.pk))
    assert api.call("PATCH", address, {"status": "merged", "merged_into": str(two.pk)}).status == 200
    reopened = api.call("PATCH", address, {"status": "open"})
    assert (reopened.status, reopened.body["code"], reopened.body["into"]) == (409, "ticket.merged", two.protocol)
    assert [row["id"] for row in api.get("tickets?attention=proposals").body["results"]] == []


# --- at once --------------------------------------------------------------------------------------------------------


def test_two_tickets_merged_into_each_other_at_once_make_one_merger(transactional_db: None) -> None:
    house = make_house()
    pair = opened(house, "conversa-1"), opened(house, "conversa-2")

    def call(number: int) -> Any:
        this, into = pair if number % 2 else pair[::-1]
        return merge_ticket(member=house.ana, ticket_id=this.pk, into=into.protocol).pk

    answers = at_once(house, call, 4)

    assert sorted(row.status for row in Ticket.objects.all()) == ["merged", "open"]
    assert {type(answer) for answer in answers} == {uuid.UUID, DomainError}


def test_messages_that_arrive_while_it_is_merged_are_each_kept_once(transactional_db: None) -> None:
    house = make_house()
    one, two = opened(house, "conversa-1"), opened(house, "conversa-2")

    def call(number: int) -> Any:
        if number == 2:
            return merge_ticket(member=house.ana, ticket_id=one.pk, into=two.protocol).pk
        return say(house, one, f"mensagem {number // 2}", external_id=f"w-{number // 2}")  # each is delivered twice

    answers = at_once(house, call, 8)

    assert [answer for answer in answers if isinstance(answer, Exception)] == []
    kept = list(Message.objects.values_list("text", flat=True))
    assert sorted(kept) == ["mensagem 0", "mensagem 1", "mensagem 2", "mensagem 3"]
    for row in (one, two):
        numbers = list(Message.objects.filter(ticket=row).order_by("number").values_list("number", flat=True))
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_decision_that_waits_for_the_merger_is_refused_and_one_before_it_stops_it(transactional_db: None) -> None:
    house = make_house()
    one, two = opened(house, "conversa-1"), opened(house, "conversa-2")
    say(house, one, "Moro no Batel")
    (row,) = propose(house, one, change("/facts/bairro", "Batel", ("m-1", "Batel")))
    found: list[str] = []

    def decide() -> None:
        try:
            with tenancy.organization(house.organization.pk):
                decisions.accept_change(member=house.bruno, change_id=row["id"], expected_version=0)
                found.append("decided")
        except DomainError as error:
            found.append(error.code.value)
        finally:
            connection.close()

    with transaction.atomic():
        merge(house, one, two, expected_version=0, seen=[row["id"]])
        waiting = threading.Thread(target=decide)
        waiting.start()
    waiting.join(60)

    assert found == ["change.superseded"]
    three = opened(house, "conversa-3")
    slots.set_slot(member=house.bruno, ticket_id=three.pk, path="/goal", value="x", expected_version=0)
    with pytest.raises(DomainError, match=r"version\.conflict"):
        merge(house, three, two, expected_version=0)


def _now(ticket: Ticket) -> Slot:
    return ledger.current_state(ticket.pk).slots["/facts/bairro"]


@pytest.mark.parametrize("how", ["edited", "deleted"])
def test_a_message_that_changes_afterwards_puts_in_doubt_what_went_on_elsewhere(
    house: House, one: Ticket, two: Ticket, how: str
) -> None:
    merge(house, one, two, carry=["/facts/bairro"])
    version = ledger.current_state(two.pk).version
    actions.confirm_slot(member=house.ana, ticket_id=two.pk, path="/facts/bairro", expected_version=version)
    assert _now(two).status is SlotStatus.CURRENT
    if how == "edited":
        say(house, one, "Moro no Portão, de manhã", external_id="w-1")
    else:
        actions.delete_message(caller=house.channel, ticket_id=one.pk, message="m-1")

    doubted = _now(two)
    assert doubted.status is SlotStatus.NEEDS_CONFIRMATION
    assert doubted.stale_because is not None
    assert doubted.stale_because.cause == "evidence_changed"
    last = LedgerEvent.objects.filter(ticket=two).latest("version")
    assert (last.kind, last.content["cause"]) == (
        "evidence_changed",
        {"message": "m-1", "how": how, "protocol": one.protocol},
    )
    # Told once: what a person confirms then is not doubted again by a further edit of the same words.
    again = ledger.current_state(two.pk).version
    actions.confirm_slot(member=house.ana, ticket_id=two.pk, path="/facts/bairro", expected_version=again)
    say(house, one, "Moro no Portão mesmo, de manhã", external_id="w-1")
    assert _now(two).status is SlotStatus.CURRENT


def test_a_value_that_came_and_was_replaced_since_is_left_alone(house: House, one: Ticket, two: Ticket) -> None:
    merge(house, one, two, carry=["/facts/bairro"])
    said = say(house, two, "Agora moro na Glória", external_id="w-9")
    (row,) = propose(house, two, change("/facts/bairro", "Glória", (said, "na Glória")))
    version = ledger.current_state(two.pk).version
    decisions.accept_change(member=house.ana, change_id=row["id"], expected_version=version)
    say(house, one, "Moro no Portão, de manhã", external_id="w-1")
    assert ledger.current_state(two.pk).version == version + 1
    assert _now(two).status is SlotStatus.CURRENT


def test_drafts_of_any_length_go_on_and_none_is_kept_behind(house: House, one: Ticket, two: Ticket) -> None:
    long = "a" * (messages.MAX_TEXT - 1)
    for ticket in (one, two):
        console.keep_draft(member=house.ana, ticket_id=ticket.pk, text=long, internal=False)
    merge(house, one, two)
    (kept,) = Draft.objects.filter(member=house.ana)
    assert (kept.ticket_id, kept.text) == (two.pk, f"{long}\n\n{long}")
    with pytest.raises(DomainError) as refused:
        console.keep_draft(member=house.ana, ticket_id=one.pk, text="ainda escrevo aqui", internal=False)
    assert refused.value.code == "ticket.merged"
    assert Draft.objects.filter(ticket=one).count() == 0
