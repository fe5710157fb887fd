"""The seven patterns of the document run as it says, and their cost is what DynamoDB charges."""

from __future__ import annotations

from collections.abc import Callable

from dynamodb_engine.operations import DescribeTimeToLive
from singletable import (
    BatchGetItem,
    Call,
    DescribeTable,
    GetItem,
    Query,
    TransactWriteItems,
)
from singletable_apps.portfolio import patterns as declared
from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.patterns import patterns
from singletable_apps.portfolio.rules import Post, PostDraft, PostStatus, Publication
from tests.apps.portfolio.support.harness import World

PUBLISHED = Publication(PostStatus.PUBLISHED)
TEXT = "A paragraph of some length. " * 200


def _calls(world: World, action: Callable[[], object]) -> list[Call]:
    world.calls.clear()
    action()
    return [call for call in world.calls if patterns.recognize(call.shape)]


def _cost(calls: list[Call]) -> float:
    return sum(call.read_units for call in calls)


def _sent(calls: list[Call]) -> list[tuple[type, str | None]]:
    operations = [request.operation for call in calls for request in call.requests]
    return [(type(one), getattr(one, "index_name", None)) for one in operations]


def _post(world: World, number: int = 1) -> Blog:
    draft = PostDraft(title=f"Post {number}", markdown=TEXT, tags=("a", "b"))
    return world.service.posts.create(world.user(), draft, PUBLISHED)


def test_table_is_the_one_of_the_document(memory: World) -> None:
    table = memory.driver.execute(DescribeTable("DataTable")).table
    indexes = {index.index_name: index for index in table.global_secondary_indexes or ()}
    assert set(indexes) == {"BlogsByDate", "BlogBySlug", "LikesByBlog"}
    for number, name in enumerate(("BlogsByDate", "BlogBySlug", "LikesByBlog"), 1):
        keys = [key.attribute_name for key in indexes[name].key_schema]
        assert keys == [f"GSI{number}PK", f"GSI{number}SK"]
    assert [key.attribute_name for key in table.key_schema] == ["PK", "SK"]
    assert table.billing_mode_summary is not None
    assert table.billing_mode_summary.billing_mode == "PAY_PER_REQUEST"
    ttl = memory.driver.execute(DescribeTimeToLive("DataTable")).time_to_live_description
    assert (ttl.attribute_name, ttl.time_to_live_status) == ("ttl", "ENABLED")


def test_1_portfolio_is_one_get(memory: World) -> None:
    memory.service.profile.update_portfolio(memory.user(), {"bio": "x" * 500})
    calls = _calls(memory, memory.service.profile.get_portfolio)
    assert _sent(calls) == [(GetItem, None)]
    # The document says 1 RCU; eventually consistent reads cost half.
    assert _cost(calls) == 0.5


def test_2_blog_by_id_is_two_gets(memory: World) -> None:
    blog = _post(memory)
    calls = _calls(memory, lambda: memory.service.posts.find(blog.blog_id))
    assert _sent(calls) == [(GetItem, None), (GetItem, None)]
    # Half a unit for the post, and one and a half for 12 KB of text, as Markdown and as HTML.
    assert [call.read_units for call in calls] == [0.5, 1.5]


def test_3_blog_by_slug_is_a_query_and_a_get(memory: World) -> None:
    blog = _post(memory)
    found: list[object] = []
    calls = _calls(memory, lambda: found.append(memory.service.posts.find(blog.slug)))
    assert isinstance(found[0], Post)
    assert _sent(calls) == [(Query, "BlogBySlug"), (GetItem, None)]
    assert [call.read_units for call in calls] == [0.5, 1.5]


def test_4_list_is_one_query_of_the_index(memory: World) -> None:
    for number in range(10):
        _post(memory, number)
        memory.clock.advance(minutes=1)
    calls = _calls(memory, lambda: memory.service.posts.list_published(10))
    assert _sent(calls) == [(Query, "BlogsByDate")]
    # The document says about 1 RCU per post; ten posts without their texts are about 6 KB.
    assert _cost(calls) == 1.0


def test_5_user_is_one_get(memory: World) -> None:
    memory.service.accounts.set_up("Ada", "ada@example.org", "nine blue horses", "Ada’s site")

    def sign_in() -> None:
        memory.service.accounts.sign_in("ADA@example.org", "nine blue horses")

    calls = _calls(memory, sign_in)
    assert _sent(calls)[0] == (GetItem, None)
    assert patterns.recognize(calls[0].shape) is declared.user_by_email
    # Strongly consistent, since the password may just have been changed: the document's 1 RCU.
    assert calls[0].read_units == 1.0


def test_6_count_reads_every_like_of_the_period(memory: World) -> None:
    likes, blog = memory.service.likes, _post(memory)
    for number in range(100):
        likes.like(blog.blog_id, likes.visitor(f"192.0.2.{number}"))
    calls = _calls(memory, lambda: likes.recount(blog.blog_id))
    counted = [call for call in calls if _sent([call])[0] == (Query, "LikesByBlog")]
    # "O(1), ~1 RCU" in the document. But a hundred likes are 19 KB of the index.
    assert _cost(counted) == 2.5
    # The page reads the counter instead.
    calls = _calls(memory, lambda: likes.counts([blog.blog_id]))
    assert _cost(calls) == 0.5


def test_7_visitor_liked_is_one_get(memory: World) -> None:
    likes, blog = memory.service.likes, _post(memory)
    visitor = likes.visitor("192.0.2.7")
    assert likes.like(blog.blog_id, visitor).liked
    calls = _calls(memory, lambda: likes.state(blog.blog_id, visitor))
    # The post, the like and its counter; the last two are consistent, to show a click at once.
    assert _sent(calls) == [(GetItem, None), (GetItem, None), (BatchGetItem, None)]
    assert [call.read_units for call in calls] == [0.5, 1.0, 1.0]


def test_like_writes_neither_the_post_nor_its_indexes(memory: World) -> None:
    likes, blog = memory.service.likes, _post(memory)
    visitor = likes.visitor("192.0.2.7")
    # The first like creates the counter.
    likes.like(blog.blog_id, likes.visitor("192.0.2.8"))
    calls = _calls(memory, lambda: likes.like(blog.blog_id, visitor))
    writes = [
        request
        for call in calls
        for request in call.requests
        if isinstance(request.operation, TransactWriteItems)
    ]
    # Two items in a transaction, two units each, and the like in its index.
    assert [write.units for write in writes] == [5.0]


def test_documented_patterns_come_first() -> None:
    assert [declared.portfolio.id, declared.like_of_visitor.id] == ["portfolio:1", "portfolio:7"]
