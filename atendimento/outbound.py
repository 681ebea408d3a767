"""Which addresses outside the product an administrator may have it call.

On an installation that several organisations share, an address is a way into the operator's own network. So it must be
https and lead to a public host, unless the operator says that addresses inside are wanted (ALLOW_INTERNAL_ENDPOINTS).
"""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from django.conf import settings


class NotAllowed(ValueError):
    """`code`: `address.invalid`, `address.not_https`, `address.unknown_host` or `address.internal`."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


def check(address: str) -> str:
    """The address' origin (scheme, host, port). Raises NotAllowed. Asks the name service: not inside a transaction."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise NotAllowed("address.invalid") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.fragment:
        raise NotAllowed("address.invalid")
    if not settings.ALLOW_INTERNAL_ENDPOINTS:
        if parts.scheme != "https":
            raise NotAllowed("address.not_https")
        _only_public(parts.hostname, port or 443)
    return f"{parts.scheme}://{parts.netloc}"


def _only_public(host: str, port: int) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotAllowed("address.unknown_host") from None
    for *_others, address in found:
        if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_global:
            raise NotAllowed("address.internal")
