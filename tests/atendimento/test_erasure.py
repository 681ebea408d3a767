"""Erasing a customer (L2): a word that stood in every place that personal data reaches stands nowhere afterwards."""

from __future__ import annotations

import base64
import io
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from structlog.testing import capture_logs

from atendimento import actions, jobs, places, proof
from atendimento.actions import (
    console,
    contexts,
    decisions,
    erasing,
    erasures,
    exports,
    holds,
    messages,
    reminders,
    slots,
    undo,
)
from atendimento.actions.faults import InvalidInput
from atendimento.actions.import_writing import write_import
from atendimento.actions.imports import How, Plan, begin_import, preview_import
from atendimento.actions.merging import merge_ticket
from atendimento.actions.rereading import read_on
from atendimento.actions.splitting import Part, split_ticket
from atendimento.models import (
    Act,
    AdministrativeAct,
    Correction,
    Customer,
    ErasureRequest,
    ErasureStatus,
    Import,
    ImportFile,
    LedgerEvent,
    Message,
    OutboxEntry,
    Proposal,
    ProposedChange,
    StateSnapshot,
    Ticket,
    TicketState,
)
from memoria.errors import DomainError
from memoria.patch import MISSING
from memoria.sources import Kind
from memoria.state import state_from_json
from tests import settings as test_settings
from tests.atendimento.test_rebuilds import begin
from tests.atendimento.test_runs import run
from tests.builders import House, change, make_house, make_ticket, propose, same_organization, say
from tests.support import canary
from tests.support.canary import CANARY
from tests.support.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

CHAT = f"05/03/2026 14:07 - {CANARY}: Oi, moro em {CANARY}\n05/03/2026 14:09 - Loja Centro: Claro!\n"


@pytest.fixture
def house(transactional_db: None, settings: Any) -> House:
    settings.SNAPSHOT_EVERY = 1
    return make_house()


def version(ticket: Ticket) -> int:
    return Ticket.objects.get(pk=ticket.pk).state_version


def canary_ticket(house: House) -> Ticket:
    """A ticket whose customer, subject and channel's ids are the word."""
    who = actions.CustomerData(f"{CANARY}-ext", f"{CANARY} Nome", f"{CANARY}-fone", f"{CANARY}@exemplo.test")
    ticket, _ = actions.create_ticket(
        caller=house.channel,
        ticket_type="assistencia",
        subject=f"{CANARY} assunto",
        customer=who,
        external_id=f"{CANARY}-conversa",
    )
    return ticket


def talk(house: House, ticket: Ticket) -> None:
    """Everybody says it: customer (edited since), third party, staff in reply, note and draft; a pin on it."""
    more: dict[str, Any] = {"external_id": f"{CANARY}-m1", "attachments": [{"name": f"{CANARY}.jpg"}]}
    say(house, ticket, f"{CANARY} mora no Derby, na casa azul", name=CANARY, **more)
    say(house, ticket, f"{CANARY} disse outra coisa", Kind.THIRD_PARTY, CANARY)
    messages.write_reply(member=house.ana, ticket_id=ticket.pk, text=f"Olá, {CANARY}")
    messages.write_reply(member=house.ana, ticket_id=ticket.pk, text=f"nota: {CANARY}", internal=True)
    console.keep_draft(member=house.ana, ticket_id=ticket.pk, text=f"rascunho {CANARY}", internal=False)
    contexts.pin(member=house.ana, ticket_id=ticket.pk, message="m-1")


