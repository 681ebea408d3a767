"""E9: what staff say themselves, what they relay, and what an edit makes of a proposal."""

from __future__ import annotations

from typing import Any

import pytest

from memoria.patch import MISSING, Json
from memoria.proposals import Status
from memoria.review import Edit
from memoria.sources import Author, Kind
from tests.memoria.bench import ANA, RUI, Bench, Held, a_field, a_type, cite, code_of

RELAYED = ("registry", "customer", "customer_reported", "agent", "third_party_reported", "registry_reported")
TYPE = a_type(
    {
        "/facts/a": a_field("customer", "agent"),
        "/facts/relayed": a_field(*RELAYED),
        "/facts/customers": a_field("customer"),
        "/facts/guess": a_field("customer", inference="flag"),
    }
)
ANA_SPEAKS = Author(Kind.AGENT, "member-ana", "Ana")


def desk(text: str = "moro no Dérbi") -> Bench:
    bench = Bench(TYPE)
    bench.say("customer", text, "Íris")
    return bench


def proposal(bench: Bench, path: str = "/facts/a", value: Json = "Dérbi", **more: Any) -> Held:
    return bench.one("add", path, value, ("m-1", "moro no Dérbi"), **more)


# --- set ----------------------------------------------------------------------------------------------------------


def test_what_staff_set_is_the_members_own_statement_made_at_that_moment() -> None:
    """E9: no message is needed; the source is `agent`, the author the member."""
    bench = desk()
    bench.put("/facts/a", "Torre")
    slot = bench.slot("/facts/a")
    assert (slot.source, slot.author, slot.evidence) == ("agent", ANA_SPEAKS, ())
    assert (slot.age.at, slot.age.number) == (bench.now, 1)
    assert slot.status == "current"
    assert slot.edited_by is None


def test_evidence_of_a_statement_is_kept_and_decides_no_source() -> None:
    """E9: a statement that cites the customer stays the agent's word, as old as the moment it was made."""
    bench = desk()
    bench.put("/facts/a", "Derby", evidence=cite(("m-1", "moro no Dérbi")))
    slot = bench.slot("/facts/a")
    assert (slot.source, slot.author, slot.age.at) == ("agent", ANA_SPEAKS, bench.now)
    assert [item.quote for item in slot.evidence] == ["moro no Dérbi"]


@pytest.mark.parametrize(
    ("citation", "code"),
    [
        (("m-9", "moro"), "evidence.unknown_message"),
        (("m-1", "m"), "evidence.quote_too_short"),
        (("m-1", "moro na Torre"), "evidence.quote_not_found"),
        (("m-1", "moro no Dér"), "evidence.quote_cuts_word"),
    ],
)
def test_evidence_of_a_statement_is_checked(citation: tuple[str, str], code: str) -> None:
    """E9: E2 to E8 hold for it."""
    bench = desk()
    assert code_of(bench.put, "/facts/a", "Torre", evidence=cite(citation)) == code
    assert bench.state.version == 0


@pytest.mark.parametrize("value", ["visita", 7, True, None, ["visita"], MISSING])
def test_what_is_no_promise_is_not_stated_as_one(value: Any) -> None:
    """2, V2: it has no kind to depend on either, and is refused like a proposal."""
    code = "schema.operation_not_allowed" if value is MISSING else "schema.invalid_value"
    assert code_of(Bench().put, "/commitments/-", value) == code


@pytest.mark.parametrize(
    ("reported", "source"),
    [
        (None, "agent"),
        (Kind.CUSTOMER, "customer_reported"),
        (Kind.THIRD_PARTY, "third_party_reported"),
        (Kind.REGISTRY, "registry_reported"),
    ],
)
def test_what_staff_relay_has_a_source_of_its_own_and_the_member_as_author(reported: Kind | None, source: str) -> None:
    """E9: it forges nobody's word: `customer_reported`, never `customer`, and the author is Ana, never Íris."""
    bench = desk()
    bench.put("/facts/relayed", "Torre", reported=reported)
    assert bench.slot("/facts/relayed").source == source
    assert bench.slot("/facts/relayed").author == ANA_SPEAKS


