"""Codes to sentences, in the reader's language. Codes are stored; words are made here, each time they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memoria import fields
from memoria.errors import Code, Reason
from memoria.patch import parse_pointer
from memoria.proposals import Status, Verdict
from memoria.rows import SEPARATOR, template_of
from memoria.state import SlotStatus

SOURCES: Final[Mapping[str, Promise]] = {
    "customer": _("the customer"),
    "third_party": _("a third party"),
    "agent": _("the staff"),
    "assistant": _("the assistant"),
    "tool": _("a tool"),
    "registry": _("the registry"),
    "system": _("the system"),
    "inference": _("an inference of the model"),
    "customer_reported": _("the customer, as the staff reports"),
    "third_party_reported": _("a third party, as the staff reports"),
    "registry_reported": _("the registry, as the staff reports"),
}

SLOT_STATUSES: Final[Mapping[str, Promise]] = {
    SlotStatus.CURRENT.value: _("current"),
    SlotStatus.NEEDS_CONFIRMATION.value: _("needs confirmation"),
    SlotStatus.CONFLICT.value: _("in conflict"),
    SlotStatus.OPEN.value: _("open, no value known"),
}

VERDICTS: Final[Mapping[str, Promise]] = {
    Verdict.ALLOWED.value: _("can be accepted"),
    Verdict.NO_CHANGE.value: _("changes nothing"),
    Verdict.CONFLICT.value: _("conflicts"),
    Verdict.REFUSED.value: _("refused by a rule"),
}

CHANGE_STATUSES: Final[Mapping[str, Promise]] = {
    Status.PENDING.value: _("waits for a decision"),
    Status.ACCEPTED.value: _("accepted"),
    Status.EDITED.value: _("accepted with an edit"),
    Status.REJECTED.value: _("rejected"),
    Status.REFUSED.value: _("refused"),
    Status.SUPERSEDED.value: _("superseded"),
}

MEMBER_STATUSES: Final[Mapping[str, Promise]] = {
    "requested": _("requested"),
    "in_progress": _("in progress"),
    "done": _("done"),
    "failed": _("failed"),
    "cancelled": _("cancelled"),
    "open": _("waiting for an answer"),
    "answered": _("answered"),
    "withdrawn": _("withdrawn"),
    "granted": _("granted"),
    "revoked": _("revoked"),
    "suggested": _("suggested"),
    "tried": _("tried"),
    "worked": _("worked"),
}

OWNERS: Final[Mapping[str, Promise]] = {
    "team": _("the team"),
    "customer": _("the customer"),
    "third_party": _("a third party"),
}

COLLECTIONS: Final[Mapping[str, Promise]] = {
    "commitments": _("Commitment"),
    "pending": _("Pending item"),
    "constraints": _("Constraint"),
    "decisions": _("Decision"),
    "authorizations": _("Authorisation"),
    "attempts": _("Attempt"),
}

KINDS: Final[Mapping[str, Promise]] = {
    "visit": pgettext_lazy("kind of commitment", "visit"),
    "return_call": pgettext_lazy("kind of commitment", "call back"),
    "schedule_query": pgettext_lazy("kind of commitment", "schedule query"),
    "parts": pgettext_lazy("kind of commitment", "parts"),
    "budget": pgettext_lazy("kind of commitment", "estimate"),
    "refund": pgettext_lazy("kind of commitment", "refund"),
    "delivery": pgettext_lazy("kind of commitment", "delivery"),
    "pickup": pgettext_lazy("kind of commitment", "pickup"),
    "cancellation": pgettext_lazy("kind of commitment", "cancellation"),
    "investigation": pgettext_lazy("kind of commitment", "investigation"),
    "line_test": pgettext_lazy("kind of commitment", "line test"),
    "credit": pgettext_lazy("kind of commitment", "credit"),
    "appointment": pgettext_lazy("kind of commitment", "appointment"),
    "result": pgettext_lazy("kind of commitment", "result"),
    "remake": pgettext_lazy("kind of commitment", "remake"),
    "fix": pgettext_lazy("kind of commitment", "fix"),
    "workaround": pgettext_lazy("kind of commitment", "workaround"),
    "answer": pgettext_lazy("kind of commitment", "answer"),
}
"""Kinds of commitment that ready ticket types have; a type's own are told by their code, without its underscores."""

CAUTIONS: Final[Mapping[str, Promise]] = {
    "ambiguous": _("These words occur more than once in the message."),
    "negation": _("The words around the quote negate it: “%(words)s”."),
    "question": _("The quote is part of a question."),
    "hedge": _("The words around the quote weaken it: “%(words)s”."),
    "possible_duplicate": _("Possibly a repetition of %(members)s."),
    "group_exists": _("There is one of this name already: %(members)s."),
    "group_unknown": _("It applies to something that this ticket does not have."),
    "constraint": _("A constraint or decision bears on this: %(members)s."),
}

