"""The decision table of causes: who erred, if anyone did."""

from __future__ import annotations

import pytest

from memoria.causes import ERRORS, Act, Cause, Grounds, propose

TABLE = [
    # act, old source, new source, same message, edited by staff before -> cause
    (Act.REJECTED, None, None, False, False, Cause.MODEL_MISREAD),
    (Act.EDITED, None, "customer", False, False, Cause.MODEL_MISREAD),
    (Act.UNDONE, "customer", "customer", False, False, Cause.STAFF_ERROR),
    (Act.REPLACED, "customer", "customer", False, False, Cause.CHANGED_MIND),
    (Act.REPLACED, "customer", "customer_reported", False, False, Cause.CHANGED_MIND),
    (Act.WITHDRAWN, "customer", "customer", False, False, Cause.CHANGED_MIND),
    (Act.RESOLVED, "customer", "customer", False, False, Cause.CHANGED_MIND),
    # The same words read again say something else: whoever read them last, erred.
    (Act.REPLACED, "customer", "customer", True, False, Cause.MODEL_MISREAD),
    (Act.REPLACED, "customer", "agent", True, False, Cause.MODEL_MISREAD),
    (Act.REPLACED, "customer", "customer", True, True, Cause.STAFF_ERROR),
    (Act.REPLACED, "registry", "registry", True, False, Cause.MODEL_MISREAD),
    # The registry did not know better.
    (Act.REPLACED, "registry", "registry", False, False, Cause.OLD_RECORD),
    (Act.OVERRIDDEN, "registry", "customer", False, False, Cause.OLD_RECORD),
    (Act.OVERRIDDEN, "registry_reported", "agent", False, False, Cause.OLD_RECORD),
    (Act.RESOLVED, "registry", "customer", False, False, Cause.OLD_RECORD),
    (Act.RESOLVED, "registry", None, False, False, None),
    (Act.RESOLVED, "registry", None, True, True, None),
    (Act.REPLACED, "inference", "customer", False, False, Cause.MODEL_MISREAD),
    (Act.REPLACED, "inference", "agent", False, False, Cause.MODEL_MISREAD),
    # Staff replace what staff said, or what staff accepted.
    (Act.REPLACED, "agent", "agent", False, False, Cause.STAFF_ERROR),
    (Act.REPLACED, "customer", "agent", False, False, Cause.STAFF_ERROR),
    (Act.WITHDRAWN, "customer", "agent", False, False, Cause.STAFF_ERROR),
    # Nothing tells who was wrong, or whether anyone was.
    (Act.REPLACED, "tool", "tool", False, False, None),
    (Act.REPLACED, "agent", "customer", False, False, None),
    (Act.RESOLVED, "customer", "registry", False, False, None),
    (Act.RESOLVED, "customer", None, False, False, None),
    (Act.REPLACED, None, "customer", False, False, None),
    # Nobody was wrong: the rules changed.
    (Act.UNFIT, "registry", None, False, False, None),
]


@pytest.mark.parametrize(("act", "old", "new", "same", "edited", "cause"), TABLE)
def test_the_cause_is_told_by_act_and_sources(
    act: Act, old: str | None, new: str | None, same: bool, edited: bool, cause: Cause | None
) -> None:
    assert propose(Grounds(act, old, new, same, edited)) is cause


def test_every_act_and_cause_is_in_the_table() -> None:
    assert {row[0] for row in TABLE} == set(Act)
    assert {row[-1] for row in TABLE} == {*Cause, None}


def test_a_changed_mind_is_no_error() -> None:
    assert set(Cause) - {Cause.CHANGED_MIND} == ERRORS
