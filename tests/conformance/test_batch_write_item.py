"""What BatchWriteItem does and rejects."""

from __future__ import annotations

import pytest

from singletable.operations import (
    BatchWriteItem,
    DeleteRequest,
    Driver,
    PutRequest,
    Scan,
    WriteRequest,
)
from singletable.values import Item
from tests.conformance.errors import (
    BAD_CAPACITY,
    BAD_METRICS,
    BOGUS,
    ENVELOPE,
    INVALID,
    NOT_VALID,
    WRONG_KEY,
    check_not_found,
    validation_error,
)
from tests.conformance.tables import (
    ada,
    global_index,
    make_indexed_table,
    make_table,
    put,
    stored,
    unused_name,
)
from tests.conformance.value_positions import KEY

DUPLICATES = "Provided list of item keys contains duplicates"


def _put(item: Item) -> WriteRequest:
    return WriteRequest(put_request=PutRequest(item))


def _delete(key: Item) -> WriteRequest:
    return WriteRequest(delete_request=DeleteRequest(key))


def _count(driver: Driver, table: str) -> int:
    return driver.execute(Scan(table, select="COUNT")).count


def test_batch_write_puts_and_deletes_in_several_tables(driver: Driver) -> None:
    one, other = make_table(driver, pk="S"), make_table(driver, pk="S")
    bob: Item = {"pk": {"S": "bob"}}
    put(driver, one, bob)
    put(driver, other, KEY)
    done = driver.execute(
        BatchWriteItem({one: [_put(ada(a={"N": "1"})), _delete(bob)], other: [_delete(KEY)]})
    )
    assert done.unprocessed_items == {}
    assert done.consumed_capacity is None
    assert done.item_collection_metrics is None
    assert stored(driver, one, KEY) == ada(a={"N": "1"})
    assert stored(driver, one, bob) is None
    assert stored(driver, other, KEY) is None


