"""The rules of the operations on many items, each item for itself."""

from __future__ import annotations

from singletable.engine.constraints.rules.members import (
    ATTRIBUTES_TO_GET,
    CAPACITY,
    CONSISTENT,
    KEY,
    METRICS,
    NAMES,
    PROJECTION,
)
from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.shape import (
    Attributes,
    List,
    Member,
    Struct,
    TableMap,
    required,
)
from singletable.engine.constraints.wording import BATCH_WRITE, ONE_ITEM
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteRequest,
    KeysAndAttributes,
    PutRequest,
    WriteRequest,
)

KEYS = Struct(
    KeysAndAttributes,
    (
        required("keys", List(Attributes(), 1, 100)),
        ATTRIBUTES_TO_GET,
        CONSISTENT,
        PROJECTION,
        NAMES,
    ),
)
# That a request has exactly one of the two is checked with the values, in other words.
WRITE = Struct(
    WriteRequest,
    (
        Member("delete_request", Struct(DeleteRequest, (KEY,))),
        Member("put_request", Struct(PutRequest, (required("item", Attributes()),))),
    ),
)

BATCH_GET_ITEM = Struct(
    BatchGetItem,
    (required("request_items", TableMap(KEYS, most=100, shown_as="json")), CAPACITY),
)
BATCH_WRITE_ITEM = Struct(
    BatchWriteItem,
    (
        CAPACITY,
        METRICS,
        required(
            "request_items",
            TableMap(List(WRITE), most=25, shown_as="java", requests=(1, 25)),
        ),
    ),
)

BATCHES = (Rule(BATCH_GET_ITEM, ONE_ITEM), Rule(BATCH_WRITE_ITEM, BATCH_WRITE))
