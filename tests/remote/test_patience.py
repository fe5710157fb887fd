"""Who sends again: a driver that is asked for itself, or the store that asks it, never both."""

from __future__ import annotations

import json

import pytest

from singletable import Attr, Entity, Key, Store, Table, attr
from singletable.errors import Throttled, UnrecognizedClient
from singletable.faults import FaultyDriver
from singletable.operations import GetItem, GetItemOutput, ReadChanges, SweepExpired
from singletable.remote import Remote
from singletable.remote.place import Place
from singletable.remote.request import Requests
from singletable.remote.signature import Known
from singletable.retry import unwrap_retries
from singletable.wire import UnknownOperation
from tests.remote.faces import Asking
from tests.remote.scripted import Scripted, response, scripted

GET = GetItem("votes", {"PK": {"S": "a"}})
OF_THE_STORE = 10
OF_THE_SDKS = 4
votes = Table("votes")


class Voter(Entity, table=votes):
    """What a store asks for."""

    name: Attr[str] = attr()
    key = Key(pk=("VOTER", name), sk=("VOTER",))


def refused(code: str) -> bytes:
    return response(json.dumps({"__type": f"x#{code}", "message": "no"}).encode(), 400)


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nobody needs to wait for real.
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)


def throttling() -> Scripted:
    return Scripted([[refused("ThrottlingException")]] * 100)


def test_a_driver_is_as_patient_as_the_sdks() -> None:
    server = throttling()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        driver.execute(GET)
    server.close()
    assert len(server.requests) == OF_THE_SDKS


def test_a_store_is_patient_by_itself_and_retries_do_not_multiply() -> None:
    server = throttling()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        Store(driver).get(Voter.key("ada"))
    server.close()
    assert len(server.requests) == OF_THE_STORE


def test_a_driver_around_a_driver_sends_once() -> None:
    server = throttling()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        FaultyDriver(driver).execute(GET)
    server.close()
    assert len(server.requests) == 1


def test_once_is_once() -> None:
    server = throttling()
    with Remote.at(server.address) as driver, pytest.raises(Throttled):
        unwrap_retries(driver).execute(GET)
    server.close()
    assert len(server.requests) == 1


def test_a_store_keeps_the_driver_that_it_was_given() -> None:
    with Remote.at("dynamodb+http://localhost:8000") as driver:
        assert Store(driver).driver is driver


def test_what_is_no_better_later_is_not_asked_again(ask: Asking) -> None:
    with scripted([refused("UnrecognizedClientException")], [response(b"{}")]) as server:
        (error,) = ask(server.address, GET, once=False)
        assert isinstance(error, UnrecognizedClient)
        assert ask(server.address, GET) == [GetItemOutput()]


@pytest.mark.parametrize(
    ("operation", "way_out"), [(ReadChanges(), "parse_stream_event"), (SweepExpired(), "by itself")]
)
def test_what_dynamodb_does_not_have_is_refused_by_name(
    operation: ReadChanges | SweepExpired, way_out: str
) -> None:
    aws = Place("dynamodb.eu-west-1.amazonaws.com", 443, tls=True, region="eu-west-1")
    with pytest.raises(UnknownOperation, match=f"{type(operation).__name__} .*{way_out}"):
        Requests(aws).write(operation, Known("any", "any"))
