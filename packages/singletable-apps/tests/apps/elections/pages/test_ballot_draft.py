"""A ballot that is submitted after the session ended survives signing in again, without scripts."""

from __future__ import annotations

import httpx2
import pytest

from tests.apps.elections.pages.client import Browser, PagesApp, ballot_fields
from tests.apps.support.elections.world import PASSWORD

BALLOT = "/elections/e/Tea/ballot"


@pytest.fixture
def tea(app: PagesApp, ada: Browser, ben: Browser) -> str:
    return app.world.launch(app.user("Ada"), "Tea").name


def _submit_signed_out(browser: Browser, **ranks: str) -> httpx2.Response:
    """Fill in the ballot, lose the session, and submit it."""
    fields = browser.ballot_fields("Tea")
    browser.http.cookies.clear()
    filled = {f"rank.{name}": rank for name, rank in ranks.items()}
    return browser.post(BALLOT, {**fields, **filled, "sure": "yes"})


def _sign_in(browser: Browser, response: httpx2.Response, name: str) -> httpx2.Response:
    """Follow the redirect to the sign-in page, sign in, and return the next page."""
    page = browser.follow(response)
    assert page.url.path == "/elections/sign-in"
    return browser.follow(browser.submit(page, who=name, password=PASSWORD))


def test_sign_in_returns_to_the_ballot_with_the_ranking(
    app: PagesApp, ben: Browser, tea: str
) -> None:
    page = _sign_in(ben, _submit_signed_out(ben, Green="1", Blue="2"), "Ben")
    assert page.url.path == BALLOT
    fields = ballot_fields(page)
    ranks = {name: fields[f"rank.{name}"] for name in ("Red", "Green", "Blue")}
    assert ranks == {"Red": "", "Green": "1", "Blue": "2"}
    assert "You were signed out. Your ranking is still here; cast it again." in page.text
    assert ben.post(BALLOT, {**fields, "sure": "yes"}).headers["location"].endswith("/receipt")


def test_sign_in_page_says_that_the_session_ended(ben: Browser, tea: str) -> None:
    page = ben.follow(_submit_signed_out(ben, Green="1"))
    assert 'data-flash="warning"' in page.text


def test_draft_is_restored_once(ben: Browser, tea: str) -> None:
    page = _sign_in(ben, _submit_signed_out(ben, Green="1"), "Ben")
    assert ballot_fields(page)["rank.Green"] == "1"
    assert ben.ballot_fields("Tea")["rank.Green"] == ""


# On a shared computer, the next person must not see how someone else ranked.
def test_draft_is_not_shown_to_another_voter(ben: Browser, tea: str) -> None:
    page = _sign_in(ben, _submit_signed_out(ben, Green="1"), "Ada")
    assert ballot_fields(page)["rank.Green"] == ""
    assert "Your ranking is still here" not in page.text


def test_changed_draft_cookie_is_ignored(ben: Browser, tea: str) -> None:
    response = _submit_signed_out(ben, Green="1")
    ben.http.cookies.clear()
    ben.http.cookies.set("elections_draft", "made up")
    page = _sign_in(ben, response, "Ben")
    assert page.status_code == 200
    assert ballot_fields(page)["rank.Green"] == ""


def test_post_without_a_page_returns_to_the_start(app: PagesApp, ada: Browser) -> None:
    response = app.browser().post("/elections/account/sessions/others/end", {})
    assert response.headers["location"] == "/elections/sign-in"
