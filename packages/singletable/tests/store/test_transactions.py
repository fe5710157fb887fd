"""Transactions are atomic, and their errors name the failed write."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.faults import Faults, FaultyDriver, Next
from singletable import Call, Steps, errors
from singletable.store import Store
from singletable.testing import StoreClock
from tests.store.store_adapter import StoreOpener
from tests.store.stores import expect_error, open_store, transact
from tools.testing.designs.votes import Ballot, Candidate, Election, Session, Voter, ballot, votes

ADA, BEA = Ballot.key("L", "ada"), Ballot.key("L", "bea")
TABLES = (votes,)


def test_transaction_applies_all_writes(store: Store) -> None:
    store.put(ballot("bea", rank=1))
    store.put(ballot("cid"))
    store.put(Election(name="L"))
    with store.transaction() as transaction:
        transaction.create(ballot("ada"))
        transaction.update(BEA, Ballot.rank.add(4), if_=Ballot.rank == 1)
        transaction.delete(Ballot.key("L", "cid"))
        transaction.put(Candidate(election="L", name="Ann"))
        transaction.check(Election.key("L"), Election.title == "")
    assert [(one.voter, one.rank) for one in store.query(Ballot.key.partition("L"))] == [
        ("ada", 0),
        ("bea", 5),
    ]
    assert store.get(Candidate.key("L", "Ann")) is not None


def test_transaction_writes_at_the_end_of_the_block(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(ballot("ada"))
        assert store.get(ADA) is None
    assert store.get(ADA) is not None
    with pytest.raises(errors.InvalidValue, match="over"):
        transaction.create(ballot("bea"))


def test_transaction_writes_nothing_if_the_block_raises(store: Store) -> None:
    with expect_error(ZeroDivisionError), store.transaction() as transaction:
        transaction.create(ballot("ada"))
        raise ZeroDivisionError
    assert store.get(ADA) is None


def test_empty_transaction_does_nothing(store: Store) -> None:
    with store.transaction():
        pass


# One generator function works for sync and async stores, and catches errors as around a block.
def test_steps_commit_transactions(opener: StoreOpener) -> None:
    calls: list[Call] = []
    store = opener.open(observers=[calls.append])
    store.admin.create_table(votes)

    def vote(voter: str) -> Steps[bool]:
        tx = store.begin()
        tx.create(ballot(voter))
        try:
            yield from tx.commit()
        except errors.AlreadyExists:
            return False
        with pytest.raises(errors.InvalidValue, match="over"):
            tx.delete(ADA)
        return True

    assert store.run_steps(vote("ada"), vote("bea")) == [True, True]
    assert store.run_steps(vote("ada")) == [False]
    assert store.get(BEA) is not None
    assert [call.shape.method for call in calls] == ["transaction"] * 3 + ["get"]


def test_failed_condition_cancels_the_transaction(store: Store) -> None:
    store.put(ballot("bea", rank=1))
    with expect_error(errors.ConditionFailed) as raised, store.transaction() as transaction:
        transaction.create(ballot("ada"))
        transaction.update(BEA, Ballot.rank.set(9), if_=Ballot.rank == 2)
    assert type(raised.value) is errors.ConditionFailed
    assert raised.value.current == ballot("bea", rank=1)
    assert "voter='bea'" in str(raised.value)
    assert store.get(ADA) is None


def test_transaction_error_names_the_failed_write(store: Store) -> None:
    existing = store.create(ballot("bea"))
    with expect_error(errors.AlreadyExists) as exists, store.transaction() as transaction:
        transaction.create(ballot("ada"))
        transaction.create(ballot("bea", rank=1))
    assert exists.value.current == existing
    with expect_error(errors.NotFound, match="voter='ada'"), store.transaction() as transaction:
        transaction.delete(BEA)
        transaction.update(ADA, Ballot.rank.add(1))
    with expect_error(errors.NotFound, match="Election"), store.transaction() as transaction:
        transaction.delete(BEA)
        transaction.check(Election.key("L"))
    with expect_error(errors.NotFound), store.transaction() as transaction:
        transaction.delete(BEA)
        transaction.replace(ballot("ada"))
    assert store.get(BEA) == existing


def test_transaction_sets_stamps_on_instances(store: Store) -> None:
    ada = Voter(name="ada")
    with store.transaction() as transaction:
        transaction.create(ada)
    assert ada.version == 1
    assert store.get(Voter.key("ada")) == ada


def test_transaction_rejects_more_than_100_items(store: Store) -> None:
    with store.transaction() as transaction:
        for number in range(100):
            transaction.put(ballot(f"v{number}"))
    assert store.count(Ballot.key.partition("L")) == 100
    with expect_error(errors.InvalidValue, match="at most 100"), store.transaction() as transaction:
        for number in range(101):
            transaction.delete(Ballot.key("L", f"v{number}"))
    assert store.count(Ballot.key.partition("L")) == 100


def test_transaction_merges_writes_of_one_item(store: Store) -> None:
    store.put(ballot("ada", rank=1))
    with store.transaction() as transaction:
        transaction.check(ADA, Ballot.rank == 1)
        transaction.update(ADA, Ballot.rank.add(1))
        transaction.update(ADA, Ballot.rank.add(2), Ballot.notes.append("x"))
        transaction.check(ADA, Ballot.rank == 4)
    assert store.get(ADA) == ballot("ada", rank=4, notes=["x"])
    with expect_error(errors.ConditionFailed) as raised, store.transaction() as transaction:
        transaction.update(ADA, Ballot.rank.add(1))
        transaction.delete(ADA, if_=Ballot.rank == 4)
    assert raised.value.current == ballot("ada", rank=5, notes=["x"])
    assert store.get(ADA) == ballot("ada", rank=4, notes=["x"])


def test_transaction_keeps_every_condition_of_an_item(store: Store) -> None:
    store.put(ballot("ada", rank=5))
    with expect_error(errors.ConditionFailed), store.transaction() as transaction:
        transaction.update(ADA, Ballot.notes.append("x"), if_=Ballot.rank == 99)
        transaction.delete(ADA)
    with expect_error(errors.ConditionFailed), store.transaction() as transaction:
        transaction.put(ballot("ada", rank=1))
        transaction.update(ADA, Ballot.notes.append("x"), if_=Ballot.rank == 99)
    with store.transaction() as transaction:
        transaction.update(ADA, Ballot.rank.add(1), if_=Ballot.rank == 5)
        transaction.put(ballot("ada", rank=7))
    assert store.get(ADA) == ballot("ada", rank=7)
    with expect_error(errors.NotFound), store.transaction() as transaction:
        transaction.update(BEA, Ballot.rank.add(1))
        transaction.delete(BEA)
    voter = store.create(Voter(name="ada"))
    store.replace(voter)
    with expect_error(errors.VersionConflict), store.transaction() as transaction:
        transaction.update(Voter.key("ada"), if_=Voter.version == 1)
        transaction.delete(Voter.key("ada"))
    assert store.get(Voter.key("ada")) == voter


def test_token_applies_a_transaction_once(store: Store) -> None:
    store.put(ballot("ada"))
    for _ in range(3):
        with store.transaction(token="once") as transaction:
            transaction.update(ADA, Ballot.rank.add(1))
            transaction.put(Candidate(election="L", name="Ann"))
    assert store.get(ADA) == ballot("ada", rank=1)
    with store.transaction(token="again") as transaction:
        transaction.update(ADA, Ballot.rank.add(1))
    assert store.get(ADA) == ballot("ada", rank=2)


def test_token_of_another_transaction_raises(store: Store, clock: StoreClock) -> None:
    store.put(ballot("ada"))
    with store.transaction(token="t") as transaction:
        transaction.update(ADA, Ballot.rank.add(1))
    with pytest.raises(errors.IdempotentParameterMismatch, match="'t'"):
        transact(store, lambda to: to.update(ADA, Ballot.rank.add(2)), token="t")
    assert store.get(ADA) == ballot("ada", rank=1)


@pytest.mark.parametrize("token", ["", "x" * 37, 5])
def test_token_length_is_checked(store: Store, token: str) -> None:
    with expect_error(errors.InvalidValue, match="36 characters"), store.transaction(token=token):
        pass


def test_transact_get_returns_a_snapshot(store: Store) -> None:
    store.create(Election(name="L"))
    store.put(ballot("ada"))
    found = store.transact_get(Election.key("L"), ADA, BEA)
    assert found == (Election(name="L"), ballot("ada"), None)
    assert store.transact_get(ADA, ADA) == (ballot("ada"), ballot("ada"))
    assert store.transact_get() == ()
    with pytest.raises(errors.InvalidValue, match="get_many"):
        store.transact_get(*(Session.key("ada", number) for number in range(101)))


@pytest.mark.usefixtures("waits")
def test_conflicts_are_retried(opener: StoreOpener) -> None:
    driver = FaultyDriver(opener.driver)
    store = open_store(votes, driver=driver)
    store.put(ballot("ada"))
    driver.faults = Faults(conflict=Next(3))
    with store.transaction() as transaction:
        transaction.update(ADA, Ballot.rank.add(1))
        transaction.create(ballot("bea"))
    driver.faults = Faults(conflict=Next(3))
    assert store.update(ADA, Ballot.rank.add(1)).rank == 2
    driver.faults = Faults(conflict=Next(3))
    assert store.transact_get(ADA, BEA) == (ballot("ada", rank=2), ballot("bea"))


def test_repeated_conflicts_raise(waits: list[float]) -> None:
    engine = Engine.in_memory()
    store = open_store(votes, driver=FaultyDriver(engine, Faults(conflict=1.0)))
    with pytest.raises(errors.TransactionConflict, match="Nothing was changed"):
        store.put(ballot("ada"))
    with pytest.raises(errors.TransactionConflict, match="Nothing was changed"):
        transact(store, lambda to: to.put(ballot("ada")))
    with pytest.raises(errors.TransactionConflict, match="read"):
        store.transact_get(ADA, BEA)
    assert Store(engine).get(ADA) is None
    assert len(set(waits)) == len(waits) > 20, "waits are of random length"
