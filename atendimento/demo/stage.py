"""The stage of the demonstration: a ticket in the database, reached through the product's own actions alone.

The model's part is scripted. Its answer is laid down where a worker that died after asking would have left it, and the run
is then taken up as it would be after such a death: every check and every row is what a real answer brings, but nobody
is asked. A conversation is one transaction, so no worker sees its runs before they are done.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from atendimento import access, actions, ledger
from atendimento.access import Caller
from atendimento.actions.console import note_visit
from atendimento.actions.propose import propose_changes
from atendimento.actions.question import Held, Question, count_tokens, question
from atendimento.demo.play import Judged
from atendimento.demo.script import Conversation, Person
from atendimento.models import Membership, Message, Organization, Proposal, ProposedChange, RunStatus, Ticket
from memoria.extraction import Usage
from memoria.patch import MISSING, Json, Missing
from memoria.proposals import Change, Citation
from memoria.runs import Mode, Problem, Repair, Run
from memoria.sources import Author, Kind

SOURCE: Final = "ingest:demonstracao"
MODEL: Final = "roteiro-da-demonstracao"
CUT_OFF: Final = '{"changes":[{"op":"add","path":"/facts/observacoes","value":"sem cebola na portugue'


def integration(organization: Organization) -> Caller:
    """Whoever delivers the channel's messages."""
    return Caller(organization, None, SOURCE)


