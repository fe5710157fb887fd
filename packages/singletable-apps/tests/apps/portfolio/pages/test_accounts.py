"""Accounts of the portfolio: the first-run page, and what differs from other apps."""

from __future__ import annotations

import pytest

from singletable_apps.portfolio.entities import Role
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.harness import PASSWORD
from tests.apps.support.html import field_errors, text_in


def _person(app: PagesApp, browser: Browser, name: str) -> str:
    """Return the URL of a person's page."""
    people = app.world.service.accounts.list_accounts(app.world.owner())
    [user] = [user for user in people if user.name == name]
    return app.urls.admin("people", str(user.user_id))


def test_owner_who_steps_down_goes_to_the_dashboard(app: PagesApp, ada: Browser) -> None:
    app.join("Ben", Role.OWNER)
    page = ada.open(_person(app, ada, "Ada"))
    assert ada.submit(page, "/role", role="author").headers["location"] == "/portfolio/admin"
    page = ada.get("people")
    assert (page.status_code, "Only the owner" in text_in(page.text)) == (403, True)
    assert 'href="/portfolio/admin/people"' not in page.text


@pytest.mark.parametrize("user_id", ["0", "x", "9" * 30, "-1"])
def test_invalid_user_number_is_rejected(app: PagesApp, ada: Browser, user_id: str) -> None:
    assert ada.get("people", user_id).status_code in (404, 422)


VALID = {
    "site_title": "Ada’s notes",
    "name": "Ada",
    "email": "ada@example.org",
    "password": PASSWORD,
}


def test_new_site_redirects_to_the_first_run_page(new_app: PagesApp) -> None:
    for page in ("sign-in", "account", "people", "forgot", "reset"):
        assert new_app.browser().get(page).url.path == "/portfolio/admin/set-up"


def test_first_run_creates_the_site_and_signs_in(new_app: PagesApp) -> None:
    browser = new_app.browser()
    code = new_app.world.service.accounts.setup_code() or ""
    page = browser.get("set-up", code=code)
    response = browser.submit(page, **VALID)
    assert response.headers["location"] == "/portfolio/admin"
    page = browser.get("account")
    assert page.url.path == "/portfolio/admin/account"
    assert "Signed in as <strong>Ada</strong>" in page.text
    assert "<span>Ada’s notes</span>" in page.text


def test_invalid_first_run_has_an_error_beside_every_field(new_app: PagesApp) -> None:
    browser = new_app.browser()
    fields = {"site_title": "", "name": "\x00", "email": "nowhere", "password": "short"}
    fields["setup_code"] = "guessed"
    response = browser.submit(browser.get("set-up"), **fields)
    assert response.status_code == 422
    assert set(field_errors(response)) == set(fields)
    assert 'value="nowhere"' in response.text
    assert 'value="short"' not in response.text
    assert not new_app.world.service.profile.is_set_up()


def test_second_first_run_goes_to_sign_in(new_app: PagesApp) -> None:
    browser = new_app.browser()
    page = browser.get("set-up")
    new_app.world.set_up()
    response = browser.submit(page, **{**VALID, "email": "eve@example.org"})
    assert "Sign in" in browser.flash(response)
    assert not browser.http.cookies
    assert browser.get("set-up").url.path == "/portfolio/admin/sign-in"


def test_export_asks_for_the_password_after_some_minutes(app: PagesApp) -> None:
    owner = app.world.owner()
    ada = app.browser(owner)
    app.world.clock.advance(minutes=6)
    again = ada.get("export")
    assert again.url.path == "/portfolio/admin/sign-in"
    done = ada.submit(again, "/sign-in", who=owner.email, password=PASSWORD)
    assert ada.open(done.headers["location"]).headers["content-type"] == "application/zip"
