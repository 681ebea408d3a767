"""Drafting a ticket type and publishing it, and trying its rules out, without any script."""

from __future__ import annotations

import copy
import html
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from atendimento import tenancy
from atendimento.actions.ticket_types import publish_ticket_type
from atendimento.models import Membership, TicketTypeDraft, TicketTypeVersion
from atendimento.web.admin_drafts import moved
from tests.builders import queries_of
from tests.support import stories
from tests.support.asking import text
from tests.support.stories import World, change
from tests.web.conftest import SignIn

TYPE = "/admin/ticket-types/assistencia-tecnica/"
DRAFT = f"{TYPE}draft/"
BAIRRO = {
    "pointer": "/facts/bairro",
    "label": "Bairro da visita",
    "source": ["registry", "agent", "customer"],
    "tie": "latest",
    "inference": "refuse",
    "invalidates": ["/facts/horario", "commitments:visit"],
    "schema": '{"type": "string", "maxLength": 80}',
}


@pytest.fixture
def boss(world: World) -> Membership:
    return Membership.objects.get(organization=world.ana.organization, role="admin")


@pytest.fixture
def adm(boss: Membership, sign_in: SignIn) -> Client:
    client = sign_in(boss)
    assert client.post(f"{TYPE}start")["Location"] == DRAFT
    return client


def save(client: Any, **more: Any) -> Any:
    return client.post(f"{DRAFT}field", BAIRRO | {"revision": TicketTypeDraft.objects.get().revision} | more)


def row(pointer: str = "/facts/bairro") -> Any:
    return TicketTypeDraft.objects.get().document["fields"][pointer]


def published() -> int:
    return TicketTypeVersion.objects.filter(ticket_type__slug="assistencia-tecnica").count()


def test_a_draft_begins_as_what_is_in_force_and_says_so(adm: Any) -> None:
    page = text(adm.get(DRAFT))
    assert "Nada: o rascunho diz o que está em vigor." in page
    assert "disabled>Publicar</button>" in " ".join(adm.get(DRAFT).content.decode().split())
    assert 'value="/facts/bairro"' not in adm.get(DRAFT).content.decode().split("Experimentar")[-1].split("Editar os campos")[1]
    assert TicketTypeDraft.objects.get().document == stories.TICKET_TYPE


def test_an_order_is_changed_by_buttons_published_and_the_next_verdict_follows(world: World, adm: Any) -> None:
    ticket = world.ticket()
    world.say(ticket, "Bairro: Boa Viagem", "registry", "Cadastro")
    world.say(ticket, "moro na Madalena")
    world.accept(world.propose(ticket, change("/facts/bairro", "Boa Viagem", ("m-1", "Boa Viagem"))))
    before = world.propose(ticket, change("/facts/bairro", "Madalena", ("m-2", "moro na Madalena")))[0]
    assert before.verdict == "conflict"
    answer = save(adm, do="up:customer")
    assert answer["Location"] == f"{DRAFT}?field=%2Ffacts%2Fbairro#source-customer"
    save(adm, source=row()["sources"], do="up:customer")
    assert row()["sources"] == ["customer", "registry", "agent"]
    page = text(adm.get(DRAFT))
    assert "Bairro da visita ordem das fontes: o cadastro, a equipe, o cliente → o cliente, o cadastro, a equipe" in page
    assert adm.post(f"{DRAFT}publish", {"revision": 3})["Location"] == TYPE
    assert "versão 2 em vigor" in text(adm.get(TYPE))
    assert TicketTypeDraft.objects.count() == 0
    after = world.propose(ticket, change("/facts/bairro", "na Madalena", ("m-2", "na Madalena")))[0]
    assert after.verdict == "allowed"
    assert "Adm publicou a versão 2 do tipo de atendimento assistencia-tecnica" in text(adm.get("/admin/log/"))


