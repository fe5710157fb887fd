"""People sign in and out, register, and reset a forgotten password."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.apps.elections.pages.client import Browser, PagesApp, url
from tests.apps.support.elections.world import PASSWORD
from tests.apps.support.html import field_errors

COOKIES = {"elections_access", "elections_session", "elections_device"}
NEW_PASSWORD = "another lantern, another river"


def test_sign_in_returns_to_the_requested_page(app: PagesApp, ada: Browser) -> None:
    browser = app.browser()
    response = browser.http.get(
        "/elections/people?q=a%26b", headers={"Accept": "text/html"}, follow_redirects=False
    )
    assert response.status_code == 303
    assert parse_qs(urlsplit(response.headers["location"]).query) == {
        "next": ["/elections/people?q=a%26b"]
    }
    response = browser.submit(browser.follow(response), who="ada@example.org", password=PASSWORD)
    assert response.headers["location"] == "/elections/people?q=a%26b"
    assert {name for name in browser.http.cookies if name.startswith("elections")} == COOKIES
    assert browser.follow(response).status_code == 200


@pytest.mark.parametrize("name", ["A#B", "Tea/Coffee?", "100 % & more", "Größe;ß=1"])
def test_sign_in_returns_to_an_election_of_any_name(app: PagesApp, ada: Browser, name: str) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), name)
    browser = app.browser()
    page = browser.open(url("e", name, "candidates") + "?from=a%23b")
    response = browser.submit(page, who="Ada", password=PASSWORD)
    assert response.headers["location"] == url("e", name, "candidates") + "?from=a%23b"
    page = browser.follow(response)
    assert page.status_code == 200
    assert page.text.count('aria-current="page"') == 2  # in the header, and among the tabs


@pytest.mark.parametrize(
    "next_url", ["https://evil.example", "//evil.example", "/\\evil.example", ""]
)
def test_sign_in_never_redirects_to_another_site(
    app: PagesApp, ada: Browser, next_url: str
) -> None:
    browser = app.browser()
    page = browser.open(f"/elections/sign-in?next={next_url}")
    response = browser.submit(page, who="Ada", password=PASSWORD)
    assert response.headers["location"] == "/elections"


@pytest.mark.parametrize(
    ("who", "password"), [("Ada", "not it at all"), ("Nobody", PASSWORD), ("x@example.org", "x")]
)
def test_wrong_sign_in_reveals_nothing_and_keeps_only_the_name(
    app: PagesApp, ada: Browser, who: str, password: str
) -> None:
    browser = app.browser()
    response = browser.submit(browser.get("sign-in"), who=who, password=password)
    assert response.status_code == 422
    assert "Wrong name or password" in response.text
    assert f'value="{who}"' in response.text
    assert f'value="{password}"' not in response.text
    assert not browser.http.cookies


def test_guessing_passwords_is_rate_limited_and_keeps_the_form(app: PagesApp, ada: Browser) -> None:
    browser = app.browser()
    page = browser.get("sign-in")
    responses = [browser.submit(page, who="Ada", password=f"guess {at}") for at in range(12)]
    assert responses[-1].status_code == 429
    assert int(responses[-1].headers["retry-after"]) > 0
    assert 'value="Ada"' in responses[-1].text


def test_sign_out_ends_the_session(app: PagesApp, ada: Browser) -> None:
    browser = app.sign_in("Ada")
    before = dict(browser.http.cookies)
    response = browser.post("/elections/sign-out", {})
    assert browser.flash(response)
    assert 'href="/elections/register"' in browser.get().text
    # The old session cookie is worth nothing.
    browser.http.cookies.set("elections_session", before["elections_session"])
    assert browser.get("account").url.path == "/elections/sign-in"


def test_signing_in_again_replaces_the_session_of_the_browser(app: PagesApp, ada: Browser) -> None:
    auth, browser = app.world.service.auth, app.sign_in("Ada")
    before = {session.id for session in auth.sessions(app.user("Ada"))}
    again = browser.open("/elections/sign-in?again=true")
    assert browser.submit(again, who="Ada", password=PASSWORD).status_code == 303
    after = {session.id for session in auth.sessions(app.user("Ada"))}
    assert (len(after), len(after - before)) == (len(before), 1)


def test_session_is_renewed_by_any_request(app: PagesApp, ada: Browser) -> None:
    browser = app.sign_in("Ada")
    before = browser.http.cookies["elections_session"]
    app.world.clock.advance(hours=1)
    assert browser.get("account").url.path == "/elections/account"
    assert browser.http.cookies["elections_session"] != before


def test_registration_signs_in(app: PagesApp, ada: Browser) -> None:
    browser = app.browser()
    name = "Zoë 🦊 / #1"
    fields = {"name": name, "email": "zoe@example.org", "password": PASSWORD}
    response = browser.submit(browser.get("register"), **fields)
    assert name in browser.flash(response)
    assert f"Signed in as <strong>{name}</strong>" in browser.get().text
    # Neither form is of use to someone who is signed in.
    for form in ("sign-in", "register"):
        assert browser.get(form).url.path == "/elections"


def _reset_link(app: PagesApp) -> str:
    match = re.search(r"/elections/reset\S+", app.emails()[0].text)
    assert match is not None
    return match[0]


def _can_sign_in(app: PagesApp, password: str) -> bool:
    browser = app.browser()
    response = browser.submit(browser.get("sign-in"), who="Ada", password=password)
    return response.status_code == 303


def test_reset_link_sets_a_password_once(app: PagesApp, ada: Browser) -> None:
    elsewhere = app.sign_in("Ada")
    browser = app.browser()
    response = browser.submit(browser.get("forgot"), who="ada")
    assert browser.follow(response).url.path == "/elections/forgot/sent"
    link = _reset_link(app)
    page = browser.open(link)
    assert page.status_code == 200
    rejected = browser.submit(page, password="short")
    assert rejected.status_code == 422
    assert set(field_errors(rejected)) == {"password"}
    # A rejected password does not use up the link.
    assert browser.flash(browser.submit(rejected, password=NEW_PASSWORD))
    assert browser.get("account").url.path == "/elections/account"
    assert elsewhere.get("account").url.path == "/elections/sign-in"
    assert app.browser().open(link).status_code == 422
    assert _can_sign_in(app, NEW_PASSWORD)


@pytest.mark.parametrize("who", ["Nobody", "nobody@example.org", "x" * 400])
def test_reset_does_not_reveal_whether_an_account_exists(
    app: PagesApp, ada: Browser, who: str
) -> None:
    browser = app.browser()
    responses = [browser.submit(browser.get("forgot"), who=name) for name in ("Ada", who)]
    assert len({(each.status_code, each.headers["location"]) for each in responses}) == 1
    assert len(app.emails()) == 1


@pytest.mark.parametrize("query", ["", "?token=", "?token=made-up", "?token=1.x"])
def test_wrong_reset_link_offers_another(app: PagesApp, ada: Browser, query: str) -> None:
    page = app.browser().open(f"/elections/reset{query}")
    assert page.status_code == 422
    assert 'href="/elections/forgot"' in page.text


def test_reset_link_expires_after_an_hour(app: PagesApp, ada: Browser) -> None:
    browser = app.browser()
    browser.submit(browser.get("forgot"), who="Ada")
    page = browser.open(_reset_link(app))
    app.world.clock.advance(hours=2)
    response = browser.submit(page, password=NEW_PASSWORD)
    assert response.status_code == 422
    assert 'href="/elections/forgot"' in response.text
    assert not _can_sign_in(app, NEW_PASSWORD)
    assert _can_sign_in(app, PASSWORD)
