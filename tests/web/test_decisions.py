"""Accepting, editing and rejecting in the console, with and without scripts; what is refused stands beside its card."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client

from atendimento.models import ProposedChange, Ticket, TicketState
from tests.support import stories
from tests.support.asking import act, text
from tests.support.stories import World, change


@pytest.fixture
def ticket(world: World) -> Ticket:
    return stories.recife(world)


@pytest.fixture
def rows(world: World, ticket: Ticket) -> list[ProposedChange]:
    return stories.correction(world, ticket)


def values(ticket: Ticket) -> dict[str, Any]:
    held: dict[str, Any] = TicketState.objects.get(ticket=ticket).values
    return held


def address(row: ProposedChange, what: str) -> str:
    return f"/tickets/{row.ticket_id}/changes/{row.pk}/{what}"


def status(row: ProposedChange) -> str:
    row.refresh_from_db()
    return row.status


# accept


def test_accept_without_scripts_leads_back_with_a_way_to_undo(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    response = ana.post(address(rows[0], "accept"), {"expected_version": 1})
    assert (response.status_code, response["Location"]) == (302, f"/tickets/{ticket.pk}/?done=2")
    assert values(ticket)["facts"]["bairro"] == "Madalena"
    page = text(ana.get(response["Location"]))
    assert "Aceito: Bairro da visita, Madalena" in page
    assert "Desfazer" in page


def test_accept_by_a_script_answers_what_it_changed(ana: Client, rows: list[ProposedChange]) -> None:
    response = act(ana, address(rows[0], "accept"), expected_version=1)
    assert response.status_code == 200
    body = response.content.decode()
    assert "<section" not in body
    assert 'data-version="2"' in body
    memory = response.context["memory"]
    assert memory.gone == (f"ch-{rows[0].pk}",)
    assert memory.to_decide == 4
    assert [card.label for card in memory.slots.confirms] == ["Horário"]


def test_what_a_colleagues_decision_made_moot_is_said_so(world: World, ana: Client, rows: list[ProposedChange]) -> None:
    world.accept(world.propose(rows[0].ticket, change("/facts/bairro", "Casa Forte", ("m-4", "O aparelho está"))), world.rui)
    response = act(ana, address(rows[0], "accept"), expected_version=1)
    assert response.status_code == 409
    assert "A mudança foi substituída" in text(response)
    whole = ana.post(address(rows[0], "accept"), {"expected_version": 1})
    assert whole.status_code == 409
    assert "<html" in whole.content.decode()


def test_what_a_colleague_decided_otherwise_is_said_above_the_other_cards(
    world: World, ana: Client, rows: list[ProposedChange]
) -> None:
    world.accept(rows[:1], world.rui)
    response = act(ana, address(rows[0], "reject"), reason="Valor errado")
    assert response.status_code == 409
    assert "Decidido por Rui Prado" in text(response)


def test_an_unrelated_decision_meanwhile_does_not_stand_in_the_way(
    world: World, ana: Client, ticket: Ticket, rows: list[ProposedChange]
) -> None:
    world.accept(rows[1:2], world.rui)
    assert act(ana, address(rows[0], "accept"), expected_version=1).status_code == 200
    assert values(ticket)["preferences"]["periodo"] == "tarde"
    assert values(ticket)["facts"]["bairro"] == "Madalena"


def test_a_form_that_lost_its_version_changes_nothing(ana: Client, rows: list[ProposedChange]) -> None:
    response = act(ana, address(rows[0], "accept"))
    assert response.status_code == 400
    assert "incompleto" in text(response)
    assert status(rows[0]) == "pending"


@pytest.mark.parametrize("what", ["accept", "edit", "reject"])
def test_a_change_of_another_organisation_or_ticket_is_not_there(
    world: World, ana: Client, stranger: Client, rows: list[ProposedChange], what: str
) -> None:
    assert act(stranger, address(rows[0], what), expected_version=1, value="x").status_code == 404
    other = world.ticket("outro")
    path = f"/tickets/{other.pk}/changes/{rows[0].pk}/{what}"
    assert act(ana, path, expected_version=1, value="x").status_code == 404
    missing = f"/tickets/{other.pk}/changes/{uuid.uuid4()}/{what}"
    assert act(ana, missing, expected_version=1, value="x").status_code == 404
    assert status(rows[0]) == "pending"


@pytest.mark.parametrize("what", ["accept", "edit", "reject"])
def test_looking_decides_nothing(ana: Client, rows: list[ProposedChange], what: str) -> None:
    assert ana.get(address(rows[0], what)).status_code == 405


# override


def test_a_conflict_is_recorded_and_only_a_supervisor_replaces(world: World, ana: Client, silvia: Client) -> None:
    ticket = world.ticket()
    world.say(ticket, "Endereço: Rua A, 1", "registry", "Cadastro")
    world.say(ticket, "é na Rua B, 2")
    world.accept(world.propose(ticket, change("/facts/endereco", "Rua A, 1", ("m-1", "Rua A, 1"))))
    (row,) = world.propose(ticket, change("/facts/endereco", "Rua B, 2", ("m-2", "Rua B, 2")))
    seen = text(ana.get(f"/tickets/{ticket.pk}/"))
    assert "Registrar divergência" in seen
    assert "Substituir mesmo assim" not in seen
    assert "Substituir mesmo assim" in text(silvia.get(f"/tickets/{ticket.pk}/"))
    assert act(ana, address(row, "accept"), expected_version=1, override="confio nela").status_code == 403
    assert status(row) == "pending"
    assert act(silvia, address(row, "accept"), expected_version=1, override="mostrou a conta de luz").status_code == 200
    assert values(ticket)["facts"]["endereco"] == "Rua B, 2"


# edit


def test_an_edit_is_read_by_its_fields_own_control(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    assert act(ana, address(rows[1], "edit"), expected_version=1, value='"noite"').status_code == 200
    assert act(ana, address(rows[3], "edit"), expected_version=2, value="1.350,50").status_code == 200
    assert act(ana, address(rows[2], "edit"), expected_version=3, **{"value.question": "Quinta às 14h?"}).status_code == 200
    held = values(ticket)
    assert held["preferences"]["periodo"] == "noite"
    assert held["facts"]["orcamento"] == 1350.5
    assert held["pending"]["p-1"]["question"] == "Quinta às 14h?"
    assert [status(row) for row in rows[1:]] == ["edited", "edited", "edited"]


def test_an_edit_on_ones_own_word_is_a_statement(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    assert act(ana, address(rows[0], "edit"), expected_version=1, value="Casa Amarela", own="1").status_code == 200
    slot = TicketState.objects.get(ticket=ticket).slots["/facts/bairro"]
    assert (slot["source"], slot["author"]["name"], slot["evidence"]) == ("agent", "Ana Lima", [])


@pytest.mark.parametrize(
    ("index", "typed", "says"),
    [
        (3, {"value": "muito"}, "não é um número"),
        (3, {"value": "-5"}, "não serve"),
        (1, {"value": '"madrugada"'}, "Escolha uma das opções"),
        (1, {"value": ""}, "Escolha uma das opções"),
    ],
)
def test_a_refused_edit_keeps_what_was_typed_beside_the_card(
    ana: Client, rows: list[ProposedChange], index: int, typed: dict[str, str], says: str
) -> None:
    response = ana.post(address(rows[index], "edit"), {"expected_version": 1, **typed})
    assert response.status_code in (400, 409)
    card = response.context["page"].memory.changes[index]
    assert card.open_form == "edit"
    assert card.controls[0].value == typed["value"]
    assert card.problem is not None
    if says != "não serve":
        assert says in text(response)
    assert status(rows[index]) == "pending"


# reject


def test_a_rejection_keeps_its_reason_and_can_be_taken_back(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    response = act(ana, address(rows[3], "reject"), reason="Valor errado")
    assert "Rejeitado: Orçamento, 350" in text(response)
    assert status(rows[3]) == "rejected"
    assert "Valor errado" in text(ana.get(f"/tickets/{ticket.pk}/", {"pane": "history"}))
    undone = act(ana, f"/tickets/{ticket.pk}/undo", version=2, expected_version=2)
    assert undone.status_code == 200
    assert "Desfeito: o que estava proposto volta a ser decidido" in text(undone)
    assert status(rows[3]) == "pending"


def test_the_organisations_own_reasons_are_offered_by_digit(world: World, ana: Client, rows: list[ProposedChange]) -> None:
    world.ana.organization.reject_reasons = ["Inventado", "Fora do assunto"]
    world.ana.organization.save(update_fields=["reject_reasons"])
    body = ana.get(f"/tickets/{rows[0].ticket_id}/").content.decode()
    assert 'value="Inventado"' in body
    assert 'data-digit="2"' in body


# all at once


def test_accept_all_takes_only_what_calls_for_no_care(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    memory = ana.get(f"/tickets/{ticket.pk}/").context["page"].memory
    labels = {card.id: card.label for card in memory.changes}
    assert "Orçamento" not in [labels[key] for key in memory.bulk_ids]
    response = act(ana, f"/tickets/{ticket.pk}/decide", expected_version=1, accept=list(memory.bulk_ids))
    assert response.status_code == 200
    assert response.context["memory"].version == 2


def test_accept_all_of_nothing_is_refused(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    assert act(ana, f"/tickets/{ticket.pk}/decide", expected_version=1).status_code == 400
    assert act(ana, f"/tickets/{ticket.pk}/decide", expected_version=1, accept="nonsense").status_code == 404


# what falls with a change, and what is kept


def said_after(world: World) -> tuple[Ticket, ProposedChange]:
    """The place is corrected, and the time was looked up for the corrected place before anybody decided."""
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    world.say(ticket, "quinta 14h livre na Madalena", "tool", "Agenda")
    world.accept(world.propose(ticket, change("/facts/horario", "quinta às 14h, Madalena", ("m-7", "quinta 14h livre"))))
    return ticket, rows[0]


def test_a_dependent_said_after_the_correction_is_kept_in_the_same_version(world: World, ana: Client) -> None:
    ticket, row = said_after(world)
    card = next(card for card in ana.get(f"/tickets/{ticket.pk}/").context["page"].memory.changes if card.id == str(row.pk))
    assert [(item.pointer, item.later) for item in card.cascade] == [("/facts/horario", True)]
    data = {"expected_version": 2, "keep": "/facts/horario"}
    assert act(ana, f"/tickets/{ticket.pk}/changes/{row.pk}/accept", **data).status_code == 200
    state = TicketState.objects.get(ticket=ticket)
    held = (state.values["facts"]["bairro"], state.slots["/facts/horario"]["status"])
    assert (state.version, *held) == (3, "Madalena", "current")
    # Pressed twice, it is done once.
    assert act(ana, f"/tickets/{ticket.pk}/changes/{row.pk}/accept", **data).status_code == 200
    assert TicketState.objects.get(ticket=ticket).version == 3
    assert not ProposedChange.objects.filter(ticket=ticket, path="/facts/horario", status="pending").exists()


def test_without_keeping_it_the_same_dependent_falls(world: World, ana: Client) -> None:
    ticket, row = said_after(world)
    act(ana, f"/tickets/{ticket.pk}/changes/{row.pk}/accept", expected_version=2)
    assert TicketState.objects.get(ticket=ticket).slots["/facts/horario"]["status"] == "needs_confirmation"


def test_one_said_before_the_correction_offers_no_keeping(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    rows = stories.correction(world, ticket)
    card = next(card for card in ana.get(f"/tickets/{ticket.pk}/").context["page"].memory.changes if card.id == str(rows[0].pk))
    assert [item.later for item in card.cascade] == [False]
    # Asked for all the same, its older words save it from nothing.
    act(ana, f"/tickets/{ticket.pk}/changes/{rows[0].pk}/accept", expected_version=1, keep="/facts/horario")
    assert TicketState.objects.get(ticket=ticket).slots["/facts/horario"]["status"] != "current"


def test_what_holds_no_quoted_value_cannot_be_kept(world: World, ana: Client) -> None:
    ticket, row = said_after(world)
    data = {"expected_version": 2, "keep": "/facts/garantia"}
    assert act(ana, f"/tickets/{ticket.pk}/changes/{row.pk}/accept", **data).status_code == 400
    assert TicketState.objects.get(ticket=ticket).version == 2


def test_the_effect_of_accepting_all_is_shown_before(world: World, ana: Client) -> None:
    ticket = stories.recife(world)
    world.say(ticket, "agora fica na Madalena, e o aparelho é uma adega")
    place = change("/facts/bairro", "Madalena", ("m-4", "agora fica na Madalena"))
    world.propose(ticket, place, change("/facts/aparelho", "adega", ("m-4", "o aparelho é uma adega")))
    memory = ana.get(f"/tickets/{ticket.pk}/").context["page"].memory
    assert [item.pointer for item in memory.bulk_falls] == ["/facts/horario"]
    act(ana, f"/tickets/{ticket.pk}/decide", expected_version=1, accept=list(memory.bulk_ids))
    slots = TicketState.objects.get(ticket=ticket).slots
    assert [key for key, held in slots.items() if held["status"] == "needs_confirmation"] == ["/facts/horario"]


# words that stand more than once


@pytest.fixture
def twice(world: World) -> tuple[Ticket, ProposedChange]:
    ticket = world.ticket()
    world.say(ticket, "😩 moro no Centro. Não é o Centro histórico, é o Centro novo, perto da praça do Centro")
    return ticket, world.propose(ticket, change("/facts/bairro", "Centro", ("m-1", "Centro")))[0]


def test_the_card_asks_which_words_are_meant(ana: Client, twice: tuple[Ticket, ProposedChange]) -> None:
    ticket, _row = twice
    (card,) = ana.get(f"/tickets/{ticket.pk}/").context["page"].memory.changes
    (asked,) = card.occurrences
    assert [(place.start, place.words, place.chosen) for place in asked.places] == [
        (10, "Centro", True),
        (26, "Centro", False),
        (48, "Centro", False),
        (79, "Centro", False),
    ]
    assert (asked.places[1].before, asked.places[1].after) == ("😩 moro no Centro. Não é o ", " histórico, é o Centro novo, p…")
    assert "A que palavras de m-1" in text(ana.get(f"/tickets/{ticket.pk}/"))


def test_the_words_that_are_chosen_are_kept(ana: Client, twice: tuple[Ticket, ProposedChange]) -> None:
    ticket, row = twice
    data = {"expected_version": 0, "start-0": "79"}
    assert act(ana, f"/tickets/{ticket.pk}/changes/{row.pk}/accept", **data).status_code == 200
    (kept,) = TicketState.objects.get(ticket=ticket).slots["/facts/bairro"]["evidence"]
    assert (kept["start"], kept["end"], kept.get("ambiguous")) == (79, 85, None)


@pytest.mark.parametrize(("start", "status"), [("80", 409), ("9999", 409), ("abc", 200), ("-1", 200)])
def test_a_place_where_the_words_do_not_stand_is_refused(
    ana: Client, twice: tuple[Ticket, ProposedChange], start: str, status: int
) -> None:
    ticket, row = twice
    data = {"expected_version": 0, "start-0": start}
    assert act(ana, f"/tickets/{ticket.pk}/changes/{row.pk}/accept", **data).status_code == status


def history(browser: Client, ticket: Ticket) -> Any:
    return browser.get(f"/tickets/{ticket.pk}/", {"pane": "history"})


def test_what_was_undone_says_so_and_offers_nothing(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    act(ana, address(rows[3], "reject"), reason="Valor errado")
    act(ana, f"/tickets/{ticket.pk}/undo", version=2, expected_version=2, reason="engano", pane="history")
    page = history(ana, ticket)
    newest, undone, _first = page.context["page"].memory.history
    assert (undone.version, undone.undone_in, undone.can_undo) == (2, 3, False)
    assert [(line.label, line.word, line.new) for line in newest.lines] == [("Orçamento", "a decidir de novo", "350")]
    assert "desfeita na versão 3" in text(page)
    assert newest.can_undo


def test_why_a_version_was_not_undone_stands_beside_it(ana: Client, ticket: Ticket, rows: list[ProposedChange]) -> None:
    act(ana, address(rows[0], "accept"), expected_version=1)
    act(ana, f"/tickets/{ticket.pk}/set", path="/facts/bairro", value="Casa Forte", expected_version=2, pane="state")
    refused = act(ana, f"/tickets/{ticket.pk}/undo", version=2, expected_version=3, reason="engano", pane="history")
    assert refused.status_code == 409
    memory = refused.context["memory"]
    (row,) = (row for row in memory.history if row.version == 2)
    assert "não pode ser desfeita sozinha" in row.problem.title
    assert (row.reason, memory.problem) == ("engano", None)
    assert row.problem.title in text(refused)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (2, "Desfeito: Bairro da visita volta a ser Boa Viagem"),
        (3, "Desfeito: Sintoma volta a ficar sem valor"),
    ],
)
def test_an_undo_says_what_holds_again(
    version: int, said: str, ana: Client, ticket: Ticket, rows: list[ProposedChange]
) -> None:
    act(ana, address(rows[0], "accept"), expected_version=1)
    stated = act(ana, f"/tickets/{ticket.pk}/set", path="/facts/sintoma", value="não gela", expected_version=2, pane="state")
    assert "Registrado: Sintoma, não gela" in text(stated)
    answer = act(ana, f"/tickets/{ticket.pk}/undo", version=version, expected_version=3)
    assert said in text(answer)


def test_a_condition_or_a_doubt_of_the_models_is_not_accepted_along(world: World, ana: Client, ticket: Ticket) -> None:
    world.say(ticket, "Se passar de quinta, prefiro cancelar. O aparelho é um freezer. Comprei em Olinda")
    when, plain, doubt, other = world.propose(
        ticket,
        change("/goal", "cancelar", ("m-4", "prefiro cancelar")),
        change("/facts/aparelho", "freezer", ("m-4", "é um freezer")),
        change("/facts/sintoma", "não gela", ("m-4", "Comprei em Olinda"), reason="talvez seja isso"),
        change("/preferences/periodo", "tarde", ("m-4", "Comprei em Olinda")),
    )
    memory = ana.get(f"/tickets/{ticket.pk}/").context["page"].memory
    assert set(memory.bulk_ids) == {str(plain.pk), str(other.pk)}
    alone = {card.id: card.alone for card in memory.changes}
    assert alone[str(when.pk)] == "Não é aceita junto com outras: a frase põe uma condição (“se”)."
    assert "o próprio modelo tem dúvida (“talvez”)" in alone[str(doubt.pk)]
    assert alone[str(plain.pk)] == ""
    # Named by itself it is decided like any other.
    assert act(ana, address(when, "accept"), expected_version=1).status_code == 200


@pytest.mark.parametrize(
    ("whose", "label", "path", "source"),
    [
        ("customer", "Endereço", "/facts/endereco", "customer_reported"),
        ("registry", "Aparelho", "/facts/aparelho", "agent"),  # the type names no source of its own for it
    ],
)
def test_what_was_said_elsewhere_is_recorded_from_one_entry(
    whose: str, label: str, path: str, source: str, ana: Client, ticket: Ticket
) -> None:
    assert f"report={whose}" in ana.get(f"/tickets/{ticket.pk}/").content.decode()
    memory = ana.get(f"/tickets/{ticket.pk}/", {"pane": "state", "report": whose}).context["page"].memory
    assert label in {place.label for place in memory.report.places}
    rows = {row.label: row for group in memory.groups for row in group.rows}
    (word,) = (control for control in rows[label].controls if control.name == "reported")
    assert [option.value for option in word.options if option.selected] == [whose]
    act(ana, f"/tickets/{ticket.pk}/set", path=path, value="outro", reported=whose, expected_version=1)
    assert TicketState.objects.get(ticket=ticket).slots[path]["source"] == source


def test_nobody_elses_word_is_asked_for(ana: Client, ticket: Ticket) -> None:
    for whose in ("model", "customer"):
        page = ana.get(
            f"/tickets/{ticket.pk}/", {"pane": "state", "report": whose, "version": "1" if whose == "customer" else ""}
        )
        assert page.context["page"].memory.report is None
