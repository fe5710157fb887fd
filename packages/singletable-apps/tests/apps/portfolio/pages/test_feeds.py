"""Feeds, the sitemap and robots.txt, as feed readers and search engines read them."""

from __future__ import annotations

from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.pages import feeds
from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.harness import PUBLIC
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.feeds import check_json_feed, check_xml, read_as_reader

FILES = ("feed.xml", "atom.xml", "feed.json")


def _read(app: PagesApp, path: str, **headers: str) -> httpx2.Response:
    app.activate()
    return app.browser().http.get(path, headers={"Accept": "*/*", **headers})


def _publish(app: PagesApp, title: str, markdown: str = "Text.", **fields: Any) -> Blog:
    app.world.clock.advance(minutes=1)
    return publish(app.world, title, markdown, **fields)


# A CDN may keep these responses, with their headers, for all readers.
@pytest.mark.parametrize("file", [*FILES, "sitemap.xml", "robots.txt"])
def test_public_files_renew_no_session(app: PagesApp, file: str) -> None:
    author = app.browser(app.world.owner())
    author.http.cookies.set("portfolio_access", "expired")
    app.activate()
    answer = author.http.get(f"/portfolio/{file}", headers={"Accept": "*/*"})
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("file", FILES)
def test_feeds_have_their_types_and_can_be_cached(app: PagesApp, file: str) -> None:
    post = _publish(app, "Tea", tags=("tea",))
    response = _read(app, f"/portfolio/{file}")
    types = {
        "feed.xml": "application/rss+xml; charset=utf-8",
        "atom.xml": "application/atom+xml; charset=utf-8",
        "feed.json": "application/feed+json; charset=utf-8",
    }
    assert response.status_code == 200
    assert response.headers["content-type"] == types[file]
    assert "s-maxage=" in response.headers["cache-control"]
    assert "public" in response.headers["cache-control"]
    assert response.headers["access-control-allow-origin"] == "*"
    assert "set-cookie" not in response.headers
    modified = parsedate_to_datetime(response.headers["last-modified"])
    assert modified == max(post.updated_at, post.published_at or post.updated_at)
    for header, value in (
        ("If-None-Match", response.headers["etag"]),
        ("If-Modified-Since", response.headers["last-modified"]),
    ):
        again = _read(app, f"/portfolio/{file}", **{header: value})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"]


def test_all_formats_have_the_full_text_and_absolute_urls(app: PagesApp) -> None:
    _publish(
        app,
        "Tea & <milk> ]]> 🫖",
        "Read [on](/portfolio/about), see ![cup](/portfolio/media/x.webp).",
        tags=("tea", "hot"),
        featured_image_url="/portfolio/media/y.webp",
        featured_image_alt='A "cup"',
        seo_description="All about tea.",
    )
    rss, atom, feed = (_read(app, f"/portfolio/{file}").content for file in FILES)
    check_xml("rss", rss)
    check_xml("atom", atom)
    item = check_json_feed(feed)["items"][0]
    for text in (
        read_as_reader(rss).entries[0].content[0].value,
        read_as_reader(atom).entries[0].content[0].value,
        item["content_html"],
    ):
        assert f'href="{PUBLIC}/portfolio/about"' in text
        assert f'src="{PUBLIC}/portfolio/media/x.webp"' in text
        assert f'src="{PUBLIC}/portfolio/media/y.webp"' in text
    assert item["title"] == "Tea & <milk> ]]> 🫖"
    assert item["summary"] == "All about tea."
    assert item["image"] == f"{PUBLIC}/portfolio/media/y.webp"
    assert item["authors"] == [{"name": "Ada"}]
    assert "example.org" not in rss.decode(), "the e-mail address of the author is not public"


def test_tag_with_a_hash_has_feeds_of_its_own(app: PagesApp) -> None:
    _publish(app, "Classes", tags=("c#",))
    _publish(app, "Pointers", tags=("c",))
    for file in FILES:
        assert "Pointers" in _read(app, f"/portfolio/tags/c/{file}").text
        found = _read(app, f"/portfolio/tags/c%23/{file}")
        assert (found.status_code, "Classes" in found.text) == (200, True)
        assert "Pointers" not in found.text


