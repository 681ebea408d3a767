"""What a proposed change's card says of it: its verdict in sentences, its buttons, and the words that no quote holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from django.utils.translation import gettext as _

from atendimento import wording
from atendimento.models import Origin, ProposedChange
from atendimento.selectors import values
from atendimento.selectors.pane_parts import Side
from atendimento.selectors.parts import Control, Drafted
from memoria.errors import Code
from memoria.evidence import unsupported_words
from memoria.fields import TicketType
from memoria.patch import Json, Missing
from memoria.proposals import Evidence, Verdict
from memoria.reservations import Kind as Reserved
from memoria.reservations import Reservation, reservations
from memoria.state import Slot, SlotStatus

SAYS_NOTHING: Final = {Code.FIRST_VALUE.value, Code.NEW_MEMBER.value}
SHORT: Final = 4
# Words of four letters and more that carry nothing by themselves; shorter ones are left out by their length.
LITTLE_WORDS: Final = frozenset(
    ("para", "pela", "pelo", "pelas", "pelos", "como", "mais", "esta", "este", "essa", "esse", "isso", "isto", "seus", "suas")
)
NUMBER_OR_WORD: Final = re.compile(r"\d+(?:[.,/:-]\d+)*|[^\W\d_]+")


def accept_label(row: ProposedChange) -> str:
    if row.verdict == Verdict.CONFLICT.value:
        return _("Record the divergence")
    if row.verdict == Verdict.NO_CHANGE.value:
        return _("Add the evidence")
    return _("Accept")


def what(row: ProposedChange) -> str:
    """What the change does, in one word; a divergence says so itself."""
    if row.op == "remove":
        return _("withdraws")
    if row.verdict == Verdict.NO_CHANGE.value:
        return _("confirms")
    if row.verdict == Verdict.CONFLICT.value:
        return ""
    if isinstance(row.current_value, Missing):
        return _("new")
    return _("corrects")


def sentences(row: ProposedChange) -> tuple[str, ...]:
    """The verdict in words. That there was no value yet goes without saying: the card shows it."""
    return tuple(wording.stored_sentence(reason) for reason in row.reasons if reason["code"] not in SAYS_NOTHING)


def remarks(row: ProposedChange) -> tuple[str, ...]:
    """What the model says of its own proposal. It is no verdict."""
    found = []
    if row.inference:
        found.append(_("The model infers this: accepted, it waits for confirmation."))
    if row.reason:
        found.append(_("The model's reason: %(reason)s") % {"reason": row.reason})
    return tuple(found)


def reserved(row: ProposedChange, text_of: Callable[[str], str | None]) -> tuple[Reservation, ...]:
    """Why the change is left out of "accept all" though no caution stands on it. `text_of` knows the messages' texts."""
    found = ((text_of(item["message"]), item["start"], item["end"]) for item in row.evidence)
    quoted = [(text, low, high) for text, low, high in found if text is not None]
    return reservations(inference=row.inference, reason=row.reason, quotes=quoted)


def reservation_sentence(found: Iterable[Reservation]) -> str:
    """The same said on the card; empty where nothing keeps the change out."""
    whys = []
    for one in found:
        match one.kind:
            case Reserved.CONDITION:
                whys.append(_("its sentence says a condition (“%(words)s”)") % {"words": one.words})
            case Reserved.DOUBT:
                whys.append(_("the model itself doubts it (“%(words)s”)") % {"words": one.words})
            case Reserved.INFERENCE:
                whys.append(_("the model infers it"))
    return _("Not accepted along with others: %(why)s.") % {"why": "; ".join(whys)} if whys else ""


def turning(cautions: Iterable[Mapping[str, Json]]) -> dict[int, list[str]]:
    """The words that turn a quote's meaning, by the quote's index."""
    found: dict[int, list[str]] = {}
    for item in cautions:
        if item.get("evidence") is not None and item.get("words"):
            found.setdefault(item["evidence"], []).append(item["words"])
    return found


def asked(ticket_type: TicketType, pointer: str, label: str) -> str:
    """What is asked about, as one writes to a customer: the field first, then which of the groups is meant (G6)."""
    field = ticket_type.fields.get(pointer)
    return f"{field.own_label} ({field.group_label})" if field is not None and field.group_label else label


