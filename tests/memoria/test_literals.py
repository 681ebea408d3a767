"""E10: a literal stands in the words cited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.evidence import unsupported_words
from memoria.patch import MISSING, Json
from memoria.review import Edit
from tests.memoria.bench import Bench, a_field, a_type, code_of

MISSED = "evidence.value_not_in_quote"
ANY: Json = True
TYPE = a_type(
    {
        "/facts/a": a_field(schema=ANY),
        "/facts/unidade": a_field(schema=ANY, literal=True),
        "/identifiers/id": a_field(schema=ANY),
        "/identifiers/solto": a_field(schema=ANY, literal=False),
    }
)


def outcome(path: str, value: Json, text: str, *quotes: str, kind: str = "customer") -> str:
    bench = Bench(TYPE)
    bench.say(kind, text)
    judgement = bench.one("add", path, value, *(("m-1", quote) for quote in quotes or (text,))).judgement
    return judgement.code.value if judgement.refused else "stands"


# --- identifiers --------------------------------------------------------------------------------------------------

CPF = "Meu CPF é 390.533.447-05"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("39053344705", CPF),
        ("390.533.447-05", "CPF 39053344705"),
        ("390 533 447/05", CPF),
        ("AB-12345", "o pedido, AB 12345"),
        ("AB12345", "o pedido (AB-12345)."),
        ("ab-12345", "pedido AB-12345"),  # case does not count
        ("AB-12345", "pedido ab–12345"),  # compared as in E3: a dash is a hyphen
        ("AB-12345", "pedido AB\u00a0\u200e12345"),
        ("+55 81 90000-0001", "fone (55) 81 90000.0001"),
        ("+5581900000001", "fone +55 (81) 90000-0001"),
        ("81 90000-0001", "fone +55 (81) 90000-0001"),
        ("12345", "pedido 12345, nota 777"),
        ("12345", "123456 ou 12345"),  # cut in the first place, whole in the second
        ("É-1", "código é1"),
        (12345, "pedido 12345"),
        (12345.0, "pedido 12.345"),
        (1.5, "um e meio"),  # a fraction has too many spellings to be looked for
    ],
)
def test_an_identifier_may_differ_in_its_separators_and_its_case(value: Json, text: str) -> None:
    """E10: only `. - / ( ) +` and spaces may differ between its characters."""
    assert outcome("/identifiers/id", value, text) == "stands"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("39053344706", CPF),  # one digit off
        ("3905334470", CPF),  # one digit short: it would cut the number
        ("9053344705", CPF),
        ("390533447", CPF),  # goes on over the hyphen
        ("533.447-05", CPF),
        ("44705", CPF),
        ("05", CPF),
        ("AB-1234", "AB-12345"),
        ("B-12345", "AB-12345"),
        ("12345", "AB12345"),
        ("2026", "nota 12/2026"),  # goes on over the stroke, to the left
        ("12", "nota 12/2026"),
        ("1500", "R$ 1.500,00"),  # goes on over the comma (E8)
        ("AB-12345", "AB_12345"),  # an underscore is none of the separators
        ("AB-12345", "AB:12345"),
        ("AB-12345", "AB, 12345"),
        ("É-1", "código e1"),  # accents count
        ("AB-12345", "pedido 12345 AB"),
        ("", "pedido 12345"),
        ("-", "pedido - 12345"),  # nothing but separators stands nowhere
        (" ", "pedido 12345"),
        ("\u200b", "pedido 12345"),
        (1234, "pedido 12345"),
        (1234.0, "pedido 12345"),  # 1234.0 is 1234, and no way round the rule
    ],
)
def test_a_number_that_is_another_is_refused(value: Json, text: str) -> None:
    """E10: neither `AB-1234` stands in `AB-12345`, nor `390533447` in `390.533.447-05`."""
    assert outcome("/identifiers/id", value, text) == MISSED


def test_a_number_is_not_cut_by_cutting_the_quote() -> None:
    """E10: what counts is the message, not the quote: `390.533.447` quoted of `390.533.447-05`."""
    assert outcome("/identifiers/id", "390533447", CPF, "Meu CPF é 390.533.447") == MISSED
    assert outcome("/facts/unidade", "Boa", "moro em Boa Vista", "moro em Boa") == "stands"  # no word is cut


def test_the_value_stands_in_a_quote_not_only_in_the_message() -> None:
    """E10: the words cited, in any of the change's quotes, each for itself."""
    text = "Meu pedido é AB-12345 e o CPF, outro"
    assert outcome("/identifiers/id", "AB-12345", text, "o CPF, outro") == MISSED
    assert outcome("/identifiers/id", "AB-12345", text, "o CPF, outro", "Meu pedido é AB-12345") == "stands"
    assert outcome("/identifiers/id", "AB-12345", text, "pedido é AB", "12345 e o CPF") == MISSED  # not across two quotes


