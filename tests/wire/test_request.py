"""Requests: what is of its operation's shape is read, what is not is refused in AWS's words."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from singletable.errors import OperationError, SerializationError
from singletable.operations import (
    GetItem,
    ListTables,
    PutItem,
    Query,
    ReadChanges,
    TransactWriteItem,
    TransactWriteItems,
    UpdateItem,
)
from singletable.operations import Put as PutAction
from singletable.wire import TARGETS, UnknownOperation, read_request, write_request


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
def test_an_operation_comes_back_as_it_was_written(operation: Any) -> None:
    assert read_request(*write_request(operation)) == operation


def test_every_operation_has_a_target_of_its_name() -> None:
    assert all(target.endswith(f".{kind.__name__}") for target, kind in TARGETS.items())


# null is as good as absent, and members that AWS does not know are passed over.
def test_null_and_unknown_members_are_passed_over() -> None:
    body = {"TableName": "votes", "Key": {"pk": {"S": "a"}}, "ConsistentRead": None, "Odd": [1]}
    assert read("GetItem", body) == GetItem("votes", {"pk": {"S": "a"}})


# A missing member is no matter of shape: the operation says so itself, in other words.
def test_a_missing_member_is_none() -> None:
    operation = read("GetItem", {"Key": {"pk": {"S": "a"}}})
    assert isinstance(operation, GetItem)
    assert operation.table_name is None
    assert operation.key == {"pk": {"S": "a"}}


def test_an_unknown_word_of_an_enumeration_is_left_to_the_operation() -> None:
    operation = read("PutItem", {"TableName": "t", "Item": {}, "ReturnValues": "SOME"})
    assert isinstance(operation, PutItem)
    assert str(operation.return_values) == "SOME"


START = "Start of structure or map found where not expected"
MODEL = "com.amazonaws.dynamodb.v20120810"


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("TableName", True, "TRUE_VALUE cannot be converted to String"),
        ("TableName", 23, "NUMBER_VALUE cannot be converted to String"),
        ("TableName", -2.5, "DECIMAL_VALUE cannot be converted to String"),
        ("TableName", [], "Unrecognized collection type class java.lang.String"),
        ("TableName", {}, START),
        ("ConsistentRead", "maybe", "Unexpected token received from parser"),
        ("ConsistentRead", 1, "NUMBER_VALUE cannot be converted to Boolean"),
        ("ConsistentRead", [], "Unrecognized collection type class java.lang.Boolean"),
        ("AttributesToGet", "a", "Unexpected field type"),
        ("AttributesToGet", {}, START),
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
def test_a_member_of_the_wrong_shape_is_told(member: str, value: object, message: str) -> None:
    body: dict[str, object] = {"TableName": "votes", "Key": {"pk": {"S": "a"}}, member: value}
    with pytest.raises(SerializationError) as refused:
        read("GetItem", body)
    assert refused.value.message == message


def test_a_limit_with_a_fraction_is_cut_and_a_word_for_truth_is_taken() -> None:
    body = {"TableName": "votes", "Limit": 3.7, "ConsistentRead": "YES"}
    assert read("Query", body) == Query("votes", limit=3, consistent_read=True)


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"null", b"[]", b'"text"', b"\xff\xfe", b"nonsense"),
        # Not UTF-8, as a value, as a name, and in a member that nobody reads.
        *(b'{"TableName":"\xff"}', b'{"\xc3":1}', b'{"Odd":"\xed\xa0\x80"}'),
    ],
)
def test_a_body_that_is_no_object_is_refused_without_a_word(body: bytes) -> None:
    with pytest.raises(SerializationError) as refused:
        read_request("DynamoDB_20120810.GetItem", body)
    assert refused.value.message == ""


# Deeper than the reader can follow is no request: of the right shape, of the wrong one, or in a
# member that nobody reads.
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
    ids=["lists", "maps", "unknown member", "objects for a string", "no object"],
)
def test_a_deep_body_is_read_or_refused(
    head: str, opening: str, closing: str, tail: str, depth: int
) -> None:
    body = head + opening * depth + closing * depth + tail
    with contextlib.suppress(SerializationError):
        read_request("DynamoDB_20120810.PutItem", body.encode())


@pytest.mark.parametrize("target", ["", "GetItem", "DynamoDB_20120810.Nonsense", "X.GetItem"])
def test_an_unknown_target_is_refused(target: str) -> None:
    with pytest.raises(UnknownOperation):
        read_request(target, b"{}")


# Whether it is JSON at all is looked at before whom it is for.
def test_what_is_no_json_is_told_before_an_unknown_target() -> None:
    with pytest.raises(SerializationError):
        read_request("DynamoDB_20120810.Nonsense", b"{")
    with pytest.raises(UnknownOperation):
        read_request("DynamoDB_20120810.Nonsense", b"")


nonsense: st.SearchStrategy[object] = st.recursive(
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


# Whatever comes, it is read or refused: never another exception.
@given(st.sampled_from(sorted(TARGETS)), nonsense)
def test_nonsense_is_read_or_refused(target: str, body: object) -> None:
    with contextlib.suppress(OperationError):
        read_request(target, json.encode(body))
