"""What is personal in running text (U2): by check digits, by shape, however it was typed; and what only looks like it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.personal import Personal, find, is_card, is_cnpj, is_cpf

BR_CODE = (
    "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR"
    "5913Fulano de Tal6008BRASILIA62070503***63041D3D"
)


SAMPLES = {
    # How each kind is written.
    Personal.CPF: ("390.533.447-05", "39053344705"),
    Personal.CNPJ: ("11.222.333/0001-81", "11222333000181", "12.ABC.345/01DE-35", "12ABC34501DE35"),
    Personal.CARD: ("4111 1111 1111 1111", "4111111111111111"),
    Personal.PHONE: ("(81) 98765-4321", "81987654321", "+55 81 98765-4321", "+5581987654321", "8132221234"),
    Personal.EMAIL: ("ana@exemplo.test",),
    Personal.PIX: ("123e4567-e89b-42d3-a456-426614174000",),
}


def found(text: str) -> list[tuple[str, str]]:
    return [(item.kind.value, text[item.start : item.end]) for item in find(text)]


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("CPF", "390.533.447-05"),
        ("CPF", "39053344705"),
        ("CPF", "390 533 447 05"),
        ("CPF", "390.533.447/05"),
        ("CPF", "３９０.５３３.４４７-０５"),  # full-width digits
        ("CPF", "390.533.447‑05"),  # a dash that does not break
        ("CPF", "390\u200b.533.\u2060447-05"),  # with what nobody sees in between
        ("CPF", "390\u00a0533\u00a0447-05"),
        ("CPF", "390/533/447/05"),
        ("CPF", "\u0663\u0669\u0660.\u0665\u0663\u0663.\u0664\u0664\u0667-\u0660\u0665"),  # digits of other scripts
        ("CPF", "390.533.447\u221205"),  # a minus for a dash
        ("CPF", "390\u1680533\u1680447\u168005"),  # a space of another script
        ("CPF", "390\u00ad.533.447-05"),  # where a word may be broken
        ("CPF", "3 9 0 5 3 3 4 4 7 0 5"),  # said digit by digit
        ("CPF", "3-9-0-5-3-3-4-4-7-0-5"),
        ("CPF", "3 9 0 . 5 3 3 . 4 4 7 - 0 5"),
        ("CPF", "39 053 344 705"),
        ("CPF", "390.533.\n447-05"),
        ("CPF", "390.533 \r\n 447-05"),
        ("CNPJ", "11.222.333/\n0001-81"),
        ("CNPJ", "11.222.333/0001-81"),
        ("CNPJ", "11222333000181"),
        ("CNPJ", "11 222 333 0001 81"),
        ("CNPJ", "12.ABC.345/01DE-35"),  # as of July 2026
        ("CNPJ", "12ABC34501DE35"),
        ("CNPJ", "12abc34501de35"),
        ("CARTAO", "4111 1111 1111 1111"),
        ("CARTAO", "4111111111111111"),
        ("CARTAO", "5555-5555-5555-4444"),
        ("CARTAO", "4111 1111\n1111 1111"),
        ("CARTAO", "3782 822463 10005"),
        ("CARTAO", "6362970000457013"),
        ("CARTAO", "\u0664\u0661\u0661\u0661 " + "\u0661\u0661\u0661\u0661 " * 2 + "\u0661\u0661\u0661\u0661"),
        ("CARTAO", "4222222222222"),  # thirteen digits, the fewest
        ("TELEFONE", "(81) 98765-4321"),
        ("TELEFONE", "81 98765 4321"),
        ("TELEFONE", "81987654321"),
        ("TELEFONE", "(081) 3222-1234"),
        ("TELEFONE", "8132221234"),
        ("TELEFONE", "+55 81 98765-4321"),
        ("TELEFONE", "+5581987654321"),
        ("TELEFONE", "5581987654321"),
        ("TELEFONE", "98765-4321"),
        ("TELEFONE", "3222-1234"),
        ("TELEFONE", "987654321"),  # a mobile one, without its area
        ("TELEFONE", "9 87654321"),
        ("TELEFONE", "(81)\n98765-4321"),
        ("TELEFONE", "0800 123 4567"),
        ("TELEFONE", "+351 912 345 678"),
        ("TELEFONE", "+1 (415) 555-2671"),
        ("TELEFONE", "(415) 555-2671"),
        ("TELEFONE", "00 44 20 7946 0958"),
        ("EMAIL", "ana.souza+loja@exemplo.com.br"),
        ("EMAIL", "josé@exemplo.test"),
        ("EMAIL", "ana＠exemplo.test"),
        ("EMAIL", "ana @ exemplo.test"),
        ("EMAIL", "ana ponto souza arroba exemplo ponto com ponto br"),
        ("EMAIL", "ana.souza arroba exemplo.com.br"),
        ("EMAIL", "ana_souza(arroba)exemplo.com"),
        ("EMAIL", "ana underline souza [at] exemplo [ponto] com"),
        ("EMAIL", "ana at exemplo dot com"),
        ("PIX", "123e4567-e89b-42d3-a456-426614174000"),
        ("PIX", "123E4567E89B42D3A456426614174000"),
        ("PIX", BR_CODE),
    ],
)
def test_it_is_found_alone_and_in_the_middle_of_words(kind: str, written: str) -> None:
    assert found(written) == [(kind, written)]
    assert found(f"Oi, é {written}, pode anotar?") == [(kind, written)]


@pytest.mark.parametrize(
    "text",
    [
        "o número 111.111.111-11",  # eleven alike
        "protocolo 390.533.447-06",  # check digits that do not fit
        "pedido AB-1234 de 2026-000123",
        "em 2026-11-30, ou 30/11/2026 às 14h30, até 18h",
        "vence em 2026-03-10T14:00-03:00",
        "R$ 1.500,00 no CEP 52061-540",
        "nota 12345678, série 2019-2023, processo 2024-0012",
        "4111 1111 1111 1112",  # Luhn says no
        "11.222.333/0001-82",
        "12.ABC.345/01DE-36",
        "de ser que fala 12, um por todos",
        "arroba @ sozinha, ou a@b",
        "a arroba do boi está em 300. Ponto final",
        "look at exemplo.com and meet me at noon",
        "vendo pizza @ casa. Obrigado",
        "10 @ 5.00 cada",
        "protocolo 3 9 0 5 3 3 4 4 7 0 6",  # digit by digit, and the last one does not fit
        "pedidos 390.533.447, 05 e 12",
        "pedido 390.533\n\n447-05",  # an empty line parts
        "pedido nº 987654321, nota fiscal 912345678, rastreio: 987654321",
        "de 12/11/2026 10 30 até 30/11/2026",
        "R$ 50,00\n12 345 678",
        "R$ 1.234,56\n30/11/2026",
        "itens 3 4 5 6 7 8 9 10 11 12 13 14",
        "987654321000",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "",
    ],
)
def test_what_only_looks_like_it_is_left(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("\ufb01 390.533.447-05 \u00bd", [("CPF", "390.533.447-05")]),  # signs that stand for several characters
        ("oi\n\n390.533.447-05 é", [("CPF", "390.533.447-05")]),  # after an empty line
        ("4111 1111 1111 1111 5555 5555 5555 4444", [("CARTAO", "4111 1111 1111 1111"), ("CARTAO", "5555 5555 5555 4444")]),
        ("4111 1111 1111 1111 123", [("CARTAO", "4111 1111 1111 1111")]),  # and the code on its back
        ("pedido 0: 4111 1111 1111 1111", [("CARTAO", "4111 1111 1111 1111")]),
        ("2 " * 59 + "4111111111111111", [("CARTAO", "4111111111111111")]),
        ("2 " * 60 + "4111111111111111", []),  # of a row so long no more is read
        ("pedido nº 81987654321", [("TELEFONE", "81987654321")]),  # with its area it is one, whatever stands before
    ],
)
def test_what_is_found_is_that_and_no_more(text: str, right: list[tuple[str, str]]) -> None:
    assert found(text) == right


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (is_card, "4222222222222", "18"),  # its rule is fulfilled, and it is too short
        (is_card, "4111111111111111", "0" * 16),
        (is_card, "4111111111111111110", "41111111111111111115"),
        (is_cnpj, "11222333000696", "112223330006960"),  # the first check digit is 9
        (is_cnpj, "11222333000505", "00000000000000"),  # and 0, for a rest of 10 or 11
        (is_cnpj, "00001011101111", "11111111111111"),  # two different ones are enough
        (is_cnpj, "11222333000181", "1122233300\u00c125"),  # letters of this alphabet alone
    ],
)
def test_what_its_check_digits_do_not_say(check: Callable[[str], bool], right: str, wrong: str) -> None:
    assert check(right)
    assert not check(wrong)


def test_whatever_is_called_a_cpf_is_one() -> None:
    assert found("meu CPF é 390.533.447-06") == [("CPF", "390.533.447-06")]


def test_several_stand_apart_and_in_order() -> None:
    text = "39053344705 81987654321 ana@exemplo.test 4111 1111 1111 1111 12/27 (11) 3222-1234"
    assert [kind for kind, _ in found(text)] == ["CPF", "TELEFONE", "EMAIL", "CARTAO", "TELEFONE"]


def test_the_samples_of_a_kind_are_of_that_kind() -> None:
    for kind, samples in SAMPLES.items():
        for sample in samples:
            assert [item.kind for item in find(sample)] == [kind]


@given(st.integers(0, 10**9 - 1).filter(lambda number: len(set(f"{number:09}")) > 1))
def test_a_cpf_has_one_pair_of_check_digits(number: int) -> None:
    assert sum(is_cpf(f"{number:09}{check:02}") for check in range(100)) == 1


@given(st.text("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=12, max_size=12).filter(lambda text: len(set(text)) > 1))
def test_a_cnpj_has_one_pair_of_check_digits(number: str) -> None:
    assert sum(is_cnpj(f"{number}{check:02}") for check in range(100)) == 1


@given(st.text("0123456789", min_size=12, max_size=18).filter(lambda text: len(set(text)) > 1))
def test_a_card_has_one_check_digit(number: str) -> None:
    assert sum(is_card(f"{number}{check}") for check in range(10)) == 1


@given(st.text())
def test_what_is_found_lies_in_the_text_and_apart(text: str) -> None:
    ends = 0
    for item in find(text):
        assert ends <= item.start < item.end <= len(text)
        ends = item.end


@pytest.mark.parametrize(
    "text",
    [
        "1" * 100_000,
        "1 " * 50_000,
        "a@" * 50_000,
        "a." * 50_000 + "@",
        "%+" * 40_000,
        "000201" * 5_000,
        "é1-" * 30_000,
        "a ponto " * 20_000,
        "a arroba b ponto " * 10_000,
        "(arroba" * 20_000,
        " \n" * 50_000,
        "1\n" * 50_000,
        " " * 100_000,
    ],
)
def test_no_text_keeps_it_busy(text: str) -> None:
    began = time.process_time()
    find(text)
    assert time.process_time() - began < 5
