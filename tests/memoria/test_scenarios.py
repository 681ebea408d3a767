"""The acceptance scenarios, played against the domain alone: no server, no database, seconds."""

from __future__ import annotations

import json
import os
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memoria.decisions import Edit
from memoria.errors import DomainError
from memoria.fields import TicketType
from memoria.patch import MISSING, Json
from memoria.proposals import Change, Citation
from memoria.sources import Kind
from memoria.state import slot_to_json
from tests.memoria.bench import ANA, SARA, Bench, Held

ROLES = {"agent": ANA, "supervisor": SARA, "admin": SARA}


def _scenarios(folder: Path) -> list[Path]:
    found = sorted((folder / "acceptance" / "scenarios").glob("*.toml"))
    assert found, "no scenario found"
    return found


def differs(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, dict):
        return not isinstance(got, dict) or any(differs(value, got.get(key, MISSING)) for key, value in wanted.items())
    if isinstance(wanted, list):
        return not isinstance(got, list) or len(wanted) != len(got) or any(map(differs, wanted, got))
    return type(wanted) is not type(got) or wanted != got


class Play:
    """One scenario's steps, as the driver of the outer interface reads them."""

    def __init__(self, shared: Path, scenario: dict[str, Any]) -> None:
        document = json.loads((shared / "acceptance/ticket-types" / f"{scenario['ticket_type']}.json").read_text("utf-8"))
        self.bench = Bench(TicketType.from_document(document, 1))
        self.changes: dict[str, Held] = {}
        self.by_external: dict[str, str] = {}
        self.by_key: dict[str, list[Held]] = {}

    def version_of(self, step: dict[str, Any]) -> int | None:
        found: int | None = step.get("expected_version")
        return found

    def run(self, step: dict[str, Any]) -> None:
        refused = step.get("expect_status", 200) >= 300
        call = getattr(self, "do_" + step["do"])
        if refused:
            with pytest.raises(DomainError) as caught:
                call(step)
            assert step.get("expect_code", caught.value.code.value) == caught.value.code.value
            return
        version = call(step)
        if "expect_version" in step:
            assert version == step["expect_version"]

    def do_message(self, step: dict[str, Any]) -> None:
        external = step.get("external_id")
        if external is None or external not in self.by_external:
            sent = datetime.fromisoformat(step["sent_at"]) if "sent_at" in step else None
            made = self.bench.say(step["author"], step["text"], step.get("name", step["author"]), sent_at=sent)
            if external is not None:
                self.by_external[external] = made
        else:
            made = self.by_external[external]
            self.bench.rewrite(made, step["text"])
        assert step.get("expect_id", made) == made

    def do_edit_message(self, step: dict[str, Any]) -> None:
        self.bench.rewrite(self.by_external[step["external_id"]], step["text"])

    def do_delete_message(self, step: dict[str, Any]) -> None:
        self.bench.delete(step["message"])

    def do_propose(self, step: dict[str, Any]) -> None:
        key = step.get("key")
        if key not in self.by_key or key is None:
            held = self.bench.propose(*map(self._change, step["changes"]), producer="acceptance")
            if key is not None:
                self.by_key[key] = held
        else:
            held = self.by_key[key]
        for index, (wanted, got) in enumerate(zip(step["changes"], held, strict=True)):
            self.changes[f"{step.get('label', 'p')}.{index}"] = got
            judgement = got.judgement
            codes = [reason.code.value for reason in judgement.reasons]
            assert judgement.verdict.value == wanted.get("verdict", "allowed"), (wanted["path"], codes)
            assert wanted.get("code", codes[0]) in codes
            if "cascade" in wanted:
                assert sorted(judgement.cascade) == sorted(wanted["cascade"])
            assert wanted.get("same_as", judgement.same_as) == judgement.same_as
            assert wanted.get("source", judgement.source) == judgement.source

    def _change(self, row: dict[str, Any]) -> Change:
        value: Json = row.get("value", MISSING)
        return Change(
            row["op"],
            row["path"],
            None if value == "__null__" else value,
            tuple(Citation(*item) for item in row.get("evidence", [])),
            row.get("inference", False),
            row.get("reason"),
        )

    def do_accept(self, step: dict[str, Any]) -> int:
        starts = tuple(Citation(*item) for item in step["evidence"]) if "evidence" in step else None
        return self.bench.accept(
            self.changes[step["change"]],
            expected=self.version_of(step),
            override=step.get("override"),
            starts=starts,
            actor=ROLES[step.get("role", "agent")],
        )

    def do_edit(self, step: dict[str, Any]) -> int:
        evidence = tuple(Citation(*item) for item in step["evidence"]) if "evidence" in step else None
        edit = Edit(step["value"], evidence, step.get("reason"))
        return self.bench.accept(self.changes[step["change"]], expected=self.version_of(step), edit=edit)

    def do_reject(self, step: dict[str, Any]) -> int:
        return self.bench.reject(self.changes[step["change"]], reason=step.get("reason"))

    def do_decide(self, step: dict[str, Any]) -> int:
        accept = [self.changes[label] for label in step.get("accept", [])]
        reject = [self.changes[label] for label in step.get("reject", [])]
        return self.bench.decide(accept, reject, expected=self.version_of(step))

    def do_confirm(self, step: dict[str, Any]) -> int:
        return self.bench.confirm(step["path"], expected=self.version_of(step), **self._slot_call(step)).version

    def do_resolve(self, step: dict[str, Any]) -> int:
        more = {key: step[key] for key in ("challenger", "reason") if key in step}
        actor = ROLES[step.get("role", "agent")]
        return self.bench.resolve(step["path"], step["choice"], expected=self.version_of(step), actor=actor, **more).version

    def do_set(self, step: dict[str, Any]) -> int:
        more = self._slot_call(step)
        if "reason" in step:
            more["reason"] = step["reason"]
        return self.bench.put(step["path"], step.get("value", MISSING), expected=self.version_of(step), **more).version

    def _slot_call(self, step: dict[str, Any]) -> dict[str, Any]:
        more: dict[str, Any] = {}
        if "reported" in step:
            more["reported"] = Kind(step["reported"])
        if "evidence" in step:
            more["evidence"] = tuple(Citation(*item) for item in step["evidence"])
        return more

    def do_undo(self, step: dict[str, Any]) -> int:
        actor = ROLES[step.get("role", "agent")]
        return self.bench.undo(step["version"], expected=self.version_of(step), actor=actor).version

    def do_expect(self, step: dict[str, Any]) -> None:
        state = self.bench.state
        if "at" in step:
            for event in reversed(self.bench.events[step["at"] :]):
                state = state.rewind(event)
        shown = Bench(state=state)
        assert step.get("version", state.version) == state.version
        for pointer, wanted in step.get("values", {}).items():
            assert not differs(wanted, shown.value(pointer)), (pointer, shown.value(pointer))
        for pointer in step.get("absent", []):
            assert shown.value(pointer) in (MISSING, None), pointer
        for pointer, wanted in step.get("slots", {}).items():
            got = slot_to_json(state.slots[pointer]) if pointer in state.slots else MISSING
            assert not differs(wanted, got), (pointer, got)
        for label, wanted in step.get("changes", {}).items():
            held = self.changes[label]
            got = {"status": held.status.value, "verdict": held.judgement.verdict.value}
            assert not differs(wanted, got), (label, got)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scenario" in metafunc.fixturenames:
        shared = os.environ.get("LASTRO_SHARED")
        assert shared, "LASTRO_SHARED must name the folder with the acceptance scenarios"
        found = _scenarios(Path(shared))
        metafunc.parametrize("scenario", found, ids=[path.stem for path in found])


def test_the_domain_plays_the_scenario_as_written(scenario: Path) -> None:
    document = tomllib.loads(scenario.read_text("utf-8"))
    play = Play(scenario.parents[2], document)
    for number, step in enumerate(document["step"], 1):
        try:
            play.run(step)
        except (AssertionError, DomainError) as problem:
            raise AssertionError(f"step {number} ({step['do']}): {problem}") from problem
