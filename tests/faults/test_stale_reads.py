"""Stale reads are truthful: what they show was once the table's state, the whole of it."""

from __future__ import annotations

import threading
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from singletable.engine import Engine, Retention, Settings
from singletable.errors import FaultsError, ResourceNotFound, SingleTableError, ValidationError
from singletable.faults import Faults, FaultyDriver, Next
from singletable.operations import (
    AttributeDefinition,
    BatchGetItem,
    CreateGlobalSecondaryIndexAction,
    DeleteItem,
    DeleteTable,
    GlobalSecondaryIndexUpdate,
    KeysAndAttributes,
    KeySchemaElement,
    Operation,
    Projection,
    PutItem,
    Query,
    ReadChanges,
    Scan,
    SweepExpired,
    TimeToLiveSpecification,
    TransactGetItem,
    TransactGetItems,
    UpdateTable,
    UpdateTimeToLive,
)
from singletable.operations import Get as TransactGet
from singletable.values import Item
from tests.faults.votes import (
    ballot,
    batch_of,
    contents,
    engine_with_votes,
    get,
    key,
    of_partition,
    of_voter,
    put,
    votes,
)

R = TypeVar("R")

STALE = Faults(stale=1)


def test_a_get_may_miss_what_was_just_written() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(put())
        assert driver.execute(get()).item is None
        assert driver.execute(get(consistent=True)).item == ballot()
        # It is the last change that is not seen yet; those before it are.
        driver.execute(put(choice="no"))
        assert driver.execute(get()).item == ballot()


def test_a_query_of_an_index_may_miss_it_too() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(stale=1, indexes=("by_voter",)))
        driver.execute(put())
        assert driver.execute(of_voter("ada")).items == []
        # Restricted to the index, faults leave the table alone.
        assert driver.execute(of_partition("ELECTION#1")).items == [ballot()]


def test_what_was_deleted_may_still_be_there() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(put())
        driver.execute(DeleteItem("votes", key()))
        assert driver.execute(get()).item == ballot()


# AWS promises these, and applications rely on it.
def test_consistent_reads_and_transactions_are_never_stale() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(put())
        assert driver.execute(get(consistent=True)).item == ballot()
        assert driver.execute(of_partition("ELECTION#1", consistent=True)).items == [ballot()]
        assert driver.execute(Scan("votes", consistent_read=True)).items == [ballot()]
        reading = TransactGetItems([TransactGetItem(TransactGet("votes", key()))])
        assert driver.execute(reading).responses[0].item == ballot()
        assert driver.struck == {}


def test_an_index_cannot_be_asked_for_a_consistent_read() -> None:
    with engine_with_votes() as engine, pytest.raises(ValidationError):
        FaultyDriver(engine, STALE).execute(replace(of_voter("ada"), consistent_read=True))


def test_a_batch_is_stale_where_it_may_be() -> None:
    with engine_with_votes() as engine:
        engine.execute(votes("others"))
        engine.execute(votes("strict"))
        driver = FaultyDriver(engine, STALE)
        wanted = KeysAndAttributes([key(), key(sort="bob")])
        for table in ("votes", "others", "strict"):
            for sort in ("ada", "bob"):
                driver.execute(replace(put(sort=sort), table_name=table))
        strict = replace(wanted, consistent_read=True)
        batch = BatchGetItem({"votes": wanted, "others": wanted, "strict": strict})
        responses = driver.execute(batch).responses
        names = {table: [item["SK"]["S"] for item in responses[table]] for table in responses}
        assert names == {"votes": ["ada"], "others": ["ada"], "strict": ["ada", "bob"]}


def test_only_the_key_that_is_named_is_stale() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(stale=1, behind=9, keys=("ELECTION#1",)))
        driver.execute(put("ELECTION#1"))
        driver.execute(put("ELECTION#2"))
        both = KeysAndAttributes([key("ELECTION#1"), key("ELECTION#2")])
        assert driver.execute(BatchGetItem({"votes": both})).responses == {
            "votes": [ballot("ELECTION#2")]
        }