@dataclass
class DatabaseStage:
    """One ticket that is played with these members, by their keys."""

    conversation: Conversation
    organization: Organization
    members: Mapping[str, Membership]
    ticket: Ticket
    _said: dict[str, Person] = field(default_factory=dict)

    # --- the channel --------------------------------------------------------------------------------------------------

    def say(self, by: str, text: str, sent_at: datetime, key: str, *, internal: bool) -> str:
        member = self.members.get(by)
        if member is not None:
            author = Author(Kind.AGENT, str(member.pk), member.name)
            return actions.receive_message(
                caller=access.caller_of(member),
                ticket_id=self.ticket.pk,
                author=author,
                text=text,
                sent_at=sent_at,
                internal=internal,
            ).message.ref
        person = self._said[key] = self.conversation.people[by]
        return self._deliver(person, text, key, sent_at).message.ref

    def rewrite(self, key: str, text: str) -> None:
        self._deliver(self._said[key], text, key, None)

    def erase(self, message: str) -> None:
        actions.delete_message(caller=integration(self.organization), ticket_id=self.ticket.pk, message=message)

    def _deliver(self, person: Person, text: str, key: str, sent_at: datetime | None) -> actions.Received:
        return actions.receive_message(
            caller=integration(self.organization),
            ticket_id=self.ticket.pk,
            author=Author(person.kind, f"{self.conversation.slug}:{person.key}", person.name),
            text=text,
            external_id=f"{self.conversation.slug}:{key}",
            sent_at=sent_at,
        )

    # --- the model ----------------------------------------------------------------------------------------------------

    def propose(self, changes: Sequence[Change]) -> Sequence[Judged]:
        row = self._run(changes)
        return [
            Judged(
                str(change.pk),
                change.verdict,
                change.reasons[0]["code"],
                tuple(caution["kind"] for caution in change.cautions),
            )
            for change in ProposedChange.objects.filter(proposal=row).order_by("position")
        ]

    def finish(self) -> None:
        """What becomes of the messages that no proposal has read."""
        match self.conversation.reading:
            case "waiting":
                return
            case "done":
                while self._unread().exists():
                    self._run(())
            case problem:
                with _quiet("atendimento.propose"):
                    self._answer(*self._asked(), _completion(CUT_OFF, "length"), Problem(problem))

    def _unread(self) -> QuerySet[Message]:
        return Message.objects.filter(ticket=self.ticket, awaits_reading=True, deleted_at=None)

    def _run(self, changes: Sequence[Change]) -> Proposal:
        """The run that reads all that is unread and answers with these changes, after those that it takes to get there."""
        while True:
            row, asked = self._asked()
            last = self._unread().order_by("-number").values_list("number", flat=True).first()
            reads_all = last is None or last in asked.numbers
            answer = json.dumps({"changes": [_wire(change) for change in (changes if reads_all else ())]}, ensure_ascii=False)
            self._answer(row, asked, _completion(answer, "stop"), None)
            if reads_all:
                return row

    def _asked(self) -> tuple[Proposal, Question]:
        """The next run, and what a worker would ask the model in it."""
        row = actions.request_proposal(member=self.members["agent"], ticket_id=self.ticket.pk)
        self.ticket.refresh_from_db(fields=["last_message_number"])
        row.through_message = row.through_message or self.ticket.last_message_number
        held = Held(self.ticket, ledger.current_state(self.ticket.pk), ledger.published_type(self.ticket.ticket_type_id))
        asked = question(row, self.organization, held)
        if asked is None:
            raise ValueError("there is nothing to read")
        return row, asked

    def _answer(self, row: Proposal, asked: Question, completion: Json, problem: Problem | None) -> None:
        request = asked.request
        body = json.dumps(completion, ensure_ascii=False)
        repair = None if problem is None else Repair(CUT_OFF, "it was cut off before its end; make it shorter")
        Proposal.objects.filter(pk=row.pk).update(
            request={"user": request.user, "schema": request.schema},
            context_report=request.report.to_json(),
            base_version=asked.base_version,
            raw_answer={
                "body": body,
                "through": request.through,
                "numbers": list(asked.numbers),
                "moment": asked.moment.isoformat(),
            },
            # No endpoint was tried, so nothing is to be remembered of one.
            run=Run(Mode.JSON_SCHEMA, mode_tested=True, repair=repair).to_json(),
            attempts=1 if problem is None else 2,
            usage={**Usage(request.report.total_tokens, count_tokens(body)).to_json(), "cost": None},
            model=MODEL,
        )
        propose_changes(organization_id=self.organization.pk, proposal_id=row.pk)
        row.refresh_from_db()
        wanted = (RunStatus.READY, "") if problem is None else (RunStatus.PARKED, problem.value)
        if (row.status, row.problem_code) != wanted:
            raise ValueError(f"the run is {row.status} {row.problem_code}")

    # --- staff --------------------------------------------------------------------------------------------------------

    @property
    def _version(self) -> int:
        return ledger.current_state(self.ticket.pk).version

    def decide(self, by: str, accept: Sequence[str], reject: Sequence[str], reason: str | None) -> int:
        return actions.decide_changes(
            member=self.members[by],
            ticket_id=self.ticket.pk,
            expected_version=self._version,
            accept=accept,
            reject=reject,
            reason=reason,
        ).version

    def edit(self, by: str, change: str, value: Json, reason: str | None) -> int:
        return actions.edit_change(
            member=self.members[by], change_id=change, expected_version=self._version, value=value, reason=reason
        ).version

    def override(self, by: str, change: str, reason: str) -> int:
        return actions.accept_change(
            member=self.members[by], change_id=change, expected_version=self._version, override=reason
        ).version

    def put(self, by: str, path: str, value: Json | Missing, reported: Kind | None, reason: str | None) -> int:
        return actions.set_slot(
            member=self.members[by],
            ticket_id=self.ticket.pk,
            path=path,
            value=value,
            expected_version=self._version,
            reported=reported,
            reason=reason,
        ).version

    def confirm(self, by: str, path: str, evidence: Sequence[Citation], reported: Kind | None) -> int:
        return actions.confirm_slot(
            member=self.members[by],
            ticket_id=self.ticket.pk,
            path=path,
            expected_version=self._version,
            evidence=evidence,
            reported=reported,
        ).version

    def resolve(self, by: str, path: str, choice: str, challenger: int | None, reason: str) -> int:
        return actions.resolve_slot(
            member=self.members[by],
            ticket_id=self.ticket.pk,
            path=path,
            expected_version=self._version,
            choice=choice,
            challenger=challenger,
            reason=reason,
        ).version

    def undo(self, by: str, version: int, reason: str) -> int:
        return actions.undo_version(
            member=self.members[by],
            ticket_id=self.ticket.pk,
            version=version,
            expected_version=self._version,
            reason=reason,
        ).version

    def visit(self, by: str) -> None:
        note_visit(member=self.members[by], ticket_id=self.ticket.pk)

    def shelve(self, by: str, status: str, until: datetime | None) -> None:
        self.finish()
        actions.update_ticket(
            member=self.members[by],
            ticket_id=self.ticket.pk,
            status=status,
            snoozed_until=MISSING if until is None else until,
        )


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Let a failure that is part of the script raise no alarm in the log."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _wire(change: Change) -> Json:
    """The change as a model answers it."""
    document: dict[str, Json] = {
        "op": change.op,
        "path": change.path,
        "evidence": [citation.to_json() for citation in change.evidence],
        "inference": change.inference,
        "reason": change.reason,
    }
    if not isinstance(change.value, Missing):
        document["value"] = change.value
    return document


def _completion(content: str, finish_reason: str) -> Json:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message}
    return {"object": "chat.completion", "model": MODEL, "choices": [choice]}
