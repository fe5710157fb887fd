"""Open every page that links lead to, and check that nothing of an attack is active."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from itertools import islice
from urllib.parse import urljoin, urlsplit

import httpx2
from fastapi.testclient import TestClient

from tests.apps.support.feeds import check_json_feed, check_xml
from tests.apps.support.html import forms_in
from tests.apps.support.xss import assert_harmless

# Forms that end what a test needs.
SKIPPED_FORMS = re.compile(r"/(sign-out|delete|remove|end|password|unpublish|reject|username)$")
_OTHER_KINDS = ("text/css", "text/plain", "image/webp", "image/svg+xml", "")
_DOWNLOADS = re.compile(r"application/(zip|vnd\.openxmlformats.*)|text/csv")


def check_response(response: httpx2.Response) -> None:
    """Fail for an error of the server, and for anything harmful in the response."""
    where = f"{response.request.method} {response.url}"
    assert response.status_code < 500, where
    kind = response.headers.get("content-type", "").partition(";")[0]
    try:
        match kind:
            case "text/html":
                assert_harmless(response.text)
                assert "unsafe" not in response.headers["content-security-policy"]
            case "application/rss+xml":
                for text in check_xml("rss", response.content).iter("{*}encoded"):
                    assert_harmless(text.text or "")
            case "application/atom+xml":
                for text in check_xml("atom", response.content).iter("{*}content"):
                    assert_harmless(text.text or "")
            case "application/feed+json":
                for item in check_json_feed(response.content)["items"]:
                    assert_harmless(item["content_html"])
            case "application/xml":
                check_xml("sitemap", response.content)
            case "application/json" | "application/problem+json":
                assert response.headers["x-content-type-options"] == "nosniff"
                _check_json(response.json())
            case _ if _DOWNLOADS.fullmatch(kind):
                assert response.headers["content-disposition"].startswith("attachment")
            case _:
                assert kind in _OTHER_KINDS, kind
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from error


def _check_json(value: object) -> None:
    """Check the members that the API documents as HTML; the others are plain text."""
    if isinstance(value, list):
        for member in value:
            _check_json(member)
    elif isinstance(value, dict):
        is_post = "blogId" in value and "markdown" in value
        html = ("content",) if is_post else ("about_content", "title_html", "snippet_html")
        for name, member in value.items():
            if name in html:
                assert_harmless(member)
            else:
                _check_json(member)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        url = dict(attrs).get("href")
        if tag in ("a", "link") and url:
            self.urls.append(url)


def crawl(
    client: TestClient, start: Iterable[str], skip: str = r"(?!)"
) -> dict[str, httpx2.Response]:
    """Open every page of the same app that links lead to, check it, and return it by its path.

    `skip` matches the paths of pages that show nothing new.
    """
    pages: dict[str, httpx2.Response] = {}
    opened: Counter[str] = Counter()
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        # Two pages of a list show all that there is to see.
        opened[path.partition("?")[0]] += path not in pages
        if path in pages or opened[path.partition("?")[0]] > 3 or re.search(skip, path):
            continue
        pages[path] = response = client.get(path)
        check_response(response)
        if response.headers.get("content-type", "").startswith("text/html"):
            parser = _Links()
            parser.feed(response.text)
            waiting += filter(None, (_own_path(client, path, url) for url in parser.urls))
    return pages


def _own_path(client: TestClient, path: str, link: str) -> str:
    """Return the path of a link within the app, or an empty text."""
    origin = str(client.base_url).rstrip("/")
    try:
        url = urlsplit(urljoin(f"{origin}{path}", link))
    except ValueError:
        return ""
    app = path.split("/")[1].partition("?")[0]
    # Other orders of a list show nothing new.
    is_own = f"{url.scheme}://{url.netloc}" == origin and url.path.split("/")[1:2] == [app]
    if not is_own or "sort=" in url.query:
        return ""
    return f"{url.path}?{url.query}" if url.query else url.path


def attack_forms(
    client: TestClient, pages: Mapping[str, httpx2.Response], attacks: Iterator[str]
) -> set[str]:
    """Submit attacks in every text field of every form, and return the names of the fields."""
    submitted: set[tuple[str, str]] = set()
    for path, page in pages.items():
        if not page.headers.get("content-type", "").startswith("text/html"):
            continue
        for form in forms_in(page):
            action = urlsplit(urljoin(f"{client.base_url}{path}", form.action)).path
            for field in form.fields.keys() - form.offered.keys():
                # The same form of another object shows nothing new.
                place = " ".join(sorted(form.fields)), field
                if not SKIPPED_FORMS.search(action) and place not in submitted:
                    submitted.add(place)
                    for attack in islice(attacks, 2):
                        fields = {**form.fields, field: [attack]}
                        check_response(client.post(action, data=fields))
    return {field for _, field in submitted}