def decide(house: House, ticket: Ticket) -> None:
    """Accepted, edited, rejected, refused, overridden, stated, confirmed, resolved, undone: with the word in all of it."""
    quote = ("m-1", f"{CANARY} mora no Derby")
    rows = propose(
        house,
        ticket,
        change("/facts/bairro", f"{CANARY} bairro", quote, reason=f"porque {CANARY}"),
        change("/facts/horario", f"{CANARY} hora", quote),
        change("/facts/aparelho", f"{CANARY} aparelho", quote),
        change(f"/facts/{CANARY}", CANARY, quote),
        change("/goal", f"{CANARY} meta", quote, op=CANARY),
        change("/facts/horario", CANARY, ("m-1", f"{CANARY} que não há")),
        change("/constraints/-", {"text": f"{CANARY} mora", "applies_to": []}, quote),
        key=f"{CANARY}-chave",
    )
    assert [row["status"] for row in rows].count("refused") == 3
    decisions.accept_change(member=house.ana, change_id=rows[0]["id"], expected_version=0)
    decisions.edit_change(
        member=house.ana, change_id=rows[1]["id"], expected_version=1, value=f"{CANARY} 14h", reason=f"li {CANARY}"
    )
    decisions.reject_change(member=house.ana, change_id=rows[2]["id"], reason=f"não é {CANARY}")
    decisions.accept_change(member=house.ana, change_id=rows[6]["id"], expected_version=version(ticket))
    task = {"task": f"ligar para {CANARY}", "owner": "team", "due": soon()}
    for path, value in (
        ("/commitments/-", task),
        ("/pending/-", {"question": f"{CANARY}?", "options": [CANARY]}),
        ("/commitments/c-1/status", "cancelled"),
        ("/commitments/-", task | {"task": f"visitar {CANARY}"}),
        ("/facts/bairro", f"{CANARY} dito"),
        ("/facts/aparelho", f"{CANARY} dito"),
        ("/goal", f"{CANARY} meta"),
        ("/goal", MISSING),
    ):
        slots.set_slot(
            member=house.ana, ticket_id=ticket.pk, path=path, value=value, expected_version=version(ticket), reason=CANARY
        )
    say(house, ticket, f"{CANARY} fala do aparelho", name=f"{CANARY} 2")
    number = Ticket.objects.get(pk=ticket.pk).last_message_number
    (weak,) = propose(house, ticket, change("/facts/bairro", f"{CANARY} fala", (f"m-{number}", f"{CANARY} fala")))
    decisions.accept_change(
        member=house.celia, change_id=weak["id"], expected_version=version(ticket), override=f"insiste {CANARY}"
    )
    undo.undo_version(
        member=house.celia, ticket_id=ticket.pk, version=version(ticket), expected_version=version(ticket), reason=CANARY
    )
    say(house, ticket, f"agora {CANARY} mora na Torre", name=CANARY, external_id=f"{CANARY}-m1")  # m-1, edited


def soon() -> str:
    return (datetime.now(UTC) + timedelta(minutes=5)).isoformat(timespec="seconds")


def have_it_read(house: House, ticket: Ticket, model: ModelServer) -> None:
    """A run that answers, one that is parked with its raw answer, and a reading from the messages with its report."""
    said = Message.objects.filter(ticket=ticket).order_by("-number")[0]
    while Proposal.objects.filter(ticket=ticket, status="queued").exists():
        model.answer(change("/facts/aparelho", f"{CANARY} lido", (said.ref, said.text[:20])))
        run(house, Proposal.objects.filter(ticket=ticket, status="queued").order_by("created_at")[0])
    say(house, ticket, f"{CANARY} de novo", name=CANARY)
    model.reset()
    model.refuse(f"não respondo a {CANARY}")
    parked = Proposal.objects.filter(ticket=ticket, status="queued")[0]
    while run(house, parked).status in ("queued", "running"):
        pass
    assert parked.status == "parked"
    row = begin(house, ticket)
    for _window in range(20):
        model.answer(change("/facts/horario", f"{CANARY} relido", (said.ref, said.text[:20])))
        read_on(organization_id=house.organization.pk, rebuild_id=row.pk)
        row.refresh_from_db()
        if row.status == "ready":
            break
    assert row.report is not None