def about_divergence(label: str, sides: Sequence[Side]) -> tuple[Drafted, ...]:
    """What an agent may write about a divergence: a question to the customer, or a note to a supervisor.

    Where a side is hidden they name no value: dots mean nothing to whoever reads them. All values stand in the question
    itself, for what is asked asserts nothing (`memoria.reply_check`).
    """
    if any(side.hidden for side in sides):
        question = _("About “%(field)s” we have two answers. Which one holds?") % {"field": label}
        note = _("Divergence in “%(field)s”. A supervisor has to decide.") % {"field": label}
    else:
        question = _("Which answer holds for “%(field)s”: %(values)s?") % {
            "field": label,
            "values": _(" or ").join(f"“{side.value}”" for side in sides),
        }
        note = _("Divergence in “%(field)s”: %(values)s. A supervisor has to decide.") % {
            "field": label,
            "values": " × ".join(f"“{side.value}” ({side.source})" for side in sides),
        }
    return Drafted(_("Ask the customer"), question), Drafted(_("Refer to a supervisor"), note, "note", "flag")


def about_doubt(label: str, value: str) -> tuple[Drafted, ...]:
    """A question that a plain yes answers: it names the value letter by letter, so that the answer is told by a rule."""
    about = f"{_begun_small(label)}, {value}" if label else value
    question = _("Just to confirm: %(about)s?") % {"about": about}
    return (Drafted(_("Ask the customer"), question, more=f"; {about}?"),)


def about_hole(label: str) -> tuple[Drafted, ...]:
    """A question about a value that was withdrawn and that nobody knows."""
    return (Drafted(_("Ask the customer"), _("Could you tell us: %(field)s?") % {"field": _begun_small(label)}),)


def _begun_small(label: str) -> str:
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def confirms(row: ProposedChange, slot: Slot | None) -> bool:
    """Whether a change is a yes to our question about a value that awaits confirmation: accepting it confirms."""
    waits = slot is not None and slot.status is SlotStatus.NEEDS_CONFIRMATION
    return waits and row.proposal.origin == Origin.RULE and row.verdict == Verdict.NO_CHANGE.value


def answered(row: ProposedChange) -> str:
    """What a yes to our question says, in a sentence."""
    name = (row.author or {}).get("name") or values.source(row.source)
    messages = [item["message"] for item in row.citations]
    return _("%(name)s said yes in %(answer)s to what was asked in %(question)s.") % {
        "name": name,
        "answer": messages[0],
        "question": messages[-1],
    }


def unsupported(row: ProposedChange, evidence: Sequence[Evidence], forms: Sequence[Control]) -> tuple[str, ...]:
    """Words of a text that no quote holds: a person should see them before they accept (E10).

    What is chosen from a list is nobody's wording, and what is to be asked is worded by whoever asks it.
    """
    if row.path.startswith("/pending/") or any(
        form.name == "value" and form.kind not in ("text", "textarea") for form in forms
    ):
        return ()
    text = values.member_text(row.value) if isinstance(row.value, dict) else row.value
    if not isinstance(text, str) or not evidence:
        return ()
    return telling_words(text, [item.quote for item in evidence])


def telling_words(text: str, quoted: Sequence[str]) -> tuple[str, ...]:
    """The words that no quote holds and that say something: little words, and numbers written otherwise, do not."""
    written = {part for quote in quoted for number in re.findall(r"\d[\d.,/:-]*", quote) for part in _spellings(number)}
    found: dict[str, None] = {}
    for word in NUMBER_OR_WORD.findall(text):
        if word[0].isdigit():
            if not (_digits(word) in written or {part.lstrip("0") for part in re.findall(r"\d+", word)} <= written):
                found[word] = None
        elif len(word) >= SHORT and word.casefold() not in LITTLE_WORDS and unsupported_words(word, quoted):
            found[word] = None
    return tuple(found)


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number).lstrip("0")


def _spellings(number: str) -> set[str]:
    """A number as one, and by its parts: 1.180 is 1180, and 02/12 is 2 and 12. Zeros in front say nothing."""
    return {_digits(number), *(part.lstrip("0") for part in re.findall(r"\d+", number))}
