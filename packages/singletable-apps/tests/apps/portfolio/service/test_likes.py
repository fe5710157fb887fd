"""A visitor likes a post once and anonymously, and the count never falls by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import Driver, Operation, Store, TransactWriteItems
from singletable_apps.portfolio.entities import Like, LikeCount, Listing
from singletable_apps.portfolio.rules import SwitchedOff
from singletable_apps.portfolio.service import SITE, LikeState, open_portfolio
from singletable_apps.portfolio.service.likes import SHARDS, LikeService, Recount
from singletable_apps.shared.errors import NotFound
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.posts import store_post
from tests.apps.support.tables import stored_text

ADDRESS = "203.0.113.77"
THREADS = 32


def visitors(likes: LikeService, number: int) -> list[str]:
    """Return the ids of some visitors."""
    return [likes.visitor(f"198.51.100.{each}") for each in range(number)]


def call_concurrently(calls: Sequence[Callable[[], LikeState]]) -> list[LikeState]:
    """Run the calls in threads and return the results."""
    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def markers(driver: Driver, blog_id: str = "tea") -> int:
    """Count the likes of a post that are in the table."""
    return sum(like.blog_id == blog_id for like in Store(driver).admin.scan(Like))


def test_like_is_counted_once_and_taken_back(world: World) -> None:
    store_post(world)
    likes = world.service.likes
    ada, bob = visitors(likes, 2)
    assert likes.state("tea", ada) == LikeState(0, liked=False)
    assert likes.like("tea", ada) == LikeState(1, liked=True)
    assert likes.like("tea", ada) == LikeState(1, liked=True)
    assert likes.like("tea", bob) == LikeState(2, liked=True)
    assert likes.unlike("tea", ada) == LikeState(1, liked=False)
    assert likes.unlike("tea", ada) == LikeState(1, liked=False)
    assert likes.state("tea", bob) == LikeState(1, liked=True)


def test_counts_of_many_posts_include_posts_without_likes(memory: World) -> None:
    likes = memory.service.likes
    for blog_id in ("tea", "milk", "oat"):
        store_post(memory, blog_id)
    likes.like("tea", "ada")
    likes.like("milk", "ada")
    likes.like("milk", "bob")
    assert likes.counts(["oat", "tea", "milk", "tea"]) == {"oat": 0, "tea": 1, "milk": 2}
    assert likes.counts([]) == {}


@pytest.mark.parametrize("action", ["like", "unlike", "state"])
def test_only_public_posts_have_likes(memory: World, action: str) -> None:
    store_post(memory, "draft", listing=Listing.DRAFTS)
    store_post(memory, "later", published_at=memory.clock.now + timedelta(hours=1))
    for blog_id in ("draft", "later", "none", "", "a#b", "\ud800", "x" * 2_000):
        with pytest.raises(NotFound):
            getattr(memory.service.likes, action)(blog_id, "ada")
    memory.clock.advance(hours=2)
    assert memory.service.likes.like("later", "ada").count == 1


def test_likes_that_are_switched_off_can_be_read_only(memory: World) -> None:
    store_post(memory)
    likes = memory.service.likes
    likes.like("tea", "ada")
    memory.service.profile.update_settings(memory.user(), {"likes": False})
    for action in (likes.like, likes.unlike):
        with pytest.raises(SwitchedOff):
            action("tea", "bob")
    assert likes.state("tea", "ada") == LikeState(1, liked=True)


def test_neither_address_nor_visitor_is_stored(memory: World) -> None:
    likes = memory.service.likes
    visitor = likes.visitor(ADDRESS)
    for blog_id in ("tea", "milk"):
        store_post(memory, blog_id)
        likes.like(blog_id, visitor)
    text = stored_text(memory.service.context.store, "DataTable")
    assert "LIKE#tea#" in text
    assert ADDRESS not in text
    assert visitor not in text


# Otherwise a copy of the table would show which posts one reader liked.
def test_likes_of_one_visitor_cannot_be_linked(memory: World) -> None:
    for blog_id in ("tea", "milk"):
        store_post(memory, blog_id)
        memory.service.likes.like(blog_id, memory.service.likes.visitor(ADDRESS))
    stored = [like.visitor for like in Store(memory.driver).admin.scan(Like)]
    assert len(set(stored)) == 2
    assert all(len(each) == 32 and int(each, 16) for each in stored)


def test_visitor_depends_on_network_year_and_secret(memory: World) -> None:
    likes = memory.service.likes
    first = likes.visitor(ADDRESS)
    assert likes.visitor("203.0.113.78") != first
    assert memory.open().likes.visitor(ADDRESS) == first
    other = open_portfolio(
        memory.driver, b"another secret" * 3, bucket=memory.bucket, clock=memory.clock
    )
    assert other.likes.visitor(ADDRESS) != first
    memory.clock.advance(days=300)
    assert likes.visitor(ADDRESS) == first
    memory.clock.advance(days=100)
    assert likes.visitor(ADDRESS) != first


def test_count_stays_when_markers_expire(memory: World) -> None:
    store_post(memory)
    likes = memory.service.likes
    likes.like("tea", likes.visitor(ADDRESS))
    [marker] = Store(memory.driver).admin.scan(Like)
    assert marker.ends == datetime(2027, 1, 1, tzinfo=UTC)
    stored = json.loads(stored_text(memory.service.context.store, "DataTable"))
    [item] = [item for item in stored if item["PK"]["S"].startswith("LIKE#")]
    assert item["ttl"] == {"N": str(int(marker.ends.timestamp()))}
    assert likes.recount("tea") == Recount(counted=1, markers=1)
    memory.clock.advance(days=370)
    assert likes.recount("tea") == Recount(counted=1, markers=0)
    assert likes.state("tea", likes.visitor(ADDRESS)) == LikeState(1, liked=False)
    assert likes.like("tea", likes.visitor(ADDRESS)) == LikeState(2, liked=True)
    assert likes.unlike("tea", likes.visitor(ADDRESS)) == LikeState(1, liked=False)


# Fewer visitors on every driver: test_concurrent_likes_and_unlikes_keep_the_count_right.
@pytest.mark.rest
@pytest.mark.parametrize("drivers", ["file"], indirect=True)
def test_500_concurrent_clicks_of_one_visitor_are_one_like(worlds: tuple[World, World]) -> None:
    store_post(worlds[0])
    services = [world.service.likes for world in worlds]
    states = call_concurrently([partial(likes.like, "tea", "ada") for likes in services * 250])
    assert set(states) == {LikeState(1, liked=True)}
    assert services[1].recount("tea") == Recount(1, 1)


@pytest.mark.rest
@pytest.mark.parametrize("drivers", ["memory"], indirect=True)
def test_500_concurrent_visitors_are_500_likes(worlds: tuple[World, World]) -> None:
    store_post(worlds[0])
    services = [world.service.likes for world in worlds]
    states = call_concurrently(
        [partial(services[number % 2].like, "tea", f"{number}") for number in range(500)]
    )
    assert max(state.count for state in states) == 500
    assert services[0].recount("tea") == Recount(500, 500)


def test_concurrent_likes_and_unlikes_keep_the_count_right(worlds: tuple[World, World]) -> None:
    store_post(worlds[0])
    services = [world.service.likes for world in worlds]
    calls: list[Callable[[], LikeState]] = []
    for number in range(200):
        likes, visitor = services[number % 2], f"{number % 10}"
        act = likes.unlike if number % 3 else likes.like
        calls.append(partial(act, "tea", visitor))
    states = call_concurrently(calls)
    assert min(state.count for state in states) >= 0
    recount = services[0].recount("tea")
    assert recount.counted == recount.markers == markers(worlds[0].driver)


def test_unlike_with_a_lost_counter_does_not_become_negative(memory: World) -> None:
    store_post(memory)
    likes = memory.service.likes
    likes.like("tea", "ada")
    Store(memory.driver).update(LikeCount.key("tea", 0), LikeCount.likes_count.set(0))
    assert likes.unlike("tea", "ada") == LikeState(0, liked=False)
    assert markers(memory.driver) == 0


def test_delete_removes_counters_and_markers_of_one_post(world: World) -> None:
    likes = world.service.likes
    for blog_id in ("tea", "milk"):
        store_post(world, blog_id)
        for number in range(30):
            likes.like(blog_id, f"{number}")
    Store(world.driver).update(LikeCount.key("tea", 0), LikeCount.shards.set(SHARDS))
    likes.like("tea", "more")
    likes.delete("tea")
    likes.delete("tea")
    assert likes.recount("tea") == Recount(0, 0)
    assert [each.blog_id for each in Store(world.driver).admin.scan(LikeCount)] == ["milk"]
    assert likes.recount("milk") == Recount(30, 30)


@pytest.mark.parametrize("earlier_likes", [0, 1, 9])
def test_like_during_the_deletion_of_its_post_leaves_nothing(
    memory: World, earlier_likes: int
) -> None:
    store_post(memory)
    posts, likes = memory.service.posts, memory.service.likes
    for visitor in visitors(likes, earlier_likes):
        likes.like("tea", visitor)
        if earlier_likes > 1:
            Store(memory.driver).update(LikeCount.key("tea", 0), LikeCount.shards.set(SHARDS))

    def adds_like(operation: Operation[object]) -> bool:
        return isinstance(operation, TransactWriteItems)

    driver = InterruptedDriver(
        memory.driver, adds_like, before=lambda: posts.delete(memory.user(), "tea")
    )
    with pytest.raises(NotFound):
        memory.open(driver).likes.like("tea", "late")
    assert driver.interrupted
    assert [*Store(memory.driver).admin.scan(LikeCount)] == []
    assert markers(memory.driver) == 0


def test_likes_are_in_the_statistics_of_their_day(memory: World) -> None:
    store_post(memory)
    likes, stats = memory.service.likes, memory.service.stats
    likes.like("tea", "ada")
    likes.like("tea", "ada")
    memory.clock.advance(days=1)
    likes.like("tea", "bob")
    assert [day.likes for day in stats.days("tea", 2)] == [1, 1]
    likes.unlike("tea", "ada")
    assert [day.likes for day in stats.days("tea", 2)] == [0, 1]
    assert [day.likes for day in stats.days(SITE, 2)] == [0, 1]
