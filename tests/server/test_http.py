"""HTTP between processes: what clients and servers agree on holds at the endpoint's socket."""

from __future__ import annotations

import gzip
import socket
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection
from zlib import crc32

import pytest
from msgspec import json

from tests.server.asking import BALLOT, KEY, KIND
from tests.server.process import Endpoint, endpoint, send

LIMIT = 16 * 1024 * 1024


@pytest.fixture(scope="module")
def served() -> Iterator[Endpoint]:
    with endpoint() as running:
        yield running


@pytest.fixture
def client(served: Endpoint) -> Iterator[HTTPConnection]:
    connection = served.connect()
    yield connection
    connection.close()


def test_one_connection_serves_many_requests(client: HTTPConnection) -> None:
    client.connect()
    kept = client.sock
    for _ in range(3):
        response = send(client, "ListTables", b"{}")
        assert json.decode(response.read()) == {"TableNames": ["votes"]}
        assert client.sock is kept
        date = response.getheader("date")
        assert date is not None
        assert parsedate_to_datetime(date).tzinfo is not None


# A body after the head would be taken for the next response.
@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("OPTIONS", 404), ("GET", 200)])
def test_whatever_the_method_the_next_request_is_answered(
    client: HTTPConnection, method: str, status: int
) -> None:
    client.request(method, "/")
    response = client.getresponse()
    response.read()
    assert response.status == status
    assert send(client, "ListTables", b"{}").status == 200


def test_a_request_of_sixteen_megabytes_is_answered_and_not_a_byte_more(served: Endpoint) -> None:
    largest = b"{}".ljust(LIMIT)
    for body, status in ((largest, 200), (largest + b" ", 413)):
        client = served.connect()
        assert send(client, "ListTables", body).status == status
        client.close()


def test_headers_that_are_too_large_are_refused(client: HTTPConnection) -> None:
    assert send(client, "ListTables", b"{}", x_large="x" * 70_000).status == 431


def test_large_items_are_written_and_read_packed(client: HTTPConnection) -> None:
    item = {**BALLOT, "text": {"S": "tea " * 90_000}}
    body = gzip.compress(json.encode({"TableName": "votes", "Item": item}))
    put = send(client, "PutItem", body, content_encoding="gzip")
    assert (put.status, put.read()) == (200, b"{}")
    wanted = json.encode({"TableName": "votes", "Key": KEY})
    got = send(client, "GetItem", wanted, accept_encoding="gzip")
    packed = got.read()
    assert got.getheader("x-amz-crc32") == str(crc32(packed))
    assert json.decode(gzip.decompress(packed)) == {"Item": item}


def test_who_expects_to_be_told_to_go_on_is_told_before_the_body(served: Endpoint) -> None:
    head = (
        f"POST / HTTP/1.1\r\nContent-Type: {KIND}\r\nContent-Length: 2\r\n"
        "X-Amz-Target: DynamoDB_20120810.ListTables\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((served.host, served.port)) as client:
        client.sendall(head.encode())
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
