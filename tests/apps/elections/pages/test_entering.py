"""Signing in, joining and leaving by forms: what is wrong stands beside its field."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.apps.elections.pages.clicking import Person, Town, faults_in
from tests.apps.elections.pages.coming import signed_in, stranger, toast
from tests.apps.elections.rig.world import PASSWORD

COOKIES = {"elections_access", "elections_session"}


def test_who_signs_in_goes_where_they_were_going(town: Town, ada: Person) -> None:
    person = stranger(town)
    sent = person.browser.get(
        "/elections/people?q=a%26b", headers={"Accept": "text/html"}, follow_redirects=False
    )
    assert sent.status_code == 303
    assert parse_qs(urlsplit(sent.headers["location"]).query) == {
        "next": ["/elections/people?q=a%26b"]
    }
    answer = person.send(person.follow(sent), who="ada@example.org", password=PASSWORD)
    assert answer.headers["location"] == "/elections/people?q=a%26b"
    assert {name for name in person.browser.cookies if name.startswith("elections")} == COOKIES
    assert person.follow(answer).status_code == 200


@pytest.mark.parametrize("going", ["https://evil.example", "//evil.example", "/\\evil.example", ""])
def test_nobody_is_led_to_another_site(town: Town, ada: Person, going: str) -> None:
    person = stranger(town)
    page = person.visit(f"/elections/sign-in?next={going}")
    answer = person.send(page, who="Ada", password=PASSWORD)
    assert answer.headers["location"] == "/elections"


@pytest.mark.parametrize(
    ("who", "password"), [("Ada", "not it at all"), ("Nobody", PASSWORD), ("x@example.org", "x")]
)
def test_a_wrong_sign_in_tells_nothing_and_keeps_the_name_alone(
    town: Town, ada: Person, who: str, password: str
) -> None:
    person = stranger(town)
    answer = person.send(person.look("sign-in"), who=who, password=password)
    assert answer.status_code == 422
    assert "do not fit together" in answer.text
    assert f'value="{who}"' in answer.text
    assert f'value="{password}"' not in answer.text
    assert not person.browser.cookies


def test_an_empty_sign_in_is_told_field_by_field(town: Town) -> None:
    person = stranger(town)
    answer = person.send(person.look("sign-in"), who="", password="")
    assert answer.status_code == 422
    assert set(faults_in(answer)) == {"who", "password"}


def test_who_guesses_on_waits_and_keeps_the_form(town: Town, ada: Person) -> None:
    person = stranger(town)
    page = person.look("sign-in")
    answers = [person.send(page, who="Ada", password=f"guess {at}") for at in range(12)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0
    assert 'value="Ada"' in answers[-1].text


def test_who_joins_is_signed_in_and_welcomed_once(town: Town, ada: Person) -> None:
    person = stranger(town)
    answer = person.send(
        person.look("register"), name="Zoë 🦊 / #1", email="zoe@example.org", password=PASSWORD
    )
    assert toast(person, answer) == "Welcome, Zoë 🦊 / #1."
    assert "Good to see you, Zoë 🦊 / #1" in person.look().text
    # Whoever is in already has no use for either form.
    for form in ("sign-in", "register"):
        assert person.look(form).url.path == "/elections"


@pytest.mark.parametrize(
    ("field", "typed", "why"),
    [
        ("name", "ADA", "Another user has the name"),
        ("name", "a@b", "@"),
        ("name", "", "name"),
        ("email", "ada@example.org", "Another user has the e-mail address"),
        ("email", "nowhere", "e-mail"),
        ("password", "short", "at least 12 characters"),
        ("password", "zoe@example.org", "your own name or address"),
    ],
)
def test_what_is_wrong_with_a_newcomer_stands_beside_its_field(
    town: Town, ada: Person, field: str, typed: str, why: str
) -> None:
    person = stranger(town)
    said = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD, field: typed}
    answer = person.send(person.look("register"), **said)
    assert answer.status_code == 422
    assert set(faults_in(answer)) == {field}
    assert why in faults_in(answer)[field]
    kept = {"name": said["name"], "email": said["email"]}
    assert all(f'value="{value}"' in answer.text for value in kept.values() if value)
    assert f'value="{said["password"]}"' not in answer.text.replace(
        f'name="email" type="email" value="{said["email"]}"', ""
    )
    assert town.world.service.context.read.counts().user_count == 1


def test_who_signs_out_is_forgotten(town: Town, ada: Person) -> None:
    person = signed_in(town, "Ada")
    before = dict(person.browser.cookies)
    answer = person.post("/elections/sign-out", {})
    assert toast(person, answer) == "You are signed out."
    assert "Register" in person.look().text
    # The old cookies open nothing but the minutes of a short token.
    person.browser.cookies.set("elections_session", before["elections_session"])
    assert person.look("account").url.path == "/elections/sign-in"


def test_a_form_of_another_site_is_refused(town: Town, ada: Person) -> None:
    town.opens()
    person = stranger(town)
    answer = person.browser.post(
        "/elections/sign-in",
        data={"who": "Ada", "password": PASSWORD},
        headers={"Sec-Fetch-Site": "cross-site", "Accept": "text/html"},
    )
    assert answer.status_code == 403
    assert not person.browser.cookies


def test_a_session_renews_itself_on_the_way(town: Town, ada: Person) -> None:
    person = signed_in(town, "Ada")
    before = person.browser.cookies["elections_session"]
    town.world.clock.move(hours=1)
    assert "Good to see you, Ada" in person.look().text
    assert person.browser.cookies["elections_session"] != before