@pytest.mark.parametrize(
    ("act", "source", "order"),
    [
        ("up", "b", ["b", "a", "c"]),
        ("up", "a", ["a", "b", "c"]),
        ("down", "b", ["a", "c", "b"]),
        ("down", "c", ["a", "b", "c"]),
        ("drop", "b", ["a", "c"]),
        ("take", "d", ["a", "b", "c", "d"]),
        ("take", "a", ["a", "b", "c"]),
        ("up", "x", ["a", "b", "c"]),
        ("save", "", ["a", "b", "c"]),
    ],
)
def test_what_the_buttons_of_an_order_do(act: str, source: str, order: list[str]) -> None:
    assert moved(["a", "b", "c"], act, source) == order


def test_a_source_that_is_taken_away_is_told_as_such_and_may_be_published(adm: Any) -> None:
    save(adm, do="drop:agent")
    assert row()["sources"] == ["registry", "customer"]

    page = adm.get(DRAFT)

    assert "não pode mais dizer: a equipe" in text(page)
    assert "disabled>Publicar</button>" not in " ".join(page.content.decode().split())


def test_everything_of_a_field_is_saved_and_told_as_a_difference(adm: Any) -> None:
    said = {"label": "Lugar", "tie": "conflict", "inference": "flag", "invalidates": ["/facts/endereco"]}
    save(adm, **said, literal="yes", sensitive="yes", schema='{"enum": ["a", "b"]}', description="Onde?")
    page = text(adm.get(DRAFT))
    for words in (
        "rótulo: Bairro da visita → Lugar",
        "descrição: — → Onde?",
        "o que cabe: texto, até 80 caracteres → uma opção: a, b",
        "entre iguais: vale a mais recente → uma pessoa resolve",
        "dedução: recusada → aceita, aguarda confirmação",
        "letra por letra: não → sim",
        "invalida: Horário, compromissos do tipo visita → Endereço",
    ):
        assert words in page
    untouched = row("/facts/horario")
    assert untouched == stories.TICKET_TYPE["fields"]["/facts/horario"]


def test_a_field_saved_as_it_was_differs_in_nothing(adm: Any) -> None:
    save(adm)
    assert row() == stories.TICKET_TYPE["fields"]["/facts/bairro"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"invalidates": ["/facts/nada"]}, "Não há este campo nem este tipo de compromisso: /facts/nada."),
        ({"source": ["customer", "astrologo"]}, "Não há esta fonte, ninguém a produz: astrologo."),
        ({"source": []}, "Nomeie ao menos uma fonte."),
        ({"label": ""}, "Escreva algo aqui."),
        ({"schema": '{"type": "texto"}'}, "Isto não é um JSON Schema"),
        ({"schema": "3"}, "Isto tem de ser um JSON Schema."),
    ],
)
def test_a_fault_is_kept_shown_beside_the_field_and_never_published(adm: Any, wrong: dict[str, Any], words: str) -> None:
    assert save(adm, **wrong).status_code == 302
    page = adm.get(DRAFT)
    line = page.content.decode().split("?field=/facts/bairro#form")[-1].split("</li>")[0]
    assert words in html.unescape(line)
    assert words in text(adm.get(f"{DRAFT}?field=/facts/bairro"))
    revision = TicketTypeDraft.objects.get().revision
    assert adm.post(f"{DRAFT}publish", {"revision": revision}).status_code == 400
    assert published() == 1


def test_a_circle_names_its_path_at_each_of_its_fields(adm: Any) -> None:
    save(adm, pointer="/facts/horario", label="Horário", invalidates=["/facts/bairro"])
    page = text(adm.get(DRAFT))
    said = "Estes se invalidam em círculo: Bairro da visita → Horário → Bairro da visita."
    assert page.count(said) == 4  # beside each, and in the list of what is wrong
    assert "Ainda não dá para publicar" in page


