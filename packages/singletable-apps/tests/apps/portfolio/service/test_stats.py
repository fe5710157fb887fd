"""Views are counted per day for the site and each post, and written a few at a time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from singletable import Store
from singletable_apps.portfolio.entities import DayStats
from singletable_apps.portfolio.service import SITE
from singletable_apps.portfolio.service.stats import FLUSH_EVENTS
from tests.apps.portfolio.support.harness import World
from tests.apps.support.tables import stored_text

TODAY = date(2026, 1, 1)


def stored_views(world: World, scope: str = SITE) -> int:
    """Return the sum of the stored views."""
    found = Store(world.driver, clock=world.clock).query(DayStats.key.partition(scope))
    return sum(each.views for each in found)


def test_views_are_counted_for_the_site_and_the_post(world: World) -> None:
    stats = world.service.stats
    for blog_id in ("tea", "tea", "milk", None):
        stats.record_view(blog_id)
    stats.record_comment("tea")
    [site] = stats.days(SITE, 1)
    assert (site.views, site.likes, site.comments) == (4, 0, 1)
    [tea] = stats.days("tea", 1)
    assert (tea.views, tea.comments) == (2, 1)


def test_days_without_views_are_zero(memory: World) -> None:
    stats = memory.service.stats
    for passed in (0, 3, 1):
        memory.clock.advance(days=passed)
        stats.record_view(None)
    days = stats.days(SITE, 6)
    assert [each.day for each in days] == [TODAY + timedelta(days=each) for each in range(-1, 5)]
    assert [each.views for each in days] == [0, 1, 0, 0, 1, 1]
    assert [each.views for each in stats.days("unknown", 3)] == [0, 0, 0]


@pytest.mark.parametrize(("asked", "shown"), [(-5, 1), (0, 1), (1, 1), (400, 400), (10**9, 400)])
def test_number_of_days_is_limited(memory: World, asked: int, shown: int) -> None:
    assert len(memory.service.stats.days(SITE, asked)) == shown


def test_views_are_written_after_10_seconds_with_the_next_view(memory: World) -> None:
    stats = memory.service.stats
    for _ in range(5):
        stats.record_view("tea")
    assert stored_views(memory) == 0
    memory.clock.advance(seconds=11)
    assert stored_views(memory) == 0
    stats.record_view("tea")
    assert stored_views(memory) == stored_views(memory, "tea") == 6
    stats.record_view("tea")
    assert stored_views(memory) == 6


def test_views_are_written_after_100_views(memory: World) -> None:
    memory.clock.tick = timedelta()
    for _ in range(FLUSH_EVENTS):
        assert stored_views(memory) == 0
        memory.service.stats.record_view("tea")
    assert stored_views(memory) == FLUSH_EVENTS


def test_flush_writes_the_remaining_views(memory: World) -> None:
    memory.service.stats.record_view(None)
    memory.service.stats.flush()
    memory.service.stats.flush()
    assert stored_views(memory) == 1


def test_views_of_many_threads_and_processes_add_up(worlds: tuple[World, World]) -> None:
    services = [world.service.stats for world in worlds]
    with ThreadPoolExecutor(16) as pool:
        for stats in services * 500:
            pool.submit(stats.record_view, "tea")
    for stats in services:
        stats.flush()
    assert stored_views(worlds[0]) == stored_views(worlds[1], "tea") == 1_000


def test_statistics_expire_after_400_days(memory: World) -> None:
    memory.service.stats.record_view(None)
    memory.service.stats.flush()
    memory.clock.advance(days=399)
    assert stored_views(memory) == 1
    memory.clock.advance(days=2)
    assert stored_views(memory) == 0


def test_statistics_contain_nothing_personal(memory: World) -> None:
    memory.service.stats.record_view("tea")
    memory.service.stats.flush()
    stored = json.loads(stored_text(memory.service.context.store, "DataTable"))
    names = {name for item in stored for name in item}
    assert names == {"PK", "SK", "scope", "day", "views", "likes", "comments", "ttl"}


@pytest.fixture
def faulty(memory: World, no_waits: None) -> FaultyDriver:
    """Return a driver with faults, retried without waits."""
    return FaultyDriver(memory.driver)


# A reader gets the page even while the table is throttled.
def test_views_that_cannot_be_written_are_kept(memory: World, faulty: FaultyDriver) -> None:
    stats = memory.open(faulty).stats
    with faulty.inject(Faults(throttle=1.0)):
        for _ in range(FLUSH_EVENTS + 5):
            stats.record_view("tea")
    assert stored_views(memory) == 0
    stats.flush()
    assert stored_views(memory) == stored_views(memory, "tea") == FLUSH_EVENTS + 5


def test_views_are_never_counted_twice(memory: World, faulty: FaultyDriver) -> None:
    stats = memory.open(faulty).stats
    stats.record_view("tea")
    with faulty.inject(Faults(internal_after=Next(1), operations=("PutItem", "UpdateItem"))):
        stats.flush()
        assert faulty.injected == {"internal_after": 1}
    stats.flush()
    assert stored_views(memory) == stored_views(memory, "tea") == 1
