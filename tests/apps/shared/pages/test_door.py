"""Pages are escaped, strict about what they need, and allow nothing but our own files."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from jinja2 import UndefinedError
from starlette.requests import Request

from singletable_apps.shared.pages import POLICY, Pages
from tests.apps.shared.pages.site import HOSTILE


def _request() -> Request:
    return Request(
        {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    )


def test_what_somebody_typed_is_shown_as_text(browser: TestClient) -> None:
    text = browser.get("/notes", params={"heading": HOSTILE}).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


# An empty place where something was forgotten would be found by readers, one by one.
def test_a_page_that_lacks_what_it_shows_is_an_error(pages: Pages) -> None:
    with pytest.raises(UndefinedError, match="form"):
        pages.render(_request(), "notes/page.html", heading="Notes")


def test_a_page_says_what_it_may_load(browser: TestClient) -> None:
    answer = browser.get("/notes")
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["Content-Encoding"] == "gzip"


def test_a_page_is_not_packed_for_who_cannot_unpack(browser: TestClient) -> None:
    answer = browser.get("/notes", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in answer.headers
    assert "<h1>Notes</h1>" in answer.text


def test_the_place_one_is_at_is_marked(browser: TestClient) -> None:
    assert '<a href="/notes" aria-current="page">All</a>' in browser.get("/notes").text


@pytest.mark.parametrize(
    ("cookie", "attribute"),
    [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'), ('x"', "")],
)
def test_a_page_comes_in_the_theme_that_was_chosen(
    browser: TestClient, cookie: str, attribute: str
) -> None:
    browser.cookies.set("theme", cookie)
    assert f'<html lang="en"{attribute}>' in browser.get("/notes").text
