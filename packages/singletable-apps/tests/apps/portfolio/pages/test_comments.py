"""Moderate comments: one by one, several at once, and after approval."""

from __future__ import annotations

import pytest

from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.entities import Blog, TrashKind
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import forms_in, text_in


@pytest.fixture
def blog(app: PagesApp) -> Blog:
    return publish(app.world, "On tea")


def _comment(app: PagesApp, blog: Blog, *names: str) -> None:
    for name in names:
        draft = CommentDraft(author_name=name, author_email="", content=f"<b>{name}</b> was here.")
        app.world.service.comments.submit(blog.blog_id, draft, name)


def _approved(app: PagesApp, blog: Blog) -> list[str]:
    comments = app.world.service.comments.of_post(blog.blog_id)
    return sorted(comment.author_name for comment in comments)


def test_comment_is_escaped_in_the_queue_and_approved(
    app: PagesApp, ada: Browser, blog: Blog
) -> None:
    _comment(app, blog, "Grace", "Mary")
    page = ada.get("comments")
    assert "&lt;b&gt;Grace&lt;/b&gt;" in page.text
    (form,) = forms_in(page)
    refs = form.offered["ref"]
    assert ada.flash(ada.post(form.action, {"approve": refs[0]})) == "Approved 1 comment."
    assert ada.flash(ada.post(form.action, {"reject": refs[1]})) == "Rejected 1 comment."
    assert len(_approved(app, blog)) == 1
    assert "Nothing to moderate" in text_in(ada.get("comments").text)


def test_rejected_comment_is_brought_back(app: PagesApp, ada: Browser, blog: Blog) -> None:
    _comment(app, blog, "Grace")
    (form,) = forms_in(ada.get("comments"))
    [ref] = form.offered["ref"]
    undo = app.urls.admin("trash", TrashKind.COMMENT, ref, "restore")
    page = ada.follow(ada.post(form.action, {"reject": ref}))
    assert f'action="{undo}"' in page.text
    response = ada.post(undo)
    assert response.headers["location"] == form.action
    assert ada.flash(response).startswith("Restored “Grace:")
    (form,) = forms_in(ada.get("comments"))
    assert form.offered["ref"] == [ref]


def test_times_of_comments_and_people_are_those_of_the_site(
    app: PagesApp, ada: Browser, blog: Blog
) -> None:
    _comment(app, blog, "Grace")
    ada.flash(ada.submit(ada.get("settings"), "/settings", time_zone="America/New_York"))
    assert "EST" in text_in(ada.get("comments").text)
    assert "EST" in text_in(ada.get("people", f"{app.world.owner().user_id}").text)


def test_selected_comments_are_approved_together(app: PagesApp, ada: Browser, blog: Blog) -> None:
    _comment(app, blog, "Grace", "Mary", "Emmy")
    (form,) = forms_in(ada.get("comments"))
    response = ada.post(form.action, {"action": "approve", "ref": form.offered["ref"]})
    assert ada.flash(response) == "Approved 3 comments."
    assert _approved(app, blog) == ["Emmy", "Grace", "Mary"]


@pytest.mark.parametrize(
    "data", [{"action": "approve"}, {"action": "burn", "ref": "x"}, {}, {"ref": "x"}]
)
def test_nothing_selected_is_said(app: PagesApp, ada: Browser, data: dict[str, str]) -> None:
    url = app.urls.admin("comments")
    assert ada.flash(ada.post(url, data)) == "Select at least one comment first."


def test_unknown_comment_is_said(app: PagesApp, ada: Browser, blog: Blog) -> None:
    url = app.urls.admin("comments")
    assert "no such comment" in ada.flash(ada.post(url, {"approve": "nonsense"}))
    assert ada.get("comments", cursor="nonsense").status_code == 400
