"""What the endpoints' tests share."""

from __future__ import annotations

import pytest

from atendimento.models import Ticket
from tests.builders import House, make_house, make_ticket


@pytest.fixture
def house(db: None) -> House:
    return make_house()


@pytest.fixture
def ticket(house: House) -> Ticket:
    return make_ticket(house)
