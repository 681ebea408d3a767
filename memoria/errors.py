"""One family of reasons and refusals: a code, the rule that speaks, and data; words come last and elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Code(StrEnum):
    """Every code that the domain speaks. `area.what`, snake case, never translated."""

    # What speaks for a change (verdict allowed or no_change).
    FIRST_VALUE = "allowed.first_value"  # P2: nothing was held
    WAS_OPEN = "allowed.was_open"  # P2: the value had been withdrawn
    AWAITED_CONFIRMATION = "allowed.awaited_confirmation"  # P2
    STRONGER_SOURCE = "allowed.stronger_source"  # P4; data: source, against
    SAME_AUTHOR = "allowed.same_author"  # P5; data: replaced (message or null)
    LATEST_OF_EQUALS = "allowed.latest_of_equals"  # P5; data: source
    TRANSITION = "allowed.transition"  # P9, M: data: from, to
    NEW_MEMBER = "allowed.new_member"  # a collection takes a new member
    SAME_VALUE = "no_change.same_value"  # P3
    SAME_MEMBER = "no_change.same_member"  # M7; data: member (pointer)

    # What stands against it (verdict conflict).
    SOURCE_WEAKER = "source.weaker"  # P6; data: source, against
    SOURCE_TIE = "source.tie"  # P5; data: source

    # Refusals, in the order in which the checks run.
    OPERATION_NOT_ALLOWED = "schema.operation_not_allowed"
    UNKNOWN_PATH = "schema.unknown_path"
    TOO_MANY_GROUPS = "schema.too_many_groups"  # G2; data: most
    INVALID_VALUE = "schema.invalid_value"  # data: detail, where
    EVIDENCE_MISSING = "evidence.missing"  # E1
    UNKNOWN_MESSAGE = "evidence.unknown_message"  # E2; data: message
    QUOTE_TOO_SHORT = "evidence.quote_too_short"  # E4; data: message
    QUOTE_NOT_FOUND = "evidence.quote_not_found"  # E3; data: message
    QUOTE_CUTS_WORD = "evidence.quote_cuts_word"  # E8; data: message
    NOT_QUOTABLE = "evidence.not_quotable"  # quoted mail, automatic mail; data: message
    VALUE_NOT_IN_QUOTE = "evidence.value_not_in_quote"  # E10; data: text
    PREVIOUSLY_REJECTED = "change.previously_rejected"  # V7
    SOURCE_NOT_ALLOWED = "source.not_allowed"  # P1, A1; data: source
    INFERENCE_REFUSED = "source.inference_refused"  # P1, A1
    COMMITMENT_TRANSITION = "commitment.invalid_transition"  # M3, M9; data: from, to
    COMPLETION_NOT_EVIDENCED = "commitment.completion_not_evidenced"  # M1, M2; data: owner
    CANCEL_NOT_PERMITTED = "commitment.cancel_not_permitted"  # M4
    PENDING_TRANSITION = "pending.invalid_transition"  # M8
    ATTEMPT_TRANSITION = "attempt.invalid_transition"  # M8
    AUTHORIZATION_TRANSITION = "authorization.invalid_transition"  # M8
    OLDER_THAN_CURRENT = "evidence.older_than_current"  # P7, M7; data: than (message or null)

    # Refusals of a decision as a whole.
    DUPLICATE_POINTER = "decision.duplicate_pointer"  # V5; data: pointer
    VERSION_CONFLICT = "version.conflict"  # V2; data: current, since
    ALREADY_DECIDED = "change.already_decided"  # V4; data: change
    CHANGE_REFUSED = "change.refused"  # data: change
    CHANGE_SUPERSEDED = "change.superseded"  # V6; data: change
    WRONG_STATUS = "slot.wrong_status"  # K6, P8; data: pointer, status
    UNKNOWN_CHALLENGER = "slot.unknown_challenger"  # P8
    PERMISSION_DENIED = "permission.denied"
    UNDO_SUPERSEDED = "undo.superseded"  # H4
    UNDO_UNKNOWN_VERSION = "undo.unknown_version"  # H4
    UNDO_NOTHING = "undo.nothing"  # H4
    CARRY_NOT_POSSIBLE = "carry.not_possible"  # S1; data: pointer, why
    TICKET_MERGED = "ticket.merged"  # S2; data: protocol, into
    MERGE_REFUSED = "ticket.merge_refused"  # S2; data: why, protocol
    TICKET_ERASED = "ticket.erased"  # L2; data: protocol

    # Refusals of a ticket type.
    TYPE_INVALID = "ticket_type.invalid"  # data: detail
    TYPE_CYCLE = "ticket_type.cycle"  # K4; data: path (pointers)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is what it is: a code, the number of the rule that speaks, and what the sentence needs."""

    code: Code
    rule: str
    data: Mapping[str, Any] = field(default_factory=dict)


class DomainError(Exception):
    """The domain refuses; nothing has changed. `reason` says by which rule."""

    def __init__(self, code: Code, rule: str, **data: Any) -> None:
        self.reason = Reason(code, rule, data)
        super().__init__(f"{code.value} ({rule})")

    @classmethod
    def of(cls, reason: Reason) -> DomainError:
        return cls(reason.code, reason.rule, **dict(reason.data))

    @property
    def code(self) -> Code:
        return self.reason.code

    @property
    def rule(self) -> str:
        return self.reason.rule

    @property
    def data(self) -> Mapping[str, Any]:
        return self.reason.data
