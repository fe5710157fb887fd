"""Addresses that connect() opens, and those it rejects."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from singletable import AddressError, ListTables, StorageError, connect, connect_async


def test_memory_address_opens_an_empty_database() -> None:
    with connect("memory:") as driver:
        assert driver.execute(ListTables()).table_names == []


# A relative path, an absolute one, and a file URL.
@pytest.mark.parametrize(
    "address", ["file:votes.db", "file:{folder}/votes.db", "file://{folder}/votes.db"]
)
def test_file_address_opens_that_file(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with connect(address.format(folder=tmp_path)) as driver:
        driver.execute(ListTables())
    assert (tmp_path / "votes.db").is_file()


async def _tables(address: str) -> list[str]:
    driver = connect_async(address)
    try:
        return (await driver.execute(ListTables())).table_names
    finally:
        await driver.aclose()


def test_connect_async_opens_the_same_addresses() -> None:
    import asyncio

    assert asyncio.run(_tables("memory:")) == []


# Planned kinds of addresses are rejected by name.
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mysql:votes", "'mysql:' needs a server and a database"),
        ("redis://db", "Unknown kind of address: 'redis:'"),
        ("votes.db", "Did you mean 'file:votes.db'?"),
        ("memory", "Did you mean 'memory:'?"),
        ("dynamodb", "Did you mean 'dynamodb:'?"),
        ("http://localhost:8000", "'http:' is not an address"),
        ("https://db.example", "Prefix it with 'dynamodb+'"),
        ("", "is not an address"),
        ("memory:votes", "An in-memory database has no name"),
        ("file:", "needs a path"),
        ("file://votes.db", "has a host"),
    ],
)
def test_invalid_address_is_rejected(address: str, message: str) -> None:
    with pytest.raises(AddressError) as raised:
        connect(address)
    assert message in str(raised.value)
    assert "file:" in str(raised.value)


# None usually comes from an environment variable that is not set.
@pytest.mark.parametrize("address", [None, Path("votes.db"), 8000])
@pytest.mark.parametrize("open_driver", [connect, connect_async])
def test_address_must_be_a_string(open_driver: Callable[[Any], object], address: object) -> None:
    with pytest.raises(AddressError, match=r"Expected an address .* got .*\. Expected 'mem"):
        open_driver(address)


# Errors are logged, so passwords must not be in them.
def test_address_error_contains_no_password() -> None:
    with pytest.raises(AddressError) as raised:
        connect("mysql://root:secret@db")
    assert "secret" not in str(raised.value)


def test_missing_folder_raises_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="does not exist"):
        connect(f"file:{tmp_path}/nowhere/votes.db")


# The module and the function share a name; importing the module must not shadow the function.
@pytest.mark.parametrize("first", ["import singletable.connect", "singletable.connect_async"])
def test_connect_is_the_function_after_importing_the_module(first: str) -> None:
    program = f"import singletable; {first}; singletable.connect('memory:').close()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
