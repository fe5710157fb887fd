"""The plan against the engine: what planned calls consume, by table and index.

Each catalog is populated with items of the declared number and size, and its patterns are called in
proportion to their rates. The engine follows DynamoDB, so where they differ, the plan is wrong.
"""

from __future__ import annotations

import asyncio
import copy
import importlib
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from singletable import (
    AsyncStore,
    Call,
    ItemCount,
    PatternCatalog,
    Table,
    checks,
    connect_async,
    creates,
    deletes,
    modifies,
    per_second,
    puts,
    updates,
    upserts,
    zipf,
)
from singletable.patterns import Distribution, FeedPattern
from singletable.patterns.catalog import find_catalogs
from singletable.patterns.estimate import editable_fields
from singletable.schema import Attr, Count, Entity, Key, attr, model_of
from singletable.telemetry.stats import units_of
from singletable_design.planning import Population, Traffic, create_plan
from singletable_design.planning.ranks import distinct_ranks
from tests.planning.designs import (
    Author,
    Building,
    Pallet,
    Parcel,
    Reader,
    Session,
    Vote,
    ledger_catalog,
    news,
    news_catalog,
    post,
    skills_catalog,
)

ROOT = Path(__file__).parents[4]

# Multiples of this number, without their integer parts, fill the range from 0 to 1 evenly.
_SILVER = 0.4142135623730951


class EvenRandom(random.Random):
    """Numbers that fill the range from 0 to 1 evenly, so that few calls show the average."""

    def random(self) -> float:
        """Return the next number."""
        start = getattr(self, "_latest", None)
        self._latest = (super().random() if start is None else start) + _SILVER
        return self._latest % 1


async def play(
    catalogs: Sequence[PatternCatalog], calls: int, leave_out: Sequence[str], step: int
) -> tuple[dict[str, int], dict[tuple[str, str, str], float], dict[tuple[str, str], float]]:
    """Return the calls of each pattern, and the units by resource, and by pattern."""
    population = Population(catalogs)
    traffic = Traffic(catalogs, population, make_random=EvenRandom)
    assert traffic.impossible == {}
    seen: list[Call] = []
    resources: dict[tuple[str, str, str], float] = defaultdict(float)
    by_pattern: dict[tuple[str, str], float] = defaultdict(float)
    async with connect_async("memory:") as driver:
        setup, store = AsyncStore(driver), AsyncStore(driver, observers=[seen.append])
        for table in dict.fromkeys(table for catalog in catalogs for table in catalog.tables):
            await setup.admin.create_table(table)
        await setup.bulk_load(population.items())
        mix = _mix(catalogs, calls, leave_out, step)
        for name, times in mix.items():
            for _ in range(times):
                call = traffic.call(name)
                await call.prepare(setup)
                seen.clear()
                await call.run(store)
                for units in (units for one in seen for units in units_of(one)):
                    resources[units.table, units.index, units.kind] += units.units
                    by_pattern[name, units.kind] += units.units
                await call.repair(setup)
    return mix, resources, by_pattern


def _mix(
    catalogs: Sequence[PatternCatalog], calls: int, leave_out: Sequence[str], step: int
) -> dict[str, int]:
    """Return how often to call each pattern: in proportion to its rate, in multiples of `step`."""
    patterns = [
        pattern
        for catalog in catalogs
        for pattern in catalog
        if not isinstance(pattern, FeedPattern) and pattern.code not in leave_out
    ]
    rates = {one.id: one.expected.rate.per_second if one.expected.rate else 0 for one in patterns}
    total = sum(rates.values())
    steps = {name: round(calls * rate / total / step) for name, rate in rates.items()}
    return {name: max(count * step, step, 6) for name, count in steps.items()}


def check(
    catalogs: Sequence[PatternCatalog], calls: int, leave_out: Sequence[str] = (), step: int = 1
) -> None:
    """Assert that resources consume what is planned within 1 percent, and patterns within 2."""
    mix, resources, by_pattern = asyncio.run(play(catalogs, calls, leave_out, step))
    planned: dict[tuple[str, str, str], float] = defaultdict(float)
    wrong: list[str] = []
    for one in create_plan(catalogs).patterns:
        times = mix.get(one.pattern.id, 0)
        for part in one.estimate.parts:
            index = "" if part.index is None else part.index.name
            planned[part.request.table.name, index, part.kind] += times * part.units
        expected = {"read": one.estimate.typical_read, "write": one.estimate.typical_write}
        for kind, units in expected.items() if times else ():
            consumed = by_pattern[one.pattern.id, kind] / times
            if consumed != pytest.approx(units, rel=0.02, abs=0.005):
                wrong.append(f"{one.pattern}: {consumed} {kind} units a call, planned {units}")
    assert not wrong, "\n".join(wrong)
    assert {name: units for name, units in resources.items() if units} == pytest.approx(
        {name: units for name, units in planned.items() if units}, rel=0.01
    )


def with_counts(catalog: PatternCatalog, counts: Mapping[str, int]) -> PatternCatalog:
    """Return a catalog with declared numbers of items, by the names of the entities."""
    entities = {one.__name__: one for table in catalog.tables for one in table.entities}
    counted = copy.copy(catalog)
    counted.values = {}
    counted.counts = {entities[name]: ItemCount(items) for name, items in counts.items()}
    return counted


@pytest.mark.rest
def test_plan_of_every_rule_is_what_the_engine_consumes() -> None:
    # Each pattern is called for all 40 articles equally often: 30 percent are in a sparse index.
    check([news_catalog()], 900, step=40)


def test_plan_of_a_skewed_directory_is_what_the_engine_consumes() -> None:
    check([skills_catalog(users=60)], 600)