SENTENCES: Final[Mapping[Code, Promise]] = {
    Code.FIRST_VALUE: _("There was no value yet."),
    Code.WAS_OPEN: _("The earlier value had been withdrawn."),
    Code.AWAITED_CONFIRMATION: _("The present value awaits confirmation."),
    Code.STRONGER_SOURCE: _("For this field %(source)s weighs more than %(against)s; it replaces what %(replaced)s says."),
    Code.SAME_AUTHOR: _("%(source)s may correct this field; it replaces what they said in %(replaced)s."),
    Code.LATEST_OF_EQUALS: _("Both sources weigh the same, and for this field the later one holds."),
    Code.TRANSITION: _("The status moves from “%(from)s” to “%(to)s”."),
    Code.NEW_MEMBER: _("A new entry."),
    Code.SAME_VALUE: _("The value is already this one; the quote is added to its evidence."),
    Code.SAME_MEMBER: _("The same words already made %(member)s; the quote is added to its evidence."),
    Code.SOURCE_WEAKER: _("For this field %(source)s weighs less than %(against)s: the value stays, the conflict is recorded."),
    Code.SOURCE_TIE: _("Both sources weigh the same in this field: a person settles it."),
    Code.OPERATION_NOT_ALLOWED: _("This operation is not possible here."),
    Code.UNKNOWN_PATH: _("This ticket type has no such field or entry."),
    Code.TOO_MANY_GROUPS: _("This ticket has %(most)s of these already, as many as its ticket type takes."),
    Code.INVALID_VALUE: _("The value does not fit the field: %(detail)s."),
    Code.EVIDENCE_MISSING: _("No message is cited."),
    Code.UNKNOWN_MESSAGE: _("This ticket has no message %(message)s."),
    Code.QUOTE_TOO_SHORT: _("The quote of %(message)s is too short."),
    Code.QUOTE_NOT_FOUND: _("The quote does not stand in %(message)s."),
    Code.QUOTE_CUTS_WORD: _("The quote begins or ends inside a word or number of %(message)s."),
    Code.NOT_QUOTABLE: _("What is quoted of %(message)s is no evidence: a quoted or automatic part."),
    Code.VALUE_NOT_IN_QUOTE: _("“%(text)s” must stand word for word in the quote."),
    Code.PREVIOUSLY_REJECTED: _("This was rejected before, on the same words."),
    Code.SOURCE_NOT_ALLOWED: _("This may not rest on the word of %(source)s."),
    Code.INFERENCE_REFUSED: _("An inference is not accepted here."),
    Code.COMMITMENT_TRANSITION: _("The commitment cannot move so from its present status."),
    Code.COMPLETION_NOT_EVIDENCED: _("A promise is not its execution: who performs it, a tool or the registry must say so."),
    Code.CANCEL_NOT_PERMITTED: _("Only the customer or the staff can cancel a commitment."),
    Code.PENDING_TRANSITION: _("The pending item cannot move so from its present status."),
    Code.ATTEMPT_TRANSITION: _("The attempt cannot move so from its present status."),
    Code.AUTHORIZATION_TRANSITION: _("The authorisation cannot move so from its present status; granting again is a new one."),
    Code.OLDER_THAN_CURRENT: _("The words are older than those of the present value."),
    Code.DUPLICATE_POINTER: _("Two of the accepted changes are about %(pointer)s."),
    Code.VERSION_CONFLICT: _("The ticket has changed meanwhile; it is at version %(current)s now."),
    Code.ALREADY_DECIDED: _("The change was already decided, in another way."),
    Code.CHANGE_REFUSED: _("The change was refused by a rule and cannot be decided."),
    Code.CHANGE_SUPERSEDED: _("The change was superseded and cannot be decided any more."),
    Code.WRONG_STATUS: _("%(pointer)s is not in the status that this needs."),
    Code.UNKNOWN_CHALLENGER: _("There is no such challenger."),
    Code.PERMISSION_DENIED: _("Your role does not permit this."),
    Code.UNDO_SUPERSEDED: _("A later version changed the same, so this one cannot be undone by itself."),
    Code.UNDO_UNKNOWN_VERSION: _("There is no such version."),
    Code.UNDO_NOTHING: _("This version changed nothing that could be undone."),
    Code.CARRY_NOT_POSSIBLE: _("What is to be carried has changed, or cannot be carried. Look at the list again."),
    Code.TICKET_MERGED: _("This ticket was merged into %(into)s: go on there."),
    Code.MERGE_REFUSED: _("The ticket %(protocol)s cannot take this one: choose another open ticket of the same customer."),
    Code.TICKET_ERASED: _("The ticket %(protocol)s was erased with its customer: nothing is written there any more."),
    Code.TYPE_INVALID: _("The ticket type is not valid: %(detail)s."),
    Code.TYPE_CYCLE: _("The fields invalidate each other in a circle."),
}

