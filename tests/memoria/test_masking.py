"""Placeholders for what is personal (U2): in all that a request is made of, the same for the same, and back again."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from typing import Any

import pytest

from memoria.context import Proposed, dump
from memoria.extraction import Request, read_answer
from memoria.fields import TicketType
from memoria.masking import Masked, masked, reader, restored
from memoria.patch import Json
from memoria.proposals import Change, Citation
from memoria.runs import Repair
from tests.memoria.asking import ask_about, document_of
from tests.memoria.bench import Bench, a_field, a_type

KEY = b"of one ticket"
CPF, PHONE, CARD, MAIL = "390.533.447-05", "(81) 98765-4321", "4111 1111 1111 1111", "ana@exemplo.test"
SECRET = "Maria de Nazaré"


def the_type(**fields: Json) -> TicketType:
    return a_type({"/facts/a": a_field(), **{f"/facts/{name}": row for name, row in fields.items()}})


def asked(*texts: str, fields: dict[str, Any] | None = None, **more: Any) -> tuple[Request, TicketType]:
    bench = Bench(the_type(**(fields or {})))
    new = [bench.say("customer", text) for text in texts]
    return ask_about(bench, *new, **more), bench.ticket_type


def mask(*texts: str, fields: dict[str, Any] | None = None, known: Any = (), **more: Any) -> Masked:
    request, ticket_type = asked(*texts, fields=fields, **more)
    return masked(request, ticket_type, KEY, known)


def texts_of(sent: Masked) -> list[str]:
    return [row["text"] for row in document_of(sent.request)["new_messages"]]


def names(sent: Masked) -> dict[Json, str]:
    return {value: name for name, value in sent.masks.items()}


def test_a_placeholder_names_its_kind_and_the_value_is_nowhere_in_the_request() -> None:
    sent = mask(f"CPF {CPF}, fone {PHONE}, cartão {CARD}, {MAIL}")

    (text,) = texts_of(sent)
    for kind, value in (("CPF", CPF), ("TELEFONE", PHONE), ("CARTAO", CARD), ("EMAIL", MAIL)):
        assert names(sent)[value].startswith(f"[{kind}-")
        assert names(sent)[value] in text
        assert value not in json.dumps(sent.request.messages(with_schema=True), ensure_ascii=False)


def test_the_same_value_has_the_same_placeholder_in_every_request_of_a_ticket_and_another_elsewhere() -> None:
    request, ticket_type = asked(f"é {CPF}", f"repito: {CPF}")
    sent = masked(request, ticket_type, KEY)
    later, _ = asked(f"ainda {CPF} e {PHONE}")

    assert list(sent.masks.values()) == [CPF]
    assert names(masked(later, ticket_type, KEY))[CPF] == names(sent)[CPF]
    assert names(masked(later, ticket_type, b"of another ticket"))[CPF] != names(sent)[CPF]


def test_spellings_are_told_apart_so_that_a_quote_comes_back_letter_by_letter() -> None:
    sent = mask(f"é {CPF}", "digo, 39053344705")

    assert set(sent.masks.values()) == {CPF, "39053344705"}
    assert [restored(text, sent.masks) for text in texts_of(sent)] == [f"é {CPF}", "digo, 39053344705"]


def test_state_proposals_marks_and_names_are_masked_too() -> None:
    bench = Bench(the_type())
    bench.say("customer", f"o {CPF} é meu")
    bench.accept(bench.one("add", "/facts/a", f"titular {CPF}", ("m-1", "é meu")))
    new = bench.say("customer", "mais uma coisa")
    request = ask_about(bench, new, proposed=[Proposed("/facts/a", {"quem": [CARD, {MAIL: 39053344705}]})])

    sent = masked(request, bench.ticket_type, KEY)

    for value in (CPF, CARD, MAIL, "39053344705"):
        assert value in request.user
        assert value not in sent.request.user
    assert restored(json.loads(sent.request.user)["proposed"], sent.masks) == json.loads(request.user)["proposed"]


def test_an_answer_is_put_back_before_anything_is_checked() -> None:
    sent = mask(f"meu CPF é {CPF}")
    name = names(sent)[CPF]
    answer = {
        "changes": [
            {
                "op": "add",
                "path": "/facts/a",
                "value": [name, f"CPF {name}."],
                "evidence": [{"message": "m-1", "quote": f"meu CPF é {name}", "start": 3}],
                "reason": f"disse {name}",
            }
        ]
    }

    (change,) = reader(sent.masks, read_answer)(dump(answer))

    quote = Citation("m-1", f"meu CPF é {CPF}")  # its place was one in another text
    assert change == Change("add", "/facts/a", [CPF, f"CPF {CPF}."], (quote,), reason=f"disse {CPF}")


@pytest.mark.parametrize("spelled", ["{}", "{} ", "cpf: {}"])
def test_a_placeholder_without_its_brackets_or_in_small_letters_is_known(spelled: str) -> None:
    sent = mask(f"é {CPF}")
    name = names(sent)[CPF]

    for variant in (name, name.strip("[]"), name.lower()):
        assert CPF in str(restored(spelled.format(variant), sent.masks))


def test_a_placeholder_that_nobody_gave_stays() -> None:
    assert restored("[CPF-000000] e [AB-1234567]", mask(f"é {CPF}").masks) == "[CPF-000000] e [AB-1234567]"


def test_a_placeholder_that_stands_in_the_text_already_is_not_given_out() -> None:
    name = names(mask(f"é {CPF}"))[CPF]

    sent = mask(f"é {CPF} ou {name}")

    longer = names(sent)[CPF]
    assert longer != name
    assert texts_of(sent) == [f"é {longer} ou {name}"]
    assert restored(texts_of(sent)[0], sent.masks) == f"é {CPF} ou {name}"


SENSITIVE = {"filiacao": a_field(label="Filiação", sensitive=True)}


def test_what_a_sensitive_field_holds_is_masked_in_the_state_and_in_every_text() -> None:
    bench = Bench(the_type(**SENSITIVE))
    bench.say("customer", f"minha mãe é {SECRET}")
    bench.accept(bench.one("add", "/facts/filiacao", SECRET, ("m-1", f"minha mãe é {SECRET}")))
    new = bench.say("customer", f"a {SECRET.upper().replace(' ', '  ')} mora comigo")

    sent = masked(ask_about(bench, new), bench.ticket_type, KEY)

    assert SECRET not in sent.request.user
    assert SECRET.upper().split()[0] not in sent.request.user
    assert document_of(sent.request)["state"]["facts"]["filiacao"] == names(sent)[SECRET]
    assert names(sent)[SECRET].startswith("[FILIACAO-")


def test_what_a_sensitive_field_had_is_masked_where_it_is_known() -> None:
    sent = mask(f"esqueça {SECRET}", fields=SENSITIVE, known=[("/facts/filiacao", SECRET), ("/facts/a", "esqueça")])

    assert texts_of(sent) == [f"esqueça {names(sent)[SECRET]}"]


@pytest.mark.parametrize("value", [True, 7, 12.5, "x", {"status": "grave", "id": "b 2"}, ["um", "dois"]])
def test_every_single_value_below_a_sensitive_field_is_masked_whatever_it_is(value: Json) -> None:
    fields = {"saude": a_field(schema={}, sensitive=True)}
    sent = mask("oi", fields=fields, proposed=[Proposed("/facts/saude", value)])

    (row,) = document_of(sent.request)["proposed"]
    assert row["path"] == "/facts/saude"
    assert json.dumps(value) not in sent.request.user
    back = restored(row["value"], sent.masks)
    assert (back, type(back)) == (value, type(value))
    assert all(part.startswith("[SAUDE-") for part in _leaves(row["value"]))


def _leaves(value: Json) -> list[str]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list) else [value]


def test_a_sensitive_field_is_known_by_its_pattern_before_it_holds_anything() -> None:
    fields = {"rg": a_field(schema={"type": "string", "pattern": r"^\d{1,2}\.\d{3}\.\d{3}$"}, sensitive=True)}
    sent = mask("RG 7.654.321, e só", fields=fields)

    assert texts_of(sent) == [f"RG {names(sent)['7.654.321']}, e só"]


@pytest.mark.parametrize(
    ("schema", "text", "secrets"),
    [
        (
            {"type": "string", "enum": ["diabetes", "pressão alta"]},
            "Tenho Diabetes e PRESSAO alta",
            ["Diabetes", "PRESSAO alta"],
        ),
        ({"type": "string", "enum": ["sim", "não", "diabetes"]}, "sim, não sei", []),  # they tell nothing of anybody
        ({"type": "string", "const": "hemofilia"}, "é hemofilia mesmo", ["hemofilia"]),
        ({"anyOf": [{"type": "null"}, {"type": "string", "enum": ["asma"]}]}, "asma, asmático", ["asma"]),
        ({"oneOf": [{"type": "null"}, {"type": "string", "enum": ["asma"]}]}, "asma, asmático", ["asma"]),
        ({"allOf": [{"type": "string"}, {"enum": ["asma"]}]}, "asma, asmático", ["asma"]),
        ({"type": "array", "prefixItems": [{"enum": ["asma"]}]}, "asma, asmático", ["asma"]),
        ({"type": "object", "properties": {"doença": {"enum": ["asma"]}}}, "asma, asmático", ["asma"]),
        ({"type": "array", "items": {"type": "string", "pattern": "^[A-Z]{2}[0-9]{4}$"}}, "meu RG é AB1234", ["AB1234"]),
        ({"type": "string", "format": "date"}, "nasci em 5/12/1980 ou 1980-12-05", ["5/12/1980", "1980-12-05"]),
        ({"type": "string", "format": "date"}, "às 14h30 do dia 31/02/1980, versão 1.2.3", []),  # no date at all
        ({"type": "string", "format": "cep"}, "CEP 52061-540, ou 52061540; nota 5206154", ["52061-540", "52061540"]),
        ({"type": "string", "format": "ipv4"}, "o modem é 192.168.0.17, porta 8080", ["192.168.0.17"]),
        ({"type": "string"}, "moro com a Maria", []),  # nothing tells it before it is known
    ],
)
def test_what_the_schema_of_a_sensitive_field_names_is_a_secret_from_the_first_time_on(
    schema: dict[str, Any], text: str, secrets: list[str]
) -> None:
    sent = mask(text, fields={"saude": a_field(schema=schema, sensitive=True)})

    expected = text
    for secret in secrets:
        expected = expected.replace(secret, names(sent)[secret], 1)
    assert texts_of(sent) == [expected]
    assert restored(texts_of(sent)[0], sent.masks) == text


def test_a_choice_that_is_written_otherwise_is_proposed_as_the_choice_and_quoted_as_written() -> None:
    schema = {"type": "string", "enum": ["pressão alta"]}
    sent = mask("tenho PRESSAO ALTA", fields={"saude": a_field(schema=schema, sensitive=True)})
    name = names(sent)["PRESSAO ALTA"]
    answer = {"op": "add", "path": "/facts/saude", "value": name, "evidence": [{"message": "m-1", "quote": f"tenho {name}"}]}

    (change,) = reader(sent.masks, read_answer)(dump({"changes": [answer]}))

    assert (change.value, change.evidence[0].quote) == ("pressão alta", "tenho PRESSAO ALTA")


@pytest.mark.parametrize(
    ("pattern", "text", "secret"),
    [
        (r"^\p{Lu}{3}-\d+$", "meu código ÁÉÍ-123 vale", "ÁÉÍ-123"),  # an expression that Python's own do not know
        (r"^(a+)+1$", f"{'a' * 40}1 e {'a' * 40}1x", f"{'a' * 40}1"),  # one that would keep them busy for years
    ],
)
def test_a_pattern_reads_as_it_did_when_the_type_was_published(pattern: str, text: str, secret: str) -> None:
    fields = {"codigo": a_field(schema={"type": "string", "pattern": pattern}, sensitive=True)}
    sent = mask(text, fields=fields)

    assert list(sent.masks.values()) == [secret]
    assert texts_of(sent) == [text.replace(secret, names(sent)[secret], 1)]


def test_an_administrator_s_words_about_a_field_are_masked_where_they_are_personal() -> None:
    sent = mask("oi", fields={"contato": a_field(label="Contato", description=f"o de casa é {PHONE}")})

    assert PHONE not in sent.request.system
    assert f"about=o de casa é {names(sent)[PHONE]}" in sent.request.system


def test_the_answer_that_the_model_is_to_mend_is_shown_with_its_placeholders() -> None:
    request, ticket_type = asked(f"é {CPF}")
    first = masked(request, ticket_type, KEY)
    raw = f'{{"changes": "{names(first)[CPF]}, {PHONE}"'

    sent = masked(replace(request, repair=Repair(raw, "not valid JSON")), ticket_type, KEY)

    assert sent.request.repair == Repair(raw.replace(PHONE, names(sent)[PHONE]), "not valid JSON")


@pytest.mark.parametrize(("language", "word"), [("pt-BR", "Dados protegidos"), ("en", "Protected data")])
def test_the_model_is_told_and_the_prompt_has_another_version(language: str, word: str) -> None:
    request, ticket_type = asked("oi", language=language)
    sent = masked(request, ticket_type, KEY)

    assert word in sent.request.system
    assert sent.request.prompt_version == f"{request.prompt_version}+masked-2"
    assert sent.masks == {}


def test_what_is_not_personal_leaves_as_it_was() -> None:
    request, ticket_type = asked("Moro em Casa Forte, pedido AB-1234, dia 30/11/2026 às 14h")

    assert document_of(masked(request, ticket_type, KEY).request) == document_of(request)


def test_a_name_that_was_cut_inside_of_a_number_does_not_tell_its_beginning() -> None:
    request, ticket_type = asked("oi")
    document = document_of(request)
    cut = f"c-1 {'ligar de volta para a cliente que pediu, no '}{PHONE}"[:60]
    document["state"] = {"settled": [cut + " (done)"]}

    sent = masked(replace(request, user=dump(document)), ticket_type, KEY)

    assert document_of(sent.request)["state"]["settled"] == ["c-1 ligar de volta para a cliente que pediu, no… (done)"]


@pytest.mark.parametrize(
    "written",
    [
        "maria de nazare",
        "MARIA  DE\nNAZARÉ",
        unicodedata.normalize("NFD", SECRET),
        "Maria\u200b de Naza\u200dré",
        "Ｍａｒｉａ de Nazaré",
    ],
)
def test_a_known_secret_is_masked_however_it_is_spelled_and_comes_back_as_it_was(written: str) -> None:
    text = f"Sou {written}, a mãe; marias de nazarés são outras."
    sent = mask(text, fields={"nome": a_field(sensitive=True)}, known=[("/facts/nome", SECRET)])

    (shown,) = texts_of(sent)
    (name,) = sent.masks
    assert shown == f"Sou {name}, a mãe; marias de nazarés são outras."
    assert restored(shown, sent.masks) == text


def test_what_a_known_secret_leaves_of_a_number_is_masked_as_well() -> None:
    sent = mask("Sou Maria 81 98765-4321", fields={"nome": a_field(sensitive=True)}, known=[("/facts/nome", "Maria 81")])

    (shown,) = texts_of(sent)
    assert not any(character.isdigit() for character in re.sub(r"\[[A-Z]+-[0-9]+\]", "", shown))
    assert restored(shown, sent.masks) == "Sou Maria 81 98765-4321"