@pytest.mark.parametrize("reported", [Kind.CUSTOMER, Kind.THIRD_PARTY, Kind.REGISTRY])
def test_what_staff_relay_is_the_agents_word_where_the_field_names_no_such_source(reported: Kind) -> None:
    """E9: `where the field's list names it, else agent`."""
    bench = desk()
    bench.put("/facts/a", "Torre", reported=reported)
    assert bench.slot("/facts/a").source == "agent"


def test_a_statement_that_the_field_does_not_permit_is_refused() -> None:
    """E9, P1: `agent` is not in the list, and relaying does not open it."""
    bench = desk()
    assert code_of(bench.put, "/facts/customers", "Torre") == "source.not_allowed"
    assert code_of(bench.put, "/facts/customers", "Torre", reported=Kind.CUSTOMER) == "source.not_allowed"


def test_a_weaker_statement_is_recorded_as_a_challenger() -> None:
    """E9, P6: the same rules hold; the customer's word is not replaced by hand."""
    bench = desk()
    bench.accept(proposal(bench))
    bench.put("/facts/a", "Torre")
    assert bench.value("/facts/a") == "Dérbi"
    assert bench.status("/facts/a") == "conflict"
    (challenger,) = bench.slot("/facts/a").challengers
    assert (challenger.value, challenger.source, challenger.author) == ("Torre", "agent", ANA_SPEAKS)


def test_setting_nothing_withdraws() -> None:
    """E9, C2: a value left out is a `remove`."""
    bench = desk()
    bench.put("/facts/a", "Torre")
    bench.put("/facts/a")
    assert "a" not in bench.state.values["facts"]
    assert bench.status("/facts/a") == "open"


# --- edits --------------------------------------------------------------------------------------------------------


def test_an_edit_on_the_proposals_evidence_stays_the_customers_word() -> None:
    """E9: mending a spelling does not make it the agent's; source, author and age come from the words."""
    bench = desk()
    held = proposal(bench)
    bench.accept(held, edit=Edit("Derby"))
    slot = bench.slot("/facts/a")
    assert bench.value("/facts/a") == "Derby"
    assert (slot.source, slot.author.name, slot.age) == ("customer", "Íris", bench.messages[1].age)
    assert slot.edited_by == ANA_SPEAKS
    assert held.status is Status.EDITED


def test_an_edit_with_evidence_of_its_own_takes_source_author_and_age_from_that() -> None:
    """E9: a better reading of those words."""
    bench = desk()
    bench.say("agent", "então é o Derby", "Rui")
    bench.accept(proposal(bench), edit=Edit("Derby", cite(("m-2", "é o Derby"))))
    slot = bench.slot("/facts/a")
    assert (slot.source, slot.author.name, slot.age) == ("agent", "Rui", bench.messages[2].age)
    assert [item.message for item in slot.evidence] == ["m-2"]
    assert slot.edited_by == ANA_SPEAKS


def test_an_edit_without_evidence_is_the_members_own_statement() -> None:
    """E9: `evidence: []`, as by `set`; it is nobody's reading, so nobody edited it."""
    bench = desk()
    held = proposal(bench)
    bench.accept(held, edit=Edit("Torre", ()))
    slot = bench.slot("/facts/a")
    assert (slot.source, slot.author, slot.evidence, slot.age.at) == ("agent", ANA_SPEAKS, (), bench.now)
    assert slot.edited_by is None
    assert held.status is Status.EDITED


def test_an_edit_of_the_evidence_alone_is_an_edit() -> None:
    """E9: only one that changes neither value nor evidence is an accept."""
    bench = desk()
    held = proposal(bench)
    bench.accept(held, edit=Edit("Dérbi", cite(("m-1", "no Dérbi"))))
    assert held.status is Status.EDITED
    assert [item.quote for item in bench.slot("/facts/a").evidence] == ["no Dérbi"]


@pytest.mark.parametrize("evidence", [None, cite(("m-1", "moro no Dérbi"))])
def test_an_edit_that_changes_neither_value_nor_evidence_is_an_accept(evidence: Any) -> None:
    """E9: nothing was edited, so no `edited_by`."""
    bench = desk()
    held = proposal(bench)
    bench.accept(held, edit=Edit("Dérbi", evidence))
    assert held.status is Status.ACCEPTED
    assert bench.slot("/facts/a").edited_by is None


