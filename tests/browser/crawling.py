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
class Seen:
    """A crawled page: who saw it, its parts, its links and its forms."""

    who: str | None
    address: str
    text: str
    links: list[str] = field(default_factory=list[str])
    # Tags with one class each.
    parts: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    # Blocking scripts, inline styles and dead links.
    faults: list[str] = field(default_factory=list[str])
    # URLs of forms, with the fields to fill in.
    forms: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


class _Reading(HTMLParser):
    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self._seen = seen
        self._form: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._seen.parts |= {(tag, each) for each in given.get("class", "").split()}
        self._seen.faults += [f"<{tag} {name}>" for name in given if name.startswith("on")]
        if "style" in given or tag == "style":
            self._seen.faults.append(f"<{tag}> with an inline style")
        if tag == "script":
            waits = given.keys() & {"defer", "async"} or given.get("type") == "module"
            if "src" not in given or not waits:
                self._seen.faults.append(f"a blocking script: {given}")
        elif tag == "a" and "href" in given:
            self._seen.links.append(given["href"])
        elif tag == "form":
            posts = given.get("method") == "post"
            self._form = given.get("action", "") if posts else None
            if posts:
                self._seen.forms.setdefault(given.get("action", ""), set())
        elif self._form is not None:
            self._take(tag, given)

    def _take(self, tag: str, given: dict[str, str]) -> None:
        assert self._form is not None
        filled = tag == "textarea" or (tag == "input" and given.get("type", "text") in _FILLED)
        if filled and "name" in given:
            self._seen.forms[self._form].add(given["name"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None


def crawl(
    browser: TestClient, who: str | None, begin: Iterable[str], within: tuple[str, ...]
) -> list[Seen]:
    """Return all pages that links lead to; of paginated lists, the first two pages."""
    waiting, known = deque(begin), set[object]()
    found: list[Seen] = []
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
        seen = Seen(who, address, answer.text)
        if answer.status_code != 200:
            seen.faults.append(f"a link leads to {answer.status_code}")
        _Reading(seen).feed(answer.text)
        found.append(seen)
        here = str(answer.url)
        for link in seen.links:
            to = urlsplit(urljoin(here, link))
            if to.netloc == urlsplit(here).netloc:
                waiting.append(to.path + (f"?{to.query}" if to.query else ""))
    return found


def that_show_all(pages: Iterable[Seen]) -> list[Seen]:
    """Return a small selection of pages that has every part of all pages."""
    left = list(pages)
    shown, chosen = set[tuple[str, str]](), list[Seen]()
    while left:
        best = max(left, key=lambda page: len(page.parts - shown))
        if not best.parts - shown:
            return chosen
        chosen.append(best)
        shown |= best.parts
        left.remove(best)
    return chosen
