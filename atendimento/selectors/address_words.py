"""Why an address that an administrator typed is not called, in words (see `outbound`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

ADDRESSES: Final[Mapping[str, Promise]] = {
    "address.invalid": gettext_lazy("This is no address of a service."),
    "address.not_https": gettext_lazy("The address must begin with https://."),
    "address.unknown_host": gettext_lazy("There is no such host."),
    "address.internal": gettext_lazy(
        "The address leads into a private network. Whoever runs this installation can permit that."
    ),
}
