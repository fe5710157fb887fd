"""Public responses have validators, and are not sent to a client that has them already."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi import APIRouter, Request, Response
from fastapi.testclient import TestClient

from singletable import Store, connect
from singletable_apps.shared.accounts.entities import Session
from singletable_apps.shared.expiry import expiring
from singletable_apps.shared.pages import Pages
from singletable_apps.shared.web import (
    FOREVER,
    NO_STORE,
    SHARED_FIVE_MINUTES,
    CachedRoute,
    Cookie,
    ResponseCache,
    WriteCounter,
    make_app,
    public_response,
    response_cache,
)

CHANGED = datetime(2026, 3, 1, 12, 30, 15, 500_000, tzinfo=UTC)
TEMPLATE = "<title>{{ title }}</title>{{ at | day }}" + "<p>Text.</p>" * 100


def _browser(folder: Path) -> TestClient:
    (folder / "templates").mkdir()
    (folder / "templates" / "public.html").write_text(TEMPLATE)
    pages = Pages(
        "notes", folder, secret=b"x" * 32, context=lambda request: {"title": "The account's"}
    )
    router = APIRouter()

    @router.get("/page")
    def page(request: Request, title: str = "Tea") -> Response:
        return pages.render_public(
            request, "public.html", last_modified=CHANGED, title=title, at=CHANGED
        )

    @router.get("/list")
    def listed(request: Request, status: int = 200) -> Response:
        return public_response(request, "a,b", "text/csv", status, caching=FOREVER)

    @router.get("/counted")
    def counted(request: Request) -> Response:
        Cookie("visits").set(request, "7")
        return public_response(request, "a,b", "text/csv")

    app = make_app("Notes", "1", routers=[], prefix="/api")
    app.include_router(router)
    return TestClient(app, headers={"Accept-Encoding": "gzip"})


@pytest.fixture
def browser(tmp_path: Path) -> TestClient:
    """Return a browser for two public pages."""
    return _browser(tmp_path)


def test_response_with_a_cookie_is_not_kept_by_shared_caches(browser: TestClient) -> None:
    answer = browser.get("/counted")
    assert "visits=7" in answer.headers["set-cookie"]
    assert answer.headers["cache-control"] == "private, no-store"
    assert "cdn-cache-control" not in answer.headers


def test_public_page_is_the_same_for_everyone(browser: TestClient) -> None:
    one = browser.get("/page")
    other = browser.get("/page", headers={"Cookie": "theme=dark; zone=Asia/Tokyo; flash=x"})
    assert one.text == other.text
    assert "<title>Tea</title>1 March 2026" in one.text
    assert one.headers["Vary"] == "Accept-Encoding"
    assert one.headers["Cache-Control"] == "public, max-age=0, s-maxage=300"
    assert "stale-while-revalidate" in one.headers["CDN-Cache-Control"]
    assert one.headers["Last-Modified"] == "Sun, 01 Mar 2026 12:30:15 GMT"
    assert "default-src 'none'" in one.headers["Content-Security-Policy"]
    assert one.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "Set-Cookie" not in one.headers


def test_etag_depends_on_content_and_encoding(browser: TestClient) -> None:
    plain = {"Accept-Encoding": "identity"}
    answers = [
        browser.get("/page"),
        browser.get("/page", headers=plain),
        browser.get("/page?title=Milk"),
    ]
    assert [answer.headers.get("Content-Encoding") for answer in answers] == ["gzip", None, "gzip"]
    assert len({answer.headers["ETag"] for answer in answers}) == 3
    assert browser.get("/page").headers["ETag"] == answers[0].headers["ETag"]


@pytest.mark.parametrize("form", ["{}", "W/{}", '"a", {}', "*"])
def test_known_etag_is_answered_with_304(browser: TestClient, form: str) -> None:
    full = browser.get("/page")
    answer = browser.get("/page", headers={"If-None-Match": form.format(full.headers["ETag"])})
    assert (answer.status_code, answer.content) == (304, b"")
    for name in ("ETag", "Cache-Control", "Last-Modified", "Vary"):
        assert answer.headers[name] == full.headers[name]


@pytest.mark.parametrize(
    ("since", "status"),
    [
        ("Sun, 01 Mar 2026 12:30:15 GMT", 304),
        ("Sun, 01 Mar 2026 12:30:14 GMT", 200),
        ("last Sunday", 200),
        ("Sun, 01 Mar 2027 12:30:15", 200),
    ],
)
def test_if_modified_since_compares_seconds(browser: TestClient, since: str, status: int) -> None:
    assert browser.get("/page", headers={"If-Modified-Since": since}).status_code == status


# RFC 9110, 13.1.3: an ETag says more than a time.
def test_unknown_etag_takes_precedence_over_time(browser: TestClient) -> None:
    known = {"If-None-Match": '"other"', "If-Modified-Since": "Sun, 01 Mar 2027 12:30:15 GMT"}
    assert browser.get("/page", headers=known).status_code == 200


def test_error_and_short_content_are_sent_whole(browser: TestClient) -> None:
    answer = browser.get("/list")
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Content-Encoding" not in answer.headers
    assert "Last-Modified" not in answer.headers
    known = {"If-None-Match": answer.headers["ETag"]}
    assert browser.get("/list?status=404", headers=known).status_code == 404


class CachedPage:
    """A page that counts how often it is rendered, and what its cache depends on."""

    def __init__(self) -> None:
        self.now = CHANGED
        self.rendered = 0
        self.driver = connect("memory:")
        self.writes = WriteCounter()
        self.store = Store(self.driver, tables={expiring: "notes"}, observers=[self.writes])
        router = APIRouter(route_class=CachedRoute)

        @router.get("/page")
        def page(request: Request, status: int = 200, private: bool = False) -> Response:
            self.rendered += 1
            caching = NO_STORE if private else SHARED_FIVE_MINUTES
            text = f"rendered {self.rendered}"
            return public_response(request, text, "text/plain", status, caching=caching)

        @router.get("/tags/{tag}")
        def tagged(request: Request, tag: str) -> Response:
            return public_response(request, tag, "text/plain")

        app = make_app("Notes", "1", routers=[], prefix="/api")
        app.include_router(router)
        app.state.response_cache = ResponseCache(self.writes, lambda: self.now)
        self.client = TestClient(app)

    def text(self, url: str = "/page", **headers: str) -> str:
        """Return the text of the page."""
        return self.client.get(url, headers=headers).text


@pytest.fixture(autouse=True)
def small_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep two responses and 100 bytes."""
    monkeypatch.setattr(response_cache, "MAX_ENTRIES", 2)
    monkeypatch.setattr(response_cache, "MAX_BYTES", 100)


