"""Bringing conversations in through the browser, without any script: file, preview, choices, progress, outcome, undo."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from atendimento.actions.import_writing import write_import
from atendimento.ingest.neutral import MAX_FILE
from atendimento.models import Import, ImportedTicket, Message, Ticket
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import ask, text
from tests.support.foreign import CHAT, mail, zipped
from tests.support.stories import World

CHOICES = {"role-0": "customer", "role-1": "agent", "type": "assistencia-tecnica", "where": "new", "read": "yes"}
ATTACK = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def upload(client: Any, content: str | bytes = CHAT, name: str = "conversa.txt") -> Any:
    data = content.encode() if isinstance(content, str) else content
    return client.post("/imports/", {"file": SimpleUploadedFile(name, data)})


def previewed(client: Any, content: str | bytes = CHAT, name: str = "conversa.txt") -> str:
    answer = upload(client, content, name)
    assert answer.status_code == 302, text(answer)
    return str(answer.url)


def brought_in(client: Any, **choices: str) -> str:
    address = previewed(client)
    assert client.post(f"{address}start", CHOICES | choices).status_code == 302
    batch = Import.objects.get()
    write_import(organization_id=batch.organization_id, import_id=batch.pk)
    return address


def test_the_whole_way_without_a_script(world: World, silvia: Any) -> None:
    assert "Solte um arquivo aqui" in text(silvia.get("/imports/"))
    address = previewed(silvia)
    seen = text(silvia.get(address))
    assert (
        "O que foi entendido Mensagens 4 Pessoas 2 Primeira mensagem 05/03/2026 14:00 Última mensagem 25/03/2026 09:15" in seen
    )
    assert "1 aviso sem autor: não serve de evidência." in seen
    assert "Oi, quero agendar uma visita" in seen
    assert Message.objects.count() == 0

    assert silvia.post(f"{address}start", CHOICES)["Location"] == address
    waiting = silvia.get(address)
    assert "0 de 4 mensagens" in text(waiting)
    assert b"Atualizar" in waiting.content
    batch = Import.objects.get()
    write_import(organization_id=batch.organization_id, import_id=batch.pk)

    done = silvia.get(address)
    (ticket,) = Ticket.objects.all()
    assert f"importada 4 mensagens foram importadas. Conversa com Helena {ticket.protocol} · atendimento novo" in text(done)
    assert f'href="/tickets/{ticket.pk}/"' in done.content.decode()
    assert "Moro em Boa Viagem" in text(silvia.get(f"/tickets/{ticket.pk}/"))

    assert silvia.post(f"{address}undo")["Location"] == address
    assert "Desfeita por Sílvia Reis" in text(silvia.get(address))
    assert Ticket.objects.count() == 0
    assert "desfeita" in text(silvia.get("/imports/"))


def test_agents_and_strangers_may_not(world: World, ana: Any, silvia: Any, stranger: Any) -> None:
    address = previewed(silvia)
    for path in ("/imports/", address, f"{address}file"):
        assert ana.get(path).status_code == 403
    for act in ("start", "read", "discard", "undo"):
        assert ana.post(f"{address}{act}", CHOICES).status_code == 403
        assert stranger.post(f"{address}{act}", CHOICES).status_code == 404
    assert upload(ana).status_code == 403
    assert stranger.get(address).status_code == stranger.get(f"{address}file").status_code == 404
    assert Import.objects.count() == 1
    assert Client().get("/imports/").status_code == 302


def test_the_way_there_is_shown_to_who_may(world: World, ana: Any, silvia: Any) -> None:
    assert 'href="/imports/"' in silvia.get("/").content.decode()
    assert 'href="/imports/"' not in ana.get("/").content.decode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "O arquivo está vazio."),
        (b"nada que se entenda", "Isto não é uma exportação do WhatsApp"),
        (b"a" * (MAX_FILE + 1), "O arquivo passa de 20,0 MB."),
        (zipped([("../x.txt", CHAT)]), "Um nome no zip aponta para fora dele: “../x.txt”."),
        (zipped([("foto.jpg", b"x")]), "O zip não tem conversa: falta um .txt."),
    ],
)
def test_a_file_that_is_not_taken_says_why(world: World, silvia: Any, content: bytes, words: str) -> None:
    answer = upload(silvia, content)
    assert answer.status_code == 400
    assert words in text(answer).replace("\u00a0", " ")
    assert Import.objects.count() == 0


def test_no_file_at_all(world: World, silvia: Any) -> None:
    answer = silvia.post("/imports/")
    assert (answer.status_code, "Escolha um arquivo primeiro." in text(answer)) == (400, True)


def test_what_is_missing_is_named_and_what_was_chosen_stays(world: World, silvia: Any) -> None:
    address = previewed(silvia)
    answer = silvia.post(
        f"{address}start", CHOICES | {"role-1": "", "subject": "Minha visita", "where": "existing", "ticket": "1", "read": ""}
    )
    assert answer.status_code == 400
    words = text(answer)
    assert "Falta alguma coisa. Diga quem é Loja Centro. Não há atendimento com esse protocolo." in words
    body = answer.content.decode()
    assert 'value="Minha visita"' in body
    assert re.search(r'value="existing"\s+checked', body)
    assert not re.search(r'name="read"[^>]*checked', body)
    assert Ticket.objects.count() == 0


def test_lines_that_were_not_understood_are_listed_with_their_numbers(world: World, silvia: Any) -> None:
    address = previewed(silvia, "25/03/26 08:00 - A: um\n31/02/26 08:00 - A: dois\n")
    listed = (
        "Não entendido, e deixado de fora linha 2 data ou hora que não existe na ordem do arquivo: 31/02/26 08:00 - A: dois"
    )
    assert listed in text(silvia.get(address))


def test_an_assumed_order_is_said_and_can_be_chosen(world: World, silvia: Any) -> None:
    address = previewed(silvia, "03/04/26 08:00 - Loja: Centro: um\n")
    before = text(silvia.get(address))
    assert "Nenhuma data do arquivo distingue dia de mês. Foi presumido: dia antes do mês." in before
    assert "03/04/2026 08:00" in before
    silvia.post(f"{address}read", {"order": "mdy", "names": "Loja: Centro\r\n"})
    after = text(silvia.get(address))
    assert "04/03/2026 08:00" in after
    assert "Loja: Centro 1 mensagem" in after
    assert "Foi presumido" not in after


def test_what_people_wrote_is_never_markup(world: World, silvia: Any) -> None:
    chat = (
        f"25/03/2026 14:07 - {ATTACK}: {ATTACK}\n"
        f"25/03/2026 14:08 - Bia: \u200e{ATTACK}.jpg (arquivo anexado)\n31/02/2026 09:00 - A: {ATTACK}\n"
    )
    address = previewed(silvia, chat, f"{ATTACK}.txt")
    for page in (silvia.get(address), silvia.get("/imports/"), silvia.post(f"{address}start", {})):
        body = page.content.decode()
        assert "<script>alert" not in body
        assert "<img" not in body


def test_the_raw_file_can_be_saved_and_is_never_shown(world: World, silvia: Any) -> None:
    raw = mail("<b>Oi</b>", kind="text/html")
    answer = silvia.get(f"{previewed(silvia, raw, 'a.eml')}file")
    assert answer.content == raw
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith('attachment; filename="a.eml"')
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_the_same_file_again_leads_to_the_same_import(world: World, silvia: Any) -> None:
    address = brought_in(silvia)
    assert previewed(silvia) == address
    silvia.post(f"{address}start", CHOICES)
    assert Message.objects.count() == 4


def test_a_file_can_be_thrown_away_before_it_is_written_and_not_after(world: World, silvia: Any) -> None:
    assert silvia.post(f"{previewed(silvia)}discard")["Location"] == "/imports/"
    assert Import.objects.count() == 0
    assert silvia.post(f"{brought_in(silvia)}discard").status_code == 400
    assert Import.objects.count() == 1


def test_a_decision_on_the_messages_keeps_the_import_and_says_where(world: World, silvia: Any) -> None:
    address = brought_in(silvia)
    ticket = Ticket.objects.get()
    world.accept(world.propose(ticket, stories.change("/facts/bairro", "Boa Viagem", ("m-4", "Moro em Boa Viagem"))))
    answer = silvia.post(f"{address}undo")
    assert answer.status_code == 409
    assert f"Decisões no atendimento {ticket.protocol} se apoiam em m-4." in text(answer)
    assert Message.objects.count() == 4


def test_into_an_existing_ticket(world: World, silvia: Any) -> None:
    ticket = world.ticket()
    address = brought_in(silvia, where="existing", ticket=ticket.protocol)
    assert "atendimento existente · 4 mensagens novas" in text(silvia.get(address))
    assert ImportedTicket.objects.get().ticket == ticket


def test_the_progress_is_a_fragment_that_asks_again_until_it_is_done(world: World, silvia: Any) -> None:
    address = previewed(silvia)
    silvia.post(f"{address}start", CHOICES)
    waiting = ask(silvia, address).content.decode()
    assert 'hx-trigger="every 1s"' in waiting
    assert "<html" not in waiting
    batch = Import.objects.get()
    write_import(organization_id=batch.organization_id, import_id=batch.pk)
    assert "hx-trigger" not in ask(silvia, address).content.decode()


def test_pages_ask_the_database_the_same_however_much_there_is(world: World, silvia: Any) -> None:
    address = previewed(silvia)
    few = queries_of(lambda: silvia.get(address)), queries_of(lambda: silvia.get("/imports/"))
    people = "".join(f"25/03/2026 14:{n:02} - P{n}: oi\n" for n in range(40))
    more = previewed(silvia, people)
    assert (queries_of(lambda: silvia.get(more)), queries_of(lambda: silvia.get("/imports/"))) == few


def test_an_estimated_date_is_marked_in_the_conversation(world: World, silvia: Any) -> None:
    broken = mail("Oi", Date="qui, 5 mar 2026 14:07 -03", Received="from a.test by b.test; Thu, 05 Mar 2026 17:07:40 +0000")
    address = previewed(silvia, broken, "a.eml")
    assert "1 mensagem tem data estimada." in text(silvia.get(address))
    silvia.post(f"{address}start", CHOICES)
    batch = Import.objects.get()
    write_import(organization_id=batch.organization_id, import_id=batch.pk)
    page = text(silvia.get(f"/tickets/{Ticket.objects.get().pk}/"))
    assert re.search(r"m-1 · 14:07 · data estimada", page)
