"""An organisation's own sign-in service (OpenID Connect), tried before it is kept."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import requests
from django.db import transaction

from atendimento import access, ledger, outbound, seals
from atendimento.access import Permission
from atendimento.actions.administration import log_act
from atendimento.actions.faults import invalid
from atendimento.models import Act, Membership, Organization, SingleSignOn

WELL_KNOWN: Final = "/.well-known/openid-configuration"
PATIENCE: Final = 10.0
"""Seconds for the service to describe itself."""
MOST: Final = 200_000
"""Bytes of a description; longer is none."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a service says of itself, as far as we need it."""

    issuer: str
    sign_in_origin: str


def describe(issuer: str) -> Description:
    """Ask the service how it works. Raises InvalidInput at `/issuer` with what is wrong."""
    try:
        outbound.check(issuer)
        answer = requests.get(issuer.rstrip("/") + WELL_KNOWN, timeout=PATIENCE, allow_redirects=False, stream=True)
        body = answer.raw.read(MOST + 1, decode_content=True)
    except outbound.NotAllowed as error:
        raise invalid("/issuer", error.code, "is not an address that may be called") from None
    except (requests.RequestException, OSError):
        raise invalid("/issuer", "sign_on.unreachable", "did not answer") from None
    if answer.status_code != requests.codes.ok or len(body) > MOST:
        raise invalid("/issuer", "sign_on.no_service", f"answered {answer.status_code}")
    try:
        document = json.loads(body)
        named = str(document["issuer"])
        origin = outbound.check(str(document["authorization_endpoint"]))
        for endpoint in ("token_endpoint", "userinfo_endpoint", "jwks_uri"):
            outbound.check(str(document[endpoint]))
    except outbound.NotAllowed as error:
        raise invalid("/issuer", error.code, "names an endpoint that may not be called") from None
    except (ValueError, KeyError, TypeError):
        raise invalid("/issuer", "sign_on.no_service", "describes no OpenID Connect service") from None
    if not _same(named, issuer):
        raise invalid("/issuer", "sign_on.other_issuer", "calls itself by another name")
    return Description(named, origin)


def _same(one: str, other: str) -> bool:
    return one.rstrip("/") == other.rstrip("/")


def save_sign_on(*, member: Membership, issuer: str, client_id: str, secret: str, active: bool) -> SingleSignOn:
    """Keep the service that members may sign in by, once it has answered. An empty secret leaves the one that is kept.

    Raises InvalidInput: an address that may not be called or is no such service, a missing client id or secret.
    """
    access.require(member, Permission.MANAGE)
    if not client_id.strip() or len(client_id) > 300:
        raise invalid("/client_id", "sign_on.no_client", "must be a text of at most 300 characters")
    before = SingleSignOn.objects.filter(organization_id=member.organization_id).first()
    # A kept secret goes to the service that it was given for, and to no other.
    kept_secret = before.sealed_secret if before is not None and _same(before.issuer, issuer) else ""
    if not secret and not kept_secret:
        raise invalid("/secret", "sign_on.no_secret", "must be given for this service")
    described = describe(issuer)
    with transaction.atomic():
        kept, _new = SingleSignOn.objects.update_or_create(
            organization_id=member.organization_id,
            defaults={
                "issuer": described.issuer,
                "client_id": client_id.strip(),
                "sealed_secret": seals.seal(secret) if secret else kept_secret,
                "sign_in_origin": described.sign_in_origin,
                "active": active,
                "changed_by": member,
                "changed_at": ledger.now(),
            },
        )
        log_act(member=member, kind=Act.SIGN_ON, subject=described.issuer, details={"on": active})
    return kept


@transaction.atomic
def require_second_factor(*, member: Membership, required: bool) -> None:
    """Whether everybody of the organisation who signs in by password needs a second factor."""
    access.require(member, Permission.MANAGE)
    organization = Organization.objects.select_for_update().get(pk=member.organization_id)
    if organization.requires_second_factor == required:
        return
    organization.requires_second_factor = required
    organization.save(update_fields=["requires_second_factor"])
    log_act(member=member, kind=Act.SECOND_FACTOR, subject=organization.name, details={"on": required})
