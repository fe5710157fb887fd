"""Delete, undo, restore, and delete forever."""

from __future__ import annotations

import html
import re

import pytest

from singletable_apps.portfolio.comment_rules import CommentDraft, ref_of
from singletable_apps.portfolio.entities import Experience, Project
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.images import image_file
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import text_in

KINDS = ["post", "comment", "image", "project", "position"]


def _create(app: PagesApp, kind: str) -> str:
    """Create something of a kind, and return the URL of the question before it is deleted."""
    service, owner = app.world.service, app.world.owner()
    blog = publish(app.world, "On tea")
    match kind:
        case "post":
            return app.urls.admin("posts", blog.blog_id, "delete")
        case "comment":
            service.comments.submit(blog.blog_id, CommentDraft("Grace", "Well."), "visitor")
            waiting = service.comments.queue(owner).items[0].ref
            ref = ref_of(service.comments.approve(owner, waiting))
            return app.urls.admin("comments", blog.blog_id, "delete", ref=ref)
        case "image":
            name = service.media.upload(owner, image_file(), "a.png").name
            return app.urls.admin("media", name, "delete")
        case "project":
            projects = [Project("1", "Loom"), Project("2", "Engine"), Project("3", "Notes")]
            service.profile.update_portfolio(owner, {"projects": projects})
            return app.urls.admin("portfolio", "projects", "2", "delete")
        case _:
            jobs = [Experience("1", "Clerk", "A"), Experience("2", "Cook", "B")]
            service.profile.update_portfolio(owner, {"experience": jobs})
            return app.urls.admin("portfolio", "experience", "2", "delete")


def _state(app: PagesApp) -> object:
    service = app.world.service
    person = service.profile.get_portfolio(consistent=True)
    posts = service.posts.list_all()
    comments = [service.comments.of_post(blog.blog_id) for blog in posts]
    ids = [blog.blog_id for blog in posts]
    return ids, comments, service.media.list().items, person.projects, person.experience


@pytest.mark.parametrize("kind", KINDS)
def test_deletion_is_undone_from_its_message(app: PagesApp, ada: Browser, kind: str) -> None:
    url = _create(app, kind)
    before = _state(app)
    question = ada.open(url)
    assert "for 30 days" in text_in(question.text)
    page = ada.follow(ada.submit(question, "/delete"))
    assert _state(app) != before
    undo = re.search(r'action="([^"]+)"><button type="submit" class="flash-undo"', page.text)
    assert undo
    assert ada.flash(ada.post(html.unescape(undo[1]))).startswith("Restored “")
    assert _state(app) == before
    assert "The trash is empty" in text_in(ada.get("trash").text)


@pytest.mark.parametrize("kind", KINDS)
def test_trash_is_deleted_forever_after_a_question(app: PagesApp, ada: Browser, kind: str) -> None:
    ada.follow(ada.submit(ada.open(_create(app, kind)), "/delete"))
    page = ada.get("trash")
    assert kind.capitalize() in text_in(page.text)
    assert "<time" not in text_in(page.text)
    link = re.search(r'href="([^"]*/trash/[^"]*/delete)"', page.text)
    assert link
    question = ada.open(html.unescape(link[1]))
    assert ada.flash(ada.submit(question, "/delete")).endswith("forever.")
    assert "The trash is empty" in text_in(ada.get("trash").text)
    assert ada.open(html.unescape(link[1])).status_code == 404


@pytest.mark.parametrize("path", ["nothing/x/restore", "post/x/restore", "image/../restore"])
def test_what_is_not_in_the_trash_is_not_found(app: PagesApp, ada: Browser, path: str) -> None:
    assert ada.post(f"{app.urls.admin('trash')}/{path}").status_code in (404, 422)
