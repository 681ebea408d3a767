"""Section 4, P1 to P6: which of two voices holds at one pointer."""

from __future__ import annotations

import pytest

from memoria.errors import Code
from memoria.patch import MISSING
from memoria.precedence import rank, stronger
from memoria.sources import Kind
from tests.memoria.bench import RUI, SARA, Bench, a_field, a_type, code_of
from tests.memoria.voices import SOURCES, desk, doubt, says, spoken, told

# --- P1 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["third_party", "assistant", "tool", "system"])
def test_a_source_that_the_field_does_not_list_is_refused(kind: str) -> None:
    """P1: `source.not_allowed`, where nothing is held as well."""
    assert spoken(says(desk(), kind, "Derby").judgement) == ("refused", "source.not_allowed", "P1")


def test_an_inference_is_refused_unless_the_field_flags_it() -> None:
    """P1: `refuse` is the default."""
    assert spoken(says(desk(), "customer", "Derby", inference=True).judgement) == ("refused", "source.inference_refused", "P1")
    refusing = desk(inference="refuse")
    assert says(refusing, "customer", "Derby", inference=True).judgement.code == "source.inference_refused"


def test_a_flagged_inference_may_be_accepted_and_is_never_current() -> None:
    """P1: the slot then has status `needs_confirmation`."""
    bench = desk(inference="flag")
    told(bench, "customer", "Derby", inference=True)
    assert (bench.status("/facts/a"), bench.slot("/facts/a").source) == ("needs_confirmation", "inference")
    told(bench, "customer", "Torre", inference=True)
    assert bench.status("/facts/a") == "needs_confirmation"
    told(bench, "customer", "Torre", inference=True)  # the same guess again confirms nothing
    assert bench.status("/facts/a") == "needs_confirmation"
    assert bench.slot("/facts/a").source == "inference"


def test_an_inference_needs_an_author_in_the_list() -> None:
    """P1: `the author whose words it rests on must be in the list too`."""
    bench = desk(inference="flag")
    assert says(bench, "third_party", "Derby", inference=True).judgement.code == "source.not_allowed"


def test_an_inference_is_weaker_than_every_listed_source() -> None:
    """P1, P6: the registry's guess is weaker than the customer's word."""
    bench = desk(inference="flag")
    told(bench, "customer", "Derby")
    held = says(bench, "registry", "Torre", inference=True)
    assert spoken(held.judgement) == ("conflict", "source.weaker", "P6")
    bench.accept(held, override="conferido", actor=SARA)
    assert bench.status("/facts/a") == "needs_confirmation"
    order = tuple(kind.value for kind in Kind)
    assert all(stronger(order, source, "inference") for source in order)
    assert rank(order, "inference") > rank(order, "customer_reported")  # not even a source that is not listed


# --- P2 -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SOURCES)
def test_where_nothing_is_held_any_listed_source_is_allowed(kind: str) -> None:
    """P2: no slot."""
    assert spoken(says(desk(), kind, "Derby").judgement) == ("allowed", "allowed.first_value", "P2")


def test_an_open_slot_defends_no_authority() -> None:
    """P2: the registry withdrew it, and the customer may say another."""
    bench = desk()
    told(bench, "registry", "Derby")
    told(bench, "registry", MISSING, op="remove")
    assert bench.status("/facts/a") == "open"
    assert spoken(says(bench, "customer", "Torre").judgement) == ("allowed", "allowed.was_open", "P2")


def test_a_value_that_awaits_confirmation_defends_no_authority() -> None:
    """P2: weaker, as strong by another, with tie `conflict`: all allowed."""
    bench = desk(tie="conflict")
    told(bench, "registry", "Derby")
    doubt(bench)
    for kind in SOURCES:
        assert spoken(says(bench, kind, "Torre", "outra").judgement) == ("allowed", "allowed.awaited_confirmation", "P2")
    told(bench, "customer", "Pina")
    assert (bench.value("/facts/a"), bench.status("/facts/a")) == ("Pina", "current")