def test_ids_stay_when_a_slug_changes(app: PagesApp) -> None:
    post = _publish(app, "Tea")
    before = read_as_reader(_read(app, "/portfolio/feed.xml").content).entries[0]
    app.world.clock.advance(minutes=1)
    draft = PostDraft("Tea", "Text.", slug="green-tea")
    app.world.service.posts.edit(app.world.owner(), post.blog_id, draft)
    after = read_as_reader(_read(app, "/portfolio/feed.xml").content).entries[0]
    assert after.id == before.id == f"urn:uuid:{post.blog_id}"
    assert before.link == f"{PUBLIC}/portfolio/blog/tea"
    assert after.link == f"{PUBLIC}/portfolio/blog/green-tea"
    assert feeds.entry_id("17") == feeds.entry_id("17") != feeds.entry_id("18")


def test_only_public_posts_are_in_feeds_newest_first(app: PagesApp) -> None:
    posts, owner = app.world.service.posts, app.world.owner()
    for number in range(22):
        _publish(app, f"Post {number}")
    posts.create(owner, PostDraft("Draft", "Secret."))
    scheduled = posts.create(owner, PostDraft("Scheduled", "Later."))
    posts.publish(owner, scheduled.blog_id, app.world.clock.now + timedelta(hours=1))
    entries = read_as_reader(_read(app, "/portfolio/atom.xml").content).entries
    assert [entry.title for entry in entries] == [f"Post {n}" for n in range(21, 1, -1)]
    app.world.clock.advance(hours=2)
    response = _read(app, "/portfolio/atom.xml")
    entries = read_as_reader(response.content).entries
    assert entries[0].title == "Scheduled"
    modified = parsedate_to_datetime(response.headers["last-modified"])
    assert app.world.clock.now - modified < timedelta(hours=1, minutes=1)


@pytest.mark.parametrize("file", FILES)
def test_tags_have_feeds(app: PagesApp, file: str) -> None:
    (tag,) = _publish(app, "Tea", tags=("Grüner Tee",)).tags
    _publish(app, "Milk", tags=("milk",))
    url = f"{app.urls.tag(tag)}/{file}"
    response = _read(app, url)
    assert response.status_code == 200
    if file == "feed.json":
        feed = check_json_feed(response.content)
        assert [item["title"] for item in feed["items"]] == ["Tea"]
        assert feed["feed_url"] == f"{PUBLIC}{url}"
    else:
        feed = read_as_reader(response.content)
        assert [entry.title for entry in feed.entries] == ["Tea"]
        assert feed.feed.link == f"{PUBLIC}{app.urls.tag(tag)}"
        assert tag in feed.feed.title
    assert _read(app, f"/portfolio/tags/no-such-tag/{file}").status_code == 404


@pytest.mark.parametrize("file", FILES)
def test_a_site_without_posts_has_an_empty_feed(new_app: PagesApp, file: str) -> None:
    response = _read(new_app, f"/portfolio/{file}")
    assert response.status_code == 200
    if file == "feed.json":
        assert check_json_feed(response.content)["items"] == []
    else:
        assert read_as_reader(response.content).entries == []


def _sitemap_urls(app: PagesApp, path: str = "/portfolio/sitemap.xml") -> list[str]:
    response = _read(app, path)
    assert response.headers["content-type"] == "application/xml; charset=utf-8"
    root = check_xml("sitemap", response.content)
    return [each.text for each in root.iter("{*}loc")]


def test_the_sitemap_lists_public_pages(app: PagesApp) -> None:
    posts, owner = app.world.service.posts, app.world.owner()
    _publish(app, "Tea", tags=("tea",), category="Drinks & more")
    _publish(app, "Elsewhere", canonical_url="https://example.com/elsewhere")
    posts.create(owner, PostDraft("Draft", "Secret."))
    app.world.service.profile.update_portfolio(owner, {"about_markdown": "Hi."})
    urls = _sitemap_urls(app)
    assert f"{PUBLIC}/portfolio" in urls
    assert f"{PUBLIC}/portfolio/blog/tea" in urls
    assert f"{PUBLIC}/portfolio/categories/Drinks%20%26%20more" in urls
    assert not [url for url in urls if "draft" in url or "elsewhere" in url or "admin" in url]
    assert len(set(urls)) == len(urls)
    for url in urls:
        assert app.browser().open(urlsplit(url).path).status_code == 200, url


def test_robots_are_sent_to_the_sitemap(app: PagesApp) -> None:
    response = _read(app, "/portfolio/robots.txt")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    assert response.text.splitlines() == [
        "User-agent: *",
        "Disallow: /portfolio/admin",
        "Disallow: /portfolio/search",
        f"Sitemap: {PUBLIC}/portfolio/sitemap.xml",
    ]
