"""A stale read returns a past state of the whole table."""

from __future__ import annotations

import threading
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dynamodb_engine.engine import Engine, Retention, Settings
from dynamodb_engine.errors import EngineError, FaultsError, ResourceNotFound, ValidationError
from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import (
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
from dynamodb_engine.operations import Get as TransactGet
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from tests.faults.votes_table import (
    ballot,
    batch_put,
    contents,
    create_engine,
    create_votes,
    get,
    key,
    put,
    query_partition,
    query_voter,
)

R = TypeVar("R")

STALE = Faults(stale=1)


def test_get_misses_last_write() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(put())
        assert driver.execute(get()).item is None
        assert driver.execute(get(consistent=True)).item == ballot()
        # Only the last change is missing.
        driver.execute(put(choice="no"))
        assert driver.execute(get()).item == ballot()


def test_index_query_misses_last_write() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(stale=1, indexes=("by_voter",)))
        driver.execute(put())
        assert driver.execute(query_voter("ada")).items == []
        # Reads of the table are not affected.
        assert driver.execute(query_partition("ELECTION#1")).items == [ballot()]


def test_deleted_item_is_still_returned() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(put())
        driver.execute(DeleteItem("votes", key()))
        assert driver.execute(get()).item == ballot()


# AWS guarantees this, and applications rely on it.
def test_consistent_reads_and_transactions_are_never_stale() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(put())
        assert driver.execute(get(consistent=True)).item == ballot()
        assert driver.execute(query_partition("ELECTION#1", consistent=True)).items == [ballot()]
        assert driver.execute(Scan("votes", consistent_read=True)).items == [ballot()]
        transaction = TransactGetItems([TransactGetItem(TransactGet("votes", key()))])
        assert driver.execute(transaction).responses[0].item == ballot()
        assert driver.injected == {}


def test_consistent_index_read_is_rejected() -> None:
    with create_engine() as engine, pytest.raises(ValidationError):
        FaultyDriver(engine, STALE).execute(replace(query_voter("ada"), consistent_read=True))


def test_batch_is_stale_for_eventually_consistent_tables() -> None:
    with create_engine() as engine:
        engine.execute(create_votes("others"))
        engine.execute(create_votes("strict"))
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


def test_only_selected_key_is_stale() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(stale=1, behind=9, keys=("ELECTION#1",)))
        driver.execute(put("ELECTION#1"))
        driver.execute(put("ELECTION#2"))
        keys = KeysAndAttributes([key("ELECTION#1"), key("ELECTION#2")])
        assert driver.execute(BatchGetItem({"votes": keys})).responses == {
            "votes": [ballot("ELECTION#2")]
        }


# Faults may be activated when the feed no longer contains the first items.
def test_replica_is_created_from_existing_items() -> None:
    settings = Settings(retention=Retention(records=10))
    with Engine.in_memory(settings) as engine:
        engine.execute(create_votes())
        for number in range(1000):
            engine.execute(put(sort=f"{number:04}"))
        driver = FaultyDriver(engine, Faults(stale=1, behind=3))
        assert driver.execute(Scan("votes")).count == 997
        # The lag is limited by what the feed still contains.
        driver.faults = Faults(stale=1, behind=900)
        assert 600 < driver.execute(Scan("votes")).count < 997
        # A replica older than the feed is created again.
        for number in range(1000, 2000):
            engine.execute(put(sort=f"{number:04}"))
        driver.faults = Faults(stale=1, behind=1)
        assert driver.execute(Scan("votes")).count == 1999


def test_lag_can_grow_and_shrink() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        for number in range(10):
            driver.execute(put(sort=str(number)))
        for behind in (1, 9, 4, 10, 200, 2):
            with driver.inject(Faults(stale=1, behind=behind)):
                assert driver.execute(Scan("votes")).count == max(0, 10 - behind)


def test_lag_can_be_a_duration() -> None:
    now = [1000.0]

    def clock() -> float:
        return now[0]

    with create_engine(clock=clock) as engine:
        driver = FaultyDriver(engine, Faults(stale=1, delay=2), clock=clock)
        for sort in ("ada", "bob", "eve"):
            driver.execute(put(sort=sort))
            now[0] += 1
        # Written 3, 2 and 1 seconds ago.
        assert [
            item["SK"]["S"] for item in driver.execute(query_partition("ELECTION#1")).items
        ] == [
            "ada",
            "bob",
        ]
        now[0] += 1
        assert driver.execute(query_partition("ELECTION#1")).count == 3


def test_stale_query_paginates() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(batch_put(*[f"{number:02}" for number in range(20)]))
        query, seen = replace(query_partition("ELECTION#1"), limit=7), list[str]()
        while True:
            page = driver.execute(query)
            seen += [item["SK"]["S"] for item in page.items]
            if page.last_evaluated_key is None:
                break
            query = replace(query, exclusive_start_key=page.last_evaluated_key)
        assert seen == [f"{number:02}" for number in range(19)]


