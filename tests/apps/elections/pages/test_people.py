"""Who manages people finds them, gives them roles, edits and removes them."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest

from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.roles import ROLES, Role
from tests.apps.elections.pages.clicking import Person, Town, faults_in, sheets_of
from tests.apps.elections.pages.coming import send_to, toast
from tests.apps.elections.pages.reading import words_of

ODD = "Zoë 🦊 / #1 & <b>"


def _names(page: str) -> list[str]:
    rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', page)
    return [html.unescape(name) for name in rows]


def test_people_are_listed_with_the_roles_they_may_be_given(
    town: Town, ada: Person, ben: Person
) -> None:
    admin = town.joins("Cora", Role.ADMIN)
    page = admin.look("people")
    assert _names(page.text) == ["Ada", "Ben", "Cora"]
    [sheet] = sheets_of(page)
    assert sheet.action == "/elections/people/Ben/role"
    assert sheet.offered["role"] == list(ROLES[: Role.ADMIN.rank])
    assert {one.action for one in sheets_of(ada.look("people"))} == {
        "/elections/people/Ben/role",
        "/elections/people/Cora/role",
    }


@pytest.mark.parametrize("role", ROLES[: Role.ADMIN.rank])
def test_who_does_not_manage_people_does_not_see_them(town: Town, ada: Person, role: Role) -> None:
    person = town.joins("Olga", role)
    for parts in (("people",), ("people", "Ada"), ("people", "Ada", "remove")):
        assert person.look(*parts).status_code == 403
    for path in ("people/Ada", "people/Ada/role", "people/Ada/remove", "people/Ada/owner"):
        sent = {"name": "X", "email": "x@example.org", "role": "USER", "revision": "1"}
        assert person.post(f"/elections/{path}", sent).status_code == 403
    assert 'href="/elections/people"' not in person.look().text


def test_people_are_found_by_how_their_names_begin(town: Town, ada: Person) -> None:
    for name in ("Adam", "adele", "Bea", ODD):
        town.joins(name)
    for asked, found in (
        ("AD", ["Ada", "Adam", "adele"]),
        ("zoë", [ODD]),
        ("zoë 🦊 / #", [ODD]),
        ("nobody", []),
        ("\x00", []),
    ):
        page = ada.look("people", query=f"?{urlencode({'q': asked})}")
        assert page.status_code == 200
        assert _names(page.text) == found
    assert "No name begins with “nobody”" in ada.look("people", query="?q=nobody").text


def test_many_people_are_on_several_pages(town: Town, ada: Person) -> None:
    for number in range(31):
        town.joins(f"Person {number:02}")
    first = ada.look("people")
    [following] = re.findall(r'href="([^"]*)" rel="next"', first.text)
    second = ada.visit(html.unescape(following))
    assert len(_names(first.text)) == 30
    assert _names(second.text) == ["Person 29", "Person 30"]
    assert ">To the start" in second.text.replace("\n", "").replace("</svg>", "")
    # Who gives a role here comes back here.
    answer = send_to(ada, second, "Person%2030/role", role="VOTER")
    assert answer.headers["location"] == html.unescape(following)
    assert toast(ada, answer) == "Person 30 is now: Voter."
    assert ada.look("people", query="?cursor=made-up").status_code == 400


def test_somebody_is_edited_under_any_name(town: Town, ada: Person) -> None:
    town.joins(ODD)
    page = ada.look("people", ODD)
    assert page.status_code == 200
    assert "<b>" not in page.text
    answer = send_to(ada, page, "b%3E", name="Zoë ?", email="zoe@example.net")
    assert answer.headers["location"] == "/elections/people/Zo%C3%AB%20%3F"
    assert toast(ada, answer) == "Zoë ? is saved."
    assert town.user("Zoë ?").email == "zoe@example.net"
    assert ada.look("people", ODD).status_code == 404


@pytest.mark.parametrize(
    ("field", "typed"),
    [("name", "Ada"), ("name", ""), ("name", "a@b"), ("email", "ada@example.org"), ("email", "x")],
)
def test_an_edit_that_cannot_be_stands_beside_its_field(
    ada: Person, ben: Person, field: str, typed: str
) -> None:
    answer = send_to(ada, ada.look("people", "Ben"), "/people/Ben", **{field: typed})
    assert answer.status_code == 422
    assert set(faults_in(answer)) == {field}
    assert not typed or f'value="{typed}"' in answer.text


def test_an_edit_and_a_role_that_come_late_are_shown_again(
    town: Town, ada: Person, ben: Person
) -> None:
    page = ada.look("people", "Ben")
    town.world.service.people.edit(town.user("Ada"), "Ben", address="b@example.net")
    late = send_to(ada, page, "/people/Ben", name="Benjamin")
    assert late.status_code == 412
    assert "b@example.net" in late.text
    assert 'value="Benjamin"' in late.text
    late = send_to(ada, page, "/Ben/role", role="VOTER")
    assert late.status_code == 412
    assert "The role is now User" in late.text
    assert town.user("Ben").role is Role.USER
    assert send_to(ada, late, "/Ben/role").status_code == 303
    assert town.user("Ben").role is Role.VOTER


def test_roles_that_one_may_not_give_are_refused_beside_the_field(
    town: Town, ada: Person, ben: Person
) -> None:
    admin = town.joins("Cora", Role.ADMIN)
    page = admin.look("people", "Ben")
    for role in ("AUDITOR", "KING"):
        answer = send_to(admin, page, "/Ben/role", role=role)
        assert answer.status_code == 422
        assert set(faults_in(answer)) == {"role"}
    assert send_to(admin, page, "/Ben/role", role="OWNER").headers["location"].endswith("/owner")
    assert admin.look("people", "Ben", "owner").status_code == 403
    assert town.user("Ben").role is Role.USER


def test_the_ownership_is_given_away_after_a_question(town: Town, ada: Person, ben: Person) -> None:
    page = ada.look("people", "Ben")
    asked = ada.follow(send_to(ada, page, "/Ben/role", role="OWNER"))
    assert town.user("Ada").role is Role.OWNER
    said = words_of(asked.text)
    assert "Make Ben the owner?" in said
    assert "Auditor from then on" in said
    town.world.service.people.rename(town.user("Ada"), "Ben", "Benjamin")
    assert (
        "Please look again" in ada.post(url("people", "Benjamin", "owner"), {"revision": "1"}).text
    )
    answer = ada.send(ada.look("people", "Benjamin", "owner"))
    assert toast(ada, answer) == "Benjamin is the owner now, and you are an auditor."
    assert (town.user("Ada").role, town.user("Benjamin").role) == (Role.AUDITOR, Role.OWNER)


def test_somebody_is_removed_after_a_question_that_says_what_is_lost(
    town: Town, ada: Person, ben: Person
) -> None:
    page = ada.look("people", "Ben", "remove")
    assert "a signed result does not change" in words_of(page.text)
    town.world.service.people.edit(town.user("Ada"), "Ben", address="b@example.net")
    late = ada.send(page)
    assert late.status_code == 412
    answer = ada.send(late)
    assert toast(ada, answer) == "Ben is removed."
    assert _names(ada.look("people").text) == ["Ada"]
    assert ben.look().url.path == "/elections"
    assert "Elections people can check" in ben.look().text


def test_who_owns_elections_is_not_removed(town: Town, ada: Person, ben: Person) -> None:
    town.world.service.lifecycle.create(town.user("Ben"), "Board")
    assert "owns 1 election" in ada.look("people", "Ben").text
    assert ada.look("people", "Ben", "remove").status_code == 409


def test_ones_own_page_leads_to_the_account(town: Town, ada: Person) -> None:
    page = ada.look("people", "Ada")
    assert "This is you" in page.text
    assert not sheets_of(page)
    answer = ada.post("/elections/people/Ada/remove", {"revision": "1"})
    assert answer.headers["location"] == "/elections/account/delete"


def test_nobody_is_no_page(ada: Person) -> None:
    assert ada.look("people", "Nobody").status_code == 404
    assert ada.look("people", "x" * 201).status_code in (404, 422)