def test_p7_holds_where_p2_allows() -> None:
    """P2, P7: old words do not fill what newer words left open, or in doubt."""
    bench = desk()
    old = bench.say("customer", "moro no Derby")
    told(bench, "customer", "Torre")
    doubt(bench)
    stale = bench.one("replace", "/facts/a", "Derby", (old, "moro no Derby"))
    assert spoken(stale.judgement) == ("refused", "evidence.older_than_current", "P7")
    told(bench, "customer", MISSING, op="remove")
    stale = bench.one("replace", "/facts/a", "Derby", (old, "moro no Derby"))
    assert spoken(stale.judgement) == ("refused", "evidence.older_than_current", "P7")


# --- P3 -----------------------------------------------------------------------------------------------------------


def evidence(bench: Bench) -> list[str]:
    return [item.message for item in bench.slot("/facts/a").evidence]


@pytest.mark.parametrize(
    ("kind", "first", "source"),
    [
        ("registry", True, "registry"),  # stronger
        ("agent", True, "agent"),  # as strong, not older, though by another
        ("customer", False, "agent"),  # weaker
    ],
)
def test_the_same_value_again_is_no_change_and_goes_first_where_it_weighs_as_much(kind: str, first: bool, source: str) -> None:
    """P3: from a weaker source the evidence is added at the end, and changes nothing more."""
    bench = desk(tie="conflict")
    told(bench, "agent", "Derby", "Rui")
    before = bench.slot("/facts/a")
    held = says(bench, kind, "Derby", "outra")
    assert spoken(held.judgement) == ("no_change", "no_change.same_value", "P3")
    bench.accept(held)
    slot = bench.slot("/facts/a")
    assert evidence(bench) == (["m-2", "m-1"] if first else ["m-1", "m-2"])
    assert slot.source == source
    assert slot.author.name == ("outra" if first else "Rui")
    assert slot.age == bench.messages[2 if first else 1].age
    assert (slot.since_version, slot.replaces, slot.status) == (before.since_version, before.replaces, before.status)


def test_the_same_value_in_older_words_goes_first_only_where_they_are_stronger() -> None:
    """P3, before P7: `as strong and not older`; older ones are added at the end, and never refused."""
    bench = desk()
    bench.say("agent", "é Derby", "Rui")
    bench.say("registry", "Derby, Recife")
    told(bench, "agent", "Derby")
    older = bench.one("add", "/facts/a", "Derby", ("m-1", "é Derby"))
    assert older.judgement.verdict == "no_change"
    bench.accept(older)
    assert evidence(bench) == ["m-3", "m-1"]
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-2", "Derby, Recife")))
    assert evidence(bench) == ["m-2", "m-3", "m-1"]
    assert bench.slot("/facts/a").age == bench.messages[2].age


@pytest.mark.parametrize(
    ("kind", "status"), [("registry", "current"), ("agent", "current"), ("customer", "needs_confirmation")]
)
def test_the_same_value_ends_a_doubt_where_it_weighs_as_much(kind: str, status: str) -> None:
    """P3: turns `needs_confirmation` into `current`, and its cause with it; a weaker source only adds its words."""
    bench = desk()
    told(bench, "agent", "Derby")
    doubt(bench)
    told(bench, kind, "Derby")
    assert bench.status("/facts/a") == status
    assert (bench.slot("/facts/a").stale_because is None) == (status == "current")


def test_the_same_value_as_an_inference_only_adds_its_words() -> None:
    """P3: `and no inference`."""
    bench = desk(inference="flag")
    told(bench, "agent", "Derby")
    doubt(bench)
    told(bench, "registry", "Derby", inference=True)
    assert bench.status("/facts/a") == "needs_confirmation"
    assert bench.slot("/facts/a").source == "agent"
    assert evidence(bench) == ["m-1", "m-2"]


def test_the_same_value_settles_no_conflict() -> None:
    """P3: it turns a doubt into `current`, not a conflict: that is P8's."""
    bench = desk()
    told(bench, "agent", "Derby")
    told(bench, "customer", "Torre")
    told(bench, "registry", "Derby")
    assert bench.status("/facts/a") == "conflict"
    assert len(bench.slot("/facts/a").challengers) == 1
    assert bench.slot("/facts/a").source == "registry"


