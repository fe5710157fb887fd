"""What happens to an operation is decided by a pure function: the same in, the same out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.faults import Decision, Faults, Kind, Next, Occasion, State, decide, occasion_of
from singletable.faults.surface import Part
from singletable.operations import (
    BatchGetItem,
    GetItem,
    KeysAndAttributes,
    ListTables,
    Operation,
    PutItem,
    Query,
    ReadChanges,
    Scan,
    SweepExpired,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
)
from singletable.operations import Get as TransactGet
from tests.faults.strategies import any_faults
from tests.faults.votes import batch_of, get, key, of_voter, put, transact_put

OPERATIONS: list[Operation[object]] = [
    put(),
    get(),
    get(consistent=True),
    of_voter("ada"),
    batch_of("ada", "bob", "eve"),
    TransactWriteItems([transact_put("ada"), transact_put("bob")], client_request_token="t"),
    TransactGetItems([TransactGetItem(TransactGet("votes", key()))]),
    ListTables(),
]
occasions = st.sampled_from([occasion_of(operation, {}) for operation in OPERATIONS])


def decisions(faults: Faults, sequence: list[Occasion]) -> list[Decision]:
    state, made = State(), list[Decision]()
    for occasion in sequence:
        decision, state = decide(occasion, faults, state)
        made.append(decision)
    return made


def kinds(faults: Faults, operations: list[Operation[object]]) -> list[Kind | None]:
    sequence = [occasion_of(operation, {}) for operation in operations]
    return [decision.fault for decision in decisions(faults, sequence)]


@given(any_faults, st.lists(occasions))
def test_the_same_seed_and_operations_give_the_same_faults(
    faults: Faults, sequence: list[Occasion]
) -> None:
    assert decisions(faults, sequence) == decisions(faults, sequence)


# A run is the same on every machine and with every Python, so these are written down.
def test_a_seed_means_the_same_everywhere() -> None:
    struck = kinds(Faults(throttle=0.3, seed=7), [put()] * 12)
    assert [number for number, kind in enumerate(struck) if kind] == [2, 6, 8, 9]


def test_another_seed_gives_other_faults() -> None:
    puts: list[Operation[object]] = [put()] * 50
    assert kinds(Faults(throttle=0.5, seed=1), puts) != kinds(Faults(throttle=0.5, seed=2), puts)


def test_a_probability_is_about_how_often_it_strikes() -> None:
    struck = kinds(Faults(throttle=0.2), [put()] * 2000)
    assert 300 < struck.count("throttle") < 500


# So that one can add latency or another fault to a run and still see the failures it had.
def test_adding_a_fault_does_not_move_another() -> None:
    puts: list[Operation[object]] = [put()] * 200
    alone = kinds(Faults(throttle=0.2, seed=3), puts)
    with_others = kinds(Faults(throttle=0.2, internal_after=0.5, jitter=1, seed=3), puts)
    assert [kind == "throttle" for kind in alone] == [kind == "throttle" for kind in with_others]


def test_operations_out_of_scope_do_not_disturb_the_sequence() -> None:
    faults = Faults(throttle=0.5, operations=("PutItem",))
    mixed = kinds(faults, [operation for _ in range(50) for operation in (get(), put(), get())])
    assert mixed[1::3] == kinds(faults, [put()] * 50)
    assert not any(mixed[0::3])


def test_a_count_strikes_that_often_and_then_no_more() -> None:
    assert kinds(Faults(throttle=Next(2)), [put()] * 4) == ["throttle", "throttle", None, None]


# A count is not used up by what the fault cannot befall.
def test_a_count_waits_for_what_it_can_strike() -> None:
    faults = Faults(conflict=Next(1))
    assert kinds(faults, [get(), put(), put()]) == [None, "conflict", None]


def test_one_fault_strikes_at_a_time() -> None:
    faults = Faults(throttle=Next(1), internal=Next(1))
    assert kinds(faults, [put(), put(), put()]) == ["throttle", "internal", None]


ALL: dict[Kind, Faults] = {
    "throttle": Faults(throttle=1),
    "unavailable": Faults(unavailable=1),
    "internal": Faults(internal=1),
    "internal_after": Faults(internal_after=1),
    "in_progress": Faults(in_progress=1),
    "conflict": Faults(conflict=1),
    "unprocessed": Faults(unprocessed=1),
    "stale": Faults(stale=1),
}
TOKEN = TransactWriteItems([transact_put("ada")], client_request_token="t")
NO_TOKEN = TransactWriteItems([transact_put("ada")])
BATCH_GET = BatchGetItem({"votes": KeysAndAttributes([key(), key(sort="bob")])})
EVERYWHERE: list[Kind] = ["throttle", "unavailable", "internal"]


@pytest.mark.parametrize(
    ("operation", "befallen_by"),
    [
        (get(), [*EVERYWHERE, "stale"]),
        (get(consistent=True), EVERYWHERE),
        (of_voter("ada"), [*EVERYWHERE, "stale"]),
        (Scan("votes"), [*EVERYWHERE, "stale"]),
        (Scan("votes", consistent_read=True), EVERYWHERE),
        (BATCH_GET, [*EVERYWHERE, "unprocessed", "stale"]),
        (put(), [*EVERYWHERE, "conflict", "internal_after"]),
        (batch_of("ada"), [*EVERYWHERE, "internal_after"]),
        (batch_of("ada", "bob"), [*EVERYWHERE, "unprocessed", "internal_after"]),
        (TOKEN, [*EVERYWHERE, "in_progress", "conflict", "internal_after"]),
        (NO_TOKEN, [*EVERYWHERE, "conflict", "internal_after"]),
        (OPERATIONS[6], [*EVERYWHERE, "conflict"]),
        # Setting up tables is left alone, unless the operation is named.
        (ListTables(), []),
        # These are ours: no DynamoDB could fail at them.
        (ReadChanges(), []),
        (SweepExpired(), []),
    ],
    ids=str,
)
def test_each_fault_befalls_what_it_befalls_at_aws(
    operation: Operation[object], befallen_by: list[Kind]
) -> None:
    struck = [kind for kind, faults in ALL.items() if kinds(faults, [operation]) == [kind]]
    assert sorted(struck) == sorted(befallen_by)


def test_an_operation_on_tables_is_struck_when_it_is_named() -> None:
    assert kinds(Faults(throttle=1, operations=("ListTables",)), [ListTables()]) == ["throttle"]


def test_tables_are_told_apart_by_name_and_by_arn() -> None:
    arn = "arn:aws:dynamodb:eu-west-2:123456789012:table/votes"
    faults = Faults(throttle=1, tables=("votes",))
    assert kinds(faults, [put(), PutItem(arn, {}), PutItem("others", {})]) == [
        "throttle",
        "throttle",
        None,
    ]


def test_indexes_and_keys_are_told_apart() -> None:
    of_index = Part(0, "votes", "by_voter", ("ada",), consistent=False)
    of_table = Part(0, "votes", None, ("ELECTION#1",), consistent=False)
    for faults, expected in (
        (Faults(stale=1, indexes=("by_voter",)), ["stale", None]),
        (Faults(stale=1, keys=("ELECTION#1",)), [None, "stale"]),
        (Faults(stale=1, keys=("ada",), indexes=("by_voter",)), ["stale", None]),
        (Faults(stale=1, keys=("ada",), indexes=("other",)), [None, None]),
    ):
        sequence = [Occasion("Query", (of_index,)), Occasion("Query", (of_table,))]
        assert [decision.fault for decision in decisions(faults, sequence)] == expected


def test_latency_is_for_every_operation_in_scope() -> None:
    faults = Faults(latency=0.02, operations=("Query",))
    waits = [d.wait for d in decisions(faults, [occasion_of(of_voter("ada"), {})] * 3)]
    assert waits == [0.02] * 3
    assert decisions(faults, [occasion_of(put(), {})])[0].wait == 0


@given(st.floats(0, 10), st.floats(0, 10), st.integers(0, 100))
def test_jitter_adds_up_to_so_much(latency: float, jitter: float, seed: int) -> None:
    faults = Faults(latency=latency, jitter=jitter, seed=seed)
    for decision in decisions(faults, [occasion_of(put(), {})] * 5):
        assert latency <= decision.wait <= latency + jitter


# Requests from the wire are read leniently: what is missing is None, and is the driver's to refuse.
@pytest.mark.parametrize(
    "operation",
    [
        GetItem(None, None),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        PutItem(None, None),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        Query("votes", key_condition_expression="PK = "),
        BatchGetItem(None),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        BatchGetItem({"votes": KeysAndAttributes(None)}),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        TransactWriteItems([TransactWriteItem()]),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_decided_without_a_crash(operation: Operation[object]) -> None:
    for faults in ALL.values():
        kinds(faults, [operation])
