"""The shapes of requests are those of AWS's own model, which boto3 carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import botocore.session
import pytest
from msgspec import Struct, json

from singletable.errors import SerializationError
from singletable.operations import Operation
from singletable.wire import TARGETS, read_request
from singletable.wire.lenient import (
    ListOf,
    MapOf,
    Scalar,
    StructOf,
    ValueType,
    WireType,
    members_of,
)
from singletable.wire.requests import VERSION

OF_AWS = [operation for target, operation in TARGETS.items() if target.startswith(VERSION)]


@pytest.fixture(scope="module")
def model() -> Any:
    """What boto3 knows of DynamoDB; it has no types of its own."""
    return cast(Any, botocore.session).get_session().get_service_model("dynamodb")


# What we spell otherwise no client sends, and what we type otherwise is refused in other words.
@pytest.mark.parametrize("operation", OF_AWS, ids=lambda operation: str(operation.__name__))
def test_what_a_request_may_hold_is_in_the_model(
    model: Any, operation: type[Operation[Any]]
) -> None:
    theirs = model.operation_model(operation.__name__).input_shape
    assert list(_differences(operation, theirs, operation.__name__)) == []


def _differences(structure: type[Struct], theirs: Any, at: str) -> Iterator[str]:
    for member in members_of(structure):
        place = f"{at}.{member.name}"
        if member.name not in theirs.members:
            yield f"{place} is not in AWS's model"
        else:
            yield from _difference(member.type, theirs.members[member.name], place)


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
            yield f"{at} is {ours}, and at AWS {theirs}"


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
def test_numbers_have_the_types_of_java(operation: str, body: Any, message: str) -> None:
    with pytest.raises(SerializationError) as refused:
        read_request(f"{VERSION}.{operation}", json.encode(body))
    assert refused.value.message == message
