"""Pages are escaped, reject undefined variables, and load only our own files."""

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


def test_text_is_escaped(browser: TestClient) -> None:
    text = browser.get("/notes", params={"heading": HOSTILE}).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


# An empty place would go unnoticed until a reader finds it.
def test_undefined_template_variable_is_an_error(pages: Pages) -> None:
    with pytest.raises(UndefinedError, match="form"):
        pages.render(_request(), "notes/page.html", heading="Notes")


def test_page_has_a_content_security_policy(browser: TestClient) -> None:
    answer = browser.get("/notes")
    assert answer.headers["Content-Security-Policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert answer.headers["Content-Encoding"] == "gzip"


def test_page_is_compressed_only_if_accepted(browser: TestClient) -> None:
    answer = browser.get("/notes", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in answer.headers
    assert "<h1>Notes</h1>" in answer.text


def test_current_page_is_marked_in_the_navigation(browser: TestClient) -> None:
    assert '<a href="/notes" aria-current="page">All</a>' in browser.get("/notes").text


@pytest.mark.parametrize(
    ("cookie", "attribute"),
    [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'), ('x"', "")],
)
def test_page_has_the_chosen_theme(browser: TestClient, cookie: str, attribute: str) -> None:
    browser.cookies.set("theme", cookie)
    assert f'<html lang="en"{attribute}>' in browser.get("/notes").text
