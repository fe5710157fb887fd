"""Either the driver or the store retries, never both."""

from __future__ import annotations

import json

import pytest

from dynamodb_engine.faults import FaultyDriver
from dynamodb_engine.operations import GetItem, GetItemOutput, ReadChanges, SweepExpired
from dynamodb_engine.retry import unwrap_retries
from singletable import Attr, Entity, Key, Store, Table, attr
from singletable.errors import Throttled, UnknownOperation, UnrecognizedClient
from singletable.remote import Remote
from singletable.remote.config import RemoteEndpoint
from singletable.remote.http import RequestWriter
from singletable.remote.signature import StaticCredentials
from tests.remote.drivers import Send
from tests.remote.scripted_server import ScriptedServer, response, start_server

GET = GetItem("votes", {"PK": {"S": "a"}})
STORE_ATTEMPTS = 10
SDK_ATTEMPTS = 4
votes = Table("votes")


class Voter(Entity, table=votes):
    """An entity to read."""

    name: Attr[str] = attr()
    key = Key(pk=("VOTER", name), sk=("VOTER",))


def error_response(code: str) -> bytes:
    return response(json.dumps({"__type": f"x#{code}", "message": "no"}).encode(), 400)


@pytest.fixture(autouse=True)
def _no_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)


def throttling_server() -> ScriptedServer:
    return ScriptedServer([[error_response("ThrottlingException")]] * 100)


def test_driver_retries_like_the_sdks() -> None:
    server = throttling_server()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        driver.execute(GET)
    server.close()
    assert len(server.requests) == SDK_ATTEMPTS


def test_store_does_not_multiply_driver_retries() -> None:
    server = throttling_server()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        Store(driver).get(Voter.key("ada"))
    server.close()
    assert len(server.requests) == STORE_ATTEMPTS


def test_wrapping_driver_does_not_retry() -> None:
    server = throttling_server()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        FaultyDriver(driver).execute(GET)
    server.close()
    assert len(server.requests) == 1


def test_unwrapped_driver_does_not_retry() -> None:
    server = throttling_server()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        unwrap_retries(driver).execute(GET)
    server.close()
    assert len(server.requests) == 1


def test_store_keeps_given_driver() -> None:
    with Remote.at("dynamodb+http://localhost:8000") as driver:
        assert Store(driver).driver is driver


def test_permanent_error_is_not_retried(send: Send) -> None:
    with start_server([error_response("UnrecognizedClientException")], [response(b"{}")]) as server:
        (error,) = send(server.address, GET, retries=True)
        assert isinstance(error, UnrecognizedClient)
        assert send(server.address, GET) == [GetItemOutput()]


@pytest.mark.parametrize(
    ("operation", "alternative"),
    [(ReadChanges(), "parse_stream_event"), (SweepExpired(), "by itself")],
)
def test_operation_unknown_to_aws_is_rejected(
    operation: ReadChanges | SweepExpired, alternative: str
) -> None:
    aws = RemoteEndpoint("dynamodb.eu-west-1.amazonaws.com", 443, tls=True, region="eu-west-1")
    with pytest.raises(UnknownOperation, match=f"{type(operation).__name__} .*{alternative}"):
        RequestWriter(aws).write(operation, StaticCredentials("any", "any"))