def test_plan_of_optional_values_is_what_the_engine_consumes() -> None:
    check([ledger_catalog()], 480, step=40)


def every_write(table: Table, counts: dict[type, int], other: type) -> PatternCatalog:
    """Return a catalog with each kind of write of each field: of one item, of four, and checked."""
    catalog = PatternCatalog("writes", table, counts=counts, values=DISTRIBUTIONS[table])
    rate = per_second(1)
    for entity in counts:
        effects = [make(entity) for make in (creates, puts, modifies, deletes, updates, upserts)]
        for name in editable_fields(model_of(entity)):
            effects += [make(entity, getattr(entity, name)) for make in (updates, upserts)]
        for effect in effects:
            fields = " and ".join(effect.edited_fields)
            at = f"{len(list(catalog))}"
            text = f"{effect.kind} {entity.__name__} {fields}"
            catalog.write(f"A{at}", text, effect, rate=rate)
            catalog.write(f"B{at}", f"{text} four times", effect, items=4, rate=rate)
            if effect.kind != "modify" and entity is not other:
                catalog.write(f"C{at}", f"{text} and check", effect, checks(other), rate=rate)
    return catalog


DISTRIBUTIONS = {
    news: [zipf(Building.city, 2), zipf(Building.street, 2, 0.5), zipf(Vote.topic, 2, 0.0)],
    post: [],
}


@pytest.mark.rest
@pytest.mark.parametrize(
    "catalog",
    [
        every_write(post, {Parcel: 40, Pallet: 40}, Pallet),
        every_write(news, {Author: 8, Reader: 20, Session: 60, Building: 40, Vote: 80}, Reader),
    ],
    ids=["post", "news"],
)
def test_plan_of_every_write_is_what_the_engine_consumes(catalog: PatternCatalog) -> None:
    check([catalog], 0, step=8)


def test_population_has_the_declared_values_of_a_partition_key() -> None:
    votes = Population([news_catalog()])[Vote]
    topics = Counter(votes.key_values(slot)["topic"] for slot in votes.slots())
    assert topics == {"topic-1": 40, "topic-2": 40}


crowd = Table("crowd")


class Topic(Entity, table=crowd):
    name: Attr[str] = attr()
    opinions: Attr[int] = attr(default=0)
    key = Key(pk=("TOPIC", name), sk="TOPIC")


class Opinion(Entity, table=crowd):
    about: Attr[str] = attr()
    place: Attr[str] = attr()
    mood: Attr[str] = attr()
    key = Key(pk=("PLACE", place), sk=("ABOUT", about, mood))
    counted = Count(Topic, Topic.opinions, key=(about,))


def test_counted_items_belong_to_the_item_that_counts_them() -> None:
    values = [zipf(Opinion.place, 5), zipf(Opinion.mood, 5)]
    catalog = PatternCatalog("crowd", crowd, counts={Topic: 2, Opinion: 50}, values=values)
    opinions = Population([catalog])[Opinion]
    keys = [tuple(opinions.key_values(slot).values()) for slot in opinions.slots()]
    assert opinions.parent is not None
    assert opinions.parent.model.entity is Topic
    # Each parent has all combinations of the declared values.
    assert sorted(len({*values}) for values in zip(*keys, strict=True)) == [2, 5, 5]
    assert len({*keys}) == 50


# So skewed that the last value is hardly ever drawn.
def test_each_value_is_drawn_once_before_any_is_repeated() -> None:
    ranks = distinct_ranks(Distribution(4, 10.0), ("a parent",), 1)
    assert sorted(map(ranks, range(1, 5))) == [1, 2, 3, 4]


def catalog_of(module: str, folder: str, monkeypatch: pytest.MonkeyPatch) -> PatternCatalog:
    """Import a module from a folder of the repository, and return its catalog."""
    monkeypatch.setattr(sys, "path", [str(ROOT / folder), *sys.path])
    (catalog,) = find_catalogs(importlib.import_module(module))
    if "." not in module:  # other tests import another module of this name
        del sys.modules[module]
    return catalog


# What is left out reads more items than a test should store, or does not declare how many.
DESIGNS = {
    "shop": (
        ("shop", "docs/guide"),
        {"Customer": 5, "Order": 50, "Line": 240, "Basket": 5, "Product": 80},
        ["O4", "X1"],
    ),
    "polls": (
        ("singletable_apps.polls.patterns", "src"),
        {"Poll": 5, "Vote": 40, "VotingLane": 10, "LaneEntry": 100, "Snapshot": 5}
        | {"SnapshotPart": 50, "CreatedPoll": 20},
        ["2", "D1"],
    ),
    "portfolio": (
        ("singletable_apps.portfolio.patterns", "src"),
        {"Portfolio": 1, "SiteSettings": 1, "User": 6, "Blog": 30, "BlogContent": 30, "Slug": 10}
        | {"Revision": 30, "Like": 30, "LikeCount": 30, "Comment": 300, "PendingComment": 40}
        | {"Media": 50, "DayStats": 120},
        # A put of P19 or C7 may meet an item that the sample has already, which costs less.
        ["6", "P1", "P3", "P12", "P13", "P14", "P16", "P19", "C7"],
    ),
    "tracker": (
        ("tracker.patterns", "examples/tracker"),
        {"Org": 2, "Member": 78, "Project": 40, "Label": 400, "Sprint": 760, "Issue": 30}
        | {"Comment": 180, "Watcher": 180},
        ["I3", "I4", "I5", "I6", "C1"],
    ),
}


@pytest.mark.rest
@pytest.mark.parametrize("name", DESIGNS)
def test_plan_of_an_application_is_what_the_engine_consumes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (module, folder), counts, leave_out = DESIGNS[name]
    check([with_counts(catalog_of(module, folder, monkeypatch), counts)], 100, leave_out)
