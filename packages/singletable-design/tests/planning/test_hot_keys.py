"""The hottest partition key of each table and index, from declared rates and distributions."""

from __future__ import annotations

import math

import pytest

from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    PatternCatalog,
    Shards,
    Table,
    attr,
    creates,
    padded,
    per_second,
    uniform,
    zipf,
)
from singletable.patterns import Distribution
from singletable_design.planning import hot_keys, workload_of

by_tag = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
notes = Table("notes", indexes=[by_tag])


class Note(Entity, table=notes):
    owner: Attr[str] = attr()
    number: Attr[int] = attr()
    tag: Attr[str] = attr()

    key = Key(pk=("OWNER", owner), sk=("NOTE", padded(number, 6)))
    tagged = Key(pk=("TAG", tag), sk=(owner, padded(number, 6))).on(by_tag)


class Event(Entity, table=notes):
    day: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=("DAY", day, Shards(10, by=number)), sk=padded(number, 6))


def test_hottest_key_has_the_share_of_the_most_frequent_value() -> None:
    catalog = PatternCatalog(
        "notes", notes, values=[zipf(Note.tag, 3), uniform(Note.owner, 100)], counts={Note: 1000}
    )
    catalog.read("R", "By tag", Note.tagged, items=8, rate=per_second(100, peak=110))
    catalog.write("W", "New note", creates(Note), rate=per_second(10, peak=22))
    index, table = hot_keys(workload_of([catalog]))
    # Zipf's law over three values: 1 : 1/2 : 1/3.
    share = 1 / (1 + 1 / 2 + 1 / 3)
    assert (index.resource, index.text) == ("notes/GSI1", "TAG#tag-1")
    # Eight items of 1 KB are two blocks, halved because eventually consistent.
    assert index.read == pytest.approx(110 * share * 1)
    assert index.write == pytest.approx(22 * share)
    assert index.patterns == ("notes:R", "notes:W")
    assert index.share == pytest.approx(110 * share / 3000)
    assert table.text == "OWNER#owner-1"
    assert table.write == pytest.approx(22 / 100)


def test_shards_divide_writes_but_not_queries() -> None:
    catalog = PatternCatalog("events", notes, values=[uniform(Event.day, 1)])
    catalog.write("W", "Append", creates(Event), rate=per_second(5000))
    catalog.read("R", "A day", Event.key.partition, items=10, rate=per_second(40))
    (key,) = hot_keys(workload_of([catalog]))
    assert key.write == pytest.approx(500)
    # A query reads each shard: about one item of 1 KB, half a unit.
    assert key.read == pytest.approx(40 * 0.5, rel=0.01)


def test_skew_of_a_pattern_replaces_the_distribution_of_its_fields() -> None:
    catalog = PatternCatalog("notes", notes, values=[uniform(Note.tag, 200)])
    catalog.read("R", "By tag", Note.tagged, skew=1.0, rate=per_second(100))
    (key,) = hot_keys(workload_of([catalog]))
    assert key.read == pytest.approx(50 * Distribution(200, 1.0).share(1))


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 1.3])
def test_share_of_many_values_agrees_with_the_sum(exponent: float) -> None:
    total = math.fsum(rank**-exponent for rank in range(1, 30_001))
    assert Distribution(30_000, exponent).share(1) == pytest.approx(1 / total, rel=1e-9)


def test_key_is_divisible_unless_much_of_its_load_is_one_item_or_at_the_end() -> None:
    def hottest(new: float, read: float) -> bool:
        catalog = PatternCatalog("notes", notes, sizes={Note: 100}, values=[uniform(Note.owner, 1)])
        catalog.write("W", "A note", creates(Note), rate=per_second(new))
        catalog.read("R", "Notes", Note.key.partition, items=10, rate=per_second(read))
        return next(
            key for key in hot_keys(workload_of([catalog])) if key.resource == "notes"
        ).divisible

    # New notes have growing numbers, so that they are all at the end of the partition.
    assert hottest(10, 10_000)
    assert not hottest(600, 10)


def test_loads_of_a_key_say_what_they_are_on_average() -> None:
    catalog = PatternCatalog("notes", notes, sizes={Note: 100}, values=[uniform(Note.owner, 10)])
    catalog.read("R", "Notes", Note.key.partition, items=10, rate=per_second(100, peak=300))
    (key,) = hot_keys(workload_of([catalog]))
    (load,) = key.loads
    assert (load.pattern, load.kind, load.average, load.peak) == ("notes:R", "read", 5, 15)
