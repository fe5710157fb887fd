"""Comments wait for approval, are published once, and reach nobody else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.testing import InterruptedDriver
from singletable import Query, Store, TransactWriteItems
from singletable_apps.portfolio.comment_rules import (
    MAX_PENDING_OF_VISITOR,
    CommentDraft,
    ref_of,
)
from singletable_apps.portfolio.entities import Blog, Comment, Listing, PendingComment, Role
from singletable_apps.portfolio.rules import SwitchedOff
from singletable_apps.portfolio.service import SITE
from singletable_apps.shared.errors import AppError, Busy, InvalidInput, NotFound
from singletable_apps.shared.mail import MailNotSent
from singletable_apps.shared.permissions import NotPermitted
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.posts import fill_queue, store_post
from tests.apps.support.concurrency import run_concurrently
from tests.apps.support.tables import stored_text

DRAFT = CommentDraft("Bob", "Nice post!\n\nThanks.", "bob@example.org")
pytestmark = pytest.mark.usefixtures("post")


def submit(world: World, draft: CommentDraft = DRAFT, blog_id: str = "tea") -> str:
    """Submit a comment and return its name."""
    before = {each.comment_id for each in pending(world)}
    world.service.comments.submit(blog_id, draft, "visitor of Bob")
    [new] = [each for each in pending(world) if each.comment_id not in before]
    return ref_of(new)


def pending(world: World) -> list[PendingComment]:
    """Return the queue as it is stored."""
    store = Store(world.driver, clock=world.clock)
    return list(store.query(PendingComment.key.partition(), consistent=True))


def test_comment_is_public_once_it_is_approved(world: World) -> None:
    store_post(world)
    comments, ada = world.service.comments, world.user()
    ref = submit(world)
    assert comments.of_post("tea") == []
    assert comments.count_pending() == 1
    [queued] = comments.queue(ada).items
    assert (queued.ref, queued.comment.author_name) == (ref, "Bob")
    assert queued.blog is not None
    assert queued.blog.title == "About tea"

    approved = comments.approve(ada, ref)
    assert comments.of_post("tea") == [approved]
    assert (approved.author_name, approved.content) == ("Bob", DRAFT.content)
    assert approved.created_at == queued.comment.created_at
    assert approved.approved_by == "ada@example.org"
    assert comments.queue(ada).items == []
    assert comments.count_pending() == 0

    comments.delete(ada, ref)
    comments.delete(ada, ref)
    assert comments.of_post("tea") == []


def test_comments_are_listed_oldest_first(memory: World) -> None:
    texts = [f"Comment {number}" for number in range(5)]
    refs: list[str] = []
    for text in texts:
        memory.clock.advance(seconds=1)
        refs.append(submit(memory, replace(DRAFT, content=text)))
    for ref in reversed(refs):
        memory.service.comments.approve(memory.user(), ref)
    assert [each.content for each in memory.service.comments.of_post("tea")] == texts


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (replace(DRAFT, author_name=" "), "author_name"),
        (replace(DRAFT, author_name="\u200b"), "author_name"),
        (replace(DRAFT, author_name="x" * 81), "author_name"),
        (replace(DRAFT, author_name="Bob\x00"), "author_name"),
        (replace(DRAFT, author_name="\ud800"), "author_name"),
        (replace(DRAFT, content="\n \t"), "content"),
        (replace(DRAFT, content="x" * 5_001), "content"),
        (replace(DRAFT, content="a\x1b[2Jb"), "content"),
        (replace(DRAFT, content="right\u202eleft"), "content"),
        (replace(DRAFT, author_email="bob"), "author_email"),
        (replace(DRAFT, author_email="bob@example.org\nBcc: eve@example.org"), "author_email"),
    ],
    ids=range(11),
)
def test_invalid_comment_names_the_field(memory: World, draft: CommentDraft, field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        memory.service.comments.submit("tea", draft, "bob")
    assert list(raised.value.errors) == [field]
    assert pending(memory) == []


def test_longest_comment_without_address_is_accepted(memory: World) -> None:
    draft = CommentDraft("N" * 80, "𝄞" * 5_000)
    comment = memory.service.comments.approve(memory.user(), submit(memory, draft))
    assert (comment.content, comment.author_email) == ("𝄞" * 5_000, "")


def test_comment_of_a_bot_is_ignored(memory: World) -> None:
    draft = replace(DRAFT, website="https://spam.example", content="")
    memory.service.comments.submit("tea", draft, "bot")
    assert pending(memory) == []
    assert memory.mailbox.emails == []


def test_only_public_posts_take_comments(memory: World) -> None:
    store_post(memory, "draft", listing=Listing.DRAFTS)
    store_post(memory, "later", published_at=memory.clock.now + timedelta(hours=1))
    for blog_id in ("draft", "later", "none", "", "a#b", "\ud800"):
        with pytest.raises(NotFound):
            memory.service.comments.submit(blog_id, DRAFT, "bob")
    assert memory.service.comments.of_post("a#b") == []


def test_comments_can_be_switched_off(memory: World) -> None:
    ref = submit(memory)
    memory.service.profile.update_settings(memory.user(), {"comments": False})
    with pytest.raises(SwitchedOff):
        memory.service.comments.submit("tea", DRAFT, "bob")
    assert memory.service.comments.approve(memory.user(), ref).author_name == "Bob"


def test_comment_that_is_submitted_twice_is_in_the_queue_once(memory: World) -> None:
    for _ in range(3):
        memory.service.comments.submit("tea", DRAFT, "bob")
        memory.clock.advance(seconds=2)
    assert len(pending(memory)) == 1
    memory.service.comments.submit("tea", DRAFT, "another visitor")
    assert len(pending(memory)) == 2


def test_visitor_cannot_fill_the_queue(memory: World) -> None:
    comments = memory.service.comments
    for number in range(MAX_PENDING_OF_VISITOR):
        comments.submit("tea", replace(DRAFT, content=f"{number}"), "bob")
    with pytest.raises(InvalidInput, match="20 of your comments"):
        comments.submit("tea", DRAFT, "bob")
    comments.submit("tea", DRAFT, "eve")
    comments.reject(memory.user(), ref_of(pending(memory)[0]))
    comments.submit("tea", DRAFT, "bob")
    assert len(pending(memory)) == MAX_PENDING_OF_VISITOR + 1


def test_queue_is_limited(memory: World) -> None:
    fill_queue(memory, "tea")
    with pytest.raises(Busy, match="Too many comments"):
        memory.service.comments.submit("tea", DRAFT, "bob")
    memory.clock.advance(days=2)
    memory.service.comments.submit("tea", DRAFT, "bob")
    assert len(pending(memory)) == 1


# Counting a queue of long comments must not read their texts.
def test_limits_are_checked_with_the_index(memory: World) -> None:
    for number in range(15):
        draft = replace(DRAFT, content=f"{number}" + "x" * 4_000)
        memory.service.comments.submit("tea", draft, f"{number}")
    memory.calls.clear()
    memory.service.comments.submit("tea", DRAFT, "bob")
    sent = [request.operation for call in memory.calls for request in call.requests]
    indexes = [operation.index_name for operation in sent if isinstance(operation, Query)]
    assert indexes == ["LikesByBlog"] * 2


def test_pending_comment_expires_after_90_days(memory: World) -> None:
    ref = submit(memory)
    memory.clock.advance(days=89)
    assert len(memory.service.comments.queue(memory.user()).items) == 1
    memory.clock.advance(days=2)
    assert memory.service.comments.queue(memory.user()).items == []
    assert memory.service.comments.count_pending() == 0
    with pytest.raises(NotFound):
        memory.service.comments.approve(memory.user(), ref)


def test_approving_and_rejecting_again_changes_nothing(memory: World) -> None:
    comments, ada = memory.service.comments, memory.user()
    ref = submit(memory)
    first = comments.approve(ada, ref)
    memory.clock.advance(hours=1)
    assert comments.approve(memory.user(email="eve@example.org"), ref) == first
    with pytest.raises(NotFound, match="approved"):
        comments.reject(ada, ref)
    assert comments.of_post("tea") == [first]
    other = submit(memory, replace(DRAFT, content="Spam"))
    comments.reject(ada, other)
    comments.reject(ada, other)
    with pytest.raises(NotFound, match="rejected"):
        comments.approve(ada, other)
    assert memory.service.stats.days(SITE, 1)[0].comments == 1


def test_concurrent_moderators_publish_a_comment_once(worlds: tuple[World, World]) -> None:
    world, other = worlds
    store_post(world)
    ref = submit(world)
    services = [world.service, other.service] * 8

    def approve() -> Comment:
        service = services.pop()
        return service.comments.approve(world.user(email=f"{len(services)}@example.org"), ref)

    results, errors = run_concurrently(16, approve, AppError)
    assert errors == []
    assert len({each.approved_by for each in results}) == 1
    assert len(world.service.comments.of_post("tea")) == 1
    assert pending(world) == []


def test_concurrent_approval_and_rejection_agree(worlds: tuple[World, World]) -> None:
    world, other = worlds
    store_post(world)
    for number in range(10):
        ref = submit(world, replace(DRAFT, content=f"{number}"))
        actions: list[Callable[[], Comment | None]] = [
            partial(world.service.comments.approve, world.user(), ref),
            partial(other.service.comments.reject, world.user(), ref),
        ]
        results, _ = run_concurrently(2, lambda: actions.pop()(), NotFound)  # noqa: B023
        public = [each.content for each in other.service.comments.of_post("tea")]
        assert (f"{number}" in public) == any(isinstance(each, Comment) for each in results)
        assert pending(world) == []


def test_authors_moderate_their_own_posts_only(memory: World) -> None:
    store_post(memory, "milk", author="eve@example.org")
    comments = memory.service.comments
    on_tea, on_milk = submit(memory), submit(memory, blog_id="milk")
    eve = memory.user(Role.AUTHOR, "eve@example.org")
    assert [each.ref for each in comments.queue(eve).items] == [on_milk]
    assert {each.ref for each in comments.queue(memory.user()).items} == {on_tea, on_milk}
    for action in (comments.approve, comments.reject, comments.delete):
        with pytest.raises(NotPermitted):
            action(eve, on_tea)
    assert len(pending(memory)) == 2
    comments.approve(eve, on_milk)
    comments.delete(eve, on_milk)
    comments.reject(memory.user(), on_tea)


def test_queue_of_an_author_skips_pages_of_others(memory: World) -> None:
    store_post(memory, "milk", author="eve@example.org")
    for number in range(12):
        memory.clock.advance(seconds=1)
        submit(memory, replace(DRAFT, content=f"{number}"), "milk" if number in (7, 11) else "tea")
    comments, eve = memory.service.comments, memory.user(Role.AUTHOR, "eve@example.org")
    first = comments.queue(eve, limit=3)
    assert [each.comment.content for each in first.items] == ["7"]
    second = comments.queue(eve, first.cursor, limit=3)
    assert [each.comment.content for each in second.items] == ["11"]
    assert second.cursor is None
    owned = comments.queue(memory.user(), limit=5)
    following = comments.queue(memory.user(), owned.cursor, limit=5)
    assert [each.comment.content for each in following.items] == ["5", "6", "7", "8", "9"]
    back = comments.queue(memory.user(), following.previous, limit=5)
    assert [each.ref for each in back.items] == [each.ref for each in owned.items]


def test_approving_a_comment_of_a_deleted_post_removes_it(world: World) -> None:
    blog = store_post(world)
    ref = submit(world)
    other = submit(world, replace(DRAFT, content="Another"))
    Store(world.driver).delete(Blog.key(blog.blog_id))
    comments, eve = world.service.comments, world.user(Role.AUTHOR, "eve@example.org")
    # Nobody knows the author of the post any more, and comments have addresses.
    assert comments.queue(eve).items == []
    assert [each.blog for each in comments.queue(world.user()).items] == [None, None]
    with pytest.raises(NotFound, match="post of this comment was deleted"):
        comments.approve(eve, ref)
    comments.reject(eve, other)
    assert pending(world) == []
    assert comments.of_post("tea") == []


# A post is hidden first, and then deleted with its comments.
@pytest.mark.parametrize("is_hidden", [True, False])
def test_post_that_is_deleted_during_approval_gets_no_comment(
    memory: World, is_hidden: bool
) -> None:
    ref = submit(memory)
    store, key = Store(memory.driver), Blog.key("tea")
    driver = InterruptedDriver(
        memory.driver,
        TransactWriteItems,
        before=lambda: (
            store.update(key, Blog.listing.set(Listing.DELETED)) if is_hidden else store.delete(key)
        ),
    )
    with pytest.raises(NotFound, match="post of this comment was deleted"):
        memory.open(driver).comments.approve(memory.user(), ref)
    assert driver.interrupted
    assert memory.service.comments.of_post("tea") == pending(memory) == []


@pytest.mark.parametrize(
    "ref", ["", "tea", "tea.1.", "tea.1.xyz", "tea.99999999999.a", "a#b.1.a", "tea.1.a", "\ud800"]
)
def test_unknown_comment_is_not_found(memory: World, ref: str) -> None:
    with pytest.raises(NotFound):
        memory.service.comments.approve(memory.user(), ref)


def test_name_of_a_comment_with_another_post_is_not_found(memory: World) -> None:
    store_post(memory, "milk", author="eve@example.org")
    ref = submit(memory).replace("tea.", "milk.")
    with pytest.raises(NotFound):
        memory.service.comments.approve(memory.user(Role.AUTHOR, "eve@example.org"), ref)
    assert len(pending(memory)) == 1


def test_visitor_is_stored_as_a_hash_only(memory: World) -> None:
    visitor = memory.service.likes.visitor("203.0.113.77")
    memory.service.comments.submit("tea", DRAFT, visitor)
    text = stored_text(memory.service.context.store, "DataTable")
    assert "203.0.113.77" not in text
    assert visitor not in text
    memory.service.comments.approve(memory.user(), ref_of(pending(memory)[0]))
    assert "visitor" not in stored_text(memory.service.context.store, "DataTable")


FAULTS = {
    "throttled": Faults(throttle=Next(3)),
    "responses lost": Faults(internal_after=Next(12)),
    "one response lost": Faults(internal_after=Next(1)),
    "conflicts": Faults(conflict=Next(3)),
    "all at once": Faults(throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.1, seed=5),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_comments_are_stored_once_despite_faults(
    memory: World, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    driver = FaultyDriver(memory.driver)
    comments = memory.open(driver).comments
    with driver.inject(FAULTS[fault]):
        comments.submit("tea", DRAFT, "bob")
    [stored] = pending(memory)
    with driver.inject(FAULTS[fault]):
        comments.approve(memory.user(), ref_of(stored))
    assert pending(memory) == []
    assert len(comments.of_post("tea")) == 1


def test_owner_gets_one_notice_an_hour(memory: World) -> None:
    memory.service.profile.update_portfolio(memory.user(), {"email": "ada@home.example"})
    for number in range(3):
        submit(memory, replace(DRAFT, content=f"Comment {number}"))
        memory.clock.advance(minutes=20)
    [email] = memory.mailbox.emails
    assert email.to == "ada@home.example"
    assert email.subject == "1 comment waits for approval"
    assert "Bob commented on “About tea”:\n\nComment 0" in email.text
    assert "https://ada.example/portfolio/admin/comments" in email.text
    memory.clock.advance(minutes=10)
    submit(memory)
    assert memory.mailbox.emails[1].subject == "4 comments wait for approval"
    assert len(memory.mailbox.emails) == 2


def test_comment_is_stored_even_if_the_notice_is_not_sent(memory: World) -> None:
    memory.service.profile.update_portfolio(memory.user(), {"email": "ada@home.example"})
    memory.server.error = MailNotSent("Could not connect.", is_temporary=True)
    submit(memory)
    assert memory.mailbox.emails == []
    assert len(pending(memory)) == 1


def test_comment_without_an_owner_sends_nothing(memory: World) -> None:
    submit(memory)
    assert memory.mailbox.emails == []
    assert len(pending(memory)) == 1
