"""One's own account: what one changes is kept, and what is wrong stands beside its field."""

from __future__ import annotations

import pytest

from singletable_apps.elections.pages.account import browser_named
from singletable_apps.elections.roles import Role
from tests.apps.elections.pages.clicking import Person, Town, faults_in, sheets_of
from tests.apps.elections.pages.coming import send_to, signed_in, stranger, toast
from tests.apps.elections.pages.reading import words_of
from tests.apps.elections.rig.world import PASSWORD

NEW = "another lantern, another river"


def test_a_name_and_an_address_are_changed_together(town: Town, ada: Person) -> None:
    odd = "Ada / #1 🦊"
    page = ada.look("account")
    answer = send_to(ada, page, "/details", name=odd, email="countess@example.org")
    assert toast(ada, answer) == "Your details are saved."
    assert town.user(odd).email == "countess@example.org"
    assert f"Signed in as <strong>{odd}</strong>" in ada.look("account").text


@pytest.mark.parametrize(
    ("field", "typed", "why"),
    [
        ("name", "BEN", "Another user has the name"),
        ("name", "", "name"),
        ("email", "ben@example.org", "Another user has the e-mail address"),
        ("email", "nowhere", "e-mail"),
    ],
)
def test_details_that_cannot_be_stand_beside_their_field(
    ada: Person, ben: Person, field: str, typed: str, why: str
) -> None:
    answer = send_to(ada, ada.look("account"), "/details", **{field: typed})
    assert answer.status_code == 422
    assert set(faults_in(answer)) == {field}
    assert why in faults_in(answer)[field]
    assert f'name="{field}"' in answer.text
    assert not typed or f'value="{typed}"' in answer.text


def test_who_changed_it_elsewhere_meanwhile_is_told_and_can_send_again(
    town: Town, ada: Person
) -> None:
    page = ada.look("account")
    town.world.service.people.edit(town.user("Ada"), "Ada", address="new@example.org")
    late = send_to(ada, page, "/details", name="Countess")
    assert late.status_code == 412
    assert "Somebody changed this meanwhile" in late.text
    assert "new@example.org" in late.text
    assert 'value="Countess"' in late.text
    assert town.user("Ada").name == "Ada"
    assert send_to(ada, late, "/details", email="new@example.org").status_code == 303
    assert town.user("Countess").email == "new@example.org"


def test_who_may_not_change_their_name_sees_it_alone(town: Town, ada: Person) -> None:
    voter = town.joins("Vera", Role.VOTER)
    page = voter.look("account")
    assert not [one for one in sheets_of(page) if one.action.endswith("/details")]
    assert "ask an administrator" in page.text
    forced = {"name": "X", "email": "x@example.org", "revision": str(town.user("Vera").revision)}
    assert voter.post("/elections/account/details", forced).status_code == 403


def test_another_password_signs_out_every_other_browser(town: Town, ada: Person) -> None:
    here, there = signed_in(town, "Ada"), signed_in(town, "Ada")
    page = here.look("account")
    answer = send_to(here, page, "/password", current=PASSWORD, new=NEW, username=None)
    assert "other browsers are signed out" in toast(here, answer)
    assert "Your account" in here.look("account").text
    assert there.look("account").url.path == "/elections/sign-in"


@pytest.mark.parametrize(
    ("current", "new", "field", "why"),
    [
        ("not it at all", NEW, "current", "not this one"),
        (PASSWORD, "short", "new", "at least 12"),
        (PASSWORD, "", "new", "at least 12"),
    ],
)
def test_a_password_that_cannot_be_stands_beside_its_field_and_is_not_kept(
    ada: Person, current: str, new: str, field: str, why: str
) -> None:
    answer = send_to(ada, ada.look("account"), "/password", current=current, new=new)
    assert answer.status_code == 422
    assert why in faults_in(answer)[field]
    assert f'value="{current}"' not in answer.text
    assert not new or f'value="{new}"' not in answer.text


def test_sessions_are_listed_and_can_be_ended(town: Town, ada: Person) -> None:
    here = signed_in(town, "Ada")
    signed_in(town, "Ada")
    third = signed_in(town, "Ada")
    page = here.look("account")
    assert words_of(page.text).count("This browser") == 1
    ends = [one.action for one in sheets_of(page) if one.action.endswith("/end")]
    others = [one for one in ends if "others" not in one]
    assert len(others) == 4  # one of them began before, without a form
    answer = here.post(others[1], {})
    assert "signed out" in toast(here, answer)
    assert len(town.world.service.auth.sessions(town.user("Ada"))) == 3
    assert here.post("/elections/account/sessions/others/end", {}).status_code == 303
    assert len(town.world.service.auth.sessions(town.user("Ada"))) == 1
    town.world.clock.move(hours=1)
    assert third.look("account").url.path == "/elections/sign-in"
    here_now = sheets_of(here.look("account"))
    [mine] = [one.action for one in here_now if one.action.endswith("/end")]
    here.post(mine, {})
    assert here.look("account").url.path == "/elections/sign-in"


def test_an_account_is_deleted_after_a_question_that_says_what_is_lost(
    town: Town, ada: Person, ben: Person
) -> None:
    page = ben.look("account", "delete")
    said = words_of(page.text)
    assert "Lost" in said
    assert "Stays" in said
    assert "data-confirm-body" in page.text
    answer = ben.send(page)
    assert toast(ben, answer) == "Your account is deleted."
    assert town.world.service.context.read.search_user("Ben") is None
    assert stranger(town).look("account").url.path == "/elections/sign-in"


def test_who_changed_meanwhile_is_asked_again(town: Town, ada: Person, ben: Person) -> None:
    page = ben.look("account", "delete")
    town.world.service.people.rename(town.user("Ben"), "Ben", "Benjamin")
    late = ben.send(page)
    assert late.status_code == 412
    assert "Please look again" in late.text
    assert ben.send(late).status_code == 303


def test_who_cannot_leave_is_told_why(town: Town, ada: Person, ben: Person) -> None:
    for page in (ada.look("account"), ada.look("account", "delete")):
        assert "who leaves last" in page.text
    town.world.service.lifecycle.create(town.user("Ben"), "Board")
    assert "owns elections" in ben.look("account").text
    revision = str(town.user("Ben").revision)
    assert ben.post("/elections/account/delete", {"revision": revision}).status_code == 409


@pytest.mark.parametrize("path", ["account", "account/delete", "people", "people/Ada"])
def test_strangers_are_led_to_the_sign_in(town: Town, ada: Person, path: str) -> None:
    page = stranger(town).visit(f"/elections/{path}")
    assert page.url.path == "/elections/sign-in"


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) Gecko Firefox/130.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/130 Safari/537 Edg/130", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Version/17 Safari/605", "Safari on a Mac"),
        ("Mozilla/5.0 (iPhone; CPU like Mac OS X) CriOS/130 Safari", "Chrome on an iPhone"),
        ("curl/8.5", "curl"),
        ("testclient", "testclient"),
        ("", "A browser"),
    ],
)
def test_a_browser_is_called_what_people_call_it(about: str, name: str) -> None:
    assert browser_named(about) == name
