"""Replies to comments: by readers, after approval, and by authors, who are marked."""

from __future__ import annotations

import pytest

from singletable import evolve
from singletable_apps.portfolio.comment_rules import CommentDraft, ref_of, threads
from singletable_apps.portfolio.entities import Blog, Comment
from singletable_apps.portfolio.transfer import activities_of, restore_activity
from singletable_apps.shared.errors import InvalidInput, NotFound
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.posts import publish


@pytest.fixture
def blog(app: PagesApp) -> Blog:
    return publish(app.world, "On tea")


def approve(app: PagesApp, blog: Blog, name: str, reply_to: str = "") -> Comment:
    comments = app.world.service.comments
    comments.submit(blog.blog_id, CommentDraft(name, f"{name} says", reply_to=reply_to), name)
    app.world.clock.advance(seconds=1)
    owner = app.world.owner()
    return comments.approve(owner, comments.queue(owner).items[0].ref)


def test_reader_answers_on_the_page_of_a_post(app: PagesApp, ada: Browser, blog: Blog) -> None:
    first = approve(app, blog, "Grace")
    reader = app.browser()
    page = reader.public("blog", blog.slug, reply=first.comment_id)
    assert "Reply to Grace" in page.text
    reader.submit(page, "#comment", author_name="Mary", content="Yes.")
    owner, comments = app.world.owner(), app.world.service.comments
    reply = comments.approve(owner, comments.queue(owner).items[0].ref)
    assert reply.reply_to == first.comment_id
    assert threads(comments.of_post(blog.blog_id)) == [(first, [reply])]


def test_author_answers_at_once_and_is_marked(app: PagesApp, ada: Browser, blog: Blog) -> None:
    first = approve(app, blog, "Grace")
    form = ada.get("comments", blog.blog_id, "reply", ref=ref_of(first))
    assert ada.submit(form, "/reply", content=" ").status_code == 422
    assert "on the page of the post" in ada.flash(ada.submit(form, "/reply", content="Thanks."))
    page = app.browser().public("blog", blog.slug).text
    assert page.index("Grace says") < page.index(">Author<") < page.index("Thanks.")


@pytest.mark.parametrize("content", ["", "x" * 5001])
def test_reply_is_checked(app: PagesApp, blog: Blog, content: str) -> None:
    first = approve(app, blog, "Grace")
    with pytest.raises(InvalidInput):
        app.world.service.comments.reply(app.world.owner(), ref_of(first), content)


def test_deleted_comment_has_no_replies(app: PagesApp, blog: Blog) -> None:
    comments, owner = app.world.service.comments, app.world.owner()
    first = approve(app, blog, "Grace")
    reply = comments.reply(owner, ref_of(first), "Thanks.")
    app.world.clock.advance(seconds=1)  # comments of the same second have no order
    later = approve(app, blog, "Mary", reply.comment_id)
    assert threads(comments.of_post(blog.blog_id)) == [(first, [reply, later])]
    comments.delete(owner, ref_of(first))
    assert threads(comments.of_post(blog.blog_id)) == [(reply, [later])]
    assert approve(app, blog, "Joan", first.comment_id).reply_to == ""
    with pytest.raises(NotFound):
        comments.reply(owner, ref_of(first), "Late.")


def test_comments_that_answer_each_other_are_one_thread(app: PagesApp, blog: Blog) -> None:
    one, other = approve(app, blog, "Grace"), approve(app, blog, "Mary")
    circle = [evolve(one, reply_to=other.comment_id), evolve(other, reply_to=one.comment_id)]
    [(_, replies)] = threads(circle)
    assert len(replies) == 1


def test_export_keeps_replies(app: PagesApp, blog: Blog) -> None:
    service = app.world.service
    first = approve(app, blog, "Grace")
    service.comments.reply(app.world.owner(), ref_of(first), "Thanks.")
    activity = activities_of(service, [blog.blog_id])[blog.blog_id]
    for comment in service.comments.of_post(blog.blog_id):
        service.comments.delete(app.world.owner(), ref_of(comment))
    assert restore_activity(service, blog, activity)
    [(_, [reply])] = threads(service.comments.of_post(blog.blog_id))
    assert (reply.content, reply.is_author) == ("Thanks.", True)
