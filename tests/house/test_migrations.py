"""A new database and one that grew migration by migration come to the same tables."""

from __future__ import annotations

from typing import Any

from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState

APP = "atendimento"
IN_ONE_GO = (APP, "0001_squashed_0030_tables")


def loaded(*, one_by_one: bool) -> MigrationLoader:
    loader = MigrationLoader(None, load=False, replace_migrations=not one_by_one)
    loader.build_graph()
    return loader


def described(model: ModelState) -> dict[str, Any]:
    """All that makes a table; the order in which fields and indexes came is no part of it."""
    options = {key: value for key, value in model.options.items() if key not in ("indexes", "constraints")}
    named = [*model.options.get("indexes", ()), *model.options.get("constraints", ())]
    return {
        "options": options,
        "fields": {name: repr(field.deconstruct()[1:]) for name, field in model.fields.items()},
        "named": {item.name: repr(item.deconstruct()) for item in named},
    }


def tables(loader: MigrationLoader, last: tuple[str, str]) -> dict[str, dict[str, Any]]:
    state = loader.project_state(last)
    return {name: described(model) for (app, name), model in state.models.items() if app == APP}


def test_what_is_made_in_one_go_is_what_the_migrations_one_by_one_come_to() -> None:
    grown, made = loaded(one_by_one=True), loaded(one_by_one=False)
    replaced = grown.disk_migrations[IN_ONE_GO].replaces
    before = [key for key in grown.disk_migrations if key[0] == APP and key[1] < "0031" and key != IN_ONE_GO]
    assert replaced == sorted(before)
    assert tables(grown, replaced[-1]) == tables(made, IN_ONE_GO)
    assert IN_ONE_GO in made.graph.nodes
    assert not set(replaced) & set(made.graph.nodes)
