"""Who sees which tickets: the rule of teams, in every way a ticket is reached."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from atendimento import access
from atendimento.actions import handing
from atendimento.actions.tickets import update_ticket
from atendimento.models import Membership, Role, Team, Ticket
from tests.builders import House, change, make_house, make_team, make_ticket, propose, say


@pytest.fixture
def teams(house: House) -> dict[str, Team | None]:
    return {
        "none": None,
        "ana's": make_team(house, "Rotas", house.ana),
        "bruno's": make_team(house, "Peças", house.bruno),
        "open": make_team(house, "Portaria", house.bruno, open_to_all=True),
        "empty": make_team(house, "Diretoria"),
    }


def test_each_member_sees_exactly_what_the_rule_says(house: House, teams: dict[str, Team | None]) -> None:
    people: dict[str, Membership | None] = {"": None, "ana": house.ana, "bruno": house.bruno}
    for number, (team, owner, asked) in enumerate(itertools.product(teams, people, people)):
        row = make_ticket(house, f"c-{number}")
        Ticket.objects.filter(pk=row.pk).update(
            team=teams[team], assignee=people[owner], escalated_to=people[asked], subject=f"{team}|{owner}|{asked}"
        )
    for member, own in ((house.ana, "ana's"), (house.bruno, "bruno's")):
        name = member.name.lower()
        seen = set(access.visible_tickets(member).values_list("subject", flat=True))
        for subject in Ticket.objects.values_list("subject", flat=True):
            team, owner, asked = subject.split("|")
            assert (subject in seen) == (team in ("none", "open", own) or name in (owner, asked)), (name, subject)
    for member in (house.celia, house.davi):
        assert access.visible_tickets(member).count() == Ticket.objects.count() == 45
    assert access.visible_tickets(house.channel).count() == 45


def test_the_machine_s_lists_leave_out_what_is_another_team_s(house: House, teams: dict[str, Team | None]) -> None:
    mine, other = make_ticket(house, "a"), make_ticket(house, "b")
    for row in (mine, other):
        say(house, row, "moro no Pina")
        propose(house, row, change("/facts/bairro", "Pina", ("m-1", "Pina")), key=str(row.pk))
    Ticket.objects.filter(pk=other.pk).update(team=teams["bruno's"])

    api = house.api()
    assert [row["id"] for row in api.get("tickets").body["results"]] == [str(mine.pk)]
    assert {row["ticket"] for row in api.get("changes", status="pending").body["results"]} == {str(mine.pk)}
    assert len(house.api("bruno").get("tickets").body["results"]) == 2
    assert len(house.api("celia").get("changes", status="pending").body["results"]) == 2
    assert len(house.api("canal").get("tickets").body["results"]) == 2


def test_a_ticket_that_went_out_of_sight_is_answered_once_more_and_is_gone(house: House, teams: dict[str, Team | None]) -> None:
    row = make_ticket(house)
    moved = house.api().call("PATCH", f"tickets/{row.pk}", {"team": "peças"})

    assert (moved.status, moved.body["team"]) == (200, "Peças")
    assert house.api().get(f"tickets/{row.pk}").status == 404
    assert house.api("bruno").get(f"tickets/{row.pk}").status == 200


def test_who_is_asked_or_given_a_ticket_sees_it_until_they_have_answered(house: House, teams: dict[str, Team | None]) -> None:
    lead = house.ana
    make_team(house, "Jurídico", house.bruno, leads=[lead])
    row = make_ticket(house)
    update_ticket(member=house.celia, ticket_id=row.pk, team="Peças")
    with pytest.raises(access.NotFound):
        access.ticket(lead, row.pk)
    update_ticket(member=house.celia, ticket_id=row.pk, assignee=str(lead.pk))
    assert access.ticket(lead, row.pk).pk == row.pk
    update_ticket(member=house.celia, ticket_id=row.pk, assignee=None)
    with pytest.raises(access.NotFound):
        access.ticket(lead, row.pk)

    Ticket.objects.filter(pk=row.pk).update(escalated_to=lead, escalated_by=house.bruno)
    assert access.ticket(lead, row.pk).pk == row.pk
    handing.answer(member=lead, ticket_id=row.pk, note="Pode devolver o valor.")
    with pytest.raises(access.NotFound):
        access.ticket(lead, row.pk)


def test_a_change_of_team_or_role_counts_from_the_next_look_on(house: House, teams: dict[str, Team | None]) -> None:
    row = make_ticket(house)
    Ticket.objects.filter(pk=row.pk).update(team=teams["empty"])
    assert house.api().get(f"tickets/{row.pk}").status == 404

    Membership.objects.filter(pk=house.ana.pk).update(role=Role.SUPERVISOR)
    assert house.api().get(f"tickets/{row.pk}").status == 200


def test_another_organisation_s_teams_open_nothing(house: House, teams: dict[str, Team | None]) -> None:
    row = make_ticket(house)
    other = make_house("outra")
    make_team(other, "Rotas", other.ana, open_to_all=True)

    assert other.api().get(f"tickets/{row.pk}").status == 404
    assert other.api().call("PATCH", f"tickets/{make_ticket(other).pk}", {"team": "Peças"}).status == 400


OWN_SIGHT = re.compile(
    r"(?:access\.(?:ticket|proposal|change|ticket_to_change|visible\w*)|open_to_(?:change|decide))"
    r"\((?:self\.|request\.)?(?:member|caller)\.organization\b"
)
# What is answered to whoever has just handed a ticket out of their sight; what administrators and supervisors alone do.
ANSWERED = {"actions/handing.py", "actions/tickets.py", "actions/holds.py"}


def test_nobody_looks_with_the_organisation_s_eyes_in_place_of_their_own() -> None:
    folder = Path(access.__file__).parent
    found = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if OWN_SIGHT.search(path.read_text("utf-8"))}
    assert found == ANSWERED
    assert OWN_SIGHT.search("access.ticket(self.caller.organization, key)")
