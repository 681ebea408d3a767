"""Editing a draft of a ticket type, field by field or as a whole, and publishing it. Every step is a plain form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from atendimento.actions import type_drafts as actions
from atendimento.actions.faults import InvalidInput
from atendimento.selectors import publishing
from atendimento.selectors import type_draft as pages
from atendimento.selectors.parts import Problem
from atendimento.selectors.try_out import Asked
from atendimento.selectors.type_draft import NewField, Typed
from atendimento.web.doors import MemberRequest, member_view, number, show, with_query
from memoria.fields import InvalidTicketType
from memoria.reading import When
from memoria.rows import TEMPLATE
from memoria.strict_json import NotStrictJson, loads

MAX_TEXT = 200_000
MAPS = ("/facts/", "/preferences/", "/identifiers/", TEMPLATE)


def _said(request: MemberRequest, name: str, most: int = 1000) -> str:
    return request.POST.get(name, "").replace("\0", "").strip()[:most]


def _address(slug: str, pointer: str = "", at: str = "", collection: str = "") -> str:
    address = with_query(reverse("web:admin-draft", args=[slug]), field=pointer or None, collection=collection or None)
    return f"{address}#{quote(at)}" if at else address


def _revision(request: MemberRequest) -> int:
    return number(request.POST.get("revision")) or 0


def _again(request: MemberRequest, slug: str, problem: Problem | None, status: int = 400, **more: Any) -> HttpResponse:
    page = pages.draft_page(request.member, slug, Asked(), problem=problem, **more)
    return show(request, "admin/draft.html", status, tab="types", page=page)


def _refused(request: MemberRequest, slug: str, error: InvalidInput, **more: Any) -> HttpResponse:
    code = error.faults[0].code
    status = 409 if code == "draft.overtaken" else 400
    return _again(request, slug, Problem(_("Nothing was changed."), pages.fault(code)), status, **more)


@require_GET
@member_view
def detail(request: MemberRequest, slug: str) -> HttpResponse:
    pointer, collection = request.GET.get("field", ""), request.GET.get("collection", "")
    page = pages.draft_page(request.member, slug, Asked.read(request.GET), pointer, collection="" if pointer else collection)
    saved = {message.extra_tags: message.message for message in messages.get_messages(request)}
    return show(request, "admin/draft.html", tab="types", page=page, saved=saved)


def _kept(request: MemberRequest, section: str, address: str, words: str = "") -> HttpResponse:
    """Back to the section's form, which says once that it is saved."""
    messages.info(request, words or _("Saved."), extra_tags=section)
    return redirect(address)


def _start(request: MemberRequest, slug: str, run: Callable[[], object]) -> HttpResponse:
    try:
        run()
    except InvalidInput as error:
        return _refused(request, slug, error)
    return redirect(_address(slug))


@require_POST
@member_view
def start(request: MemberRequest, slug: str) -> HttpResponse:
    """Begin from a published version; `replace` lets a draft go that is there."""
    version, replace = number(request.POST.get("version")), bool(request.POST.get("replace"))
    member = request.member
    return _start(request, slug, lambda: actions.start_draft(member=member, slug=slug, version=version, replace=replace))


@require_POST
@member_view
def start_from_gallery(request: MemberRequest) -> HttpResponse:
    slug = _said(request, "gallery")
    return _start(request, slug, lambda: actions.start_draft(member=request.member, slug=slug, ready=True))


@require_POST
@member_view
def field(request: MemberRequest, slug: str) -> HttpResponse:
    """Save a field's form; its button may also move, drop or take a source, or remove the field."""
    pointer = request.POST.get("pointer", "")
    act, _colon, source = request.POST.get("do", "save").partition(":")
    sources = moved([code[:50] for code in request.POST.getlist("source")[:50]], act, source)
    row: dict[str, Any] = {
        "label": _said(request, "label", 200),
        "description": _said(request, "description", 2000),
        "sources": sources,
        "tie": _said(request, "tie"),
        "inference": _said(request, "inference"),
        "invalidates": [name[:200] for name in request.POST.getlist("invalidates")[:500]],
        "literal": bool(request.POST.get("literal")),
        "sensitive": bool(request.POST.get("sensitive")),
        "valid_for": _said(request, "valid_for", 30).upper(),
    }
    text = request.POST.get("schema", "")[:MAX_TEXT]
    member, revision = request.member, _revision(request)
    try:
        if act == "remove":
            actions.remove_field(member=member, slug=slug, revision=revision, pointer=pointer)
            return redirect(_address(slug))
        settings = actions.FieldSettings(schema=loads(text), **row)
        actions.save_field(member=member, slug=slug, revision=revision, pointer=pointer, settings=settings)
    except NotStrictJson as error:
        typed = Typed(row, text, pages.fault("draft.no_json", detail=str(error)))
        return _again(request, slug, None, pointer=pointer, typed=typed)
    except InvalidInput as error:
        return _refused(request, slug, error, pointer=pointer, typed=Typed(row, text))
    address = _address(slug, pointer, _place(act, source, "form"))
    return redirect(address) if source else _kept(request, "field", address)


def _place(act: str, source: str, otherwise: str) -> str:
    """Where the page is to stand after a save: at the source that was moved, else at the form."""
    return f"source-{source}" if source and act != "drop" else otherwise


def moved(sources: list[str], act: str, source: str) -> list[str]:
    """The order of sources after a button was pressed."""
    if act == "take" and source not in sources:
        return [*sources, source]
    if source not in sources:
        return sources
    at = sources.index(source)
    rest = sources[:at] + sources[at + 1 :]
    match act:
        case "drop":
            return rest
        case "up":
            at = max(at - 1, 0)
        case "down":
            at = at + 1
        case _:
            return sources
    return [*rest[:at], source, *rest[at:]]


