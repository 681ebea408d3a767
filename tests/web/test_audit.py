"""The log of administration: who did what, who opened what is sensitive, and what it never holds."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import ProgrammingError, transaction
from django.test import Client
from django.utils import timezone

from atendimento.actions import administration, messages, slots, ticket_types
from atendimento.models import Act, AdministrativeAct, CustomerExport, Membership, Ticket
from atendimento.selectors import corrections
from atendimento.selectors.administration import ACTS
from tests.support import stories
from tests.support.asking import act, ask, text
from tests.support.stories import World, change
from tests.web.conftest import SignIn

SECRET = "senha-do-portao"


@pytest.fixture
def adm(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def ticket(world: World, adm: Membership) -> Ticket:
    """A ticket whose address is sensitive and held, after another one."""
    fields: dict[str, Any] = {**stories.TICKET_TYPE["fields"]}
    fields["/facts/sintoma"] = fields["/facts/sintoma"] | {"sensitive": True}
    ticket_types.publish_ticket_type(member=adm, document=stories.TICKET_TYPE | {"fields": fields})
    made = world.ticket()
    world.say(made, f"primeiro {SECRET} velha")
    world.accept(world.propose(made, change("/facts/sintoma", f"{SECRET} velha", ("m-1", f"{SECRET} velha"))))
    world.say(made, f"corrijo: {SECRET} nova")
    world.accept(world.propose(made, change("/facts/sintoma", f"{SECRET} nova", ("m-2", f"{SECRET} nova"))))
    return made


def readings() -> list[tuple[str, dict[str, Any]]]:
    return [(row.subject, row.details) for row in AdministrativeAct.objects.filter(kind=Act.SENSITIVE_READ).order_by("pk")]


def challenged(world: World, ticket: Ticket) -> None:
    """The staff's word holds against what the customer says next."""
    version = Ticket.objects.get(pk=ticket.pk).state_version
    slots.set_slot(
        member=world.ana, ticket_id=ticket.pk, path="/facts/sintoma", value=f"{SECRET} nova e boa", expected_version=version
    )
    world.say(ticket, "ou melhor: a terceira")
    world.accept(world.propose(ticket, change("/facts/sintoma", "a terceira", ("m-3", "a terceira"))))


# --- the console ----------------------------------------------------------------------------------------------------


def memory(browser: Client, ticket: Ticket, pane: str) -> str:
    return browser.get(f"/tickets/{ticket.pk}/memory?pane={pane}", headers={"HX-Request": "true"}).content.decode()


@pytest.mark.parametrize("pane", ["state", "history"])
def test_a_sensitive_value_is_hidden_until_it_is_opened_and_looking_at_the_rest_is_no_opening(
    ana: Client, world: World, ticket: Ticket, pane: str
) -> None:
    shown = memory(ana, ticket, pane)

    assert "••••••" in shown
    assert SECRET not in shown
    assert readings() == []


def test_the_summary_says_that_it_is_there_and_no_more(ana: Client, world: World, ticket: Ticket) -> None:
    shown = ana.get(f"/tickets/{ticket.pk}/summary").content.decode()

    assert "••••••" in shown
    assert SECRET not in shown


@pytest.mark.parametrize("headers", [{"HX-Request": "true"}, {}])
def test_opening_it_shows_it_this_once_and_is_written_down(
    ana: Client, world: World, ticket: Ticket, headers: dict[str, str]
) -> None:
    answer = ana.post(f"/tickets/{ticket.pk}/open", {"path": "/facts/sintoma"}, headers=headers)

    assert f"{SECRET} nova" in answer.content.decode().split('id="memory"')[1]
    assert readings() == [(ticket.protocol, {"fields": ["/facts/sintoma"], "via": "console", "token": None})]
    assert AdministrativeAct.objects.get(kind=Act.SENSITIVE_READ).member == world.ana
    assert SECRET not in memory(ana, ticket, "state")


