"""The organisation's canned replies: added, changed, removed by supervisors and administrators."""

from __future__ import annotations

from typing import Final

from django.db import IntegrityError, transaction

from atendimento import access, ledger
from atendimento.access import NotFound, Permission
from atendimento.actions.faults import invalid
from atendimento.models import CannedReply, Membership

MAX_TITLE: Final = 80
MAX_TEXT: Final = 4000
MOST: Final = 300
"""Canned replies of one organisation: the picker shows them all."""


@transaction.atomic
def save_canned(*, member: Membership, title: str, text: str, canned_id: int | None = None) -> CannedReply:
    """Add a canned reply, or change the one named. Raises InvalidInput and NotFound."""
    access.require(member, Permission.EDIT_CANNED)
    row = CannedReply(organization_id=member.organization_id) if canned_id is None else _of(member, canned_id)
    title, text = " ".join(title.replace("\0", "").split()), text.replace("\0", "").replace("\r\n", "\n").strip()
    if not title or len(title) > MAX_TITLE:
        raise invalid("/title", "canned.no_title", f"must be a text of at most {MAX_TITLE} characters")
    if not text or len(text) > MAX_TEXT:
        raise invalid("/text", "canned.no_text", f"must be a text of at most {MAX_TEXT} characters")
    rows = CannedReply.objects.select_for_update().filter(organization_id=member.organization_id)
    if rows.filter(title__iexact=title).exclude(pk=row.pk).exists():
        raise invalid("/title", "canned.title_taken", "is another one's title")
    if canned_id is None and rows.count() >= MOST:
        raise invalid("/title", "canned.too_many", f"more than {MOST}")
    row.title, row.text, row.changed_by, row.changed_at = title, text, member, ledger.now()
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:  # somebody saved the same title meanwhile
        raise invalid("/title", "canned.title_taken", "is another one's title") from None
    return row


@transaction.atomic
def remove_canned(*, member: Membership, canned_id: int) -> None:
    """Raises NotFound."""
    access.require(member, Permission.EDIT_CANNED)
    _of(member, canned_id).delete()


def _of(member: Membership, canned_id: int) -> CannedReply:
    found = CannedReply.objects.select_for_update().filter(organization_id=member.organization_id, pk=canned_id).first()
    if found is None:
        raise NotFound("canned reply")
    return found
