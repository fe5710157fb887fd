"""Every call of the store, by commands, queries and a rebuild, is a declared pattern."""

from __future__ import annotations

import pytest

from singletable import Call, Engine, Store
from singletable_apps.elections.entities import votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.patterns import patterns
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.elections.service import TABLES
from tests.apps.support.elections.scenario import COMMANDS, copy_scenario, make_scenario
from tests.apps.support.elections.world import KEYS
from tests.apps.support.patterns import check_declared


def test_commands_and_rebuild_use_declared_patterns() -> None:
    base = make_scenario(Engine.in_memory(), elections=2)
    for command in COMMANDS.values():
        there = copy_scenario(base)
        command(there.world.service, there)
        there.world.check_calls()
    calls: list[Call] = []
    rebuild(Store(base.engine, tables=TABLES, observers=[calls.append]), KEYS.ballot_key)
    assert len(calls) > base.world.event_count
    check_declared(calls, patterns, (votes, event_log))
    base.world.check_calls()


def test_undeclared_calls_are_detected() -> None:
    calls: list[Call] = []
    base = make_scenario(Engine.in_memory(), elections=1)
    store = Store(base.engine, tables=TABLES, observers=[calls.append])
    list(store.admin.scan(type(base.bob)))
    with pytest.raises(AssertionError, match="no pattern declares"):
        check_declared(calls, patterns, (votes, event_log))
