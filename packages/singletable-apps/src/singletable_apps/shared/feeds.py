"""Feeds of posts as RSS 2.0, Atom (RFC 4287) and JSON Feed 1.1, and sitemaps."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import cast
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from singletable_apps.shared.markdown import absolute_html

RSS_TYPE = "application/rss+xml; charset=utf-8"
ATOM_TYPE = "application/atom+xml; charset=utf-8"
JSON_TYPE = "application/feed+json; charset=utf-8"
SITEMAP_TYPE = "application/xml; charset=utf-8"
MAX_SITEMAP_URLS = 50_000
_ATOM = "http://www.w3.org/2005/Atom"
_CONTENT = "http://purl.org/rss/1.0/modules/content/"
_DUBLIN_CORE = "http://purl.org/dc/elements/1.1/"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_REQUIRED = ("title", "items", "content_html")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

for _prefix, _namespace in (("atom", _ATOM), ("content", _CONTENT), ("dc", _DUBLIN_CORE)):
    register_namespace(_prefix, _namespace)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A post. `id` is a URI that never changes; `html` is sanitized and may have relative URLs."""

    id: str
    url: str
    title: str
    html: str
    published: datetime
    updated: datetime
    author: str = ""
    summary: str = ""
    image: str = ""
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """Posts, newest first. `url` is the page with the same posts; URLs are absolute."""

    id: str
    url: str
    title: str
    updated: datetime
    entries: Sequence[FeedEntry]
    description: str = ""
    language: str = "en"
    author: str = ""


@dataclass(frozen=True, slots=True)
class SitemapUrl:
    """A page for search engines, and when it was last changed."""

    url: str
    updated: datetime | None = None


def rss(feed: Feed, self_url: str) -> bytes:
    """Return the feed as RSS 2.0, with the full text in `content:encoded`."""
    root = Element("rss", version="2.0")
    channel = SubElement(root, "channel")
    _add(channel, "title", feed.title)
    _add(channel, "link", feed.url)
    _add(channel, "description", feed.description or feed.title)
    _add(channel, "language", feed.language)
    _add(channel, "lastBuildDate", _rfc822(feed.updated))
    _add(channel, f"{{{_ATOM}}}link", "", rel="self", type="application/rss+xml", href=self_url)
    for entry in feed.entries:
        item = SubElement(channel, "item")
        _add(item, "title", entry.title)
        _add(item, "link", entry.url)
        _add(item, "guid", entry.id, isPermaLink="false")
        _add(item, "pubDate", _rfc822(entry.published))
        if entry.author:
            _add(item, f"{{{_DUBLIN_CORE}}}creator", entry.author)
        for tag in entry.tags:
            _add(item, "category", tag)
        if entry.summary:
            _add(item, "description", entry.summary)
        _add(item, f"{{{_CONTENT}}}encoded", absolute_html(entry.html, entry.url))
    return _document(root)


def atom(feed: Feed, self_url: str) -> bytes:
    """Return the feed as Atom, with the full text."""
    root = Element("feed", {"xmlns": _ATOM, "xml:lang": feed.language})
    _add(root, "id", feed.id)
    _add(root, "title", feed.title)
    if feed.description:
        _add(root, "subtitle", feed.description)
    _add(root, "updated", _rfc3339(feed.updated))
    _add(root, "link", "", rel="alternate", type="text/html", href=feed.url)
    _add(root, "link", "", rel="self", type="application/atom+xml", href=self_url)
    _add_author(root, feed.author or feed.title)
    for each in feed.entries:
        entry = SubElement(root, "entry")
        _add(entry, "id", each.id)
        _add(entry, "title", each.title)
        _add(entry, "link", "", rel="alternate", type="text/html", href=each.url)
        _add(entry, "published", _rfc3339(each.published))
        _add(entry, "updated", _rfc3339(each.updated))
        if each.author:
            _add_author(entry, each.author)
        for tag in each.tags:
            _add(entry, "category", "", term=tag)
        if each.summary:
            _add(entry, "summary", each.summary)
        _add(entry, "content", absolute_html(each.html, each.url), type="html")
    return _document(root)


def json_feed(feed: Feed, self_url: str) -> bytes:
    """Return the feed as JSON Feed 1.1, with the full text."""
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.url,
        "feed_url": self_url,
        "description": feed.description,
        "language": feed.language,
        "authors": [{"name": feed.author}] if feed.author else [],
        "items": [
            {
                "id": entry.id,
                "url": entry.url,
                "title": entry.title,
                "content_html": absolute_html(entry.html, entry.url),
                "summary": entry.summary,
                "image": entry.image,
                "date_published": _rfc3339(entry.published),
                "date_modified": _rfc3339(entry.updated),
                "authors": [{"name": entry.author}] if entry.author else [],
                "tags": list(entry.tags),
            }
            for entry in feed.entries
        ],
    }
    return json.dumps(_clean(document), ensure_ascii=False).encode()


def sitemap(pages: Sequence[SitemapUrl]) -> bytes:
    """Return the sitemap of a site; search engines accept 50,000 pages."""
    root = Element("urlset", xmlns=_SITEMAP)
    for page in pages[:MAX_SITEMAP_URLS]:
        entry = SubElement(root, "url")
        _add(entry, "loc", page.url)
        if page.updated is not None:
            _add(entry, "lastmod", _rfc3339(page.updated))
    return _document(root)


def _add(parent: Element, name: str, text: str, **attributes: str) -> None:
    clean = {key: _NOT_XML.sub("", value) for key, value in attributes.items()}
    SubElement(parent, name, clean).text = _NOT_XML.sub("", text) or None


def _add_author(parent: Element, name: str) -> None:
    _add(SubElement(parent, "author"), "name", name)


def _document(root: Element) -> bytes:
    text: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _rfc822(moment: datetime) -> str:
    return format_datetime(moment.astimezone(UTC), usegmt=True)


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _clean(value: object) -> object:
    """Return JSON without empty optional members, and without what XML forbids in text."""
    match value:
        case str():
            return _NOT_XML.sub("", value)
        case list():
            return [_clean(each) for each in cast(list[object], value)]
        case dict():
            members = cast(dict[str, object], value).items()
            return {name: _clean(each) for name, each in members if each or name in _REQUIRED}
        case _:
            return value