# Faults are switched on when there are tables and items already, which no feed reaches back to.
def test_a_copy_is_made_of_what_there_is() -> None:
    settings = Settings(retention=Retention(records=10))
    with Engine.in_memory(settings) as engine:
        engine.execute(votes())
        for number in range(1000):
            engine.execute(put(sort=f"{number:04}"))
        driver = FaultyDriver(engine, Faults(stale=1, behind=3))
        assert driver.execute(Scan("votes")).count == 997
        # The feed ends somewhere: no further back than that.
        driver.faults = Faults(stale=1, behind=900)
        assert 600 < driver.execute(Scan("votes")).count < 997
        # And a copy that was left behind by the feed is made anew.
        for number in range(1000, 2000):
            engine.execute(put(sort=f"{number:04}"))
        driver.faults = Faults(stale=1, behind=1)
        assert driver.execute(Scan("votes")).count == 1999


def test_a_lag_may_grow_and_shrink() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        for number in range(10):
            driver.execute(put(sort=str(number)))
        for behind in (1, 9, 4, 10, 200, 2):
            with driver.injecting(Faults(stale=1, behind=behind)):
                assert driver.execute(Scan("votes")).count == max(0, 10 - behind)


def test_a_lag_may_be_a_time() -> None:
    now = [1000.0]

    def clock() -> float:
        return now[0]

    with engine_with_votes(clock=clock) as engine:
        driver = FaultyDriver(engine, Faults(stale=1, delay=2), clock=clock)
        for sort in ("ada", "bob", "eve"):
            driver.execute(put(sort=sort))
            now[0] += 1
        # Written 3, 2 and 1 seconds ago.
        assert [item["SK"]["S"] for item in driver.execute(of_partition("ELECTION#1")).items] == [
            "ada",
            "bob",
        ]
        now[0] += 1
        assert driver.execute(of_partition("ELECTION#1")).count == 3


def test_pages_of_a_stale_query_follow_each_other() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(batch_of(*[f"{number:02}" for number in range(20)]))
        query, seen = replace(of_partition("ELECTION#1"), limit=7), list[str]()
        while True:
            page = driver.execute(query)
            seen += [item["SK"]["S"] for item in page.items]
            if page.last_evaluated_key is None:
                break
            query = replace(query, exclusive_start_key=page.last_evaluated_key)
        assert seen == [f"{number:02}" for number in range(19)]


def test_a_table_made_anew_has_nothing_of_the_old_one() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(batch_of("ada", "bob"))
        assert driver.execute(Scan("votes")).count == 1
        engine.execute(DeleteTable("votes"))
        with pytest.raises(ResourceNotFound):
            driver.execute(Scan("votes"))
        engine.execute(votes())
        driver.execute(put(sort="eve"))
        driver.execute(put(sort="fay"))
        assert [item["SK"]["S"] for item in driver.execute(Scan("votes")).items] == ["eve"]


def test_an_index_that_is_added_can_be_read() -> None:
    create = CreateGlobalSecondaryIndexAction(
        "by_choice", [KeySchemaElement("choice", "HASH")], Projection("ALL")
    )
    query = Query(
        "votes",
        "by_choice",
        key_condition_expression="choice = :yes",
        expression_attribute_values={":yes": {"S": "yes"}},
    )
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(batch_of("ada", "bob"))
        assert driver.execute(Scan("votes")).count == 1
        engine.execute(
            UpdateTable(
                "votes",
                [AttributeDefinition("choice", "S")],
                global_secondary_index_updates=[GlobalSecondaryIndexUpdate(create=create)],
            )
        )
        assert driver.execute(query).count == 1


# Removed for good on the table, and still there where the removal has not arrived.
def test_what_expired_may_still_be_there() -> None:
    with engine_with_votes(clock=lambda: 1_700_000_000) as engine:
        driver = FaultyDriver(engine, STALE)
        engine.execute(UpdateTimeToLive("votes", TimeToLiveSpecification(True, "expires")))
        expired: Item = {**ballot(), "expires": {"N": "1699999999"}}
        engine.execute(replace(put(), item=expired))
        assert engine.execute(SweepExpired()).removed == 1
        assert engine.execute(get()).item is None
        assert driver.execute(get()).item == expired


def test_a_read_that_makes_no_sense_is_refused_as_ever() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, STALE)
        for wrong in (Query("votes"), Scan("votes", "nowhere"), replace(get(), key={})):
            with pytest.raises(ValidationError) as faulty:
                driver.execute(wrong)
            with pytest.raises(ValidationError) as plain:
                engine.execute(wrong)
            assert str(faulty.value) == str(plain.value)


