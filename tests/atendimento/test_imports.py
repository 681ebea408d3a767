"""Conversations from files, written into the real database: once, in order, by slices, and taken back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from atendimento import actions, tenancy
from atendimento.actions import import_writing
from atendimento.actions.import_undoing import CannotUndo, undo_import
from atendimento.actions.import_writing import write_import
from atendimento.actions.imports import How, Plan, begin_import, discard_preview, preview_import, read_again
from atendimento.models import (
    Customer,
    Import,
    ImportedTicket,
    ImportFile,
    Message,
    OutboxEntry,
    Proposal,
    ProposedChange,
    Ticket,
)
from memoria.errors import Code, DomainError
from tests.builders import House, assert_replays, change, make_house, make_ticket, propose, say
from tests.support.foreign import CHAT, mail, mailbox, one

ROLES = {"Helena": "customer", "Loja Centro": "agent"}


def preview(house: House, content: str | bytes = CHAT, name: str = "conversa.txt", who: str = "celia") -> Import:
    data = content.encode() if isinstance(content, str) else content
    return preview_import(organization=house.organization, member=getattr(house, who), file_name=name, content=data)


def bring_in(house: House, content: str | bytes = CHAT, roles: Mapping[str, str] = ROLES, **plan: Any) -> Import:
    batch = preview(house, content)
    chosen = Plan("assistencia", roles, **plan)
    begin_import(organization=house.organization, member=house.celia, import_id=batch.pk, plan=chosen)
    write_import(organization_id=house.organization.pk, import_id=batch.pk)
    batch.refresh_from_db()
    return batch


def only_ticket(batch: Import) -> Ticket:
    (link,) = ImportedTicket.objects.filter(batch=batch)
    assert link.ticket is not None
    return link.ticket


# --- preview ------------------------------------------------------------------------------------------------------


def test_a_preview_writes_no_ticket_and_says_what_was_understood(house: House) -> None:
    batch = preview(house)

    assert (batch.status, batch.total, Ticket.objects.count(), Message.objects.count()) == ("preview", 4, 0, 0)
    assert [(item["key"], item["messages"]) for item in batch.summary["people"]] == [("Helena", 2), ("Loja Centro", 1)]
    assert (batch.summary["notices"], batch.summary["date_order"], batch.summary["date_order_by"]) == (1, "dmy", "file")
    assert (batch.summary["first"], batch.summary["last"]) == ("2026-03-05T17:00:00+00:00", "2026-03-25T12:15:00+00:00")


def test_who_is_a_member_is_suggested_as_staff_and_who_is_left_as_the_customer(house: House) -> None:
    batch = preview(house, mailbox(mail("Oi"), mail("Olá", sender="Ana da Loja <ana@casa.example>")))

    assert {item["key"]: item["role"] for item in batch.summary["people"]} == {
        "ana@exemplo.test": "customer",
        "ana@casa.example": "agent",
    }


def test_it_can_be_read_again_another_way_and_thrown_away(house: House) -> None:
    batch = preview(house, "03/04/26 08:00 - Loja: Centro: um\n")
    assert batch.summary["date_order_by"] == "assumed"

    again = read_again(member=house.celia, import_id=batch.pk, how=How.of("mdy", ["Loja: Centro", " "]))
    assert [item["key"] for item in again.summary["people"]] == ["Loja: Centro"]
    assert again.summary["first"].startswith("2026-03-04")

    discard_preview(member=house.celia, import_id=batch.pk)
    assert (Import.objects.count(), ImportFile.objects.count()) == (0, 0)


@pytest.mark.parametrize(
    ("roles", "plan", "pointers"),
    [
        ({"Helena": "customer"}, {}, ["/roles/1"]),
        ({"Helena": "registry", "Loja Centro": "agent"}, {}, ["/roles/0"]),
        ({"Helena": "agent", "Loja Centro": "agent"}, {}, ["/roles"]),
        (ROLES, {"ticket_type": "outra"}, ["/ticket_type"]),
        (ROLES, {"ticket": "2026-999999"}, ["/ticket"]),
    ],
)
def test_a_choice_that_is_missing_is_named(
    house: House, roles: dict[str, str], plan: dict[str, str], pointers: list[str]
) -> None:
    batch = preview(house)
    fields: dict[str, Any] = {"ticket_type": "assistencia", "roles": roles} | plan
    chosen = Plan(**fields)

    with pytest.raises(actions.InvalidInput) as refused:
        begin_import(organization=house.organization, member=house.celia, import_id=batch.pk, plan=chosen)

    assert [fault.pointer for fault in refused.value.faults] == pointers
    assert Import.objects.get().status == "preview"


@pytest.mark.parametrize("what", ["preview", "begin", "undo"])
def test_an_agent_may_not(house: House, what: str) -> None:
    batch = preview(house)
    plan = Plan("assistencia", ROLES)
    acts: dict[str, Callable[[], object]] = {
        "preview": lambda: preview(house, who="ana"),
        "begin": lambda: begin_import(organization=house.organization, member=house.ana, import_id=batch.pk, plan=plan),
        "undo": lambda: undo_import(member=house.ana, import_id=batch.pk),
    }
    with pytest.raises(DomainError) as refused:
        acts[what]()
    assert refused.value.code is Code.PERMISSION_DENIED


# --- writing ------------------------------------------------------------------------------------------------------


def test_the_messages_stand_in_a_new_ticket_with_their_authors_and_times(house: House) -> None:
    batch = bring_in(house, subject="Visita")
    ticket = only_ticket(batch)
    rows = list(Message.objects.filter(ticket=ticket).order_by("number"))

    assert (batch.status, batch.done, batch.added) == ("done", 4, 4)
    assert (ticket.subject, ticket.channel, ticket.customer.name, ticket.last_message_number) == (
        "Visita",
        "whatsapp",
        "Helena",
        4,
    )
    assert [(row.number, row.author_kind, row.author_name, row.automatic) for row in rows] == [
        (1, "system", "", True),
        (2, "customer", "Helena", False),
        (3, "agent", "Loja Centro", False),
        (4, "customer", "Helena", False),
    ]
    assert rows[1].said_at == rows[1].sent_at == datetime(2026, 3, 5, 17, 7, tzinfo=UTC)
    assert not OutboxEntry.objects.filter(subject=batch.pk).exists()
    assert_replays(ticket)


def test_whoever_was_not_answered_waits_since_they_said_it(house: House) -> None:
    ticket = only_ticket(bring_in(house))
    assert ticket.waiting_since == datetime(2026, 3, 25, 12, 15, tzinfo=UTC)  # 09:15 in Recife
    answered = CHAT + "25/03/2026 09:20 - Loja Centro: Anotado\n"
    bring_in(house, answered, ticket=ticket.protocol)
    ticket.refresh_from_db()
    assert ticket.waiting_since is None


def test_notices_and_quoted_parts_are_no_evidence_and_answers_are(house: House) -> None:
    inline = "Em 5 de mar. de 2026, Loja escreveu:\n\n> Podemos trocar?\n\nNão, prefiro o dinheiro de volta.\n"
    ticket = only_ticket(
        bring_in(house, mailbox(mail(inline), mail("Fora", Auto_Submitted="auto-replied")), {"ana@exemplo.test": "customer"})
    )
    rows = propose(
        house,
        ticket,
        change("/facts/aparelho", "x", ("m-1", "Não, prefiro o dinheiro de volta.")),
        change("/facts/bairro", "x", ("m-1", "Podemos trocar?")),
        change("/facts/horario", "x", ("m-2", "Fora")),
    )
    assert [[reason["code"] for reason in row["reasons"]] for row in rows] == [
        ["allowed.first_value"],
        ["evidence.not_quotable"],
        ["evidence.not_quotable"],
    ]


def test_a_deleted_an_edited_and_an_attached_message(house: House) -> None:
    chat = (
        "25/03/2026 14:07 - Helena: Mensagem apagada\n25/03/2026 14:08 - Helena: às 15h <Esta mensagem foi editada>\n"
        "25/03/2026 14:09 - Helena: \u200eIMG-1.jpg (arquivo anexado)\n"
    )
    ticket = only_ticket(bring_in(house, chat, {"Helena": "customer"}))
    deleted, edited, attached = Message.objects.filter(ticket=ticket).order_by("number")

    assert deleted.deleted_at is not None
    assert not deleted.awaits_reading
    assert (edited.text, edited.edited_at is not None, edited.notes) == ("às 15h", True, ["edited_in_channel"])
    assert (attached.text, attached.attachments) == ("", [{"name": "IMG-1.jpg", "type": "image"}])


def test_the_model_reads_once_at_the_end_or_not_at_all(house: House) -> None:
    ticket = only_ticket(bring_in(house))
    assert Proposal.objects.filter(ticket=ticket).count() == 1
    assert list(
        Message.objects.filter(ticket=ticket, awaits_reading=True).order_by("number").values_list("number", flat=True)
    ) == [2, 3, 4]

    unread = only_ticket(bring_in(house, CHAT.replace("Boa Viagem", "Pina"), read=False))
    assert not Proposal.objects.filter(ticket=unread).exists()
    assert not Message.objects.filter(ticket=unread, awaits_reading=True).exists()


def test_each_dialogue_becomes_a_ticket_of_its_own(house: House) -> None:
    dialogues = [
        {
            "id": f"d-{n}",
            "domain": "pizza",
            "messages": [{"author": "customer", "text": f"{n}"}, {"author": "agent", "text": "ok"}],
        }
        for n in range(3)
    ]
    batch = bring_in(house, "\n".join(map(json.dumps, dialogues)), {"customer": "customer", "agent": "agent"})
    links = list(ImportedTicket.objects.filter(batch=batch).order_by("position"))

    assert [link.ticket.subject for link in links if link.ticket] == ["pizza · d-0", "pizza · d-1", "pizza · d-2"]
    assert len({link.ticket.customer_id for link in links if link.ticket}) == 3


def test_the_same_file_again_adds_nothing(house: House) -> None:
    first = bring_in(house)
    again = bring_in(house)

    assert again.pk == first.pk
    assert (Ticket.objects.count(), Message.objects.count(), Import.objects.count()) == (1, 4, 1)


def test_the_same_conversation_in_another_file_adds_nothing(house: House) -> None:
    first = bring_in(house)
    again = bring_in(house, CHAT.replace("\n", "\r\n"))

    assert (again.pk != first.pk, again.added, only_ticket(again)) == (True, 0, only_ticket(first))
    assert Message.objects.count() == 4


def test_two_who_begin_the_same_file_at_once_get_one_import(house: House) -> None:
    first, second = preview(house, who="celia"), preview(house, who="davi")
    plan = Plan("assistencia", ROLES)
    one = begin_import(organization=house.organization, member=house.celia, import_id=first.pk, plan=plan)
    two = begin_import(organization=house.organization, member=house.davi, import_id=second.pk, plan=plan)

    assert (first.pk != second.pk, one.pk, two.pk) == (True, first.pk, first.pk)


def test_a_preview_that_nobody_went_on_with_is_thrown_away_after_a_week(house: House) -> None:
    old = preview(house)
    Import.objects.update(created_at=old.created_at - timedelta(days=8))
    preview(house, CHAT + "26/03/2026 10:00 - Helena: Confirmado\n")

    assert not Import.objects.filter(pk=old.pk).exists()


def test_a_longer_export_into_the_same_ticket_adds_only_what_is_new(house: House) -> None:
    ticket = only_ticket(bring_in(house))
    longer = bring_in(house, CHAT + "26/03/2026 10:00 - Helena: Confirmado\n", ticket=ticket.protocol)

    assert longer.added == 1
    assert Message.objects.get(ticket=ticket, number=5).text == "Confirmado"


def test_an_existing_ticket_keeps_its_authors_and_stays_closed(house: House, ticket: Ticket) -> None:
    say(house, ticket, "Oi de novo")
    actions.update_ticket(member=house.celia, ticket_id=ticket.pk, status="closed")
    bring_in(house, CHAT, ticket=ticket.protocol)
    ticket.refresh_from_db()

    assert (ticket.status, ticket.last_message_number) == ("closed", 5)
    assert set(Message.objects.filter(ticket=ticket, author_kind="customer").values_list("author_key", flat=True)) == {"Helena"}


REPORT = (
    "--b\nContent-Type: text/plain\n\nMailbox unavailable\n"
    "--b\nContent-Type: message/delivery-status\n\nAction: failed\n--b--\n"
)


@pytest.mark.parametrize(
    ("raw", "wakes"),
    [
        pytest.param(mail("Estou de férias.", Auto_Submitted="auto-replied"), False, id="an absence note (IE-04 a)"),
        pytest.param(
            mail(REPORT, kind="multipart/report; boundary=b; report-type=delivery-status", Return_Path="<>"),
            False,
            id="a bounce (IE-04 b)",
        ),
        pytest.param(mail("Ainda não chegou.", Auto_Submitted="no"), True, id="a person whose program says so (IE-04 c)"),
        pytest.param(mail("Volto dia 20.", Precedence="auto_reply"), False, id="an older sign of an absence note"),
        pytest.param(mail("Volto dia 20.", X_Autoreply="yes"), False, id="an absence note of a provider's own kind"),
        pytest.param(mail("Não entregue.", sender="mailer-daemon@x.test"), False, id="a bounce without any header of one"),
        pytest.param(mail("Lembrete: fatura.", Auto_Submitted="auto-generated"), False, id="a reminder by a machine"),
        pytest.param(mail("Estou de férias, respondam para a Bia."), True, id="a person who writes of their holidays"),
        pytest.param(mail("Quero reabrir.", Precedence="list"), True, id="a person behind a list"),
    ],
)
def test_a_closed_ticket_is_woken_by_people_once_and_by_machines_never(
    house: House, ticket: Ticket, raw: bytes, wakes: bool
) -> None:
    actions.update_ticket(member=house.celia, ticket_id=ticket.pk, status="closed")
    said = one(raw)
    number = say(house, ticket, said.text, automatic=said.automatic)
    ticket.refresh_from_db()
    assert ticket.status == ("open" if wakes else "closed")
    assert Proposal.objects.filter(ticket=ticket).exists() == wakes
    words = said.text.split()[0]
    (row,) = propose(house, ticket, change("/facts/aparelho", "x", (number, words)))
    assert ([reason["code"] for reason in row["reasons"]] == ["evidence.not_quotable"]) != wakes

    brought = only_ticket(bring_in(house, raw, {said.person or "": "customer"}))
    assert Message.objects.get(ticket=brought).automatic != wakes


def test_old_words_do_not_replace_newer_ones(house: House, ticket: Ticket) -> None:
    (row,) = propose(house, ticket, change("/facts/bairro", "Pina", (say(house, ticket, "Moro no Pina"), "Pina")))
    house.api().post(f"changes/{row['id']}/accept", {"expected_version": 0})
    bring_in(house, CHAT, ticket=ticket.protocol)

    (old,) = propose(house, ticket, change("/facts/bairro", "Boa Viagem", ("m-5", "Moro em Boa Viagem")))
    assert [reason["code"] for reason in old["reasons"]] == ["evidence.older_than_current"]


def test_a_lost_worker_costs_nothing_but_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = preview(house)
    begin_import(organization=house.organization, member=house.celia, import_id=batch.pk, plan=Plan("assistencia", ROLES))
    monkeypatch.setattr(import_writing, "SLICE", 1)
    work = import_writing._work_of(Import.objects.get())
    assert import_writing._write_slice(batch.pk, work)
    assert import_writing._write_slice(batch.pk, work)
    assert Import.objects.get().done == 2
    assert OutboxEntry.objects.filter(subject=batch.pk).exists()

    write_import(organization_id=house.organization.pk, import_id=batch.pk)

    batch.refresh_from_db()
    (link,) = ImportedTicket.objects.all()
    assert (batch.status, batch.done, batch.added, link.numbers) == ("done", 4, 4, [[1, 1], [2, 2], [3, 3], [4, 4]])
    write_import(organization_id=house.organization.pk, import_id=batch.pk)
    assert Message.objects.count() == 4


def test_a_known_address_is_that_customer_and_a_bare_name_is_nobody_else(house: House) -> None:
    known = Customer.objects.create(organization=house.organization, external_id="crm-1", name="Ana", email="Ana@Exemplo.test")
    by_mail = only_ticket(bring_in(house, mail("Oi"), {"ana@exemplo.test": "customer"}))
    make_ticket(house, "cli-9")
    by_name = only_ticket(bring_in(house))

    assert by_mail.customer == known
    assert by_name.customer.external_id.startswith("import:whatsapp:")


def test_another_organisation_sees_nothing_of_it(house: House) -> None:
    batch = bring_in(house)
    make_house("outra")

    assert (Import.objects.count(), ImportFile.objects.count(), ImportedTicket.objects.count()) == (0, 0, 0)
    assert not Import.objects.filter(pk=batch.pk).exists()


# --- undoing ------------------------------------------------------------------------------------------------------


def test_undoing_takes_the_ticket_away_and_the_file_can_come_again(house: House) -> None:
    batch = bring_in(house)
    undone = undo_import(member=house.celia, import_id=batch.pk)

    assert (undone.status, undone.undone_by) == ("undone", house.celia)
    assert (Ticket.objects.count(), Message.objects.count(), Customer.objects.count(), Proposal.objects.count()) == (0, 0, 0, 0)
    assert not ImportFile.objects.exists()
    assert ImportedTicket.objects.get().ticket is None
    assert undo_import(member=house.celia, import_id=batch.pk).status == "undone"

    again = bring_in(house)
    assert (again.pk != batch.pk, again.added) == (True, 4)


def test_what_is_undecided_goes_with_it(house: House) -> None:
    ticket = only_ticket(batch := bring_in(house))
    propose(house, ticket, change("/facts/bairro", "Boa Viagem", ("m-4", "Moro em Boa Viagem")))

    undo_import(member=house.celia, import_id=batch.pk)
    assert (Ticket.objects.count(), ProposedChange.objects.count()) == (0, 0)


@pytest.mark.parametrize("decision", ["accept", "reject"])
def test_a_decision_on_its_messages_keeps_the_import(house: House, decision: str) -> None:
    ticket = only_ticket(batch := bring_in(house))
    (row,) = propose(house, ticket, change("/facts/bairro", "Boa Viagem", ("m-4", "Moro em Boa Viagem")))
    body = {"expected_version": 0} if decision == "accept" else {}
    assert house.api().post(f"changes/{row['id']}/{decision}", body).status == 200

    with pytest.raises(CannotUndo) as refused:
        undo_import(member=house.celia, import_id=batch.pk)

    assert (refused.value.code, refused.value.data) == ("import.in_use", {"protocol": ticket.protocol, "messages": ["m-4"]})
    assert Message.objects.filter(ticket=ticket).count() == 4
    assert_replays(ticket)


def test_in_an_existing_ticket_the_words_go_and_the_numbers_stay(house: House, ticket: Ticket) -> None:
    first = say(house, ticket, "Moro no Pina")
    (row,) = propose(house, ticket, change("/facts/bairro", "Pina", (first, "Pina")))
    house.api().post(f"changes/{row['id']}/accept", {"expected_version": 0})
    batch = bring_in(house, CHAT, ticket=ticket.protocol)
    last = say(house, ticket, "Pode vir")
    propose(house, ticket, change("/facts/aparelho", "x", ("m-3", "quero agendar")))

    undo_import(member=house.celia, import_id=batch.pk)

    rows = Message.objects.filter(ticket=ticket).order_by("number")
    assert [(row.ref, row.text, row.deleted_at is None) for row in rows if row.text or row.deleted_at is None] == [
        (first, "Moro no Pina", True),
        (last, "Pode vir", True),
    ]
    assert ProposedChange.objects.filter(ticket=ticket, status="superseded").count() == 1
    assert not Message.objects.filter(ticket=ticket, awaits_reading=True, deleted_at__isnull=False).exists()
    ticket.refresh_from_db()
    assert (ticket.last_message_number, ticket.pending_count) == (6, 0)
    assert_replays(ticket)
    assert bring_in(house, CHAT, ticket=ticket.protocol).added == 4


def test_a_made_ticket_in_which_more_was_said_or_decided_stays_without_the_words(house: House) -> None:
    ticket = only_ticket(batch := bring_in(house))
    say(house, ticket, "ainda estou aqui")

    undo_import(member=house.celia, import_id=batch.pk)

    assert list(Message.objects.filter(ticket=ticket, deleted_at=None).values_list("text", flat=True)) == ["ainda estou aqui"]
    assert ImportedTicket.objects.get().ticket == ticket


def test_a_statement_without_any_message_keeps_the_ticket_and_its_ledger(house: House) -> None:
    ticket = only_ticket(batch := bring_in(house))
    body = {"path": "/facts/bairro", "value": "Pina", "expected_version": 0}
    assert house.api().post(f"tickets/{ticket.pk}/slots/set", body).status == 200

    undo_import(member=house.celia, import_id=batch.pk)

    assert Message.objects.filter(ticket=ticket, deleted_at=None).count() == 0
    assert_replays(ticket)


def test_an_import_under_way_is_not_undone(house: House) -> None:
    batch = preview(house)
    with pytest.raises(CannotUndo) as refused:
        undo_import(member=house.celia, import_id=batch.pk)
    assert refused.value.code == "import.not_finished"


# --- the command --------------------------------------------------------------------------------------------------


def run(path: Path, *more: str) -> None:
    call_command("import_transcript", str(path), "--org", "casa", "--ticket-type", "assistencia", "--format", "whatsapp", *more)


def test_the_command_imports_once(house: House, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "Conversa do WhatsApp com Helena.txt"
    path.write_text(CHAT)

    run(path, "--dry-run")
    assert "Helena: 2 messages, taken as customer" in capsys.readouterr().out
    run(path)
    assert "4 of 4 messages are new: 20" in capsys.readouterr().out
    run(path)
    assert "imported already, nothing to do" in capsys.readouterr().out

    with tenancy.organization(house.organization.pk):
        assert (Ticket.objects.count(), Message.objects.count()) == (1, 4)
        assert set(Message.objects.values_list("author_kind", "author_name")) == {
            ("system", ""),
            ("customer", "Helena"),
            ("agent", "Loja Centro"),
        }


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--staff", "Ninguém"], "nobody in the file is called"),
        (["--staff", "Helena", "--staff", "Loja Centro"], "somebody must be the customer"),
    ],
)
def test_the_command_refuses_with_one_line(house: House, tmp_path: Path, more: list[str], words: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(CHAT)
    with pytest.raises(CommandError, match=words):
        run(path, *more)


def test_the_command_names_what_it_cannot_read(house: House, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        run(tmp_path / "nada.txt")
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04")
    with pytest.raises(CommandError, match="zip_damaged"):
        run(tmp_path / "x.zip")
