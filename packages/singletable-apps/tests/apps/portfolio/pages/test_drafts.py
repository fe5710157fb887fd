"""Drafts of editors: kept on the server, offered later, and never replaced unseen."""

from __future__ import annotations

import httpx2
import pytest

from singletable_apps.portfolio.entities import Blog, EditorDraft, Project, Role
from singletable_apps.portfolio.rules import MAX_MARKDOWN_BYTES
from tests.apps.portfolio.pages.client import HOME, Browser, PagesApp
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import forms_in, text_in


@pytest.fixture
def blog(app: PagesApp) -> Blog:
    return publish(app.world, "On tea", "Public.")


def _keep(browser: Browser, place: str, etag: str | None = '"0"', **fields: str) -> httpx2.Response:
    """Send what a script sends while someone types."""
    browser.activate()
    headers = {"Accept": "application/json", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
    if etag is not None:
        headers["If-Match"] = etag
    url = browser.app.urls.admin("drafts", *place.split("/"))
    return browser.http.post(url, data=fields, headers=headers)


def _fields(page: httpx2.Response, ending: str) -> dict[str, str]:
    [form] = [form for form in forms_in(page) if form.action.endswith(ending)]
    return {name: values[-1] for name, values in form.fields.items() if name != "draft"}


PLACES = ["posts/new", "portfolio/about", "portfolio/projects/new", "portfolio/projects/p"]


@pytest.mark.parametrize("place", PLACES)
def test_draft_is_offered_later_until_it_is_saved(app: PagesApp, ada: Browser, place: str) -> None:
    projects = {"projects": [Project("p", "Pot")]}
    app.world.service.profile.update_portfolio(app.world.owner(), projects)
    name = "markdown" if place == "portfolio/about" else "title"
    typed = {**_fields(ada.get(*place.split("/")), place), name: "Typed"}
    kept = _keep(ada, place, **typed).json()
    assert kept["text"] == "Draft saved at 12:00"
    page = ada.get(*place.split("/"))
    assert "You have a draft here" in text_in(page.text)
    assert _fields(page, place)[name] == ("Pot" if place.endswith("/p") else "")
    chosen = ada.get(*place.split("/"), draft="1")
    assert _fields(chosen, place)[name] == "Typed"
    ada.follow(ada.submit(chosen, place))
    assert "a draft here" not in text_in(ada.get(*place.split("/")).text)


def test_published_post_keeps_its_text_until_it_is_updated(
    app: PagesApp, ada: Browser, blog: Blog
) -> None:
    place = f"posts/{blog.blog_id}"
    typed = {**_fields(ada.get(*place.split("/")), place), "markdown": "Typed."}
    assert _keep(ada, place, **typed).status_code == 200
    assert "Public." in ada.public("blog", "on-tea").text
    ada.follow(ada.submit(ada.get(*place.split("/"), draft="1"), place))
    assert "Typed." in ada.public("blog", "on-tea").text


def test_two_windows_do_not_replace_each_other(app: PagesApp, ada: Browser, blog: Blog) -> None:
    place, eve = f"posts/{blog.blog_id}", app.join("Eve", Role.OWNER)
    shown = ada.get(*place.split("/"))
    assert _keep(ada, place, markdown="Ada.").json()["draft"] == 1
    assert _keep(eve, place, markdown="Eve.").status_code == 412
    assert _keep(eve, place, etag=None, markdown="Eve.").status_code == 428
    assert _keep(ada, place, etag='"1"', markdown="Ada again.").json()["draft"] == 2
    # Eve saves something else: the draft of Ada stays, and its base is known.
    eve.follow(eve.submit(eve.get(*place.split("/")), place, markdown="Saved."))
    assert "Ada has a draft here" in text_in(eve.get(*place.split("/")).text)
    typed = {**_fields(shown, place), "markdown": "Ada at last."}
    _keep(ada, place, etag='"2"', **typed)
    chosen = ada.get(*place.split("/"), draft="1")
    assert ada.submit(chosen, place).status_code == 412
    assert app.world.service.posts.get(blog.blog_id).content.markdown == "Saved."


def test_discarding_deletes_the_draft_that_was_offered(
    app: PagesApp, ada: Browser, blog: Blog
) -> None:
    place = f"posts/{blog.blog_id}"
    _keep(ada, place, markdown="One.")
    offered = _fields(ada.get(*place.split("/")), place)
    _keep(ada, place, etag='"1"', markdown="Two.")
    url = app.urls.admin("discarded-drafts", *place.split("/"))
    for left, fields in (("Two.", offered), (None, {"offer-revision": "2"})):
        ada.follow(ada.post(url, fields))
        draft = app.world.service.drafts.find(app.world.owner(), place)
        assert (draft.fields["markdown"] if draft else None) == left


@pytest.mark.parametrize(
    ("place", "status"), [("portfolio/about", 403), ("posts/nothing", 404), ("a b", 422)]
)
def test_drafts_are_for_editors_of_the_place(ben: Browser, place: str, status: int) -> None:
    assert _keep(ben, place, markdown="x").status_code == status


def test_long_drafts_and_many_requests_are_rejected(app: PagesApp, ada: Browser) -> None:
    assert _keep(ada, "posts/new", markdown="x" * 2 * MAX_MARKDOWN_BYTES).status_code == 422
    answers = [_keep(ada, "posts/new", markdown="x") for _ in range(60)]
    assert answers[-1].status_code == 429
    stored = app.world.service.drafts.find(app.world.owner(), "posts/new")
    assert isinstance(stored, EditorDraft)
    app.world.clock.advance(days=31)
    assert app.world.service.drafts.find(app.world.owner(), "posts/new") is None
