"""Sign in and out, reset and change a password, and end sessions, on the pages of each app."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.shared.pages.sites import SITES, AuthSite
from tests.apps.support.html import field_errors, forms_in, text_in

NEW_PASSWORD = "orchard violet engine"


@pytest.fixture(params=SITES)
def site(request: pytest.FixtureRequest) -> Iterator[AuthSite]:
    site: AuthSite = request.param()
    yield site
    site.pages.world.check_calls()


def test_sign_in_continues_to_the_page_that_needed_it(site: AuthSite) -> None:
    browser = site.browser()
    page = browser.get("people")
    assert page.url.path == f"{site.prefix}/sign-in"
    response = browser.submit(page, who=site.who.upper(), password=site.password)
    assert response.headers["location"] == f"{site.prefix}/people"


@pytest.mark.parametrize(
    "target", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:1", ""]
)
def test_sign_in_never_continues_to_another_site(site: AuthSite, target: str) -> None:
    browser = site.browser()
    page = browser.open(f"{site.prefix}/sign-in?next={target}")
    response = browser.submit(page, who=site.who, password=site.password)
    assert response.headers["location"] == site.home


@pytest.mark.parametrize("who", ["", "nobody", "nobody@example.org"])
def test_wrong_sign_in_reveals_nothing_and_keeps_only_the_name(site: AuthSite, who: str) -> None:
    browser = site.browser()
    response = site.guess(browser, "not it at all", who)
    assert response.status_code == 422
    assert site.wrong in response.text
    assert f'value="{who or site.who}"' in response.text
    assert "not it at all" not in response.text
    assert not browser.http.cookies


def test_guessing_passwords_is_throttled_and_keeps_the_form(site: AuthSite) -> None:
    browser = site.browser()
    guesses = [site.guess(browser, f"guess {at}") for at in range(12)]
    assert guesses[-1].status_code == 429
    assert int(guesses[-1].headers["retry-after"]) > 0
    assert f'value="{site.who}"' in guesses[-1].text


def test_expired_access_token_is_renewed_by_any_request(site: AuthSite) -> None:
    browser, cookie = site.sign_in(), f"{site.name}_session"
    before = browser.http.cookies[cookie]
    site.pages.world.clock.advance(hours=1)
    assert site.is_signed_in(browser)
    assert browser.http.cookies[cookie] != before


def test_sign_out_ends_the_session(site: AuthSite) -> None:
    browser, cookie = site.sign_in(), f"{site.name}_session"
    old = browser.http.cookies[cookie]
    assert browser.flash(browser.post(f"{site.prefix}/sign-out")) == "You’re signed out."
    browser.http.cookies.set(cookie, old)
    assert not site.is_signed_in(browser)


def test_signing_in_again_replaces_the_session_of_the_browser(site: AuthSite) -> None:
    browser = site.sign_in()
    token = browser.http.cookies[f"{site.name}_access"]
    user = site.auth.authenticate(token)
    before = {session.family for session in site.auth.sessions(user)}
    again = browser.open(f"{site.prefix}/sign-in?again=true")
    assert (
        browser.submit(again, "/sign-in", who=site.who, password=site.password).status_code == 303
    )
    after = {session.family for session in site.auth.sessions(user)}
    assert (len(after), len(after - before)) == (len(before), 1)


# ------------------------------------------------------------------------------ forgotten passwords


def test_reset_link_sets_a_password_once(site: AuthSite) -> None:
    elsewhere, browser = site.sign_in(), site.browser()
    response = browser.submit(browser.get("forgot"), who=site.who.upper())
    assert response.headers["location"] == f"{site.prefix}/forgot/sent"
    assert "Check your e-mail" in browser.get("forgot", "sent").text
    link = site.reset_link()
    rejected = browser.submit(browser.open(link), password="short")
    assert rejected.status_code == 422
    assert set(field_errors(rejected)) == {"password"}
    # A rejected password does not use up the link.
    assert browser.submit(rejected, password=NEW_PASSWORD).status_code == 303
    assert site.is_signed_in(browser)
    assert not site.is_signed_in(elsewhere)
    assert site.browser().open(link).status_code == 422
    site.sign_in(NEW_PASSWORD)


def test_reset_link_expires_after_an_hour(site: AuthSite) -> None:
    browser = site.browser()
    browser.submit(browser.get("forgot"), who=site.who)
    page = browser.open(site.reset_link())
    site.pages.world.clock.advance(hours=2)
    response = browser.submit(page, password=NEW_PASSWORD)
    assert response.status_code == 422
    assert f'href="{site.prefix}/forgot"' in response.text
    site.sign_in()


def test_reset_does_not_reveal_whether_an_account_exists(site: AuthSite) -> None:
    browser = site.browser()
    responses = [
        browser.submit(browser.get("forgot"), who=who)
        for who in (site.who, "nobody", "nobody@example.org", "no address", "x" * 400)
    ]
    assert {(each.status_code, each.headers["location"]) for each in responses} == {
        (303, f"{site.prefix}/forgot/sent")
    }
    assert len(site.emails()) == 1


def test_reset_e_mails_are_throttled_silently(site: AuthSite) -> None:
    browser = site.browser()
    page = browser.get("forgot")
    responses = [browser.submit(page, who=site.who) for _ in range(8)]
    assert {response.status_code for response in responses} == {303}
    assert len(site.emails()) < 8


@pytest.mark.parametrize("query", ["", "?token=", "?token=made-up", "?token=1.x"])
def test_wrong_reset_link_offers_another(site: AuthSite, query: str) -> None:
    page = site.browser().open(f"{site.prefix}/reset{query}")
    assert page.status_code == 422
    assert f'href="{site.prefix}/forgot"' in page.text


# ------------------------------------------------------------------------------ your account


def test_password_is_changed_after_errors_beside_the_fields(site: AuthSite) -> None:
    here, elsewhere = site.sign_in(), site.sign_in()
    page = here.get("account")
    wrong = here.submit(page, "/password", current="not it at all", new=NEW_PASSWORD)
    assert set(field_errors(wrong)) == {"current"}
    weak = here.submit(page, "/password", current=site.password, new="short")
    assert set(field_errors(weak)) == {"new"}
    assert here.flash(here.submit(page, "/password", current=site.password, new=NEW_PASSWORD))
    assert site.is_signed_in(here)
    assert not site.is_signed_in(elsewhere)


def test_sessions_are_listed_and_ended(site: AuthSite) -> None:
    here, elsewhere, other = site.sign_in(), site.sign_in(), site.sign_in()
    page = here.get("account")
    assert text_in(page.text).count("This browser") == 1
    session = site.auth.session_of(elsewhere.http.cookies[f"{site.name}_access"])
    assert here.flash(here.submit(page, f"/{session}/end"))
    assert not site.is_signed_in(elsewhere)
    assert here.flash(here.submit(page, "/others/end"))
    assert not site.is_signed_in(other)
    page = here.get("account")
    assert "Sign out everywhere else" not in page.text
    [own] = [form.action for form in forms_in(page) if form.action.endswith("/end")]
    assert here.flash(here.post(own)) == "You’re signed out."
    assert not site.is_signed_in(here)