def test_what_is_wrong_is_listed_at_the_top_with_the_way_to_each_form(adm: Any) -> None:
    save(adm, invalidates=["/facts/nada"])
    adm.post(f"{DRAFT}head", {"revision": 2, "name": "", "description": ""})
    collection(adm, "commitments", **COMMITMENTS | {"source": []})
    answer = adm.get(f"{DRAFT}publish")
    assert answer.status_code == 400
    page = html.unescape(answer.content.decode())
    listed = page.split("O que está errado</b>")[1].split("</ul>")[0]
    for at, label in (
        ("#head", "O próprio tipo"),
        ("?field=/facts/bairro#form", "Bairro da visita"),
        ("?collection=commitments#collections-edit", "Compromissos"),
    ):
        assert f'<a href="{DRAFT}{at}">{label}</a>' in listed
    assert "Não há este campo nem este tipo de compromisso: /facts/nada." in listed
    assert page.index("Não foi publicado.") < page.index(listed) < page.index('id="differences"')


def test_a_schema_that_is_no_json_is_refused_and_what_was_typed_stays(adm: Any) -> None:
    answer = save(adm, schema='{"type": ', label="Outro nome")
    assert answer.status_code == 400
    assert "Isto não é JSON válido" in text(answer)
    assert "{&quot;type&quot;: </textarea>" in answer.content.decode()
    assert 'value="Outro nome"' in answer.content.decode()
    assert row()["label"] == "Bairro da visita"


def test_a_save_that_was_overtaken_changes_nothing_and_keeps_what_was_typed(adm: Any) -> None:
    save(adm, label="Primeiro")
    answer = save(adm, label="Segundo", revision=1)
    assert answer.status_code == 409
    assert "Alguém mudou o rascunho enquanto isso." in text(answer)
    assert 'value="Segundo"' in answer.content.decode()
    assert row()["label"] == "Primeiro"
    for act in ("publish", "discard", "add", "head", "document"):
        data = {"revision": 1, "name": "x", "document": json.dumps(stories.TICKET_TYPE)}
        assert adm.post(f"{DRAFT}{act}", data).status_code == 409
    assert published() == 1


def test_fields_are_added_and_removed(adm: Any) -> None:
    answer = adm.post(f"{DRAFT}add", {"revision": 1, "map": "/preferences/", "name": "cor", "label": "Cor"})
    assert answer["Location"] == f"{DRAFT}?field=%2Fpreferences%2Fcor#form"
    assert "Cor campo novo" in text(adm.get(DRAFT))
    assert adm.post(f"{DRAFT}add", {"revision": 2, "map": "/preferences/", "name": "cor"}).status_code == 400
    save(adm, pointer="/preferences/cor", do="remove")
    save(adm, pointer="/facts/garantia", do="remove")
    assert "Em garantia removido" in text(adm.get(DRAFT))
    assert save(adm, pointer="/facts/nada").status_code == 404


def test_the_name_of_a_new_field_is_made_of_what_was_typed_and_told(adm: Any) -> None:
    answer = adm.post(f"{DRAFT}add", {"revision": 1, "map": "/facts/", "name": "Opção de Cor/tom"})
    assert row("/facts/opcao_de_cortom")["label"] == "Opção de Cor/tom"
    assert "Incluído como /facts/opcao_de_cortom." in text(adm.get(answer["Location"].split("#")[0]))
    save(adm, pointer="/facts/opcao_de_cortom", label="Cor", source=["agent", "customer"], invalidates=["/facts/horario"])
    said = "Cor campo novo podem dizer: a equipe, o cliente invalida: Horário"
    assert said in text(adm.get(DRAFT))


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"name": "¿?", "label": "Bairro da rua"}, "O nome precisa de ao menos uma letra ou um algarismo."),
        ({"name": "Bairro", "label": "Outro"}, "Já há um campo assim."),
        ({"name": "lugar", "label": "bairro  da VISITA"}, "Outro campo da mesma seção já tem este rótulo."),
    ],
)
def test_a_new_field_that_cannot_be_taken_is_refused_and_what_was_typed_stays(
    adm: Any, sent: dict[str, str], words: str
) -> None:
    answer = adm.post(f"{DRAFT}add", {"revision": 1, "map": "/facts/", **sent})
    assert answer.status_code == 400
    assert words in text(answer)
    assert f'value="{sent["name"]}"' in answer.content.decode()
    assert TicketTypeDraft.objects.get().document == stories.TICKET_TYPE
    other = adm.post(f"{DRAFT}add", {"revision": 1, "map": "/preferences/", "name": "lugar", "label": "Bairro da visita"})
    assert other.status_code == 302  # of another section


