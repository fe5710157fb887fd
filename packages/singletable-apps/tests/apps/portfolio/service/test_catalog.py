"""The catalog of published posts: lists, neighbors, related posts, search, and its freshness."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from singletable import BatchGetItem
from singletable_apps.portfolio.entities import Blog, data_table
from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.support.harness import World


def _publish(
    world: World,
    title: str,
    *tags: str,
    category: str = "",
    text: str = "Text",
    at: datetime | None = None,
) -> Blog:
    world.clock.advance(seconds=1)
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, PostDraft(title, text, tags=tags, category=category))
    return posts.publish(owner, blog.blog_id, at)


def _titles(blogs: list[Blog]) -> list[str]:
    return [blog.title for blog in blogs]


def test_empty_site_has_an_empty_catalog(memory: World) -> None:
    catalog, now = memory.service.catalog, memory.clock()
    assert catalog.visible(now) == []
    assert catalog.tags(now) == catalog.categories(now) == []
    assert catalog.search("tea", now) == []


def test_visible_posts_are_listed_newest_first(world: World) -> None:
    for title in ("One", "Two"):
        _publish(world, title)
    _publish(world, "Later", at=world.clock() + timedelta(hours=1))
    world.service.posts.create(world.user(), PostDraft("Draft", "Text"))
    catalog = world.service.catalog
    assert _titles(catalog.visible(world.clock())) == ["Two", "One"]
    world.clock.advance(hours=1)
    assert _titles(catalog.visible(world.clock())) == ["Later", "Two", "One"]


def test_tags_and_categories_are_counted(memory: World) -> None:
    _publish(memory, "One", "tea", "milk", category="Drinks")
    _publish(memory, "Two", "tea", category="Food")
    _publish(memory, "Three", "tea", category="drinks")
    _publish(memory, "Four")
    catalog, now = memory.service.catalog, memory.clock()
    assert catalog.tags(now) == [("tea", 3), ("milk", 1)]
    assert catalog.categories(now) == [("drinks", 2), ("Food", 1)]
    assert _titles(catalog.visible(now, tag="milk")) == ["One"]
    assert _titles(catalog.visible(now, category="DRINKS")) == ["Three", "One"]
    assert catalog.visible(now, tag="unknown") == catalog.visible(now, category="") == []


def test_neighbors_are_the_older_and_the_newer_post(memory: World) -> None:
    one, two, three = (_publish(memory, title) for title in ("One", "Two", "Three"))
    catalog, now = memory.service.catalog, memory.clock()
    assert catalog.neighbors(two, now) == (one, three)
    assert catalog.neighbors(one, now) == (None, two)
    assert catalog.neighbors(three, now) == (two, None)
    draft = memory.service.posts.create(memory.user(), PostDraft("Draft", ""))
    assert catalog.neighbors(draft, now) == (None, None)


def test_related_posts_share_rare_tags_then_the_category(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    _publish(memory, "Common", "code")
    _publish(memory, "Rare", "code", "oboe")
    _publish(memory, "Category", category="Music")
    _publish(memory, "Other")
    _publish(memory, "Other code", "code")
    post = _publish(memory, "This", "code", "oboe", category="Music")
    catalog, now = memory.service.catalog, memory.clock()
    assert _titles(catalog.related(post, now)) == ["Rare", "Other code", "Common"]
    monkeypatch.setattr("singletable_apps.portfolio.service.catalog.MAX_RELATED", 9)
    assert _titles(catalog.related(post, now))[3:] == ["Category", "Other"]


def test_search_finds_public_posts(memory: World) -> None:
    _publish(memory, "Green tea", text="Leaves & <b>water</b>.")
    _publish(memory, "Breakfast", text="Toast with *tea*.")
    _publish(memory, "Secret tea", at=memory.clock() + timedelta(hours=1))
    catalog, now = memory.service.catalog, memory.clock()
    hits = catalog.search("te", now)
    assert [(blog.title, hit.title_html) for blog, hit in hits] == [
        ("Green tea", "Green <mark>tea</mark>"),
        ("Breakfast", "Breakfast"),
    ]
    assert hits[1][1].snippet_html == "Toast with <mark>tea</mark>."
    assert len(catalog.search("tea", now, limit=1)) == 1
    assert len(catalog.search("tea", now + timedelta(hours=2))) == 3
    assert catalog.search('" OR (', now) == []


def test_own_writes_are_seen_at_once(memory: World) -> None:
    catalog, posts, owner = memory.service.catalog, memory.service.posts, memory.user()
    memory.clock.tick = timedelta()
    blog = posts.create(owner, PostDraft("One", "Tea"))
    assert catalog.visible(memory.clock()) == []
    posts.publish(owner, blog.blog_id, None)
    assert _titles(catalog.visible(memory.clock())) == ["One"]
    posts.edit(owner, blog.blog_id, PostDraft("Two", "Coffee"))
    assert [blog.title for blog, _ in catalog.search("coffee", memory.clock())] == ["Two"]
    assert catalog.search("tea", memory.clock()) == []
    posts.delete(owner, blog.blog_id)
    assert catalog.visible(memory.clock()) == catalog.search("coffee", memory.clock()) == []


def test_writes_of_other_processes_are_seen_after_a_few_seconds(
    worlds: tuple[World, World],
) -> None:
    one, other = worlds
    catalog = other.service.catalog
    assert catalog.visible(other.clock()) == []
    _publish(one, "One")
    assert catalog.visible(other.clock()) == []
    other.clock.advance(seconds=6)
    assert _titles(catalog.visible(other.clock())) == ["One"]


def test_texts_are_read_once_per_edit(memory: World) -> None:
    blogs = [_publish(memory, f"Post {number}") for number in range(5)]
    catalog = memory.service.catalog
    catalog.visible(memory.clock())

    def texts_read() -> int:
        memory.clock.advance(seconds=6)
        memory.calls.clear()
        catalog.visible(memory.clock())
        sent = [request.operation for call in memory.calls for request in call.requests]
        return sum(
            len(operation.request_items[data_table.name].keys)
            for operation in sent
            if isinstance(operation, BatchGetItem)
        )

    assert texts_read() == 0
    memory.service.posts.edit(memory.user(), blogs[2].blog_id, PostDraft("New", "Text"))
    assert texts_read() == 1


def test_fresh_catalog_reads_nothing(memory: World) -> None:
    _publish(memory, "One")
    memory.service.catalog.visible(memory.clock())
    memory.calls.clear()
    for _ in range(10):
        memory.service.catalog.tags(memory.clock())
        memory.service.catalog.search("one", memory.clock())
    assert memory.calls == []


def test_threads_share_a_catalog(memory: World) -> None:
    for number in range(20):
        _publish(memory, f"Post {number}", "tea")
    catalog = memory.service.catalog

    def read(number: int) -> tuple[int, int]:
        if number % 5 == 0:
            catalog.expire()
        now = memory.clock()
        return len(catalog.visible(now)), len(catalog.search("post", now, limit=50))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(read, range(60))) == {(20, 20)}


@pytest.mark.parametrize("query", ["", "\ud800", "a" * 10_000, "%", "*", "日本", "'; DROP TABLE x"])
def test_any_search_is_answered(memory: World, query: str) -> None:
    _publish(memory, "One")
    assert memory.service.catalog.search(query, memory.clock()) == []