def bring_files(house: House) -> None:
    """A conversation that became a ticket of the customer, and a file that was only looked at."""
    looked_at: dict[str, Any] = {"organization": house.organization, "member": house.celia, "file_name": f"{CANARY}.txt"}
    batch = preview_import(content=CHAT.encode(), how=How("dmy", (CANARY,)), **looked_at)
    plan = Plan("assistencia", {CANARY: "customer", "Loja Centro": "agent"}, subject=f"{CANARY} trazido")
    begin_import(organization=house.organization, member=house.celia, import_id=batch.pk, plan=plan)
    write_import(organization_id=house.organization.pk, import_id=batch.pk)
    brought = Ticket.objects.get(subject__contains="trazido")
    Ticket.objects.filter(pk=brought.pk).update(customer=Customer.objects.get(external_id=f"{CANARY}-ext"))
    Customer.objects.exclude(external_id=f"{CANARY}-ext").filter(name=CANARY).delete()
    other = CHAT.replace("Oi", "Olá").replace(f"{CANARY}:", f"{CANARY} Nome:")
    preview_import(content=other.encode(), **looked_at)


def stuffed(house: House, model: ModelServer) -> Ticket:
    """The word in every place that personal data reaches; the ticket in which most of it stands."""
    ticket = canary_ticket(house)
    talk(house, ticket)
    decide(house, ticket)
    reminders.remind_all(house.organization)
    have_it_read(house, ticket, model)
    bring_files(house)
    part = Part(subject=f"{CANARY} parte", ticket_type="assistencia", messages=["m-1"], values=["/facts/bairro"])
    made, _new = split_ticket(
        member=house.celia, ticket_id=ticket.pk, part=part, expected_version=version(ticket), key=uuid.uuid4()
    )
    merge_ticket(member=house.celia, ticket_id=made.pk, into=ticket.protocol)
    hold = holds.place_hold(member=house.davi, ticket_id=ticket.pk, reason=f"processo de {CANARY}")
    holds.lift_hold(member=house.davi, hold_id=hold.pk)
    asked, _new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id, reason=f"pediu {CANARY}")
    erasures.refuse(member=house.davi, request_id=asked.pk, reason=f"falta {CANARY}")
    exports.make_export(member=house.celia, customer_id=ticket.customer_id)
    slots.set_slot(
        member=house.ana, ticket_id=ticket.pk, path="/facts/horario", value=f"{CANARY} fim", expected_version=version(ticket)
    )
    propose(house, ticket, change("/facts/horario", f"{CANARY} enfim", ("m-1", f"{CANARY} mora na Torre")))
    say(house, ticket, f"{CANARY} por fim", name=CANARY)  # leaves a run queued, in the outbox and in Redis
    return ticket


def erase(house: House, ticket: Ticket) -> ErasureRequest:
    """Asked for by Célia, approved by Davi, done as a worker does it."""
    asked, _new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id, reason=f"a pedido: {CANARY}")
    erasures.approve(member=house.davi, request_id=asked.pk)
    erasures.work(organization_id=house.organization.pk, request_id=asked.pk)
    asked.refresh_from_db()
    return asked


def personal_columns() -> set[str]:
    """`table.column` of every column that the list of places says is erased."""
    found = {f"{name}.{column}" for name, columns in places.ELSEWHERE.items() for column in columns.split()}
    for place in places.PLACES:
        found |= {f"{place.model.__name__.lower()}.{name}" for name in place.left}
    return found


NEVER_WORDS = {
    # Held by no word of a customer, though it goes: positions, salts, moments, lists of addresses.
    "message.unquotable",
    "message.unread",
    "message.awaits_reading",
    "message.erased_at",
    "ticket.erased_at",
    "ledgerevent.salt",
    "rebuild.status",
    "proposedchange.cascade",
    "proposedchange.cautions",
    "rebuildreading.context_report",
    # Where a fault's words land; they are the server's.
    "import.problem",
    "rebuild.problem_detail",
    "proposal.run",
    "rebuild.run",
    "rebuild.state",
}


def counts() -> tuple[int, int, int]:
    return Ticket.objects.count(), Message.objects.count(), LedgerEvent.objects.count()


