"""The first-run page, signing in and out, forgotten passwords, and one's own account."""

from __future__ import annotations

import re

import pytest

from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.harness import PASSWORD
from tests.apps.support.html import field_errors, text_in

NEW_PASSWORD = "orchard violet engine"
VALID = {
    "site_title": "Ada’s notes",
    "name": "Ada",
    "email": "ada@example.org",
    "password": PASSWORD,
}


def _sign_in(app: PagesApp, password: str = PASSWORD, email: str = "ADA@example.org") -> Browser:
    browser = app.browser()
    response = browser.submit(browser.get("sign-in"), who=email, password=password)
    assert response.status_code == 303, response.text
    return browser


def _reset_link(app: PagesApp) -> str:
    match = re.search(r"/portfolio/admin/reset\S+", app.world.mailbox.emails[-1].text)
    assert match is not None
    return match[0]


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


def test_sign_in_continues_to_the_page_that_needed_it(app: PagesApp) -> None:
    browser = app.browser()
    page = browser.get("people")
    assert page.url.path == "/portfolio/admin/sign-in"
    response = browser.submit(page, who="Ada@Example.org", password=PASSWORD)
    assert response.headers["location"] == "/portfolio/admin/people"


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "javascript:1"])
def test_sign_in_never_continues_to_another_site(app: PagesApp, target: str) -> None:
    browser = app.browser()
    page = browser.get("sign-in", next=target)
    response = browser.submit(page, who="ada@example.org", password=PASSWORD)
    assert response.headers["location"] == "/portfolio/admin"


@pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org", "no address"])
def test_wrong_sign_in_reveals_nothing_and_keeps_only_the_address(
    app: PagesApp, email: str
) -> None:
    browser = app.browser()
    response = browser.submit(browser.get("sign-in"), who=email, password="not it at all")
    assert response.status_code == 422
    assert "Wrong e-mail address or password." in response.text
    assert f'value="{email}"' in response.text
    assert "not it at all" not in response.text
    assert not browser.http.cookies


def test_guessing_passwords_is_throttled_and_keeps_the_form(app: PagesApp) -> None:
    browser = app.browser()
    page = browser.get("sign-in")
    guesses = [
        browser.submit(page, who="ada@example.org", password=f"guess {at}") for at in range(12)
    ]
    assert guesses[-1].status_code == 429
    assert int(guesses[-1].headers["retry-after"]) > 0
    assert 'value="ada@example.org"' in guesses[-1].text


def test_expired_access_token_is_renewed_by_any_request(app: PagesApp) -> None:
    browser = _sign_in(app)
    before = browser.http.cookies["portfolio_session"]
    app.world.clock.advance(hours=1)
    assert browser.get("account").url.path == "/portfolio/admin/account"
    assert browser.http.cookies["portfolio_session"] != before


def test_sign_out_ends_the_session(app: PagesApp) -> None:
    browser = _sign_in(app)
    old = browser.http.cookies["portfolio_session"]
    assert browser.flash(browser.post("/portfolio/admin/sign-out")) == "You’re signed out."
    browser.http.cookies.set("portfolio_session", old)
    assert browser.get("account").url.path == "/portfolio/admin/sign-in"


def test_reset_link_sets_a_password_once(app: PagesApp) -> None:
    elsewhere, browser = _sign_in(app), app.browser()
    response = browser.submit(browser.get("forgot"), who="Ada@example.org")
    assert response.headers["location"] == "/portfolio/admin/forgot/sent"
    assert "Check your e-mail" in browser.get("forgot", "sent").text
    link = _reset_link(app)
    rejected = browser.submit(browser.open(link), password="short")
    assert rejected.status_code == 422
    assert set(field_errors(rejected)) == {"password"}
    # A rejected password does not use up the link.
    assert browser.submit(rejected, password=NEW_PASSWORD).status_code == 303
    assert browser.get("account").url.path == "/portfolio/admin/account"
    assert elsewhere.get("account").url.path == "/portfolio/admin/sign-in"
    assert app.browser().open(link).status_code == 422
    _sign_in(app, NEW_PASSWORD)


def test_reset_does_not_reveal_whether_an_account_exists(app: PagesApp) -> None:
    browser = app.browser()
    responses = [
        browser.submit(browser.get("forgot"), who=email)
        for email in ("ada@example.org", "nobody@example.org", "no address", "x" * 400)
    ]
    assert {(each.status_code, each.headers["location"]) for each in responses} == {
        (303, "/portfolio/admin/forgot/sent")
    }
    assert len(app.world.mailbox.emails) == 1


def test_reset_e_mails_are_throttled_silently(app: PagesApp) -> None:
    browser = app.browser()
    page = browser.get("forgot")
    responses = [browser.submit(page, who="ada@example.org") for _ in range(8)]
    assert {response.status_code for response in responses} == {303}
    assert len(app.world.mailbox.emails) < 8


@pytest.mark.parametrize("token", ["", "made-up", "1.x"])
def test_wrong_reset_link_offers_another(app: PagesApp, token: str) -> None:
    page = app.browser().get("reset", token=token)
    assert page.status_code == 422
    assert 'href="/portfolio/admin/forgot"' in page.text


def test_name_is_changed_and_an_empty_one_rejected(app: PagesApp, ben: Browser) -> None:
    page = ben.get("account")
    assert set(field_errors(ben.submit(page, "/name", name=" "))) == {"name"}
    assert ben.flash(ben.submit(page, "/name", name="Benjamin")) == "Name saved."
    assert "Signed in as <strong>Benjamin</strong>" in ben.get("account").text


def test_password_is_changed_after_errors_beside_the_fields(app: PagesApp) -> None:
    browser = _sign_in(app)
    page = browser.get("account")
    wrong = browser.submit(page, "/password", current="not it at all", new=NEW_PASSWORD)
    assert set(field_errors(wrong)) == {"current"}
    weak = browser.submit(page, "/password", current=PASSWORD, new="short")
    assert set(field_errors(weak)) == {"new"}
    assert browser.flash(browser.submit(page, "/password", current=PASSWORD, new=NEW_PASSWORD))
    assert browser.get("account").url.path == "/portfolio/admin/account"


def test_sessions_are_listed_and_ended(app: PagesApp) -> None:
    browser, elsewhere, other = _sign_in(app), _sign_in(app), _sign_in(app)
    page = browser.get("account")
    assert text_in(page.text).count("This browser") == 1
    session = app.world.service.accounts.session_of(elsewhere.http.cookies["portfolio_access"])
    assert browser.flash(browser.submit(page, f"/{session}/end"))
    assert browser.flash(browser.submit(page, "/others/end"))
    # Access tokens of ended sessions last a few minutes more.
    app.world.clock.advance(minutes=16)
    for ended in (elsewhere, other):
        assert ended.get("account").url.path == "/portfolio/admin/sign-in"
    page = browser.get("account")
    assert "Sign out everywhere else" not in page.text
    assert browser.flash(browser.submit(page, "/end")) == "You’re signed out."
