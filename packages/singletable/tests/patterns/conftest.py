"""A store with some items, whose calls are recorded."""

from __future__ import annotations

import pytest

from singletable import Call, Store
from tests.store.stores import open_store
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Election, ballot, votes


@pytest.fixture
def calls() -> list[Call]:
    """Return the list of calls that the store fills."""
    return []


@pytest.fixture
def store(calls: list[Call]) -> Store:
    """Return a store in memory with an election, a ballot and a member."""
    store = open_store(votes, members, observers=[calls.append])
    store.put_many([Election(name="L"), ballot("ada")])
    store.create(Member(name="mia", email="m@b.c", handle="m"))
    calls.clear()
    return store
