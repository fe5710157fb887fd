"""Every operation returns the same over the wire as in process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.engine import AsyncEngine
from dynamodb_engine.operations import BatchWriteItem, Operation, PutItem, PutRequest, WriteRequest
from dynamodb_engine.testing import endpoint
from dynamodb_engine.wire import parse_plain_request, read_operation, read_request, write_result
from singletable.errors import OperationError
from singletable.remote import AsyncRemote, Remote
from singletable.remote.config import RemoteEndpoint
from singletable.remote.http import RequestWriter
from singletable.remote.signature import StaticCredentials
from tools.testing.exchangeable import Exchangeable
from tools.testing.fuzz.sandbox import new_engine
from tools.testing.fuzz.valid_requests import REQUESTS, Request

MAX_BODY = 16 * 1024 * 1024
OPERATIONS = [
    read_request(request.target, json.dumps(request.body).encode()) for request in REQUESTS
]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({"S": st.text(st.characters(exclude_categories=["Cs"]))})
    | st.integers(-(10**37), 10**37).map(lambda number: {"N": str(number)})
    | st.booleans().map(lambda value: {"BOOL": value})
    | st.just({"NULL": True}),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: {"L": values})
        | st.dictionaries(st.text("ab.#:é\n", min_size=1), inner, max_size=3).map(
            lambda values: {"M": values}
        )
    ),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def endpoint_server() -> Iterator[tuple[Exchangeable, str]]:
    behind = Exchangeable()
    with endpoint(behind) as url:
        yield behind, f"dynamodb+{url}"


def comparable(output: object) -> object:
    """Convert an output or an error for comparison."""
    if isinstance(output, OperationError):
        return type(output), output.message, getattr(output, "reasons", None)
    return type(output), json.loads(write_result(output))


def execute_safely(execute: Any, operation: Operation[Any]) -> object:
    """Return the output or the error."""
    try:
        return execute(operation)
    except OperationError as error:
        return error


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_output_is_the_same_over_the_wire(
    request_: Request, endpoint_server: tuple[Exchangeable, str]
) -> None:
    behind, address = endpoint_server
    operation = read_request(request_.target, json.dumps(request_.body).encode())

    async def send() -> object:
        async with AsyncRemote.at(address) as remote:
            try:
                return await remote.inner.execute(operation)
            except OperationError as error:
                return error

    with new_engine() as engine:
        expected = comparable(execute_safely(engine.execute, operation))
    with new_engine() as engine, Remote.at(address) as remote:
        behind.engine = AsyncEngine(engine)
        assert comparable(execute_safely(remote.inner.execute, operation)) == expected
    with new_engine() as engine:
        behind.engine = AsyncEngine(engine)
        assert comparable(asyncio.run(send())) == expected


@given(
    st.sampled_from(OPERATIONS)
    | st.builds(PutItem, st.just("votes"), st.dictionaries(st.text(min_size=1), VALUES, max_size=4))
    | st.lists(st.dictionaries(st.sampled_from(["a", "é"]), VALUES), max_size=3).map(
        lambda items: BatchWriteItem(
            {"votes": [WriteRequest(put_request=PutRequest(item)) for item in items]}
        )
    )
)
def test_operation_roundtrips_over_the_wire(operation: Operation[Any]) -> None:
    sent = RequestWriter(RemoteEndpoint("localhost", 8000, tls=False, region="us-east-1")).write(
        operation, StaticCredentials("any", "any")
    )
    request = parse_plain_request(sent, "127.0.0.1", 65536)
    assert request is not None, "the server's fast path must accept it"
    assert read_operation(request, MAX_BODY) == operation
