"""Transactions: all or nothing, with the words of the write that was refused."""

from __future__ import annotations

import pytest

from singletable.engine import Engine
from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    IdempotentParameterMismatch,
    InvalidValue,
    NotFound,
    TransactionConflict,
)
from singletable.faults import Faults, FaultyDriver, Next
from singletable.store import Store
from tests.store.clock import Clock
from tests.store.declared import Ballot, Candidate, Election, Session, Voter, ballot, votes
from tests.store.faces import Face
from tests.store.refusals import refusal

ADA, BEA = Ballot.key("L", "ada"), Ballot.key("L", "bea")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    return empty


def test_all_writes_happen_together(store: Store) -> None:
    store.put(ballot("bea", rank=1))
    store.put(ballot("cid"))
    store.put(Election(name="L"))
    with store.transaction() as together:
        together.create(ballot("ada"))
        together.update(BEA, Ballot.rank.add(4), if_=Ballot.rank == 1)
        together.delete(Ballot.key("L", "cid"))
        together.put(Candidate(election="L", name="Ann"))
        together.check(Election.key("L"), Election.title == "")
    assert [(one.voter, one.rank) for one in store.query(Ballot.key.partition("L"))] == [
        ("ada", 0),
        ("bea", 5),
    ]
    assert store.get(Candidate.key("L", "Ann")) is not None


def test_nothing_happens_before_the_end_of_the_block(store: Store) -> None:
    with store.transaction() as together:
        together.create(ballot("ada"))
        assert store.get(ADA) is None
    assert store.get(ADA) is not None


def test_a_block_that_raises_writes_nothing(store: Store) -> None:
    with refusal(ZeroDivisionError), store.transaction() as together:
        together.create(ballot("ada"))
        raise ZeroDivisionError
    assert store.get(ADA) is None


def test_a_block_with_nothing_in_it_is_nothing(store: Store) -> None:
    with store.transaction():
        pass


def test_a_block_that_is_over_takes_no_more(store: Store) -> None:
    with store.transaction() as together:
        together.create(ballot("ada"))
    with pytest.raises(InvalidValue, match="over"):
        together.create(ballot("bea"))


def test_one_refusal_refuses_all_and_shows_the_item_as_it_stood(store: Store) -> None:
    store.put(ballot("bea", rank=1))
    with refusal(ConditionFailed) as refused, store.transaction() as together:
        together.create(ballot("ada"))
        together.update(BEA, Ballot.rank.set(9), if_=Ballot.rank == 2)
    assert type(refused.value) is ConditionFailed
    assert refused.value.current == ballot("bea", rank=1)
    assert "voter='bea'" in str(refused.value)
    assert store.get(ADA) is None


def test_the_error_names_the_write_that_was_refused(store: Store) -> None:
    existing = store.create(ballot("bea"))
    with refusal(AlreadyExists) as exists, store.transaction() as together:
        together.create(ballot("ada"))
        together.create(ballot("bea", rank=1))
    assert exists.value.current == existing
    with refusal(NotFound, match="voter='ada'"), store.transaction() as together:
        together.delete(BEA)
        together.update(ADA, Ballot.rank.add(1))
    with refusal(NotFound, match="Election"), store.transaction() as together:
        together.delete(BEA)
        together.check(Election.key("L"))
    with refusal(NotFound), store.transaction() as together:
        together.delete(BEA)
        together.replace(ballot("ada"))
    assert store.get(BEA) == existing


def test_instances_have_their_stamps_afterwards(store: Store) -> None:
    ada = Voter(name="ada")
    with store.transaction() as together:
        together.create(ada)
    assert ada.version == 1
    assert store.get(Voter.key("ada")) == ada


def test_a_transaction_has_a_hundred_items_at_most(store: Store) -> None:
    with store.transaction() as together:
        for number in range(100):
            together.put(ballot(f"v{number}"))
    assert store.count(Ballot.key.partition("L")) == 100
    with refusal(InvalidValue, match="at most 100"), store.transaction() as together:
        for number in range(101):
            together.delete(Ballot.key("L", f"v{number}"))
    assert store.count(Ballot.key.partition("L")) == 100


