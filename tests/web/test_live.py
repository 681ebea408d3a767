"""The stream of live updates: only for members, only of their organisation."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, cast

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient

from atendimento import jobs
from atendimento.models import Membership
from tests.support import stories


async def heard(member: Membership, publish_to: int) -> list[str]:
    """What the member's open page hears of one event that is published once it listens, and of a last one of its own."""
    client = AsyncClient()
    await client.aforce_login(member.user, "allauth.account.auth_backends.AuthenticationBackend")
    response: Any = await client.get("/live")
    assert response["Content-Type"] == "text/event-stream"
    assert response["Cache-Control"] == "no-store, private"
    lines = []
    async with aclosing(cast("Any", aiter(response))) as stream:
        events: AsyncIterator[bytes] = stream
        assert b"event: ready" in await anext(events)
        jobs.publish(publish_to, {"ticket": "t", "kind": "decision", "version": 3, "message": 4, "member": 5})
        jobs.publish(member.organization_id, {"ticket": "end", "kind": "ticket"})
        async for event in events:
            if event.startswith(b":"):
                continue  # a sign of life
            lines.append(event.decode())
            if '"end"' in lines[-1]:
                break
    return lines


@pytest.mark.django_db(transaction=True)
def test_a_member_hears_their_organisation_and_no_other() -> None:
    other = stories.make("outra", "Outra").ana
    mine = stories.make().ana
    own = async_to_sync(heard)(mine, mine.organization_id)
    assert len(own) == 2
    news = json.loads(own[0].split("data: ")[1])
    assert (news["kind"], news["version"], news["member"]) == ("decision", 3, 5)
    assert "colega" in news["text"]
    assert len(async_to_sync(heard)(mine, other.organization_id)) == 1
