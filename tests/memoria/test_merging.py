"""S2: which ticket may be merged into which."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memoria.errors import DomainError
from memoria.merging import Standing, check_merge, check_unmerged

ONE = Standing("t-1", "2026-000001", "helena", is_open=True)
TWO = Standing("t-2", "2026-000002", "helena", is_open=True)


def test_an_open_ticket_of_the_same_customer_takes_it() -> None:
    check_merge(ONE, TWO)
    check_merge(replace(ONE, is_open=False), TWO)  # a closed one may still be merged


@pytest.mark.parametrize(
    ("one", "two", "code", "data"),
    [
        (ONE, ONE, "ticket.merge_refused", {"why": "itself", "protocol": "2026-000001"}),
        (ONE, replace(TWO, customer="eva"), "ticket.merge_refused", {"why": "other_customer", "protocol": "2026-000002"}),
        (ONE, replace(TWO, is_open=False), "ticket.merge_refused", {"why": "not_open", "protocol": "2026-000002"}),
        (ONE, replace(TWO, into="2026-000001"), "ticket.merge_refused", {"why": "not_open", "protocol": "2026-000002"}),
        (replace(ONE, into="2026-000003"), TWO, "ticket.merged", {"protocol": "2026-000001", "into": "2026-000003"}),
    ],
)
def test_no_other_does(one: Standing, two: Standing, code: str, data: dict[str, str]) -> None:
    with pytest.raises(DomainError) as refused:
        check_merge(one, two)
    assert (refused.value.code, refused.value.rule, refused.value.data) == (code, "S2", data)


def test_only_a_merged_ticket_is_closed_to_decisions() -> None:
    check_unmerged("2026-000001", None)
    with pytest.raises(DomainError):
        check_unmerged("2026-000001", "2026-000002")
