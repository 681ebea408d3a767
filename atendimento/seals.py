"""Secrets that must be read again, kept encrypted: a copy of the database alone opens nothing.

The key is made from SECRET_KEY. Where that changes, what was sealed before cannot be read and is typed in again.
"""

from __future__ import annotations

import base64
from functools import cache

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class Unreadable(Exception):
    """A seal of another SECRET_KEY, or no seal at all."""


@cache
def _key(secret: str) -> Fernet:
    derived = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=b"lastro sealed secrets").derive(secret.encode())
    return Fernet(base64.urlsafe_b64encode(derived))


def seal(text: str) -> str:
    return _key(settings.SECRET_KEY).encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Raises Unreadable."""
    try:
        return _key(settings.SECRET_KEY).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unreadable from None
