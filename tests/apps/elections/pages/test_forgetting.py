"""Who has forgotten a password gets a letter, and nobody learns whether there is an account."""

from __future__ import annotations

import re

import pytest

from tests.apps.elections.pages.clicking import Person, Town, faults_in
from tests.apps.elections.pages.coming import letters, signed_in, stranger, toast
from tests.apps.elections.rig.world import PASSWORD

NEW = "another lantern, another river"


def _link(town: Town) -> str:
    found = re.search(r"/elections/reset\S+", letters(town)[0].text)
    assert found is not None
    return found[0]


def test_a_letter_leads_to_another_password_once(town: Town, ada: Person) -> None:
    elsewhere = signed_in(town, "Ada")
    person = stranger(town)
    answer = person.send(person.look("forgot"), who="ada")
    assert "If there is an account" in person.follow(answer).text
    link = _link(town)
    page = person.visit(link)
    assert page.status_code == 200
    refused = person.send(page, password="short")
    assert refused.status_code == 422
    assert "at least 12 characters" in faults_in(refused)["password"]
    # A password that was refused does not cost the letter.
    done = person.send(refused, password=NEW)
    assert "other browsers are signed out" in toast(person, done)
    assert "Good to see you, Ada" in person.look().text
    assert elsewhere.look("account").url.path == "/elections/sign-in"
    assert "does not work" in stranger(town).visit(link).text
    assert signed_in_with(town, NEW)


def signed_in_with(town: Town, password: str) -> bool:
    person = stranger(town)
    answer = person.send(person.look("sign-in"), who="Ada", password=password)
    return answer.status_code == 303


@pytest.mark.parametrize("who", ["Nobody", "nobody@example.org", "x" * 400])
def test_nobody_learns_whether_there_is_an_account(town: Town, ada: Person, who: str) -> None:
    person = stranger(town)
    answers = [person.send(person.look("forgot"), who=name) for name in ("Ada", who)]
    assert len({(one.status_code, one.headers["location"]) for one in answers}) == 1
    assert len(letters(town)) == 1


def test_who_asks_too_often_is_not_told_and_gets_no_more(town: Town, ada: Person) -> None:
    person = stranger(town)
    answers = [person.send(person.look("forgot"), who="Ada") for _ in range(8)]
    assert {one.status_code for one in answers} == {303}
    assert len(letters(town)) < 8


def test_an_empty_form_is_told_beside_its_field(town: Town) -> None:
    person = stranger(town)
    answer = person.send(person.look("forgot"), who="")
    assert answer.status_code == 422
    assert set(faults_in(answer)) == {"who"}


@pytest.mark.parametrize("query", ["", "?token=", "?token=made-up", "?token=1.x"])
def test_a_wrong_link_leads_to_another_letter(town: Town, ada: Person, query: str) -> None:
    page = stranger(town).visit(f"/elections/reset{query}")
    assert page.status_code == 422
    assert 'href="/elections/forgot"' in page.text


def test_a_link_works_for_an_hour(town: Town, ada: Person) -> None:
    person = stranger(town)
    person.send(person.look("forgot"), who="Ada")
    page = person.visit(_link(town))
    town.world.clock.move(hours=2)
    answer = person.send(page, password=NEW)
    assert answer.status_code == 422
    assert "This link does not work" in answer.text
    assert not signed_in_with(town, NEW)
    assert signed_in_with(town, PASSWORD)
