"""A driver that sends operations through boto3 to an endpoint."""

from __future__ import annotations

import http.client
from binascii import Error as NotBase64
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import Any, TypeVar, cast

import msgspec

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.errors import OperationError, ResourceNotFound, TableNotFound
from dynamodb_engine.operations import Operation
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.testing import endpoint
from dynamodb_engine.wire import write_request
from tests.differential.peer import (
    Json,
    as_map,
    each,
    refusal_of,
    request_of,
    result_of,
    with_bytes,
    with_text,
)
from tools.testing.exchangeable import Exchangeable

R = TypeVar("R")

# Operations that boto3 has no method for use plain HTTP.
OUR_OWN = ("ReadChanges", "SweepExpired")


class WireDriver:
    """A driver that sends requests to an endpoint in a thread of this process."""

    def __init__(self, behind: Exchangeable, url: str) -> None:
        import boto3  # only for tests that use it
        from botocore import UNSIGNED
        from botocore.config import Config

        self._behind = behind
        self._address = url.removeprefix("http://")
        # Invalid requests are sent as they are: our validation is tested, not boto3's. Signatures
        # take a fifth of the time and are tested elsewhere.
        config = Config(
            signature_version=UNSIGNED,
            user_agent="conformance",
            parameter_validation=False,
            retries={"total_max_attempts": 1},
            account_id_endpoint_mode="disabled",
        )
        options = {
            "endpoint_url": url,
            "region_name": "us-east-1",
            "aws_access_key_id": "any",
            "aws_secret_access_key": "any",
            "config": config,
        }
        # boto3 has no types of its own.
        self._clients: dict[str, Any] = {
            service: cast(Any, boto3).client(service, **options)
            for service in ("dynamodb", "dynamodbstreams")
        }

    def execute(self, operation: Operation[R], /) -> R:
        """Return the endpoint's response, or raise its error as an OperationError."""
        name, request = request_of(operation)
        parameters = _for_boto3(request)
        if name in OUR_OWN or parameters is None:
            return result_of(operation, self._send(operation))
        client = self._clients[OPERATIONS[type(operation)].service]
        return result_of(operation, _call(client, name, parameters))

    def with_engine(self, engine: Engine) -> WireDriver:
        """Return this driver, now backed by the given engine."""
        self._behind.engine = AsyncEngine(engine)
        return self

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            client.close()

    def _send(self, operation: Operation[Any]) -> Json:
        target, body = write_request(operation)
        headers = {"x-amz-target": target, "content-type": "application/x-amz-json-1.0"}
        # These are too rare to keep a connection open for.
        with closing(http.client.HTTPConnection(self._address)) as connection:
            connection.request("POST", "/", body, headers)
            response = connection.getresponse()
            answer: Json = msgspec.json.decode(response.read() or b"{}")
        if response.status != 200:
            raise _refusal(str(answer.get("__type")).rpartition("#")[2], answer)
        return answer


def _call(client: Any, name: str, parameters: Json) -> Json:
    try:
        answer = client._make_api_call(name, parameters)
    except client.exceptions.ClientError as error:
        body = with_text(error.response)
        raise _refusal(body["Error"]["Code"], body | body["Error"]) from None
    del answer["ResponseMetadata"]
    return cast(Json, with_text(answer))


@contextmanager
def wire_driver() -> Generator[WireDriver]:
    """Start an endpoint and yield a driver that uses it through boto3."""
    behind = Exchangeable()
    with endpoint(behind) as url:
        driver = WireDriver(behind, url)
        try:
            yield driver
        finally:
            driver.close()


def _refusal(code: str, body: Json) -> OperationError:
    error = refusal_of(code, body)
    # Two of our exceptions have one name on AWS; only the message distinguishes them.
    if isinstance(error, ResourceNotFound) and ": Table: " in error.message:
        return TableNotFound(error.message)
    return error


def _for_boto3(request: Json) -> Json | None:
    """Return boto3's parameters for the request, or None if boto3 cannot express it."""
    # A missing member is None here and absent in boto3's request.
    try:
        request = _without_nulls(request)
        parameters: Json = with_bytes(request)
        # boto3 takes bytes and encodes base64, so invalid base64 would change on the way.
        return parameters if with_text(parameters) == request else None
    except (NotBase64, RecursionError):  # what is nested too deep for Python is for boto3
        return None


def _without_nulls(value: Any) -> Any:
    if (pairs := as_map(value)) is not None:
        value = {name: member for name, member in pairs.items() if member is not None}
    return each(value, _without_nulls)
