"""Faults, conflicts and power cuts: the counter of a post always agrees with its markers."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Store
from singletable_apps.portfolio.comment_rules import CommentDraft, ref_of
from singletable_apps.portfolio.entities import Like, LikeCount, PendingComment
from singletable_apps.portfolio.service import LikeState, PortfolioService
from singletable_apps.portfolio.service.likes import SHARDS, Recount
from singletable_apps.shared.errors import Busy
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.posts import store_post

pytestmark = pytest.mark.usefixtures("no_waits", "post")


def count_markers(world: World) -> int:
    """Count the likes that are in the table."""
    return len(list(Store(world.driver, clock=world.clock).admin.scan(Like)))


FAULTS = {
    "throttled": Faults(throttle=Next(3)),
    "an error before": Faults(internal=Next(3)),
    "one response lost": Faults(internal_after=Next(1)),
    "many responses lost": Faults(internal_after=Next(25)),
    "conflicts": Faults(conflict=Next(3)),
    "a lost response, then conflicts": Faults(internal_after=Next(1), conflict=Next(30)),
    "all at once": Faults(throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.2, seed=3),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_likes_are_counted_once_despite_faults(memory: World, fault: str) -> None:
    driver = FaultyDriver(memory.driver)
    likes = memory.open(driver).likes
    driver.faults = FAULTS[fault]
    for visitor in ("ada", "bob", "ada", "eve"):
        assert likes.like("tea", visitor).liked
    assert not likes.unlike("tea", "bob").liked
    assert sum(driver.injected.values()) > 0
    driver.faults = Faults()
    assert likes.recount("tea") == Recount(2, 2)
    assert count_markers(memory) == 2


def test_concurrent_likes_with_faults_agree_with_their_markers(memory: World) -> None:
    driver = FaultyDriver(memory.driver)
    likes = memory.open(driver).likes
    driver.faults = Faults(throttle=0.05, internal_after=0.1, conflict=0.3, seed=11)
    with ThreadPoolExecutor(32) as pool:
        clicks = [pool.submit(likes.like, "tea", f"{number % 100}") for number in range(500)]
    assert all(click.result().liked for click in clicks)
    driver.faults = Faults()
    assert likes.recount("tea") == Recount(100, 100)
    assert count_markers(memory) == 100


def test_conflicts_spread_the_likes_over_more_counters(memory: World) -> None:
    driver = FaultyDriver(memory.driver)
    likes = memory.open(driver).likes
    assert likes.like("tea", "first") == LikeState(1, liked=True)
    # The store gives up after ten conflicts in a row.
    driver.faults = Faults(conflict=Next(10))
    assert likes.like("tea", "second") == LikeState(2, liked=True)
    for number in range(40):
        likes.like("tea", f"{number}")
    counters = list(Store(memory.driver).admin.scan(LikeCount))
    assert len(counters) == SHARDS
    assert sum(each.likes_count for each in counters) == 42
    assert likes.recount("tea") == Recount(42, 42)
    assert likes.counts(["tea", "none"]) == {"tea": 42, "none": 0}
    # A like is subtracted from the counter that it was added to.
    for visitor in ("first", "second", *map(str, range(40))):
        likes.unlike("tea", visitor)
    assert {each.likes_count for each in Store(memory.driver).admin.scan(LikeCount)} == {0}


def test_like_that_always_conflicts_is_rejected_and_not_counted(memory: World) -> None:
    driver = FaultyDriver(memory.driver)
    likes = memory.open(driver).likes
    with driver.inject(Faults(conflict=1.0)), pytest.raises(Busy):
        likes.like("tea", "ada")
    assert likes.state("tea", "ada") == LikeState(0, liked=False)


@pytest.mark.parametrize("seed", range(3))
def test_random_clicks_with_faults_are_counted_right(memory: World, seed: int) -> None:
    # Reads are up to four changes behind, which is after the first post was stored.
    for blog_id in ("milk", "oat", "rye", "hay"):
        store_post(memory, blog_id)
    driver, choices = FaultyDriver(memory.driver), random.Random(seed)
    services = [memory.open(driver).likes, memory.open(driver).likes]
    driver.faults = Faults(throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.4, seed=seed)
    expired = 0
    liking: set[str] = set()
    for _ in range(100):
        likes, network = choices.choice(services), f"{choices.randrange(12)}"
        if choices.random() < 0.02:
            # A new year: all visitors are new, and what they liked stays counted.
            memory.clock.now = memory.clock.now.replace(year=memory.clock.now.year + 1)
            expired, liking = expired + len(liking), set[str]()
        visitor = likes.visitor(network)
        if choices.random() < 0.6:
            state, liking = likes.like("tea", visitor), liking | {network}
        else:
            state, liking = likes.unlike("tea", visitor), liking - {network}
        assert (state.count, state.liked) == (expired + len(liking), network in liking)
    driver.faults = Faults()
    assert services[0].recount("tea") == Recount(expired + len(liking), len(liking))


def _approve_first(world: World) -> Callable[[PortfolioService], object]:
    store = Store(world.driver, clock=world.clock)
    [pending] = store.query(PendingComment.key.partition())
    return lambda service: service.comments.approve(world.user(), ref_of(pending))


@pytest.mark.parametrize("operations", range(8))
def test_interrupted_action_can_be_repeated(memory: World, operations: int) -> None:
    memory.service.likes.like("tea", "bob")
    memory.service.comments.submit("tea", CommentDraft("Bob", "Nice!"), "bob")
    actions: list[Callable[[PortfolioService], object]] = [
        lambda service: service.likes.like("tea", "ada"),
        lambda service: service.likes.unlike("tea", "bob"),
        _approve_first(memory),
    ]
    for action in actions:
        driver = InterruptedDriver(memory.driver)
        service = memory.open(driver)
        driver.crash_after(operations)
        try:
            action(service)
        except Crash:
            recount = memory.service.likes.recount("tea")
            assert recount.counted == recount.markers
        action(memory.open())
    assert memory.service.likes.recount("tea") == Recount(1, 1)
    assert [each.content for each in memory.service.comments.of_post("tea")] == ["Nice!"]
    assert memory.service.comments.count_pending() == 0
