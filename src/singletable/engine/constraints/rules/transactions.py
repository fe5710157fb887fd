"""The rules of the operations on many items, all or none of them."""

from __future__ import annotations

from singletable.engine.constraints.rules.members import (
    CAPACITY,
    CONDITION,
    KEY,
    METRICS,
    NAMES,
    OLD_ON_FAILURE,
    PROJECTION,
    TABLE,
    VALUES,
)
from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.shape import (
    Attributes,
    List,
    Member,
    Struct,
    Text,
    required,
)
from singletable.engine.constraints.wording import TRANSACTION
from singletable.operations import (
    ConditionCheck,
    Delete,
    Get,
    Put,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
)

EXPRESSIONS = (NAMES, VALUES, OLD_ON_FAILURE)

GET = Struct(Get, (TABLE, KEY, PROJECTION, NAMES))
CHECK = Struct(ConditionCheck, (TABLE, KEY, required("condition_expression", Text()), *EXPRESSIONS))
PUT = Struct(Put, (TABLE, required("item", Attributes()), CONDITION, *EXPRESSIONS))
DELETE = Struct(Delete, (TABLE, KEY, CONDITION, *EXPRESSIONS))
UPDATE = Struct(
    Update, (TABLE, KEY, required("update_expression", Text()), CONDITION, *EXPRESSIONS)
)
# That an action has no more than one of the four is checked with the actions, in other words.
ACTION = Struct(
    TransactWriteItem,
    (
        Member("condition_check", CHECK),
        Member("put", PUT),
        Member("delete", DELETE),
        Member("update", UPDATE),
    ),
    empty="Value '' at 'transactItems' failed to satisfy constraint: "
    "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck",
)

TRANSACT_GET_ITEMS = Struct(
    TransactGetItems,
    (
        CAPACITY,
        required("transact_items", List(Struct(TransactGetItem, (required("get", GET),)), 1, 100)),
    ),
)
TRANSACT_WRITE_ITEMS = Struct(
    TransactWriteItems,
    (
        Member("client_request_token", Text(1, 36)),
        CAPACITY,
        METRICS,
        required("transact_items", List(ACTION, 1, 100)),
    ),
)

TRANSACTIONS = (Rule(TRANSACT_GET_ITEMS, TRANSACTION), Rule(TRANSACT_WRITE_ITEMS, TRANSACTION))
