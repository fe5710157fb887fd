"""Start the endpoint: what it runs in the background, and when it does not start."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from dynamodb_engine.cli import main
from dynamodb_engine.errors import AddressError, StorageError
from dynamodb_engine.operations import Operation, SweepExpired, SweepExpiredOutput
from dynamodb_engine.server import DynamoDBApp, check_host, listener, run_until_stopped

R = TypeVar("R")


class SweepDriver:
    """A driver that returns or raises these in turn, and then stops the endpoint."""

    def __init__(self, *outputs: SweepExpiredOutput | Exception) -> None:
        self.outputs = list(outputs)

    async def execute(self, operation: Operation[R], /) -> R:
        assert isinstance(operation, SweepExpired)
        if not self.outputs:
            # Stop as a user would, and wait for that.
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()
        output: Any = self.outputs.pop(0)
        if isinstance(output, Exception):
            raise output
        return cast(R, output)


@pytest.fixture(autouse=True)
def _short_sweep_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "SWEEP_INTERVAL", 0.001)


def run(driver: SweepDriver) -> list[tuple[str, int]]:
    """Run until stopped; return the host and port on which it listened."""
    started: list[tuple[str, int]] = []
    asyncio.run(
        run_until_stopped(
            DynamoDBApp(driver),
            driver,
            host="127.0.0.1",
            port=0,
            on_start=lambda host, port: started.append((host, port)),
        )
    )
    return started


def test_expired_items_are_swept_until_stopped() -> None:
    driver = SweepDriver(
        SweepExpiredOutput(1000, more=True),
        SweepExpiredOutput(5, more=False),
        SweepExpiredOutput(0, more=False),
    )
    ((host, port),) = run(driver)
    assert host == "127.0.0.1"
    assert port > 0


# A full disk may have room again later.
def test_failed_sweep_is_repeated(caplog: pytest.LogCaptureFixture) -> None:
    run(SweepDriver(StorageError("The disk is full."), SweepExpiredOutput(1, more=False)))
    assert "The disk is full." in caplog.text


def test_foreign_host_raises_address_error() -> None:
    driver = SweepDriver()
    with pytest.raises(AddressError, match=r"192\.0\.2\.1:0"):
        asyncio.run(
            run_until_stopped(
                DynamoDBApp(driver),
                driver,
                host="192.0.2.1",
                port=0,
                on_start=lambda host, port: None,
            )
        )


OTHER_HOSTS = [
    "0.0.0.0",
    "::",
    "192.0.2.1",
    "10.0.0.1",
    "::ffff:10.0.0.1",
    "example.com",
    "",
    "127.1",
]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_host_needs_no_credentials(host: str) -> None:
    check_host(host, guarded=False)


# A host name may resolve to any address.
@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_other_host_needs_credentials(host: str) -> None:
    check_host(host, guarded=True)
    with pytest.raises(AddressError, match="--credentials"):
        check_host(host, guarded=False)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def startup_error(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Return the line in which the command says why it does not start."""
    with pytest.raises(SystemExit) as ended:
        main(["serve", *options])
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert printed.err.startswith("dynamodb-engine: ")
    assert len(printed.err.strip().splitlines()) == 1
    return printed.err


def test_port_in_use_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        message = startup_error(capsys, "--port", str(port))
    assert f"127.0.0.1:{port}" in message
    assert "--port" in message


# No file is created if the endpoint does not start.
def test_command_for_other_host_needs_credentials(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert "--credentials" in startup_error(capsys, "--host", "0.0.0.0", "file:votes.db")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "options",
    [
        ["file:."],
        ["file:votes.db", "--access-log", "./votes.db"],
        ["--access-log", "nowhere/access.log"],
        ["--durability", "normal"],
        ["memory:", "--durability", "normal"],
    ],
    ids=[
        "file is a folder",
        "log and file are the same",
        "unwritable log",
        "durability without a file",
        "durability of an address in memory",
    ],
)
def test_contradictory_options_are_reported(
    capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    startup_error(capsys, "--port", "0", *options)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("votes.db", "Did you mean 'file:votes.db'?"),
        ("", "Expected 'memory:'"),
        ("file:", "'file:' needs a path"),
        ("memory:votes", "has no name"),
        ("http://localhost:8000", "have an endpoint already"),
        ("dynamodb:", "have an endpoint already"),
        ("dynamodb+http://localhost:8000", "have an endpoint already"),
    ],
)
def test_address_that_stores_no_tables_is_reported(
    capsys: pytest.CaptureFixture[str], address: str, expected: str
) -> None:
    assert expected in startup_error(capsys, "--port", "0", address)
