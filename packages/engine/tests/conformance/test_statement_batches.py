"""BatchExecuteStatement and ExecuteTransaction."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb_engine.errors import (
    CancellationReason,
    IdempotentParameterMismatch,
    TransactionCanceled,
    ValidationError,
)
from dynamodb_engine.operations import (
    BatchExecuteStatement,
    BatchExecuteStatementOutput,
    BatchStatementRequest,
    Driver,
    ExecuteTransaction,
    ExecuteTransactionOutput,
    ParameterizedStatement,
)
from dynamodb_engine.values import Item
from tests.conformance.errors import WRONG_KEY
from tests.conformance.requests import fill, number, text
from tests.conformance.tables import make_table, stored

ADA: Item = {"pk": text("ada"), "sk": text("1"), "n": number(1)}
KEY: Item = {"pk": text("ada"), "sk": text("1")}
NONE = CancellationReason()
FAILED = CancellationReason("ConditionalCheckFailed", "The conditional request failed")
GET = "SELECT * FROM {} WHERE pk = 'ada' AND sk = '1'"
UPDATE = "UPDATE {} SET n = n + 1 WHERE pk = 'ada' AND sk = '1'"
INSERT = "INSERT INTO {} VALUE {{'pk': 'bob', 'sk': '1'}}"


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table with one item."""
    name = make_table(driver, pk="S", sk="S")
    fill(driver, name, [ADA])
    return name


def batch(
    driver: Driver, table: str, *statements: str, detail: Any = "TOTAL", **options: Any
) -> BatchExecuteStatementOutput:
    """Execute a batch of statements on the table."""
    parts = [BatchStatementRequest(each.format(f'"{table}"'), **options) for each in statements]
    return driver.execute(BatchExecuteStatement(parts, detail))


def transact(
    driver: Driver, table: str, *statements: str, token: str | None = None, **options: Any
) -> ExecuteTransactionOutput:
    """Execute a transaction of statements on the table."""
    parts = [ParameterizedStatement(each.format(f'"{table}"'), **options) for each in statements]
    return driver.execute(ExecuteTransaction(parts, token, "TOTAL"))


def test_batch_reads_by_key(driver: Driver, table: str) -> None:
    missing = "SELECT * FROM {} WHERE pk IN ['bob'] AND sk = '1'"
    output = batch(driver, table, GET.replace("*", "n"), missing)
    assert [response.item for response in output.responses] == [{"n": number(1)}, None]
    assert [response.table_name for response in output.responses] == [table, table]


@pytest.mark.parametrize(("consistent", "units"), [(True, 1.0), (False, 0.5), (None, 0.5)])
def test_each_read_of_a_batch_has_its_consistency(
    driver: Driver, table: str, consistent: bool | None, units: float
) -> None:
    (consumed,) = batch(driver, table, GET, consistent_read=consistent).consumed_capacity or []
    assert (consumed.table_name, consumed.capacity_units) == (table, units)


def test_a_failed_statement_does_not_affect_the_others(driver: Driver, table: str) -> None:
    output = batch(
        driver,
        table,
        "SLECT",
        "INSERT INTO {} VALUE {{'pk': 'ada', 'sk': '1'}}",
        "UPDATE {} SET n = 2 WHERE pk = 'bob' AND sk = '1'",
        "INSERT INTO {} VALUE {{'pk': 'cy', 'sk': '1'}}",
        "DELETE FROM nowhere WHERE pk = 'a'",
        return_values_on_condition_check_failure="ALL_OLD",
    )
    errors = [response.error and response.error.code for response in output.responses]
    assert errors == [
        "ValidationError",
        "DuplicateItem",
        "ConditionalCheckFailed",
        None,
        "ResourceNotFound",
    ]
    tables = [response.table_name for response in output.responses]
    assert tables == [None, table, table, table, None]
    assert [response.item for response in output.responses] == [None] * 5
    assert stored(driver, table, {"pk": text("cy"), "sk": text("1")}) is not None


# Failed writes are charged by the larger of the stored and the new item, in the total only. A table
# on which nothing succeeded is not listed.
def test_capacity_of_failed_statements(driver: Driver, table: str) -> None:
    large = f"INSERT INTO {{}} VALUE {{{{'pk': 'ada', 'sk': '1', 'x': '{'x' * 3000}'}}}}"
    failing = "UPDATE {} SET n = 2 WHERE pk = 'dan' AND sk = '1'"
    (consumed,) = (
        batch(driver, table, large, failing, INSERT, detail="INDEXES").consumed_capacity or []
    )
    assert consumed.capacity_units == 3 + 1 + 1
    assert consumed.table is not None
    assert consumed.table.capacity_units == 1
    assert batch(driver, table, large, failing).consumed_capacity is None


# Not if a key exists already: DuplicateItem has no item.
@pytest.mark.parametrize(
    ("statement", "option", "item"),
    [
        (f"{UPDATE} AND n = 9", "ALL_OLD", ADA),
        (f"{UPDATE} AND n = 9", "NONE", None),
        ("INSERT INTO {} VALUE {{'pk': 'ada', 'sk': '1'}}", "ALL_OLD", None),
    ],
)
def test_a_failed_condition_returns_its_item_with_the_error(
    driver: Driver, table: str, statement: str, option: str, item: Item | None
) -> None:
    option_name = "return_values_on_condition_check_failure"
    (response,) = batch(driver, table, statement, **{option_name: option}).responses
    assert response.error is not None
    assert (response.error.item, response.item) == (item, None)


