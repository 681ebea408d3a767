"""S1: what is carried to another ticket, how it stands there, and what stays where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoria.carrying import Cargo, carry, offers
from memoria.corrections import corrections_of
from memoria.errors import DomainError
from memoria.events import Event, EventKind
from memoria.fields import TicketType
from memoria.narrative import narrative
from memoria.patch import MISSING, Json, lookup
from memoria.state import Origin, SlotStatus, Stale
from tests.memoria.bench import COLLECTIONS, SARA, Bench, a_field, a_type

FIELDS: dict[str, Json] = {
    "/goal": a_field(label="Objetivo"),
    "/facts/bairro": a_field(
        "registry", "agent", "customer", label="Bairro", invalidates=["/facts/horario", "commitments:visit"]
    ),
    "/facts/horario": a_field(label="Horário"),
    "/facts/cor": a_field("customer", label="Cor", inference="flag"),
    "/facts/disputa": a_field("registry", "customer", label="Disputa"),
}


def bench(fields: dict[str, Json] | None = None, collections: dict[str, Json] | None = None) -> Bench:
    return Bench(a_type(FIELDS if fields is None else fields, collections))


def origin() -> Bench:
    """A ticket with a value of each sort: quoted, stated, in dispute, and members open and finished."""
    one = bench()
    one.say("customer", "Bom dia", "Helena")
    one.say("customer", "moro no Centro, de manhã", "Helena")
    one.say("customer", "não ligar à noite", "Helena")
    one.say("agent", "vou visitar amanhã", "Ana")
    one.accept(one.one("add", "/facts/bairro", "Centro", ("m-2", "Centro")))
    one.accept(one.one("add", "/facts/horario", "manhã", ("m-2", "de manhã")))
    one.put("/goal", "visita")
    one.accept(one.one("add", "/constraints/-", {"text": "não ligar à noite"}, ("m-3", "não ligar à noite")))
    promise = {"task": "visitar", "owner": "team", "kind": "visit", "due": "2026-03-11"}
    one.accept(one.one("add", "/commitments/-", promise, ("m-4", "vou visitar amanhã")))
    return one


def cargo(one: Bench, **copied: str) -> Cargo:
    return Cargo(one.state, "t-1", "2026-000001", {f"m-{key.removeprefix('m')}": value for key, value in copied.items()})


def bring(one: Bench, two: Bench, *pointers: str, how: str = "split", **copied: str) -> Event:
    two.tick()
    return two._append(carry(cargo(one, **copied), pointers, two.state, two.desk(), how))


def copy(one: Bench, two: Bench, reference: str, text: str | None = None) -> str:
    message = one.messages[int(reference[2:])]
    said = message.text if text is None else text
    two.now = max(one.now, two.now)
    return two.say(message.author.kind, said, message.author.name, sent_at=message.said_at)


def test_a_quoted_value_arrives_in_doubt_and_quotes_the_copied_message() -> None:
    one, two = origin(), bench()
    copy(one, two, "m-2")

    event = bring(one, two, "/facts/bairro", m2="m-1")

    slot = two.state.slots["/facts/bairro"]
    assert lookup(two.state.values, "/facts/bairro") == "Centro"
    assert (slot.status, slot.stale_because, slot.source) == (SlotStatus.NEEDS_CONFIRMATION, Stale("carried"), "customer")
    assert slot.carried_from == Origin("t-1", "2026-000001", "/facts/bairro", 5)
    assert [(item.message, item.quote, item.start) for item in slot.evidence] == [("m-1", "Centro", 8)]
    assert (slot.age.at, slot.age.number) == (one.messages[2].said_at, 1)
    assert slot.author == one.messages[2].author
    assert (event.kind, event.version, event.touched) == (EventKind.CARRIED, 1, ("/facts/bairro",))
    assert event.cause["values"] == [
        {"from": "/facts/bairro", "pointer": "/facts/bairro", "value": "Centro", "source": "customer"}
    ]
    assert {key: event.cause[key] for key in ("how", "ticket", "protocol", "version")} == {
        "how": "split",
        "ticket": "t-1",
        "protocol": "2026-000001",
        "version": 5,
    }


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        (None, {}),  # the message did not come along
        ("moro  no Centro, de manhã", {"m2": "m-1"}),  # the same words, at another place
        ("moro no centro, de manhã", {"m2": "m-1"}),
    ],
)
def test_without_the_same_words_at_the_same_place_the_value_keeps_no_quote(text: str | None, copied: dict[str, str]) -> None:
    one, two = origin(), bench()
    copy(one, two, "m-2", text)

    bring(one, two, "/facts/bairro", **copied)

    slot = two.state.slots["/facts/bairro"]
    assert slot.evidence == ()
    assert (slot.source, slot.author.name, slot.age.at) == ("customer", "Helena", one.messages[2].said_at)


def test_the_copy_of_a_message_that_was_deleted_backs_nothing() -> None:
    one, two = origin(), bench()
    copy(one, two, "m-2")
    two.delete("m-1")

    bring(one, two, "/facts/bairro", m2="m-1")

    assert two.state.slots["/facts/bairro"].evidence == ()


def test_a_statement_arrives_as_what_its_member_said_then() -> None:
    one, two = origin(), bench()

    bring(one, two, "/goal", how="merge")

    slot, before = two.state.slots["/goal"], one.state.slots["/goal"]
    assert (slot.source, slot.author, slot.age.at, slot.age.number) == ("agent", before.author, before.age.at, 0)
    assert slot.status is SlotStatus.NEEDS_CONFIRMATION


def test_a_member_gets_an_id_of_its_own_with_its_status_and_due() -> None:
    one, two = origin(), bench()
    two.put("/commitments/-", {"task": "ligar", "owner": "team"})
    one.say("agent", "comecei", "Ana")
    one.accept(one.one("replace", "/commitments/c-1/status", "in_progress", ("m-5", "comecei")))
    one.put("/commitments/c-1/due", "2026-03-12")

    bring(one, two, "/commitments/c-1")

    member = two.state.values["commitments"]["c-2"]
    assert (member["task"], member["status"], member["due"]) == ("visitar", "in_progress", "2026-03-12")
    slots = {part: two.state.slots[f"/commitments/c-2{part}"] for part in ("", "/status", "/due")}
    assert {part: slot.status.value for part, slot in slots.items()} == {
        "": "needs_confirmation",
        "/status": "current",  # a status is never in doubt for its member
        "/due": "needs_confirmation",
    }
    assert slots["/due"].carried_from == Origin("t-1", "2026-000001", "/commitments/c-1/due", 7)
    two.put("/commitments/-", {"task": "outra", "owner": "team"})
    assert set(two.state.values["commitments"]) == {"c-1", "c-2", "c-3"}


def test_a_carried_commitment_reopens_nothing_here() -> None:
    one, two = origin(), bench()
    one.say("agent", "pronto, visitei", "Ana")
    one.accept(one.one("replace", "/commitments/c-1/status", "done", ("m-5", "visitei")))
    one.put("/commitments/-", {"task": "visitar", "owner": "team", "reopens": "c-1"}, reason="voltou")

    assert "/commitments/c-1" not in {offer.pointer for offer in offers(one.state, two.state, two.ticket_type)}
    bring(one, two, "/commitments/c-2")

    assert "reopens" not in two.state.values["commitments"]["c-1"]


def _disputed(one: Bench, _two: Bench) -> str:
    one.say("registry", "disputa: sim", "Cadastro")
    one.accept(one.one("add", "/facts/disputa", "sim", ("m-5", "sim")))
    one.say("customer", "na verdade não", "Helena")
    one.accept(one.one("add", "/facts/disputa", "não", ("m-6", "não")))
    return "/facts/disputa"


def _held(_one: Bench, two: Bench) -> str:
    two.put("/facts/bairro", "Batel")
    return "/facts/bairro"


def _same_words(_one: Bench, two: Bench) -> str:
    two.put("/constraints/-", {"text": "Não ligar à noite"})
    return "/constraints/k-1"


def _withdrawn_later(one: Bench, two: Bench) -> str:
    two.now = one.now
    two.say("customer", "moro no Batel", "Helena")
    two.accept(two.one("add", "/facts/bairro", "Batel", ("m-1", "Batel")))
    two.say("customer", "não é no Batel", "Helena")
    two.accept(two.one("remove", "/facts/bairro", MISSING, ("m-2", "não é no Batel")))
    assert two.state.slots["/facts/bairro"].status is SlotStatus.OPEN
    return "/facts/bairro"


@pytest.mark.parametrize(
    ("prepare", "why"),
    [(_disputed, "conflict"), (_held, "held"), (_same_words, "held"), (_withdrawn_later, "older")],
)
def test_what_cannot_be_carried_says_why_and_stays(prepare: Callable[[Bench, Bench], str], why: str) -> None:
    one, two = origin(), bench()
    pointer = prepare(one, two)
    before = two.state

    (found,) = [offer for offer in offers(one.state, two.state, two.ticket_type) if offer.pointer == pointer]
    assert found.why == why
    with pytest.raises(DomainError) as refused:
        bring(one, two, "/goal", pointer)
    assert (refused.value.code, refused.value.rule, refused.value.data) == (
        "carry.not_possible",
        "S1",
        {"pointer": pointer, "why": why},
    )
    assert two.state == before


def narrower(**fields: Json) -> TicketType:
    return a_type({**FIELDS, **{f"/facts/{name}": row for name, row in fields.items()}}, COLLECTIONS)


@pytest.mark.parametrize(
    ("kind", "pointer", "why"),
    [
        (a_type({"/goal": a_field()}, COLLECTIONS), "/facts/bairro", "unknown"),
        (a_type({"/goal": a_field()}, {"pending": COLLECTIONS["pending"]}), "/constraints/k-1", "unknown"),
        (narrower(bairro=a_field(schema={"enum": ["Batel"]})), "/facts/bairro", "value"),
        (
            a_type({"/goal": a_field()}, {**COLLECTIONS, "commitments": {"sources": ["agent"], "kinds": []}}),
            "/commitments/c-1",
            "value",
        ),
        (narrower(bairro=a_field("registry")), "/facts/bairro", "source"),
        (a_type(FIELDS, {**COLLECTIONS, "constraints": {"sources": ["agent"]}}), "/constraints/k-1", "source"),
    ],
)
def test_what_the_other_ticket_type_does_not_take_stays(kind: TicketType, pointer: str, why: str) -> None:
    one, two = origin(), Bench(kind)

    assert {offer.pointer: offer.why for offer in offers(one.state, two.state, kind)}[pointer] == why


def test_an_inference_needs_a_field_that_flags_it() -> None:
    one = bench()
    one.say("customer", "a vermelha, acho", "Helena")
    one.accept(one.one("add", "/facts/cor", "vermelha", ("m-1", "vermelha"), inference=True))

    flagged = offers(one.state, bench().state, bench().ticket_type)
    refusing = offers(one.state, bench().state, narrower(cor=a_field("customer")))

    assert [(offer.pointer, offer.why) for offer in flagged] == [("/facts/cor", None)]
    assert [(offer.pointer, offer.why) for offer in refusing] == [("/facts/cor", "source")]


@pytest.mark.parametrize("pointer", ["/facts/nada", "/facts/cor", "/commitments/c-9", "", "/"])
def test_a_pointer_that_holds_nothing_is_no_offer(pointer: str) -> None:
    one, two = origin(), bench()

    with pytest.raises(DomainError) as refused:
        carry(cargo(one), [pointer], two.state, two.desk(), "split")
    assert refused.value.data == {"pointer": pointer, "why": "gone"}


def test_what_depends_on_a_carried_value_falls_and_what_arrives_with_it_does_not() -> None:
    one, two = origin(), bench()
    two.put("/commitments/-", {"task": "visita técnica", "owner": "team", "kind": "visit"})

    bring(one, two, "/facts/bairro", "/facts/horario", "/commitments/c-1", how="merge")

    doubts = {pointer: slot.stale_because for pointer, slot in two.state.slots.items()}
    assert doubts == {
        "/commitments/c-1": Stale(None, "/facts/bairro", 2),
        "/facts/bairro": Stale("carried"),
        "/facts/horario": Stale("carried"),
        "/commitments/c-2": Stale("carried"),
    }


def test_words_from_before_the_ground_moved_confirm_nothing_here_either() -> None:
    one, two = origin(), bench()
    one.say("customer", "agora é Batel", "Helena")
    one.accept(one.one("replace", "/facts/bairro", "Batel", ("m-5", "Batel")))
    copy(one, two, "m-2")

    bring(one, two, "/facts/horario", m2="m-1")
    two.accept(two.one("replace", "/facts/horario", "de manhã", ("m-1", "de manhã")))

    assert two.state.slots["/facts/horario"].status is SlotStatus.NEEDS_CONFIRMATION
    assert two.state.slots["/facts/horario"].carried_from is None  # another value took its place


def test_confirming_ends_the_doubt_and_keeps_where_it_came_from() -> None:
    one, two = origin(), bench()
    bring(one, two, "/facts/bairro")

    two.confirm("/facts/bairro")

    slot = two.state.slots["/facts/bairro"]
    assert (slot.status, slot.stale_because) == (SlotStatus.CURRENT, None)
    assert slot.carried_from == Origin("t-1", "2026-000001", "/facts/bairro", 5)


def test_older_words_do_not_come_back_over_a_carried_value() -> None:
    one, two = origin(), bench()
    old = two.say("customer", "era Mercês", "Helena")

    bring(one, two, "/facts/bairro")
    held = two.one("replace", "/facts/bairro", "Mercês", (old, "Mercês"))

    assert [reason.code for reason in held.judgement.reasons] == ["evidence.older_than_current"]


def test_it_is_undone_like_any_version_and_corrects_nothing_itself() -> None:
    one, two = origin(), bench()
    event = bring(one, two, "/facts/bairro", "/commitments/c-1", "/constraints/k-1")
    after = two.state
    assert corrections_of(event, bench().state, after) == ()

    two.undo(1, actor=SARA)

    assert (two.state.values, dict(two.state.slots)) == (bench().state.values, {})
    assert two.state.minted == after.minted  # no id is given twice


def test_the_narrative_says_that_it_awaits_confirmation_and_why() -> None:
    one, two = origin(), bench()
    bring(one, two, "/facts/bairro")

    told: dict[str, Any] = {}
    for language in ("pt-br", "en"):
        text = narrative(two.state, two.ticket_type, language=language)
        told[language] = " ".join(clause.text for paragraph in text.paragraphs for clause in paragraph.clauses)

    assert "veio de outro atendimento" in told["pt-br"]
    assert "it came from another ticket" in told["en"]
