"""Splitting a ticket: copies of messages and values in a new one, and the old one as it was (S1)."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.db import connection

from atendimento import actions, ledger, proof
from atendimento.access import NotFound
from atendimento.actions import decisions, messages, slots, undo
from atendimento.actions.faults import InvalidInput
from atendimento.actions.splitting import Part, split_ticket
from atendimento.models import Correction, Membership, Message, ProposedChange, Ticket
from memoria.errors import DomainError
from memoria.patch import lookup
from tests.atendimento.test_concurrency import at_once
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, say, ticket_type

SUBJECT = "Máquina de lavar"


@pytest.fixture
def house(db: None) -> House:
    return make_house()


@pytest.fixture
def ticket(house: House) -> Ticket:
    """Two matters in one conversation: three values, one of them in dispute with nobody, and a promise."""
    row = make_ticket(house)
    say(house, row, "Moro no Batel", sent_at=None, external_id="x-1")
    say(house, row, "E a máquina de lavar também parou", attachments=[{"name": "foto.jpg"}])
    rows = propose(
        house,
        row,
        change("/facts/bairro", "Batel", ("m-1", "Batel")),
        change("/facts/aparelho", "máquina de lavar", ("m-2", "máquina de lavar")),
        change("/commitments/-", {"task": "visitar", "owner": "team", "kind": "visit"}, ("m-2", "também parou")),
    )
    decisions.decide_changes(member=house.ana, ticket_id=row.pk, expected_version=0, accept=[item["id"] for item in rows])
    row.refresh_from_db()
    return row


def split(house: House, ticket: Ticket, *, member: Membership | None = None, **more: Any) -> Ticket:
    part = {"subject": SUBJECT, "ticket_type": "assistencia", "messages": ["m-2"], "values": ["/facts/aparelho"]}
    version = more.pop("expected_version", ticket.state_version)
    key = more.pop("key", uuid.uuid4())
    made, _new = split_ticket(
        member=member or house.ana, ticket_id=ticket.pk, part=Part(**part | more), expected_version=version, key=key
    )
    made.refresh_from_db()
    return made


def test_the_new_ticket_holds_copies_and_the_old_one_all_that_it_had(house: House, ticket: Ticket) -> None:
    before = ledger.current_state(ticket.pk)

    new = split(house, ticket)

    assert (new.subject, new.customer, new.channel, new.status) == (SUBJECT, ticket.customer, ticket.channel, "open")
    assert (new.split_from, new.split_by, new.external_id) == (ticket, house.ana, None)
    copy, original = Message.objects.get(ticket=new), Message.objects.get(ticket=ticket, number=2)
    same = ["author_kind", "author_name", "author_external_id", "author_key", "text", "sent_at", "said_at", "attachments"]
    assert {key: getattr(copy, key) for key in same} == {key: getattr(original, key) for key in same}
    assert (copy.number, copy.copied_from, copy.external_id) == (1, 2, None)
    state = ledger.current_state(new.pk)
    slot = state.slots["/facts/aparelho"]
    assert lookup(state.values, "/facts/aparelho") == "máquina de lavar"
    assert (slot.status.value, [item.message for item in slot.evidence]) == ("needs_confirmation", ["m-1"])
    assert slot.carried_from is not None
    assert (slot.carried_from.protocol, slot.carried_from.version) == (ticket.protocol, 1)
    assert (new.state_version, new.stale_count, new.last_message_number) == (1, 1, 1)
    assert ledger.current_state(ticket.pk) == before
    assert_replays(new)
    assert_replays(ticket)


def test_a_form_sent_twice_makes_one_ticket(house: House, ticket: Ticket) -> None:
    key = uuid.uuid4()

    assert split(house, ticket, key=key) == split(house, ticket, key=key, subject="Outra")
    assert split(house, ticket) != split(house, ticket)


def test_a_form_sent_many_times_at_once_makes_one_ticket(transactional_db: None) -> None:
    house = make_house()
    ticket = make_ticket(house)
    say(house, ticket, "Moro no Batel")
    key, part = uuid.uuid4(), Part(SUBJECT, "assistencia", ["m-1"])

    def send(_number: int) -> Any:
        return split_ticket(member=house.ana, ticket_id=ticket.pk, part=part, expected_version=0, key=key)

    made = at_once(house, send, 4)

    assert len({row[0].pk for row in made if isinstance(row, tuple)}) == 1
    assert sorted(row[1] for row in made if isinstance(row, tuple)) == [False, False, False, True]
    assert Ticket.objects.filter(split_from=ticket).count() == 1
    connection.close()


def test_messages_alone_make_no_version_and_values_alone_quote_nothing(house: House, ticket: Ticket) -> None:
    bare = split(house, ticket, values=[])
    stated = split(house, ticket, messages=[])

    assert (bare.state_version, bare.last_message_number) == (0, 1)
    assert ledger.current_state(stated.pk).slots["/facts/aparelho"].evidence == ()
    assert_replays(bare)
    assert_replays(stated)


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"subject": " "}, "split.subject"),
        ({"subject": "x" * 301}, "split.subject"),
        ({"messages": [], "values": []}, "split.empty"),
        ({"messages": ["m-9"]}, "message.unknown"),
        ({"messages": ["nada"]}, "message.unknown"),
        ({"messages": [f"m-{number}" for number in range(1, 202)]}, "split.too_many_messages"),
        ({"ticket_type": "nenhum"}, "ticket_type.unknown"),
    ],
)
def test_a_form_that_is_not_whole_makes_nothing(house: House, ticket: Ticket, wrong: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        split(house, ticket, **wrong)
    assert [fault.code for fault in refused.value.faults] == [code]
    assert Ticket.objects.count() == 1


def test_a_deleted_message_is_not_copied(house: House, ticket: Ticket) -> None:
    messages.delete_message(caller=house.channel, ticket_id=ticket.pk, message="m-2")
    ticket.refresh_from_db()

    with pytest.raises(InvalidInput):
        split(house, ticket)


def test_a_value_that_changed_since_the_page_was_made_is_a_conflict_and_another_is_not(house: House, ticket: Ticket) -> None:
    slots.set_slot(member=house.bruno, ticket_id=ticket.pk, path="/goal", value="visita", expected_version=1)
    assert split(house, ticket, expected_version=1).state_version == 1

    slots.set_slot(member=house.bruno, ticket_id=ticket.pk, path="/facts/aparelho", value="lavadora", expected_version=2)
    with pytest.raises(DomainError) as refused:
        split(house, ticket, expected_version=1)
    assert refused.value.code == "version.conflict"


def test_a_type_that_does_not_know_the_value_refuses_it_and_makes_no_ticket(house: House, ticket: Ticket) -> None:
    fields = {"/facts/bairro": {"label": "Bairro", "schema": {"type": "string"}, "sources": ["customer"]}}
    actions.publish_ticket_type(member=house.davi, document=ticket_type("outro", fields=fields, collections={}))

    with pytest.raises(DomainError) as refused:
        split(house, ticket, ticket_type="outro")
    assert (refused.value.code, refused.value.data["why"]) == ("carry.not_possible", "unknown")
    assert Ticket.objects.count() == 1
    assert split(house, ticket, ticket_type="outro", values=["/facts/bairro"]).ticket_type.slug == "outro"


def test_another_organisation_s_ticket_is_not_there(house: House, ticket: Ticket) -> None:
    other = make_house("outra")

    with pytest.raises(NotFound):
        split(house, ticket, member=other.celia)


def test_arriving_values_are_undone_confirmed_and_corrected_like_any(house: House, ticket: Ticket) -> None:
    new = split(house, ticket, values=["/facts/aparelho", "/commitments/c-1"])
    slots.confirm_slot(member=house.ana, ticket_id=new.pk, path="/commitments/c-1", expected_version=1)
    with pytest.raises(DomainError, match=r"undo\.superseded"):
        undo.undo_version(member=house.ana, ticket_id=new.pk, version=1, expected_version=2, reason="engano")
    undo.undo_version(member=house.ana, ticket_id=new.pk, version=2, expected_version=2, reason="engano")

    other = split(house, ticket)
    undo.undo_version(member=house.ana, ticket_id=other.pk, version=1, expected_version=1, reason="engano")

    assert ledger.current_state(other.pk).slots == {}
    corrected = Correction.objects.filter(ticket=other).values_list("act", "pointer", "old")
    assert list(corrected) == [("undone", "/facts/aparelho", "máquina de lavar")]
    assert not Correction.objects.filter(ticket=new, act__in=["replaced", "withdrawn"]).exists()
    assert [proof.compare_with_log(row.pk)[0].agrees for row in (new, other)] == [True, True]
    for row in (new, other):
        row.refresh_from_db()
        assert_replays(row)


def test_what_the_channel_edits_or_deletes_is_edited_and_deleted_in_the_copies_too(house: House, ticket: Ticket) -> None:
    new = split(house, ticket, messages=["m-1"], values=["/facts/bairro"])
    slots.confirm_slot(member=house.ana, ticket_id=new.pk, path="/facts/bairro", expected_version=1)
    further = split(house, new, messages=["m-1"], values=["/facts/bairro"], expected_version=2)

    say(house, ticket, "Moro nas Mercês", external_id="x-1")

    for row in (new, further):
        assert Message.objects.get(ticket=row).text == "Moro nas Mercês"
        slot = ledger.current_state(row.pk).slots["/facts/bairro"]
        assert slot.status.value == "needs_confirmation"
        assert [item.gone for item in slot.evidence] == [True]
        row.refresh_from_db()
        assert_replays(row)
    messages.delete_message(caller=house.channel, ticket_id=ticket.pk, message="m-1")
    assert [row.deleted_at is not None for row in Message.objects.filter(number=1)] == [True, True, True]


def test_the_carrying_event_moots_nothing_and_leaves_no_proposal(house: House, ticket: Ticket) -> None:
    new = split(house, ticket)

    assert not ProposedChange.objects.filter(ticket=new).exists()
    answer = house.api().get(f"tickets/{new.pk}")
    assert (answer.body["split_from"], answer.body["merged_into"]) == (str(ticket.pk), None)
    listed = house.api().get(f"tickets/{new.pk}/messages").body["results"]
    assert [(row["id"], row["copied_from"], row["ticket"]) for row in listed] == [("m-1", "m-2", str(new.pk))]
    slot = house.api().get(f"tickets/{new.pk}/state").body["slots"]["/facts/aparelho"]
    assert slot["carried_from"] == {
        "ticket": str(ticket.pk),
        "protocol": ticket.protocol,
        "pointer": "/facts/aparelho",
        "version": 1,
    }
    assert slot["stale_because"] == "carried"
    (event,) = house.api().get(f"tickets/{new.pk}/history").body["results"]
    assert (event["kind"], event["cause"]["how"]) == ("carried", "split")
