"""Pages are escaped, reject undefined variables, and load only our own files."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Mapping

import pytest
from fastapi.testclient import TestClient
from jinja2 import TemplateNotFound, UndefinedError
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import StreamingResponse

from singletable_apps.home.app import add_app_links
from singletable_apps.shared.pages import POLICY, Form, Link, Pages
from tests.apps.shared.pages.site import HOSTILE


def _request(headers: Mapping[str, str]) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": "/",
            "headers": Headers(headers).raw,
            "query_string": b"",
        }
    )


def test_text_is_escaped(browser: TestClient) -> None:
    text = browser.get("/notes", params={"heading": HOSTILE}).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


# An empty place would go unnoticed until a reader finds it.
def test_undefined_template_variable_is_an_error(pages: Pages) -> None:
    with pytest.raises(UndefinedError, match="form"):
        pages.render(_request({}), "notes/page.html", heading="Notes")


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


class _Late:
    """A text that takes time."""

    is_made = False

    def __str__(self) -> str:
        self.is_made = True
        return "Notes"


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_streamed_page_begins_before_its_end_is_made(pages: Pages, encoding: str) -> None:
    late, request = _Late(), _request({"accept-encoding": encoding})
    answer = pages.stream(request, "notes/page.html", heading=late, form=Form())
    assert isinstance(answer, StreamingResponse)
    assert not late.is_made
    assert answer.headers["Content-Security-Policy"] == POLICY

    async def read() -> list[bytes]:
        return [bytes(chunk) async for chunk in answer.body_iterator if not isinstance(chunk, str)]

    content = b"".join(asyncio.run(read()))
    text = (gzip.decompress(content) if encoding == "gzip" else content).decode()
    whole = pages.render(_request({}), "notes/page.html", heading="Notes", form=Form())
    assert text == bytes(whole.body).decode()


def test_error_at_the_beginning_of_a_streamed_page_is_raised(pages: Pages) -> None:
    with pytest.raises(TemplateNotFound):
        pages.stream(_request({}), "notes/other.html")


def test_current_page_is_marked_in_the_navigation(browser: TestClient) -> None:
    assert '<a href="/notes" aria-current="page">All</a>' in browser.get("/notes").text


# The license is that of singletable: an app of someone else has its own.
def test_footer_names_a_license_only_on_the_site_of_singletable(browser: TestClient) -> None:
    text = browser.get("/notes").text
    assert "Made with singletable" in text
    assert "Apache" not in text
    site = TestClient(add_app_links(browser.app, (Link("Notes", "/notes"),)))
    assert "Apache License 2.0" in site.get("/notes").text


@pytest.mark.parametrize(
    ("cookie", "attribute"),
    [("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'), ('x"', "")],
)
def test_page_has_the_chosen_theme(browser: TestClient, cookie: str, attribute: str) -> None:
    browser.cookies.set("theme", cookie)
    assert f'<html lang="en"{attribute}>' in browser.get("/notes").text