def test_public_response_is_kept_for_a_second() -> None:
    page = CachedPage()
    assert [page.text(), page.text()] == ["rendered 1", "rendered 1"]
    page.now += timedelta(seconds=1)
    assert page.text() == "rendered 2"
    page.now -= timedelta(hours=1)  # a clock that was set back
    assert page.text() == "rendered 3"


def test_write_of_this_process_invalidates_the_cache() -> None:
    page = CachedPage()
    page.store.admin.create_table(expiring)
    assert page.text() == "rendered 1"
    page.store.get(Session.key(1, "x"))
    assert page.text() == "rendered 1"
    page.store.delete(Session.key(1, "x"))
    assert page.text() == "rendered 2"


def test_kept_response_answers_conditional_requests() -> None:
    page = CachedPage()
    tag = page.client.get("/page").headers["etag"]
    answer = page.client.get("/page", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.headers["etag"], page.rendered) == (304, tag, 1)
    assert "s-maxage" in answer.headers["cache-control"]


def test_each_url_and_encoding_has_a_response_of_its_own() -> None:
    page = CachedPage()
    urls = ("/page", "/page?a=1", "/page?a=2", "/page")
    # Two are kept, so the first is rendered again.
    assert [page.text(url)[-1] for url in urls] == ["1", "2", "3", "4"]
    assert page.text("/page", **{"accept-encoding": "identity"}) == "rendered 5"


def test_private_and_failed_responses_are_not_kept() -> None:
    page = CachedPage()
    urls = ("/page?private=1", "/page?private=1", "/page?status=404", "/page?status=404")
    assert [page.text(url)[-1] for url in urls] == ["1", "2", "3", "4"]


# `request.url` ends at a decoded # and finds a query after a decoded question mark.
@pytest.mark.parametrize("other", ["c%23", "c%3Fa=1", "c%23/", "C"])
def test_names_with_reserved_characters_do_not_share_a_response(other: str) -> None:
    page = CachedPage()
    for url in ("/tags/c", "/tags/c?a=1"):
        assert page.text(url) == "c"
    assert page.text(f"/tags/{other}") != "c"
    assert page.text("/tags/c") == "c"


def test_large_responses_are_not_kept_together() -> None:
    page = CachedPage()
    large, small = "/tags/" + "x" * 95, "/page"
    assert page.text(small) == "rendered 1"
    assert page.text(large) == "x" * 95
    assert page.text(small) == "rendered 2"
    assert page.text("/tags/" + "y" * 101) == "y" * 101


def test_expired_data_in_memory_invalidates_the_cache() -> None:
    page = CachedPage()
    assert page.text() == "rendered 1"
    page.writes.increment()
    assert page.text() == "rendered 2"
