"""Every place where a request carries a value, and how DynamoDB words errors about it there.

AWS moved its operations to newer checks one by one. Those of PutItem, UpdateItem and DeleteItem
answer in the envelope of parameter errors, those of reads and transactions do not; BatchWriteItem
and Scan still have the older checks, which also say of an expression value which one it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from singletable.operations import (
    AttributeValueUpdate,
    BatchGetItem,
    BatchWriteItem,
    Condition,
    ConditionCheck,
    Delete,
    DeleteItem,
    DeleteRequest,
    ExpectedAttributeValue,
    Get,
    GetItem,
    KeysAndAttributes,
    Operation,
    Put,
    PutItem,
    PutRequest,
    Query,
    Scan,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from singletable.values import AttributeValue
from tests.conformance.errors import ENVELOPE
from tests.conformance.tables import ada

Request: TypeAlias = Callable[[str, AttributeValue], Operation[object]]

KEY = ada()
NAMED = "ExpressionAttributeValues contains invalid value: {} for key :v"


@dataclass(frozen=True)
class Surface:
    """A request that carries a value somewhere, and the form of an error about it."""

    name: str
    request: Request
    form: str = "{}"
    older: bool = False

    def told(self, newer: str, older: str) -> str:
        """Return the expected message, given the newer and the older wording."""
        return self.form.format(older if self.older else newer)


def _enveloped(name: str, request: Request) -> Surface:
    return Surface(name, request, ENVELOPE + "{}")


def _write(one: TransactWriteItem) -> Operation[object]:
    return TransactWriteItems([one])


SINGLE_WRITES = [
    _enveloped("put", lambda table, value: PutItem(table, ada(n=value))),
    _enveloped(
        "put_nested", lambda table, value: PutItem(table, ada(n={"M": {"x": {"L": [value]}}}))
    ),
    _enveloped(
        "put_condition",
        lambda table, value: PutItem(
            table,
            KEY,
            condition_expression="attribute_not_exists(pk) OR n = :v",
            expression_attribute_values={":v": value},
        ),
    ),
    _enveloped(
        "put_expected",
        lambda table, value: PutItem(
            table, KEY, expected={"n": ExpectedAttributeValue(value=value)}
        ),
    ),
    _enveloped(
        "update",
        lambda table, value: UpdateItem(
            table, KEY, update_expression="SET n = :v", expression_attribute_values={":v": value}
        ),
    ),
    _enveloped(
        "update_condition",
        lambda table, value: UpdateItem(
            table,
            KEY,
            update_expression="REMOVE a",
            condition_expression="n = :v",
            expression_attribute_values={":v": value},
        ),
    ),
    _enveloped(
        "attribute_updates",
        lambda table, value: UpdateItem(
            table, KEY, attribute_updates={"n": AttributeValueUpdate(value, "PUT")}
        ),
    ),
    _enveloped("update_key", lambda table, value: UpdateItem(table, {"pk": value})),
    _enveloped(
        "delete_condition",
        lambda table, value: DeleteItem(
            table, KEY, condition_expression="n = :v", expression_attribute_values={":v": value}
        ),
    ),
    _enveloped("delete_key", lambda table, value: DeleteItem(table, {"pk": value})),
]
READS = [
    Surface("get_key", lambda table, value: GetItem(table, {"pk": value})),
    Surface(
        "batch_get_key",
        lambda table, value: BatchGetItem({table: KeysAndAttributes([{"pk": value}])}),
    ),
    Surface(
        "query_key",
        lambda table, value: Query(
            table, key_condition_expression="pk = :v", expression_attribute_values={":v": value}
        ),
    ),
    Surface(
        "query_filter",
        lambda table, value: Query(
            table,
            key_condition_expression="pk = :pk",
            filter_expression="n = :v",
            expression_attribute_values={":pk": {"S": "ada"}, ":v": value},
        ),
    ),
    Surface(
        "query_start_key",
        lambda table, value: Query(
            table,
            key_condition_expression="pk = :pk",
            expression_attribute_values={":pk": {"S": "ada"}},
            exclusive_start_key={"pk": value},
        ),
    ),
    Surface(
        "query_legacy_filter",
        lambda table, value: Query(
            table,
            key_conditions={"pk": Condition("EQ", [{"S": "ada"}])},
            query_filter={"n": Condition("EQ", [value])},
        ),
    ),
]
OLDER = [
    Surface(
        "batch_write_put",
        lambda table, value: BatchWriteItem(
            {table: [WriteRequest(put_request=PutRequest(ada(n=value)))]}
        ),
        older=True,
    ),
    Surface(
        "batch_write_delete",
        lambda table, value: BatchWriteItem(
            {table: [WriteRequest(delete_request=DeleteRequest({"pk": value}))]}
        ),
        older=True,
    ),
    Surface(
        "scan_filter",
        lambda table, value: Scan(
            table, filter_expression="n = :v", expression_attribute_values={":v": value}
        ),
        NAMED,
        older=True,
    ),
]
TRANSACTIONS = [
    Surface(
        "transact_put",
        lambda table, value: _write(TransactWriteItem(put=Put(table, ada(n=value)))),
    ),
    Surface(
        "transact_put_condition",
        lambda table, value: _write(
            TransactWriteItem(
                put=Put(
                    table,
                    KEY,
                    condition_expression="n = :v",
                    expression_attribute_values={":v": value},
                )
            )
        ),
    ),
    Surface(
        "transact_update",
        lambda table, value: _write(
            TransactWriteItem(
                update=Update(table, KEY, "SET n = :v", expression_attribute_values={":v": value})
            )
        ),
    ),
    Surface(
        "transact_delete_key",
        lambda table, value: _write(TransactWriteItem(delete=Delete(table, {"pk": value}))),
    ),
    Surface(
        "transact_check",
        lambda table, value: _write(
            TransactWriteItem(
                condition_check=ConditionCheck(
                    table, KEY, "n = :v", expression_attribute_values={":v": value}
                )
            )
        ),
    ),
    Surface(
        "transact_get_key",
        lambda table, value: TransactGetItems([TransactGetItem(Get(table, {"pk": value}))]),
    ),
]
SURFACES = [*SINGLE_WRITES, *READS, *OLDER, *TRANSACTIONS]