@pytest.mark.parametrize("evidence", [None, cite(("m-1", "moro no Dérbi"))])
def test_an_edit_that_keeps_its_evidence_keeps_the_inference(evidence: Any) -> None:
    """E9: naming the same words again does not turn a guess into the customer's word."""
    bench = desk()
    held = proposal(bench, "/facts/guess", "zona norte", inference=True)
    bench.accept(held, edit=Edit("zona sul", evidence))
    assert bench.slot("/facts/guess").source == "inference"
    assert bench.status("/facts/guess") == "needs_confirmation"


def test_an_edit_with_evidence_of_its_own_is_no_inference() -> None:
    """E9: the member read other words, and answers for that reading."""
    bench = desk()
    held = proposal(bench, "/facts/guess", "zona norte", inference=True)
    bench.accept(held, edit=Edit("zona sul", cite(("m-1", "no Dérbi"))))
    assert bench.slot("/facts/guess").source == "customer"
    assert bench.status("/facts/guess") == "current"


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (Edit(12), "schema.invalid_value"),
        (Edit("Derby", cite(("m-1", "moro em Torre"))), "evidence.quote_not_found"),
        (Edit("Derby", cite(("m-2", "segundo a Celpe"))), "source.not_allowed"),
    ],
)
def test_every_check_runs_again_on_an_edit(edit: Edit, code: str) -> None:
    """E9: an edit is judged as any change; refused, it writes nothing and the change stays pending."""
    bench = desk()
    bench.say("tool", "segundo a Celpe")
    held = proposal(bench)
    assert code_of(bench.accept, held, edit=edit) == code
    assert bench.state.version == 0
    assert held.status is Status.PENDING


def test_an_edit_may_turn_a_withdrawal_into_a_value() -> None:
    """E9: "not the Derby" was read as a withdrawal, and the member reads on."""
    bench = desk()
    bench.accept(proposal(bench))
    bench.say("customer", "não é Dérbi, é Torre", "Íris")
    held = bench.one("remove", "/facts/a", MISSING, ("m-2", "não é Dérbi"))
    bench.accept(held, edit=Edit("Torre"))
    assert bench.value("/facts/a") == "Torre"
    assert bench.slot("/facts/a").source == "customer"


# --- where edited_by goes -----------------------------------------------------------------------------------------


def test_the_next_change_clears_edited_by() -> None:
    """E9: it says how the present value came, no other."""
    bench = desk("moro no Dérbi. Agora moro na Torre")
    bench.accept(proposal(bench), edit=Edit("Derby"))
    bench.accept(bench.one("replace", "/facts/a", "Torre", ("m-1", "Agora moro na Torre")))
    assert bench.slot("/facts/a").edited_by is None


def test_edited_by_goes_where_source_and_author_go_when_a_value_is_reaffirmed() -> None:
    """E9, P3: with the first case it comes, or goes; the second case changes nothing more."""
    bench = desk("moro no Dérbi. Moro no Derby mesmo")
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "Moro no Derby mesmo")))
    bench.accept(proposal(bench, value="Dérbi"), edit=Edit("Derby"), actor=RUI)
    assert bench.slot("/facts/a").edited_by == RUI.author
    bench.put("/facts/a", "Derby")  # weaker: P3's second case
    assert bench.slot("/facts/a").edited_by == RUI.author
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "Derby mesmo")))
    assert bench.slot("/facts/a").edited_by is None


def test_edited_by_goes_with_a_challenger() -> None:
    """E9, P6, P8: recorded beside its words, and it comes into the slot with them."""
    bench = Bench(a_type({"/facts/a": a_field("registry", "customer")}))
    bench.say("registry", "Torre")
    bench.accept(bench.one("add", "/facts/a", "Torre", ("m-1", "Torre")))
    bench.say("customer", "moro no Dérbi")
    bench.accept(bench.one("replace", "/facts/a", "Dérbi", ("m-2", "moro no Dérbi")), edit=Edit("Derby"))
    slot = bench.slot("/facts/a")
    assert slot.edited_by is None
    assert slot.challengers[0].edited_by == ANA.author
