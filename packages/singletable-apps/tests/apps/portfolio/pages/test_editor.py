"""Write posts: save, preview, publish, schedule, conflicts, history and deletion."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from singletable_apps.portfolio.entities import Blog, Listing
from singletable_apps.portfolio.rules import PostDraft, PostStatus, post_status
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, has_conflict, text_in

TEXT = "Tea is *good*."


def _write(browser: Browser, action: str = "save", **fields: str) -> str:
    """Write a new post and return the path of its editor."""
    values = {"title": "On tea", "markdown": TEXT, "action": action, **fields}
    response = browser.submit(browser.get("posts", "new"), "/new", **values)
    assert response.status_code == 303, text_in(response.text)
    return str(response.headers["location"])


def _posts(app: PagesApp) -> list[Blog]:
    posts = app.world.service.posts
    return posts.list_all()


def _status(app: PagesApp) -> PostStatus:
    (blog,) = _posts(app)
    return post_status(blog, app.world.clock())


def test_saved_draft_is_in_its_editor_and_in_the_list(app: PagesApp, ada: Browser) -> None:
    path = _write(ada, tags="Tea, green tea", category="Drinks", seo_description="About tea")
    page = ada.open(path)
    for text in (TEXT, 'value="on-tea"', 'value="tea, green-tea"', "About tea"):
        assert text in page.text
    assert "On tea" in text_in(ada.get("posts", "drafts").text)
    assert "On tea" not in text_in(ada.get("posts", "published").text)
    assert _status(app) is PostStatus.DRAFT


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"title": ""}, "title"),
        ({"canonical_url": "javascript:alert(1)"}, "canonical_url"),
        ({"markdown": "x" * 130_000}, "markdown"),
        ({"action": "schedule", "publish_at": ""}, "publish_at"),
        ({"action": "schedule", "publish_at": "soon"}, "publish_at"),
    ],
)
def test_invalid_post_keeps_the_text_and_names_the_field(
    app: PagesApp, ada: Browser, fields: dict[str, str], error: str
) -> None:
    values = {"title": "On tea", "markdown": TEXT, **fields}
    response = ada.submit(ada.get("posts", "new"), "/new", **values)
    assert response.status_code == 422
    assert error in field_errors(response)
    assert _posts(app) == []
    if error != "markdown":
        assert TEXT in response.text


@pytest.mark.parametrize("fields", [{"title": "On <i>tea"}, {"title": "Imprint", "is_page": "on"}])
def test_preview_is_the_public_page_of_a_form_that_is_not_saved(
    app: PagesApp, ada: Browser, fields: dict[str, str]
) -> None:
    text = "**Hi** <script>alert(1)</script>\n\n- a list"
    page = ada.post(app.urls.admin("preview"), {**fields, "markdown": text, "tags": "a, b"})
    for part in (
        "<strong>Hi</strong>",
        'class="nav"',
        "theme.css",
        'name="description" content="Hi"',
    ):
        assert part in page.text
    assert "alert(1)" not in page.text
    assert "This is a preview" not in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert _posts(app) == app.world.service.posts.list_in(Listing.PAGES) == []


def test_preview_has_the_date_and_the_author_of_the_post(app: PagesApp, ada: Browser) -> None:
    path = _write(app.join("Gus"), "backdate", publish_at="2020-05-01T08:30")
    url = ada.open(path).text.partition('data-preview-url="')[2].partition('"')[0]
    text = text_in(ada.post(url, {"title": "On tea", "markdown": TEXT}).text)
    assert "1 May 2020" in text
    assert "Gus" in text


def test_preview_needs_an_account_and_has_a_limit(app: PagesApp, ada: Browser) -> None:
    url = app.urls.admin("preview")
    assert "too long" in ada.post(url, {"title": "x", "markdown": "x" * 130_000}).text
    assert app.browser().post(url, {"markdown": "Hi"}).status_code == 303


def test_publish_now_schedule_and_unpublish(app: PagesApp, ada: Browser) -> None:
    path = _write(ada, "publish")
    assert _status(app) is PostStatus.PUBLISHED
    page = ada.open(path)
    assert "It is a draft again" in ada.flash(ada.submit(page, path, action="unpublish"))
    assert _status(app) is PostStatus.DRAFT
    later = f"{app.world.clock().year + 1}-06-01T09:30"
    response = ada.submit(ada.open(path), path, action="schedule", publish_at=later)
    assert "Scheduled for 1 June" in ada.flash(response)
    assert _status(app) is PostStatus.SCHEDULED
    assert "1 June" in text_in(ada.get("posts", "scheduled").text)
    assert "Scheduled for 1 June" in text_in(ada.open(path).text)


def test_schedule_in_the_past_asks_before_it_publishes(app: PagesApp, ada: Browser) -> None:
    path = _write(ada)
    page = ada.submit(ada.open(path), path, action="schedule", publish_at="2020-01-01T09:30")
    question = "This date is in the past. Publish now, dated 1 January 2020?"
    assert field_errors(page) == {"publish_at": question}
    assert _status(app) is PostStatus.DRAFT
    assert "Published" in ada.flash(ada.submit(page, path, action="backdate"))
    (blog,) = _posts(app)
    assert blog.published_at == datetime(2020, 1, 1, 9, 30, tzinfo=UTC)
    # The date of a published post is changed without a question.
    ada.flash(ada.submit(ada.open(path), path, action="schedule", publish_at="2019-01-01T09:30"))


def test_schedule_proposes_tomorrow_morning_at_the_site(app: PagesApp, ada: Browser) -> None:
    ada.flash(ada.submit(ada.get("settings"), "/settings", time_zone="America/New_York"))
    _write(ada, "schedule")
    (blog,) = _posts(app)
    zone = ZoneInfo("America/New_York")
    assert blog.published_at is not None
    proposed, now = blog.published_at.astimezone(zone), app.world.clock().astimezone(zone)
    assert (proposed.date() - now.date(), proposed.hour) == (timedelta(days=1), 9)


def test_times_are_in_the_time_zone_of_the_site(app: PagesApp, ada: Browser) -> None:
    settings = ada.get("settings")
    ada.flash(ada.submit(settings, "/settings", time_zone="America/New_York"))
    year = app.world.clock().year + 1
    _write(ada, "schedule", publish_at=f"{year}-07-01T09:30")
    (blog,) = _posts(app)
    assert blog.published_at == datetime(year, 7, 1, 13, 30, tzinfo=UTC)


# The text is saved before the publication is rejected.
@pytest.mark.parametrize(
    "fields",
    [
        {"markdown": "", "action": "publish"},
        {"markdown": TEXT, "action": "schedule", "publish_at": "9999-12-31T23:59"},
    ],
)
def test_post_that_cannot_be_published_is_saved(
    app: PagesApp, ada: Browser, fields: dict[str, str]
) -> None:
    response = ada.submit(ada.get("posts", "new"), "/new", title="On tea", **fields)
    assert "Saved, but not published" in ada.flash(response)
    assert _status(app) is PostStatus.DRAFT


def test_unchanged_date_of_a_published_post_keeps_its_seconds(app: PagesApp, ada: Browser) -> None:
    path = _write(ada, "publish")
    (before,) = _posts(app)
    ada.flash(ada.submit(ada.open(path), path, action="schedule"))
    (after,) = _posts(app)
    assert after.published_at == before.published_at


def test_conflict_shows_the_other_version_and_keeps_mine(app: PagesApp, ada: Browser) -> None:
    path = _write(ada)
    first, second = ada.open(path), ada.open(path)
    ada.flash(ada.submit(first, path, markdown="Tea is hot."))
    response = ada.submit(second, path, markdown="Tea is cold.")
    assert response.status_code == 412
    assert has_conflict(response)
    assert "<del>hot</del><ins>cold</ins>" in response.text
    assert "Tea is cold.</textarea>" in response.text
    assert ada.flash(ada.submit(response, path)) == "Saved."
    (blog,) = _posts(app)
    assert app.world.service.posts.get(blog.blog_id).content.markdown == "Tea is cold."


def test_script_saves_in_place(app: PagesApp, ada: Browser) -> None:
    path = _write(ada)
    text = f"Saved at {app.world.clock():%H:%M}"
    headers = {"Accept": "application/json", "Sec-Fetch-Site": "same-origin"}
    data = {"title": "On tea", "markdown": "More", "slug": "on-tea", "revision": "1"}
    answer = ada.http.post(path, data=data, headers=headers)
    assert answer.json() == {"revision": 2, "slug": "on-tea", "text": text}
    assert ada.http.post(path, data=data, headers=headers).status_code == 412


def test_history_shows_changes_and_restores(app: PagesApp, ada: Browser) -> None:
    path = _write(ada)
    assert "No earlier versions" in text_in(ada.open(f"{path}/history").text)
    ada.flash(ada.submit(ada.open(path), path, title="On coffee", markdown="Coffee is *good*."))
    page = ada.open(f"{path}/history")
    assert "<del>Tea</del><ins>Coffee</ins>" in page.text
    assert "<del>On tea</del> <ins>On coffee</ins>" in page.text
    assert "Restored" in ada.flash(ada.submit(page, "/history/1"))
    assert f"{TEXT}</textarea>" in ada.open(path).text
    assert "Not restored" in ada.flash(ada.submit(page, "/history/1"))
    assert ada.open(f"{path}/history/99").status_code == 404


def test_author_takes_back_a_preview_link_by_a_new_one(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    path = _write(ada)
    reader, shared = app.browser(), _preview_link(ada, path)
    assert ben.post(f"{path}/share").status_code == 403
    ada.post(path, {"title": "On tea", "markdown": "Still *good*.", "revision": "1"})
    assert reader.open(shared).status_code == 200
    assert "no longer work" in ada.flash(ada.submit(ada.open(f"{path}/share"), "/share"))
    assert reader.open(shared).status_code == 404
    assert "<em>good</em>" in reader.open(_preview_link(ada, path)).text


def _preview_link(author: Browser, path: str) -> str:
    page = author.open(f"{path}/share").text
    return page.partition('id="preview-link"')[2].partition("<")[0].rpartition(">")[2]


def test_authors_list_their_own_posts(ada: Browser, ben: Browser) -> None:
    _write(ada)
    _write(ben, title="By Ben")
    assert "On tea" not in text_in(ben.get("posts").text)
    assert "By Ben" in text_in(ada.get("posts").text)


def test_list_searches_titles_and_tags(app: PagesApp, ada: Browser) -> None:
    _write(ada, tags="drinks")
    post = PostDraft("Bread", "Dough", tags=("food",))
    app.world.service.posts.create(app.world.owner(), post)
    found = text_in(ada.get("posts", q="food").text)
    assert "Bread" in found
    assert "On tea" not in found
    assert "No results" in text_in(ada.get("posts", q="nothing like it").text)


def test_preview_may_show_images_of_other_sites_over_https(ada: Browser) -> None:
    policy = ada.get("posts", "new").headers["content-security-policy"]
    assert "img-src 'self' data: https:;" in policy
    assert "script-src 'self';" in policy
