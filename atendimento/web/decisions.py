"""What can be done to a ticket's memory. Each view reads a form, calls one action, and shows the pane again.

Without JavaScript the answer is a redirect to the ticket, or the ticket's page with the problem beside its card;
to a script it is the memory pane alone.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from atendimento.actions import answers, decisions, quoted, regrouping, runs, slots, undo
from atendimento.actions.desk import Written
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import forms as drawn
from atendimento.selectors import memory as panes
from atendimento.selectors import problems
from atendimento.selectors import ticket as tickets
from atendimento.selectors.cards import Failure, slot_key
from atendimento.selectors.decided import decided
from atendimento.selectors.memory import PANES, Asked
from atendimento.selectors.parts import Problem
from atendimento.web import forms
from atendimento.web.doors import MemberRequest, is_fragment, kept_by, member_view, number, seen_by, show
from atendimento.web.places import place_of, ticket_at
from memoria import review
from memoria.errors import Code, DomainError
from memoria.patch import MISSING
from memoria.proposals import Citation

MAX_REASON = 500


def _pane(request: MemberRequest) -> str:
    pane = request.POST.get("pane", "")
    return pane if pane in PANES else "decide"


def _text(request: MemberRequest, name: str) -> str | None:
    return request.POST.get(name, "").replace("\0", "").strip()[:MAX_REASON] or None


def _cited(request: MemberRequest, ticket_id: uuid.UUID) -> tuple[Citation, ...]:
    """The messages that a form names as evidence beside what it has; without words, the whole message is meant."""
    named = forms.citations(request.POST)
    return tuple(tickets.whole_message(request.member, ticket_id, item) for item in named)


def _expected(request: MemberRequest) -> int:
    version = number(request.POST.get("expected_version"))
    if version is None:
        raise forms.Unreadable(_("The form is not complete. Reload the page."))
    return version


def _act(
    request: MemberRequest,
    ticket_id: uuid.UUID,
    run: Callable[[], Written | None],
    *,
    key: str = "",
    form: str = "",
    undone: str | None = None,
    whole: bool = False,
) -> HttpResponse:
    """Run an action; show the pane as it is then, or the refusal beside the card `key` with its form `form` open.

    `undone`: the pane to show where the action wrote nothing. `whole`: it may have made cards that no part names.
    """
    try:
        written = run()
    except DomainError as error:
        if error.code is Code.PERMISSION_DENIED:
            raise
        found = problems.problem(request.member, ticket_id, error.reason)
        return _answer(request, ticket_id, failure=Failure(key, found, form, forms.typed(request.POST)), status=409)
    except forms.Unreadable as error:
        found = Problem(str(error.args[0]))
        return _answer(request, ticket_id, failure=Failure(key, found, form, forms.typed(request.POST)), status=400)
    except InvalidInput:
        found = Problem(_("The form is not complete. Reload the page."))
        return _answer(request, ticket_id, failure=Failure(key, found, form, forms.typed(request.POST)), status=400)
    if written is None:
        return _answer(request, ticket_id, pane=undone, gone=key)
    return (None if whole else _patched(request, written)) or _answer(request, ticket_id, done=written.version, gone=key)


def _patched(request: MemberRequest, written: Written) -> HttpResponse | None:
    """Only what the decision changed, for a script whose page shows the version before; None where that does not do."""
    left = written.aftermath
    if left is None or not is_fragment(request) or _pane(request) != "decide":
        return None
    if number(request.POST.get("expected_version")) != left.before.version:
        return None  # the page has not seen what others did in between
    if any(key.startswith("sl-") for key in kept_by(request)):
        return None  # a value's card in which something is typed may be one that stays
    found = decided(request.member, left)
    return None if found is None else show(request, "parts/decided.html", memory=found)


def _answer(
    request: MemberRequest,
    ticket_id: uuid.UUID,
    *,
    done: int | None = None,
    failure: Failure | None = None,
    status: int = 200,
    pane: str | None = None,
    gone: str = "",
) -> HttpResponse:
    """The pane as it is now. `gone`: the card whose text has done its work, and need not stay."""
    asked = Asked(
        pane or _pane(request),
        done=done,
        failure=failure,
        place=place_of(request),
        seen=seen_by(request),
        keep=tuple(key for key in kept_by(request) if key.partition(":")[0] != gone),
    )
    if is_fragment(request):
        return show(request, "parts/memory_answer.html", status, memory=panes.read(request.member, ticket_id, asked))
    if failure is None:
        pane = "" if asked.pane == "decide" else asked.pane
        return redirect(ticket_at(request, ticket_id, pane=pane, done="" if done is None else str(done)))
    page = tickets.ticket_page(request.member, ticket_id, asked, asked.place)
    return show(request, "ticket.html", status, page=page, seen_url=reverse("web:seen", args=[ticket_id]))


# --- proposed changes ---------------------------------------------------------------------------------------------


@require_POST
@member_view
def accept(request: MemberRequest, ticket_id: uuid.UUID, change_id: uuid.UUID) -> HttpResponse:
    override = _text(request, "override")
    keep = request.POST.getlist("keep")[:100]
    starts = forms.starts(request.POST)
    pointed = drawn.pointed(request.member, ticket_id, change_id, starts) if starts else None

    def run() -> Written:
        version = _expected(request)
        if keep:  # offered where nothing is in conflict, so there is nothing to override
            drawn.belongs(request.member, ticket_id, change_id)
            return quoted.accept_and_keep(
                member=request.member, change_id=change_id, expected_version=version, keep=keep, evidence=pointed
            )
        return decisions.accept_change(
            member=request.member,
            change_id=change_id,
            expected_version=version,
            override=override,
            evidence=pointed,
            ticket_id=ticket_id,
        )

    return _act(request, ticket_id, run, key=f"ch-{change_id}", form="override" if "override" in request.POST else "")


@require_POST
@member_view
def answer(request: MemberRequest, ticket_id: uuid.UUID, change_id: uuid.UUID) -> HttpResponse:
    """Confirm a value on the customer's yes to our question."""
    drawn.belongs(request.member, ticket_id, change_id)

    def run() -> Written:
        return answers.confirm_answered(member=request.member, change_id=change_id, expected_version=_expected(request))

    return _act(request, ticket_id, run, key=f"ch-{change_id}")


