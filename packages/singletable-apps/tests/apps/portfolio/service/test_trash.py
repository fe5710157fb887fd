"""The trash: what is deleted can be restored as it was, and is gone after 30 days."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from singletable import Scan
from singletable_apps.portfolio.comment_rules import CommentDraft, ref_of
from singletable_apps.portfolio.entities import (
    Blog,
    Comment,
    Listing,
    Media,
    Role,
    TrashKind,
    User,
    data_table,
)
from singletable_apps.portfolio.rules import PostDraft, PostStatus, post_status
from singletable_apps.portfolio.site_files import PostFile
from singletable_apps.portfolio.transfer import export_site
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.images import image_file
from tests.apps.portfolio.support.posts import publish


@pytest.fixture
def owner(memory: World) -> User:
    return memory.set_up()


def _approve(world: World, blog: Blog) -> Comment:
    comments = world.service.comments
    comments.submit(blog.blog_id, CommentDraft("Grace", "Well."), "visitor")
    return comments.approve(world.owner(), comments.queue(world.owner()).items[0].ref)


def _upload(world: World) -> Media:
    return world.service.media.upload(world.owner(), image_file(), "a.png", "A square")


def test_post_in_the_trash_is_invisible_and_comes_back_whole(memory: World, owner: User) -> None:
    service = memory.service
    blog = publish(memory, "On tea", days_ago=3)
    comment = _approve(memory, blog)
    service.likes.like(blog.blog_id, service.likes.visitor("203.0.113.1"))
    service.posts.move(owner, blog.blog_id, Listing.TRASH)
    assert service.posts.find("on-tea") is None
    assert (service.posts.list_all(), service.catalog.visible(memory.clock())) == ([], [])
    assert not any(name.startswith("posts/") for name, _ in export_site(service))
    for read in (service.posts.get, service.context.get_public_blog):
        with pytest.raises(NotFound):
            read(blog.blog_id)
    with pytest.raises(AlreadyExists, match="trash"):
        service.posts.create(owner, PostDraft("T", "", slug="on-tea"))
    with pytest.raises(InvalidInput, match="trash"):
        service.posts.import_post(owner, PostFile(title="On tea", slug="on-tea"))
    service.trash.restore(owner, TrashKind.POST, blog.blog_id)
    assert [each.title for each in service.catalog.visible(memory.clock())] == ["On tea"]
    restored = service.posts.get(blog.blog_id).blog
    assert (restored.published_at, restored.listed_at) == (blog.published_at, blog.listed_at)
    assert service.comments.of_post(blog.blog_id) == [comment]
    assert service.likes.counts([blog.blog_id]) == {blog.blog_id: 1}
    assert service.trash.list(owner) == []


@pytest.mark.parametrize(
    ("scheduled_in", "expected"),
    [(None, PostStatus.DRAFT), (1, PostStatus.DRAFT), (9, PostStatus.SCHEDULED)],
)
def test_post_that_missed_its_time_in_the_trash_is_a_draft(
    memory: World, owner: User, scheduled_in: int | None, expected: PostStatus
) -> None:
    posts = memory.service.posts
    blog = posts.create(owner, PostDraft("On tea", "Text."))
    if scheduled_in is not None:
        posts.publish(owner, blog.blog_id, memory.clock() + timedelta(days=scheduled_in))
    posts.move(owner, blog.blog_id, Listing.TRASH)
    memory.clock.advance(days=2)
    memory.service.trash.restore(owner, TrashKind.POST, blog.blog_id)
    assert post_status(posts.get(blog.blog_id).blog, memory.clock()) is expected


def test_pending_comments_of_a_post_in_the_trash_wait(memory: World, owner: User) -> None:
    comments, blog = memory.service.comments, publish(memory, "On tea")
    comments.submit(blog.blog_id, CommentDraft("Grace", "Well."), "visitor")
    [waiting] = comments.queue(owner).items
    memory.service.posts.move(owner, blog.blog_id, Listing.TRASH)
    assert comments.queue(owner).items == []
    with pytest.raises(NotFound, match="trash"):
        comments.approve(owner, waiting.ref)
    memory.service.trash.restore(owner, TrashKind.POST, blog.blog_id)
    assert [each.comment for each in comments.queue(owner).items] == [waiting.comment]


def test_comment_and_image_come_back_as_they_were(memory: World, owner: User) -> None:
    service = memory.service
    comment, image = _approve(memory, publish(memory, "On tea")), _upload(memory)
    service.comments.delete(owner, ref_of(comment))
    service.media.delete(owner, image.name)
    assert service.comments.of_post(comment.blog_id) == service.media.list().items == []
    with pytest.raises(NotFound):
        service.media.open(image.name, 480)
    service.trash.restore(owner, TrashKind.COMMENT, ref_of(comment))
    service.trash.restore(owner, TrashKind.IMAGE, image.name)
    assert service.comments.of_post(comment.blog_id) == [comment]
    assert service.media.list().items == [image]
    assert service.media.open(image.name, 480)


def test_rejected_comment_waits_again_once_it_is_restored(memory: World, owner: User) -> None:
    comments, blog = memory.service.comments, publish(memory, "On tea")
    comments.submit(blog.blog_id, CommentDraft("Grace", "Well."), "visitor")
    [waiting] = comments.queue(owner).items
    comments.reject(owner, waiting.ref)
    assert comments.queue(owner).items == []
    memory.clock.advance(days=29)
    memory.service.trash.restore(owner, TrashKind.COMMENT, waiting.ref)
    [again] = comments.queue(owner).items
    assert (again.ref, again.comment.ends) == (
        waiting.ref,
        waiting.comment.ends + timedelta(days=29),
    )


def test_image_that_was_uploaded_again_survives_its_trash(memory: World, owner: User) -> None:
    service, image = memory.service, _upload(memory)
    service.media.delete(owner, image.name)
    again = _upload(memory)
    memory.clock.advance(days=31)
    service.trash.empty()
    assert (service.media.list().items, service.trash.list(owner)) == ([again], [])
    assert service.media.open(image.name, 480)


def test_trash_is_emptied_after_30_days(memory: World, owner: User) -> None:
    service, image = memory.service, _upload(memory)
    blog, other = publish(memory, "On tea"), publish(memory, "On milk")
    refs = [ref_of(_approve(memory, each)) for each in (blog, other)]
    for ref in refs:
        service.comments.delete(owner, ref)
    service.media.delete(owner, image.name)
    service.posts.move(owner, blog.blog_id, Listing.TRASH)
    memory.clock.advance(days=29)
    service.trash.empty()
    assert len(service.trash.list(owner)) == 4
    memory.clock.advance(days=1)
    service.trash.empty()
    assert service.trash.list(owner) == memory.bucket.list_objects() == []
    items = json.dumps([*memory.driver.execute(Scan(data_table.name)).items])
    assert [name in items for name in (blog.blog_id, *refs, image.name)] == [False] * 4
    assert service.posts.find("on-milk") is not None


def test_authors_restore_their_own(memory: World, owner: User) -> None:
    service = memory.service
    ben = memory.user(Role.AUTHOR, "ben@example.org", "Ben")
    mine, image = service.posts.create(ben, PostDraft("Mine", "x")), _upload(memory)
    service.posts.move(ben, mine.blog_id, Listing.TRASH)
    service.media.delete(owner, image.name)
    assert [each.title for each in service.trash.list(ben)] == ["Mine"]
    assert len(service.trash.list(owner)) == 2
    with pytest.raises(NotFound):
        service.trash.restore(ben, TrashKind.IMAGE, image.name)
