"""Read requests, and reject those that do not fit their operation in AWS's words."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from dynamodb_engine.errors import (
    EngineError,
    OperationError,
    SerializationError,
    UnknownOperation,
    ValidationError,
)
from dynamodb_engine.operations import (
    GetItem,
    ListTables,
    Operation,
    PutItem,
    Query,
    ReadChanges,
    TransactWriteItem,
    TransactWriteItems,
    UpdateItem,
)
from dynamodb_engine.operations import Put as PutAction
from dynamodb_engine.values import check_value
from dynamodb_engine.wire import TARGETS, read_request, write_request
from dynamodb_engine.wire.requests import MAX_VALUES, VERSION


def read(operation: str, body: object) -> object:
    return read_request(f"DynamoDB_20120810.{operation}", json.encode(body))


@pytest.mark.parametrize(
    "operation",
    [
        PutItem("votes", {"pk": {"S": "ada"}}, return_values="ALL_OLD"),
        GetItem("votes", {"pk": {"B": "AAE="}}, consistent_read=True),
        UpdateItem("votes", {"pk": {"N": "1"}}, update_expression="SET a = :a"),
        Query("votes", limit=3, scan_index_forward=False, exclusive_start_key={"pk": {"S": "a"}}),
        TransactWriteItems([TransactWriteItem(put=PutAction("votes", {"pk": {"S": "ada"}}))]),
        ListTables(),
        ReadChanges(after=7),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_operation_round_trips(operation: Any) -> None:
    assert read_request(*write_request(operation)) == operation


def test_every_target_ends_with_the_name_of_its_operation() -> None:
    assert all(target.endswith(f".{kind.__name__}") for target, kind in TARGETS.items())


class Rename(Operation[None], frozen=True):
    """An operation that is not in the registry."""


@pytest.mark.parametrize("value", [Rename(), None, "PutItem"])
def test_write_request_rejects_other_values(value: Any) -> None:
    with pytest.raises(EngineError):
        write_request(value)


# null means absent, and AWS ignores members that it does not know.
def test_null_and_unknown_members_are_ignored() -> None:
    body = {"TableName": "votes", "Key": {"pk": {"S": "a"}}, "ConsistentRead": None, "Odd": [1]}
    assert read("GetItem", body) == GetItem("votes", {"pk": {"S": "a"}})


# A missing member is rejected by the driver, with another message.
def test_missing_member_becomes_none() -> None:
    operation = read("GetItem", {"Key": {"pk": {"S": "a"}}})
    assert isinstance(operation, GetItem)
    assert operation.table_name is None
    assert operation.key == {"pk": {"S": "a"}}


def test_unknown_enum_value_is_left_to_the_driver() -> None:
    operation = read("PutItem", {"TableName": "t", "Item": {}, "ReturnValues": "SOME"})
    assert isinstance(operation, PutItem)
    assert str(operation.return_values) == "SOME"


UNEXPECTED_START = "Start of structure or map found where not expected"
MODEL = "com.amazonaws.dynamodb.v20120810"


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("TableName", True, "TRUE_VALUE cannot be converted to String"),
        ("TableName", 23, "NUMBER_VALUE cannot be converted to String"),
        ("TableName", -2.5, "DECIMAL_VALUE cannot be converted to String"),
        ("TableName", [], "Unrecognized collection type class java.lang.String"),
        ("TableName", {}, UNEXPECTED_START),
        ("ConsistentRead", "maybe", "Unexpected token received from parser"),
        ("ConsistentRead", 1, "NUMBER_VALUE cannot be converted to Boolean"),
        ("ConsistentRead", [], "Unrecognized collection type class java.lang.Boolean"),
        ("AttributesToGet", "a", "Unexpected field type"),
        ("AttributesToGet", {}, UNEXPECTED_START),
        ("AttributesToGet", [1], "NUMBER_VALUE cannot be converted to String"),
        ("Key", "a", "Unexpected field type"),
        (
            "Key",
            [],
            f"Unrecognized collection type java.util.Map<java.lang.String, {MODEL}.AttributeValue>",
        ),
        ("Key", {"pk": "a"}, "Unexpected value type in payload"),
        ("Key", {"pk": []}, f"Unrecognized collection type class {MODEL}.AttributeValue"),
        ("Key", {"pk": {"S": 1}}, "NUMBER_VALUE cannot be converted to String"),
        ("Key", {"pk": {"BOOL": 1}}, "NUMBER_VALUE cannot be converted to Boolean"),
        ("Key", {"pk": {"SS": "a"}}, "Unexpected field type"),
        ("Key", {"pk": {"B": 1}}, "only base-64-encoded strings are convertible to bytes"),
    ],
)
def test_member_of_the_wrong_type_is_rejected(member: str, value: object, message: str) -> None:
    body: dict[str, object] = {"TableName": "votes", "Key": {"pk": {"S": "a"}}, member: value}
    with pytest.raises(SerializationError) as error:
        read("GetItem", body)
    assert error.value.message == message


@pytest.mark.parametrize("kind", ["SS", "NS", "BS"])
def test_null_in_a_set_is_an_invalid_value(kind: str) -> None:
    operation = read("GetItem", {"TableName": "votes", "Key": {"pk": {kind: ["QQ==", None]}}})
    assert isinstance(operation, GetItem)
    with pytest.raises(ValidationError, match="An string set may not have a null string as a mem"):
        check_value(operation.key["pk"])


def test_fractions_are_cut_off_and_words_are_read_as_booleans() -> None:
    body = {"TableName": "votes", "Limit": 3.7, "ConsistentRead": "YES"}
    assert read("Query", body) == Query("votes", limit=3, consistent_read=True)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"null", b"[]", b'"text"', b"\xff\xfe", b"nonsense"),
        # Not UTF-8: as a value, as a name, and in an unknown member.
        *(b'{"TableName":"\xff"}', b'{"\xc3":1}', b'{"Odd":"\xed\xa0\x80"}'),
    ],
)
def test_body_that_is_not_an_object_is_rejected_without_message(body: bytes) -> None:
    with pytest.raises(SerializationError) as error:
        read_request("DynamoDB_20120810.GetItem", body)
    assert error.value.message == ""


# Too deep for the JSON parser: of the right type, of the wrong one, or in an unknown member.
@pytest.mark.parametrize("depth", [400, 5000])
@pytest.mark.parametrize(
    ("head", "opening", "closing", "tail"),
    [
        ('{"TableName":"votes","ReturnValues":"SOME","Item":{"a":', '{"L":[', "]}", "}}"),
        ('{"TableName":"votes","ReturnValues":"SOME","Item":{"a":', '{"M":{"a":', "}}", "}}"),
        ('{"TableName":"votes","Odd":', "[", "]", "}"),
        ('{"TableName":', '{"a":', "}", "}"),
        ("", "[", "]", ""),
    ],
    ids=["lists", "maps", "unknown member", "objects for a string", "not an object"],
)
def test_deep_body_is_read_or_rejected(
    head: str, opening: str, closing: str, tail: str, depth: int
) -> None:
    body = head + opening * depth + closing * depth + tail
    with contextlib.suppress(SerializationError):
        read_request("DynamoDB_20120810.PutItem", body.encode())


@pytest.mark.parametrize("target", ["", "GetItem", "DynamoDB_20120810.Nonsense", "X.GetItem"])
def test_unknown_target_is_rejected(target: str) -> None:
    with pytest.raises(UnknownOperation):
        read_request(target, b"{}")


# AWS parses the JSON before it looks at the target.
def test_invalid_json_is_reported_before_unknown_target() -> None:
    with pytest.raises(SerializationError):
        read_request("DynamoDB_20120810.Nonsense", b"{")
    with pytest.raises(UnknownOperation):
        read_request("DynamoDB_20120810.Nonsense", b"")


any_json: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["S", "N", "B", "M", "L", "SS", "BOOL", "TableName", "Key", "Item", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


# No body may cause any other exception.
@given(st.sampled_from(sorted(TARGETS)), any_json)
def test_any_json_is_read_or_rejected(target: str, body: object) -> None:
    with contextlib.suppress(OperationError):
        read_request(target, json.encode(body))


PUT = b'{"TableName":"votes","Item":{"pk":{"S":"a"},"n":'


# Decoding is one call: nobody else would be served while it reads millions of values.
@pytest.mark.parametrize(
    ("operation", "start"),
    [
        ("PutItem", PUT + b'{"SS":["\\\\","x"'),
        ("PutItem", b'{"TableName":true,"Unknown":[1'),
        ("Unknown", b'{"open":"\\",",[1'),
    ],
)
def test_too_many_values_are_rejected_before_they_are_decoded(operation: str, start: bytes) -> None:
    with pytest.raises(ValidationError, match="900,000 values or more"):
        read_request(f"{VERSION}.{operation}", start + b",1" * MAX_VALUES)


# Without the bracket in the text, it is exactly the limit.
def test_first_value_is_one_of_too_many() -> None:
    with pytest.raises(ValidationError, match="900,000 values or more"):
        read_request(f"{VERSION}.PutItem", b'{"[":[' + b"1," * (MAX_VALUES - 2))


@pytest.mark.parametrize(
    "value",
    [
        b'{"S":"' + b',[{\\"\\\\' * MAX_VALUES + b'"}',
        b'{"L":[' + b",".join([b'{"S":""}'] * 409_000) + b"]}",
    ],
    ids=["long text", "largest list"],
)
def test_texts_and_the_values_of_one_item_are_not_too_many(value: bytes) -> None:
    assert isinstance(read_request(f"{VERSION}.PutItem", PUT + value + b"}}"), PutItem)
