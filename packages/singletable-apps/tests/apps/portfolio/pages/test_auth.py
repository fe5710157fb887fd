"""The first-run page, and one's own name."""

from __future__ import annotations

from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.harness import PASSWORD
from tests.apps.support.html import field_errors

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
