"""Decisions are a pure function of faults, state and request."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.faults import (
    FaultDecision,
    FaultKind,
    Faults,
    FaultState,
    FaultTarget,
    Next,
    decide,
    describe_target,
)
from dynamodb_engine.faults.targets import TargetPart
from dynamodb_engine.operations import (
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
from dynamodb_engine.operations import Get as TransactGet
from tests.faults.strategies import any_faults
from tests.faults.votes_table import batch_put, get, key, put, query_voter, transact_put

OPERATIONS: list[Operation[object]] = [
    put(),
    get(),
    get(consistent=True),
    query_voter("ada"),
    batch_put("ada", "bob", "eve"),
    TransactWriteItems([transact_put("ada"), transact_put("bob")], client_request_token="t"),
    TransactGetItems([TransactGetItem(TransactGet("votes", key()))]),
    ListTables(),
]
targets = st.sampled_from([describe_target(operation, {}) for operation in OPERATIONS])


def decisions(faults: Faults, sequence: list[FaultTarget]) -> list[FaultDecision]:
    state, result = FaultState(), list[FaultDecision]()
    for target in sequence:
        decision, state = decide(target, faults, state)
        result.append(decision)
    return result


def kinds(faults: Faults, operations: list[Operation[object]]) -> list[FaultKind | None]:
    sequence = [describe_target(operation, {}) for operation in operations]
    return [decision.fault for decision in decisions(faults, sequence)]


@given(any_faults, st.lists(targets))
def test_equal_seeds_give_equal_faults(faults: Faults, sequence: list[FaultTarget]) -> None:
    assert decisions(faults, sequence) == decisions(faults, sequence)


# A run is the same on every machine and Python version, so the numbers are fixed here.
def test_seed_is_stable_across_machines() -> None:
    injected = kinds(Faults(throttle=0.3, seed=7), [put()] * 12)
    assert [number for number, kind in enumerate(injected) if kind] == [2, 6, 8, 9]


def test_different_seeds_give_different_faults() -> None:
    puts: list[Operation[object]] = [put()] * 50
    assert kinds(Faults(throttle=0.5, seed=1), puts) != kinds(Faults(throttle=0.5, seed=2), puts)


def test_probability_sets_fault_rate() -> None:
    injected = kinds(Faults(throttle=0.2), [put()] * 2000)
    assert 300 < injected.count("throttle") < 500


# Adding latency or another fault to a run must keep its failures.
def test_adding_a_fault_does_not_move_others() -> None:
    puts: list[Operation[object]] = [put()] * 200
    alone = kinds(Faults(throttle=0.2, seed=3), puts)
    with_others = kinds(Faults(throttle=0.2, internal_after=0.5, jitter=1, seed=3), puts)
    assert [kind == "throttle" for kind in alone] == [kind == "throttle" for kind in with_others]


def test_operations_out_of_scope_do_not_change_the_sequence() -> None:
    faults = Faults(throttle=0.5, operations=("PutItem",))
    mixed = kinds(faults, [operation for _ in range(50) for operation in (get(), put(), get())])
    assert mixed[1::3] == kinds(faults, [put()] * 50)
    assert not any(mixed[0::3])


def test_count_injects_that_many_faults() -> None:
    assert kinds(Faults(throttle=Next(2)), [put()] * 4) == ["throttle", "throttle", None, None]


# Operations that the fault cannot apply to do not use up the count.
def test_count_ignores_operations_it_cannot_apply_to() -> None:
    faults = Faults(conflict=Next(1))
    assert kinds(faults, [get(), put(), put()]) == [None, "conflict", None]


def test_one_fault_per_operation() -> None:
    faults = Faults(throttle=Next(1), internal=Next(1))
    assert kinds(faults, [put(), put(), put()]) == ["throttle", "internal", None]


ALL: dict[FaultKind, Faults] = {
    "throttle": Faults(throttle=1),
    "unavailable": Faults(unavailable=1),
    "internal": Faults(internal=1),
    "internal_after": Faults(internal_after=1),
    "in_progress": Faults(in_progress=1),
    "conflict": Faults(conflict=1),
    "unprocessed": Faults(unprocessed=1),
}
TOKEN = TransactWriteItems([transact_put("ada")], client_request_token="t")
NO_TOKEN = TransactWriteItems([transact_put("ada")])
BATCH_GET = BatchGetItem({"votes": KeysAndAttributes([key(), key(sort="bob")])})
ALWAYS: list[FaultKind] = ["throttle", "unavailable", "internal"]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (get(), ALWAYS),
        (query_voter("ada"), ALWAYS),
        (Scan("votes"), ALWAYS),
        (BATCH_GET, [*ALWAYS, "unprocessed"]),
        (put(), [*ALWAYS, "conflict", "internal_after"]),
        (batch_put("ada"), [*ALWAYS, "internal_after"]),
        (batch_put("ada", "bob"), [*ALWAYS, "unprocessed", "internal_after"]),
        (TOKEN, [*ALWAYS, "in_progress", "conflict", "internal_after"]),
        (NO_TOKEN, [*ALWAYS, "conflict", "internal_after"]),
        (OPERATIONS[6], [*ALWAYS, "conflict"]),
        # Table operations get no faults unless they are selected.
        (ListTables(), []),
        # DynamoDB does not have these operations.
        (ReadChanges(), []),
        (SweepExpired(), []),
    ],
    ids=str,
)
def test_faults_apply_to_the_same_operations_as_at_aws(
    operation: Operation[object], expected: list[FaultKind]
) -> None:
    injected = [kind for kind, faults in ALL.items() if kinds(faults, [operation]) == [kind]]
    assert sorted(injected) == sorted(expected)


def test_table_operation_gets_faults_if_selected() -> None:
    assert kinds(Faults(throttle=1, operations=("ListTables",)), [ListTables()]) == ["throttle"]


def test_tables_are_selected_by_name_and_arn() -> None:
    arn = "arn:aws:dynamodb:eu-west-2:123456789012:table/votes"
    faults = Faults(throttle=1, tables=("votes",))
    assert kinds(faults, [put(), PutItem(arn, {}), PutItem("others", {})]) == [
        "throttle",
        "throttle",
        None,
    ]


def test_indexes_and_keys_are_selected() -> None:
    index_part = TargetPart(0, "votes", "by_voter", ("ada",))
    table_part = TargetPart(0, "votes", None, ("ELECTION#1",))
    for faults, expected in (
        (Faults(internal=1, indexes=("by_voter",)), ["internal", None]),
        (Faults(internal=1, keys=("ELECTION#1",)), [None, "internal"]),
        (Faults(internal=1, keys=("ada",), indexes=("by_voter",)), ["internal", None]),
        (Faults(internal=1, keys=("ada",), indexes=("other",)), [None, None]),
    ):
        sequence = [FaultTarget("Query", (index_part,)), FaultTarget("Query", (table_part,))]
        assert [decision.fault for decision in decisions(faults, sequence)] == expected


def test_latency_applies_to_every_operation_in_scope() -> None:
    faults = Faults(latency=0.02, operations=("Query",))
    latencies = [
        d.latency for d in decisions(faults, [describe_target(query_voter("ada"), {})] * 3)
    ]
    assert latencies == [0.02] * 3
    assert decisions(faults, [describe_target(put(), {})])[0].latency == 0


@given(st.floats(0, 10), st.floats(0, 10), st.integers(0, 100))
def test_jitter_is_bounded(latency: float, jitter: float, seed: int) -> None:
    faults = Faults(latency=latency, jitter=jitter, seed=seed)
    for decision in decisions(faults, [describe_target(put(), {})] * 5):
        assert latency <= decision.latency <= latency + jitter


# Requests from the wire may lack required fields; rejecting them is left to the driver.
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
def test_invalid_requests_do_not_crash_decisions(operation: Operation[object]) -> None:
    for faults in ALL.values():
        kinds(faults, [operation])