def test_changes_to_one_item_become_one(store: Store) -> None:
    store.put(ballot("ada", rank=1))
    with store.transaction() as together:
        together.update(ADA, Ballot.rank.add(1))
        together.update(ADA, Ballot.rank.add(2), Ballot.notes.append("x"))
        together.check(ADA, Ballot.rank == 1)
    assert store.get(ADA) == ballot("ada", rank=4, notes=["x"])
    with refusal(ConditionFailed), store.transaction() as together:
        together.update(ADA, Ballot.rank.add(1))
        together.check(ADA, Ballot.rank == 1)
    assert store.get(ADA) == ballot("ada", rank=4, notes=["x"])


def test_changes_that_cannot_become_one_are_refused(store: Store) -> None:
    store.put(ballot("ada"))
    with refusal(InvalidValue, match="twice"), store.transaction() as together:
        together.update(ADA, Ballot.rank.set(1))
        together.update(ADA, Ballot.rank.set(2))
    with refusal(InvalidValue, match="Combine them"), store.transaction() as together:
        together.put(ballot("ada"))
        together.delete(ADA)
    assert store.get(ADA) == ballot("ada")


def test_a_token_makes_the_same_transaction_happen_once(store: Store) -> None:
    store.put(ballot("ada"))
    for _ in range(3):
        with store.transaction(token="once") as together:
            together.update(ADA, Ballot.rank.add(1))
            together.put(Candidate(election="L", name="Ann"))
    assert store.get(ADA) == ballot("ada", rank=1)
    with store.transaction(token="again") as together:
        together.update(ADA, Ballot.rank.add(1))
    assert store.get(ADA) == ballot("ada", rank=2)


def test_a_token_is_not_for_another_transaction(store: Store, clock: Clock) -> None:
    store.put(ballot("ada"))
    with store.transaction(token="t") as together:
        together.update(ADA, Ballot.rank.add(1))
    with (
        refusal(IdempotentParameterMismatch, match="'t'"),
        store.transaction(token="t") as together,
    ):
        together.update(ADA, Ballot.rank.add(2))
    assert store.get(ADA) == ballot("ada", rank=1)


@pytest.mark.parametrize("token", ["", "x" * 37, 5])
def test_a_token_has_one_to_thirty_six_characters(store: Store, token: str) -> None:
    with refusal(InvalidValue, match="36 characters"), store.transaction(token=token):
        pass


def test_items_are_read_as_of_one_moment(store: Store) -> None:
    store.create(Election(name="L"))
    store.put(ballot("ada"))
    assert store.transact_get(Election.key("L"), ADA, BEA) == (
        Election(name="L"),
        ballot("ada"),
        None,
    )
    assert store.transact_get(ADA, ADA) == (ballot("ada"), ballot("ada"))
    assert store.transact_get() == ()
    with pytest.raises(InvalidValue, match="get_many"):
        store.transact_get(*(Session.key("ada", number) for number in range(101)))


def test_whoever_meets_others_tries_again(face: Face) -> None:
    driver = FaultyDriver(face.driver)
    store = Store(driver)
    store.admin.create_table(votes)
    store.put(ballot("ada"))
    driver.faults = Faults(conflict=Next(3))
    with store.transaction() as together:
        together.update(ADA, Ballot.rank.add(1))
        together.create(ballot("bea"))
    driver.faults = Faults(conflict=Next(3))
    assert store.update(ADA, Ballot.rank.add(1)).rank == 2
    driver.faults = Faults(conflict=Next(3))
    assert store.transact_get(ADA, BEA) == (ballot("ada", rank=2), ballot("bea"))


def test_whoever_meets_others_all_the_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    with Engine.in_memory() as engine:
        store = Store(FaultyDriver(engine, Faults(conflict=1.0)))
        store.admin.create_table(votes)
        with pytest.raises(TransactionConflict, match="Nothing was changed"):
            store.put(ballot("ada"))
        with (
            refusal(TransactionConflict, match="Nothing was changed"),
            store.transaction() as together,
        ):
            together.put(ballot("ada"))
        with pytest.raises(TransactionConflict, match="read"):
            store.transact_get(ADA, BEA)
        assert Store(engine).get(ADA) is None
    assert len(set(waits)) == len(waits) > 20, "waits are of random length"