def test_deleting_a_missing_item_succeeds(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert driver.execute(BatchWriteItem({table: [_delete(KEY)]})).unprocessed_items == {}


def test_set_accepts_an_empty_member(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    driver.execute(BatchWriteItem({table: [_put(ada(tags={"SS": [""]}))]}))
    assert stored(driver, table, KEY) == ada(tags={"SS": [""]})


def test_rejects_more_than_25_writes(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    writes = [_put({"pk": {"S": str(number)}, "text": {"S": "x" * 20_000}}) for number in range(25)]
    assert driver.execute(BatchWriteItem({table: writes})).unprocessed_items == {}
    assert _count(driver, table) == 25
    assert validation_error(driver, BatchWriteItem({table: [*writes, _put(KEY)]})) == (
        f"1 validation error detected: Value at 'RequestItems.{table}.member' failed to satisfy "
        "constraint: Member must have length less than or equal to 25"
    )


# The limit applies to the request as a whole, and to each table as well.
def test_rejects_more_than_25_writes_across_tables(driver: Driver) -> None:
    tables = [make_table(driver, pk="S"), make_table(driver, pk="S")]
    writes = [_put({"pk": {"S": str(number)}}) for number in range(13)]
    assert validation_error(driver, BatchWriteItem(dict.fromkeys(tables, writes))) == (
        "Too many items requested for the BatchWriteItem call"
    )


def test_rejects_empty_batch_write(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert validation_error(driver, BatchWriteItem({})) == (
        "1 validation error detected: Value at 'RequestItems' failed to satisfy constraint: "
        "Member must have length greater than or equal to 1"
    )
    assert validation_error(driver, BatchWriteItem({table: []})) == (
        f"1 validation error detected: Value '{{{table}=[]}}' at 'requestItems' failed to satisfy "
        "constraint: Map value must satisfy constraint: "
        "[Member must have length less than or equal to 25, "
        "Member must have length greater than or equal to 1]"
    )


# A write with no or two kinds gets the same message as a value with no or two types.
@pytest.mark.parametrize(
    "write", [WriteRequest(), WriteRequest(PutRequest(KEY), DeleteRequest(KEY))]
)
def test_write_request_needs_exactly_one_of_put_and_delete(
    driver: Driver, write: WriteRequest
) -> None:
    assert validation_error(driver, BatchWriteItem({unused_name(): [write]})) == (
        "Supplied AttributeValue has more than one datatypes set, "
        "must contain exactly one of the supported datatypes"
    )


@pytest.mark.parametrize("second", [_put(ada(b={"N": "2"})), _delete(KEY)], ids=["put", "delete"])
def test_rejects_two_writes_of_one_item(driver: Driver, second: WriteRequest) -> None:
    table = make_table(driver, pk="S")
    assert (
        validation_error(driver, BatchWriteItem({table: [_put(ada(a={"N": "1"})), second]}))
        == DUPLICATES
    )
    assert stored(driver, table, KEY) is None


def test_missing_table_raises_resource_not_found(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    check_not_found(driver, BatchWriteItem({table: [_put(KEY)], unused_name(): [_put(KEY)]}))
    assert stored(driver, table, KEY) is None


KEYS: list[tuple[WriteRequest, str]] = [
    # PutItem would name the missing or mismatched key.
    (_put({"pk": {"N": "1"}}), WRONG_KEY),
    (_put({"pk": {"L": []}}), WRONG_KEY),
    (_put({"a": {"S": "a"}}), WRONG_KEY),
    (_delete({"a": {"S": "a"}}), WRONG_KEY),
    (_delete(ada(a={"S": "a"})), WRONG_KEY),
    (_delete({"pk": {"N": "1"}}), WRONG_KEY),
    (
        _put({"pk": {"S": ""}}),
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty string value. "
        "Key: pk",
    ),
]


@pytest.mark.parametrize(("write", "message"), KEYS)
def test_one_key_mismatch_rejects_the_batch(
    driver: Driver, write: WriteRequest, message: str
) -> None:
    table = make_table(driver, pk="S")
    assert validation_error(driver, BatchWriteItem({table: [_put(KEY), write]})) == message
    assert _count(driver, table) == 0


@pytest.mark.parametrize("write", [_put({"pk": {"B": ""}}), _delete({"pk": {"B": ""}})])
def test_rejects_empty_binary_key(driver: Driver, write: WriteRequest) -> None:
    assert validation_error(driver, BatchWriteItem({make_table(driver, pk="B"): [write]})) == (
        NOT_VALID + "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "Key: pk"
    )


INDEX_KEYS: list[tuple[Item, str]] = [
    (
        ada(sk={"S": "1"}, grade={"N": "5"}),
        INVALID + "Type mismatch for Index Key grade Expected: S Actual: N IndexName: by_grade",
    ),
    (
        ada(sk={"S": "1"}, grade={"L": []}),
        INVALID + "Type mismatch for Index Key grade Expected: S Actual: L IndexName: by_grade",
    ),
    (
        ada(sk={"S": "1"}, grade={"S": ""}),
        NOT_VALID + "A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty string value. "
        "IndexName: by_grade, IndexKey: grade",
    ),
]


@pytest.mark.parametrize(("item", "message"), INDEX_KEYS)
def test_one_index_key_of_wrong_type_rejects_the_batch(
    driver: Driver, item: Item, message: str
) -> None:
    table = make_indexed_table(driver)
    assert validation_error(
        driver, BatchWriteItem({table: [_put(ada(sk={"S": "2"})), _put(item)]})
    ) == (message)
    assert _count(driver, table) == 0


def test_rejects_empty_binary_index_key(driver: Driver) -> None:
    table = make_table(driver, global_index("by_code", code="B"), pk="S")
    assert validation_error(driver, BatchWriteItem({table: [_put(ada(code={"B": ""}))]})) == (
        NOT_VALID + "A value specified for a secondary index key is not supported. "
        "The AttributeValue for a key attribute cannot contain an empty binary value. "
        "IndexName: by_code, IndexKey: code"
    )


# Invalid enum values are reported together, before the table name and the table are checked.
def test_invalid_parameters_are_reported_first(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    for name in (table, unused_name(), "bad!name"):
        items = {name: [_put(KEY)]}
        assert validation_error(driver, BatchWriteItem(items, BOGUS)) == ENVELOPE + BAD_CAPACITY
        assert (
            validation_error(driver, BatchWriteItem(items, None, BOGUS)) == ENVELOPE + BAD_METRICS
        )
        assert validation_error(driver, BatchWriteItem(items, BOGUS, BOGUS)) == (
            f"2 validation errors detected: {BAD_CAPACITY}; {BAD_METRICS}"
        )
    assert stored(driver, table, KEY) is None


# The message prints the request as AWS's server prints its objects, internal members included.
def test_rejects_invalid_table_name(driver: Driver) -> None:
    assert validation_error(driver, BatchWriteItem({"bad!name": [_put(KEY)]})) == (
        "1 validation error detected: Value '{bad!name=[WriteRequest(putRequest=PutRequest("
        "item={pk=AttributeValue(s=ada, n=null, b=null, iNT=null, dECIMAL=null, dOUBLE=null, "
        "sS=null, nS=null, bS=null, iNTSET=null, dECIMALSET=null, dOUBLESET=null, m=null, l=null, "
        "nULL=null, bOOL=null)}, workloadProfileName=null), deleteRequest=null)]}' "
        "at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: "
        "[Member must have length less than or equal to 255, "
        "Member must have length greater than or equal to 3, "
        "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"
    )
