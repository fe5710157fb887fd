"""Administrators find people, change roles and profiles, and remove accounts."""

from __future__ import annotations

import html
import re

from singletable_apps.elections.roles import ROLES, Role
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import forms_in, text_in

ODD = "Zoë 🦊 / #1 & <b>"


def _names(page: str) -> list[str]:
    rows = re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', page)
    return [html.unescape(name) for name in rows]


def test_people_are_listed_with_the_roles_the_viewer_can_give(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    admin = app.register("Cora", Role.ADMIN)
    page = admin.get("people")
    assert _names(page.text) == ["Ada", "Ben", "Cora"]
    offered = forms_in(page)[0].offered
    assert offered == {"role.Ben": list(ROLES[: Role.ADMIN.rank])}
    # The ownership is transferred on a page of its own.
    offered = forms_in(ada.get("people"))[0].offered
    below = list(ROLES[: Role.OWNER.rank])
    assert offered == {"role.Ben": below, "role.Cora": below}


def test_profile_of_any_name_is_edited(app: PagesApp, ada: Browser) -> None:
    app.register(ODD)
    page = ada.get("people", ODD)
    assert page.status_code == 200
    assert "<b>" not in page.text
    response = ada.submit(page, "b%3E", name="Zoë ?", email="zoe@example.net")
    assert response.headers["location"] == "/elections/people/Zo%C3%AB%20%3F"
    assert ada.flash(response)
    app.confirm_email()
    assert app.user("Zoë ?").email == "zoe@example.net"
    assert ada.get("people", ODD).status_code == 404


def test_ownership_is_transferred_after_confirmation(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    page = ada.get("people", "Ben")
    assert "/elections/people/Ben/owner" in page.text
    assert ada.submit(page, "/Ben/role", role="OWNER").status_code == 422
    question = ada.get("people", "Ben", "owner")
    assert app.user("Ada").role is Role.OWNER
    text = text_in(question.text)
    assert "Make Ben the owner?" in text
    assert "You become an auditor" in text
    assert ada.flash(ada.submit(question))
    assert (app.user("Ada").role, app.user("Ben").role) == (Role.AUDITOR, Role.OWNER)


def test_own_page_links_to_the_account(app: PagesApp, ada: Browser) -> None:
    page = ada.get("people", "Ada")
    assert "This is your account" in page.text
    assert not forms_in(page)
    response = ada.post("/elections/people/Ada/remove", {"revision": "1"})
    assert response.headers["location"] == "/elections/account/delete"
