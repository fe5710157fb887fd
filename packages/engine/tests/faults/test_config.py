"""Faults are validated, parsed and formatted."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given

from dynamodb_engine.errors import FaultsError
from dynamodb_engine.faults import Faults, Next, format_faults, parse_faults
from tests.faults.strategies import any_faults


def test_text_is_parsed() -> None:
    text = (
        "throttle=0.1,conflict=3x,unprocessed=0.2,latency=20ms,internal=0.01,seed=7,"
        "table=votes,index=GSI-1,key=ELECTION#1,operations=PutItem+Query"
    )
    assert parse_faults(text) == Faults(
        throttle=0.1,
        conflict=Next(3),
        unprocessed=0.2,
        latency=0.02,
        internal=0.01,
        seed=7,
        operations=("PutItem", "Query"),
        tables=("votes",),
        indexes=("GSI-1",),
        keys=("ELECTION#1",),
    )


def test_empty_text_means_no_faults() -> None:
    assert parse_faults("") == Faults()
    assert format_faults(Faults()) == ""
    assert Faults().is_empty


def test_format_omits_defaults() -> None:
    faults = Faults(throttle=0.1, conflict=Next(3), latency=0.02, seed=7, keys=("A+B", "C"))
    text = "throttle=0.1,conflict=3x,latency=0.02s,seed=7,keys=A%2BB+C"
    assert format_faults(faults) == text


# The printed faults of a run reproduce it.
@example(Faults(seed=2**60))
@example(Faults(seed=-(2**60)))
@given(any_faults)
def test_text_roundtrips(faults: Faults) -> None:
    assert parse_faults(format_faults(faults)) == faults


@given(any_faults)
def test_json_roundtrips(faults: Faults) -> None:
    assert msgspec.json.decode(msgspec.json.encode(faults), type=Faults) == faults


# A typo must not go unnoticed: no fault would be injected.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("throtle=0.1", "Unknown fault 'throtle'"),
        (f"throttle={'9' * 5000}x", "throttle: expected a probability such as 0.1, or a count"),
        (f"seed={'9' * 5000}", "seed: expected an integer"),
        (f"latency={'9' * 5000}min", "latency: expected a duration"),
        ("throttle", "a probability such as 0.1, or a count such as 3x"),
        ("throttle=often", "a probability such as 0.1, or a count such as 3x"),
        ("throttle=3", r"write Next\(3\), or 3x in text"),
        ("throttle=0x", "a count of at least 1"),
        ("latency=20", "a duration such as 20ms"),
        ("seed=few", "an integer"),
        ("table=", "names separated by"),
        ("limit=Enough", "limit"),
        ("operations=Put", "Operations are GetItem, "),
        ("seed=1,seed=2", "occurs twice"),
    ],
)
def test_invalid_text_is_rejected(text: str, message: str) -> None:
    with pytest.raises(FaultsError, match=message):
        parse_faults(text)


def test_string_instead_of_tuple_is_rejected() -> None:
    with pytest.raises(FaultsError, match=r"tables=\('votes',\)"):
        Faults(tables="votes")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_negative_latency_is_rejected() -> None:
    with pytest.raises(FaultsError, match="latency"):
        Faults(latency=-1)


def test_unknown_limit_is_rejected() -> None:
    with pytest.raises(FaultsError, match="limit: expected one of ProvisionedThroughputExceeded"):
        Faults(limit="foo")  # type: ignore[arg-type]
