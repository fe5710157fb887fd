"""The model of partitions: how many there are, what they take, and where they are split."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.schema import Provisioned
from singletable_design.planning.simulation.partitions import (
    HOT_MINUTES,
    KEY_LENGTH,
    ON_DEMAND_MINUTES,
    Floats,
    Partitions,
    ResourceCapacity,
    split_point,
)

RANDOM = np.random.default_rng(1)
NO_SAMPLE: Floats = np.zeros(0)


def one_table(provisioned: Provisioned | None = None, *, burst: bool = True) -> Partitions:
    return Partitions([ResourceCapacity("shop", provisioned)], burst=burst)


def offer(partitions: Partitions, writes: float) -> Floats:
    """Return units by partition, all of them writes, spread evenly."""
    offered = np.zeros((len(partitions), 2))
    offered[:, 1] = writes / len(partitions)
    return offered


@pytest.mark.parametrize(
    ("capacity", "count"),
    [
        (ResourceCapacity("new, on demand"), 4),
        (ResourceCapacity("small", Provisioned(5, 5)), 1),
        (ResourceCapacity("many reads", Provisioned(9_001, 5)), 4),
        (ResourceCapacity("many writes", Provisioned(5, 2_000)), 2),
        (ResourceCapacity("25 GB", Provisioned(5, 5), bytes=25 * 2**30), 3),
        (ResourceCapacity("warm", warm=Provisioned(60_000, 20_000)), 20),
    ],
)
def test_partitions_follow_from_capacity_and_bytes(capacity: ResourceCapacity, count: int) -> None:
    assert capacity.partitions == count
    assert len(Partitions([capacity])) == count


def test_find_returns_the_partition_of_each_table() -> None:
    partitions = Partitions([ResourceCapacity("a"), ResourceCapacity("b", Provisioned(1, 1))])
    found = partitions.find(np.array([0.0, 0.24, 0.25, 0.99, 1.0, 1.9]))
    assert found.tolist() == [0, 0, 1, 3, 4, 4]


def test_burst_credit_lasts_until_unused_capacity_of_300_seconds_is_used() -> None:
    # 100 units a second, and 300 seconds of them unused: 150 a second last for 600 seconds.
    partitions = one_table(Provisioned(100, 100))
    seconds = 0
    while partitions.can_take(offer(partitions, 150)):
        partitions.consume(offer(partitions, 150))
        seconds += 1
    assert seconds == 600


def test_burst_credit_does_not_exceed_the_limit_of_a_partition() -> None:
    partitions = one_table(Provisioned(1_000, 1_000))
    assert partitions.can_take(offer(partitions, 1_000))
    assert not partitions.can_take(offer(partitions, 1_001))


def test_adaptive_capacity_gives_a_partition_all_of_its_table() -> None:
    partitions = one_table(Provisioned(4_000, 4_000), burst=False)
    uneven = np.zeros((4, 2))
    uneven[2, 1] = 1_000
    assert partitions.can_take(uneven)
    uneven[2, 1] = 1_001
    assert not partitions.can_take(uneven)


def test_request_is_admitted_if_anything_is_left_and_leaves_a_debt() -> None:
    partitions = one_table(Provisioned(100, 100), burst=False)
    lanes, requests = np.array([0, 0]), np.array([0, 1])
    admission = partitions.admit(lanes, np.array([400.0, 400.0]), requests)
    assert admission.by_capacity.sum() == 1
    assert not admission.by_partition.any()
    used = np.array([[400.0, 0.0]])
    for _ in range(3):
        partitions.consume(used)
        used = np.zeros((1, 2))
        assert not partitions.can_take(np.array([[1.0, 0.0]]))
    partitions.consume(used)
    assert partitions.can_take(np.array([[1.0, 0.0]]))


def test_part_on_an_index_rejects_the_whole_request() -> None:
    partitions = Partitions(
        [ResourceCapacity("shop"), ResourceCapacity("shop/GSI1", Provisioned(1, 1))], burst=False
    )
    table, index = 1, 2 * 4 + 1
    admission = partitions.admit(
        np.array([table, index, table, index]), np.ones(4), np.array([0, 0, 1, 1])
    )
    assert admission.rejected.tolist() == [False, False, True, True]


_PARTS = st.tuples(st.integers(0, 9), st.sampled_from([0.5, 1.0, 40.0, 700.0]))


@given(st.lists(st.lists(_PARTS, min_size=1, max_size=4), min_size=1, max_size=60))
def test_requests_are_rejected_as_a_whole_and_only_if_nothing_is_left(
    requests: list[list[tuple[int, float]]],
) -> None:
    """A throttled request takes nothing from others, and a lane at most one request too much."""
    resources = [ResourceCapacity("shop"), ResourceCapacity("shop/GSI1", Provisioned(90, 50))]
    # Reads and writes of five partitions, of the table and of the index.
    room = np.array([3_000.0, 1_000.0] * 5 + [12_000.0, 4_000.0, 90.0, 50.0])
    numbers = np.repeat(np.arange(len(requests)), [len(parts) for parts in requests])
    lanes = np.array([lane for parts in requests for lane, _ in parts])
    units = np.array([one for parts in requests for _, one in parts])
    part_rejected = Partitions(resources, burst=False).admit(lanes, units, numbers).rejected
    rejected = np.array([part_rejected[numbers == at].all() for at in range(len(requests))])
    assert part_rejected.tolist() == rejected[numbers].tolist()
    needed = np.zeros((len(requests), len(room)))
    for level in (lanes, 10 + 2 * (lanes > 7) + lanes % 2):
        np.add.at(needed, (numbers, level), units)
    left = room - needed[~rejected].sum(axis=0)
    assert np.all(left + needed.max(axis=0) > 0)
    assert np.all((needed[rejected] > 0) @ (left <= 0))


def test_on_demand_table_doubles_the_peak_of_half_an_hour_ago() -> None:
    partitions = one_table()
    for minute in range(ON_DEMAND_MINUTES):
        partitions.end_minute(
            minute, offer(partitions, 3_000), offer(partitions, 0), NO_SAMPLE, NO_SAMPLE
        )
    assert partitions.capacity[0, 1] == 4_000
    splits = partitions.end_minute(
        ON_DEMAND_MINUTES, offer(partitions, 3_000), offer(partitions, 0), NO_SAMPLE, NO_SAMPLE
    )
    assert partitions.capacity[0, 1] == 6_000
    assert [split.reason for split in splits] == ["growth", "growth"]
    assert len(partitions) == 6
    assert sorted(partitions.numbers.tolist()) == [0, 1, 2, 3, 4, 5]


def test_hot_partition_is_split_after_some_minutes() -> None:
    partitions = one_table(Provisioned(1_000, 1_000))
    sample = RANDOM.random(1_000)
    for minute in range(HOT_MINUTES):
        assert len(partitions) == 1
        splits = partitions.end_minute(
            minute, offer(partitions, 950), offer(partitions, 0), sample, np.ones(1_000)
        )
    assert [(split.partition, split.new_partition) for split in splits] == [(0, 1)]
    assert partitions.starts[1] == pytest.approx(float(np.median(sample)), abs=0.01)


def test_cool_minute_starts_the_count_of_hot_minutes_again() -> None:
    partitions = one_table(Provisioned(1_000, 1_000))
    sample = RANDOM.random(100)
    for minute in range(3 * HOT_MINUTES):
        load = 10 if minute % (HOT_MINUTES - 1) == 0 else 990
        assert not partitions.end_minute(
            minute, offer(partitions, load), offer(partitions, 0), sample, np.ones(100)
        )


def at(key: int, inside: float = 0.5) -> float:
    return (key + inside) * KEY_LENGTH


def test_split_point_isolates_a_hot_key() -> None:
    positions = np.array([at(10), *[at(20)] * 8, at(30)])
    point = split_point(0.0, 1.0, positions, np.ones(10))
    assert point is not None
    assert at(20, 0) <= point <= at(20, 1)
    # Then the other side: only the key is left.
    rest = positions[positions >= at(20, 0)]
    assert split_point(at(20, 0), 1.0, rest, np.ones(len(rest))) == at(20, 1)


def test_split_point_divides_the_items_of_a_key_by_sort_key() -> None:
    positions = np.array([at(20, inside) for inside in (0.1, 0.2, 0.6, 0.7)])
    point = split_point(at(20, 0), at(20, 1), positions, np.ones(4))
    assert point is not None
    assert at(20, 0.2) < point <= at(20, 0.6)


def test_split_point_is_none_if_all_load_is_on_one_item() -> None:
    positions = np.full(50, at(20))
    assert split_point(at(20, 0), at(20, 1), positions, np.ones(50)) is None
    assert split_point(0.0, 1.0, NO_SAMPLE, NO_SAMPLE) is None
