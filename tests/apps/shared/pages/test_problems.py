"""Browsers see problems as pages; programs, and whoever asks the API, as JSON."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages, local_url
from tests.apps.shared.pages.site import browser_at, make_site

JSON = {"Accept": "application/json"}


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        ("/broken/403", 403, "You don&#39;t have access to this"),
        ("/broken/412", 412, "See the current version"),
        ("/broken/503", 503, "Try again in 1 second"),
        ("/broken/500", 500, "request ID"),
        ("/nowhere", 404, "There is no page at this address."),
        ("/broken/x", 422, "1 error"),
    ],
)
def test_a_problem_is_a_page(browser: TestClient, address: str, status: int, words: str) -> None:
    answer = browser.get(address)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert words in answer.text
    assert '<a href="/notes">All</a>' in answer.text


def test_a_page_about_a_problem_has_its_headers(browser: TestClient) -> None:
    assert browser.get("/broken/412").headers["ETag"] == '"7"'
    assert browser.get("/broken/503").headers["Retry-After"] == "1"


# What is refused before any handler, by what stands around the app, is a page all the same.
def test_a_form_of_another_site_is_refused_with_a_page(browser: TestClient) -> None:
    answer = browser.post("/notes", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert "Request from another site" in answer.text


@pytest.mark.parametrize("address", ["/broken/403", "/broken/500", "/nowhere"])
def test_a_program_gets_json(browser: TestClient, address: str) -> None:
    answer = browser.get(address, headers=JSON)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_the_api_answers_in_json_whoever_asks(browser: TestClient) -> None:
    answer = browser.get("/api/nowhere")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_who_is_not_signed_in_goes_there_and_comes_back(browser: TestClient) -> None:
    answer = browser.get("/broken/401?a=1&b=%2F")
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/sign-in?next=%2Fbroken%2F401%3Fa%3D1%26b%3D%252F"


def test_a_part_of_a_page_takes_the_whole_page_to_signing_in(browser: TestClient) -> None:
    answer = browser.get("/broken/401", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert answer.headers["HX-Redirect"] == "/sign-in?next=%2Fbroken%2F401"


def test_an_app_in_which_two_have_pages_shows_each_its_own(pages: Pages) -> None:
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
def test_one_comes_back_to_this_site_only(elsewhere: str | None) -> None:
    assert local_url(elsewhere, "/notes") == "/notes"


def test_one_comes_back_to_where_one_was() -> None:
    assert local_url("/notes?a=1#b", "/") == "/notes?a=1#b"