# Where the value that is replaced rests on no message.
WITHOUT_MESSAGE: Final[Mapping[Code, Promise]] = {
    Code.SAME_AUTHOR: _("%(source)s may correct this field; it replaces what they said before."),
    Code.STRONGER_SOURCE: _("For this field %(source)s weighs more than %(against)s."),
}

PROBLEMS: Final[Mapping[str, Promise]] = {
    "model.unavailable": _("The model could not be reached."),
    "model.refused": _("The model refused to answer."),
    "model.filtered": _("The answer was withheld by a content filter."),
    "model.empty": _("The model answered nothing."),
    "model.truncated": _("The answer was cut off before its end."),
    "model.invalid_answer": _("The answer could not be read."),
    "model.rejected_request": _("The model's server does not take the request."),
    "model.budget": _("The budget for the model is used up."),
}

_NAMED_BY_SOURCE: Final = frozenset({"source", "against"})
_NAMED_BY_STATUS: Final = frozenset({"from", "to", "status"})


class _Data(dict[str, str]):
    """What a sentence is filled with; a word that is missing leaves a gap, never an error."""

    def __missing__(self, key: str) -> str:
        return "…"


def _worded(key: str, value: Any) -> str:
    if value is None:
        return "…"
    if key in _NAMED_BY_SOURCE:
        return str(SOURCES.get(value, value))
    if key in _NAMED_BY_STATUS:
        return str(MEMBER_STATUSES.get(value, value) if isinstance(value, str) else value)
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def sentence(reason: Reason) -> str:
    """The reason as a sentence in the active language."""
    data = _Data({key: _worded(key, value) for key, value in reason.data.items()})
    bare = WITHOUT_MESSAGE.get(reason.code) if not reason.data.get("replaced") else None
    written = str(bare or SENTENCES[reason.code]) % data
    return written[:1].upper() + written[1:]


def stored_sentence(reason: Mapping[str, Any]) -> str:
    """The same for a reason as a proposed change stores it: {code, rule, data}."""
    return sentence(Reason(Code(reason["code"]), reason["rule"], reason.get("data", {})))


def caution(document: Mapping[str, Any]) -> str:
    """A caution of a change ({kind, evidence?, members?, words?}) as a sentence."""
    data = _Data({"members": ", ".join(document.get("members", ())), "words": document.get("words", "…")})
    return str(CAUTIONS[document["kind"]]) % data


def kind(code: str) -> str:
    """A kind of commitment as people call it."""
    return str(KINDS.get(code, code.replace("_", " ")))


def label(pointer: str, ticket_type: fields.TicketType, values: Mapping[str, Any]) -> str:
    """What a person calls the thing at `pointer`: the field's label, or the member's own words."""
    field = ticket_type.fields.get(pointer)
    if field is not None:
        return _in_group(field, ticket_type)
    parts = parse_pointer(pointer)
    if len(parts) < 2 or parts[0] not in COLLECTIONS:
        return pointer
    name = str(COLLECTIONS[parts[0]])
    member = values.get(parts[0], {}).get(parts[1])
    words = _member_words(parts[0], member) if isinstance(member, dict) else ""
    text = f"{name}: {words}" if words else name if parts[1] == "-" else f"{name} {parts[1]}"
    part = {"status": _("status"), "due": _("due")}.get(parts[2]) if len(parts) == 3 else None
    return f"{text} ({part})" if part is not None else text


def _in_group(field: fields.Field, ticket_type: fields.TicketType) -> str:
    """The field's label; one of a group that nobody has named begins with what such groups are called (G6)."""
    rule = ticket_type.groups
    if rule is None or field.group_label or not (field.group or field.repeats):
        return field.label
    own = (ticket_type.folded or ticket_type).fields[template_of(field.pointer)].label
    return f"{rule.plural if field.repeats else rule.label}{SEPARATOR}{own}"


def _member_words(collection: str, member: Mapping[str, Any]) -> str:
    keys = {"commitments": "task", "pending": "question", "authorizations": "scope", "attempts": "action"}
    return str(member.get(keys.get(collection, "text"), ""))
