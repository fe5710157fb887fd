"""The types of members are those of AWS's own model, which botocore contains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import botocore.session
import pytest
from msgspec import Struct, json

from dynamodb_engine.engine.constraints.check import RULES
from dynamodb_engine.engine.constraints.types import Choice
from dynamodb_engine.errors import SerializationError
from dynamodb_engine.operations import GetShardIterator, Operation
from dynamodb_engine.wire import TARGETS, read_request
from dynamodb_engine.wire.lenient import (
    ListOf,
    MapOf,
    Scalar,
    StructOf,
    ValueType,
    WireType,
    members_of,
)
from dynamodb_engine.wire.requests import VERSION

AWS_OPERATIONS = [operation for target, operation in TARGETS.items() if target.startswith(VERSION)]
STREAM_OPERATIONS = [
    operation for target, operation in TARGETS.items() if target.startswith("DynamoDBStreams_")
]


@pytest.fixture(scope="module")
def models() -> Any:
    """Return botocore's models of DynamoDB and its streams, which are untyped."""
    session = cast(Any, botocore.session).get_session()
    return [session.get_service_model(name) for name in ("dynamodb", "dynamodbstreams")]


# Clients never send a member that we spell differently, and errors depend on its type.
@pytest.mark.parametrize(
    "operation",
    AWS_OPERATIONS + STREAM_OPERATIONS,
    ids=lambda operation: str(operation.__name__),
)
def test_members_of_requests_match_the_model_of_aws(
    models: Any, operation: type[Operation[Any]]
) -> None:
    model = models[operation in STREAM_OPERATIONS]
    theirs = model.operation_model(operation.__name__).input_shape
    assert list(_differences(operation, theirs, operation.__name__)) == []


# Nothing that AWS adds to streams goes unnoticed.
@pytest.mark.parametrize(
    "operation", STREAM_OPERATIONS, ids=lambda operation: str(operation.__name__)
)
def test_stream_requests_have_every_member_and_word(
    models: Any, operation: type[Operation[Any]]
) -> None:
    shape = models[1].operation_model(operation.__name__).input_shape
    members = RULES[operation].structure.members
    theirs = {name: set(getattr(each, "enum", ())) for name, each in shape.members.items()}
    assert theirs == {
        wire.name: set(ours.constraint.words) if isinstance(ours.constraint, Choice) else set()
        for wire in members_of(operation)
        for ours in members
        if ours.field == wire.field
    }


def _differences(structure: type[Struct], theirs: Any, at: str) -> Iterator[str]:
    for member in members_of(structure):
        path = f"{at}.{member.name}"
        if member.name not in theirs.members:
            yield f"{path} is not in AWS's model"
        else:
            yield from _difference(member.type, theirs.members[member.name], path)


def _difference(ours: WireType, theirs: Any, at: str) -> Iterator[str]:
    match ours:
        case Scalar(name) if name.lower() == theirs.type_name:
            pass
        case ListOf(member) if theirs.type_name == "list":
            yield from _difference(member, theirs.member, f"{at}[]")
        case MapOf(member) if theirs.type_name == "map":
            yield from _difference(member, theirs.value, f"{at}{{}}")
        case ValueType() if theirs.name == "AttributeValue":
            pass
        case StructOf(kind) if theirs.name == ours.name:
            yield from _differences(kind, theirs, at)
        case _:
            yield f"{at} is {ours}, and on AWS {theirs}"


@pytest.mark.parametrize(
    ("operation", "body", "message"),
    [
        ("Scan", {"Limit": "5"}, "STRING_VALUE cannot be converted to Integer"),
        ("Query", {"Limit": True}, "TRUE_VALUE cannot be converted to Integer"),
        ("Scan", {"Segment": []}, "Unrecognized collection type class java.lang.Integer"),
        (
            "UpdateTable",
            {"ProvisionedThroughput": {"ReadCapacityUnits": "5"}},
            "STRING_VALUE cannot be converted to Long",
        ),
    ],
)
def test_number_errors_name_java_types(operation: str, body: Any, message: str) -> None:
    with pytest.raises(SerializationError) as error:
        read_request(f"{VERSION}.{operation}", json.encode(body))
    assert error.value.message == message


def test_timestamps_keep_their_fraction() -> None:
    target = "DynamoDBStreams_20120810.GetShardIterator"
    # It is read leniently, as required members are missing.
    operation = read_request(target, b'{"Timestamp": 1791316726.48}')
    assert isinstance(operation, GetShardIterator)
    assert operation.timestamp == 1791316726.48
    with pytest.raises(SerializationError, match="STRING_VALUE cannot be converted to Timestamp"):
        read_request(target, b'{"Timestamp": "today"}')
