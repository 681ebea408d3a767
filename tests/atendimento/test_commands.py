"""The management commands: what they make, made again, and what they say to bad input."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from atendimento import access, actions, tenancy
from atendimento.models import ApiToken, Membership, Organization, Ticket, TicketTypeVersion, User
from tests.builders import House, ticket_type


def run(*words: str, **options: Any) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=out, **options)
    return out.getvalue()


def test_an_organisation_is_made_once_and_kept_up_to_date(db: None) -> None:
    run("create_organization", "loja", "--name", "Loja")
    run("create_organization", "loja", "--name", "Loja Nova", "--timezone", "America/Recife")

    row = Organization.objects.get()
    assert (row.name, row.timezone) == ("Loja Nova", "America/Recife")


def test_a_member_is_made_once_and_kept_up_to_date(house: House) -> None:
    words = ("create_member", "Nova@Casa.example", "--org", "casa", "--name", "Nova")
    run(*words, "--role", "agent", "--password", "p1")
    run(*words, "--role", "admin", "--password", "p2")

    member = Membership.objects.get(user__email__iexact="nova@casa.example")
    assert member.role == "admin"
    assert member.user.check_password("p2")
    assert User.objects.filter(email__iexact="nova@casa.example").count() == 1


def test_a_password_is_read_from_a_pipe(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("segredo\n"))
    run("create_member", "nova@casa.example", "--org", "casa", "--role", "agent", "--name", "Nova")

    assert User.objects.get(email="nova@casa.example").check_password("segredo")


@pytest.mark.parametrize("scope", ["member", "ingest"])
def test_a_token_stands_alone_on_the_last_line_and_works(house: House, scope: str) -> None:
    words = ("create_api_token", "ana@casa.example", "--org", "casa", "--name", "robô", "--scope", scope)
    first, second = (run(*words).splitlines()[-1] for _ in range(2))

    callers = [access.bearer(token) for token in (first, second)]
    assert first != second
    for caller in callers:
        assert caller is not None
        assert (caller.member is None) == (scope == "ingest")
    # Both are one source: what one delivered, the other repeats.
    assert callers[0].source == callers[1].source  # type: ignore[union-attr]
    assert not ApiToken.objects.filter(digest__in=[first, second]).exists()


def test_a_ticket_type_file_is_published_once(house: House, tmp_path: Path) -> None:
    file = tmp_path / "tipo.json"
    file.write_text(json.dumps(ticket_type("nova")))
    words = ("load_ticket_type", str(file), "--org", "casa", "--as", "davi@casa.example")

    assert "version 1: published" in run(*words)
    assert "nothing to do" in run(*words)
    tenancy.enter(house.organization.pk)
    assert TicketTypeVersion.objects.filter(ticket_type__slug="nova").count() == 1


def test_publishing_says_how_much_of_what_tickets_hold_no_longer_fits(house: House, ticket: Ticket, tmp_path: Path) -> None:
    actions.set_slot(member=house.ana, ticket_id=ticket.pk, path="/facts/bairro", value="Torre", expected_version=0)
    document = ticket_type()
    document["fields"]["/facts/bairro"]["schema"] = {"enum": ["Pina"]}
    file = tmp_path / "tipo.json"
    file.write_text(json.dumps(document))

    said = run("load_ticket_type", str(file), "--org", "casa", "--as", "davi@casa.example")

    assert "1 value(s) in 1 ticket(s) do not fit it: in open tickets they await confirmation" in said


def test_history_is_verified_and_a_state_rebuilt(house: House, ticket: Ticket) -> None:
    actions.set_slot(member=house.ana, ticket_id=ticket.pk, path="/goal", value="x", expected_version=0)

    assert "1 ticket(s)" in run("verify_history")
    assert "agrees" in run("rebuild_state", str(ticket.pk))
    assert "agrees" in run("rebuild_state", ticket.protocol, "--org", "casa")


BAD: list[tuple[tuple[str, ...], str]] = [
    (("create_organization", "a b", "--name", "x"), "slug"),
    (("create_organization", "loja", "--name", " "), "name"),
    (("create_organization", "loja", "--name", "x", "--timezone", "Marte"), "Marte"),
    (("create_member", "x", "--org", "casa", "--role", "agent", "--name", "N", "--password", "p"), "no e-mail address: x"),
    (("create_member", "x@y.example", "--org", "nada", "--role", "agent", "--name", "N", "--password", "p"), "nada"),
    (("create_member", "x@y.example", "--org", "casa", "--role", "chefe", "--name", "N", "--password", "p"), "chefe"),
    (("create_member", "x@y.example", "--org", "casa", "--role", "agent", "--name", "N", "--password", ""), "password"),
    (("create_api_token", "nobody@casa.example", "--org", "casa", "--name", "n"), "no member"),
    (("create_api_token", "ana@casa.example", "--org", "casa", "--name", " "), "name"),
    (("load_ticket_type", "/nowhere/x.json", "--org", "casa", "--as", "davi@casa.example"), "cannot be read"),
    (("verify_history", "--org", "nada"), "nada"),
    (("rebuild_state", "nada"), "there is no ticket nada"),
]


@pytest.mark.parametrize(("words", "said"), BAD)
def test_bad_input_is_one_clear_line(house: House, words: tuple[str, ...], said: str) -> None:
    with pytest.raises(CommandError) as refused:
        run(*words)

    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "email", "said"),
    [
        ("{", "davi@casa.example", "no JSON"),
        ('{"slug": "x", "slug": "y"}', "davi@casa.example", "no JSON"),
        ('{"slug": "x"}', "davi@casa.example", "/fields"),
        (json.dumps(ticket_type("nova")), "ana@casa.example", "permission.denied"),
    ],
)
def test_a_file_that_cannot_be_published_says_why(house: House, tmp_path: Path, content: str, email: str, said: str) -> None:
    file = tmp_path / "tipo.json"
    file.write_text(content)

    with pytest.raises(CommandError, match=said):
        run("load_ticket_type", str(file), "--org", "casa", "--as", email)
