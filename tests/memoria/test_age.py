"""Section 4, P7: older words do not bring a corrected value back. And who is the same author (section 3)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memoria.evidence import said_at
from memoria.sources import Author, Kind
from tests.memoria.bench import RUI, SARA, START, cite
from tests.memoria.voices import desk, doubt, says, spoken, told


def test_older_words_do_not_bring_a_corrected_value_back() -> None:
    """P7: `evidence.older_than_current`, as strong or weaker; the same author's too."""
    bench = desk()
    bench.say("customer", "moro no Derby", "Íris")
    told(bench, "agent", "Torre")
    older = bench.one("replace", "/facts/a", "Derby", ("m-1", "moro no Derby"))
    assert spoken(older.judgement) == ("refused", "evidence.older_than_current", "P7")
    assert older.judgement.reasons[0].data["than"] == "m-2"


def test_older_words_of_a_stronger_source_are_allowed() -> None:
    """P7: `and C's source is not stronger`."""
    bench = desk()
    bench.say("registry", "Derby, Recife")
    told(bench, "customer", "Torre")
    assert bench.one("replace", "/facts/a", "Derby", ("m-1", "Derby, Recife")).judgement.code == "allowed.stronger_source"


def test_the_time_of_sending_decides_and_not_the_order_of_arrival() -> None:
    """P7: a mail that was sent first and arrives second is the older one."""
    bench = desk()
    told(bench, "customer", "Torre", sent_at=START)
    assert says(bench, "customer", "Derby", sent_at=START - timedelta(hours=1)).judgement.code == "evidence.older_than_current"
    assert says(bench, "customer", "Pina", sent_at=START + timedelta(seconds=1)).judgement.verdict == "allowed"


def test_at_the_same_time_the_message_number_decides_and_the_same_message_is_not_older() -> None:
    """P7: `the message number breaks ties`."""
    bench = desk()
    for text in ("é Derby", "é Torre. Aliás é Pina"):
        bench.say("customer", text, sent_at=START)
    bench.accept(bench.one("add", "/facts/a", "Torre", ("m-2", "é Torre")))
    assert bench.one("replace", "/facts/a", "Derby", ("m-1", "é Derby")).judgement.code == "evidence.older_than_current"
    assert bench.one("replace", "/facts/a", "Pina", ("m-2", "Aliás é Pina")).judgement.verdict == "allowed"


def test_a_time_that_is_missing_or_lies_in_the_future_is_the_arrivals() -> None:
    """P7: a wrong clock gives nobody the last word."""
    assert said_at(None, START) == START
    assert said_at(START + timedelta(seconds=1), START) == START
    assert said_at(START - timedelta(seconds=1), START) == START - timedelta(seconds=1)
    bench = desk()
    told(bench, "customer", "Derby", sent_at=START + timedelta(days=400))
    assert says(bench, "customer", "Torre").judgement.verdict == "allowed"


def test_only_the_primary_message_counts() -> None:
    """P7: newer words in second place make nothing newer."""
    bench = desk()
    bench.say("customer", "moro no Derby")
    told(bench, "customer", "Torre")
    bench.say("customer", "obrigada")
    held = bench.one("replace", "/facts/a", "Derby", ("m-1", "moro no Derby"), ("m-3", "obrigada"))
    assert held.judgement.code == "evidence.older_than_current"


def test_a_statement_counts_as_made_at_its_moment_whatever_it_cites() -> None:
    """P7, E9: it cites the first message and is newer than the second."""
    bench = desk()
    bench.say("agent", "moro no Derby", "Rui")
    told(bench, "agent", "Torre", "Rui")
    bench.put("/facts/a", "Derby", evidence=cite(("m-1", "no Derby")))
    assert bench.value("/facts/a") == "Derby"
    assert bench.one("replace", "/facts/a", "Pina", ("m-2", "agora é Torre")).judgement.code == "evidence.older_than_current"


def test_a_confirmation_counts_as_made_at_its_moment_whatever_it_cites() -> None:
    """P7, K6: words said before it do not undo it."""
    bench = desk()
    told(bench, "customer", "Derby")
    bench.say("customer", "ou Torre")
    doubt(bench)
    assert bench.one("replace", "/facts/a", "Torre", ("m-2", "ou Torre")).judgement.verdict == "allowed"
    bench.confirm("/facts/a")
    assert bench.one("replace", "/facts/a", "Pina", ("m-2", "ou Torre")).judgement.code == "evidence.older_than_current"


@pytest.mark.parametrize(("choice", "more"), [("current", {}), ("challenger", {"challenger": 0}), ("open", {})])
def test_a_resolution_counts_as_made_at_its_moment(choice: str, more: dict[str, int]) -> None:
    """P7, P8: kept, taken or left open."""
    bench = desk()
    told(bench, "agent", "Derby")
    told(bench, "customer", "Torre")
    bench.say("agent", "ou Pina")
    bench.resolve("/facts/a", choice, actor=SARA, **more)
    late = bench.one("replace", "/facts/a", "Pina", ("m-3", "ou Pina")).judgement
    # After "challenger" the slot is the customer's, and the agent is stronger: P7 speaks for no one weaker.
    assert late.code == ("allowed.stronger_source" if choice == "challenger" else "evidence.older_than_current")
    assert bench.slot("/facts/a").age.at == bench.events[-1].at


# --- authors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Author(Kind.AGENT, "1", "Ana"), Author(Kind.AGENT, "1", "Ana Souza"), True),
        (Author(Kind.AGENT, "1", "Ana"), Author(Kind.AGENT, "2", "Ana"), False),
        (Author(Kind.AGENT, "1", "Ana"), Author(Kind.CUSTOMER, "1", "Ana"), False),
        (Author(Kind.AGENT, None, "Ana"), Author(Kind.AGENT, None, "Ana"), True),
        (Author(Kind.AGENT, None, "Ana"), Author(Kind.AGENT, None, "Bia"), False),
    ],
)
def test_two_authors_are_the_same_by_kind_and_external_id_or_name(one: Author, other: Author, same: bool) -> None:
    """3, Sources: the name counts where there is no external id."""
    assert one.same_as(other) is same
    assert other.same_as(one) is same


def test_a_members_messages_and_statements_are_that_members() -> None:
    """3, Sources, P5: Rui corrects by hand what he wrote, though ties are conflicts; Ana does not."""
    bench = desk(tie="conflict")
    told(bench, "agent", "Derby", "member-rui")
    bench.put("/facts/a", "Torre", actor=RUI)
    assert bench.value("/facts/a") == "Torre"
    bench.put("/facts/a", "Pina")
    assert bench.status("/facts/a") == "conflict"