def history_verifies(erased: int) -> None:
    """What is left still proves itself, and says how much of it is gone."""
    out = io.StringIO()
    with same_organization():
        call_command("verify_history", stdout=out)
    assert f"agree; {erased} event(s) without content, erased" in out.getvalue()
    for key in Ticket.objects.values_list("pk", flat=True):
        assert proof.verify(key) == []
    begun = LedgerEvent.objects.filter(kind="erased").values("version")
    assert not StateSnapshot.objects.exclude(version__in=begun).exists()


def state_says_so(ticket: Ticket) -> None:
    """Every field that held something is open because its evidence was erased, and nothing else is left."""
    row = TicketState.objects.get(ticket=ticket)
    state = state_from_json({"version": row.version, "values": row.values, "slots": row.slots, "minted": row.minted})
    said = {(slot.status.value, slot.stale_because and slot.stale_because.to_json()) for slot in state.slots.values()}
    assert said == {("open", "evidence_erased")}
    assert len(state.slots) >= 3
    assert not any(state.values.values())


def report_says_what_went_where(done: ErasureRequest) -> None:
    names = {name.split(" (")[0] for name in done.report}
    assert names >= {"message", "messagerevision", "ledgerevent", "proposedchange", "correction", "proposal", "rebuild"}
    assert names >= {"draft", "messagepin", "reminder", "statesnapshot", "import", "importfile", "customer", "customerexport"}
    acts = list(AdministrativeAct.objects.order_by("pk").values_list("kind", flat=True))
    assert acts[-3:] == [Act.ERASURE_REQUESTED, Act.ERASURE_APPROVED, Act.ERASURE_DONE]


def test_a_word_in_every_place_is_found_nowhere_afterwards(house: House, model_server: ModelServer) -> None:
    """L2, L3, H2: and what is left verifies, says what is gone, and counts as before."""
    with capture_logs() as lines:
        ticket = stuffed(house, model_server)
        held = {place.removeprefix("atendimento_") for place in canary.in_database()}
        reached = {place for place in personal_columns() if place not in NEVER_WORDS}
        assert reached - held == set(), "the word was not put there, so its going proves nothing"
        numbers, logs = counts(), LedgerEvent.objects.values("ticket").distinct().count()

        done = erase(house, ticket)

    assert (done.status, done.done, done.total) == (ErasureStatus.DONE, 3, 3)
    assert canary.everywhere() == set()
    assert CANARY not in repr(lines)
    assert CANARY not in repr(AdministrativeAct.objects.values())
    assert counts() == (numbers[0], numbers[1], numbers[2] + logs)  # each began anew
    history_verifies(erased=numbers[2])
    state_says_so(ticket)
    report_says_what_went_where(done)


# --- a place that was left out --------------------------------------------------------------------------------------


@pytest.fixture
def superuser(transactional_db: None) -> Iterator[psycopg.Connection]:
    with canary.superuser() as link:
        yield link


def undeclared(link: psycopg.Connection) -> set[str]:
    """Columns of texts, documents and bytes that no list names: neither what is erased nor what is kept."""
    named = {f"{name}.{column}" for name, columns in places.KEPT.items() for column in columns.split()} | personal_columns()
    whole = {place.model.__name__.lower() for place in places.PLACES if not place.left}
    plain = {"bigint", "integer", "smallint", "boolean", "uuid", "date", "numeric", "double precision"}
    return {
        f"{table}.{column}"
        for table, column, kind, made in canary.columns(link)
        if kind not in plain
        and not kind.startswith("time")
        and not made
        and (name := table.removeprefix("atendimento_"))
        and f"{name}.{column}" not in named
        and name not in whole
        and not table.startswith(places.OF_LIBRARIES)
    }


def test_every_column_that_could_hold_words_is_named_as_erased_or_as_kept(superuser: psycopg.Connection) -> None:
    assert undeclared(superuser) == set(), "name it in atendimento/places.py: in PLACES, ELSEWHERE or KEPT"


