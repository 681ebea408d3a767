"""A process that decides on one ticket as fast as it can: python -m tests.support.decider PLAN (JSON).

PLAN: {"organization", "member", "ticket", "sets": [path, …], "accepts": [change id, …]}. Prints the versions it made.
"""

from __future__ import annotations

import json
import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "atendimento.settings"
django.setup()

from atendimento import actions, tenancy  # noqa: E402 - after the set-up
from atendimento.models import Membership  # noqa: E402


def main(plan: dict[str, object]) -> list[int]:
    member = Membership.objects.select_related("organization", "user").get(pk=str(plan["member"]))
    ticket = str(plan["ticket"])
    versions = []
    sets, accepts = plan["sets"], plan["accepts"]
    assert isinstance(sets, list)
    assert isinstance(accepts, list)
    with tenancy.organization(member.organization_id):
        for path in sets:
            # Read at version 0 by all: nothing that the others do touches this pointer, so each is rebased (V2).
            done = actions.set_slot(member=member, ticket_id=ticket, path=path, value="x", expected_version=0)
            versions.append(done.version)
            if accepts:
                key = str(accepts.pop())
                versions.append(actions.accept_change(member=member, change_id=key, expected_version=0).version)
    return versions


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(sys.argv[1]))))
