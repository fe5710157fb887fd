"""Malformed requests and odd operations under fault injection."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.errors import EngineError, FaultsError
from dynamodb_engine.faults import Faults, FaultyDriver, format_faults, parse_faults
from dynamodb_engine.wire import read_request
from tests.fuzz import strategies
from tests.fuzz.odd_operations import OddOperation, odd_operations
from tools.testing.fuzz import samples
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.sandbox import Sandbox

ALL_TABLES = Faults(throttle=0.2, conflict=0.2, unprocessed=0.4, seed=1)
FAULTS = [
    ALL_TABLES,
    Faults(throttle=0.5, indexes=("by_voter",), seed=2),
    Faults(throttle=0.5, tables=("votes",), keys=("election#1",), seed=3),
    Faults(unavailable=0.3, in_progress=0.5, internal=0.3, limit="KeyRangeThroughputExceeded"),
]


def execute(sandbox: Sandbox, operation: Any, faults: Faults, size: int) -> None:
    driver = FaultyDriver(sandbox.engine, sleep=lambda _: None)
    try:
        with limit_calls(size):
            driver.execute_with(operation, faults)
    except EngineError:
        assert not sandbox.is_changed(), "a rejected operation changed something"
    if sandbox.is_changed():
        sandbox.reset()


@pytest.mark.parametrize("faults", FAULTS, ids=format_faults)
@given(request_=strategies.malformed())
def test_malformed_request_with_faults(
    sandbox: Sandbox, faults: Faults, request_: tuple[str, bytes]
) -> None:
    with suppress(EngineError):
        operation = read_request(*request_)
        execute(sandbox, operation, faults, len(request_[1]) + 5000)


@pytest.mark.parametrize("faults", FAULTS, ids=format_faults)
@given(odd=odd_operations())
def test_odd_operation_with_faults(sandbox: Sandbox, faults: Faults, odd: OddOperation) -> None:
    execute(sandbox, odd.operation, faults, 50_000)


SETTINGS = ["throttle", "latency", "seed", "tables", "keys", "limit", "odd", ""]
VALUES = [
    *("0.5", "3x", "9" * 5000 + "x", "9" * 5000, "20ms", "9" * 400 + "min", "1e9", "٣x", "-1", ""),
    *(
        "%",
        "%zz",
        "%ff",
        "%2B",
        "nan",
        "inf",
        " ",
        "=",
        "votes+counts",
        "+",
        "AccountLimitExceeded",
    ),
    *samples.ARNS,
]
settings_ = st.builds("{}={}".format, st.sampled_from(SETTINGS), st.sampled_from(VALUES))


@given(text=st.lists(settings_).map(",".join) | st.text(max_size=40))
def test_any_text_is_parsed_as_faults_or_rejected(text: str) -> None:
    with suppress(FaultsError):
        faults = parse_faults(text)
        assert parse_faults(format_faults(faults)) == faults