def test_the_whole_definition_is_edited_as_text(adm: Any) -> None:
    document = copy.deepcopy(stories.TICKET_TYPE) | {"name": "Assistência"}
    document["collections"]["commitments"]["kinds"].append("refund")
    adm.post(f"{DRAFT}document", {"revision": 1, "document": json.dumps(document)})
    page = text(adm.get(DRAFT))
    assert "O próprio tipo nome: Assistência técnica → Assistência" in page
    assert "Compromissos tipos: visita, consulta de agenda → visita, consulta de agenda, reembolso" in page
    for bad in ("[]", "{", '{"slug": "outro"}'):
        answer = adm.post(f"{DRAFT}document", {"revision": 2, "document": bad})
        assert answer.status_code == 400
        assert TicketTypeDraft.objects.get().document == document
    adm.post(f"{DRAFT}document", {"revision": 2, "document": '{"slug": "assistencia-tecnica", "fields": 3}'})
    assert "/fields: Isto tem de ser um objeto." in text(adm.get(DRAFT))


def test_name_and_description_are_saved_and_a_missing_name_is_told_beside_it(adm: Any) -> None:
    answer = adm.post(f"{DRAFT}head", {"revision": 1, "name": "Assistência", "description": "Em casa ou na unidade."})
    assert answer["Location"] == f"{DRAFT}#head"
    page = text(adm.get(DRAFT))
    assert "O próprio tipo nome: Assistência técnica → Assistência" in page
    assert "descrição: — → Em casa ou na unidade." in page
    adm.post(f"{DRAFT}head", {"revision": 2, "name": " ", "description": ""})
    form = adm.get(DRAFT).content.decode().split('id="h-name"')[1].split("</form>")[0]
    assert "Escreva algo aqui." in html.unescape(form)
    assert adm.post(f"{DRAFT}publish", {"revision": 3}).status_code == 400
    assert adm.post(f"{DRAFT}head", {"revision": 1, "name": "Atrasada"}).status_code == 409
    assert TicketTypeDraft.objects.get().document["name"] == ""


def collection(client: Any, name: str, **more: Any) -> Any:
    return client.post(f"{DRAFT}collection", {"collection": name, "revision": TicketTypeDraft.objects.get().revision} | more)


def collections() -> Any:
    return TicketTypeDraft.objects.get().document["collections"]


COMMITMENTS = {
    "source": ["registry", "agent"],
    "kinds": "visit\nschedule_query\nrefund",
    "completion": ["tool", "performer"],
}


def test_a_collection_s_sources_kinds_and_completion_are_edited_in_its_form(adm: Any) -> None:
    assert "Cliente" not in text(adm.get(f"{DRAFT}?collection=nada"))
    page = adm.get(f"{DRAFT}?collection=commitments").content.decode()
    assert "visit\nschedule_query</textarea>" in page
    answer = collection(adm, "commitments", **COMMITMENTS, do="up:agent")
    assert answer["Location"] == f"{DRAFT}?collection=commitments#source-agent"
    saved = {"sources": ["agent", "registry"], "kinds": ["visit", "schedule_query", "refund"]}
    assert collections()["commitments"] == saved | {"completion_sources": ["tool", "performer"]}
    said = text(adm.get(DRAFT))
    assert "tipos: visita, consulta de agenda → visita, consulta de agenda, reembolso" in said
    assert "concluído por: uma ferramenta, o cadastro, quem executa → uma ferramenta, quem executa" in said


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("field", BAIRRO),
        ("head", {"name": "Outro"}),
        ("reading", {"when": "burst"}),
        ("groups", {"label": "Aparelho"}),
        ("collection", {"collection": "commitments", **COMMITMENTS}),
    ],
)
def test_each_form_says_once_that_it_is_saved(adm: Any, what: str, said: dict[str, Any]) -> None:
    answer = adm.post(f"{DRAFT}{what}", {"revision": 1} | said)
    part = f'action="{DRAFT}{what}"'
    for times in (1, 0):
        page = adm.get(answer["Location"].split("#")[0]).content.decode()
        assert page.split(part)[1].split("</form>")[0].count("Salvo.") == times
        assert page.count("Salvo.") == times


