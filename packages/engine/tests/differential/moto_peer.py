"""Moto in this process, called through boto3."""

from __future__ import annotations

from types import TracebackType
from typing import Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from moto import mock_aws

from dynamodb_engine.operations import Operation
from tests.differential.peer import (
    PeerFailed,
    refusal_of,
    request_of,
    result_of,
    with_bytes,
    with_text,
)

R = TypeVar("R")

# Invalid requests are sent as they are: the peer's validation is compared, not boto3's.
_CONFIG = Config(
    parameter_validation=False,
    retries={"total_max_attempts": 1},
    account_id_endpoint_mode="disabled",
)


class Moto:
    """A driver for moto; inside its `with` block AWS is mocked for the whole process."""

    name = "moto"
    survives = True

    def __init__(self) -> None:
        self._mock = mock_aws()
        self._client: Any = None

    def execute(self, operation: Operation[R], /) -> R:
        """Return moto's response, or raise its error as an OperationError, or PeerFailed."""
        name, request = request_of(operation)
        try:
            answer = self._client._make_api_call(name, with_bytes(request))
        except ClientError as error:
            body = with_text(error.response)
            raise refusal_of(body["Error"]["Code"], body | body["Error"]) from None
        except Exception as error:
            raise PeerFailed(f"moto, {name}: {type(error).__name__}: {error}") from error
        del answer["ResponseMetadata"]
        return result_of(operation, with_text(answer))

    def __enter__(self) -> Moto:
        self._mock.start()
        untyped: Any = boto3
        self._client = untyped.client(
            "dynamodb",
            region_name="us-east-1",
            aws_access_key_id="nobody",
            aws_secret_access_key="nothing",
            config=_CONFIG,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()
        self._mock.stop()
