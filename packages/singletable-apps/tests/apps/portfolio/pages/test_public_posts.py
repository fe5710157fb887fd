"""Posts for readers: lists, one post, likes, comments, previews and old addresses."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable_apps.portfolio.comment_rules import CommentDraft
from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.portfolio.service import SITE
from tests.apps.portfolio.pages.client import HOME, Browser, PagesApp
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.html import field_errors, text_in

MEDIA = "/portfolio/media/0123456789abcdef_2000x1000/960.webp"
HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture
def reader(app: PagesApp) -> Browser:
    """Return the browser of a visitor without an account."""
    return app.browser()


def edit_settings(app: PagesApp, **edits: Any) -> None:
    app.world.service.profile.update_settings(app.world.owner(), edits)


def post_as_script(browser: Browser, path: str, data: dict[str, str]) -> Any:
    """Post a form as the script of the page does, and return the JSON."""
    browser.app.activate()
    headers = {"Accept": "application/json", "Origin": HOME, "Sec-Fetch-Site": "same-origin"}
    answer = browser.http.post(path, data=data, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    return answer.json()


def test_list_pages_lead_to_older_posts_and_back(app: PagesApp, reader: Browser) -> None:
    for number in range(5):
        publish(app.world, f"Post {number}", days_ago=number)
    edit_settings(app, posts_per_page=2)
    seen: list[str] = []
    page = reader.public("blog")
    while True:
        seen += [f"Post {number}" for number in range(5) if f">Post {number}</a>" in page.text]
        _, found, rest = page.text.partition('<link rel="next" href="')
        if not found:
            break
        page = reader.open(rest.partition('"')[0].replace("&amp;", "&"))
        assert page.status_code == 200
    assert seen == [f"Post {number}" for number in range(5)]
    newer = page.text.partition('<link rel="prev" href="')[2].partition('"')[0]
    assert ">Post 2</a>" in reader.open(newer.replace("&amp;", "&")).text


def test_list_shows_what_a_card_needs(app: PagesApp, reader: Browser) -> None:
    tags = ("tea", "water", "cups", "spoons")
    blog = publish(
        app.world, "Tea", tags=tags, featured_image_url=MEDIA, seo_description="How to make tea."
    )
    app.world.service.likes.like(blog.blog_id, "someone")
    page = reader.public("blog").text
    for part in (
        'width="960" height="480"',
        "0123456789abcdef_2000x1000/480.webp 480w",
        "How to make tea.",
        "1 min read",
        '<span class="sr-only">1 like</span>',
        'href="/portfolio/tags/cups"',
    ):
        assert part in page
    assert "/tags/spoons" not in page


def test_invalid_cursor_is_a_clear_error(reader: Browser) -> None:
    for cursor in ("x", "a.b.c", "é", "0" * 500):
        answer = reader.public("blog", cursor=cursor)
        assert (answer.status_code, 'class="site"' in answer.text) == (400, True)


# A cursor that differed each time would give every response another ETag, and search engines would
# never come to an end.
def test_list_pages_are_the_same_until_there_is_another_post(
    app: PagesApp, reader: Browser
) -> None:
    for number in range(25):
        publish(app.world, f"Post {number}")
    tags = [reader.public("blog").headers["ETag"]]
    app.world.clock.advance(seconds=10)
    tags.append(reader.public("blog").headers["ETag"])
    publish(app.world, "Another")
    tags.append(reader.public("blog").headers["ETag"])
    assert tags[0] == tags[1] != tags[2]


def test_post_shows_text_meta_neighbors_and_comments(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Older", days_ago=2, tags=("tea",))
    blog = publish(
        app.world,
        "Tea",
        "Drink it *hot*.",
        days_ago=1,
        tags=("tea", "water"),
        category="Drinks",
        featured_image_url=MEDIA,
        featured_image_alt="A cup",
    )
    publish(app.world, "Newer")
    comment(app, blog, "First!\n\nSecond <b>.")
    page = reader.public("blog", "tea")
    text = text_in(page.text)
    for words in ("Tea", "Drink it hot .", "Older", "Newer", "Drinks", "water"):
        assert words in text
    assert '<p dir="auto">Second &lt;b&gt;.</p>' in page.text
    assert 'alt="A cup" fetchpriority="high"' in page.text
    assert 'width="1600" height="800"' in page.text
    assert page.text.count("<h1") == 1
    assert page.headers["Cache-Control"] == "public, max-age=0, s-maxage=300"
    assert "Last-Modified" in reader.public("blog", "newer").headers


def comment(app: PagesApp, blog: Blog, content: str) -> None:
    """Add a comment that was approved."""
    comments = app.world.service.comments
    comments.submit(blog.blog_id, CommentDraft("Ben", content), "someone")
    [queued] = comments.queue(app.world.owner()).items
    comments.approve(app.world.owner(), queued.ref)


def test_head_of_a_post_has_open_graph_and_json_ld(app: PagesApp, reader: Browser) -> None:
    publish(app.world, HOSTILE, slug="tea", tags=("tea",), featured_image_url=MEDIA)
    text = reader.public("blog", "tea").text
    image = "https://ada.example/portfolio/media/0123456789abcdef_2000x1000/1600.webp"
    for part in (
        '<meta property="og:type" content="article">',
        f'<meta property="og:image" content="{image}">',
        '<meta property="og:image:width" content="1600">',
        '<meta name="twitter:card" content="summary_large_image">',
        '<meta property="article:tag" content="tea">',
        '<link rel="canonical" href="https://ada.example/portfolio/blog/tea">',
    ):
        assert part in text
    posting = json.loads(text.partition('ld+json">')[2].partition("</script>")[0])
    assert posting["@type"] == "BlogPosting"
    assert posting["headline"] == HOSTILE
    assert posting["image"] == image
    assert "<script>alert" not in text


def test_old_and_misspelled_addresses_redirect_for_good(app: PagesApp, reader: Browser) -> None:
    blog = publish(app.world, "Tea")
    owner = app.world.owner()
    app.world.service.posts.edit(owner, blog.blog_id, PostDraft("Tea", "Text.", slug="green-tea"))
    for old in ("tea", blog.blog_id, "Green-Tea"):
        app.activate()
        answer = reader.http.get(f"/portfolio/blog/{old}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (
            301,
            "/portfolio/blog/green-tea",
        )
    assert reader.public("blog", "coffee").status_code == 404


def test_preview_shows_a_draft_with_a_banner(app: PagesApp, reader: Browser) -> None:
    posts = app.world.service.posts
    draft = posts.create(app.world.owner(), PostDraft("Draft", "Not *yet*."))
    page = reader.public("blog", draft.slug, preview=posts.preview_token(draft))
    assert page.status_code == 200
    assert "This is a preview of a draft" in page.text
    assert 'content="noindex"' in page.text
    assert page.headers["Cache-Control"] == "no-store"
    assert "<form" not in page.text.partition("<main")[2]
    assert reader.public("blog", draft.slug, preview="x").status_code == 404


def test_like_without_scripts_comes_back_with_the_heart_filled(
    app: PagesApp, reader: Browser
) -> None:
    blog = publish(app.world, "Tea")
    page = reader.public("blog", "tea")
    answer = reader.submit(page, "/like", action="like")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/portfolio/blog/tea?like=1#like"
    liked = reader.open(answer.headers["location"])
    assert 'value="unlike" aria-pressed="true"' in liked.text
    assert liked.headers["Cache-Control"] == "no-store"
    # Nobody else sees a page with this reader's heart.
    assert 'aria-pressed="false"' in reader.public("blog", "tea").text.partition("<main")[2]
    reader.submit(liked, "/like", action="unlike")
    assert app.world.service.likes.counts([blog.blog_id]) == {blog.blog_id: 0}


def test_like_with_scripts_answers_json(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Tea")
    path = "/portfolio/blog/tea/like"
    for _ in range(2):
        assert post_as_script(reader, path, {"action": "like"}) == {"count": 1, "liked": True}
    app.activate()
    state = reader.http.get("/portfolio/blog/tea/likes")
    assert state.json() == {"count": 1, "liked": True}
    assert state.headers["Cache-Control"] == "no-store"
    assert post_as_script(reader, path, {"action": "unlike"}) == {"count": 0, "liked": False}


def test_likes_that_are_switched_off_are_not_shown(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Tea")
    edit_settings(app, likes=False, comments=False)
    page = reader.public("blog", "tea").text
    assert "data-like" not in page
    assert 'id="comments"' not in page


def test_comment_waits_for_approval(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Tea")
    page = reader.public("blog", "tea")
    answer = reader.submit(page, "#comment", author_name="Ben", content="With milk?")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/portfolio/blog/tea?comment=waiting#comment"
    assert "appears here once it is approved" in reader.open(answer.headers["location"]).text
    assert "With milk?" not in reader.public("blog", "tea").text
    [queued] = app.world.service.comments.queue(app.world.owner()).items
    assert queued.comment.content == "With milk?"


def test_invalid_comment_keeps_what_was_written(app: PagesApp, reader: Browser) -> None:
    publish(app.world, "Tea")
    page = reader.public("blog", "tea")
    answer = reader.submit(page, "#comment", content="With milk?", author_email="ben")
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {"author_name", "author_email"}
    assert "With milk?</textarea>" in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


# https://globalprivacycontrol.org
@pytest.mark.parametrize(
    ("headers", "views"), [({}, 1), ({"Sec-GPC": "1"}, 0), ({"DNT": "1"}, 0), ({"DNT": "0"}, 1)]
)
def test_view_is_counted_unless_the_reader_objects(
    app: PagesApp, reader: Browser, headers: dict[str, str], views: int
) -> None:
    blog = publish(app.world, "Tea")
    app.activate()
    answer = reader.http.post("/portfolio/blog/tea/view", headers={"Origin": HOME, **headers})
    assert answer.status_code == 204
    assert "Set-Cookie" not in answer.headers
    for scope in (blog.blog_id, SITE):
        assert app.world.service.stats.days(scope, 1)[0].views == views


def test_tags_categories_and_archive_list_their_posts(app: PagesApp, reader: Browser) -> None:
    edit_settings(app, time_zone="Pacific/Auckland")
    blog = publish(app.world, "Tea", tags=("tea",), category="Über uns")
    for link in (
        "/portfolio/tags/tea",
        "/portfolio/categories/%C3%9Cber%20uns",
    ):
        assert link in reader.public("tags").text
        page = reader.open(link)
        assert page.status_code == 200
        assert ">Tea</a>" in page.text
    assert blog.title in reader.public("archive").text


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        (("archive", "2020", "1"), 404),
        (("tags", "none"), 404),
        (("categories", "none"), 404),
        (("blog", "%00"), 404),
        (("blog", "a" * 3000), 404),
    ],
)
def test_strange_addresses_are_clear_errors(
    reader: Browser, parts: tuple[str, ...], status: int
) -> None:
    answer = reader.public(*parts)
    assert answer.status_code == status
    assert 'class="site"' in answer.text


# 23:30 UTC on 31 December is a new year in Auckland already.
def test_dates_are_in_the_time_zone_of_the_site(app: PagesApp, reader: Browser) -> None:
    app.world.clock.now = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
    publish(app.world, "Fireworks")
    assert "31 December 2026" in reader.public("blog", "fireworks").text
    edit_settings(app, time_zone="Pacific/Auckland")
    reader.http.cookies.set("zone", "America/New_York")
    assert "1 January 2027" in reader.public("blog", "fireworks").text


# Some crawlers and caches know times only, and would never see the comment or its deletion.
def test_approved_and_deleted_comments_show_without_etags(app: PagesApp, reader: Browser) -> None:
    blog = publish(app.world, "Tea")
    comments, owner = app.world.service.comments, app.world.owner()
    for content in ("First", "Second"):
        app.world.clock.advance(minutes=1)
        comments.submit(blog.blog_id, CommentDraft("Eve", content), content)
    first, second = (each.ref for each in comments.queue(owner).items)
    known = ""

    def read() -> str:
        nonlocal known
        app.activate()
        headers = {"Accept": "text/html", **({"If-Modified-Since": known} if known else {})}
        answer = reader.http.get(app.urls.post(blog.slug), headers=headers)
        known = answer.headers.get("Last-Modified", "")
        return answer.text

    read()
    comments.approve(owner, second)
    assert "Second" in read()
    comments.approve(owner, first)
    assert "First" in read()
    comments.delete(owner, second)
    assert "Second" not in read()
