"""Faults of every kind, for properties that hold whatever goes wrong."""

from __future__ import annotations

from hypothesis import strategies as st

from singletable.faults import Faults, Next
from singletable.faults.surface import OPERATIONS

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
    stale=_chances,
    limit=st.sampled_from([None, "KeyRangeThroughputExceeded", "AccountLimitExceeded"]),
    latency=_seconds,
    jitter=_seconds,
    behind=st.integers(0, 50),
    delay=_seconds,
    seed=st.integers(-(2**60), 2**60),
    operations=st.lists(st.sampled_from(OPERATIONS), max_size=3).map(tuple),
    tables=_names,
    indexes=_names,
    keys=_names,
)
# Such as a patient client outlives: every request gets through in the end.
_passing = st.one_of(st.sampled_from([0.0, 0.1, 0.5]), st.builds(Next, st.integers(1, 3)))
passing_faults = st.builds(
    Faults,
    throttle=_passing,
    unavailable=_passing,
    internal=_passing,
    internal_after=_passing,
    in_progress=_passing,
    conflict=_passing,
    unprocessed=_passing,
    stale=_passing,
    behind=st.integers(0, 3),
    seed=st.integers(0, 1000),
    tables=st.sampled_from([(), ("votes",), ("others",)]),
    indexes=st.sampled_from([(), ("by_voter",)]),
    keys=st.sampled_from([(), ("ELECTION#1",)]),
)