@require_POST
@member_view
def add(request: MemberRequest, slug: str) -> HttpResponse:
    """A new field; its form says under which pointer it came to stand."""
    chosen, name, label = request.POST.get("map", ""), _said(request, "name", 100), _said(request, "label", 200)
    section = chosen if chosen in MAPS else MAPS[0]
    member, revision = request.member, _revision(request)
    try:
        pointer = actions.add_field(member=member, slug=slug, revision=revision, section=section, name=name, label=label)
    except InvalidInput as error:
        return _refused(request, slug, error, adding=NewField(section, name, label))
    words = _("Added as %(pointer)s.") % {"pointer": pointer}
    return _kept(request, "field", _address(slug, pointer, "form"), words)


@require_POST
@member_view
def head(request: MemberRequest, slug: str) -> HttpResponse:
    said = {"name": _said(request, "name", 200), "description": _said(request, "description", 2000)}
    try:
        actions.save_head(member=request.member, slug=slug, revision=_revision(request), **said)
    except InvalidInput as error:
        return _refused(request, slug, error, typed=Typed(said))
    return _kept(request, "head", _address(slug, at="head"))


@require_POST
@member_view
def collection(request: MemberRequest, slug: str) -> HttpResponse:
    """Save a collection's form; its button may also move, drop or take a source, or have it take nothing any more."""
    name = request.POST.get("collection", "")
    act, _colon, source = request.POST.get("do", "save").partition(":")
    row: dict[str, Any] = {
        "sources": moved([code[:50] for code in request.POST.getlist("source")[:50]], act, source),
        "kinds": [kind[:100] for kind in _said(request, "kinds", 20_000).replace(",", " ").split()],
        "completion_sources": [code[:50] for code in request.POST.getlist("completion")[:50]],
    }
    settings = None if act == "remove" else actions.CollectionSettings(**row)
    member, revision = request.member, _revision(request)
    try:
        actions.save_collection(member=member, slug=slug, revision=revision, name=name, settings=settings)
    except InvalidInput as error:
        return _refused(request, slug, error, collection=name, typed=Typed(row))
    address = _address(slug, collection=name, at=_place(act, source, "collections-edit"))
    return redirect(address) if source else _kept(request, "collection", address)


@require_POST
@member_view
def reading(request: MemberRequest, slug: str) -> HttpResponse:
    """When the model reads: what belongs to another choice than the one that was made is left out."""
    when = _said(request, "when", 20)
    row: dict[str, Any] = {"when": when}
    if when == When.EVENTS:
        row["on"] = [name[:50] for name in request.POST.getlist("on")[:20]]
    every, at = _said(request, "every_minutes", 10), _said(request, "at", 300).replace(",", " ").split()
    if when == When.SCHEDULE:
        row |= {"every_minutes": _whole(every)} if every else {"at": at}
    for name in ("most_per_ticket_and_day", "most_per_day"):
        if _said(request, name, 10):
            row[name] = _whole(_said(request, name, 10))
    said = None if row == {"when": When.BURST.value} else row
    try:
        actions.save_reading(member=request.member, slug=slug, revision=_revision(request), reading=said)
    except InvalidInput as error:
        return _refused(request, slug, error)
    return _kept(request, "reading", _address(slug, at="reading"))


@require_POST
@member_view
def groups(request: MemberRequest, slug: str) -> HttpResponse:
    """What is said of that which repeats; what is left empty has its default."""
    row: dict[str, Any] = {name: said for name in ("label", "plural", "named_by") if (said := _said(request, name, 200))}
    if _said(request, "most", 10):
        row["most"] = _whole(_said(request, "most", 10))
    try:
        actions.save_groups(member=request.member, slug=slug, revision=_revision(request), row=row)
    except InvalidInput as error:
        return _refused(request, slug, error, repeats=True, typed=Typed(row))
    return _kept(request, "groups", _address(slug, at="groups"))


def _whole(text: str) -> int | str:
    """The number, or the text where it is none: it is kept, and shown with its fault."""
    return int(text) if text.isascii() and text.isdecimal() else text


@require_POST
@member_view
def document(request: MemberRequest, slug: str) -> HttpResponse:
    text = request.POST.get("document", "")[:MAX_TEXT]
    try:
        actions.save_document(member=request.member, slug=slug, revision=_revision(request), document=loads(text))
    except NotStrictJson as error:
        detail = pages.fault("draft.no_json", detail=str(error))
        return _again(request, slug, Problem(_("Nothing was changed."), detail), text=text)
    except InvalidInput as error:
        return _refused(request, slug, error, text=text)
    return _kept(request, "document", _address(slug))


@require_http_methods(["GET", "POST"])
@member_view
def publish(request: MemberRequest, slug: str) -> HttpResponse:
    """First what tickets hold that would not fit any more; then, with what is chosen for it, publish."""
    try:
        if request.method != "POST":
            return show(request, "admin/publish.html", tab="types", page=publishing.publish_page(request.member, slug))
        actions.publish_draft(
            member=request.member,
            slug=slug,
            revision=_revision(request),
            choices=publishing.choices_of(request.POST.dict()),
            closed=bool(request.POST.get("closed")),
        )
    except InvalidTicketType:
        return _again(
            request, slug, Problem(_("It was not published."), _("What is wrong is listed here, with the way to each form."))
        )
    except InvalidInput as error:
        return _refused(request, slug, error)
    return redirect(reverse("web:admin-type", args=[slug]))


@require_POST
@member_view
def discard(request: MemberRequest, slug: str) -> HttpResponse:
    try:
        actions.discard_draft(member=request.member, slug=slug, revision=_revision(request))
    except InvalidInput as error:
        return _refused(request, slug, error)
    return redirect("web:admin-types")