def test_a_collection_saved_as_it_was_differs_in_nothing(adm: Any) -> None:
    before = stories.TICKET_TYPE["collections"]
    for name, row in before.items():
        done = row.get("completion_sources", ["tool", "registry", "performer"])
        collection(adm, name, source=row["sources"], kinds="\n".join(row.get("kinds", ())), completion=done)
    assert collections() == before
    assert "Nada: o rascunho diz o que está em vigor." in text(adm.get(DRAFT))


def test_a_collection_takes_nothing_any_more_and_takes_again(adm: Any) -> None:
    collection(adm, "attempts", do="remove")
    assert "attempts" not in collections()
    assert "Tentativas removido" in text(adm.get(DRAFT))
    collection(adm, "attempts", do="take:customer")
    assert collections()["attempts"] == {"sources": ["customer"]}
    assert collection(adm, "presentes", source="customer").status_code == 404
    assert collection(adm, "pending", source="customer", revision=1).status_code == 409


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"source": ["astrologo"]}, "Não há esta fonte, ninguém a produz: astrologo."),
        ({"source": []}, "Nomeie ao menos uma fonte."),
        ({"kinds": "Visita"}, "letras minúsculas, dígitos e _: Visita."),
        ({"kinds": "visit visit schedule_query"}, "Uma coisa está nomeada duas vezes."),
        ({"completion": ["assistant"]}, "Isto não conclui um compromisso: assistant."),
    ],
)
def test_a_fault_of_a_collection_stands_beside_its_form_and_in_the_list(adm: Any, wrong: dict[str, Any], words: str) -> None:
    assert collection(adm, "commitments", **COMMITMENTS | wrong).status_code == 302
    line = adm.get(DRAFT).content.decode().split("?collection=commitments")[-1].split("</li>")[0]
    assert words in html.unescape(line)
    form = adm.get(f"{DRAFT}?collection=commitments").content.decode().split('id="collection-form"')[1].split("</form>")[0]
    assert words in html.unescape(form)
    assert adm.post(f"{DRAFT}publish", {"revision": TicketTypeDraft.objects.get().revision}).status_code == 400
    assert published() == 1


def test_a_kind_that_is_gone_is_a_fault_at_the_field_that_invalidates_it(adm: Any) -> None:
    collection(adm, "commitments", **COMMITMENTS | {"kinds": "schedule_query"})
    line = adm.get(DRAFT).content.decode().split("?field=/facts/bairro#form")[-1].split("</li>")[0]
    assert "Não há este campo nem este tipo de compromisso: commitments:visit." in html.unescape(line)


def test_an_earlier_version_becomes_the_draft_with_one_click(world: World, adm: Any, boss: Membership) -> None:
    adm.post(f"{DRAFT}discard", {"revision": 1})
    second = copy.deepcopy(stories.TICKET_TYPE) | {"name": "Segunda"}
    publish_ticket_type(member=boss, document=second)
    assert "Fazer da versão 1 o novo rascunho" in text(adm.get(TYPE))
    assert adm.post(f"{TYPE}start", {"version": 1})["Location"] == DRAFT
    assert TicketTypeDraft.objects.get().document == stories.TICKET_TYPE
    assert adm.post(f"{TYPE}start", {"version": 2}).status_code == 400
    assert adm.post(f"{TYPE}start", {"version": 2, "replace": "yes"}).status_code == 302
    assert TicketTypeDraft.objects.get().document == second
    assert adm.post(f"{TYPE}start", {"version": 9, "replace": "yes"}).status_code == 404


def test_a_draft_that_another_version_overtook_says_so(adm: Any, boss: Membership) -> None:
    publish_ticket_type(member=boss, document=stories.TICKET_TYPE | {"name": "Segunda"})
    assert "Outra versão foi publicada desde que este rascunho começou." in text(adm.get(DRAFT))


