"""A web page of another site cannot use an endpoint that has no credentials."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec import json

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.server import DynamoDBApp, Metrics, Observer
from dynamodb_engine.server.guard import Guard
from dynamodb_engine.wire import HttpRequest, HttpResponse
from tests.server.guard import signing
from tools.testing.app_client import AppClient, get


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine


def is_rejected(response: HttpResponse) -> bool:
    return (
        response.status == 400
        and json.decode(response.body)["__type"].endswith("#AccessDeniedException")
        and b"--allow-host" in response.body
    )


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "localhost:8000", "LOCALHOST.", "db.localhost:8000", "127.0.0.1:8000"),
        *("127.0.0.2", "[::1]:8000", "192.0.2.1:8000", "dynamodb.test:8000", "DynamoDB.test"),
    ],
)
def test_local_and_allowed_hosts_are_served(engine: Engine, host: str) -> None:
    client = AppClient(DynamoDBApp(AsyncEngine(engine), allowed_hosts=["dynamodb.TEST"]))
    assert client.call("ListTables", {}, host=host).status == 200


# A page can make its own name resolve to 127.0.0.1, but the browser still sends that name.
@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.test",
            "evil.test:8000",
            "localhost.evil.test",
            "127.0.0.1.evil.test",
            "",
            "[evil]",
        ),
        *("localhost:8000@evil.test", "evil.test/localhost", "notlocalhost", "dynamodb.test.evil"),
    ],
)
def test_other_hosts_are_rejected(engine: Engine, host: str) -> None:
    app = DynamoDBApp(
        AsyncEngine(engine), allowed_hosts=["dynamodb.test"], observer=Observer(Metrics())
    )
    client = AppClient(app)
    assert is_rejected(client.call("ListTables", {}, host=host))
    for target in ("/", "/metrics"):
        page = HttpRequest("GET", target, {"host": host}, b"", "127.0.0.1")
        assert is_rejected(client.send(page))


# HTTP/1.0 has no hosts, and no browser speaks it.
def test_request_without_host_is_served(engine: Engine) -> None:
    assert AppClient(DynamoDBApp(AsyncEngine(engine))).call("ListTables", {}).status == 200


@pytest.mark.parametrize(
    ("origin", "is_served"),
    [
        ("http://evil.test", False),
        ("https://evil.test:8443", False),
        ("http://localhost:3000", True),
        ("http://dynamodb.test", True),
        ("chrome-extension://abcdef", True),
        ("null", True),
    ],
)
def test_page_of_another_site_is_rejected(engine: Engine, origin: str, is_served: bool) -> None:
    client = AppClient(DynamoDBApp(AsyncEngine(engine), allowed_hosts=["dynamodb.test"]))
    response = client.call("ListTables", {}, host="localhost:8000", origin=origin)
    assert (response.status == 200) is is_served
    assert is_rejected(response) is not is_served


# A sandboxed page has the origin `null`, as desktop programs have. Before it may send the header
# with the operation, the browser asks for permission.
def test_no_page_gets_permission_for_the_header_of_an_operation(engine: Engine) -> None:
    headers = {"host": "localhost", "origin": "null", "access-control-request-method": "POST"}
    asked = headers | {"access-control-request-headers": "x-amz-target"}
    response = AppClient(DynamoDBApp(AsyncEngine(engine))).send(
        HttpRequest("OPTIONS", "/", asked, b"", "127.0.0.1")
    )
    assert response.status == 404
    assert not [name for name in response.headers if name.startswith("access-control")]


# Signatures contain the host, and pages of other sites have no keys; metrics are not signed.
def test_guarded_endpoint_serves_every_host_except_for_metrics(engine: Engine) -> None:
    guard = Guard([signing.ADA], clock=lambda: signing.NOW)
    observer = Observer(Metrics())
    client = AppClient(DynamoDBApp(AsyncEngine(engine), guard=guard, observer=observer))
    request = HttpRequest("GET", "/", {"host": "evil.test"}, b"", "127.0.0.1")
    assert client.send(request).status == 200
    request = HttpRequest("GET", "/metrics", {"host": "evil.test"}, b"", "127.0.0.1")
    assert is_rejected(client.send(request))
    assert client.send(get("/metrics")).status == 200