def test_every_identifier_is_a_literal_whatever_its_type_says() -> None:
    """E10: `of every identifier`."""
    assert outcome("/identifiers/solto", "AB-12346", "pedido AB-12345") == MISSED
    assert outcome("/identifiers/solto", "AB 12345", "pedido AB-12345") == "stands"


@given(st.from_regex(r"[A-Z]{2}[0-9]{4,9}", fullmatch=True), st.data())
def test_an_identifier_stands_however_it_is_parted_and_not_with_a_digit_changed(identifier: str, data: st.DataObject) -> None:
    """E10."""
    separator = st.sampled_from(["", ".", "-", "/", "(", ")", "+", " ", " - "])
    parted = identifier[0] + "".join(data.draw(separator) + char for char in identifier[1:])
    assert outcome("/identifiers/id", identifier, f"pedido {parted}, obrigada") == "stands"
    at = data.draw(st.integers(2, len(identifier) - 1))
    other = identifier[:at] + str((int(identifier[at]) + 1) % 10) + identifier[at + 1 :]
    assert outcome("/identifiers/id", other, f"pedido {parted}, obrigada") == MISSED


# --- other literals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        ("Boa Vista", "na unidade Boa Vista", "stands"),
        ("Boa Vista", "na unidade Boa\u00a0 Vista", "stands"),
        ("Sa\u0303o Jose\u0301", "na unidade São José", "stands"),
        ('"Boa Vista"', "na unidade “Boa Vista”", "stands"),
        (" Boa Vista ", "na unidade Boa Vista", "stands"),
        ("boa vista", "na unidade Boa Vista", MISSED),  # case counts here
        ("Boa-Vista", "na unidade Boa Vista", MISSED),  # separators count here
        ("Sao José", "na unidade São José", MISSED),
        ("Vista", "na unidade Boavista", MISSED),
        ("Boa", "na unidade Boas Vistas", MISSED),
        ("1.5", "custa 1.500", MISSED),
        ("1.500", "custa 1.500,00", MISSED),
        ("447", "CPF 447-05", "stands"),  # only an identifier's number goes on over a hyphen
        (4512, "pedido 4512", "stands"),
        (4512, "pedido 4.512", "stands"),
        (4512.0, "pedido 4513", MISSED),
        (True, "qualquer coisa", "stands"),
        (None, "qualquer coisa", "stands"),
        ("", "na unidade Boa Vista", MISSED),
        ("\u200b \u200e", "na unidade Boa Vista", MISSED),
        (["Boa Vista", "Derby"], "Boa Vista ou Derby", "stands"),
        (["Boa Vista", "Torre"], "Boa Vista ou Derby", MISSED),
        (["Boa Vista", ""], "Boa Vista ou Derby", MISSED),
        ({"rua": "do Sol", "numero": 12}, "moro na rua do Sol", "stands"),  # of an object, other values are not looked for
        ({"rua": "do Sol", "mais": [{"bairro": "Torre"}]}, "moro na rua do Sol", MISSED),
        ({"do Sol": True}, "outra coisa", "stands"),
        ([], "qualquer coisa", "stands"),
        ([1, None, False], "qualquer coisa", "stands"),
    ],
)
def test_a_literal_stands_as_it_is_compared_in_e3(value: Json, text: str, expected: str) -> None:
    """E10: each text of a list or an object is looked for; one without a visible character stands nowhere."""
    assert outcome("/facts/unidade", value, text) == expected


