"""The documents that go in and out, as JSON Schemas: bodies are checked against them, answers are tested against them,
and the API's description shows them."""

from __future__ import annotations

from typing import Any, Final

from atendimento.actions.messages import MAX_TEXT
from atendimento.actions.proposals import MAX_CHANGES
from atendimento.api.bodies import Shape
from atendimento.models import ErasureStatus, RunStatus, TicketStatus
from memoria.patch import Json
from memoria.proposals import Status, Verdict
from memoria.runs import Problem
from memoria.sources import Kind
from memoria.state import SlotStatus

Schema = dict[str, Any]

ANY: Final[Schema] = {"description": "Any JSON value, as the field's own schema in the ticket type has it."}
TEXT: Final[Schema] = {"type": "string"}
FLAG: Final[Schema] = {"type": "boolean"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
WHOLE: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 2_147_483_647}
MESSAGE_ID: Final[Schema] = {"type": "string", "description": "A message of the ticket: m-1, m-2, …"}
POINTER: Final[Schema] = {"type": "string", "maxLength": 1000, "description": "A JSON Pointer into the ticket's values."}


def text(most: int, least: int = 0) -> Schema:
    return {"type": "string", "maxLength": most} | ({"minLength": least} if least else {})


def or_null(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def one_of(values: Any) -> Schema:
    return {"type": "string", "enum": [str(getattr(value, "value", value)) for value in values]}


def listed(schema: Schema, most: int | None = None) -> Schema:
    return {"type": "array", "items": schema} | ({} if most is None else {"maxItems": most})


def mapped(schema: Schema) -> Schema:
    return {"type": "object", "additionalProperties": schema}


def document(required: Schema, optional: Schema | None = None) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


# --- in -----------------------------------------------------------------------------------------------------------

CITATION_IN: Final = document(
    {"message": text(200), "quote": text(MAX_TEXT)},
    {"start": {**or_null(WHOLE), "description": "Code points into the original text."}},
)
EVIDENCE_IN: Final = listed(CITATION_IN, 50)
CHANGE_IN: Final = document(
    {"op": text(200), "path": POINTER},
    {"value": ANY, "evidence": EVIDENCE_IN, "inference": FLAG, "reason": or_null(text(2000))},
)
REPORTED: Final = or_null(one_of([Kind.CUSTOMER, Kind.THIRD_PARTY, Kind.REGISTRY]))
REPORTED["enum"] = [*REPORTED["enum"], None]
REASON: Final = text(2000)

TICKET_IN: Final = Shape(
    document(
        {
            "ticket_type": text(100, 1),
            "subject": text(300),
            "customer": document(
                {"external_id": text(200, 1)},
                {"name": or_null(text(200)), "phone": or_null(text(50)), "email": or_null(text(254))},
            ),
        },
        {"external_id": or_null(text(200, 1)), "channel": or_null(text(50))},
    )
)
TICKET_CHANGE_IN: Final = Shape(
    document(
        {},
        {
            "status": one_of(TicketStatus.values),
            "snoozed_until": or_null(TIME),
            "assignee": {**or_null(text(254)), "description": "A member's id or e-mail address, `me`, or null."},
            "team": {**text(100), "description": "A team's name or slug, or empty for none."},
            "subject": text(300),
            "merged_into": {
                **text(50, 1),
                "description": "With status `merged`, and with nothing else: the id or protocol of the ticket to merge into.",
            },
        },
    )
)
MESSAGE_IN: Final = Shape(
    document(
        {
            "author": document({"kind": one_of(Kind)}, {"name": or_null(text(200)), "external_id": or_null(text(200))}),
            "text": {"type": "string", "maxLength": MAX_TEXT, "x-code": "message.too_long"},
        },
        {
            "external_id": or_null(text(200, 1)),
            "sent_at": or_null(TIME),
            "attachments": listed({"type": "object"}, 50),
            "internal": FLAG,
        },
    )
)
PROPOSAL_IN: Final = Shape(
    document(
        {
            "base_version": WHOLE,
            "producer": text(100, 1),
            "changes": {**listed(CHANGE_IN, MAX_CHANGES), "x-code": "proposal.too_many_changes"},
        },
        {"through_message": or_null(text(30)), "key": or_null(text(200, 1))},
    )
)
ACCEPT_IN: Final = Shape(
    document(
        {"expected_version": WHOLE},
        {"override": document({"reason": text(2000, 1)}), "evidence": EVIDENCE_IN},
    )
)
EDIT_IN: Final = Shape(
    document({"expected_version": WHOLE, "value": ANY}, {"evidence": EVIDENCE_IN, "reason": or_null(REASON)})
)
REJECT_IN: Final = Shape(document({}, {"reason": or_null(REASON)}))
DECISION_IN: Final = Shape(
    document({"expected_version": WHOLE}, {"accept": listed(text(50), 1000), "reject": listed(text(50), 1000)})
)
CONFIRM_IN: Final = Shape(
    document({"path": POINTER, "expected_version": WHOLE}, {"evidence": EVIDENCE_IN, "reported": REPORTED})
)
RESOLVE_IN: Final = Shape(
    document(
        {
            "path": POINTER,
            "expected_version": WHOLE,
            "choice": one_of(["current", "challenger", "open"]),
            "reason": text(2000, 1),
        },
        {"challenger": or_null(WHOLE)},
    )
)
SET_IN: Final = Shape(
    document(
        {"path": POINTER, "expected_version": WHOLE},
        {"value": ANY, "evidence": EVIDENCE_IN, "reported": REPORTED, "reason": or_null(REASON)},
    )
)
UNDO_IN: Final = Shape(document({"version": WHOLE, "expected_version": WHOLE, "reason": text(2000, 1)}))
NOTHING_IN: Final = Shape(document({}))
ERASE_IN: Final = Shape(document({}, {"reason": or_null(text(300))}))
SIMULATE_IN: Final = Shape(
    document(
        {},
        {
            "definition": {"type": "object", "description": "A ticket type file; left out: the type's draft."},
            "last": {"type": "integer", "minimum": 1, "maximum": 2000, "description": "So many decisions; 500."},
            "from": {"type": "string", "format": "date", "description": "Instead of `last`: a period's first day."},
            "to": {"type": "string", "format": "date", "description": "A period's last day."},
        },
    )
)
TICKET_TYPE_IN: Final = Shape(
    {
        "type": "object",
        "description": "A ticket type file: slug, name, description, fields, collections, reading, and groups: {items: {…}}.",
        "properties": {"slug": TEXT, "name": TEXT, **{key: {"type": "object"} for key in ("fields", "collections", "groups")}},
    }
)

# --- out ----------------------------------------------------------------------------------------------------------

AUTHOR: Final = document({"kind": one_of(Kind), "external_id": or_null(TEXT), "name": TEXT})
CUSTOMER: Final = document({"id": TEXT, "external_id": TEXT, "name": TEXT, "phone": TEXT, "email": TEXT})
TICKET: Final = document(
    {
        "id": TEXT,
        "protocol": {"type": "string", "pattern": "^[0-9][0-9./ -]*$"},
        "external_id": or_null(TEXT),
        "ticket_type": TEXT,
        "subject": TEXT,
        "channel": TEXT,
        "customer": CUSTOMER,
        "status": one_of(TicketStatus.values),
        "snoozed_until": or_null(TIME),
        "merged_into": {**or_null(TEXT), "description": "The id of the ticket in which a merged one goes on."},
        "split_from": {**or_null(TEXT), "description": "The id of the ticket that this one was split from."},
        "assignee": or_null(TEXT),
        "assignee_name": or_null(TEXT),
        "team": TEXT,
        "state_version": WHOLE,
        "last_message": or_null(MESSAGE_ID),
        "through_message": or_null(MESSAGE_ID),
        "attention": document(
            {
                "proposals": WHOLE,
                "conflict": WHOLE,
                "needs_confirmation": WHOLE,
                "parked": WHOLE,
                "next_due": or_null(TIME),
                "overdue": FLAG,
            }
        ),
        "created_at": TIME,
        "updated_at": TIME,
    }
)
MESSAGE: Final = document(
    {
        "id": MESSAGE_ID,
        "ticket": {**TEXT, "description": "Where it is: for a merged ticket, the one that it goes on in."},
        "copied_from": {**or_null(MESSAGE_ID), "description": "Its id in the ticket that this one was split from."},
        "external_id": or_null(TEXT),
        "author": AUTHOR,
        "text": TEXT,
        "sent_at": or_null(TIME),
        "received_at": TIME,
        "said_at": TIME,
        "internal": FLAG,
        "automatic": FLAG,
        "attachments": listed({"type": "object"}),
        "notes": listed(TEXT),
        "edited_at": or_null(TIME),
        "deleted_at": or_null(TIME),
    }
)
EVIDENCE: Final = document(
    {"message": MESSAGE_ID, "quote": TEXT, "start": WHOLE, "end": WHOLE},
    {"ambiguous": FLAG, "caution": TEXT, "cautions": listed(TEXT), "gone": FLAG},
)
CHALLENGER: Final = document(
    {"source": TEXT, "author": AUTHOR, "evidence": listed(EVIDENCE), "age": {"type": "array"}},
    {"value": ANY, "edited_by": AUTHOR},
)
SLOT: Final = document(
    {
        "status": one_of(SlotStatus),
        "source": TEXT,
        "author": AUTHOR,
        "as_of": TIME,
        "evidence": listed(EVIDENCE),
        "since_version": WHOLE,
        "replaces": or_null(document({"version": WHOLE, "evidence": listed(EVIDENCE)}, {"value": ANY})),
        "challengers": listed(CHALLENGER),
        "stale_because": {
            "type": ["string", "object", "null"],
            "description": "A word (evidence_changed, …), {pointer, version}, or {cause: expired, since}.",
        },
        "label": TEXT,
    },
    {
        "edited_by": AUTHOR,
        "carried_from": document({"ticket": TEXT, "protocol": TEXT, "pointer": POINTER, "version": WHOLE}),
        "confirmed": document({"by": AUTHOR, "at": TIME, "ground": one_of(["evidence", "reported", "statement"])}),
    },
)
STATE: Final = document(
    {"version": WHOLE, "through_message": or_null(MESSAGE_ID), "values": {"type": "object"}, "slots": mapped(SLOT)},
    {"narrative": TEXT},
)
STORED_SLOT: Final[Schema] = {
    "type": ["object", "null"],
    "description": "A slot as an event keeps it; null where there is none.",
}
OPERATION: Final = document({"op": TEXT, "path": TEXT}, {"value": ANY})
DIFF: Final = document(
    {
        "from": WHOLE,
        "to": WHOLE,
        "patch": listed(OPERATION),
        "slots": {**mapped({"type": "array", "items": STORED_SLOT}), "description": "Per pointer: the slot before and after."},
    }
)
MEMBER: Final = document({"member": or_null(TEXT), "name": TEXT})
CHANGE: Final = document(
    {
        "id": TEXT,
        "ticket": TEXT,
        "proposal": TEXT,
        "op": TEXT,
        "path": TEXT,
        "evidence": listed({**EVIDENCE, "required": ["message", "quote"]}),
        "inference": FLAG,
        "verdict": one_of(Verdict),
        "reasons": listed(document({"code": TEXT, "rule": TEXT, "detail": TEXT})),
        "current_value": ANY,
        "cascade": listed(POINTER),
        "same_as": or_null(TEXT),
        "source": or_null(TEXT),
        "cautions": listed(document({"kind": TEXT}, {"evidence": WHOLE, "members": listed(TEXT), "words": TEXT})),
        "status": one_of(Status),
        "decided_by": {**MEMBER, "type": ["object", "null"]},
        "decided_at": or_null(TIME),
        "version": or_null(WHOLE),
    },
    {"value": ANY, "reason": TEXT},
)
PROPOSAL: Final = document(
    {
        "id": TEXT,
        "ticket": TEXT,
        "origin": TEXT,
        "producer": TEXT,
        "key": or_null(TEXT),
        "status": one_of(RunStatus.values),
        "base_version": WHOLE,
        "through_message": or_null(MESSAGE_ID),
        "created_at": TIME,
        "finished_at": or_null(TIME),
        "attempts": WHOLE,
        "model": or_null(TEXT),
        "prompt_version": or_null(TEXT),
        "context_report": {"type": ["object", "null"]},
        "usage": {"type": ["object", "null"]},
        "changes": listed(CHANGE),
    },
    {"problem": document({"code": one_of(Problem), "detail": TEXT})},
)
WRITTEN: Final = document(
    {"version": WHOLE, "change": {**CHANGE, "type": ["object", "null"]}, "state": STATE}, {"changes": listed(CHANGE)}
)
EVENT: Final = document(
    {
        "ticket": TEXT,
        "protocol": TEXT,
        "version": WHOLE,
        "kind": TEXT,
        "actor": MEMBER,
        "at": TIME,
        "ticket_type_version": WHOLE,
        "patch": {"type": ["array", "null"], "items": OPERATION, "description": "null: erased."},
        "inverse": {"type": ["array", "null"], "items": OPERATION},
        "slots": {"type": ["object", "null"]},
        "pointers": listed(POINTER),
        "cause": {"type": ["object", "null"]},
        "hash": TEXT,
        "previous_hash": TEXT,
    }
)
TICKET_TYPE: Final = document(
    {"slug": TEXT, "name": TEXT, "version": WHOLE, "published_at": TIME, "definition": {"type": "object"}},
    {
        "misfits": {
            **WHOLE,
            "description": "When publishing: values that this version would not take, in the 2,000 tickets that changed last.",
        }
    },
)
_OUTCOME: Final = document(
    {
        "verdict": one_of(Verdict),
        "reasons": listed(document({"code": TEXT, "rule": TEXT, "detail": TEXT})),
        "cascade": listed(POINTER),
        "source": or_null(TEXT),
    }
)
SIMULATION: Final = document(
    {
        "decisions": {**WHOLE, "description": "How many were taken again."},
        "different": {**WHOLE, "description": "How many of them would be decided otherwise."},
        "incomparable": {**WHOLE, "description": "How many cannot be taken again: their words or events are gone."},
        "differences": listed(
            document(
                {
                    "ticket": TEXT,
                    "protocol": TEXT,
                    "version": {**WHOLE, "description": "That the decision made."},
                    "ticket_type_version": WHOLE,
                    "at": TIME,
                    "actor": MEMBER,
                    "act": TEXT,
                    "path": POINTER,
                    "kind": {"type": "string", "description": "As allowed>conflict; cascade; source."},
                    "before": _OUTCOME,
                    "after": _OUTCOME,
                }
            )
        ),
    }
)
PROBLEM: Final[Json] = {
    "type": "object",
    "properties": {
        "type": TEXT,
        "title": TEXT,
        "status": WHOLE,
        "detail": TEXT,
        "code": TEXT,
        "rule": TEXT,
        "errors": listed(document({"pointer": TEXT, "code": TEXT, "detail": TEXT})),
    },
    "required": ["type", "title", "status", "detail", "code"],
}


ERASURE: Final = document(
    {
        "id": TEXT,
        "customer": TEXT,
        "status": one_of(ErasureStatus),
        "requested_by": MEMBER,
        "requested_at": TIME,
        "decided_by": or_null(MEMBER),
        "decided_at": or_null(TIME),
        "refusal": {"type": "string", "description": "Why it was refused."},
        "tickets": {"type": "object", "properties": {"done": WHOLE, "total": WHOLE}, "required": ["done", "total"]},
        "report": {**mapped(WHOLE), "description": "Rows that held something, by place."},
        "finished_at": or_null(TIME),
    }
)
CUSTOMER_EXPORT: Final = document(
    {
        "format": TEXT,
        "organization": TEXT,
        "made_at": TIME,
        "customer": document(
            {
                "id": TEXT,
                "external_id": TEXT,
                "name": TEXT,
                "phone": TEXT,
                "email": TEXT,
                "since": TIME,
                "erased_at": or_null(TIME),
            }
        ),
        "tickets": listed({"type": "object", "description": "Messages, state, history, proposals, which model was asked."}),
        "imports": listed(document({"file": TEXT, "format": TEXT, "at": TIME})),
    }
)


def page_of(schema: Schema) -> Schema:
    """A page of a list."""
    return document({"results": listed(schema), "next": or_null({"type": "string", "format": "uri"})})
