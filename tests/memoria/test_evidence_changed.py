"""E7: a cited message is edited or deleted, and what rested on it awaits confirmation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoria.events import Event, EventKind
from memoria.patch import MISSING
from memoria.sources import SYSTEM
from memoria.state import slot_to_json
from tests.memoria.bench import Bench, a_field, a_type, cite

TYPE = a_type(
    {
        "/facts/a": a_field("registry", "customer", "agent", invalidates=["/facts/b"]),
        "/facts/b": a_field("customer", "agent"),
        "/facts/c": a_field("customer", "agent", tie="conflict"),
        "/facts/d": a_field("customer", "agent", inference="flag"),
    }
)
TEXT = "moro no Derby, portão azul"


def desk() -> Bench:
    """`/facts/a` cites "moro no Derby" and `/facts/b` "portão azul", both of m-1."""
    bench = Bench(TYPE)
    bench.say("customer", TEXT, "Íris")
    a = bench.one("add", "/facts/a", "Derby", ("m-1", "moro no Derby"))
    b = bench.one("add", "/facts/b", "azul", ("m-1", "portão azul"))
    bench.decide([a, b])
    return bench


def stale(bench: Bench, pointer: str) -> tuple[str, object]:
    return bench.status(pointer), slot_to_json(bench.slot(pointer))["stale_because"]


DOUBTED, FINE = ("needs_confirmation", "evidence_changed"), ("current", None)


def test_a_value_whose_quote_is_edited_away_awaits_confirmation() -> None:
    """E7: its value stays and no other value is invented; what still stands is left alone."""
    bench = desk()
    event = bench.rewrite("m-1", "moro na Torre, portão azul")
    assert stale(bench, "/facts/a") == DOUBTED
    assert stale(bench, "/facts/b") == FINE
    assert bench.value("/facts/a") == "Derby"
    assert event is not None
    assert event.patch == ()


def test_a_change_of_evidence_is_one_event_of_its_own() -> None:
    """E7, V1: all slots in one version, by the system, with the message and what became of it."""
    bench = desk()
    event = bench.delete("m-1")
    assert isinstance(event, Event)
    assert (event.kind, event.version, event.actor) == (EventKind.EVIDENCE_CHANGED, 2, SYSTEM)
    assert event.cause == {"message": "m-1", "how": "deleted"}
    assert set(event.slots) == {"/facts/a", "/facts/b"}
    assert stale(bench, "/facts/a") == stale(bench, "/facts/b") == DOUBTED


def test_the_quote_that_is_gone_is_kept_as_it_was_read() -> None:
    """E7: the evidence still shows the words of then, marked as gone."""
    bench = desk()
    bench.delete("m-1")
    (evidence,) = bench.slot("/facts/a").evidence
    assert (evidence.quote, evidence.gone) == ("moro no Derby", True)


@pytest.mark.parametrize(
    "text",
    [
        TEXT + ", obrigada",
        "Olá! " + TEXT,  # at another place now
        "moro no  Derby,\nportão azul",  # as E3 compares
        "moro no De\u200brby, portão azul",
    ],
)
def test_an_edit_that_leaves_the_quote_makes_no_event(text: str) -> None:
    """E7: where no slot is touched there is none."""
    bench = desk()
    assert bench.rewrite("m-1", text) is None
    assert bench.state.version == 1


@pytest.mark.parametrize("text", ["moro no Derbyshire, portão azul", "moro no derby, portão azul", ""])
def test_a_quote_that_now_cuts_a_word_or_reads_otherwise_is_gone(text: str) -> None:
    """E7, E3, E8: what would be no quote today stands no more."""
    bench = desk()
    bench.rewrite("m-1", text)
    assert stale(bench, "/facts/a") == DOUBTED


def test_a_message_that_nothing_cites_touches_nothing() -> None:
    """E7: no event."""
    bench = desk()
    bench.say("customer", "obrigada")
    assert bench.delete("m-2") is None
    assert bench.state.version == 1


def test_a_secondary_quote_counts_as_well() -> None:
    """E7: `has that quote among its evidence`."""
    bench = desk()
    bench.say("customer", "é no Derby mesmo")
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-2", "é no Derby")))
    assert [item.message for item in bench.slot("/facts/a").evidence] == ["m-2", "m-1"]
    bench.delete("m-1")
    assert stale(bench, "/facts/a") == DOUBTED


def test_a_slot_that_holds_nothing_is_left_alone() -> None:
    """E7: only what holds a value can be in doubt."""
    bench = desk()
    bench.say("customer", "não moro mais no Derby")
    bench.accept(bench.one("remove", "/facts/a", MISSING, ("m-2", "não moro mais no Derby")))
    assert bench.delete("m-2") is None
    assert bench.status("/facts/a") == "open"


def test_a_slot_in_conflict_stays_so_and_takes_the_cause() -> None:
    """E7: and its challengers stay."""
    bench = desk()
    bench.put("/facts/b", "verde")
    assert bench.status("/facts/b") == "conflict"
    bench.delete("m-1")
    assert stale(bench, "/facts/b") == ("conflict", "evidence_changed")
    assert len(bench.slot("/facts/b").challengers) == 1


def test_members_and_their_statuses_rest_on_evidence_too() -> None:
    """E7: every slot that holds a value, a commitment's and its status's included."""
    bench = Bench(TYPE)
    bench.say("agent", "vou ligar amanhã")
    bench.accept(bench.one("add", "/commitments/-", {"task": "ligar", "owner": "team"}, ("m-1", "vou ligar amanhã")))
    bench.say("agent", "estou ligando")
    bench.accept(bench.one("replace", "/commitments/c-1/status", "in_progress", ("m-2", "estou ligando")))
    bench.delete("m-2")
    assert stale(bench, "/commitments/c-1/status") == DOUBTED
    assert stale(bench, "/commitments/c-1") == FINE
    bench.delete("m-1")
    assert stale(bench, "/commitments/c-1") == DOUBTED


def test_a_change_of_evidence_invalidates_nothing_that_depends_on_it() -> None:
    """E7, K7: no value changed. `/facts/b` depends on `/facts/a` and cites another message here."""
    bench = desk()
    bench.say("customer", "portão verde")
    bench.accept(bench.one("replace", "/facts/b", "verde", ("m-2", "portão verde")))
    event = bench.rewrite("m-1", "moro na Torre, portão azul")
    assert event is not None
    assert set(event.slots) == {"/facts/a"}
    assert stale(bench, "/facts/b") == FINE


def test_the_quotes_return_confirms_nothing() -> None:
    """E7: only a person, or other words, end the doubt."""
    bench = desk()
    bench.rewrite("m-1", "moro na Torre, portão azul")
    assert bench.rewrite("m-1", "moro no Derby! portão azul") is None
    assert stale(bench, "/facts/a") == DOUBTED


def test_a_text_that_an_earlier_revision_had_is_a_late_repetition() -> None:
    """E7: it changes nothing; the message keeps its newest text."""
    bench = desk()
    bench.rewrite("m-1", "moro na Torre, portão azul")
    assert bench.rewrite("m-1", TEXT) is None
    assert bench.one("add", "/facts/c", "Derby", ("m-1", "moro no Derby")).judgement.code == "evidence.quote_not_found"


def test_a_further_edit_does_not_doubt_again_what_a_person_has_since_confirmed() -> None:
    """E7: the same words cannot be lost twice; a deletion after it neither."""
    bench = desk()
    bench.rewrite("m-1", "moro na Torre, portão azul")
    bench.confirm("/facts/a")
    assert bench.rewrite("m-1", "moro em Recife, portão azul") is None
    assert stale(bench, "/facts/a") == FINE
    event = bench.delete("m-1")
    assert event is not None
    assert set(event.slots) == {"/facts/b"}


def test_a_confirmation_on_new_words_is_doubted_when_those_go() -> None:
    """E7: it is another quote."""
    bench = desk()
    bench.rewrite("m-1", "moro na Torre, portão azul")
    bench.say("customer", "é Derby sim")
    bench.confirm("/facts/a", evidence=cite(("m-2", "é Derby")))
    bench.delete("m-2")
    assert stale(bench, "/facts/a") == DOUBTED


def test_doubt_ends_the_confirmation_that_stood() -> None:
    """E7, K6: `confirmed` says so until the value is in doubt again."""
    bench = desk()
    bench.say("customer", "é Derby sim")
    bench.delete("m-1")
    bench.confirm("/facts/a", evidence=cite(("m-2", "é Derby")))
    assert bench.slot("/facts/a").confirmed is not None
    bench.delete("m-2")
    assert bench.slot("/facts/a").confirmed is None


def test_a_deleted_message_stays_deleted() -> None:
    """E7: a text that arrives for it afterwards brings nothing back."""
    bench = desk()
    bench.delete("m-1")
    assert bench.rewrite("m-1", "moro na Torre, portão azul") is None
    assert bench.one("add", "/facts/c", "Torre", ("m-1", "moro na Torre")).judgement.code == "evidence.quote_not_found"


def test_other_words_may_replace_what_lost_its_quote() -> None:
    """E7, P2: a value that awaits confirmation defends no authority; the same value from new words confirms it (P3)."""
    bench = desk()
    bench.delete("m-1")
    bench.say("agent", "então é Torre, portão azul")
    assert bench.one("replace", "/facts/a", "Torre", ("m-2", "é Torre")).judgement.code == "allowed.awaited_confirmation"
    bench.say("customer", "portão azul sim")
    bench.accept(bench.one("replace", "/facts/b", "azul", ("m-3", "portão azul")))
    assert stale(bench, "/facts/b") == FINE


def test_a_guess_whose_words_are_gone_says_so() -> None:
    """E7: it awaited confirmation already, and takes the cause."""
    bench = Bench(TYPE)
    bench.say("customer", "dá choque")
    bench.accept(bench.one("add", "/facts/d", "curto", ("m-1", "dá choque"), inference=True))
    assert stale(bench, "/facts/d") == ("needs_confirmation", None)
    bench.delete("m-1")
    assert stale(bench, "/facts/d") == DOUBTED


def test_other_words_at_the_same_place_are_another_quote() -> None:
    """E7, P3: the words that are gone stay as they were read, beside those that now stand where they stood."""
    bench = desk()
    bench.rewrite("m-1", "moro na Torre, portão azul")
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "moro na Torre")))
    kept = [(item.quote, item.start, item.gone) for item in bench.slot("/facts/a").evidence]
    assert kept == [("moro na Torre", 0, False), ("moro no Derby", 0, True)]


def test_a_quote_that_came_back_and_is_cited_again_is_there_once() -> None:
    """E7, P3: cited anew it is evidence again."""
    bench = desk()
    bench.rewrite("m-1", "moro na Torre, portão azul")
    bench.rewrite("m-1", "moro no Derby, portão verde")
    bench.accept(bench.one("add", "/facts/a", "Derby", ("m-1", "moro no Derby")))
    assert [(item.quote, item.gone) for item in bench.slot("/facts/a").evidence] == [("moro no Derby", False)]


def test_only_what_cites_the_message_is_looked_at() -> None:
    """E7: each message has an event of its own; another one's change is not told under this one's name."""
    bench = desk()
    bench.say("customer", "quinta à tarde")
    bench.accept(bench.one("add", "/facts/c", "quinta", ("m-2", "quinta à tarde")))
    bench.messages[2] = replace(bench.messages[2], text="sexta")  # known, and not yet told
    event = bench.rewrite("m-1", "esquece")
    assert event is not None
    assert set(event.slots) == {"/facts/a", "/facts/b"}
    assert stale(bench, "/facts/c") == FINE
