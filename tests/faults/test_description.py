"""Faults as a value: what it refuses, and the forms it can be written in."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given

from singletable.errors import FaultsError
from singletable.faults import Faults, Next, faults_from_text, faults_to_text
from tests.faults.strategies import any_faults


def test_the_text_of_an_option_or_a_header_is_read() -> None:
    text = (
        "throttle=0.1,conflict=3x,unprocessed=0.2,latency=20ms,stale=0.5,internal=0.01,seed=7,"
        "table=votes,index=GSI-1,key=ELECTION#1,operations=PutItem+Query"
    )
    assert faults_from_text(text) == Faults(
        throttle=0.1,
        conflict=Next(3),
        unprocessed=0.2,
        latency=0.02,
        stale=0.5,
        internal=0.01,
        seed=7,
        operations=("PutItem", "Query"),
        tables=("votes",),
        indexes=("GSI-1",),
        keys=("ELECTION#1",),
    )


def test_no_text_is_no_faults() -> None:
    assert faults_from_text("") == Faults()
    assert faults_to_text(Faults()) == ""
    assert Faults().quiet


def test_only_what_is_asked_for_is_written() -> None:
    faults = Faults(throttle=0.1, conflict=Next(3), latency=0.02, seed=7, keys=("A+B", "C"))
    text = "throttle=0.1,conflict=3x,latency=0.02s,seed=7,keys=A%2BB+C"
    assert faults_to_text(faults) == text


# What a run had can be printed, and the run repeated with what was printed.
@example(Faults(seed=2**60))
@example(Faults(seed=-(2**60)))
@given(any_faults)
def test_text_is_read_back_as_it_was(faults: Faults) -> None:
    assert faults_from_text(faults_to_text(faults)) == faults


@given(any_faults)
def test_json_is_read_back_as_it_was(faults: Faults) -> None:
    assert msgspec.json.decode(msgspec.json.encode(faults), type=Faults) == faults


# Whoever mistypes a fault must not believe that it was injected.
@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("throtle=0.1", "there is none named 'throtle'"),
        (f"throttle={'9' * 5000}x", "throttle is a probability such as 0.1, or a count"),
        (f"seed={'9' * 5000}", "seed is a whole number"),
        (f"latency={'9' * 5000}min", "latency is a time"),
        ("throttle", "a probability such as 0.1, or a count such as 3x"),
        ("throttle=often", "a probability such as 0.1, or a count such as 3x"),
        ("throttle=3", r"write Next\(3\), or 3x in text"),
        ("throttle=0x", "a count begins at 1"),
        ("latency=20", "a time such as 20ms"),
        ("behind=few", "a whole number"),
        ("table=", "names with"),
        ("limit=Enough", "limit"),
        ("operations=Put", "There are: GetItem, "),
        ("seed=1,seed=2", "Say it once"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_way_out(text: str, what: str) -> None:
    with pytest.raises(FaultsError, match=what):
        faults_from_text(text)


def test_a_name_alone_is_not_taken_for_a_tuple_of_letters() -> None:
    with pytest.raises(FaultsError, match=r"tables=\('votes',\)"):
        Faults(tables="votes")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(FaultsError, match="latency"):
        Faults(latency=-1)
