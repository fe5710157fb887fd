"""Signing in, joining and leaving by forms: what is wrong stands beside its field."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import PASSWORD
from tests.apps.support.html import field_errors

COOKIES = {"elections_access", "elections_session"}


def test_who_signs_in_goes_where_they_were_going(app: PagesApp, ada: Browser) -> None:
    person = app.browser()
    sent = person.http.get(
        "/elections/people?q=a%26b", headers={"Accept": "text/html"}, follow_redirects=False
    )
    assert sent.status_code == 303
    assert parse_qs(urlsplit(sent.headers["location"]).query) == {
        "next": ["/elections/people?q=a%26b"]
    }
    answer = person.submit(person.follow(sent), who="ada@example.org", password=PASSWORD)
    assert answer.headers["location"] == "/elections/people?q=a%26b"
    assert {name for name in person.http.cookies if name.startswith("elections")} == COOKIES
    assert person.follow(answer).status_code == 200


@pytest.mark.parametrize("going", ["https://evil.example", "//evil.example", "/\\evil.example", ""])
def test_nobody_is_led_to_another_site(app: PagesApp, ada: Browser, going: str) -> None:
    person = app.browser()
    page = person.open(f"/elections/sign-in?next={going}")
    answer = person.submit(page, who="Ada", password=PASSWORD)
    assert answer.headers["location"] == "/elections"


@pytest.mark.parametrize(
    ("who", "password"), [("Ada", "not it at all"), ("Nobody", PASSWORD), ("x@example.org", "x")]
)
def test_a_wrong_sign_in_tells_nothing_and_keeps_the_name_alone(
    app: PagesApp, ada: Browser, who: str, password: str
) -> None:
    person = app.browser()
    answer = person.submit(person.get("sign-in"), who=who, password=password)
    assert answer.status_code == 422
    assert "do not fit together" in answer.text
    assert f'value="{who}"' in answer.text
    assert f'value="{password}"' not in answer.text
    assert not person.http.cookies


def test_an_empty_sign_in_is_told_field_by_field(app: PagesApp) -> None:
    person = app.browser()
    answer = person.submit(person.get("sign-in"), who="", password="")
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {"who", "password"}


def test_who_guesses_on_waits_and_keeps_the_form(app: PagesApp, ada: Browser) -> None:
    person = app.browser()
    page = person.get("sign-in")
    answers = [person.submit(page, who="Ada", password=f"guess {at}") for at in range(12)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0
    assert 'value="Ada"' in answers[-1].text


def test_who_joins_is_signed_in_and_welcomed_once(app: PagesApp, ada: Browser) -> None:
    person = app.browser()
    answer = person.submit(
        person.get("register"), name="Zoë 🦊 / #1", email="zoe@example.org", password=PASSWORD
    )
    assert person.flash(answer) == "Welcome, Zoë 🦊 / #1."
    assert "Good to see you, Zoë 🦊 / #1" in person.get().text
    # Whoever is in already has no use for either form.
    for form in ("sign-in", "register"):
        assert person.get(form).url.path == "/elections"


@pytest.mark.parametrize(
    ("field", "typed", "why"),
    [
        ("name", "ADA", "Another user has the name"),
        ("name", "a@b", "@"),
        ("name", "", "name"),
        ("email", "ada@example.org", "Another user has the e-mail address"),
        ("email", "nowhere", "e-mail"),
        ("password", "short", "at least 12 characters"),
        ("password", "zoe@example.org", "your name or address"),
    ],
)
def test_what_is_wrong_with_a_newcomer_stands_beside_its_field(
    app: PagesApp, ada: Browser, field: str, typed: str, why: str
) -> None:
    person = app.browser()
    said = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD, field: typed}
    answer = person.submit(person.get("register"), **said)
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {field}
    assert why in field_errors(answer)[field]
    kept = {"name": said["name"], "email": said["email"]}
    assert all(f'value="{value}"' in answer.text for value in kept.values() if value)
    assert f'value="{said["password"]}"' not in answer.text.replace(
        f'name="email" type="email" value="{said["email"]}"', ""
    )
    assert app.world.service.context.read.get_counts().user_count == 1


def test_who_signs_out_is_forgotten(app: PagesApp, ada: Browser) -> None:
    person = app.sign_in("Ada")
    before = dict(person.http.cookies)
    answer = person.post("/elections/sign-out", {})
    assert person.flash(answer) == "You are signed out."
    assert "Register" in person.get().text
    # The old cookies open nothing but the minutes of a short token.
    person.http.cookies.set("elections_session", before["elections_session"])
    assert person.get("account").url.path == "/elections/sign-in"


def test_a_form_of_another_site_is_refused(app: PagesApp, ada: Browser) -> None:
    app.activate()
    person = app.browser()
    answer = person.http.post(
        "/elections/sign-in",
        data={"who": "Ada", "password": PASSWORD},
        headers={"Sec-Fetch-Site": "cross-site", "Accept": "text/html"},
    )
    assert answer.status_code == 403
    assert not person.http.cookies


def test_a_session_renews_itself_on_the_way(app: PagesApp, ada: Browser) -> None:
    person = app.sign_in("Ada")
    before = person.http.cookies["elections_session"]
    app.world.clock.advance(hours=1)
    assert "Good to see you, Ada" in person.get().text
    assert person.http.cookies["elections_session"] != before
