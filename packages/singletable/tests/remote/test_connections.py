"""Connections are reused, replaced and pooled; lost requests are resent or reported."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from dynamodb_engine.operations import (
    ExecuteTransaction,
    GetItem,
    GetItemOutput,
    ListTables,
    Operation,
    ParameterizedStatement,
    Put,
    PutItem,
    TransactWriteItem,
    TransactWriteItems,
    UpdateItem,
)
from singletable.errors import ConnectionFailed, EngineClosed, UnexpectedResponse
from singletable.remote import AsyncRemote, Remote
from tests.remote.drivers import Send
from tests.remote.scripted_server import CLOSE, HANG, response, start_server

GET = GetItem("votes", {"PK": {"S": "a"}})
PUT = PutItem("votes", {"PK": {"S": "a"}})
UPDATE = UpdateItem("votes", {"PK": {"S": "a"}}, update_expression="ADD n :one")
TRANSACTION = TransactWriteItems([TransactWriteItem(put=Put("votes", {"PK": {"S": "a"}}))])
EMPTY = response(b"{}")


def test_connection_is_reused(send: Send) -> None:
    with start_server([EMPTY], [EMPTY], [EMPTY]) as server:
        assert send(server.address, GET, GET, GET) == [GetItemOutput()] * 3
        assert server.connections == 1


def test_closing_connection_is_not_reused(send: Send) -> None:
    closing = [response(b"{}", 200, "Connection: close"), CLOSE]
    with start_server(closing, closing) as server:
        assert send(server.address, GET, GET) == [GetItemOutput()] * 2
        assert server.connections == 2


def test_response_may_arrive_byte_by_byte(send: Send) -> None:
    with start_server([bytes([byte]) for byte in EMPTY]) as server:
        assert send(server.address, GET) == [GetItemOutput()]


# A server may close an idle connection while a request is on its way; no backoff is needed.
def test_read_is_resent_on_new_connection(send: Send) -> None:
    with start_server([EMPTY], [CLOSE], [EMPTY]) as server:
        assert send(server.address, GET, GET) == [GetItemOutput()] * 2
        assert (server.connections, len(server.requests)) == (2, 3)


# The retry policy resends it if that is safe; if nobody knew of the first attempt, a later error
# would be reported as if nothing had been changed.
@pytest.mark.parametrize("operation", [UPDATE, PUT, TRANSACTION], ids=["update", "put", "several"])
def test_lost_write_reports_unknown_outcome(send: Send, operation: Operation[object]) -> None:
    with start_server([EMPTY], [CLOSE], [EMPTY]) as server:
        _, error = send(server.address, GET, operation)
        assert isinstance(error, ConnectionFailed)
        assert error.may_have_arrived
        assert "may or may not have been applied" in str(error)
        assert len(server.requests) == 2


# Losing a new connection is an ordinary failure, which the retry policy handles.
def test_request_on_new_connection_is_sent_once(send: Send) -> None:
    with start_server([CLOSE], [EMPTY]) as server:
        (error,) = send(server.address, GET)
        assert isinstance(error, ConnectionFailed)
        assert len(server.requests) == 1


def test_retrying_driver_resends_lost_request(send: Send) -> None:
    with start_server([CLOSE], [CLOSE], [EMPTY]) as server:
        assert send(server.address, GET, retries=True) == [GetItemOutput()]


# The client token is added before the first attempt, so the transaction is applied once.
@pytest.mark.parametrize(
    "transaction",
    [TRANSACTION, ExecuteTransaction([ParameterizedStatement("DELETE FROM votes WHERE PK = 'a'")])],
    ids=["items", "statements"],
)
def test_retried_transaction_has_same_client_token(
    send: Send, transaction: Operation[object]
) -> None:
    with start_server([CLOSE], [response(b'{"Responses":[]}')]) as server:
        (output,) = send(server.address, transaction, retries=True)
        assert not isinstance(output, Exception)
        first, second = (request.partition(b"\r\n\r\n")[2] for request in server.requests)
        assert first == second
        assert b"ClientRequestToken" in first


def test_truncated_response_raises_connection_failed(send: Send) -> None:
    with start_server([EMPTY[:-1], CLOSE]) as server:
        (error,) = send(server.address, UPDATE)
        assert isinstance(error, ConnectionFailed)
        assert error.may_have_arrived


@pytest.mark.parametrize(
    "script", [[HANG], [EMPTY[:20], HANG]], ids=["no response", "partial response"]
)
def test_late_response_times_out(send: Send, script: list[bytes | None]) -> None:
    with start_server(script) as server:
        (error,) = send(f"{server.address}?timeout=0.2", GET)
        assert isinstance(error, ConnectionFailed)
        assert "within 0.2 s" in str(error)
        assert "'timeout'" in str(error)


def test_server_without_http_raises_connection_failed(send: Send) -> None:
    with start_server([b"SSH-2.0-OpenSSH_9.2\r\n", CLOSE]) as server:
        (error,) = send(server.address, GET)
        assert isinstance(error, ConnectionFailed)
        assert "not HTTP" in str(error)


def test_connection_refused_names_endpoint(send: Send) -> None:
    with start_server() as server:
        pass
    (error,) = send(server.address, GET)
    assert isinstance(error, ConnectionFailed)
    assert not error.may_have_arrived
    assert f"http://127.0.0.1:{server.port}" in str(error)


def test_unknown_host_raises_connection_failed(send: Send) -> None:
    (error,) = send("dynamodb+http://nobody.invalid:8000", GET)
    assert isinstance(error, ConnectionFailed)
    assert "nobody.invalid" in str(error)


def test_html_page_raises_unexpected_response(send: Send) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>Sign in!"
    with start_server([page + b"\n"]) as server:
        (error,) = send(server.address, GET)
        assert isinstance(error, UnexpectedResponse)
        for text in ("GetItem", str(server.port), "text/html", "Sign in", "proxy"):
            assert text in str(error)


@pytest.mark.parametrize("threads", [2, 16])
def test_threads_share_connection_pool(threads: int) -> None:
    count = 200
    with start_server(*[[EMPTY]] * count) as server:
        address = f"{server.address}?connections=2"
        with Remote.at(address) as driver, ThreadPoolExecutor(threads) as pool:
            outputs = list(pool.map(driver.execute, [GET] * count))
        assert outputs == [GetItemOutput()] * count
        assert server.connections <= 2


def test_tasks_share_connection_pool() -> None:
    count = 200

    async def work(address: str) -> list[GetItemOutput]:
        async with AsyncRemote.at(address) as driver:
            return await asyncio.gather(*(driver.execute(GET) for _ in range(count)))

    with start_server(*[[EMPTY]] * count) as server:
        assert asyncio.run(work(f"{server.address}?connections=2")) == [GetItemOutput()] * count
        assert server.connections <= 2


def test_exhausted_pool_raises_connection_failed() -> None:
    with start_server([HANG]) as server:
        driver = Remote.at(f"{server.address}?connections=1&timeout=0.3&attempts=1")
        connection = driver.inner._pool.acquire()
        with pytest.raises(ConnectionFailed, match="All 1 connections are in use"):
            driver.execute(GET)
        driver.inner._pool.release(connection, keep=False)


# The response to a canceled request must not become that of the next.
def test_canceled_task_closes_its_connection() -> None:
    first = response(b'{"Item":{"PK":{"S":"first"}}}')

    async def work(address: str) -> tuple[bool, GetItemOutput]:
        async with AsyncRemote.at(address) as driver:
            task = asyncio.create_task(driver.execute(ListTables()))
            while not server.requests:
                await asyncio.sleep(0)
            task.cancel()
            (result,) = await asyncio.gather(task, return_exceptions=True)
            return isinstance(result, asyncio.CancelledError), await driver.execute(GET)

    with start_server([HANG], [first]) as server:
        canceled, output = asyncio.run(work(f"{server.address}?connections=1"))
        assert canceled
        assert output.item == {"PK": {"S": "first"}}
        assert server.connections == 2


def test_driver_works_on_successive_event_loops() -> None:
    with start_server([EMPTY], [EMPTY]) as server:
        driver = AsyncRemote.at(server.address)
        for _ in range(2):
            assert asyncio.run(driver.execute(GET)) == GetItemOutput()
        assert server.connections == 2
        asyncio.run(driver.aclose())


def test_fork_opens_its_own_connections() -> None:
    with start_server([EMPTY], [EMPTY], [EMPTY]) as server, Remote.at(server.address) as driver:
        driver.execute(GET)
        child = os.fork()
        if child == 0:
            os._exit(0 if driver.execute(GET) == GetItemOutput() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert driver.execute(GET) == GetItemOutput()
        assert server.connections == 2


def test_closed_driver_raises_engine_closed() -> None:
    with start_server([EMPTY]) as server:
        driver = Remote.at(server.address)
        driver.close()
        driver.close()
        with pytest.raises(EngineClosed, match="Open another with connect"):
            driver.execute(GET)
        remote = AsyncRemote.at(server.address)
        asyncio.run(remote.aclose())
        with pytest.raises(EngineClosed):
            asyncio.run(remote.execute(GET))
