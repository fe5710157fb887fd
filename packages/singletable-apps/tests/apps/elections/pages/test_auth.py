"""People register, and sign in on the way to a page."""

from __future__ import annotations

import pytest

from tests.apps.elections.pages.client import Browser, PagesApp, url
from tests.apps.support.elections.world import PASSWORD


@pytest.mark.parametrize("name", ["A#B/C?", "100 % & Größe;ß=1"])
def test_sign_in_returns_to_an_election_of_any_name(app: PagesApp, ada: Browser, name: str) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), name)
    browser = app.browser()
    page = browser.open(url("e", name, "candidates") + "?from=a%23b")
    response = browser.submit(page, who="Ada", password=PASSWORD)
    assert response.headers["location"] == url("e", name, "candidates") + "?from=a%23b"
    page = browser.follow(response)
    assert page.status_code == 200
    assert page.text.count('aria-current="page"') == 2  # in the header, and among the tabs


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
