"""Feeds and sitemaps: valid for any text, with absolute URLs."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.shared.feeds import (
    Feed,
    FeedEntry,
    SitemapUrl,
    atom,
    json_feed,
    rss,
    sitemap,
)
from singletable_apps.shared.markdown import render_markdown
from tests.apps.support.feeds import check_json_feed, check_xml, read_as_reader
from tests.apps.support.xss import XSS_CORPUS, assert_harmless

AT = datetime(2026, 3, 1, 9, 5, 7, 123456, tzinfo=timezone(timedelta(hours=2)))
HOME = "https://ada.example/site"
AWKWARD = "Tea & <milk> ]]> \u0000\u000b\ufffe\ud800 🫖 ¡Olé! \u2028"


def _feed(**changes: object) -> Feed:
    values: dict[str, object] = {
        "id": "urn:uuid:12345678-1234-4234-8234-123456789abc",
        "url": f"{HOME}/blog/tea",
        "title": "Tea",
        "html": render_markdown("Hot[^1] ![cup](/cup.png) [more](../x)\n\n[^1]: Very."),
        "published": AT,
        "updated": AT + timedelta(days=1),
        "author": "Ada",
        "summary": "About tea.",
        "image": f"{HOME}/cup.png",
        "tags": ("tea", "milk"),
        **changes,
    }
    entry = FeedEntry(**values)  # type: ignore[arg-type]
    return Feed(HOME, HOME, entry.title, AT, [entry], entry.summary, "en-US", entry.author)


def test_rss_is_valid_and_complete() -> None:
    document = rss(_feed(), f"{HOME}/feed.xml")
    root = check_xml("rss", document)
    assert root.findtext("channel/item/pubDate") == "Sun, 01 Mar 2026 07:05:07 GMT"
    assert parsedate_to_datetime(root.findtext("channel/item/pubDate")) == AT.replace(microsecond=0)
    reader = read_as_reader(document)
    assert (reader.version, reader.feed.title, reader.feed.language) == ("rss20", "Tea", "en-US")
    entry = reader.entries[0]
    assert entry.id == "urn:uuid:12345678-1234-4234-8234-123456789abc"
    assert (entry.link, entry.title, entry.author) == (f"{HOME}/blog/tea", "Tea", "Ada")
    assert [tag.term for tag in entry.tags] == ["tea", "milk"]
    assert entry.summary == "About tea."
    assert "Very." in entry.content[0].value


def test_atom_is_valid_and_complete() -> None:
    document = atom(_feed(), f"{HOME}/atom.xml")
    root = check_xml("atom", document)
    assert root.findtext("{*}entry/{*}updated") == "2026-03-02T07:05:07Z"
    reader = read_as_reader(document)
    assert (reader.version, reader.feed.id, reader.feed.title) == ("atom10", HOME, "Tea")
    entry = reader.entries[0]
    assert entry.id == "urn:uuid:12345678-1234-4234-8234-123456789abc"
    assert (entry.link, entry.author, entry.published) == (
        f"{HOME}/blog/tea",
        "Ada",
        "2026-03-01T07:05:07Z",
    )


def test_json_feed_is_valid_and_complete() -> None:
    feed = check_json_feed(json_feed(_feed(), f"{HOME}/feed.json"))
    item = feed["items"][0]
    assert feed["feed_url"] == f"{HOME}/feed.json"
    assert (item["tags"], item["image"]) == (["tea", "milk"], f"{HOME}/cup.png")
    assert item["date_published"] == "2026-03-01T07:05:07Z"


@pytest.mark.parametrize("render", [rss, atom, json_feed])
def test_links_and_images_are_absolute(render: Callable[[Feed, str], bytes]) -> None:
    text = render(_feed(), HOME).decode()
    for url in (
        "https://ada.example/cup.png",
        "https://ada.example/site/x",
        f"{HOME}/blog/tea#text-fn1",
    ):
        assert url in text
    assert 'href="#' not in text.replace("&quot;", '"').replace('\\"', '"')


def test_an_empty_feed_is_valid() -> None:
    feed = Feed(HOME, HOME, "", AT, [])
    check_xml("rss", rss(feed, HOME))
    check_json_feed(json_feed(feed, HOME))
    read_as_reader(rss(feed, HOME))
    named = Feed(HOME, HOME, "Tea", AT, [])
    check_xml("atom", atom(named, HOME))
    read_as_reader(atom(named, HOME))


def _check_all(feed: Feed) -> None:
    check_xml("rss", rss(feed, HOME))
    check_xml("atom", atom(feed, HOME))
    check_json_feed(json_feed(feed, HOME))


def _with_text(text: str, html: str) -> Feed:
    return _feed(title=text, html=html, author=text or "x", summary=text, tags=(text,))


@given(st.text(st.characters(exclude_categories=[])), st.text(st.characters(exclude_categories=())))
def test_feeds_are_valid_for_any_text(text: str, markdown: str) -> None:
    clean = markdown.encode(errors="replace").decode()
    _check_all(_with_text(f"{text}x", render_markdown(clean)))


def test_awkward_titles_survive_without_what_xml_forbids() -> None:
    feed = _with_text(AWKWARD, "<p>x</p>")
    _check_all(feed)
    kept = "Tea & <milk> ]]>  🫖 ¡Olé! \u2028"
    assert check_xml("atom", atom(feed, HOME)).findtext("{*}entry/{*}title") == kept
    assert check_xml("rss", rss(feed, HOME)).findtext("channel/item/title") == kept
    assert json.loads(json_feed(feed, HOME))["title"] == kept
    read_as_reader(rss(feed, HOME))


@pytest.mark.rest
@pytest.mark.parametrize("vector", XSS_CORPUS)
def test_attacks_stay_text_or_are_removed(vector: str) -> None:
    feed = _with_text(vector, render_markdown(vector))
    _check_all(feed)
    assert_harmless(json.loads(json_feed(feed, HOME))["items"][0]["content_html"])
    assert_harmless(check_xml("atom", atom(feed, HOME)).findtext("{*}entry/{*}content"))
    content = check_xml("rss", rss(feed, HOME)).findtext("channel/item/{*}encoded")
    assert_harmless(content or "")


def test_a_sitemap_lists_pages_with_their_changes() -> None:
    pages = [SitemapUrl(f"{HOME}/?a=1&b=2", AT), SitemapUrl(HOME)]
    root = check_xml("sitemap", sitemap(pages))
    assert [each.text for each in root.iter("{*}loc")] == [f"{HOME}/?a=1&b=2", HOME]
    assert root.findtext("{*}url/{*}lastmod") == "2026-03-01T07:05:07Z"
    assert AT.astimezone(UTC).hour == 7
    check_xml("sitemap", sitemap([]))
