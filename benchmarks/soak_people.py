"""The people and tickets of a soak, made inside the demonstration whose DATA_DIR is set.

    python -m benchmarks.soak_people PAGES TICKETS

Prints one line: {cookies, members, token, tickets}, a session and a member for each page.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "atendimento.settings")
django.setup()

from django.conf import settings
from django.test import Client

from atendimento import tenancy
from atendimento.access import Caller
from atendimento.actions import messages, organizations, ticket_types, tickets
from atendimento.models import Membership, Organization
from memoria.sources import Author, Kind

FIELDS = 12
QUOTE = "é isto que peço"


def make(pages: int, rooms: int) -> dict[str, Any]:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # nobody signs in with one
    settings.OPENAI_BASE_URL = ""  # no reading is asked for: what is proposed comes by the API
    organization, _new = organizations.create_organization(slug="carga", name="Carga", timezone="America/Recife")
    with tenancy.organization(organization.pk):
        members = [_member(organization, number) for number in range(pages)]
        fields = {
            f"/facts/campo{number}": {
                "label": f"Campo {number}",
                "schema": {"type": "string"},
                "sources": ["agent", "customer"],
            }
            for number in range(FIELDS)
        }
        document = {"slug": "carga", "name": "Carga", "fields": fields, "collections": {}}
        ticket_types.publish_ticket_type(member=members[0], document=document)
        token = organizations.create_api_token(organization=organization, name="carga", scope="member", member=members[0])
        made = [_ticket(organization, number) for number in range(rooms)]
    return {
        "cookies": [_session(member) for member in members],
        "members": [member.pk for member in members],
        "token": token,
        "tickets": made,
    }


def _member(organization: Organization, number: int) -> Membership:
    role, password = ("admin" if number == 0 else "agent"), "uma-senha-de-carga"
    email, name = f"pessoa{number}@carga.test", f"Pessoa {number}"
    return organizations.create_member(organization=organization, email=email, role=role, name=name, password=password)[0]


def _ticket(organization: Organization, number: int) -> str:
    channel = Caller(organization, None, "ingest:carga")
    who = tickets.CustomerData(str(number), f"Cliente {number}")
    ticket, _new = tickets.create_ticket(
        caller=channel, ticket_type="carga", subject=f"Atendimento {number}", customer=who, channel="whatsapp"
    )
    author = Author(Kind.CUSTOMER, str(number), f"Cliente {number}")
    for index in range(12):
        text = f"olá, {QUOTE}, parte {index}, e agradeço desde já"
        messages.receive_message(caller=channel, ticket_id=ticket.pk, author=author, text=text)
    return str(ticket.pk)


def _session(member: Membership) -> str:
    browser = Client()
    browser.force_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
    return str(browser.cookies[settings.SESSION_COOKIE_NAME].value)


if __name__ == "__main__":
    print(json.dumps(make(int(sys.argv[1]), int(sys.argv[2]))))