def test_recreated_table_has_no_old_items() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(batch_put("ada", "bob"))
        assert driver.execute(Scan("votes")).count == 1
        engine.execute(DeleteTable("votes"))
        with pytest.raises(ResourceNotFound):
            driver.execute(Scan("votes"))
        engine.execute(create_votes())
        driver.execute(put(sort="eve"))
        driver.execute(put(sort="fay"))
        assert [item["SK"]["S"] for item in driver.execute(Scan("votes")).items] == ["eve"]


def test_added_index_can_be_read() -> None:
    create = CreateGlobalSecondaryIndexAction(
        "by_choice", [KeySchemaElement("choice", "HASH")], Projection("ALL")
    )
    query = Query(
        "votes",
        "by_choice",
        key_condition_expression="choice = :yes",
        expression_attribute_values={":yes": {"S": "yes"}},
    )
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        driver.execute(batch_put("ada", "bob"))
        assert driver.execute(Scan("votes")).count == 1
        engine.execute(
            UpdateTable(
                "votes",
                [AttributeDefinition("choice", "S")],
                global_secondary_index_updates=[GlobalSecondaryIndexUpdate(create=create)],
            )
        )
        assert driver.execute(query).count == 1


def test_swept_item_is_still_returned() -> None:
    with create_engine(clock=lambda: 1_700_000_000) as engine:
        driver = FaultyDriver(engine, STALE)
        engine.execute(UpdateTimeToLive("votes", TimeToLiveSpecification(True, "expires")))
        expired: Item = {**ballot(), "expires": {"N": "1699999999"}}
        engine.execute(replace(put(), item=expired))
        assert engine.execute(SweepExpired()).removed == 1
        assert engine.execute(get()).item is None
        assert driver.execute(get()).item == expired


def test_invalid_stale_read_raises_the_same_error() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, STALE)
        for invalid in (Query("votes"), Scan("votes", "nowhere"), replace(get(), key={})):
            with pytest.raises(ValidationError) as faulty:
                driver.execute(invalid)
            with pytest.raises(ValidationError) as plain:
                engine.execute(invalid)
            assert str(faulty.value) == str(plain.value)


# An index added later skips items that do not match its keys; a replica cannot.
def test_impossible_replica_raises_faults_error() -> None:
    create = CreateGlobalSecondaryIndexAction(
        "by_number", [KeySchemaElement("number", "HASH")], Projection("ALL")
    )
    with create_engine() as engine:
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
            with pytest.raises(FaultsError, match="cannot contain"):
                driver.execute(get())


def test_driver_without_change_feed_raises_faults_error() -> None:
    with create_engine() as engine:
        error = EngineError("ReadChanges is not supported.")
        without_feed = InterruptedDriver(engine, ReadChanges, before=error, times=None)
        driver = FaultyDriver(without_feed, STALE)
        with pytest.raises(FaultsError, match="InterruptedDriver does not support"):
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


# A lagging replica shows a past state, never a mixture of several.
@given(st.lists(st.one_of(writes, st.integers(0, 6)), max_size=40))
def test_stale_read_returns_the_requested_past_state(
    moves: list[Operation[object] | int],
) -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        states = [contents(engine)]
        for move in moves:
            if isinstance(move, int):
                with driver.inject(Faults(stale=1, behind=move)):
                    expected = states[max(0, len(states) - 1 - (move or 1))]
                    assert _scanned(driver) == expected
                    assert _by_index(driver) == expected
            else:
                driver.execute(move)
                now = contents(engine)
                if now != states[-1]:
                    # A write without effect is not a change.
                    states.append(now)


def _scanned(driver: FaultyDriver) -> dict[tuple[str, str], Item]:
    items = driver.execute(Scan("votes")).items
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


def _by_index(driver: FaultyDriver) -> dict[tuple[str, str], Item]:
    pages = [driver.execute(query_voter(voter)) for voter in ("ada", "bob", "eve")]
    items = [item for page in pages for item in page.items]
    return {(item["PK"]["S"], item["SK"]["S"]): item for item in items}


def test_count_of_stale_reads() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(stale=Next(2)))
        driver.execute(put())
        assert [driver.execute(get()).item for _ in range(3)] == [None, None, ballot()]
        assert driver.injected == {"stale": 2}


# Threads share one replica, and must not see it while another moves it.
def test_threads_read_past_states() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine)
        gaps: list[list[str]] = []

        def write() -> None:
            for number in range(150):
                engine.execute(put(sort=f"{number:03}"))

        def read(behind: int) -> None:
            for _ in range(50):
                page = driver.execute_with(Scan("votes"), Faults(stale=1, behind=behind))
                names = sorted(item["SK"]["S"] for item in page.items)
                # Items are written in order, so a past state is a prefix without gaps.
                if names != [f"{number:03}" for number in range(len(names))]:
                    gaps.append(names)

        threads = [threading.Thread(target=read, args=(behind,)) for behind in (1, 7, 40)]
        for thread in (*threads, writer := threading.Thread(target=write)):
            thread.start()
        for thread in (*threads, writer):
            thread.join(60)
        assert gaps == []
        assert driver.execute_with(Scan("votes"), Faults(stale=1, behind=7)).count == 143
