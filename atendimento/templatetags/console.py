"""Small things that templates cannot say themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime

from django import template
from django.template.defaultfilters import date as format_date
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from atendimento.selectors.parts import Segment, TextPart

register = template.Library()


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """An icon of the sprite; with a label it speaks, without one it only decorates."""
    href = f"{static('vendor/icons/sprite.svg')}#{name}"
    if label:
        return format_html('<svg class="i" role="img" aria-label="{}"><use href="{}"></use></svg>', label, href)
    return format_html('<svg class="i" aria-hidden="true"><use href="{}"></use></svg>', href)


@register.simple_tag
def marked(segments: Iterable[Segment]) -> SafeString:
    """Text with its marks, letter for letter: white space in a message is the author's."""
    return format_html_join("", "{}", ((_marked(segment),) for segment in segments))


@register.simple_tag
def laid_out(parts: Iterable[TextPart]) -> SafeString:
    """A message, letter for letter, with what it quotes of others folded away.

    The word on the fold is drawn by the style sheet: the element's text is the message's and nothing else, so that
    places in it can be counted.
    """
    fold = '<details class="quoted"><summary aria-label="{0}" data-label="{0}"></summary>{1}</details>'
    label = _("Quoted text")
    return format_html_join(
        "",
        "{}",
        ((format_html(fold, label, marked(part.segments)) if part.quoted else marked(part.segments),) for part in parts),
    )


def _marked(segment: Segment) -> str:
    text = _letter_for_letter(segment.text)
    if not segment.mark:
        return text
    if not segment.refs and not segment.title:
        return format_html('<mark class="{}">{}</mark>', segment.mark, text)
    return format_html('<mark class="{}" title="{}" data-refs="{}">{}</mark>', segment.mark, segment.title, segment.refs, text)


def _letter_for_letter(text: str) -> SafeString:
    """The text as a browser keeps it. A carriage return is written by its number: as itself it would be dropped, and
    the places that a reader points at behind it would be off by one."""
    return format_html_join(mark_safe("&#13;"), "{}", ((part,) for part in text.split("\r")))


@register.filter
def with_messages(text: str) -> SafeString:
    """A sentence of ours in which every message that it names leads to it."""
    parts = re.split(r"\b(m-[1-9]\d*)\b", text)
    return format_html_join("", "{}", ((_reference(part) if index % 2 else part,) for index, part in enumerate(parts)))


def _reference(name: str) -> SafeString:
    return format_html('<a href="?m={}#{}" data-quote="{}">{}</a>', name[2:], name, name, name)


@register.filter
def ago(moment: datetime) -> str:
    """How long ago, as short as a list needs it; the day itself once it is older than a day."""
    minutes = int((timezone.now() - moment).total_seconds() // 60)
    if minutes < 1:
        return _("now")
    if minutes < 60:
        return _("%(count)d min") % {"count": minutes}
    if minutes < 24 * 60:
        return _("%(count)d h") % {"count": minutes // 60}
    days = minutes // (24 * 60)
    if days < 7:
        return ngettext("%(count)d day", "%(count)d days", days) % {"count": days}
    return format_date(timezone.localtime(moment), "SHORT_DATE_FORMAT")


@register.filter
def clock(moment: datetime | None) -> str:
    """The hour; with the day in front where it was another day."""
    if moment is None:
        return ""
    local = timezone.localtime(moment)
    if local.date() == timezone.localdate():
        return format_date(local, "H:i")
    if local.year == timezone.localdate().year:
        return format_date(local, _("d/m H:i"))
    return format_date(local, _("d/m/Y H:i"))


@register.filter
def hour(moment: datetime) -> str:
    return format_date(timezone.localtime(moment), "H:i")


@register.filter
def day_name(day: date) -> str:
    """The day as a heading: with its weekday, and its year only where it is another one."""
    pattern = _("l, j F") if day.year == timezone.localdate().year else _("l, j F Y")
    written = format_date(day, pattern)
    # Portuguese writes days and months in small letters.
    return written.lower() if (get_language() or "").startswith("pt") else written
