"""Who manages people finds them, gives them roles, edits and removes them."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest

from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.roles import ROLES, Role
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, forms_in, text_in

ODD = "Zoë 🦊 / #1 & <b>"


def _names(page: str) -> list[str]:
    rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', page)
    return [html.unescape(name) for name in rows]


def test_people_are_listed_with_the_roles_they_may_be_given(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    admin = app.register("Cora", Role.ADMIN)
    page = admin.get("people")
    assert _names(page.text) == ["Ada", "Ben", "Cora"]
    [sheet] = forms_in(page)
    assert sheet.action == "/elections/people/Ben/role"
    assert sheet.offered["role"] == list(ROLES[: Role.ADMIN.rank])
    assert {one.action for one in forms_in(ada.get("people"))} == {
        "/elections/people/Ben/role",
        "/elections/people/Cora/role",
    }


@pytest.mark.parametrize("role", ROLES[: Role.ADMIN.rank])
def test_only_administrators_see_people(app: PagesApp, ada: Browser, role: Role) -> None:
    person = app.register("Olga", role)
    for parts in (("people",), ("people", "Ada"), ("people", "Ada", "remove")):
        assert person.get(*parts).status_code == 403
    for path in ("people/Ada", "people/Ada/role", "people/Ada/remove", "people/Ada/owner"):
        sent = {"name": "X", "email": "x@example.org", "role": "USER", "revision": "1"}
        assert person.post(f"/elections/{path}", sent).status_code == 403
    assert 'href="/elections/people"' not in person.get().text


def test_people_are_found_by_how_their_names_begin(app: PagesApp, ada: Browser) -> None:
    for name in ("Adam", "adele", "Bea", ODD):
        app.register(name)
    for asked, found in (
        ("AD", ["Ada", "Adam", "adele"]),
        ("zoë", [ODD]),
        ("zoë 🦊 / #", [ODD]),
        ("nobody", []),
        ("\x00", []),
    ):
        page = ada.get("people", query=f"?{urlencode({'q': asked})}")
        assert page.status_code == 200
        assert _names(page.text) == found
    assert "No name begins with “nobody”" in ada.get("people", query="?q=nobody").text


def test_many_people_are_on_several_pages(app: PagesApp, ada: Browser) -> None:
    for number in range(31):
        app.register(f"Browser {number:02}")
    first = ada.get("people")
    [following] = re.findall(r'href="([^"]*)" rel="next"', first.text)
    second = ada.open(html.unescape(following))
    assert len(_names(first.text)) == 30
    assert _names(second.text) == ["Browser 29", "Browser 30"]
    assert ">First page" in second.text.replace("\n", "").replace("</svg>", "")
    # Who gives a role here comes back here.
    answer = ada.submit_to(second, "Browser%2030/role", role="VOTER")
    assert answer.headers["location"] == html.unescape(following)
    assert ada.flash(answer) == "Browser 30 is now: Voter."
    assert ada.get("people", query="?cursor=made-up").status_code == 400


def test_somebody_is_edited_under_any_name(app: PagesApp, ada: Browser) -> None:
    app.register(ODD)
    page = ada.get("people", ODD)
    assert page.status_code == 200
    assert "<b>" not in page.text
    answer = ada.submit_to(page, "b%3E", name="Zoë ?", email="zoe@example.net")
    assert answer.headers["location"] == "/elections/people/Zo%C3%AB%20%3F"
    assert ada.flash(answer) == "Zoë ? is saved."
    assert app.user("Zoë ?").email == "zoe@example.net"
    assert ada.get("people", ODD).status_code == 404


@pytest.mark.parametrize(
    ("field", "typed"),
    [("name", "Ada"), ("name", ""), ("name", "a@b"), ("email", "ada@example.org"), ("email", "x")],
)
def test_an_edit_that_cannot_be_stands_beside_its_field(
    ada: Browser, ben: Browser, field: str, typed: str
) -> None:
    answer = ada.submit_to(ada.get("people", "Ben"), "/people/Ben", **{field: typed})
    assert answer.status_code == 422
    assert set(field_errors(answer)) == {field}
    assert not typed or f'value="{typed}"' in answer.text


def test_an_edit_and_a_role_that_come_late_are_shown_again(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    page = ada.get("people", "Ben")
    app.world.service.people.edit(app.user("Ada"), "Ben", address="b@example.net")
    late = ada.submit_to(page, "/people/Ben", name="Benjamin")
    assert late.status_code == 412
    assert "b@example.net" in late.text
    assert 'value="Benjamin"' in late.text
    late = ada.submit_to(page, "/Ben/role", role="VOTER")
    assert late.status_code == 412
    assert "The role is now User" in late.text
    assert app.user("Ben").role is Role.USER
    assert ada.submit_to(late, "/Ben/role").status_code == 303
    assert app.user("Ben").role is Role.VOTER


def test_roles_that_one_may_not_give_are_refused_beside_the_field(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    admin = app.register("Cora", Role.ADMIN)
    page = admin.get("people", "Ben")
    for role in ("AUDITOR", "KING"):
        answer = admin.submit_to(page, "/Ben/role", role=role)
        assert answer.status_code == 422
        assert set(field_errors(answer)) == {"role"}
    assert admin.submit_to(page, "/Ben/role", role="OWNER").headers["location"].endswith("/owner")
    assert admin.get("people", "Ben", "owner").status_code == 403
    assert app.user("Ben").role is Role.USER


def test_ownership_is_transferred_after_confirmation(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    page = ada.get("people", "Ben")
    asked = ada.follow(ada.submit_to(page, "/Ben/role", role="OWNER"))
    assert app.user("Ada").role is Role.OWNER
    said = text_in(asked.text)
    assert "Make Ben the owner?" in said
    assert "Auditor from then on" in said
    app.world.service.people.rename(app.user("Ada"), "Ben", "Benjamin")
    assert (
        "Please look again" in ada.post(url("people", "Benjamin", "owner"), {"revision": "1"}).text
    )
    answer = ada.submit(ada.get("people", "Benjamin", "owner"))
    assert ada.flash(answer) == "Benjamin is the owner now, and you are an auditor."
    assert (app.user("Ada").role, app.user("Benjamin").role) == (Role.AUDITOR, Role.OWNER)


def test_somebody_is_removed_after_a_question_that_says_what_is_lost(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    page = ada.get("people", "Ben", "remove")
    assert "a signed result does not change" in text_in(page.text)
    app.world.service.people.edit(app.user("Ada"), "Ben", address="b@example.net")
    late = ada.submit(page)
    assert late.status_code == 412
    answer = ada.submit(late)
    assert ada.flash(answer) == "Ben is removed."
    assert _names(ada.get("people").text) == ["Ada"]
    assert ben.get().url.path == "/elections"
    assert "Elections people can check" in ben.get().text


def test_who_owns_elections_is_not_removed(app: PagesApp, ada: Browser, ben: Browser) -> None:
    app.world.service.lifecycle.create(app.user("Ben"), "Board")
    assert "owns 1 election" in ada.get("people", "Ben").text
    assert ada.get("people", "Ben", "remove").status_code == 409


def test_ones_own_page_leads_to_the_account(app: PagesApp, ada: Browser) -> None:
    page = ada.get("people", "Ada")
    assert "This is you" in page.text
    assert not forms_in(page)
    answer = ada.post("/elections/people/Ada/remove", {"revision": "1"})
    assert answer.headers["location"] == "/elections/account/delete"


def test_nobody_is_no_page(ada: Browser) -> None:
    assert ada.get("people", "Nobody").status_code == 404
    assert ada.get("people", "x" * 201).status_code in (404, 422)
