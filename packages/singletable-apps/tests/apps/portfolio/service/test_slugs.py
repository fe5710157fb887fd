"""Slugs lead to their posts after any sequence of changes, and while the index is behind."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    rule,
)

from dynamodb_engine import Engine, GetItem, PutItem
from dynamodb_engine.testing import LaggingDriver
from singletable_apps.portfolio.entities import Blog, data_table
from singletable_apps.portfolio.rules import Post, PostDraft, PostStatus, Publication
from singletable_apps.portfolio.service import Moved
from singletable_apps.shared.errors import AlreadyExists
from tests.apps.portfolio.support.harness import World

SLUGS = ("a", "b", "c", "d")


@dataclass
class _Expected:
    """A post of the model."""

    slug: str
    is_public: bool = False


class IndexLag:
    """An engine, and a driver whose indexes are behind it."""

    def __init__(self) -> None:
        self.engine = Engine.in_memory()
        self.driver = LaggingDriver(self.engine, indexes_only=True)

    def catch_up(self) -> None:
        """Let the indexes catch up with the table."""
        self.driver.catch_up()


class SlugHistories(RuleBasedStateMachine):
    """Posts that are created, renamed, published, unpublished and deleted in any order.

    A slug leads to the public post that has it. Otherwise it redirects, in one hop, to the post
    that was the last one to be public under it. While the index is behind, a slug may still lead
    to its former post, but a redirect leads to a post and never to itself.
    """

    posts = Bundle("posts")

    def __init__(self) -> None:
        super().__init__()
        self.lag = IndexLag()
        self.engine = self.lag.engine
        self.world = World(self.lag.driver)
        self.service, self.owner = self.world.service.posts, self.world.user()
        # The same table with an index that is never behind.
        self.exact = World(self.engine, like=self.world)
        self.model: dict[str, _Expected] = {}
        self.last_public: dict[str, str] = {}

    def teardown(self) -> None:
        self.world.check_calls()
        self.exact.check_calls()
        self.engine.close()

    @rule(target=posts, slug=st.sampled_from(SLUGS), is_public=st.booleans())
    def create(self, slug: str, is_public: bool) -> str:
        draft = PostDraft("Title", "Text", slug=slug)
        if self._has_current(slug):
            with pytest.raises(AlreadyExists):
                self.service.create(self.owner, draft)
            draft = replace(draft, slug="")
        status = PostStatus.PUBLISHED if is_public else PostStatus.DRAFT
        blog = self.service.create(self.owner, draft, Publication(status))
        self.model[blog.blog_id] = _Expected(blog.slug, is_public)
        self._written()
        return blog.blog_id

    @rule(post=posts, slug=st.sampled_from(SLUGS))
    def rename(self, post: str, slug: str) -> None:
        expected = self.model[post]
        draft = PostDraft("Title", "Text", slug=slug)
        if slug != expected.slug and self._has_current(slug):
            with pytest.raises(AlreadyExists):
                self.service.edit(self.owner, post, draft)
        else:
            expected.slug = self.service.edit(self.owner, post, draft).slug
            assert expected.slug == slug
            self._written()

    @rule(post=posts)
    def publish(self, post: str) -> None:
        self.service.publish(self.owner, post, None)
        self.model[post].is_public = True
        self._written()

    @rule(post=posts)
    def unpublish(self, post: str) -> None:
        self.service.unpublish(self.owner, post)
        self.model[post].is_public = False
        self._written()

    @rule(post=consumes(posts))
    def delete(self, post: str) -> None:
        self.service.delete(self.owner, post)
        del self.model[post]
        self.last_public = {slug: one for slug, one in self.last_public.items() if one != post}
        self._written()

    @rule()
    def catch_up(self) -> None:
        self.lag.catch_up()

    @invariant()
    def redirects_are_one_hop(self) -> None:
        for slug in SLUGS:
            found = self.service.find(slug)
            if isinstance(found, Moved):
                assert found.slug != slug
                assert isinstance(self.service.find(found.slug), Post)

    @invariant()
    def current_slug_of_a_public_post_is_served(self) -> None:
        for expected in self.model.values():
            if expected.is_public:
                assert isinstance(self.service.find(expected.slug), Post)

    @invariant()
    def slugs_lead_to_their_posts(self) -> None:
        for slug in SLUGS:
            found = self.exact.service.posts.find(slug)
            holder = next((one for one, post in self.model.items() if post.slug == slug), None)
            owner = self.last_public.get(slug)
            if holder is not None and self.model[holder].is_public:
                assert isinstance(found, Post)
                assert found.blog.blog_id == holder
            elif owner is not None and owner != holder and self.model[owner].is_public:
                assert found == Moved(self.model[owner].slug)
            else:
                assert found is None

    def _has_current(self, slug: str) -> bool:
        return any(expected.slug == slug for expected in self.model.values())

    def _written(self) -> None:
        self.last_public |= {
            expected.slug: post for post, expected in self.model.items() if expected.is_public
        }


TestSlugHistories = SlugHistories.TestCase
TestSlugHistories.settings = settings(
    max_examples=settings().max_examples // 4, stateful_step_count=20, deadline=None
)


@pytest.fixture
def lagging() -> tuple[World, IndexLag]:
    """Return a world with indexes that have nothing yet."""
    lag = IndexLag()
    return World(lag.driver), lag


def _published(world: World, slug: str) -> Blog:
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, PostDraft("Title", "Text", slug=slug))
    return posts.publish(owner, blog.blog_id, None)


def test_new_post_is_served_before_the_index_has_it(lagging: tuple[World, IndexLag]) -> None:
    world, _ = lagging
    blog = _published(world, "new")
    found = world.service.posts.find("new")
    assert isinstance(found, Post)
    assert found.blog == blog


def test_published_draft_is_served_while_the_index_has_a_draft(
    lagging: tuple[World, IndexLag],
) -> None:
    world, lag = lagging
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, PostDraft("Title", "Text", slug="new"))
    lag.catch_up()
    posts.publish(owner, blog.blog_id, None)
    assert isinstance(posts.find("new"), Post)


def test_slug_that_moved_to_another_post_is_served_by_its_new_post(
    lagging: tuple[World, IndexLag],
) -> None:
    world, lag = lagging
    posts, owner = world.service.posts, world.user()
    one, two = _published(world, "one"), _published(world, "two")
    posts.edit(owner, one.blog_id, PostDraft("Title", "Text", slug="moved"))
    lag.catch_up()
    posts.edit(owner, two.blog_id, PostDraft("Title", "Text", slug="one"))
    found = posts.find("one")
    assert isinstance(found, Post)
    assert found.blog.blog_id == two.blog_id
    # The index still has the former slug of this post, which is better than no page.
    assert isinstance(posts.find("two"), Post)
    lag.catch_up()
    assert posts.find("two") == Moved("one")


def test_slug_item_decides_while_the_index_has_two_posts(lagging: tuple[World, IndexLag]) -> None:
    world, lag = lagging
    posts, owner = world.service.posts, world.user()
    one, two = _published(world, "one"), _published(world, "two")
    key = Blog.key(one.blog_id).key
    before = lag.engine.execute(GetItem(data_table.name, key)).item
    posts.edit(owner, one.blog_id, PostDraft("Title", "Text", slug="moved"))
    posts.edit(owner, two.blog_id, PostDraft("Title", "Text", slug="one"))
    # The index has the second edit, but not the first.
    after = lag.engine.execute(GetItem(data_table.name, key)).item
    assert before is not None
    assert after is not None
    lag.engine.execute(PutItem(data_table.name, before))
    lag.catch_up()
    lag.engine.execute(PutItem(data_table.name, after))
    found = posts.find("one")
    assert isinstance(found, Post)
    assert found.blog.blog_id == two.blog_id


def test_new_post_is_served_while_all_cheap_reads_are_behind() -> None:
    with Engine.in_memory() as engine:
        world = World(engine)
        before = _published(world, "before")
        stale = LaggingDriver(engine)
        posts, owner = world.open(stale).posts, world.user()
        blog = posts.create(
            owner, PostDraft("T", "x", slug="new"), Publication(PostStatus.PUBLISHED)
        )
        for name in ("new", blog.blog_id):
            found = posts.find(name)
            assert isinstance(found, Post)
            assert found.blog == blog
        assert posts.find("unknown") is None
        posts.edit(owner, blog.blog_id, PostDraft("T", "x", slug="moved"))
        assert posts.find("new") == Moved("moved")
        assert isinstance(posts.find("moved"), Post)
        assert isinstance(posts.find(before.slug), Post)
