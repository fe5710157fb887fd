"""How AWS reports violations in batches (observed in eu-west-2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteRequest,
    KeysAndAttributes,
    Operation,
    PutRequest,
    WriteRequest,
)

Claim: TypeAlias = tuple[Operation[object], str]

ONE = "1 validation error detected: "
FAILED = "failed to satisfy constraint:"
CAPACITY = (
    f"Value 'BOGUS' at 'returnConsumedCapacity' {FAILED} "
    "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
METRICS = (
    f"Value 'BOGUS2' at 'returnItemCollectionMetrics' {FAILED} "
    "Member must satisfy enum value set: [SIZE, NONE]"
)
NO_REQUESTS = (
    f"{ONE}Value at 'RequestItems' {FAILED} Member must have length greater than or equal to 1"
)
BAD_NAMES = (
    "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
    "Member must have length greater than or equal to 3, "
    "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
)
BAD_LISTS = (
    "Map value must satisfy constraint: [Member must have length less than or equal to 25, "
    "Member must have length greater than or equal to 1]"
)
NULLS = (
    "n=null, b=null, iNT=null, dECIMAL=null, dOUBLE=null, sS=null, nS=null, bS=null, "
    "iNTSET=null, dECIMALSET=null, dOUBLESET=null, m=null, l=null, nULL=null, bOOL=null"
)
BAD_GET = (
    """Value '{"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}' at 'requestItems' """
    f"{FAILED} {BAD_NAMES}"
)
KEYS = KeysAndAttributes([{"pk": {"S": "a"}}])
WRITE = WriteRequest(put_request=PutRequest({"pk": {"S": "x"}}))


def get(request_items: Any, capacity: Any = None) -> BatchGetItem:
    return BatchGetItem(request_items, capacity)


def write(request_items: Any, capacity: Any = None, metrics: Any = None) -> BatchWriteItem:
    return BatchWriteItem(request_items, capacity, metrics)


def keys(number: int | None) -> KeysAndAttributes:
    some: Any = None if number is None else [{"pk": {"S": str(n)}} for n in range(number)]
    return KeysAndAttributes(some)


def nothing() -> PutRequest:
    item: Any = None
    return PutRequest(item)


GETS: list[Claim] = [
    (get({}), NO_REQUESTS),
    (get(None), f"{ONE}Value null at 'requestItems' {FAILED} Member must not be null"),
    (
        get({"Tab": keys(101)}),
        f"{ONE}Value at 'RequestItems.Tab.member.Keys' {FAILED} "
        "Member must have length less than or equal to 100",
    ),
    (
        get({"Tab": keys(0)}),
        f"{ONE}Value at 'RequestItems.Tab.member.Keys' {FAILED} "
        "Member must have length greater than or equal to 1",
    ),
    (
        get({"Tab": keys(None)}),
        f"{ONE}Value null at 'requestItems.Tab.member.keys' {FAILED} Member must not be null",
    ),
    (get({"bad!name": KEYS}), ONE + BAD_GET),
    (get({"tab": KEYS}, "BOGUS"), ONE + CAPACITY),
    (get({"bad!name": KEYS}, "BOGUS"), f"2 validation errors detected: {BAD_GET}; {CAPACITY}"),
]
WRITES: list[Claim] = [
    (write({}), NO_REQUESTS),
    (
        write({"Tab": [WRITE] * 26}),
        f"{ONE}Value at 'RequestItems.Tab.member' {FAILED} "
        "Member must have length less than or equal to 25",
    ),
    (write({"Tab": []}), f"{ONE}Value '{{Tab=[]}}' at 'requestItems' {FAILED} {BAD_LISTS}"),
    (
        write({"bad!name": [WRITE]}),
        f"{ONE}Value '{{bad!name=[WriteRequest(putRequest=PutRequest(item={{"
        f"pk=AttributeValue(s=x, {NULLS})}}, workloadProfileName=null), deleteRequest=null)]}}' "
        f"at 'requestItems' {FAILED} {BAD_NAMES}",
    ),
    (write({"tab": [WRITE]}, "BOGUS"), ONE + CAPACITY),
    (write({"tab": [WRITE]}, metrics="BOGUS2"), ONE + METRICS),
    (
        write({"tab": [WRITE]}, "BOGUS", "BOGUS2"),
        f"2 validation errors detected: {CAPACITY}; {METRICS}",
    ),
    # Unlike BatchGetItem: the bad word stands alone.
    (write({"bad!name": [WRITE]}, "BOGUS"), ONE + CAPACITY),
    (
        write({"Tab": [WRITE, WriteRequest(put_request=nothing())]}),
        f"{ONE}Value null at 'requestItems.Tab.member.2.member.putRequest.item' {FAILED} "
        "Member must not be null",
    ),
]


@pytest.mark.parametrize(("operation", "message"), GETS + WRITES)
def test_batch_violations_are_reported_as_at_aws(
    operation: Operation[object], message: str, message_of: Callable[[Operation[object]], str]
) -> None:
    assert message_of(operation) == message


# Sets, maps and lists are echoed as Java prints them, however deep they are.
def test_echoed_item_has_all_attributes(
    message_of: Callable[[Operation[object]], str],
) -> None:
    deep: Any = {"S": "leaf"}
    for _ in range(5000):
        deep = {"M": {"x": {"L": [deep]}}}
    item: Any = {
        "a": {"SS": ["x", "y"]},
        "b": {"L": [{"BOOL": True}]},
        "c": {"M": {"d": {"N": "1"}}},
    }
    message = message_of(write({"bad!": [WriteRequest(delete_request=DeleteRequest(item))]}))
    assert "sS=[x, y]" in message
    assert "l=[AttributeValue(s=null" in message
    assert "bOOL=true" in message
    assert "m={d=AttributeValue(s=null, n=1" in message
    assert message_of(write({"bad!": [WriteRequest(delete_request=DeleteRequest({"k": deep}))]}))
    assert message_of(get({"bad!": KeysAndAttributes([{"k": deep}])}))