def test_what_is_not_sensitive_is_shown_and_opened_without_a_word(ana: Client, world: World, ticket: Ticket) -> None:
    world.say(ticket, "moro na Torre")
    world.accept(world.propose(ticket, change("/facts/bairro", "Torre", ("m-3", "Torre"))))

    assert "Torre" in memory(ana, ticket, "state")
    assert ana.post(f"/tickets/{ticket.pk}/open", {"path": "/facts/bairro"}).status_code == 200
    assert readings() == []


def test_what_is_proposed_is_shown_for_it_is_decided_on_and_what_is_held_is_not(
    ana: Client, world: World, ticket: Ticket
) -> None:
    world.say(ticket, "ou melhor: a terceira")
    world.propose(ticket, change("/facts/sintoma", "a terceira", ("m-3", "a terceira")))

    shown = memory(ana, ticket, "decide")

    assert "a terceira" in shown
    assert f"{SECRET} nova" not in shown


def test_the_corrections_of_all_tickets_show_no_sensitive_value_and_find_none_by_its_letters(
    silvia: Client, world: World, ticket: Ticket
) -> None:
    shown = text(silvia.get("/corrections/"))

    assert "•••••• passou a ••••••" in shown
    assert SECRET not in shown
    for name in ("old", "new"):
        world.enter()
        assert silvia.get("/corrections/", {name: SECRET}).context["page"].rows == ()
    world.enter()
    lines, _more = corrections.export(world.silvia, corrections.Filters(), 10)
    assert any("••••••" in line for line in lines)
    assert SECRET not in str(lines)
    assert readings() == []


def test_a_divergence_about_one_offers_to_keep_the_current_value(ana: Client, world: World, ticket: Ticket) -> None:
    challenged(world, ticket)

    shown = " ".join(memory(ana, ticket, "decide").split())

    assert "Manter o valor atual" in shown
    assert "Manter “" not in shown
    assert "Sobre “Sintoma” temos duas respostas. Qual delas vale?" in shown
    assert "“••••••”" not in shown
    assert f"{SECRET} nova" not in shown


def test_no_quote_tells_what_a_card_hides_until_it_is_opened_there(ana: Client, world: World, adm: Membership) -> None:
    fields: dict[str, Any] = {**stories.TICKET_TYPE["fields"]}
    fields["/facts/endereco"] = fields["/facts/endereco"] | {"sensitive": True}
    ticket_types.publish_ticket_type(member=adm, document=stories.TICKET_TYPE | {"fields": fields})
    made = world.ticket()
    world.say(made, f"moro em {SECRET}")
    world.accept(world.propose(made, change("/facts/endereco", SECRET, ("m-1", SECRET))))
    world.say(made, "não, é na Torre", name="Bruno")
    proposed = world.propose(made, change("/facts/endereco", "Torre", ("m-2", "Torre")))
    undecided = memory(ana, made, "decide")
    world.enter()
    world.accept(proposed)
    divergence = memory(ana, made, "decide")
    world.enter()
    compared = ana.get(f"/tickets/{made.pk}/memory?pane=state&from=0&to=1", headers={"HX-Request": "true"}).content.decode()

    for shown in (undecided, divergence, compared):
        assert "••••••" in shown
        assert SECRET not in shown
    world.enter()
    assert readings() == []
    opened = ana.post(f"/tickets/{made.pk}/open", {"path": "/facts/endereco", "pane": "decide"}, headers={"HX-Request": "true"})
    assert f"<p>{SECRET}</p>" in opened.content.decode()
    world.enter()
    assert [subject for subject, _ in readings()] == [made.protocol]


