"""The migration drill in short, and the faults that it must detect."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drills.migration import Ledger, check_tables, run_rounds
from drills.migration_client import Contact, OldUser, Profile, entities_table, users_table
from singletable import Engine, Store


def test_killed_migrations_lose_nothing_and_store_nothing_twice(tmp_path: Path) -> None:
    results = list(run_rounds(1, tmp_path, rounds=2, writers=1, writes=15, kills=1))
    assert [result.faults for result in results] == [[], []]
    assert sum(result.writes for result in results) > 20


@pytest.fixture
def store() -> Store:
    """Return a store with a user in both tables."""
    store = Store(Engine.in_memory())
    store.admin.create_table(users_table)
    store.admin.create_table(entities_table)
    store.put(OldUser(username="ada", name="Ada", score=7, email="a@x.org"))
    store.put(Profile(username="ada", name="Ada", score=7))
    store.put(Contact(username="ada", email="a@x.org"))
    return store


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (["begin ada", "done ada ('Ada', 8, 'a@x.org')"], "ada is .*, but .* was written"),
        (["begin bob", "done bob ('Bob', 1, None)"], "bob is None"),
        (["begin ada", "done ada None"], "but None was written"),
    ],
    ids=["lost change", "lost user", "deleted user is back"],
)
def test_lost_and_repeated_writes_are_detected(store: Store, lines: list[str], fault: str) -> None:
    ledger = Ledger({"ada": ("Ada", 7, "a@x.org")})
    assert check_tables(store, ledger, old_too=True) == []
    for line in lines:
        ledger.read_line(line)
    faults = check_tables(store, ledger, old_too=True)
    assert len(faults) == 2
    assert all(re.search(fault, text) for text in faults), faults


def test_contact_without_a_profile_is_detected(store: Store) -> None:
    store.delete(Profile.key("ada"))
    ledger = Ledger({"ada": ("Ada", 7, "a@x.org")})
    assert any("no profile" in fault for fault in check_tables(store, ledger, old_too=False))


def test_unanswered_write_may_have_happened_or_not(store: Store) -> None:
    ledger = Ledger({"ada": ("Ada", 6, None)})
    ledger.read_line("begin ada")
    assert check_tables(store, ledger, old_too=True) == []
    assert ledger.stored["ada"] == ("Ada", 7, "a@x.org")
