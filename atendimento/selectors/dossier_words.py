"""The dossier's words: what became of a commitment, what a correction did, and what stands for what is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoria.causes import Act
from memoria.fates import Fate
from memoria.personal import Personal

FATES: Final[Mapping[Fate, tuple[Promise, str]]] = {
    Fate.KEPT: (gettext_lazy("Kept"), "good"),
    Fate.KEPT_IN_TIME: (gettext_lazy("Kept, in time"), "good"),
    Fate.KEPT_LATE: (gettext_lazy("Kept, after its due date"), "warn"),
    Fate.FAILED: (gettext_lazy("Not kept"), "bad"),
    Fate.CANCELLED: (gettext_lazy("Cancelled"), ""),
    Fate.OVERDUE: (gettext_lazy("Not kept so far: its due date has passed"), "bad"),
    Fate.RUNNING: (gettext_lazy("Not done yet, its due date lies ahead"), ""),
    Fate.UNDATED: (gettext_lazy("Not done yet, without a due date"), "warn"),
}
"""What became of a commitment, and in which tone it is said."""

_HIDDEN: Final[Mapping[str, Promise]] = {
    Personal.CPF.value: gettext_lazy("[CPF hidden]"),
    Personal.CNPJ.value: gettext_lazy("[CNPJ hidden]"),
    Personal.CARD.value: gettext_lazy("[card hidden]"),
    Personal.PHONE.value: gettext_lazy("[telephone hidden]"),
    Personal.EMAIL.value: gettext_lazy("[e-mail hidden]"),
    Personal.PIX.value: gettext_lazy("[Pix key hidden]"),
}


def hidden(kind: str) -> str:
    """What stands in the place of something personal."""
    return str(_HIDDEN.get(kind, _("[protected]")))


def corrected(label: str, act: str, old: str, new: str) -> str:
    """What a correction did, in a sentence."""
    data = {"field": label, "old": old or _("no value"), "new": new or _("no value")}
    match act:
        case Act.UNFIT:
            return _("%(field)s: “%(old)s” was withdrawn, because the ticket type changed.") % data
        case Act.WITHDRAWN:
            return _("%(field)s: “%(old)s” was withdrawn.") % data
        case Act.RESOLVED:
            return _("%(field)s: the divergence was settled, “%(new)s” holds.") % data
        case Act.UNDONE:
            return _("%(field)s: “%(old)s” was taken back, “%(new)s” holds again.") % data
    return _("%(field)s: “%(old)s” was replaced by “%(new)s”.") % data
