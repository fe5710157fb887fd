"""Hypothesis strategies for faults."""

from __future__ import annotations

from hypothesis import strategies as st

from dynamodb_engine.faults import Faults, Next
from dynamodb_engine.faults.config import OPERATIONS

_chances = st.one_of(
    st.floats(0, 1, allow_nan=False).map(lambda p: round(p, 6)), st.builds(Next, st.integers(1, 99))
)
_seconds = st.floats(0, 100, allow_nan=False).map(lambda s: round(s, 6))
_names = st.lists(st.text(min_size=1), max_size=3).map(tuple)
any_faults = st.builds(
    Faults,
    throttle=_chances,
    unavailable=_chances,
    internal=_chances,
    internal_after=_chances,
    in_progress=_chances,
    conflict=_chances,
    unprocessed=_chances,
    limit=st.sampled_from([None, "KeyRangeThroughputExceeded", "AccountLimitExceeded"]),
    latency=_seconds,
    jitter=_seconds,
    seed=st.integers(-(2**60), 2**60),
    operations=st.lists(st.sampled_from(OPERATIONS), max_size=3).map(tuple),
    tables=_names,
    indexes=_names,
    keys=_names,
)
# Transient faults: a client that retries succeeds in the end.
_transient = st.one_of(st.sampled_from([0.0, 0.1, 0.5]), st.builds(Next, st.integers(1, 3)))
transient_faults = st.builds(
    Faults,
    throttle=_transient,
    unavailable=_transient,
    internal=_transient,
    internal_after=_transient,
    in_progress=_transient,
    conflict=_transient,
    unprocessed=_transient,
    seed=st.integers(0, 1000),
    tables=st.sampled_from([(), ("votes",), ("others",)]),
    indexes=st.sampled_from([(), ("by_voter",)]),
    keys=st.sampled_from([(), ("ELECTION#1",)]),
)