def test_what_was_sensitive_stays_so_in_the_past_when_its_field_is_gone(
    ana: Client, silvia: Client, world: World, adm: Membership, ticket: Ticket
) -> None:
    fields = {pointer: row for pointer, row in stories.TICKET_TYPE["fields"].items() if pointer != "/facts/sintoma"}
    ticket_types.publish_ticket_type(member=adm, document=stories.TICKET_TYPE | {"fields": fields})

    listed = text(silvia.get("/corrections/"))
    world.enter()
    sought = silvia.get("/corrections/", {"old": SECRET})
    world.enter()
    past = memory(ana, ticket, "history")
    world.enter()
    compared = ana.get(f"/tickets/{ticket.pk}/memory?pane=history&from=0&to=2", headers={"HX-Request": "true"})

    world.enter()
    assert SECRET not in ana.get(f"/tickets/{ticket.pk}/dossier").content.decode()
    assert "•••••• passou a ••••••" in listed
    assert SECRET not in listed
    assert sought.context["page"].rows == ()
    for shown in (past, compared.content.decode()):
        assert "Sintoma" in shown  # as it was last called
        assert "/facts/sintoma" not in re.sub(r'"[^"]*"', "", shown)
        assert "••••••" in shown
        assert SECRET not in shown


def test_a_question_about_one_that_is_in_doubt_names_no_value(ana: Client, world: World, ticket: Ticket) -> None:
    messages.delete_message(caller=world.channel, ticket_id=ticket.pk, message="m-2")

    shown = memory(ana, ticket, "decide")

    assert "Você pode nos dizer: sintoma?" in shown
    assert "confirmar: sintoma" not in shown


def test_a_canned_reply_is_not_filled_with_it_and_says_so(ana: Client, silvia: Client, world: World, ticket: Ticket) -> None:
    silvia.post("/canned/", {"title": "Sintoma", "text": "Sobre {sintoma}: {sintoma}, {cliente}."})

    answer = ask(ana, f"/tickets/{ticket.pk}/canned")

    (one,) = answer.context["canned"]
    label = one.veiled[0]
    assert (one.text.count(f"[{label}]"), one.veiled, one.gaps) == (2, (label,), ())
    assert f"sensível, a preencher à mão: {label}" in text(answer)
    found = text(act(ana, f"/tickets/{ticket.pk}/check", text=one.text, kind="reply"))
    assert f"“{label}” é sensível: preencha à mão." in found
    assert SECRET not in answer.content.decode()
    world.enter()
    assert readings() == []


# --- the log --------------------------------------------------------------------------------------------------------


def log_page(browser: Client, **query: str) -> str:
    return browser.get("/admin/log/", query).content.decode()


def test_the_log_is_read_by_person_act_and_period(world: World, adm: Membership, ticket: Ticket, sign_in: SignIn) -> None:
    sign_in(world.ana).post(f"/tickets/{ticket.pk}/open", {"path": "/facts/sintoma"})
    administration.change_role(member=adm, member_id=world.rui.pk, role="supervisor")
    browser = sign_in(adm)
    opened, role = "abriu o que é sensível", "mudou o papel de Rui Prado"

    assert opened in log_page(browser)
    assert role in log_page(browser)
    assert opened not in log_page(browser, person=str(adm.pk))
    assert role in log_page(browser, person=str(adm.pk))
    assert role not in log_page(browser, area="sensitive")
    assert opened in log_page(browser, area="sensitive", person=str(world.ana.pk))
    today = timezone.localdate()
    assert opened in log_page(browser, since=today.isoformat(), until=today.isoformat())
    assert opened not in log_page(browser, until=(today - timedelta(days=2)).isoformat())
    assert opened not in log_page(browser, since=(today + timedelta(days=2)).isoformat())
    assert opened in log_page(browser, person="x", area="nada", since="ontem", before="-1")
    assert SECRET not in log_page(browser)


def test_the_log_goes_page_by_page(world: World, adm: Membership, sign_in: SignIn) -> None:
    for _turn in range(30):
        for role in ("supervisor", "agent"):
            administration.change_role(member=adm, member_id=world.rui.pk, role=role)
    browser = sign_in(adm)

    first = log_page(browser)
    older = first.split('href="?before=')[1].split('"')[0]

    assert first.count("mudou o papel de Rui Prado") == 50
    assert log_page(browser, before=older).count("mudou o papel de Rui Prado") == 10
    assert log_page(browser, before=older).count('href="?before=') == 0