@require_POST
@member_view
def edit(request: MemberRequest, ticket_id: uuid.UUID, change_id: uuid.UUID) -> HttpResponse:
    form = drawn.of_change(request.member, ticket_id, change_id)

    def run() -> Written:
        cited = _cited(request, ticket_id)
        kept: tuple[Citation, ...] = () if request.POST.get("own") else form.evidence
        value = forms.read_value(form.controls, forms.typed(request.POST), form.base)
        evidence = (*kept, *cited) if cited or request.POST.get("own") else None
        if moves:
            edit = review.Edit(value, evidence, _text(request, "reason"))
            return _move(request, ticket_id, [str(change_id)], group, {change_id: edit})
        return decisions.edit_change(
            member=request.member,
            change_id=change_id,
            expected_version=_expected(request),
            value=value,
            evidence=evidence,
            reason=_text(request, "reason"),
            ticket_id=ticket_id,
        )

    group = request.POST.get("group", "")
    moves = bool(form.group) and group not in ("", form.group)
    return _act(request, ticket_id, run, key=f"ch-{change_id}", form="edit", whole=moves)


@require_POST
@member_view
def regroup(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    """Take what was proposed of a new group for one that is there already, all of it at once."""
    ids = request.POST.getlist("change")[:100]

    def run() -> Written:
        return _move(request, ticket_id, ids, request.POST.get("group", ""), {})

    return _act(request, ticket_id, run, whole=True)


def _move(
    request: MemberRequest, ticket_id: uuid.UUID, ids: Sequence[str], group: str, edits: Mapping[uuid.UUID, review.Edit]
) -> Written:
    return regrouping.move_changes(
        member=request.member,
        ticket_id=ticket_id,
        change_ids=ids,
        group=group,
        expected_version=_expected(request),
        reason=_text(request, "reason") or drawn.moved_to(request.member, ticket_id, group),
        edits=edits,
    )


@require_POST
@member_view
def reject(request: MemberRequest, ticket_id: uuid.UUID, change_id: uuid.UUID) -> HttpResponse:
    def run() -> Written:
        return decisions.reject_change(
            member=request.member, change_id=change_id, reason=_text(request, "reason"), ticket_id=ticket_id
        )

    return _act(request, ticket_id, run, key=f"ch-{change_id}", form="reject")


@require_POST
@member_view
def decide_all(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    ids = request.POST.getlist("accept")[:100]

    def run() -> Written:
        return decisions.decide_changes(
            member=request.member, ticket_id=ticket_id, expected_version=_expected(request), accept=ids
        )

    return _act(request, ticket_id, run)


# --- slots --------------------------------------------------------------------------------------------------------


@require_POST
@member_view
def confirm(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    path, ground = request.POST.get("path", ""), request.POST.get("ground", "")

    def run() -> Written:
        evidence: tuple[Citation, ...] = ()
        if ground == "message":
            cited = forms.citation(request.POST.get("message", ""), request.POST.get("quote", ""))
            evidence = (tickets.whole_message(request.member, ticket_id, cited),)
        return slots.confirm_slot(
            member=request.member,
            ticket_id=ticket_id,
            path=path,
            expected_version=_expected(request),
            evidence=evidence,
            reported=forms.reported(ground),
        )

    return _act(request, ticket_id, run, key=slot_key(path), form="confirm")


@require_POST
@member_view
def set_value(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    path = request.POST.get("path", "")
    form = drawn.of_place(request.member, ticket_id, path)
    settled = _settled(request, ticket_id)

    def run() -> Written | None:
        cited = _cited(request, ticket_id)
        if settled is not None and request.POST.get("same"):
            cited = (*settled[1], *cited)
        withdraws = bool(request.POST.get("withdraw"))
        value = MISSING if withdraws else forms.read_value(form.controls, forms.typed(request.POST), form.base)
        if cited:
            return quoted.record_quoted(
                member=request.member,
                ticket_id=ticket_id,
                path=path,
                value=value,
                expected_version=_expected(request),
                evidence=cited,
                reason=_text(request, "reason"),
            )
        return slots.set_slot(
            member=request.member,
            ticket_id=ticket_id,
            path=path,
            value=value,
            expected_version=_expected(request),
            reported=forms.reported(request.POST.get("reported", "")),
            reason=_text(request, "reason"),
        )

    # What the quotes do not settle by themselves waits as a card.
    if settled is not None:
        return _act(request, ticket_id, run, key=settled[0], form="edit", undone="decide")
    return _act(request, ticket_id, run, key=slot_key(path.removesuffix("/status")), form="set", undone="decide")


def _settled(request: MemberRequest, ticket_id: uuid.UUID) -> tuple[str, tuple[Citation, ...]] | None:
    """The card on which a value is recorded, where a colleague decided it meanwhile, and what it quotes."""
    try:
        change = uuid.UUID(request.POST.get("change", ""))
    except ValueError:
        return None
    return f"ch-{change}", drawn.of_change(request.member, ticket_id, change).evidence


@require_POST
@member_view
def resolve(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    path = request.POST.get("path", "")
    choice, _colon, index = request.POST.get("choice", "").partition(":")

    def run() -> Written:
        reason = _text(request, "reason")
        if choice not in ("current", "challenger", "open") or reason is None:
            raise forms.Unreadable(_("Choose which value holds, and say why."))
        return slots.resolve_slot(
            member=request.member,
            ticket_id=ticket_id,
            path=path,
            expected_version=_expected(request),
            choice=choice,
            reason=reason,
            challenger=number(index) if choice == "challenger" else None,
        )

    return _act(request, ticket_id, run, key=slot_key(path), form="resolve")


# --- versions and readings ----------------------------------------------------------------------------------------


@require_POST
@member_view
def undo_version(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    def run() -> Written:
        version = number(request.POST.get("version"))
        if version is None:
            raise forms.Unreadable(_("The form is not complete. Reload the page."))
        return undo.undo_version(
            member=request.member,
            ticket_id=ticket_id,
            version=version,
            expected_version=_expected(request),
            reason=_text(request, "reason") or _("Taken back right after deciding"),
        )

    return _act(request, ticket_id, run, key=f"v-{number(request.POST.get('version'))}", form="undo")


@require_POST
@member_view
def propose(request: MemberRequest, ticket_id: uuid.UUID) -> HttpResponse:
    def run() -> None:
        runs.request_proposal(member=request.member, ticket_id=ticket_id)

    return _act(request, ticket_id, run)