# An index that was added later leaves out items that do not fit its keys; a copy cannot.
def test_a_copy_that_cannot_be_made_is_refused_and_not_half_made() -> None:
    create = CreateGlobalSecondaryIndexAction(
        "by_number", [KeySchemaElement("number", "HASH")], Projection("ALL")
    )
    with engine_with_votes() as engine:
        engine.execute(replace(put(), item={**ballot(), "number": {"S": "seven"}}))
        engine.execute(
            UpdateTable(
                "votes",
                [AttributeDefinition("number", "N")],
                global_secondary_index_updates=[GlobalSecondaryIndexUpdate(create=create)],
            )
        )
        engine.execute(put(choice="no"))
        driver = FaultyDriver(engine, STALE)
        for _ in range(2):
            with pytest.raises(FaultsError, match="cannot hold an item"):
                driver.execute(get())


class Mute:
    """A driver that has no change feed."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def execute(self, operation: Operation[R], /) -> R:
        if isinstance(operation, ReadChanges):
            raise SingleTableError("What is ReadChanges?")
        return self._engine.execute(operation)


def test_a_driver_without_a_feed_cannot_have_stale_reads() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(Mute(engine), STALE)
        with pytest.raises(FaultsError, match="Mute does not answer"):
            driver.execute(get())
        driver.execute(get(consistent=True))


def _write(partition: str, sort: str, choice: str | None) -> PutItem | DeleteItem:
    if choice is None:
        return DeleteItem("votes", key(partition, sort))
    return put(partition, sort, choice)


writes = st.builds(
    _write,
    st.sampled_from(["ELECTION#1", "ELECTION#2"]),
    st.sampled_from(["ada", "bob", "eve"]),
    st.sampled_from([None, "yes", "no"]),
)


# The one promise of a lagging replica: what it shows is a state that was, and never a mixture.
@given(st.lists(st.one_of(writes, st.integers(0, 6)), max_size=40))
def test_what_is_read_is_a_past_state_and_the_one_that_was_asked_for(
    moves: list[Operation[object] | int],
) -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        states = [contents(engine)]
        for move in moves:
            if isinstance(move, int):
                with driver.injecting(Faults(stale=1, behind=move)):
                    expected = states[max(0, len(states) - 1 - (move or 1))]
                    assert _scanned(driver) == expected
                    assert _by_index(driver) == expected
            else:
                driver.execute(move)
                now = contents(engine)
                if now != states[-1]:
                    # A write that changes nothing is no change.
                    states.append(now)


def _scanned(driver: FaultyDriver) -> dict[tuple[str, str], Item]:
    items = driver.execute(Scan("votes")).items
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


def _by_index(driver: FaultyDriver) -> dict[tuple[str, str], Item]:
    pages = [driver.execute(of_voter(voter)) for voter in ("ada", "bob", "eve")]
    items = [item for page in pages for item in page.items]
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


def test_a_count_of_stale_reads() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(stale=Next(2)))
        driver.execute(put())
        assert [driver.execute(get()).item for _ in range(3)] == [None, None, ballot()]
        assert driver.struck == {"stale": 2}


# One copy serves all threads; whoever moves it must not let another see it half moved.
def test_threads_see_past_states() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine)
        holes: list[list[str]] = []

        def write() -> None:
            for number in range(150):
                engine.execute(put(sort=f"{number:03}"))

        def read(behind: int) -> None:
            for _ in range(50):
                page = driver.execute_with(Scan("votes"), Faults(stale=1, behind=behind))
                names = sorted(item["SK"]["S"] for item in page.items)
                # Written in order, so a past state is a beginning without a hole.
                if names != [f"{number:03}" for number in range(len(names))]:
                    holes.append(names)

        threads = [threading.Thread(target=read, args=(behind,)) for behind in (1, 7, 40)]
        for thread in (*threads, writer := threading.Thread(target=write)):
            thread.start()
        for thread in (*threads, writer):
            thread.join(60)
        assert holes == []
        assert driver.execute_with(Scan("votes"), Faults(stale=1, behind=7)).count == 143