def test_a_table_that_was_forgotten_is_found_by_the_list_and_by_the_search(house: House, superuser: psycopg.Connection) -> None:
    ticket, named = canary_ticket(house), undeclared(superuser)
    superuser.execute("CREATE TABLE atendimento_forgotten (id bigint, ticket_id uuid, words jsonb, raw bytea)")
    try:
        superuser.execute(
            "INSERT INTO atendimento_forgotten VALUES (1, %s, %s, %s)",
            [ticket.pk, f'["{CANARY.upper()}"]', CANARY.encode()],
        )

        erase(house, ticket)

        forgotten = {"atendimento_forgotten.words", "atendimento_forgotten.raw"}
        assert undeclared(superuser) - named == forgotten
        assert canary.everywhere() == forgotten
    finally:
        superuser.execute("DROP TABLE atendimento_forgotten")


def test_what_is_forgotten_in_redis_or_in_a_file_is_found(house: House, tmp_path_factory: Any) -> None:
    queues = [f"lastro:fila-{shift}" for shift in range(3)]
    jobs.connection().set("lastro:esquecido", CANARY.encode())
    for shift in range(3):  # as Celery packs a job's body, wherever the word stands in it
        jobs.connection().rpush(f"lastro:fila-{shift}", base64.b64encode(b"{" * (shift + 3) + CANARY.encode() + b'"}'))
    forgotten = test_settings.RUN_DIR / "esquecido.txt"
    forgotten.write_text(CANARY.upper())
    try:
        assert canary.everywhere() == {"lastro:esquecido", *queues, "esquecido.txt"}
    finally:
        forgotten.unlink()
        jobs.connection().delete("lastro:esquecido", *queues)


def test_no_place_names_a_column_that_there_is_not(superuser: psycopg.Connection) -> None:
    there = {f"{table.removeprefix('atendimento_')}.{column}" for table, column, _kind, _made in canary.columns(superuser)}
    kept = {f"{name}.{column}" for name, columns in places.KEPT.items() for column in columns.split()}

    assert (personal_columns() | kept) - there == set()
    assert personal_columns() & kept == {"rebuild.status"}


# --- around it ------------------------------------------------------------------------------------------------------


def test_what_the_customer_writes_next_begins_afresh(house: House) -> None:
    ticket = canary_ticket(house)
    say(house, ticket, "oi", external_id="m1")
    erase(house, ticket)

    with pytest.raises(DomainError, match=r"ticket\.erased"):
        say(house, ticket, "de novo")
    with pytest.raises(DomainError, match=r"ticket\.erased"):
        actions.update_ticket(member=house.ana, ticket_id=ticket.pk, status="open")
    again = canary_ticket(house)

    assert again.pk != ticket.pk
    assert again.customer_id != ticket.customer_id
    assert Customer.objects.get(pk=ticket.customer_id).name == ""
    assert say(house, again, "oi", external_id="m1") == "m-1"


def test_another_customer_s_data_stay_as_they_are(house: House) -> None:
    other = make_ticket(house, "cli-2")
    say(house, other, "moro no Pina")
    (row,) = propose(house, other, change("/facts/bairro", "Pina", ("m-1", "Pina")))
    decisions.accept_change(member=house.ana, change_id=row["id"], expected_version=0)
    before = (Message.objects.filter(ticket=other).values().get(), TicketState.objects.filter(ticket=other).values().get())
    ticket = canary_ticket(house)
    say(house, ticket, CANARY)

    erase(house, ticket)

    after = (Message.objects.filter(ticket=other).values().get(), TicketState.objects.filter(ticket=other).values().get())
    assert after == before
    assert proof.verify(other.pk) == []
    assert ProposedChange.objects.get(pk=row["id"]).value == "Pina"