def test_a_type_begins_from_the_gallery(adm: Any) -> None:
    listed = text(adm.get("/admin/ticket-types/"))
    assert "Rascunhar Clínica" in listed or "clinica" in adm.get("/admin/ticket-types/").content.decode()
    assert "Rascunhar Assistência técnica" not in listed
    assert adm.post("/admin/ticket-types/start", {"gallery": "clinica"})["Location"] == "/admin/ticket-types/clinica/draft/"
    page = text(adm.get("/admin/ticket-types/clinica/draft/"))
    assert "Esta seria a primeira versão." in page
    assert adm.post("/admin/ticket-types/clinica/draft/publish", {"revision": 1}).status_code == 302
    assert "versão 1 em vigor" in text(adm.get("/admin/ticket-types/clinica/"))
    assert adm.post("/admin/ticket-types/start", {"gallery": "../settings"}).status_code == 404


NEW = "/admin/ticket-types/new"


def test_a_type_begins_as_a_copy_or_empty_whatever_of_the_gallery_is_in_use(adm: Any) -> None:
    listed = text(adm.get("/admin/ticket-types/"))
    assert "já existe" in listed
    assert "uma cópia de Assistência técnica" in listed
    copied = adm.post(NEW, {"name": "Visita Técnica", "slug": "", "like": "assistencia-tecnica"})
    assert copied["Location"] == "/admin/ticket-types/visita-tecnica/draft/"
    draft = TicketTypeDraft.objects.get(slug="visita-tecnica")
    assert draft.document == stories.TICKET_TYPE | {"slug": "visita-tecnica", "name": "Visita Técnica"}
    assert adm.post(NEW, {"name": "Vazio", "slug": "vazio", "like": ""})["Location"] == "/admin/ticket-types/vazio/draft/"
    assert list(TicketTypeDraft.objects.get(slug="vazio").document["fields"]) == ["/goal"]
    assert adm.post("/admin/ticket-types/vazio/draft/publish", {"revision": 1}).status_code == 302
    assert "publicou a versão 1 do tipo de atendimento vazio" in text(adm.get("/admin/log/"))


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"name": " ", "slug": "novo"}, "Escreva um nome."),
        ({"name": "Novo", "slug": "Não pode"}, "Só letras minúsculas sem acento e dígitos"),
        ({"name": "Novo", "slug": "assistencia-tecnica"}, "Já existe um tipo, ou um rascunho, com este nome curto."),
        ({"name": "!!!", "slug": ""}, "Só letras minúsculas sem acento e dígitos"),
    ],
)
def test_a_new_type_that_cannot_be_taken_says_why_and_keeps_what_was_typed(adm: Any, sent: dict[str, str], words: str) -> None:
    answer = adm.post(NEW, sent | {"like": "assistencia-tecnica"})
    assert answer.status_code == 400
    assert words in text(answer)
    assert f'value="{sent["slug"]}"' in answer.content.decode()
    assert '<option value="assistencia-tecnica" selected>' in " ".join(answer.content.decode().split())
    assert TicketTypeDraft.objects.count() == 1


def test_a_copy_of_what_another_organisation_has_is_not_there(world: World, adm: Any, boss: Membership) -> None:
    other = stories.make("outra", "Outra")
    theirs = Membership.objects.get(organization=other.ana.organization, role="admin")
    publish_ticket_type(member=theirs, document=stories.TICKET_TYPE | {"slug": "so-deles"})
    world.enter()
    assert adm.post(NEW, {"name": "Nosso", "slug": "nosso", "like": "so-deles"}).status_code == 404


