"""Every operation that AWS's model has is handled, or rejected with a message that names it."""

from __future__ import annotations

import re
from typing import Any, cast

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from msgspec.structs import fields

from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.wire.requests import UNSUPPORTED_MEMBERS
from tests.clients.endpoint import Endpoint
from tools.testing.sources import ROOT

SERVICES = ("dynamodb", "dynamodbstreams")
HANDLED = {spec.name: spec.request for spec in OPERATIONS.values()}
MODELS = {name: boto3.client(name, region_name="eu-west-2").meta.service_model for name in SERVICES}
UNSUPPORTED = [
    (service, str(name))
    for service, model in MODELS.items()
    for name in model.operation_names
    if name not in HANDLED
]
PAGE = "docs/compatibility.md"
KEY = [{"AttributeName": "pk", "KeyType": "HASH"}]


@pytest.fixture(scope="module")
def clients(endpoint: Endpoint) -> dict[str, Any]:
    """Return clients that do not check their requests."""
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    return {
        name: cast(Any, boto3).client(name, config=config, **endpoint.for_boto3)
        for name in SERVICES
    }


def rejection(client: Any, operation: str, **request: Any) -> str:
    """Return the message of the error, as a program or the AWS CLI prints it."""
    with pytest.raises(ClientError) as raised:
        client._make_api_call(operation, request)
    response = cast(Any, raised.value.response)
    assert response["Error"]["Code"] == "UnknownOperationException"
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert PAGE in response["Error"]["Message"]
    return str(raised.value)


@pytest.mark.parametrize(("service", "operation"), UNSUPPORTED)
def test_operation_that_is_not_handled_is_rejected_by_name(
    clients: dict[str, Any], service: str, operation: str
) -> None:
    assert f"{operation} is not supported by singletable." in rejection(clients[service], operation)


def test_page_lists_the_operations_that_are_not_handled() -> None:
    _, _, section = (ROOT / PAGE).read_text().partition("## Unsupported operations\n")
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|")]
    listed = re.findall(r"`([A-Z][A-Za-z]+)`", "".join(rows))
    members = {name for names in UNSUPPORTED_MEMBERS.values() for name in names}
    expected = {name for _, name in UNSUPPORTED} | members | {"ResourcePolicy"}
    assert set(listed) - {"CreateTable", "UpdateTable"} == expected


# A member that is ignored would be acknowledged without effect.
@pytest.mark.parametrize("service", SERVICES)
def test_every_member_of_a_handled_request_is_read_or_rejected(service: str) -> None:
    for name in MODELS[service].operation_names:
        if name not in HANDLED:
            continue
        request, shape = HANDLED[name], MODELS[service].operation_model(name).input_shape
        ours = {field.encode_name for field in fields(request)}
        rejected = set(UNSUPPORTED_MEMBERS.get(request, ()))
        theirs = set(shape.members) if shape is not None else set[str]()
        assert theirs - ours == rejected, name


@pytest.mark.parametrize(
    ("operation", "member"),
    [(kind.__name__, member) for kind, names in UNSUPPORTED_MEMBERS.items() for member in names],
)
def test_member_that_is_not_supported_is_rejected(
    clients: dict[str, Any], operation: str, member: str
) -> None:
    request: dict[str, Any] = {"TableName": "unsupported", "BillingMode": "PAY_PER_REQUEST"}
    message = rejection(clients["dynamodb"], operation, **request, **{member: [{}]})
    assert f"{member} of {operation} is not supported" in message


def test_settings_that_would_have_no_effect_are_rejected(clients: dict[str, Any]) -> None:
    client = clients["dynamodb"]
    request = {
        "TableName": "unsupported",
        "KeySchema": KEY,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    message = rejection(client, "CreateTable", **request, ResourcePolicy="{}")
    assert "ResourcePolicy of CreateTable" in message
    client.create_table(**request)
    specification = {"PointInTimeRecoveryEnabled": True}
    message = rejection(
        client,
        "UpdateContinuousBackups",
        TableName="unsupported",
        PointInTimeRecoverySpecification=specification,
    )
    assert "Point-in-time recovery" in message
    described = client.describe_continuous_backups(TableName="unsupported")
    assert described["ContinuousBackupsDescription"] == {
        "ContinuousBackupsStatus": "DISABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
