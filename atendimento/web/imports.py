"""Bringing conversations in from files: drop one, check what was understood, say who is who, follow the writing, undo.

Every step works without JavaScript; a script only keeps the progress fresh.
"""

from __future__ import annotations

import uuid

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento.actions import import_undoing, imports
from atendimento.actions.faults import InvalidInput
from atendimento.actions.imports import How, Plan
from atendimento.ingest.neutral import MAX_FILE, Unreadable
from atendimento.selectors import import_words as words
from atendimento.selectors import imports as pages
from atendimento.selectors.imports import Typed
from atendimento.selectors.parts import Problem
from atendimento.web.doors import MemberRequest, is_fragment, member_view, show


@require_http_methods(["GET", "POST"])
@member_view
def index(request: MemberRequest) -> HttpResponse:
    if request.method == "GET":
        return show(request, "imports/list.html", page=pages.list_page(request.member))
    pages.list_page(request.member)  # who may not, is told so before the file is looked at
    file = request.FILES.get("file")
    try:
        if file is None or not file.name:
            raise Unreadable("file_missing")
        if file.size is None or file.size > MAX_FILE:
            raise Unreadable("file_too_large", most=MAX_FILE)
        batch = imports.preview_import(
            organization=request.member.organization, member=request.member, file_name=file.name, content=file.read()
        )
    except Unreadable as error:
        problem = Problem(_("The file was not taken."), words.file_problem(error.code, error.data))
        return show(request, "imports/list.html", 400, page=pages.list_page(request.member, problem))
    return redirect(reverse("web:import", args=[batch.pk]))


@require_GET
@member_view
def detail(request: MemberRequest, import_id: uuid.UUID) -> HttpResponse:
    page = pages.import_page(request.member, import_id)
    return show(request, "imports/outcome.html" if is_fragment(request) else "imports/page.html", page=page)


@require_POST
@member_view
def reread(request: MemberRequest, import_id: uuid.UUID) -> HttpResponse:
    how = How.of(request.POST.get("order", ""), request.POST.get("names", "").splitlines())
    try:
        imports.read_again(member=request.member, import_id=import_id, how=how)
    except Unreadable as error:
        return _again(request, import_id, Problem(_("It cannot be read so."), words.file_problem(error.code, error.data)))
    except InvalidInput:
        pass  # begun meanwhile: the page shows how far it is
    return redirect(reverse("web:import", args=[import_id]))


@require_POST
@member_view
def start(request: MemberRequest, import_id: uuid.UUID) -> HttpResponse:
    keys = pages.people_keys(request.member, import_id)
    chosen = {index: request.POST.get(f"role-{index}", "") for index in range(len(keys))}
    typed = Typed(
        chosen,
        request.POST.get("type", ""),
        request.POST.get("where") == "existing",
        request.POST.get("ticket", "").strip()[:30],
        request.POST.get("subject", "").replace("\0", "").strip()[:300],
        request.POST.get("read") == "yes",
    )
    plan = Plan(
        typed.ticket_type,
        {keys[index]: role for index, role in chosen.items()},
        (typed.ticket or "?") if typed.existing else "",
        typed.subject,
        typed.read,
    )
    member = request.member
    try:
        batch = imports.begin_import(organization=member.organization, member=member, import_id=import_id, plan=plan)
    except InvalidInput as error:
        items = pages.fault_items(
            pages.people_names(member, import_id), [(fault.pointer, fault.code) for fault in error.faults]
        )
        return _again(request, import_id, Problem(_("Something is missing."), items=items), typed)
    return redirect(reverse("web:import", args=[batch.pk]))


@require_POST
@member_view
def discard(request: MemberRequest, import_id: uuid.UUID) -> HttpResponse:
    try:
        imports.discard_preview(member=request.member, import_id=import_id)
    except InvalidInput as error:
        return _again(request, import_id, Problem(words.fault(error.faults[0].code, "")))
    return redirect(reverse("web:imports"))


@require_POST
@member_view
def undo(request: MemberRequest, import_id: uuid.UUID) -> HttpResponse:
    try:
        import_undoing.undo_import(member=request.member, import_id=import_id)
    except import_undoing.CannotUndo as error:
        return _again(
            request, import_id, Problem(_("It was not undone."), words.undo_problem(error.code, error.data)), status=409
        )
    return redirect(reverse("web:import", args=[import_id]))


@require_GET
@member_view
def raw(request: MemberRequest, import_id: uuid.UUID) -> HttpResponse:
    """The file as it came, to be saved; a browser is never asked to show it."""
    name, content = pages.raw_file(request.member, import_id)
    response = HttpResponse(content, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return response


def _again(
    request: MemberRequest, import_id: uuid.UUID, problem: Problem, typed: Typed | None = None, status: int = 400
) -> HttpResponse:
    page = pages.import_page(request.member, import_id, problem, typed)
    return show(request, "imports/page.html", status, page=page)