def test_other_words_of_the_same_message_are_not_older() -> None:
    """P3: as strong and of the same message, they go first."""
    bench = desk()
    bench.say("customer", "é Derby. Repito: no Derby")
    for quote in ("é Derby", "no Derby"):
        bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", quote)))
    assert [item.quote for item in bench.slot("/facts/a").evidence] == ["no Derby", "é Derby"]


def test_the_same_words_again_are_kept_once() -> None:
    """P3: one quote, one evidence item."""
    bench = desk()
    bench.say("customer", "é Derby")
    for _ in range(2):
        bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "é Derby")))
    assert evidence(bench) == ["m-1"]


def test_a_withdrawal_of_nothing_is_no_change_and_makes_the_slot() -> None:
    """P3: `for remove: none is held`; `where there is no slot yet, one is made`: that nothing is known was said."""
    bench = desk()
    held = says(bench, "customer", MISSING, op="remove")
    assert spoken(held.judgement) == ("no_change", "no_change.same_value", "P3")
    assert bench.accept(held) == 1
    assert (bench.status("/facts/a"), evidence(bench)) == ("open", ["m-1"])
    assert bench.value("/facts/a") is MISSING
    again = says(bench, "customer", MISSING, op="remove")
    assert again.judgement.verdict == "no_change"


def test_the_same_value_from_a_source_that_is_not_listed_is_refused() -> None:
    """P3 comes after P1: agreeing does not make a source one."""
    bench = desk()
    told(bench, "customer", "Derby")
    assert says(bench, "tool", "Derby").judgement.code == "source.not_allowed"


# --- P4, P5, P6: the table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("held_by", "kind", "name", "tie", "expected"),
    [
        ("customer", "agent", "outro", "latest", ("allowed", "allowed.stronger_source", "P4")),
        ("customer", "registry", "outro", "conflict", ("allowed", "allowed.stronger_source", "P4")),
        ("agent", "registry", "outro", "conflict", ("allowed", "allowed.stronger_source", "P4")),
        ("agent", "agent", "Rui", "conflict", ("allowed", "allowed.same_author", "P5")),
        ("agent", "agent", "Rui", "latest", ("allowed", "allowed.same_author", "P5")),
        ("agent", "agent", "outro", "latest", ("allowed", "allowed.latest_of_equals", "P5")),
        ("agent", "agent", "outro", "conflict", ("conflict", "source.tie", "P5")),
        ("agent", "customer", "outro", "latest", ("conflict", "source.weaker", "P6")),
        ("registry", "customer", "outro", "latest", ("conflict", "source.weaker", "P6")),
        ("registry", "agent", "outro", "conflict", ("conflict", "source.weaker", "P6")),
        ("registry", "customer", "Rui", "latest", ("conflict", "source.weaker", "P6")),  # a name is not an author
    ],
)
@pytest.mark.parametrize("op", ["replace", "remove"])
def test_newer_words_weigh_by_source_then_by_author_then_by_the_tie_rule(
    held_by: str, kind: str, name: str, tie: str, expected: tuple[str, str, str], op: str
) -> None:
    """P4, P5, P6: for a new value and for a withdrawal alike."""
    bench = desk(tie=tie)
    told(bench, held_by, "Derby", "Rui")
    assert spoken(says(bench, kind, MISSING if op == "remove" else "Torre", name, op=op).judgement) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("registry", ("allowed", "allowed.stronger_source", "P4")),
        ("agent", ("conflict", "source.tie", "P5")),
        ("customer", ("conflict", "source.weaker", "P6")),
    ],
)
@pytest.mark.parametrize("tie", ["latest", "conflict"])
def test_on_a_conflict_whoever_is_as_strong_joins_the_challengers(kind: str, expected: tuple[str, str, str], tie: str) -> None:
    """P5: the author of the value too, and with tie `latest`: P8 settles it, or someone stronger."""
    bench = desk(tie=tie)
    told(bench, "agent", "Derby", "Rui")
    told(bench, "customer", "Torre")
    assert bench.status("/facts/a") == "conflict"
    assert spoken(says(bench, kind, "Pina", "Rui").judgement) == expected


