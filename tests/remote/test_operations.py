"""Every operation gives over the wire what it gives in the process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.engine import AsyncEngine
from singletable.errors import OperationError
from singletable.operations import BatchWriteItem, Operation, PutItem, PutRequest, WriteRequest
from singletable.remote import AsyncRemote, Remote
from singletable.remote.place import Place
from singletable.remote.request import Requests
from singletable.remote.signature import Known
from singletable.wire import operation_of, plain_request, read_request, write_result
from tests.conformance.endpoint import Exchangeable, endpoint
from tests.fuzz.corpus import REQUESTS, Request
from tests.fuzz.world import new_engine

MOST = 16 * 1024 * 1024
OPERATIONS = [read_request(one.target, json.dumps(one.body).encode()) for one in REQUESTS]
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
def far_end() -> Iterator[tuple[Exchangeable, str]]:
    with endpoint() as (behind, host, port):
        yield behind, f"dynamodb+http://{host}:{port}"


def told(answer: object) -> object:
    """An answer or a refusal, in a form that can be compared."""
    if isinstance(answer, OperationError):
        return type(answer), answer.message, getattr(answer, "reasons", None)
    return type(answer), json.loads(write_result(answer))


def answered(execute: Any, operation: Operation[Any]) -> object:
    try:
        return execute(operation)
    except OperationError as error:
        return error


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_an_answer_is_the_same_over_the_wire(
    request_: Request, far_end: tuple[Exchangeable, str]
) -> None:
    behind, address = far_end
    operation = read_request(request_.target, json.dumps(request_.body).encode())

    async def asked() -> object:
        async with AsyncRemote.at(address) as remote:
            try:
                return await remote.inner.execute(operation)
            except OperationError as error:
                return error

    with new_engine() as engine:
        expected = told(answered(engine.execute, operation))
    with new_engine() as engine, Remote.at(address) as remote:
        behind.engine = AsyncEngine(engine)
        assert told(answered(remote.inner.execute, operation)) == expected
    with new_engine() as engine:
        behind.engine = AsyncEngine(engine)
        assert told(asyncio.run(asked())) == expected


@given(
    st.sampled_from(OPERATIONS)
    | st.builds(PutItem, st.just("votes"), st.dictionaries(st.text(min_size=1), VALUES, max_size=4))
    | st.lists(st.dictionaries(st.sampled_from(["a", "é"]), VALUES), max_size=3).map(
        lambda items: BatchWriteItem(
            {"votes": [WriteRequest(put_request=PutRequest(item)) for item in items]}
        )
    )
)
def test_an_operation_survives_the_wire(operation: Operation[Any]) -> None:
    sent = Requests(Place("localhost", 8000, tls=False, region="us-east-1")).write(
        operation, Known("any", "any")
    )
    request = plain_request(sent, "127.0.0.1", 65536)
    assert request is not None, "it is not written plainly"
    assert operation_of(request, MOST) == operation
