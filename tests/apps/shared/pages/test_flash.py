"""A toast is said once, and only by us."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request

from singletable_apps.shared.pages import Pages
from singletable_apps.shared.pages.flash import Flash, FlashMessages
from tests.apps.shared.pages.site import SECRET

TYPED = {"name": "Board", "password": "correct horse"}


def test_what_was_done_is_said_once_on_the_next_page(browser: TestClient) -> None:
    done = browser.post("/notes", data=TYPED)
    assert (done.status_code, done.headers["Location"]) == (303, "/notes")
    assert "Board" in browser.get("/notes").text
    assert "Board" not in browser.get("/notes").text


def test_a_toast_is_text(browser: TestClient) -> None:
    browser.post("/notes/gone")
    text = browser.get("/notes").text
    assert "<script>alert" not in text
    assert "toast-warning" in text


def test_no_script_reads_a_toast_and_no_other_site_sends_it(browser: TestClient) -> None:
    cookie = browser.post("/notes", data=TYPED).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


def _request(cookie: str = "") -> Request:
    headers = [(b"cookie", f"__Host-flash={cookie}".encode())]
    return Request({"type": "http", "headers": headers, "state": {"response_headers": []}})


def _sealed(secret: bytes) -> str:
    request = _request()
    FlashMessages(secret).add(request, Flash("We owe you money."))
    ((_, header),) = request.state.response_headers
    return str(header).partition("=")[2].partition(";")[0]


def _said(cookie: str) -> Flash | None:
    return FlashMessages(SECRET).take(_request(cookie))


def test_a_toast_comes_through() -> None:
    assert _said(_sealed(SECRET)) == Flash("We owe you money.")


@pytest.mark.parametrize(
    "cookie",
    ["", "x", "%", "ü", "A" * 3000, _sealed(b"a secret of somebody else"), _sealed(SECRET)[:-3]],
    ids=["none", "short", "no base64", "no ASCII", "long", "of others", "cut"],
)
def test_what_others_put_into_the_cookie_is_not_said(cookie: str) -> None:
    assert _said(cookie) is None


def test_a_secret_is_long_enough() -> None:
    with pytest.raises(ValueError, match="at least 16 bytes, but got 5 bytes"):
        Pages("notes", secret=b"short")
