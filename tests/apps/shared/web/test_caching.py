"""Public responses have validators, and are not sent to a client that has them already."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import APIRouter, Request, Response
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages
from singletable_apps.shared.web import FOREVER, make_app, public_response

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

    app = make_app("Notes", "1", routers=[], pages=[router], prefix="/api")
    return TestClient(app, headers={"Accept-Encoding": "gzip"})


@pytest.fixture
def browser(tmp_path: Path) -> TestClient:
    """Return a browser for two public pages."""
    return _browser(tmp_path)


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
