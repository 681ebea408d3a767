"""What staff change of a customer's contact. What the channel sends with a later ticket replaces it again."""

from __future__ import annotations

import uuid
from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from atendimento import access
from atendimento.access import NotFound, Permission
from atendimento.actions.administration import log_act
from atendimento.actions.announcing import announce
from atendimento.actions.faults import Fault, InvalidInput, invalid
from atendimento.models import Act, Customer, Membership
from atendimento.selectors.customer import fingerprint
from memoria.errors import Code, DomainError

LIMITS: Final = {"name": 200, "phone": 50, "email": 254}


@transaction.atomic
def change_contact(*, member: Membership, ticket_id: str | uuid.UUID, contact: dict[str, str], seen: str) -> Customer:
    """Change name, telephone and e-mail of a ticket's customer, as one who sees the ticket.

    `seen` is the fingerprint of the contact that the member had before them: where it is no longer that, nothing is
    written, so that nobody overwrites what they have not read. The log keeps who changed which of the three, and no value.
    The same contact again writes nothing.

    Raises NotFound, DomainError `permission.denied`, and InvalidInput with a fault for each control.
    """
    access.require(member, Permission.CHANGE_TICKETS)
    ticket = access.ticket(member, ticket_id)
    row = Customer.objects.select_for_update().filter(organization=member.organization, pk=ticket.customer_id).first()
    if row is None:
        raise NotFound("customer")
    if row.erased_at is not None:
        raise DomainError(Code.TICKET_ERASED, "L2", protocol=ticket.protocol)
    wanted = {key: contact[key].replace("\0", "").strip() for key in LIMITS}
    faults = [
        Fault(f"/{key}", "customer.too_long", f"more than {LIMITS[key]} characters") for key in LIMITS if _long(wanted, key)
    ]
    if wanted["email"] and not faults and not _is_email(wanted["email"]):
        faults.append(Fault("/email", "customer.bad_email", "must be an e-mail address"))
    if faults:
        raise InvalidInput(*faults)
    changed = [key for key in LIMITS if getattr(row, key) != wanted[key]]
    if not changed:
        return row
    if fingerprint(row.name, row.phone, row.email) != seen:
        raise invalid("", "customer.overtaken", "the contact was changed meanwhile")
    for key in changed:
        setattr(row, key, wanted[key])
    row.save(update_fields=changed)
    log_act(member=member, kind=Act.CUSTOMER_CHANGED, subject=ticket.protocol, details={"fields": changed})
    announce(ticket, member)
    return row


def _long(wanted: dict[str, str], key: str) -> bool:
    return len(wanted[key]) > LIMITS[key]


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True
