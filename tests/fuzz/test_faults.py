"""Faults on demand: a broken request meets them as it meets the driver behind them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import FaultsError, SingleTableError
from singletable.faults import Faults, FaultyDriver, format_faults, parse_faults
from singletable.wire import read_request
from tests.fuzz import strategies, words
from tests.fuzz.oddities import Attempt, attempts
from tests.fuzz.work import bounded
from tests.fuzz.world import World

EVERYWHERE = Faults(throttle=0.2, conflict=0.2, unprocessed=0.4, stale=0.4, behind=2, seed=1)
FAULTS = [
    EVERYWHERE,
    Faults(throttle=0.5, indexes=("by_voter",), seed=2),
    Faults(throttle=0.5, stale=0.5, delay=5, tables=("votes",), keys=("election#1",), seed=3),
    Faults(unavailable=0.3, in_progress=0.5, internal=0.3, limit="KeyRangeThroughputExceeded"),
]


def execute(world: World, operation: Any, faults: Faults, size: int) -> None:
    driver = FaultyDriver(world.engine, sleep=lambda _: None)
    try:
        with bounded(size):
            driver.execute_with(operation, faults)
    except SingleTableError:
        assert not world.is_changed(), "a refused operation changed something"
    if world.is_changed():
        world.renew()


@pytest.mark.parametrize("faults", FAULTS, ids=format_faults)
@given(asked=strategies.malformed())
def test_a_broken_request_meets_faults(
    world: World, faults: Faults, asked: tuple[str, bytes]
) -> None:
    with suppress(SingleTableError):
        operation = read_request(*asked)
        execute(world, operation, faults, len(asked[1]) + 5000)


@pytest.mark.parametrize("faults", FAULTS, ids=format_faults)
@given(attempt=attempts())
def test_an_odd_operation_meets_faults(world: World, faults: Faults, attempt: Attempt) -> None:
    execute(world, attempt.operation, faults, 50_000)


MEMBERS = ["throttle", "stale", "latency", "seed", "behind", "tables", "keys", "limit", "odd", ""]
WORDS = [
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
    *words.ARNS,
]
members = st.builds("{}={}".format, st.sampled_from(MEMBERS), st.sampled_from(WORDS))


@given(text=st.lists(members).map(",".join) | st.text(max_size=40))
def test_any_text_describes_faults_or_is_refused(text: str) -> None:
    with suppress(FaultsError):
        faults = parse_faults(text)
        assert parse_faults(format_faults(faults)) == faults
