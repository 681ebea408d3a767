"""Which model an organisation asks: its own, where an administrator has named one, else the installation's."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.conf import settings

from atendimento import seals
from atendimento.models import ModelEndpoint


@dataclass(frozen=True, slots=True)
class Server:
    base_url: str  # empty: none is configured
    model: str
    key: str = field(repr=False, default="")
    own: bool = False
    key_lost: bool = False  # it was sealed under another SECRET_KEY and has to be typed again


def server_of(organization_id: int | None) -> Server:
    """The model that this organisation's runs ask; None is the installation's."""
    row = ModelEndpoint.objects.filter(organization_id=organization_id).first() if organization_id is not None else None
    if row is None:
        return Server(settings.OPENAI_BASE_URL, settings.OPENAI_MODEL, settings.OPENAI_API_KEY)
    try:
        return Server(row.base_url, row.model, seals.unseal(row.sealed_key) if row.sealed_key else "", own=True)
    except seals.Unreadable:
        # Asked without a key, the server refuses, and the run is parked where administrators see it.
        return Server(row.base_url, row.model, "", own=True, key_lost=True)


def has_model(organization_id: int) -> bool:
    """Whether there is a model to ask at all."""
    return bool(settings.OPENAI_BASE_URL) or ModelEndpoint.objects.filter(organization_id=organization_id).exists()
