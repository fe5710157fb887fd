"""Connections are kept, replaced and shared; what happens to a request that was lost is told."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from singletable.errors import ConnectionFailed, EngineClosed, UnexpectedResponse
from singletable.operations import (
    GetItem,
    GetItemOutput,
    ListTables,
    Put,
    PutItem,
    TransactWriteItem,
    TransactWriteItems,
    UpdateItem,
)
from singletable.remote import AsyncRemote, Remote
from tests.remote.faces import Asking
from tests.remote.scripted import END, HANG, response, scripted

GET = GetItem("votes", {"PK": {"S": "a"}})
PUT = PutItem("votes", {"PK": {"S": "a"}})
UPDATE = UpdateItem("votes", {"PK": {"S": "a"}}, update_expression="ADD n :one")
TOGETHER = TransactWriteItems([TransactWriteItem(put=Put("votes", {"PK": {"S": "a"}}))])
EMPTY = response(b"{}")


def test_a_connection_is_kept_for_the_next_request(ask: Asking) -> None:
    with scripted([EMPTY], [EMPTY], [EMPTY]) as server:
        assert ask(server.address, GET, GET, GET) == [GetItemOutput()] * 3
        assert server.connections == 1


def test_one_that_will_be_closed_is_not_kept(ask: Asking) -> None:
    closing = [response(b"{}", 200, "Connection: close"), END]
    with scripted(closing, closing) as server:
        assert ask(server.address, GET, GET) == [GetItemOutput()] * 2
        assert server.connections == 2


def test_an_answer_may_come_byte_by_byte(ask: Asking) -> None:
    with scripted([bytes([one]) for one in EMPTY]) as server:
        assert ask(server.address, GET) == [GetItemOutput()]


# The other end may hang up while a request is on its way to it. Nobody waits for that.
@pytest.mark.parametrize("operation", [GET, PUT], ids=["read", "put"])
def test_what_may_be_repeated_goes_out_again_on_a_new_connection(
    ask: Asking, operation: GetItem | PutItem
) -> None:
    with scripted([EMPTY], [END], [EMPTY]) as server:
        _, second = ask(server.address, GET, operation)
        assert not isinstance(second, Exception)
        assert (server.connections, len(server.requests)) == (2, 3)


def test_what_may_not_be_repeated_is_told_that_its_fate_is_unknown(ask: Asking) -> None:
    with scripted([EMPTY], [END], [EMPTY]) as server:
        _, error = ask(server.address, GET, UPDATE)
        assert isinstance(error, ConnectionFailed)
        assert error.may_have_arrived
        assert "may or may not have been applied" in str(error)
        assert len(server.requests) == 2


# A new connection that ends is a failure like any other: it is for patience to try again.
def test_a_request_on_a_new_connection_is_sent_once(ask: Asking) -> None:
    with scripted([END], [EMPTY]) as server:
        (error,) = ask(server.address, GET)
        assert isinstance(error, ConnectionFailed)
        assert len(server.requests) == 1


def test_with_patience_it_is_sent_again(ask: Asking) -> None:
    with scripted([END], [END], [EMPTY]) as server:
        assert ask(server.address, GET, once=False) == [GetItemOutput()]


# It has a token from its first attempt on, so it happens once.
def test_a_transaction_that_is_sent_again_is_the_same(ask: Asking) -> None:
    with scripted([END], [EMPTY]) as server:
        (answer,) = ask(server.address, TOGETHER, once=False)
        assert not isinstance(answer, Exception)
        first, second = (one.partition(b"\r\n\r\n")[2] for one in server.requests)
        assert first == second
        assert b"ClientRequestToken" in first


def test_an_answer_that_was_cut_is_none(ask: Asking) -> None:
    with scripted([EMPTY[:-1], END]) as server:
        (error,) = ask(server.address, UPDATE)
        assert isinstance(error, ConnectionFailed)
        assert error.may_have_arrived


@pytest.mark.parametrize("begun", [[HANG], [EMPTY[:20], HANG]], ids=["nothing", "a part"])
def test_what_does_not_come_in_time_is_given_up(ask: Asking, begun: list[bytes | None]) -> None:
    with scripted(begun) as server:
        (error,) = ask(f"{server.address}?timeout=0.2", GET)
        assert isinstance(error, ConnectionFailed)
        assert "within 0.2 s" in str(error)
        assert "'timeout'" in str(error)


def test_what_speaks_no_http_is_told(ask: Asking) -> None:
    with scripted([b"SSH-2.0-OpenSSH_9.2\r\n", END]) as server:
        (error,) = ask(server.address, GET)
        assert isinstance(error, ConnectionFailed)
        assert "no HTTP" in str(error)


def test_nobody_there_is_told_with_the_place(ask: Asking) -> None:
    with scripted() as server:
        pass
    (error,) = ask(server.address, GET)
    assert isinstance(error, ConnectionFailed)
    assert not error.may_have_arrived
    assert f"Nothing listens at http://127.0.0.1:{server.port}" in str(error)


def test_a_name_that_no_host_has_is_told(ask: Asking) -> None:
    (error,) = ask("dynamodb+http://nobody.invalid:8000", GET)
    assert isinstance(error, ConnectionFailed)
    assert "nobody.invalid" in str(error)


def test_a_page_of_a_proxy_is_not_taken_for_an_answer(ask: Asking) -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>Sign in!"
    with scripted([page + b"\n"]) as server:
        (error,) = ask(server.address, GET)
        assert isinstance(error, UnexpectedResponse)
        for said in ("GetItem", str(server.port), "text/html", "Sign in", "proxy"):
            assert said in str(error)


@pytest.mark.parametrize("threads", [2, 16])
def test_many_threads_share_few_connections(threads: int) -> None:
    asked = 200
    with scripted(*[[EMPTY]] * asked) as server:
        address = f"{server.address}?connections=2"
        with Remote.at(address) as driver, ThreadPoolExecutor(threads) as pool:
            answers = list(pool.map(driver.execute, [GET] * asked))
        assert answers == [GetItemOutput()] * asked
        assert server.connections <= 2


def test_many_tasks_share_few_connections() -> None:
    asked = 200

    async def work(address: str) -> list[GetItemOutput]:
        async with AsyncRemote.at(address) as driver:
            return await asyncio.gather(*(driver.execute(GET) for _ in range(asked)))

    with scripted(*[[EMPTY]] * asked) as server:
        assert asyncio.run(work(f"{server.address}?connections=2")) == [GetItemOutput()] * asked
        assert server.connections <= 2


def test_who_finds_no_connection_free_is_told() -> None:
    with scripted([HANG]) as server:
        driver = Remote.at(f"{server.address}?connections=1&timeout=0.3&attempts=1")
        taken = driver.inner._pool.take()
        with pytest.raises(ConnectionFailed, match="All 1 connections are in use"):
            driver.execute(GET)
        driver.inner._pool.give(taken, keep=False)


# The answer to a request that was given up must not become that of the next.
def test_a_cancelled_task_takes_its_connection_with_it() -> None:
    one = response(b'{"Item":{"PK":{"S":"first"}}}')

    async def work(address: str) -> tuple[bool, GetItemOutput]:
        async with AsyncRemote.at(address) as driver:
            asking = asyncio.create_task(driver.execute(ListTables()))
            while not server.requests:
                await asyncio.sleep(0)
            asking.cancel()
            (ended,) = await asyncio.gather(asking, return_exceptions=True)
            return isinstance(ended, asyncio.CancelledError), await driver.execute(GET)

    with scripted([HANG], [one]) as server:
        cancelled, got = asyncio.run(work(f"{server.address}?connections=1"))
        assert cancelled
        assert got.item == {"PK": {"S": "first"}}
        assert server.connections == 2


def test_a_driver_serves_one_event_loop_after_the_other() -> None:
    with scripted([EMPTY], [EMPTY]) as server:
        driver = AsyncRemote.at(server.address)
        for _ in range(2):
            assert asyncio.run(driver.execute(GET)) == GetItemOutput()
        assert server.connections == 2
        asyncio.run(driver.aclose())


def test_a_fork_speaks_on_connections_of_its_own() -> None:
    with scripted([EMPTY], [EMPTY], [EMPTY]) as server, Remote.at(server.address) as driver:
        driver.execute(GET)
        child = os.fork()
        if child == 0:
            os._exit(0 if driver.execute(GET) == GetItemOutput() else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert driver.execute(GET) == GetItemOutput()
        assert server.connections == 2


def test_what_was_closed_is_not_asked(ask: Asking) -> None:
    with scripted([EMPTY]) as server:
        driver = Remote.at(server.address)
        driver.close()
        driver.close()
        with pytest.raises(EngineClosed, match="Open another with connect"):
            driver.execute(GET)
