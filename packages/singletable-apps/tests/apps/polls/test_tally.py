"""A tally does not depend on the steps in which its entries were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.polls.entities import LaneEntry, Poll, PollKind, PollSettings
from singletable_apps.polls.tally import (
    COUNT_BYTES,
    LANE_ENTRY_BYTES,
    MIN_NEW_ENTRIES,
    PART_BYTES,
    MethodResults,
    PickResult,
    Tally,
    add_entries,
    count_picks,
    count_votes,
    decode_ranking,
    empty_tally,
    encode_ranking,
    is_snapshot_due,
    lane_for,
    split_counts,
)
from singletable_apps.shared.service import utc_now
from tests.apps.polls.support.harness import SECRET

LANES = 3
ORDERS = ("0", "1", "0 1", "1 0 2")
VOTERS = [SECRET.vote_id("poll", "browser", str(number)) for number in range(7)]
# A voter and a ranking; a second one of the same voter replaces the first.
histories = st.lists(st.tuples(st.sampled_from(VOTERS), st.sampled_from(ORDERS)), max_size=40)


def _line(lane: int, number: int, order: str, replaced: str | None = None) -> LaneEntry:
    return LaneEntry(
        poll_id="p", lane=lane, number=number, ranking=order, replaced_ranking=replaced
    )


def _written(history: Sequence[tuple[str, str]]) -> tuple[list[list[LaneEntry]], Counter[str]]:
    """Return the lane entries of some votes, and their recount."""
    lanes: list[list[LaneEntry]] = [[] for _ in range(LANES)]
    votes: dict[str, str] = {}
    for voter, order in history:
        lane = lanes[number := lane_for(voter, LANES)]
        lane.append(_line(number, len(lane) + 1, order, votes.get(voter)))
        votes[voter] = order
    return lanes, Counter(votes.values())


@given(histories, st.data())
def test_tally_in_any_steps_equals_a_recount(
    history: list[tuple[str, str]], data: st.DataObject
) -> None:
    lanes, recount = _written(history)
    tally = empty_tally(LANES)
    while sum(tally.positions) < len(history):
        # Each step reads some more entries of each lane.
        upto = [
            data.draw(st.integers(end, len(lane)))
            for end, lane in zip(tally.positions, lanes, strict=True)
        ]
        if upto == list(tally.positions):
            upto = [len(lane) for lane in lanes]
        new = [lane[end:to] for end, to, lane in zip(tally.positions, upto, lanes, strict=True)]
        tally = add_entries(tally, new)
        assert tally.positions == tuple(upto)
        assert all(count > 0 for count in tally.counts.values())
        read = [line for lane, to in zip(lanes, upto, strict=True) for line in lane[:to]]
        assert tally.votes == sum(line.replaced_ranking is None for line in read)
    assert tally.counts == recount
    assert tally.votes == recount.total()


@given(histories, st.integers(0, LANES - 1), st.integers(0, 40))
def test_tally_stops_at_a_missing_entry(
    history: list[tuple[str, str]], lane: int, missing: int
) -> None:
    lanes, _ = _written(history)
    kept = [line for line in lanes[lane] if line.number != missing]
    gap = len(kept) < len(lanes[lane])
    tally = add_entries(empty_tally(LANES), [*lanes[:lane], kept, *lanes[lane + 1 :]])
    assert tally.positions[lane] == (missing - 1 if gap else len(lanes[lane]))
    whole = [*lanes[:lane], lanes[lane][: tally.positions[lane]], *lanes[lane + 1 :]]
    assert tally == add_entries(empty_tally(LANES), whole)


def test_counted_entries_are_not_counted_again() -> None:
    lanes, _ = _written([(voter, "0") for voter in VOTERS])
    tally = add_entries(empty_tally(LANES), lanes)
    assert add_entries(tally, lanes) == tally


# Viewers share the counts while nobody votes.
def test_tally_without_new_entries_is_unchanged() -> None:
    lanes, _ = _written([(voter, "0") for voter in VOTERS])
    tally = add_entries(empty_tally(LANES), lanes)
    assert add_entries(tally, [[] for _ in lanes]) is tally


@pytest.mark.parametrize("orders", [0, 1, 1_999, 2_000, 2_001, 7_000])
def test_snapshot_parts_fit_into_items(orders: int) -> None:
    # 142 letters and the overhead of a count are 150 bytes: 2,000 of them fill a part.
    counts = {f"{number:0142}": number + 1 for number in range(orders)}
    assert 2_000 * (142 + COUNT_BYTES) == PART_BYTES
    parts = list(split_counts(Tally((0,), counts)))
    assert len(parts) == max(1, -(-orders // 2_000))
    assert Counter({k: v for part in parts for k, v in part.items()}) == counts
    assert sum(map(len, parts)) == orders


@pytest.mark.parametrize(
    ("lines", "orders", "worth"),
    [
        (0, 0, False),
        (MIN_NEW_ENTRIES - 1, 1, False),
        (MIN_NEW_ENTRIES, 1, True),
        # Writing a snapshot of this many rankings costs more than reading this few entries.
        (MIN_NEW_ENTRIES, 10_000, False),
        (10_000 * (5 + COUNT_BYTES) // LANE_ENTRY_BYTES + 1, 10_000, True),
    ],
)
def test_snapshot_is_due_when_cheaper_than_reading_entries(
    lines: int, orders: int, worth: bool
) -> None:
    before = Tally((1000, 50), {})
    now = Tally((1000, 50 + lines), {f"{number:05}": 1 for number in range(orders)})
    assert is_snapshot_due(before, now) is worth


def test_snapshots_become_rarer_as_a_poll_grows() -> None:
    """All rankings differ: the bytes written in total stay within a few times the bytes stored."""
    written, kept, counts = 0, empty_tally(1), dict[str, int]()
    for vote in range(1, 20_001):
        counts[f"{vote:0139}"] = 1
        now = Tally((vote,), counts)
        if vote % 50 == 0 and is_snapshot_due(kept, now):
            written, kept = written + vote, Tally(now.positions, {})
    assert written < 3 * 20_000
    assert kept.positions[0] >= 10_000


def test_ranking_is_encoded_as_option_numbers() -> None:
    poll = _poll(candidates=["Go", "Rust", "Python", "C"])
    assert encode_ranking(poll, ["C", "Go", "Python"]) == "3 0 2"
    assert encode_ranking(poll, ["Go"], ["C"]) == "0/3"
    assert decode_ranking(poll, "0/3") == (["Go"], ["C"])


# An option was removed: the numbers of the others stay.
def test_numbers_of_options_are_those_of_the_poll() -> None:
    poll = _poll(candidates=["Go", "C"], numbers=[0, 3])
    assert encode_ranking(poll, ["C", "Go"]) == "3 0"
    counted = count_votes(poll, Tally((0,), {"3 0": 2, "0": 1}))
    assert isinstance(counted, MethodResults)
    assert counted.runoff.winner == "C"


# The original drew lots at every request: the same votes had another winner on reload.
def test_tie_is_broken_by_an_order_that_follows_from_the_id() -> None:
    poll = _poll(candidates=["A", "B"])
    counted = count_votes(poll, Tally((0,), {"0": 1, "1": 1}))
    assert isinstance(counted, MethodResults)
    runoff = counted.runoff
    assert runoff.tie_break is not None
    assert (runoff.tie_break.seed, runoff.winner) == (poll.id, runoff.tie_break.order[0])
    assert (runoff.possible_winners, runoff.ties_mattered) == (("A", "B"), "yes")
    assert (counted.borda.winners, counted.compare().agrees) == (("A", "B"), True)
    # A had more votes in an earlier round.
    tally = Tally((0,), {"0": 4, "1": 3, "2 1": 1, "2": 1})
    earlier = count_votes(_poll(candidates=["A", "B", "C"]), tally)
    assert isinstance(earlier, MethodResults)
    tie = earlier.runoff.rounds[1].tie
    assert tie is not None
    assert (tie.broken_by, earlier.runoff.winner) == ("earlier rounds", "A")


def test_picks_are_counted_and_ties_stay() -> None:
    poll = _poll(candidates=["Go", "Rust", "C"], settings=PollSettings(kind=PollKind.DATES))
    counted = count_votes(poll, Tally((0,), {"0 1": 2, "1/0": 1, "/2": 1, "": 1}))
    assert isinstance(counted, PickResult)
    assert (counted.voters, counted.winners) == (5, ("Rust",))
    assert list(counted.votes.items()) == [("Rust", 3), ("Go", 2), ("C", 0)]
    assert counted.maybe == {"Rust": 0, "Go": 1, "C": 1}
    tied = count_picks(poll, Tally((0,), {"0": 1, "1": 1}))
    assert (tied.winners, tied.places) == (("Go", "Rust"), {"Go": 1, "Rust": 1, "C": 3})
    assert count_picks(poll, Tally((0,), {})).winners == ()


def _poll(**fields: Any) -> Poll:
    return Poll(id="1", title="Q", created_at=utc_now(), lanes=1, secret="S", **fields)


def test_votes_spread_over_the_lanes() -> None:
    ids = [SECRET.vote_id("poll", "code", str(number)) for number in range(8_000)]
    spread = Counter(lane_for(one, 8) for one in ids)
    assert len(spread) == 8
    assert 850 < min(spread.values()) <= max(spread.values()) < 1_150
