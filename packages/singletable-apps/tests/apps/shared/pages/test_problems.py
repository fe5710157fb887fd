"""Problems are pages for browsers, and JSON for programs and for the API."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages, local_url
from tests.apps.shared.pages.site import browser_at, make_site

JSON = {"Accept": "application/json"}


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/broken/403", 403, "You don’t have access to this"),
        ("/broken/412", 412, "See the current version"),
        ("/broken/503", 503, "Try again in 1 second"),
        ("/broken/500", 500, "request ID"),
        ("/nowhere", 404, "There is no page at this address."),
        ("/nowhere", 404, 'href="/notes/search"'),
        ("/broken/x", 422, "This address or form cannot be used"),
    ],
)
def test_problem_is_an_error_page(
    browser: TestClient, address: str, status: int, words: str
) -> None:
    answer = browser.get(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert words in answer.text
    assert '<a href="/notes">All</a>' in answer.text


def test_error_page_has_the_headers_of_its_problem(browser: TestClient) -> None:
    assert browser.get("/broken/412").headers["ETag"] == '"7"'
    assert browser.get("/broken/503").headers["Retry-After"] == "1"


# Middleware rejects it before any handler, and the response is a page, too.
def test_form_of_another_site_is_rejected_with_a_page(browser: TestClient) -> None:
    answer = browser.post("/notes", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "Request from another site" in answer.text


@pytest.mark.parametrize("address", ["/broken/403", "/broken/500", "/nowhere"])
def test_programs_get_json(browser: TestClient, address: str) -> None:
    answer = browser.get(address, headers=JSON)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_api_always_responds_with_json(browser: TestClient) -> None:
    answer = browser.get("/api/nowhere")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_not_signed_in_redirects_to_sign_in_and_back(browser: TestClient) -> None:
    answer = browser.get("/broken/401?a=1&b=%2F")
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/sign-in?next=%2Fbroken%2F401%3Fa%3D1%26b%3D%252F"


def test_htmx_request_redirects_the_whole_page_to_sign_in(browser: TestClient) -> None:
    answer = browser.get("/broken/401", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.headers["HX-Redirect"] == "/sign-in?next=%2Fbroken%2F401"


def test_two_apps_in_one_show_their_own_error_pages(pages: Pages) -> None:
    app = make_site(pages)
    Pages("shop", secret=b"another secret of thirty-two bytes", prefix="/shop").mount(app)
    browser = browser_at(app)
    assert "<span>Shop</span>" in browser.get("/shop/nowhere").text
    assert "<span>Notes</span>" in browser.get("/nowhere").text


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "evil",
        "/" + "x" * 3000,
        "",
        None,
    ],
)
def test_sign_in_returns_to_this_site_only(elsewhere: str | None) -> None:
    assert local_url(elsewhere, "/notes") == "/notes"


def test_sign_in_returns_to_the_same_page() -> None:
    assert local_url("/notes?a=1#b", "/") == "/notes?a=1#b"