@pytest.mark.parametrize(
    ("collection", "value", "kind", "expected"),
    [
        ("constraints", {"text": "não liguem depois das 18h"}, "customer", "stands"),
        ("constraints", {"text": "não ligar depois das 18h"}, "customer", MISSED),
        ("decisions", {"text": "depois das 18h", "reason": "qualquer"}, "agent", "stands"),
        ("decisions", {"text": "antes das 18h"}, "agent", MISSED),
        ("decisions", {"text": "depois-das 18h"}, "agent", MISSED),  # no identifier: separators and case count
        ("authorizations", {"action": "contact", "scope": "depois das 18h"}, "customer", "stands"),
        ("authorizations", {"action": "contact", "scope": "o dia todo"}, "customer", MISSED),
        ("commitments", {"task": "ligar às 17h", "owner": "team"}, "agent", "stands"),  # no literal: free words
        ("pending", {"question": "pode às 17h?"}, "agent", "stands"),
        ("attempts", {"action": "ligar às 17h"}, "agent", "stands"),
    ],
)
def test_the_words_of_constraints_decisions_and_scopes_are_literals(
    collection: str, value: Json, kind: str, expected: str
) -> None:
    """E10: `text` of a constraint or decision, `scope` of an authorisation, and of the members nothing else."""
    assert outcome(f"/{collection}/-", value, "Por favor, não liguem depois das 18h.", kind=kind) == expected


def test_a_free_text_need_not_stand_in_the_quote() -> None:
    """E10: for other texts the card marks the words of the value that no quote holds."""
    assert outcome("/facts/a", "geladeira Frost", "a geladeira pifou") == "stands"
    assert unsupported_words("geladeira Frost", ["a geladeira pifou"]) == ["Frost"]
    assert unsupported_words("Geladeira", ["a GELADEIRA pifou"]) == []
    assert unsupported_words("Derby", ["Derby"]) == []
    assert unsupported_words(["a 12", {"b": "c"}], ["a", "12 c"]) == []
    assert unsupported_words(12, ["nada"]) == []


def test_a_withdrawal_of_a_literal_needs_no_literal() -> None:
    """E10: there is no value to look for."""
    bench = Bench(TYPE)
    bench.say("customer", "na unidade Derby")
    bench.accept(bench.one("add", "/facts/unidade", "Derby", ("m-1", "Derby")))
    assert bench.one("remove", "/facts/unidade", MISSING, ("m-1", "na unidade")).judgement.verdict == "allowed"


def test_a_statement_is_exempt_with_evidence_and_without() -> None:
    """E10, E9: staff say it themselves."""
    bench = Bench(TYPE)
    bench.say("customer", "pedido AB-12345")
    bench.put("/identifiers/id", "AB-12346")
    bench.put(
        "/identifiers/id", "AB-12347", evidence=bench.one("add", "/facts/a", 1, ("m-1", "pedido AB-12345")).change.evidence
    )
    assert bench.value("/identifiers/id") == "AB-12347"


def test_an_edit_that_rests_on_evidence_is_not_exempt() -> None:
    """E10, E9: every check runs again; only `evidence: []` makes it a statement."""
    bench = Bench(TYPE)
    bench.say("customer", "pedido AB-12345")
    held = bench.one("add", "/identifiers/id", "AB-12345", ("m-1", "pedido AB-12345"))
    assert code_of(bench.accept, held, edit=Edit("AB-12346")) == MISSED
    assert code_of(bench.accept, held, edit=Edit("AB-12346", held.change.evidence)) == MISSED
    assert bench.state.version == 0
    bench.accept(held, edit=Edit("AB-12346", ()))
    assert bench.value("/identifiers/id") == "AB-12346"


@pytest.mark.parametrize(
    ("value", "text", "stands"),
    [
        ("4512", "4512-7 ou 4512", True),  # the first goes on, the second does not
        ("4512", "45123 ou 4512", True),  # the first cuts a number
        ("4512", "4512-7 ou 4512/8", False),
        ("5", "5-3", False),
        ("3", "5-3", False),
        ("5", "casa 5, apto 3", True),
        ("ß12", "é ß12", True),  # one letter that is two in lower case
        ("SS12", "é ß12", False),
        ("İ7", "o código é i̇7", False),  # two signs are not one
    ],
)
def test_each_place_of_an_identifier_is_tried_by_its_own_letters(value: str, text: str, stands: bool) -> None:
    """E10: it must stand whole at one of them."""
    assert outcome("/identifiers/id", value, text) == ("stands" if stands else MISSED)