def test_another_organisation_s_draft_is_not_there(world: World, adm: Any, sign_in: SignIn) -> None:
    other = stories.make("outra", "Outra")
    theirs = sign_in(Membership.objects.get(organization=other.ana.organization, role="admin"))
    world.enter()
    assert theirs.get(DRAFT).status_code == 404
    for act in ("field", "add", "head", "collection", "document", "publish", "discard"):
        data = BAIRRO | {"revision": 1, "name": "x", "document": '{"slug": "assistencia-tecnica"}'}
        assert theirs.post(f"{DRAFT}{act}", data).status_code == 404
    tenancy.enter(other.ana.organization_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM atendimento_tickettypedraft")
        assert cursor.fetchone() == (0,)


def test_agents_and_supervisors_draft_nothing(adm: Any, ana: Any, silvia: Any) -> None:
    for client in (ana, silvia):
        assert client.get(DRAFT).status_code == 403
        for act in ("field", "add", "head", "collection", "document", "publish", "discard"):
            assert client.post(f"{DRAFT}{act}", BAIRRO | {"revision": 1}).status_code == 403
        assert client.post("/admin/ticket-types/start", {"gallery": "clinica"}).status_code == 403


def test_names_are_never_markup(adm: Any) -> None:
    attack = "<img src=x onerror=alert(1)>"
    save(adm, label=attack, description=attack, invalidates=[attack], source=[attack])
    adm.post(f"{DRAFT}head", {"revision": 2, "name": attack, "description": attack})
    collection(adm, "commitments", source=[attack], kinds=attack, completion=[attack])
    for path in (DRAFT, f"{DRAFT}?field=/facts/bairro", f"{DRAFT}?collection=commitments", f"{DRAFT}?collection={attack}"):
        body = adm.get(path).content.decode()
        assert "<img" not in body
        assert "style=" not in body


def test_the_draft_asks_the_database_the_same_however_much_it_holds(adm: Any) -> None:
    few = queries_of(lambda: adm.get(f"{DRAFT}?field=/facts/bairro"))
    for number in range(12):
        adm.post(f"{DRAFT}add", {"revision": number + 1, "map": "/facts/", "name": f"n{number}"})
    assert queries_of(lambda: adm.get(f"{DRAFT}?field=/facts/bairro")) == few


# --- trying it out ------------------------------------------------------------------------------------------------

STANDS = {"try": "/facts/bairro", "current": "Boa Viagem", "current_source": "registry", "new": "Madalena"}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"new_source": "customer"}, "o cliente vale menos que o cadastro"),
        ({"new_source": "registry"}, "neste campo vale a mais recente"),
        ({"new_source": "registry", "same": "yes"}, "P5"),
        ({"new_source": "customer", "older": "yes"}, "P7"),
        ({"new_source": "customer", "new": "Boa Viagem"}, "P3"),
        ({"new_source": "third_party"}, "P1"),
        ({"new_source": "customer", "inference": "yes"}, "Aqui não se aceita dedução."),
        ({"new_source": "customer_reported"}, "O que a equipe relata conta como dito agora"),
        ({"new_source": "customer", "new": "x" * 81}, "recusada por uma regra"),
        ({"new_source": "customer", "current_source": ""}, "Ainda não havia valor."),
    ],
)
def test_the_rules_answer_at_once(adm: Any, asked: dict[str, str], words: str) -> None:
    for path in (TYPE, DRAFT):
        answer = adm.get(path, STANDS | asked)
        found = re.search(r'<div class="outcome.*?</div>', answer.content.decode(), re.DOTALL)
        assert found is not None
        answer.content = found[0].encode()
        assert words in text(answer)


def test_what_taking_it_would_put_in_doubt_is_named(adm: Any) -> None:
    page = text(adm.get(TYPE, STANDS | {"new_source": "registry"}))
    assert "Aceitar poria em dúvida: compromissos do tipo visita, Horário" in page
    other = text(
        adm.get(TYPE, STANDS | {"try": "/facts/garantia", "current": "true", "new": "false", "new_source": "registry"})
    )
    assert "Nada mais ficaria em dúvida." in other


def test_the_draft_s_own_rules_answer_not_the_published_ones(adm: Any) -> None:
    save(adm, source=["customer", "registry"])
    asked = STANDS | {"new_source": "customer"}
    assert "pode ser aceita" in text(adm.get(DRAFT, asked))
    assert "pode ser aceita" not in text(adm.get(TYPE, asked))


def test_trying_writes_nothing(adm: Any) -> None:
    adm.get(TYPE, STANDS | {"new_source": "customer"})
    assert (published(), TicketTypeDraft.objects.get().revision) == (1, 1)
