"""Which group the stand-in reads new messages for, where fields repeat (G7)."""

from __future__ import annotations

from typing import Any

import pytest

from atendimento.standin.ticket import read_ticket

INSTRUCTIONS = """# Campos (…)
Assistência
sources=agent,customer
/facts/
bairro
/items/{id}/ | Aparelho
aparelho
horario: Horário"""
FRIDGE, STOVE = {"id": "i-1", "label": "Aparelho: geladeira"}, {"id": "i-2", "label": "Aparelho: fogão", "undecided": True}


@pytest.mark.parametrize(
    ("groups", "text", "meant"),
    [
        ([], "a geladeira parou", "new-1"),
        ([FRIDGE], "parou de novo", "i-1"),
        ([STOVE], "parou de novo", "i-2"),
        ([FRIDGE, STOVE], "O fogao parou", "i-2"),
        ([FRIDGE, STOVE], "parou de novo", None),
        ([FRIDGE, STOVE], "a geladeira e o fogão pararam", None),
    ],
)
def test_the_group_that_is_meant_is_read_for_and_none_is_guessed(groups: list[Any], text: str, meant: str | None) -> None:
    said = {"id": "m-1", "kind": "customer", "sent_at": "2026-03-10T09:00-03:00", "weekday": "terça-feira", "text": text}
    state = {"items": {"i-1": {"aparelho": "geladeira"}}}
    ticket = read_ticket({"groups": groups, "state": state, "new_messages": [said]}, INSTRUCTIONS)
    assert ticket is not None
    own = [] if meant is None else [f"/items/{meant}/aparelho", f"/items/{meant}/horario"]
    assert [field.path for field in ticket.fields] == ["/facts/bairro", *own]
    assert dict(ticket.values) == ({"/items/i-1/aparelho": "geladeira"} if meant == "i-1" else {})
