"""Write patterns plan what the store sends: the same requests, capacity units and permissions."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from dynamodb_engine.operations.touches import written_items
from singletable import (
    BatchGetItem,
    BatchWriteItem,
    Call,
    Item,
    Query,
    Store,
    WritePattern,
)
from singletable.patterns import estimate, planned_requests
from tests.patterns.sent_requests import sent_requests
from tests.store.stores import open_store
from tools.testing.designs.writes import CASES, NOON, Case, Org, design, pattern_of

# Values that are absent, or stay, need fewer requests than planned.
SHORTER = {
    "new item with what it counts",
    "update of an item with what it counts",
    "check of an item with what it counts",
    "delete with what it counts",
    "update of the condition of a sparse index",
    "put of other unique values",
}


@pytest.fixture
def store(calls: list[Call]) -> Store:
    minutes = count()
    clock = lambda: NOON + timedelta(minutes=next(minutes))  # noqa: E731
    store = open_store(design, observers=[calls.append], clock=clock)
    store.put(Org(name="acme"))
    store.put(Org(name="other"))
    return store


def run(case: Case, store: Store, calls: list[Call]) -> Call:
    case.stored(store)
    calls.clear()
    case.call(store)
    return calls[-1]


def keys_of(request: Any) -> list[Item]:
    """Return the keys of the items that a request reads or writes."""
    match request:
        case BatchGetItem():
            return [key for keys in request.request_items.values() for key in keys.keys]
        case BatchWriteItem():
            batches = request.request_items.values()
            return [item for writes in batches for item in written_items(writes)]
        case Query():
            return [{"PK": next(iter((request.expression_attribute_values or {}).values()))}]
        case _:
            return [getattr(request, "key", None) or request.item]


def describe_sent(call: Call, pattern: WritePattern) -> Counter[tuple[str, str]]:
    """Return the requests of a call, each with the entity or marker that has the key."""
    accesses = {request.subject: request.access for request in planned_requests(pattern)}
    return Counter(
        (
            action,
            next(
                (one for one, key in accesses.items() if all(c.parse(item) for c in key.pk)),
                "unplanned",
            ),
        )
        for action, request in sent_requests(call)
        for item in keys_of(request)
    )


@pytest.mark.parametrize("name", CASES)
def test_store_sends_what_the_pattern_plans_and_costs(
    store: Store, calls: list[Call], name: str
) -> None:
    pattern, is_exact = pattern_of(CASES[name]), name not in SHORTER
    call = run(CASES[name], store, calls)
    requests, cost = planned_requests(pattern), estimate(pattern)
    sent = describe_sent(call, pattern)
    planned = Counter((one.action, one.subject) for one in requests)
    certain = Counter((one.action, one.subject) for one in requests if not one.conditional)
    assert certain <= sent <= planned
    assert call.read_units <= cost.read
    assert call.write_units <= cost.write
    if is_exact:
        assert sent == planned
        assert (call.read_units, call.write_units) == (cost.read, cost.write)


# DynamoDB rejects a transaction that has an item twice.
def test_counters_are_merged_with_the_item_that_counts() -> None:
    planned = planned_requests(pattern_of(CASES["new item with what it counts"]))
    assert [one.action for one in planned if one.subject == "Org"] == ["PutItem"]
    planned = planned_requests(pattern_of(CASES["check of an item with what it counts"]))
    assert [one.action for one in planned if one.subject == "Org"] == ["UpdateItem"]