@pytest.mark.parametrize(
    "statement",
    ["SELECT * FROM {} WHERE pk = 'ada'", "SELECT * FROM {} WHERE n = 1", f"{GET} AND n = 1"],
)
def test_a_batch_reads_by_the_whole_key_only(driver: Driver, table: str, statement: str) -> None:
    (response,) = batch(driver, table, statement).responses
    assert response.error is not None
    assert response.error.message == (
        "Select statements within BatchExecuteStatement must specify the primary key in the where "
        "clause."
    )


def test_a_batch_returns_what_returning_requests(driver: Driver, table: str) -> None:
    (response,) = batch(driver, table, f"{UPDATE} RETURNING MODIFIED NEW *").responses
    assert response.item == {"n": number(2)}


def test_transaction_reads_one_snapshot(driver: Driver, table: str) -> None:
    missing = "SELECT * FROM {} WHERE pk = 'bob' AND sk = '1'"
    output = transact(driver, table, GET.replace("*", "n"), missing)
    assert [response.item for response in output.responses] == [{"n": number(1)}, None]
    (consumed,) = output.consumed_capacity or []
    assert consumed.read_capacity_units == 4


def test_transaction_writes_all(driver: Driver, table: str) -> None:
    exists = "EXISTS(SELECT * FROM {} WHERE pk = 'ada' AND sk = '1' AND x IS MISSING)"
    output = transact(driver, table, exists, INSERT)
    assert output.responses == []
    assert output.consumed_capacity is not None
    assert output.consumed_capacity[0].write_capacity_units == 4
    assert stored(driver, table, {"pk": text("bob"), "sk": text("1")}) is not None


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "INSERT INTO {} VALUE {{'pk': 'ada', 'sk': '1'}}",
            CancellationReason("DuplicateItem", "Duplicate primary key exists in table"),
        ),
        ("UPDATE {} SET n = 1 WHERE pk = 'no' AND sk = '1'", FAILED),
        ("EXISTS(SELECT * FROM {} WHERE pk = 'no' AND sk = '1' AND x IS MISSING)", FAILED),
        ("DELETE FROM {} WHERE pk = 'ada'", CancellationReason("ValidationError", WRONG_KEY)),
        (
            "UPDATE {} SET n = 1 WHERE pk = 'a' AND sk = 1",
            CancellationReason("ValidationError", WRONG_KEY),
        ),
        (
            "UPDATE nowhere SET n = 1 WHERE pk = 'a' RETURNING ALL NEW *",
            CancellationReason("ResourceNotFound", "Requested resource not found"),
        ),
    ],
)
def test_transaction_is_canceled_as_a_whole(
    driver: Driver, table: str, statement: str, reason: CancellationReason
) -> None:
    with pytest.raises(TransactionCanceled) as raised:
        transact(driver, table, INSERT, statement)
    assert list(raised.value.reasons) == [NONE, reason]
    assert stored(driver, table, {"pk": text("bob"), "sk": text("1")}) is None


def test_a_canceled_statement_returns_its_item(driver: Driver, table: str) -> None:
    option = {"return_values_on_condition_check_failure": "ALL_OLD"}
    with pytest.raises(TransactionCanceled) as raised:
        transact(driver, table, f"{UPDATE} AND n = 9", **option)
    assert raised.value.reasons[0].item == ADA


def test_a_repeated_transaction_is_applied_once(driver: Driver, table: str) -> None:
    first = transact(driver, table, UPDATE, token=table[:30])
    again = transact(driver, table, UPDATE, token=table[:30])
    assert (stored(driver, table, KEY) or {})["n"] == number(2)
    units = [output.consumed_capacity for output in (first, again)]
    assert [found and found[0].write_capacity_units for found in units] == [2, None]
    with pytest.raises(IdempotentParameterMismatch):
        transact(driver, table, INSERT, token=table[:30])


def test_inserts_of_a_transaction_are_limited_in_size(driver: Driver, table: str) -> None:
    def insert(size: int, count: int) -> ExecuteTransaction:
        statement = f"INSERT INTO \"{table}\" VALUE {{'pk': ?, 'sk': 's', 'x': ?}}"
        return ExecuteTransaction(
            [
                ParameterizedStatement(statement, [text(str(each)), text("x" * size)])
                for each in range(count)
            ]
        )

    with pytest.raises(TransactionCanceled) as raised:
        driver.execute(insert(409_600, 1))
    assert raised.value.reasons[0].message == "Item size has exceeded the maximum allowed size"
    with pytest.raises(ValidationError, match="Transaction payload size cannot exceed 4MB"):
        driver.execute(insert(390_000, 11))
    assert stored(driver, table, {"pk": text("0"), "sk": text("s")}) is None
    driver.execute(insert(390_000, 10))