def test_a_hold_stands_against_approval_and_stops_what_is_under_way(house: House) -> None:
    ticket = canary_ticket(house)
    asked, _new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id)
    hold = holds.place_hold(member=house.davi, customer_id=ticket.customer_id, reason="processo")

    with pytest.raises(InvalidInput) as refused:
        erasures.approve(member=house.davi, request_id=asked.pk)
    assert refused.value.faults[0].code == "erasure.held"
    holds.lift_hold(member=house.davi, hold_id=hold.pk)
    erasures.approve(member=house.davi, request_id=asked.pk)
    hold = holds.place_hold(member=house.davi, ticket_id=ticket.pk, reason="processo")
    erasures.work(organization_id=house.organization.pk, request_id=asked.pk)

    asked.refresh_from_db()
    assert (asked.status, asked.done) == (ErasureStatus.HELD, 0)
    assert Customer.objects.get(pk=ticket.customer_id).name == f"{CANARY} Nome"
    holds.lift_hold(member=house.davi, hold_id=hold.pk)
    erasures.approve(member=house.davi, request_id=asked.pk)
    erasures.work(organization_id=house.organization.pk, request_id=asked.pk)
    asked.refresh_from_db()
    assert asked.status == ErasureStatus.DONE


def test_a_job_that_died_between_its_steps_goes_on_and_counts_nothing_twice(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = canary_ticket(house)
    say(house, ticket, f"{CANARY} mora", name=CANARY)
    for value in ("um", "dois"):
        slots.set_slot(
            member=house.ana, ticket_id=ticket.pk, path="/facts/bairro", value=value, expected_version=version(ticket)
        )
    asked, _new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id)
    erasures.approve(member=house.davi, request_id=asked.pk)

    def died(*_args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "erase_history", died)
        with pytest.raises(KeyboardInterrupt):
            erasures.work(organization_id=house.organization.pk, request_id=asked.pk)
    assert Correction.objects.get().old == "um"
    assert OutboxEntry.objects.filter(job=jobs.ERASE, subject=asked.pk).exists()
    for _again in range(2):
        erasures.work(organization_id=house.organization.pk, request_id=asked.pk)

    asked.refresh_from_db()
    assert (asked.status, asked.done) == (ErasureStatus.DONE, 1)
    told = {name.split(" (")[0]: count for name, count in asked.report.items()}
    assert (told["correction"], told["ledgerevent"], told["customer"]) == (1, 2, 1)
    assert not OutboxEntry.objects.filter(job=jobs.ERASE).exists()
    assert proof.verify(ticket.pk) == []


def test_who_asks_and_who_decides(house: House) -> None:
    ticket = canary_ticket(house)
    with pytest.raises(DomainError, match=r"permission\.denied"):
        erasures.request_erasure(member=house.ana, customer_id=ticket.customer_id)
    asked, new = erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id)
    assert new
    assert erasures.request_erasure(member=house.celia, customer_id=ticket.customer_id) == (asked, False)
    with pytest.raises(DomainError, match=r"permission\.denied"):
        erasures.approve(member=house.celia, request_id=asked.pk)
    with pytest.raises(InvalidInput):
        erasures.refuse(member=house.davi, request_id=asked.pk, reason=" ")
    erasures.refuse(member=house.davi, request_id=asked.pk, reason="não é a titular")
    with pytest.raises(InvalidInput):
        erasures.approve(member=house.davi, request_id=asked.pk)
    erasures.work(organization_id=house.organization.pk, request_id=asked.pk)
    assert Customer.objects.get(pk=ticket.customer_id).erased_at is None


def test_a_file_under_way_is_waited_for(house: House) -> None:
    ticket = canary_ticket(house)
    batch = preview_import(organization=house.organization, member=house.celia, file_name="x.txt", content=CHAT.encode())
    plan = Plan("assistencia", {CANARY: "customer", "Loja Centro": "agent"}, ticket=ticket.protocol)
    begin_import(organization=house.organization, member=house.celia, import_id=batch.pk, plan=plan)
    write_import(organization_id=house.organization.pk, import_id=batch.pk)
    Import.objects.update(status="running")
    asked = erase(house, ticket)
    assert (asked.status, ImportFile.objects.count()) == (ErasureStatus.RUNNING, 1)

    Import.objects.update(status="done")
    erasures.work(organization_id=house.organization.pk, request_id=asked.pk)

    asked.refresh_from_db()
    assert (asked.status, ImportFile.objects.count()) == (ErasureStatus.DONE, 0)
    assert canary.everywhere() == set()
