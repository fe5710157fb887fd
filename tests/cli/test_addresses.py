"""Addresses: which there are, and how others are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from singletable import AddressError, ListTables, StorageError, connect, connect_async


def test_memory_is_empty_at_first() -> None:
    with connect("memory:") as driver:
        assert driver.execute(ListTables()).table_names == []


# A path from the folder one is in, one from the root, and the latter as URLs have it.
@pytest.mark.parametrize(
    "address", ["file:votes.db", "file:{folder}/votes.db", "file://{folder}/votes.db"]
)
def test_a_file_is_where_the_address_says(
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


def test_the_same_addresses_open_for_an_event_loop() -> None:
    import asyncio

    assert asyncio.run(_tables("memory:")) == []


# Backends that are planned are refused by name, so that nobody takes silence for support.
@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("mysql://root:secret@db/votes", "'mysql:' addresses are not supported yet"),
        ("postgresql://db/votes", "'postgresql:' addresses are not supported yet"),
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
def test_other_addresses_are_refused_with_the_way_out(address: str, says: str) -> None:
    with pytest.raises(AddressError) as refused:
        connect(address)
    assert says in str(refused.value)
    assert "file:" in str(refused.value)


# An environment without the variable gives None, and a path is no text either.
@pytest.mark.parametrize("address", [None, Path("votes.db"), 8000])
@pytest.mark.parametrize("opens", [connect, connect_async])
def test_what_is_no_text_is_no_address(opens: Callable[[Any], object], address: object) -> None:
    with pytest.raises(AddressError, match=r"Expected an address .* got .*\. Expected 'mem"):
        opens(address)


# Addresses are logged and shown; passwords in them must not be.
def test_a_refusal_repeats_no_password() -> None:
    with pytest.raises(AddressError) as refused:
        connect("mysql://root:secret@db/votes")
    assert "secret" not in str(refused.value)


def test_a_folder_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="does not exist"):
        connect(f"file:{tmp_path}/nowhere/votes.db")


# The module and the function have one name: whoever enters the room first must not take it away.
@pytest.mark.parametrize("first", ["import singletable.connect", "singletable.connect_async"])
def test_the_name_is_that_of_the_function_whatever_came_first(first: str) -> None:
    program = f"import singletable; {first}; singletable.connect('memory:').close()"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
