"""Which request follows which outcome, row by row of the outer contract's table, and how long it waits."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.runs import (
    MAX_WAIT,
    Again,
    Answered,
    Declined,
    Done,
    Limits,
    Mode,
    Next,
    Outcome,
    Park,
    Problem,
    Rejected,
    Repair,
    Run,
    Unreached,
    Unreadable,
    next_mode,
    parse_retry_after,
    step,
)

NEW = Run(Mode.JSON_SCHEMA, mode_tested=False)
TESTED = Run(Mode.JSON_SCHEMA, mode_tested=True)
REPAIRING = Run(Mode.JSON_SCHEMA, mode_tested=True, tries=1, repair=Repair("{", "not valid JSON"))
LAST = Run(Mode.JSON_SCHEMA, mode_tested=True, tries=4)
LIMITS = Limits(max_tries=5, backoff=1.0)

BROKEN = Unreadable(Problem.INVALID_ANSWER, "not valid JSON", "{")
CUT = Unreadable(Problem.TRUNCATED, "cut off", "{")


@pytest.mark.parametrize(
    ("run", "outcome", "following"),
    [
        # An answer that can be used ends the run.
        (NEW, Answered(()), Done(())),
        (REPAIRING, Answered(()), Done(())),
        # 429, 5xx, connection, timeout: again after a wait, the last time parked.
        (NEW, Unreached("rate_limit"), Again(1.0)),
        (NEW, Unreached("server_error", status=503), Again(1.0)),
        (NEW, Unreached("connection"), Again(1.0)),
        (NEW, Unreached("timeout"), Again(1.0)),
        (NEW, Unreached("not_a_completion"), Again(1.0)),
        (LAST, Unreached("timeout"), Park(Problem.UNAVAILABLE, "timeout")),
        # 400, 404, 422 while the mode is untested: one mode down, at once.
        (NEW, Rejected(400), Again(0.0)),
        (NEW, Rejected(404), Again(0.0)),
        (NEW, Rejected(422), Again(0.0)),
        # The same once the mode is known to work, below the last mode, or with no try left: no retry.
        (TESTED, Rejected(400, "bad"), Park(Problem.REJECTED_REQUEST, "400 bad")),
        (Run(Mode.TEXT, mode_tested=False), Rejected(400), Park(Problem.REJECTED_REQUEST, "400")),
        (Run(Mode.JSON_SCHEMA, mode_tested=False, tries=4), Rejected(400), Park(Problem.REJECTED_REQUEST, "400")),
        # 401 and 403 say nothing of the mode.
        (NEW, Rejected(401), Park(Problem.REJECTED_REQUEST, "401")),
        (NEW, Rejected(403), Park(Problem.REJECTED_REQUEST, "403")),
        (NEW, Rejected(413), Park(Problem.REJECTED_REQUEST, "413")),
        # Cut off, no JSON, another envelope: one repair by the model, then parked with the answer kept.
        (NEW, BROKEN, Again(0.0)),
        (NEW, CUT, Again(0.0)),
        (REPAIRING, BROKEN, Park(Problem.INVALID_ANSWER, "not valid JSON", "{")),
        (REPAIRING, CUT, Park(Problem.TRUNCATED, "cut off", "{")),
        (LAST, BROKEN, Park(Problem.INVALID_ANSWER, "not valid JSON", "{")),
        (LAST, CUT, Park(Problem.TRUNCATED, "cut off", "{")),
        # Refusal, filter, empty: parked with that reason, and never asked again by itself.
        (NEW, Declined(Problem.REFUSED, "não posso"), Park(Problem.REFUSED, "não posso")),
        (NEW, Declined(Problem.FILTERED), Park(Problem.FILTERED, "")),
        (NEW, Declined(Problem.EMPTY), Park(Problem.EMPTY, "")),
    ],
)
def test_each_outcome_has_one_consequence(run: Run, outcome: Outcome, following: Next) -> None:
    after, said = step(run, outcome, LIMITS)
    assert said == following
    assert after.tries == run.tries + 1


@pytest.mark.parametrize(
    ("outcome", "tested"),
    [
        (Answered(()), True),
        (BROKEN, True),  # the server took the mode, whatever the model made of it
        (Declined(Problem.REFUSED), True),
        (Unreached("timeout"), False),
        (Rejected(400), False),
    ],
)
def test_a_mode_is_known_to_work_once_the_server_has_taken_a_request_in_it(outcome: Outcome, tested: bool) -> None:
    assert step(NEW, outcome, LIMITS)[0].mode_tested is tested


def test_the_modes_are_stepped_down_in_order_and_the_last_has_none_below() -> None:
    assert [next_mode(mode) for mode in Mode] == [Mode.JSON_OBJECT, Mode.JSON_OBJECT, Mode.TOOL, Mode.TEXT, None]


@pytest.mark.parametrize(
    ("detail", "mode"),
    [
        ("Unknown parameter: 'prompt_cache_options'.", Mode.JSON_SCHEMA),
        ("Extra inputs are not permitted", Mode.JSON_SCHEMA),
        ("messages[0]: invalid type: sequence, expected a string", Mode.JSON_SCHEMA),
        ("response_format is not supported", Mode.JSON_OBJECT),
        ("", Mode.JSON_OBJECT),
    ],
)
def test_a_server_that_names_the_marks_keeps_the_schema_and_is_asked_at_once(detail: str, mode: Mode) -> None:
    run, following = step(Run(Mode.MARKED_SCHEMA, mode_tested=False), Rejected(400, detail), LIMITS)
    assert (run.mode, following) == (mode, Again(0.0))


def test_a_server_that_breaks_twice_on_a_marked_request_is_asked_without_marks() -> None:
    run, _ = step(Run(Mode.MARKED_SCHEMA, mode_tested=False), Unreached("server_error", status=500), LIMITS)
    assert run.mode is Mode.MARKED_SCHEMA
    assert step(run, Unreached("timeout"), LIMITS)[0].mode is Mode.MARKED_SCHEMA
    assert step(run, Unreached("server_error", status=500), LIMITS)[0].mode is Mode.JSON_SCHEMA
    tested = Run(Mode.MARKED_SCHEMA, mode_tested=True, failures=3)
    assert step(tested, Unreached("server_error", status=500), LIMITS)[0].mode is Mode.MARKED_SCHEMA


def test_a_repair_keeps_the_answer_and_the_finding_for_every_request_that_follows() -> None:
    run, _ = step(NEW, BROKEN, LIMITS)
    assert run.repair == Repair("{", "not valid JSON")
    run, following = step(run, Unreached("rate_limit"), LIMITS)
    assert run.repair is not None
    assert isinstance(following, Again)


def test_a_run_survives_its_way_through_the_queue() -> None:
    for run in (NEW, REPAIRING, Run(Mode.TOOL, mode_tested=True, tries=3, failures=2)):
        assert Run.from_json(run.to_json()) == run


def test_the_back_off_doubles_with_each_failure() -> None:
    run, waits = NEW, []
    for _ in range(4):
        run, following = step(run, Unreached("server_error"), LIMITS)
        assert isinstance(following, Again)
        waits.append(following.after)
    assert waits == [1.0, 2.0, 4.0, 8.0]


@pytest.mark.parametrize(
    ("asked", "jitter", "waited"),
    [
        (37.0, 0.0, 37.0),  # never before the server's word
        (0.2, 0.0, 1.0),  # nor before the own back-off
        (86_400.0, 1.0, MAX_WAIT),  # a day is not waited
        (-5.0, 0.0, 1.0),
        (None, 1.0, 1.5),
    ],
)
def test_the_wait_is_the_longer_of_both_and_capped(asked: float | None, jitter: float, waited: float) -> None:
    _, following = step(NEW, Unreached("rate_limit", asked), LIMITS, jitter)
    assert following == Again(waited)


NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("Tue, 10 Mar 2026 12:00:37 GMT", 37.0),
        ("5", 5.0),
        (" 5 ", 5.0),
        ("0.5", 0.5),
        ("86400", 86_400.0),
        ("Tue, 10 Mar 2026 11:59:00 GMT", None),  # past
        ("Tue, 10 Mar 2026 09:00:37 -0300", 37.0),
        ("Tue, 10 Mar 2026 12:00:37 -0000", 37.0),  # a time without a known zone is Greenwich's
        ("amanhã", None),
        ("-5", None),
        ("1e9", None),
        ("", None),
        ("Tue, 99 Mar 2026 12:00:00 GMT", None),
        (None, None),
    ],
)
def test_both_forms_of_retry_after_are_read_and_nonsense_is_none(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, NOW) == seconds


@given(st.text())
def test_no_header_breaks_the_reader(header: str) -> None:
    seconds = parse_retry_after(header, NOW)
    assert seconds is None or seconds >= 0


outcomes = st.sampled_from(
    [
        Unreached("timeout"),
        Unreached("rate_limit", 10.0),
        Rejected(400),
        Rejected(401),
        BROKEN,
        CUT,
        Declined(Problem.EMPTY),
        Answered(()),
    ]
)


@given(st.lists(outcomes, min_size=12, max_size=12), st.integers(1, 8), st.booleans())
def test_every_run_ends_within_its_tries(script: list[Outcome], max_tries: int, tested: bool) -> None:
    run, following = Run(Mode.JSON_SCHEMA, tested), None
    for outcome in script:
        run, following = step(run, outcome, Limits(max_tries))
        if not isinstance(following, Again):
            break
    assert isinstance(following, Done | Park)
    assert run.tries <= max_tries
