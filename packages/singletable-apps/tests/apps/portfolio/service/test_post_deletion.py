"""Deleting a post removes all its items, even if it is interrupted, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import DeleteItem, Driver, Engine, Item, ItemMismatch, PutItem, Scan, Store
from singletable_apps.portfolio.entities import (
    Comment,
    DayStats,
    LikeCount,
    Listing,
    PendingComment,
    data_table,
)
from singletable_apps.portfolio.rules import Post, PostDraft
from singletable_apps.portfolio.service import Moved
from singletable_apps.shared.errors import AlreadyExists, NotFound
from tests.apps.portfolio.support.harness import World

ENDS = datetime(2027, 1, 1, tzinfo=UTC)


def _filled(world: World, slug: str) -> str:
    """Return the id of a post with everything that a post can have."""
    service, owner, store = world.service, world.user(), Store(world.driver)
    world.clock.advance(seconds=1)
    draft = PostDraft("Title", "Text", slug=f"{slug}-old")
    blog_id = service.posts.create(owner, draft).blog_id
    service.posts.publish(owner, blog_id, None)
    service.posts.edit(owner, blog_id, replace(draft, slug=slug, markdown="Other text"))
    for number in range(3):
        service.likes.like(blog_id, service.likes.visitor(f"203.0.113.{number}"))
    store.update(LikeCount.key(blog_id, 0), LikeCount.shards.set(2))
    store.put(LikeCount(blog_id=blog_id, shard=1, likes_count=5))
    now = world.clock().replace(microsecond=0)
    bob: dict[str, Any] = {"author_name": "Bob", "content": "Hi", "created_at": now}
    store.put(Comment(blog_id=blog_id, comment_id="1", approved_by="ada@example.org", **bob))
    store.put(PendingComment(blog_id=blog_id, comment_id=slug, visitor="v", ends=ENDS, **bob))
    store.put(DayStats(scope=blog_id, day=date(2026, 1, 1), views=3, ends=ENDS))
    return blog_id


def _with_id(driver: Driver, blog_id: str) -> list[str]:
    items = driver.execute(Scan(data_table.name)).items
    return [text for text in map(json.dumps, items) if blog_id in text]


def test_delete_removes_every_item_of_the_post_only(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    kept = _filled(memory, "kept")
    before = sorted(_with_id(memory.driver, kept))
    post = _filled(memory, "gone")
    posts.delete(owner, post)
    assert _with_id(memory.driver, post) == []
    assert sorted(_with_id(memory.driver, kept)) == before
    assert (posts.find("gone"), posts.find("gone-old")) == (None, None)
    with pytest.raises(NotFound):
        posts.get(post)
    with pytest.raises(NotFound):
        posts.delete(owner, post)
    assert posts.create(owner, PostDraft("T", "", slug="gone")).slug == "gone"


def test_slug_taken_by_another_post_stays_with_it(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    old, new = _filled(memory, "one"), posts.create(owner, PostDraft("T", "x", slug="one-old"))
    posts.delete(owner, old)
    assert _with_id(memory.driver, old) == []
    posts.publish(owner, new.blog_id, None)
    found = posts.find("one-old")
    assert isinstance(found, Post)
    assert found.blog.blog_id == new.blog_id


def test_slug_taken_during_the_deletion_stays_with_the_other_post(memory: World) -> None:
    posts, owner, taken = memory.service.posts, memory.user(), PostDraft("T", "x", slug="one-old")
    old = _filled(memory, "one")
    driver = InterruptedDriver(
        memory.driver,
        lambda each: isinstance(each, DeleteItem) and "SLUG#one-old" in repr(each),
        before=lambda: posts.create(owner, taken),
    )
    memory.open(driver).posts.delete(owner, old)
    assert driver.interrupted
    with pytest.raises(AlreadyExists):
        posts.create(owner, taken)


def test_slug_of_a_deleted_post_that_was_public_does_not_go_back(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    _filled(memory, "one")
    taker = posts.create(owner, PostDraft("T", "x", slug="one-old"))
    posts.publish(owner, taker.blog_id, None)
    posts.delete(owner, taker.blog_id)
    assert posts.find("one-old") is None


def test_slug_that_a_draft_took_goes_back(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    _filled(memory, "one")
    draft = posts.create(owner, PostDraft("T", "x", slug="one-old"))
    posts.delete(owner, draft.blog_id)
    assert posts.find("one-old") == Moved("one")


@pytest.mark.parametrize("finish", ["repeat", "restart", "delete another"])
def test_interrupted_delete_is_hidden_and_can_be_finished(memory: World, finish: str) -> None:
    post, other = _filled(memory, "gone"), _filled(memory, "other")
    memory.service.posts.unpublish(memory.user(), other)
    assert isinstance(memory.driver, Engine)
    before = len(_with_id(memory.driver, post))
    operations = hidden = 0
    while True:
        with memory.driver.copy() as engine:
            driver = InterruptedDriver(engine)
            world = World(driver, like=memory)
            driver.crash_after(operations)
            try:
                world.service.posts.delete(world.user(), post)
            except Crash:
                operations += 1
            else:
                break
            driver.interrupt()
            posts, owner = world.service.posts, world.user()
            blog = world.service.context.find_blog(post, consistent=True)
            if blog is None:
                assert _with_id(engine, post) == []
                continue
            if blog.listing is not Listing.DELETED:
                assert len(_with_id(engine, post)) == before
                continue
            hidden += 1
            assert (posts.find("gone"), posts.find("gone-old")) == (None, None)
            assert world.service.catalog.visible(world.clock()) == []
            if finish == "repeat":
                posts.delete(owner, post)
            elif finish == "restart":
                world.open()
            else:
                posts.delete(owner, other)
            assert _with_id(engine, post) == []
            world.check_calls()
    assert hidden > 10


def test_item_that_cannot_be_deleted_does_not_keep_the_site_from_starting(
    memory: World, caplog: pytest.LogCaptureFixture
) -> None:
    post = _filled(memory, "gone")
    unknown: Item = {"PK": {"S": f"BLOG#{post}"}, "SK": {"S": "UNKNOWN"}}
    memory.driver.execute(PutItem(data_table.name, unknown))
    with pytest.raises(ItemMismatch):
        memory.service.posts.delete(memory.user(), post)
    service = memory.open()
    assert post in caplog.text
    assert service.posts.find("gone") is None
    memory.driver.execute(DeleteItem(data_table.name, unknown))
    memory.open()
    assert _with_id(memory.driver, post) == []