def test_taken_out_as_a_spreadsheet_it_runs_nothing_and_says_so_itself(world: World, adm: Membership, sign_in: SignIn) -> None:
    administration.add_member(
        member=adm, email="x@frio-certo.example", name="=1+1", role="agent", password="uma-senha-comprida"
    )
    administration.change_role(member=adm, member_id=world.rui.pk, role="supervisor")

    answer = sign_in(adm).post("/admin/log/export", {"area": "people"})

    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))
    assert rows[0] == ["Quando", "Quem", "O quê", "Assunto", "Área", "Código", "Campos"]
    assert [row[2] for row in rows[1:]] == ["mudou o papel de Rui Prado de Agente para Supervisão", "incluiu =1+1 como Agente"]
    assert [row[4:6] for row in rows[1:]] == [["Pessoas e entrada", "member_role"], ["Pessoas e entrada", "member_added"]]
    assert rows[2][3] == "'=1+1"
    assert answer["Content-Disposition"].startswith("attachment")
    last = AdministrativeAct.objects.latest("pk")
    assert (last.kind, last.details) == (Act.LOG_EXPORTED, {"entries": 2})


def test_an_opening_is_told_by_the_field_s_label_and_its_code_has_a_column_of_its_own(
    ana: Client, world: World, adm: Membership, ticket: Ticket, sign_in: SignIn
) -> None:
    ana.post(f"/tickets/{ticket.pk}/open", {"path": "/facts/sintoma"})
    world.enter()
    browser = sign_in(adm)
    world.enter()

    answer = browser.post("/admin/log/export", {"area": "sensitive"})
    shown = log_page(browser, area="sensitive")

    (row,) = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig")), delimiter=";"))[1:]
    assert row[2] == f"abriu o que é sensível em {ticket.protocol}, no console: Sintoma"
    assert row[5:] == ["sensitive_read", "/facts/sintoma"]
    assert f"em {ticket.protocol}, no console: Sintoma" in shown
    assert "/facts/sintoma" not in shown


def test_every_act_has_its_sentence() -> None:
    assert set(ACTS) == set(Act.values)


def test_the_application_can_neither_change_nor_remove_an_entry(world: World, adm: Membership) -> None:
    administration.change_role(member=adm, member_id=world.rui.pk, role="supervisor")

    for attempt in (lambda: AdministrativeAct.objects.update(subject="x"), lambda: AdministrativeAct.objects.all().delete()):
        with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
            attempt()
    assert AdministrativeAct.objects.filter(subject="Rui Prado").count() == 1


# --- a customer's data ----------------------------------------------------------------------------------------------


def test_the_file_of_a_customer_is_fetched_as_data_or_to_be_read_and_both_are_written_down(
    silvia: Client, world: World, ticket: Ticket
) -> None:
    page = f"/customers/{ticket.customer_id}/"
    silvia.post(f"{page}export")
    export = CustomerExport.objects.get()

    data = silvia.post(f"/customers/exports/{export.pk}")
    shown = silvia.post(f"/customers/exports/{export.pk}", {"as": "page"})

    assert json.loads(data.content)["tickets"][0]["state"]["values"]["facts"]["sintoma"] == f"{SECRET} nova"
    assert f"corrijo: {SECRET} nova" in shown.content.decode()
    assert f"{SECRET} nova" in shown.content.decode().split("<h3>Estado</h3>")[1]
    assert [answer["Content-Disposition"][-6:-1] for answer in (data, shown)] == [".json", ".html"]
    kinds = list(AdministrativeAct.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds[-3:] == [Act.CUSTOMER_EXPORTED, Act.CUSTOMER_EXPORT_READ, Act.CUSTOMER_EXPORT_READ]
    CustomerExport.objects.update(expires_at=timezone.now())
    assert silvia.post(f"/customers/exports/{export.pk}").status_code == 404
    assert str(export.pk) not in silvia.get(page).content.decode()
