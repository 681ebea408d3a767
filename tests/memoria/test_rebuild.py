"""H5: a fresh reading of the messages gives a report and proposals, and changes nothing by itself."""

from __future__ import annotations

from memoria.patch import MISSING
from memoria.proposals import Change
from memoria.rebuild import Difference, compare, reread
from memoria.state import State
from tests.memoria.bench import Bench, a_field, a_type, cite


def a_bench() -> Bench:
    return Bench(a_type({"/facts/bairro": a_field(), "/facts/aparelho": a_field(), "/preferences/periodo": a_field()}))


def rows(bench: Bench, *changes: Change) -> dict[str, Difference]:
    desk = bench.desk()
    report = compare(bench.state, reread(State(), changes, desk), desk.transcript)
    return {row.pointer: row.difference for row in report.rows}


def test_h5_a_reading_that_brings_what_holds_differs_in_nothing_and_proposes_nothing() -> None:
    bench = a_bench()
    said = bench.say("customer", "moro na Torre")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "na Torre")))
    desk = bench.desk()
    scratch = reread(State(), [Change("add", "/facts/bairro", "Torre", cite((said, "moro na Torre")))], desk)
    report = compare(bench.state, scratch, desk.transcript)
    assert not report.differs
    assert report.proposals == ()


def test_h5_every_kind_of_difference_is_named_and_only_what_the_messages_bring_is_proposed() -> None:
    bench = a_bench()
    said = bench.say("customer", "a geladeira fica na Torre, de manhã")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "na Torre")))
    bench.put("/preferences/periodo", "tarde")
    changes = (
        Change("add", "/facts/bairro", "a Torre", cite((said, "na Torre"))),
        Change("add", "/facts/aparelho", "geladeira", cite((said, "geladeira"))),
    )
    before = bench.state
    assert rows(bench, *changes) == {
        "/facts/bairro": Difference.DIFFERENT,
        "/facts/aparelho": Difference.ONLY_REREAD,
        "/preferences/periodo": Difference.ONLY_NOW,  # a statement of staff: no message brings it
    }
    desk = bench.desk()
    report = compare(bench.state, reread(State(), changes, desk), desk.transcript)
    assert [change.path for change in report.proposals] == ["/facts/aparelho", "/facts/bairro"]
    assert bench.state == before  # never a silent overwrite


def test_h5_members_are_compared_by_their_words_not_by_the_ids_of_the_reading() -> None:
    bench = a_bench()
    first = bench.say("agent", "vou ligar e vou verificar a peça")
    for task in ("ligar", "verificar a peça"):
        bench.accept(bench.one("add", "/commitments/-", {"task": task, "owner": "team"}, (first, "vou " + task)))
    again = (
        Change("add", "/commitments/-", {"task": "Verificar a peça", "owner": "team"}, cite((first, "vou verificar a peça"))),
        Change("add", "/commitments/-", {"task": "comprar a peça", "owner": "team"}, cite((first, "a peça"))),
    )
    found = rows(bench, *again)
    assert found == {
        "/commitments/c-2": Difference.SAME,  # the reading would have called it c-1
        "/commitments/-": Difference.ONLY_REREAD,
        "/commitments/c-1": Difference.ONLY_NOW,
    }


def test_h5_the_report_says_which_messages_no_longer_back_a_value() -> None:
    bench = a_bench()
    said = bench.say("customer", "moro na Torre")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "na Torre")))
    bench.delete(said)
    desk = bench.desk()
    (row,) = compare(bench.state, State(), desk.transcript).rows
    assert row.lost == (said,)
    assert row.difference is Difference.ONLY_NOW
    assert row.reread is MISSING


def test_h5_a_reading_takes_only_what_the_domain_allows() -> None:
    bench = a_bench()
    said = bench.say("customer", "moro na Torre")
    changes = (
        Change("add", "/facts/bairro", "Torre", cite((said, "em Torre"))),  # the quote does not stand there
        Change("add", "/facts/nada", "Torre", cite((said, "na Torre"))),
    )
    assert rows(bench, *changes) == {}


def test_h5_what_the_messages_withdraw_differs_and_is_proposed_as_a_withdrawal() -> None:
    bench = a_bench()
    said = bench.say("customer", "moro na Torre")
    taken_back = bench.say("customer", "não moro mais na Torre")
    bench.accept(bench.one("add", "/facts/bairro", "Torre", (said, "na Torre")))
    desk = bench.desk()
    changes = (
        Change("add", "/facts/bairro", "Torre", cite((said, "na Torre"))),
        Change("remove", "/facts/bairro", MISSING, cite((taken_back, "não moro mais na Torre"))),
    )
    (row,) = compare(bench.state, reread(State(), changes, desk), desk.transcript).rows
    assert (row.difference, row.now, row.reread) == (Difference.DIFFERENT, "Torre", MISSING)
    assert row.change is not None
    assert (row.change.op, row.change.path, [item.message for item in row.change.evidence]) == (
        "remove",
        "/facts/bairro",
        [taken_back],
    )
    assert [item.message for item in row.held] == [said]


def test_h5_of_a_member_that_both_have_what_moved_differs_by_itself() -> None:
    bench = a_bench()
    promised = bench.say("agent", "vou ligar na sexta")
    done = bench.say("agent", "liguei agora")
    value = {"task": "ligar", "owner": "team"}
    bench.accept(bench.one("add", "/commitments/-", value, (promised, "vou ligar")))
    changes = (
        Change("add", "/commitments/-", value, cite((promised, "vou ligar na sexta"))),
        Change("replace", "/commitments/c-1/due", "2026-03-13", cite((promised, "na sexta"))),
        Change("replace", "/commitments/c-1/status", "done", cite((done, "liguei agora"))),
    )
    desk = bench.desk()
    report = compare(bench.state, reread(State(), changes, desk), desk.transcript)
    assert {row.pointer: (row.difference, row.now, row.reread) for row in report.rows[1:]} == {
        "/commitments/c-1/status": (Difference.DIFFERENT, "requested", "done"),
        "/commitments/c-1/due": (Difference.DIFFERENT, None, "2026-03-13"),
    }
    assert [(change.path, change.evidence[0].message) for change in report.proposals] == [
        ("/commitments/c-1/status", done),
        ("/commitments/c-1/due", promised),
    ]
    same = compare(bench.state, bench.state, desk.transcript)
    assert [row.pointer for row in same.rows] == ["/commitments/c-1"]
    assert not same.differs
