"""Who has forgotten a password gets a letter, and nobody learns whether there is an account."""

from __future__ import annotations

import re

import pytest

from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import PASSWORD
from tests.apps.support.html import field_errors

NEW = "another lantern, another river"


def _link(app: PagesApp) -> str:
    found = re.search(r"/elections/reset\S+", app.emails()[0].text)
    assert found is not None
    return found[0]


def test_a_letter_leads_to_another_password_once(app: PagesApp, ada: Browser) -> None:
    elsewhere = app.sign_in("Ada")
    person = app.browser()
    answer = person.submit(person.get("forgot"), who="ada")
    assert "If there is an account" in person.follow(answer).text
    link = _link(app)
    page = person.open(link)
    assert page.status_code == 200
    refused = person.submit(page, password="short")
    assert refused.status_code == 422
    assert "at least 12 characters" in field_errors(refused)["password"]
    # A password that was refused does not cost the letter.
    done = person.submit(refused, password=NEW)
    assert "other browsers are signed out" in person.flash(done)
    assert "Good to see you, Ada" in person.get().text
    assert elsewhere.get("account").url.path == "/elections/sign-in"
    assert "does not work" in app.browser().open(link).text
    assert signed_in_with(app, NEW)


def signed_in_with(app: PagesApp, password: str) -> bool:
    person = app.browser()
    answer = person.submit(person.get("sign-in"), who="Ada", password=password)
    return answer.status_code == 303


@pytest.mark.parametrize("who", ["Nobody", "nobody@example.org", "x" * 400])
def test_nobody_learns_whether_there_is_an_account(app: PagesApp, ada: Browser, who: str) -> None:
    person = app.browser()
    answers = [person.submit(person.get("forgot"), who=name) for name in ("Ada", who)]
    assert len({(one.status_code, one.headers["location"]) for one in answers}) == 1
    assert len(app.emails()) == 1


def test_who_asks_too_often_is_not_told_and_gets_no_more(app: PagesApp, ada: Browser) -> None:
    person = app.browser()
    answers = [person.submit(person.get("forgot"), who="Ada") for _ in range(8)]
    assert {one.status_code for one in answers} == {303}
    assert len(app.emails()) < 8


def test_an_empty_form_is_told_beside_its_field(app: PagesApp) -> None:
    person = app.browser()
    answer = person.submit(person.get("forgot"), who="")
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {"who"}


@pytest.mark.parametrize("query", ["", "?token=", "?token=made-up", "?token=1.x"])
def test_a_wrong_link_leads_to_another_letter(app: PagesApp, ada: Browser, query: str) -> None:
    page = app.browser().open(f"/elections/reset{query}")
    assert page.status_code == 422
    assert 'href="/elections/forgot"' in page.text


def test_a_link_works_for_an_hour(app: PagesApp, ada: Browser) -> None:
    person = app.browser()
    person.submit(person.get("forgot"), who="Ada")
    page = person.open(_link(app))
    app.world.clock.advance(hours=2)
    answer = person.submit(page, password=NEW)
    assert answer.status_code == 422
    assert "This link does not work" in answer.text
    assert not signed_in_with(app, NEW)
    assert signed_in_with(app, PASSWORD)
