"""Views show the items of entities: as they are stored, with natural keys and typed columns."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable import PutItem, Store
from singletable.sql import View, views_of
from singletable.sql.dialects import SQLITE
from tests.sql.databases import (
    SERVERS,
    Color,
    Level,
    Line,
    Note,
    Part,
    Reply,
    Size,
    Thing,
    new_address,
    rows_of,
    store_at,
    things,
)


@pytest.fixture(
    scope="module", params=["file", *(pytest.param(one, marks=pytest.mark.rest) for one in SERVERS)]
)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    return new_address(request.param, tmp_path_factory.mktemp("sql"))


TEXTS = st.text(max_size=20) | st.sampled_from(["", "a\0b", "\\u0000", "\\\0", "O'Neil", '"', "😀"])
KEYS = st.text("ab\"'. é\\", max_size=4)
DECIMALS = st.decimals(-(10**9), 10**9, places=4)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
SIZES = st.builds(lambda width, unit: Size(width=width, unit=unit), st.integers(0, 99), TEXTS)
LINES = st.builds(
    Line,
    product=TEXTS,
    price=st.none() | DECIMALS,
    sizes=st.lists(SIZES, max_size=2),
    notes=st.dictionaries(KEYS, TEXTS, max_size=2),
)
THINGS: st.SearchStrategy[Thing] = st.builds(
    Thing,
    id=st.just("one"),
    text=TEXTS,
    number=st.integers(-(2**63), 2**63 - 1),
    amount=DECIMALS,
    ratio=st.floats(-1e100, 1e100).filter(lambda one: one == 0 or abs(one) > 1e-100),
    flag=st.booleans(),
    data=st.binary(max_size=9),
    day=st.dates(),
    moment=TIMES,
    seconds=TIMES.map(lambda one: one.replace(microsecond=0)),
    milliseconds=TIMES.map(lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000)),
    duration=st.timedeltas(timedelta(-999_999), timedelta(999_999)),
    uuid=st.uuids(),
    color=st.sampled_from(Color),
    level=st.none() | st.sampled_from(Level),
    grade=st.sampled_from([1, 2]),
    maybe=st.none() | TEXTS,
    tags=st.sets(TEXTS.filter(bool), max_size=3),
    numbers=st.frozensets(DECIMALS, max_size=3),
    blobs=st.sets(st.binary(min_size=1, max_size=3), max_size=2),
    days=st.lists(st.dates(), max_size=3),
    lines=st.lists(LINES, max_size=2),
    options=st.dictionaries(KEYS, st.integers(-(10**15), 10**15), max_size=3),
    best=st.none() | LINES,
    reverse=TEXTS,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(thing=THINGS)
def test_rows_equal_the_stored_items(address: str, thing: Thing) -> None:
    store_at(address, lambda store: store.put(thing))
    (row,) = rows_of(address, "select * from things")
    assert {name: plain(value, name) for name, value in row.items()} == expected(address, thing)


def expected(address: str, thing: Thing) -> dict[str, Any]:
    """Return the values of the columns; PostgreSQL cannot show U+0000."""
    values = {name: json_value(value) for name, value in vars(thing).items() if name in COLUMNS}
    values["reverse"] = thing.reverse[::-1]
    for name in ("ratio", "data", "day", "moment", "seconds", "milliseconds", "until"):
        values[name] = getattr(thing, name)
    if address.startswith("postgresql"):
        replaced = json.dumps(values, default=str).replace("\\u0000", "\\ufffd")
        for name, value in json.loads(replaced).items():
            if isinstance(value, str | list | dict) and isinstance(values[name], str | list | dict):
                values[name] = value
    return values


COLUMNS = [one.name for one in views_of([things])[0].columns]
NESTED = ("tags", "numbers", "blobs", "days", "lines", "options", "best", "anything")


def json_value(value: Any) -> Any:
    """Return a value as it is in JSON, with sets in the order in which they are stored."""
    match value:
        case Decimal() | timedelta():
            return number(value)
        case Line():
            return json_value(asdict(value))
        case dict():
            return {name: json_value(one) for name, one in value.items()}
        case list():
            return [json_value(one) for one in value]
        case set() | frozenset():
            return [json_value(one) for one in sorted(value)]
        case bytes():
            return b64encode(value).decode()
        case Color() | Level():
            return value.value
        case date() | None:
            return value and value.isoformat()
        case bool() | int():
            return value
        case _:
            return str(value)


def number(value: Any) -> float:
    """Return a number as SQLite has it; timedeltas are in seconds."""
    return float(Decimal(value // timedelta(microseconds=1)) / 10**6) if isinstance(
        value, timedelta
    ) else float(value)


def plain(value: Any, name: str) -> Any:
    """Return a value of a row as the same Python value for all databases."""
    if name in NESTED:
        return json.loads(value, parse_int=float) if isinstance(value, str) else value
    if name == "data":
        return b64decode(value) if isinstance(value, str) else value
    if name == "day":
        return date.fromisoformat(value) if isinstance(value, str) else value
    if name in ("moment", "seconds", "milliseconds") and value is not None:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return float(value) if isinstance(value, Decimal) and name != "number" else value