def test_what_a_stronger_source_says_supersedes_and_clears_the_challengers() -> None:
    """P4: the conflict is over."""
    bench = desk()
    told(bench, "agent", "Derby")
    told(bench, "customer", "Torre")
    told(bench, "registry", "Pina")
    slot = bench.slot("/facts/a")
    assert (bench.value("/facts/a"), slot.status, slot.source, slot.challengers) == ("Pina", "current", "registry", ())


def test_accepting_a_conflict_replaces_nothing_and_records_the_challenger() -> None:
    """P6: with its evidence, and what depends on the slot stays as it is (K7)."""
    bench = Bench(a_type({"/facts/a": a_field(*SOURCES, invalidates=["/facts/b"]), "/facts/b": a_field("customer")}))
    told(bench, "registry", "Derby")
    bench.say("customer", "portão azul")
    bench.accept(bench.one("add", "/facts/b", "azul", ("m-2", "portão azul")))
    before = bench.slot("/facts/a")
    held = says(bench, "customer", "Torre", "Íris")
    assert held.judgement.cascade == ("/facts/b",)  # what taking it would do (K5)
    bench.accept(held)
    slot = bench.slot("/facts/a")
    assert bench.value("/facts/a") == "Derby"
    assert slot.status == "conflict"
    assert (slot.source, slot.age, slot.evidence, slot.since_version) == (
        before.source,
        before.age,
        before.evidence,
        before.since_version,
    )
    (challenger,) = slot.challengers
    assert (challenger.value, challenger.source, challenger.author.name) == ("Torre", "customer", "Íris")
    assert [item.message for item in challenger.evidence] == ["m-3"]
    assert bench.status("/facts/b") == "current"


def test_challengers_gather_a_withdrawal_among_them() -> None:
    """P6: a withdrawal has no value, which is not null."""
    bench = desk()
    told(bench, "registry", "Derby")
    told(bench, "customer", "Torre")
    told(bench, "agent", MISSING, op="remove")
    assert [challenger.value for challenger in bench.slot("/facts/a").challengers] == ["Torre", MISSING]


def test_an_override_takes_what_is_in_conflict_and_clears_the_challengers() -> None:
    """P6: by someone who may, with a written reason."""
    bench = desk()
    told(bench, "registry", "Derby")
    told(bench, "agent", "Pina")
    held = says(bench, "customer", "Torre")
    assert code_of(bench.accept, held, override="conferido", actor=RUI) == "permission.denied"
    bench.accept(held, override="conferido", actor=SARA)
    slot = bench.slot("/facts/a")
    assert (bench.value("/facts/a"), slot.status, slot.source, slot.challengers) == ("Torre", "current", "customer", ())
    assert bench.events[-1].cause["changes"][0]["override"] == "conferido"


def test_an_override_never_lifts_a_refusal() -> None:
    """P6: what became a refusal since it was proposed stays one. Without the override the same change is the same refusal."""
    bench = desk()
    told(bench, "registry", "Derby")
    held = says(bench, "customer", "Torre")
    bench.delete("m-2")
    assert code_of(bench.accept, held, override="conferido", actor=SARA) == "evidence.quote_not_found"
    assert code_of(bench.accept, held) == "evidence.quote_not_found"


def test_every_reason_of_a_verdict_is_one_code_and_one_rule() -> None:
    """4: codes are `area.what`, and each verdict has a reason with its rule's number."""
    assert all(code.value.count(".") == 1 and code.value == code.value.lower() for code in Code)
    for judgement in (says(desk(), "customer", "Derby").judgement, says(desk(), "tool", "Derby").judgement):
        assert len(judgement.reasons) == 1
        assert judgement.reasons[0].rule
