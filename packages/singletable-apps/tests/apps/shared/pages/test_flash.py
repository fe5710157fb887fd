"""Flash messages are shown once, and forged ones never."""

from __future__ import annotations

import time

import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request

from singletable_apps.shared.pages.flash import Flash, FlashMessages
from tests.apps.shared.pages.site import SECRET

TYPED = {"name": "Board", "password": "correct horse"}


def test_next_page_shows_the_message_once(browser: TestClient) -> None:
    done = browser.post("/notes", data=TYPED)
    assert (done.status_code, done.headers["Location"]) == (303, "/notes")
    assert "Board" in browser.get("/notes").text
    assert "Board" not in browser.get("/notes").text


def test_message_is_escaped(browser: TestClient) -> None:
    browser.post("/notes/gone")
    text = browser.get("/notes").text
    assert "<script>alert" not in text
    assert "flash-warning" in text


def test_cookie_is_http_only_and_same_site(browser: TestClient) -> None:
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


def _taken(cookie: str) -> Flash | None:
    return FlashMessages(SECRET).take(_request(cookie))


def test_sealed_message_can_be_taken() -> None:
    assert _taken(_sealed(SECRET)) == Flash("We owe you money.")


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "x",
        "%",
        "ü",
        "A" * 3000,
        _sealed(b"another secret of thirty-two bytes"),
        _sealed(SECRET)[:-3],
    ],
    ids=["none", "short", "not base64", "not ASCII", "long", "another secret", "cut"],
)
def test_forged_message_is_ignored(cookie: str) -> None:
    assert _taken(cookie) is None


def test_old_message_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    cookie, now = _sealed(SECRET), time.time()
    monkeypatch.setattr(time, "time", lambda: now + 120)
    assert _taken(cookie) is None
