"""Posts on every driver: create, edit, publish, find, list, and their history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import InvalidCursor, Query, TransactWriteItems, evolve
from singletable.errors import InternalError
from singletable_apps.portfolio.entities import Blog, Listing, Role, data_table
from singletable_apps.portfolio.rules import Post, PostDraft, PostStatus, Publication, post_status
from singletable_apps.portfolio.service import Moved
from singletable_apps.portfolio.service.posts import KEPT_REVISIONS, PREVIEW_LIFETIME
from singletable_apps.shared.errors import AlreadyExists, Busy, InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.portfolio.support.harness import World
from tests.apps.support.concurrency import run_concurrently

DRAFT = PostDraft("Hello, World", "Some *text*.", tags=("Tea",), category="Notes")


class Conflict(Exception):
    """The edit was based on another revision."""


def only(revision: int) -> Callable[[int], None]:
    """Return a check that raises Conflict unless the post has this revision."""

    def check(current: int) -> None:
        if current != revision:
            raise Conflict

    return check


def published(world: World, title: str = "Hello, World") -> Blog:
    """Return a post that was published now."""
    world.clock.advance(seconds=1)
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, PostDraft(title, "Text"))
    return posts.publish(owner, blog.blog_id, None)


def test_created_post_is_a_draft(world: World) -> None:
    posts = world.service.posts
    blog = posts.create(world.user(), DRAFT)
    assert (blog.slug, blog.tags, blog.category) == ("hello-world", ["tea"], "Notes")
    assert blog.revision == 1
    assert (blog.author, blog.author_name) == ("ada@example.org", "Ada")
    assert post_status(blog, world.clock()) is PostStatus.DRAFT
    post = posts.get(blog.blog_id)
    assert post.blog == blog
    assert post.content.content == "<p>Some <em>text</em>.</p>\n"
    assert (blog.excerpt, blog.reading_time) == ("Some text.", 1)
    assert post.draft == replace(DRAFT, slug="hello-world", tags=("tea",))
    assert posts.find("hello-world") is None
    assert posts.find(blog.blog_id) is None
    assert [each.blog_id for each in posts.list_in(Listing.DRAFTS)] == [blog.blog_id]
    assert posts.list_published(10).items == []


def test_published_post_is_found_by_slug_and_id(memory: World) -> None:
    posts, blog = memory.service.posts, published(memory)
    for name in ("hello-world", blog.blog_id):
        found = posts.find(name)
        assert isinstance(found, Post)
        assert found.blog == blog
    assert posts.find("Hello-World.") == Moved("hello-world")
    assert [each.blog_id for each in posts.list_published(10).items] == [blog.blog_id]
    assert posts.list_in(Listing.DRAFTS) == []
    assert posts.contents([blog.blog_id, blog.blog_id, "unknown"]).keys() == {blog.blog_id}


@pytest.mark.parametrize("name", ["", "unknown", "x" * 5000, "\ud800", "#", "a/b", "0" * 36])
def test_unknown_slug_finds_nothing(memory: World, name: str) -> None:
    assert memory.service.posts.find(name) is None


def test_scheduled_post_appears_at_its_time(world: World) -> None:
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, DRAFT)
    at = world.clock() + timedelta(hours=1)
    blog = posts.publish(owner, blog.blog_id, at)
    assert post_status(blog, world.clock()) is PostStatus.SCHEDULED
    assert posts.find("hello-world") is None
    assert posts.list_published(10).items == []
    assert [each.blog_id for each in posts.list_all()] == [blog.blog_id]
    world.clock.advance(hours=1)
    assert isinstance(posts.find("hello-world"), Post)
    assert [each.blog_id for each in posts.list_published(10).items] == [blog.blog_id]


def test_publishing_again_keeps_the_date_unless_another_is_given(memory: World) -> None:
    posts, owner, blog = memory.service.posts, memory.user(), published(memory)
    memory.clock.advance(days=1)
    assert posts.publish(owner, blog.blog_id, None) == blog
    earlier = memory.clock() - timedelta(days=300)
    moved = posts.publish(owner, blog.blog_id, earlier)
    assert moved.published_at == moved.listed_at == earlier.replace(microsecond=0)


def test_unpublished_post_is_a_draft_again(memory: World) -> None:
    posts, owner, blog = memory.service.posts, memory.user(), published(memory)
    draft = posts.unpublish(owner, blog.blog_id)
    assert (draft.listing, draft.published_at) == (Listing.DRAFTS, None)
    assert posts.find("hello-world") is None
    assert posts.list_published(10).items == []
    assert [each.blog_id for each in posts.list_in(Listing.DRAFTS)] == [blog.blog_id]
    assert posts.unpublish(owner, blog.blog_id) == draft


def test_empty_text_cannot_be_published(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = posts.create(owner, PostDraft("Title", " \n"))
    with pytest.raises(InvalidInput, match="Write some text"):
        posts.publish(owner, blog.blog_id, None)
    public = published(memory, "Other")
    with pytest.raises(InvalidInput, match="Write some text"):
        posts.edit(owner, public.blog_id, PostDraft("Other", ""))


def test_author_changes_own_posts_only(memory: World) -> None:
    posts = memory.service.posts
    author = memory.user(Role.AUTHOR, "bob@example.org", "Bob")
    mine, theirs = posts.create(author, DRAFT), posts.create(memory.user(), DRAFT)
    assert posts.publish(author, mine.blog_id, None).listing is Listing.ALL
    for forbidden in (
        lambda: posts.edit(author, theirs.blog_id, DRAFT),
        lambda: posts.publish(author, theirs.blog_id, None),
        lambda: posts.unpublish(author, theirs.blog_id),
        lambda: posts.delete(author, theirs.blog_id),
    ):
        with pytest.raises(NotPermitted):
            forbidden()
    assert posts.get(theirs.blog_id).blog == theirs
    posts.edit(memory.user(), mine.blog_id, PostDraft("By the owner", "Text"))
    assert posts.get(mine.blog_id).blog.author == "bob@example.org"


@pytest.mark.parametrize("blog_id", ["", "x", "0a1b2c3d-0a1b-4a1b-8a1b-0a1b2c3d4e5f", "\ud800"])
def test_unknown_post_is_not_found(memory: World, blog_id: str) -> None:
    posts, owner = memory.service.posts, memory.user()
    for call in (
        lambda: posts.get(blog_id),
        lambda: posts.edit(owner, blog_id, DRAFT),
        lambda: posts.publish(owner, blog_id, None),
        lambda: posts.unpublish(owner, blog_id),
        lambda: posts.delete(owner, blog_id),
        lambda: posts.restore(owner, blog_id, 1),
    ):
        with pytest.raises(NotFound):
            call()


def test_edit_of_title_or_text_keeps_the_old_ones(world: World) -> None:
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, DRAFT)
    posts.edit(owner, blog.blog_id, replace(DRAFT, title="New title"))
    edited = posts.edit(owner, blog.blog_id, replace(DRAFT, title="New title", markdown="New"))
    posts.edit(owner, blog.blog_id, replace(DRAFT, title="New title", markdown="New", tags=("x",)))
    assert [(old.number, old.title, old.markdown) for old in posts.history(blog.blog_id)] == [
        (2, "New title", "Some *text*."),
        (1, "Hello, World", "Some *text*."),
    ]
    assert edited.revisions == 2
    restored = posts.restore(owner, blog.blog_id, 1)
    assert (restored.title, restored.tags, restored.revisions) == ("Hello, World", ["x"], 3)
    assert posts.get(blog.blog_id).content.markdown == "Some *text*."
    assert posts.history(blog.blog_id)[0].markdown == "New"
    for number in (0, -1, 99, 10**9):
        with pytest.raises(NotFound):
            posts.restore(owner, blog.blog_id, number)


def test_edit_without_change_writes_nothing(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = posts.create(owner, DRAFT)
    memory.clock.advance(hours=1)
    assert posts.edit(owner, blog.blog_id, DRAFT) == blog
    assert posts.history(blog.blog_id) == []


def test_last_versions_are_kept(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = posts.create(owner, DRAFT)
    for number in range(KEPT_REVISIONS + 3):
        posts.edit(owner, blog.blog_id, replace(DRAFT, markdown=f"Version {number}"))
    numbers = [old.number for old in posts.history(blog.blog_id)]
    assert numbers == list(range(KEPT_REVISIONS + 3, 3, -1))


def test_concurrent_edits_of_one_revision_apply_once(world: World) -> None:
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, DRAFT)
    texts = iter(f"By editor {number}" for number in range(100))

    check = only(blog.revision)

    def edit() -> Blog:
        draft = replace(DRAFT, markdown=next(texts))
        return posts.edit(owner, blog.blog_id, draft, check)

    edited, conflicts = run_concurrently(6, edit, Conflict)
    assert (len(edited), len(conflicts)) == (1, 5)
    assert [old.number for old in posts.history(blog.blog_id)] == [1]


def test_concurrent_edits_without_a_check_lose_no_version(world: World) -> None:
    posts, owner = world.service.posts, world.user()
    blog = posts.create(owner, DRAFT)
    texts = iter(f"By editor {number}" for number in range(100))

    def edit() -> Blog:
        return posts.edit(owner, blog.blog_id, replace(DRAFT, markdown=next(texts)))

    edited, _ = run_concurrently(4, edit, Busy)
    written = {old.markdown for old in posts.history(blog.blog_id)}
    written.add(posts.get(blog.blog_id).content.markdown)
    assert len(written) == len(edited) + 1


def _lossy(world: World) -> tuple[InterruptedDriver, InterruptedDriver]:
    """Return a driver that loses the response of a transaction, and one that then fails."""
    lost = InterruptedDriver(world.driver, TransactWriteItems, after=InternalError)
    return lost, InterruptedDriver(
        lost, TransactWriteItems, before=InternalError, first=1, times=None
    )


def test_lost_response_does_not_apply_an_edit_twice(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = posts.create(owner, DRAFT)
    lost, driver = _lossy(memory)
    edited = memory.open(driver).posts.edit(
        owner, blog.blog_id, replace(DRAFT, markdown="New"), only(blog.revision)
    )
    assert lost.interrupted
    assert posts.get(blog.blog_id).blog == edited
    assert (edited.revision, len(posts.history(blog.blog_id))) == (2, 1)


def test_lost_response_does_not_create_a_post_twice(memory: World) -> None:
    lost, driver = _lossy(memory)
    blog = memory.open(driver).posts.create(memory.user(), replace(DRAFT, slug="tea"))
    assert lost.interrupted
    assert memory.service.posts.list_in(Listing.DRAFTS) == [blog]


def test_derived_slug_gets_a_number_if_it_is_taken(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    slugs = [posts.create(owner, DRAFT).slug for _ in range(11)]
    assert slugs[:9] == ["hello-world", *(f"hello-world-{number}" for number in range(2, 10))]
    assert len(set(slugs)) == 11
    assert posts.create(owner, PostDraft("日本語", "Text")).slug == "post"
    assert posts.create(owner, PostDraft("x" * 200, "Text")).slug == "x" * 91


def test_one_of_many_concurrent_creates_gets_the_slug(world: World) -> None:
    posts, owner = world.service.posts, world.user()
    draft = replace(DRAFT, slug="tea")
    made, taken = run_concurrently(6, lambda: posts.create(owner, draft), AlreadyExists)
    assert (len(made), len(taken)) == (1, 5)
    assert len(posts.list_in(Listing.DRAFTS)) == 1


def test_concurrent_creates_with_one_title_get_different_slugs(world: World) -> None:
    posts, owner = world.service.posts, world.user()
    made, _ = run_concurrently(4, lambda: posts.create(owner, DRAFT), Busy)
    assert len({blog.slug for blog in made}) == len(made) == 4


def test_old_slug_of_a_public_post_redirects(world: World) -> None:
    posts, owner, blog = world.service.posts, world.user(), published(world)
    draft = posts.get(blog.blog_id).draft
    posts.edit(owner, blog.blog_id, replace(draft, slug="second"))
    renamed = posts.edit(owner, blog.blog_id, replace(draft, slug="third"))
    assert renamed.old_slugs == ["hello-world", "second"]
    assert posts.find("hello-world") == posts.find("second") == Moved("third")
    back = posts.edit(owner, blog.blog_id, replace(draft, slug="hello-world"))
    assert back.old_slugs == ["second", "third"]
    assert isinstance(posts.find("hello-world"), Post)
    assert posts.find("third") == posts.find("second") == Moved("hello-world")


def test_edit_without_slug_keeps_that_of_a_public_post(memory: World) -> None:
    posts, owner, blog = memory.service.posts, memory.user(), published(memory)
    assert posts.edit(owner, blog.blog_id, PostDraft("New", "Text")).slug == "hello-world"
    draft = posts.create(owner, PostDraft("First", "Text"))
    assert posts.edit(owner, draft.blog_id, PostDraft("Second", "Text")).slug == "second"


def test_slug_of_a_draft_is_released(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = posts.create(owner, DRAFT)
    # A scheduled post that was never public is a draft for this purpose.
    posts.publish(owner, blog.blog_id, memory.clock() + timedelta(days=1))
    renamed = posts.edit(owner, blog.blog_id, replace(DRAFT, slug="other"))
    assert renamed.old_slugs == []
    assert posts.create(owner, DRAFT).slug == "hello-world"


def test_slug_of_a_scheduled_post_redirects_after_its_time(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = posts.create(owner, DRAFT)
    posts.publish(owner, blog.blog_id, memory.clock() + timedelta(days=1))
    memory.clock.advance(days=2)
    posts.edit(owner, blog.blog_id, replace(DRAFT, slug="other"))
    assert posts.find("hello-world") == Moved("other")


def test_draft_with_a_released_slug_leaves_the_redirect_until_it_is_public(memory: World) -> None:
    posts, owner, old = memory.service.posts, memory.user(), published(memory)
    posts.edit(owner, old.blog_id, replace(posts.get(old.blog_id).draft, slug="moved"))
    taker = posts.create(owner, replace(DRAFT, slug="hello-world"))
    assert posts.find("hello-world") == Moved("moved")
    posts.edit(owner, taker.blog_id, replace(DRAFT, slug="other"))
    assert posts.find("hello-world") == Moved("moved")
    posts.edit(owner, taker.blog_id, replace(DRAFT, slug="hello-world"))
    posts.publish(owner, taker.blog_id, memory.clock() + timedelta(hours=1))
    assert posts.find("hello-world") == Moved("moved")
    memory.clock.advance(hours=1)
    assert isinstance(posts.find("hello-world"), Post)
    posts.unpublish(owner, taker.blog_id)
    assert posts.find("hello-world") is None


def test_unpublished_post_with_a_released_slug_leaves_the_redirect(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    old, taker = published(memory, "Old"), published(memory, "Taker")
    posts.edit(owner, old.blog_id, PostDraft("Old", "Text", slug="moved"))
    posts.unpublish(owner, taker.blog_id)
    posts.edit(owner, taker.blog_id, PostDraft("Taker", "Text", slug="old"))
    assert posts.find("old") == Moved("moved")
    posts.edit(owner, taker.blog_id, PostDraft("Taker", "Text", slug="other"))
    assert posts.find("old") == Moved("moved")
    # Its own old slug is its own again after it was taken back and released as a draft.
    posts.edit(owner, taker.blog_id, PostDraft("Taker", "Text", slug="taker"))
    posts.edit(owner, taker.blog_id, PostDraft("Taker", "Text", slug="new"))
    assert posts.publish(owner, taker.blog_id, None).old_slugs == ["taker"]
    assert posts.find("taker") == Moved("new")
    assert posts.find("other") is None


def test_number_of_old_slugs_is_bounded(memory: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable_apps.portfolio.service.slugs.MAX_OLD_SLUGS", 2)
    posts, owner, blog = memory.service.posts, memory.user(), published(memory)
    for slug in ("a", "b"):
        posts.edit(owner, blog.blog_id, PostDraft("T", "x", slug=slug))
    with pytest.raises(InvalidInput) as raised:
        posts.edit(owner, blog.blog_id, PostDraft("T", "x", slug="c"))
    assert list(raised.value.errors) == ["slug"]
    assert posts.edit(owner, blog.blog_id, PostDraft("T", "x", slug="a")).slug == "a"


def test_list_goes_forward_and_back(world: World) -> None:
    posts = world.service.posts
    titles = [published(world, f"Post {number}").title for number in range(5)][::-1]
    first = posts.list_published(2)
    second = posts.list_published(2, first.cursor)
    # A post that is published meanwhile does not shift the pages.
    published(world, "Meanwhile")
    third = posts.list_published(2, second.cursor)
    pages = [[blog.title for blog in page.items] for page in (first, second, third)]
    assert pages == [titles[:2], titles[2:4], titles[4:]]
    assert (first.previous, third.cursor) == (None, None)
    back = posts.list_published(2, third.previous)
    assert [blog.title for blog in back.items] == titles[2:4]
    assert posts.list_published(1).items[0].title == "Meanwhile"


def test_altered_cursor_is_rejected(memory: World) -> None:
    posts = memory.service.posts
    for number in range(3):
        published(memory, f"Post {number}")
    later = posts.create(memory.user(), DRAFT)
    posts.publish(memory.user(), later.blog_id, memory.clock() + timedelta(days=1))
    cursor = posts.list_published(1).cursor
    assert cursor is not None
    time, _, rest = cursor.partition(".")
    bad = ["", "x", "1.", ".x", f"{time}.x", f"{int(time) + 10**6}.{rest}", rest, f"٣.{rest}"]
    for text in (*bad, f"{'9' * 11}.{rest}", "\ud800.\ud800"):
        with pytest.raises(InvalidCursor):
            posts.list_published(1, text)


def test_preview_link_shows_a_draft_for_a_month(memory: World) -> None:
    posts = memory.service.posts
    blog = posts.create(memory.user(), DRAFT)
    token = posts.preview_token(blog)
    assert posts.open_preview(token).blog == blog
    other = posts.preview_token(evolve(blog, blog_id="x"))
    for wrong in ("", "x", token[:-2], token + "x", "\ud800", other):
        with pytest.raises(NotFound):
            posts.open_preview(wrong)
    memory.clock.advance(seconds=PREVIEW_LIFETIME.total_seconds() + 2)
    with pytest.raises(NotFound, match="expired"):
        posts.open_preview(token)


def test_post_is_stored_as_documented(memory: World) -> None:
    blog = published(memory)
    query = Query(
        data_table.name,
        key_condition_expression="PK = :pk",
        expression_attribute_values={":pk": {"S": f"BLOG#{blog.blog_id}"}},
    )
    text, metadata = memory.driver.execute(query).items
    assert (text["SK"], metadata["SK"]) == ({"S": "CONTENT"}, {"S": "METADATA"})
    assert metadata["GSI1PK"] == {"S": "BLOG#ALL"}
    assert metadata["GSI2PK"] == {"S": "SLUG#hello-world"}
    assert metadata["GSI2SK"] == {"S": blog.blog_id}
    assert metadata["blogId"] == {"S": blog.blog_id}


def test_edit_changes_the_current_draft_and_withdraws_the_post(memory: World) -> None:
    posts, owner = memory.service.posts, memory.user()
    blog = published(memory)
    edited = posts.edit(
        owner,
        blog.blog_id,
        lambda draft: replace(draft, title="Hello again"),
        publication=Publication(PostStatus.DRAFT),
    )
    assert (edited.title, edited.slug, edited.revision) == ("Hello again", blog.slug, 3)
    assert posts.find(blog.slug) is None
    with pytest.raises(InvalidInput):
        posts.edit(
            owner,
            blog.blog_id,
            lambda draft: replace(draft, markdown=""),
            publication=Publication(PostStatus.PUBLISHED),
        )
