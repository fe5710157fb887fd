"""One's own account: what one changes is kept, and what is wrong stands beside its field."""

from __future__ import annotations

import pytest

from singletable_apps.elections.pages.account import browser_named
from singletable_apps.elections.roles import Role
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import PASSWORD
from tests.apps.support.html import field_errors, forms_in, text_in

NEW = "another lantern, another river"


def test_a_name_and_an_address_are_changed_together(app: PagesApp, ada: Browser) -> None:
    odd = "Ada / #1 🦊"
    page = ada.get("account")
    answer = ada.submit_to(page, "/details", name=odd, email="countess@example.org")
    assert ada.flash(answer) == "Your details are saved."
    assert app.user(odd).email == "countess@example.org"
    assert f"Signed in as <strong>{odd}</strong>" in ada.get("account").text


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
    ada: Browser, ben: Browser, field: str, typed: str, why: str
) -> None:
    answer = ada.submit_to(ada.get("account"), "/details", **{field: typed})
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {field}
    assert why in field_errors(answer)[field]
    assert f'name="{field}"' in answer.text
    assert not typed or f'value="{typed}"' in answer.text


def test_who_changed_it_elsewhere_meanwhile_is_told_and_can_send_again(
    app: PagesApp, ada: Browser
) -> None:
    page = ada.get("account")
    app.world.service.people.edit(app.user("Ada"), "Ada", address="new@example.org")
    late = ada.submit_to(page, "/details", name="Countess")
    assert late.status_code == 412
    assert "Someone else changed this" in late.text
    assert "new@example.org" in late.text
    assert 'value="Countess"' in late.text
    assert app.user("Ada").name == "Ada"
    assert ada.submit_to(late, "/details", email="new@example.org").status_code == 303
    assert app.user("Countess").email == "new@example.org"


def test_who_may_not_change_their_name_sees_it_alone(app: PagesApp, ada: Browser) -> None:
    voter = app.register("Vera", Role.VOTER)
    page = voter.get("account")
    assert not [one for one in forms_in(page) if one.action.endswith("/details")]
    assert "ask an administrator" in page.text
    forced = {"name": "X", "email": "x@example.org", "revision": str(app.user("Vera").revision)}
    assert voter.post("/elections/account/details", forced).status_code == 403


def test_another_password_signs_out_every_other_browser(app: PagesApp, ada: Browser) -> None:
    here, there = app.sign_in("Ada"), app.sign_in("Ada")
    page = here.get("account")
    answer = here.submit_to(page, "/password", current=PASSWORD, new=NEW, username=None)
    assert "other browsers are signed out" in here.flash(answer)
    assert "Your account" in here.get("account").text
    assert there.get("account").url.path == "/elections/sign-in"


@pytest.mark.parametrize(
    ("current", "new", "field", "why"),
    [
        ("not it at all", NEW, "current", "not this one"),
        (PASSWORD, "short", "new", "at least 12"),
        (PASSWORD, "", "new", "at least 12"),
    ],
)
def test_a_password_that_cannot_be_stands_beside_its_field_and_is_not_kept(
    ada: Browser, current: str, new: str, field: str, why: str
) -> None:
    answer = ada.submit_to(ada.get("account"), "/password", current=current, new=new)
    assert answer.status_code == 422
    assert why in field_errors(answer)[field]
    assert f'value="{current}"' not in answer.text
    assert not new or f'value="{new}"' not in answer.text


def test_sessions_are_listed_and_can_be_ended(app: PagesApp, ada: Browser) -> None:
    here = app.sign_in("Ada")
    app.sign_in("Ada")
    third = app.sign_in("Ada")
    page = here.get("account")
    assert text_in(page.text).count("This browser") == 1
    ends = [one.action for one in forms_in(page) if one.action.endswith("/end")]
    others = [one for one in ends if "others" not in one]
    assert len(others) == 4  # one of them began before, without a form
    answer = here.post(others[1], {})
    assert "signed out" in here.flash(answer)
    assert len(app.world.service.auth.sessions(app.user("Ada"))) == 3
    assert here.post("/elections/account/sessions/others/end", {}).status_code == 303
    assert len(app.world.service.auth.sessions(app.user("Ada"))) == 1
    app.world.clock.advance(hours=1)
    assert third.get("account").url.path == "/elections/sign-in"
    here_now = forms_in(here.get("account"))
    [mine] = [one.action for one in here_now if one.action.endswith("/end")]
    here.post(mine, {})
    assert here.get("account").url.path == "/elections/sign-in"


def test_an_account_is_deleted_after_a_question_that_says_what_is_lost(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    page = ben.get("account", "delete")
    said = text_in(page.text)
    assert "Lost" in said
    assert "Stays" in said
    assert "data-confirm-body" in page.text
    answer = ben.submit(page)
    assert ben.flash(answer) == "Your account is deleted."
    assert app.world.service.context.read.find_user("Ben") is None
    assert app.browser().get("account").url.path == "/elections/sign-in"


def test_who_changed_meanwhile_is_asked_again(app: PagesApp, ada: Browser, ben: Browser) -> None:
    page = ben.get("account", "delete")
    app.world.service.people.rename(app.user("Ben"), "Ben", "Benjamin")
    late = ben.submit(page)
    assert late.status_code == 412
    assert "Please look again" in late.text
    assert ben.submit(late).status_code == 303


def test_who_cannot_leave_is_told_why(app: PagesApp, ada: Browser, ben: Browser) -> None:
    for page in (ada.get("account"), ada.get("account", "delete")):
        assert "who leaves last" in page.text
    app.world.service.lifecycle.create(app.user("Ben"), "Board")
    assert "owns elections" in ben.get("account").text
    revision = str(app.user("Ben").revision)
    assert ben.post("/elections/account/delete", {"revision": revision}).status_code == 409


@pytest.mark.parametrize("path", ["account", "account/delete", "people", "people/Ada"])
def test_strangers_are_led_to_the_sign_in(app: PagesApp, ada: Browser, path: str) -> None:
    page = app.browser().open(f"/elections/{path}")
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
