"""Crawl the site: every page that links lead to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

from fastapi.testclient import TestClient

# Types of inputs that people fill in.
_FILLED = {"text", "email", "password", "search", "number", "datetime-local", "file", "radio"}


@dataclass
class CrawledPage:
    """A crawled page: the user, its components, links and forms."""

    user: str | None
    address: str
    text: str
    links: list[str] = field(default_factory=list[str])
    # Tags with one class each.
    parts: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    # Blocking scripts, inline styles and dead links.
    faults: list[str] = field(default_factory=list[str])
    # URLs of forms, with the fields to fill in.
    forms: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


class _PageParser(HTMLParser):
    def __init__(self, page: CrawledPage) -> None:
        super().__init__()
        self._page = page
        self._form: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self._page.parts |= {(tag, name) for name in attributes.get("class", "").split()}
        self._page.faults += [f"<{tag} {name}>" for name in attributes if name.startswith("on")]
        if "style" in attributes or tag == "style":
            self._page.faults.append(f"<{tag}> with an inline style")
        # A data block is not run, and the theme must be known before the page is painted.
        is_data = attributes.get("type") == "application/ld+json"
        if tag == "script" and not is_data and not attributes.get("src", "").endswith("/theme.js"):
            waits = attributes.keys() & {"defer", "async"} or attributes.get("type") == "module"
            if "src" not in attributes or not waits:
                self._page.faults.append(f"a blocking script: {attributes}")
        elif tag == "a" and "href" in attributes:
            self._page.links.append(attributes["href"])
        elif tag == "form":
            posts = attributes.get("method") == "post"
            self._form = attributes.get("action", "") if posts else None
            if posts:
                self._page.forms.setdefault(attributes.get("action", ""), set())
        elif self._form is not None:
            self._add_field(tag, attributes)

    def _add_field(self, tag: str, attributes: dict[str, str]) -> None:
        assert self._form is not None
        filled = tag == "textarea" or (tag == "input" and attributes.get("type", "text") in _FILLED)
        if filled and "name" in attributes:
            self._page.forms[self._form].add(attributes["name"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None


def crawl(
    browser: TestClient, user: str | None, begin: Iterable[str], within: tuple[str, ...]
) -> list[CrawledPage]:
    """Return all pages that links lead to; of paginated lists, the first two pages."""
    waiting, known = deque(begin), set[object]()
    pages: list[CrawledPage] = []
    while waiting:
        address = urldefrag(waiting.popleft()).url
        parts = urlsplit(address)
        same = (parts.path, *(name for name, _ in parse_qsl(parts.query)))
        if same in known or not (parts.path == "/" or parts.path.startswith(within)):
            continue
        known.add(same)
        answer = browser.get(address, headers={"Accept": "text/html"})
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        page = CrawledPage(user, address, answer.text)
        if answer.status_code != 200:
            page.faults.append(f"a link leads to {answer.status_code}")
        _PageParser(page).feed(answer.text)
        pages.append(page)
        here = str(answer.url)
        for link in page.links:
            to = urlsplit(urljoin(here, link))
            if to.netloc == urlsplit(here).netloc:
                waiting.append(to.path + (f"?{to.query}" if to.query else ""))
    return pages


def select_pages_with_all_parts(pages: Iterable[CrawledPage]) -> list[CrawledPage]:
    """Return a small selection of pages that has every part of all pages."""
    left = list(pages)
    shown, chosen = set[tuple[str, str]](), list[CrawledPage]()
    while left:
        best = max(left, key=lambda page: len(page.parts - shown))
        if not best.parts - shown:
            return chosen
        chosen.append(best)
        shown |= best.parts
        left.remove(best)
    return chosen
