"""Sample calls: of declared and undeclared patterns, with and without faults."""

from __future__ import annotations

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from singletable import AlreadyExists, Observer, Store
from tools.testing.designs.election_catalog import ballots, one_ballot
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, ballot, votes


def make_calls(driver: FaultyDriver, observer: Observer) -> None:
    """Make calls with known statistics."""
    store = Store(driver, observers=[observer])
    store.admin.create_table(votes)
    store.admin.create_table(members)
    driver.faults = Faults()
    # AP16: 3 writes in one request; then AP1 twice, once after two throttled attempts.
    store.put_many([Candidate(election="L", name=name) for name in ("a", "b", "c")])
    store.get(one_ballot("L", "ada"), consistent=True)
    driver.faults = Faults(throttle=Next(2))
    store.get(one_ballot("L", "ada"), consistent=True)
    # AP13: a unique value needs a transaction; the second create violates it.
    driver.faults = Faults(conflict=Next(1))
    store.create(Member(name="mia", email="m@b.c"))
    driver.faults = Faults()
    with pytest.raises(AlreadyExists):
        store.create(Member(name="max", email="M@b.c"))
    # Creating only a ballot matches no pattern; the query of AP2 has three pages.
    for number in range(8):
        store.create(ballot(f"v{number}", notes=["x" * 300_000]))
    assert len(list(store.query(ballots("L")))) == 8
    assert store.get(Ballot.key("L", "v0")) is not None
