"""People on the pages of each app: find them, change roles, register by approval, remove."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.shared.pages.sites import SITES, AuthSite
from tests.apps.support.html import field_errors, forms_in, has_conflict, text_in


@pytest.fixture(params=SITES)
def site(request: pytest.FixtureRequest) -> Iterator[AuthSite]:
    site: AuthSite = request.param()
    yield site
    site.pages.world.check_calls()


@pytest.fixture(params=[SITES[0], SITES[2]])
def open_site(request: pytest.FixtureRequest) -> Iterator[AuthSite]:
    """Yield an app in which people register."""
    site: AuthSite = request.param()
    yield site
    site.pages.world.check_calls()


def _list(site: AuthSite, browser: Any, query: str = "") -> Any:
    return browser.open("/".join([_root(site), *site.people_path]) + query)


def _root(site: AuthSite) -> str:
    return f"/{site.name}/admin" if site.name == "portfolio" else f"/{site.name}"


@pytest.mark.parametrize("search", ["250", "ember 2", "MEMBER250@", "member 250"])
def test_people_are_found_by_any_part_of_name_or_address(site: AuthSite, search: str) -> None:
    for name in ("Member 250", "Member 301"):
        site.add(name)
    page = text_in(_list(site, site.sign_in(), f"?q={search}").text)
    assert "Member 250" in page
    assert "Member 301" not in page
    assert "No results" in _list(site, site.sign_in(), "?q=nobody").text


def test_roles_of_several_people_are_saved_at_once(site: AuthSite) -> None:
    ben, eve, zoe = (site.add(name) for name in ("Ben", "Eve", "Zoe"))
    ada = site.sign_in()
    page = _list(site, ada)
    [form] = [form for form in forms_in(page) if f"was.{site.people.url_part(ben)}" in form.fields]
    chosen = {f"role.{site.people.url_part(each)}": site.other.value for each in (ben, eve)}
    saved = ada.post(form.action, {**form.fields, **chosen})
    assert ada.flash(saved) == "2 roles saved."
    roles = [site.find(each).role for each in (ben, eve, zoe)]
    assert roles == [site.other, site.other, site.member]
    # What others have changed since is not overwritten, nor is an unknown role saved.
    more = {f"role.{site.people.url_part(zoe)}": site.other.value, **chosen}
    unknown = {**more, f"role.{site.people.url_part(ben)}": "king"}
    rejected = ada.post(form.action, {**form.fields, **unknown})
    assert rejected.status_code == 422
    assert "1 saved. Not saved:" in text_in(rejected.text)
    assert [site.find(each).role for each in (ben, zoe)] == [site.other, site.other]


def test_role_and_list_ask_for_the_password_to_give_control(site: AuthSite) -> None:
    ben, ada = site.add("Ben"), site.sign_in()
    site.pages.world.clock.advance(minutes=6)
    page = ada.get(*site.person_path(ben))
    wrong = ada.submit(page, "/role", role=site.admin.value, role_password="wrong")
    assert (wrong.status_code, set(field_errors(wrong))) == (422, {"role_password"})
    listed = _list(site, ada)
    who = site.people.url_part(ben)
    [form] = [form for form in forms_in(listed) if f"was.{who}" in form.fields]
    refused = ada.post(form.action, {**form.fields, f"role.{who}": site.admin.value})
    assert refused.status_code == 422
    assert site.find(ben).role is site.member
    site.pages.world.clock.advance(hours=1)
    given = ada.submit(page, "/role", role=site.admin.value, role_password=site.password)
    assert given.status_code == 303
    assert site.find(ben).role is site.admin
    assert site.emails()[-1].subject == "Your role was changed"
    stale = ada.submit(page, "/role", role=site.member.value, role_password=site.password)
    assert (stale.status_code, has_conflict(stale)) == (412, True)


# Skills has a page of its own for it, which asks for the username.
@pytest.mark.parametrize("site", [SITES[1], SITES[2]], indirect=True)
def test_person_is_removed_after_confirmation(site: AuthSite) -> None:
    ben, ada = site.add("Ben"), site.sign_in()
    question = ada.get(*site.person_path(ben), "remove")
    assert ada.flash(ada.submit(question, "/remove")) == "Ben was removed."
    assert ada.get(*site.person_path(ben)).status_code == 404
    assert "Ben" not in text_in(_list(site, ada).text)


def test_last_administrator_is_told_why_not(site: AuthSite) -> None:
    ada = site.sign_in()
    user = site.auth.authenticate(ada.http.cookies[f"{site.name}_access"])
    page = ada.get(*site.person_path(user))
    assert "You can’t change this role" in text_in(page.text)
    revision = {"role": site.member.value, "revision": str(user.revision)}
    path = "/".join([_root(site), *site.person_path(user)])
    assert ada.post(f"{path}/role", revision).status_code == 422
    assert ada.post(f"{path}/remove").status_code in (303, 404, 422)
    assert site.find(user).role is user.role


def test_others_do_not_see_the_people(site: AuthSite) -> None:
    ben = site.add("Ben")
    browser = site.browser()
    who = getattr(ben, "username", "") or ben.email
    assert site.guess(browser, site.password, who).status_code == 303
    assert _list(site, browser).status_code == 403
    assert browser.get(*site.person_path(ben)).status_code == 403


# ------------------------------------------------------------------------------ invitations


@pytest.mark.parametrize("make", SITES[:2])
def test_invited_person_chooses_a_password(make: Any) -> None:
    site: AuthSite = make()
    ada = site.sign_in()
    form = ada.get(*site.people_path, "invite")
    assert set(field_errors(ada.submit(form, "/invite", name="", email="nowhere"))) > {"email"}
    unknown = ada.submit(form, "/invite", name="Ben", email="ben2@example.org", role="king")
    assert "role" in field_errors(unknown)
    fields = {"name": "Eve", "email": "eve@example.org"}
    if site.name == "skills":
        fields["username"] = "eve"
    answer = ada.submit(form, "/invite", **fields)
    assert ada.flash(answer)
    person = ada.open(answer.headers["location"])
    assert "Never signed in" in person.text
    assert "a link to choose a password" in ada.flash(ada.submit(person, "/invite"))
    eve = site.browser()
    assert eve.submit(eve.open(site.reset_link()), password=site.password).status_code == 303
    assert site.is_signed_in(eve)
    assert ada.submit(person, "/invite").status_code == 422
    site.pages.world.check_calls()


# ------------------------------------------------------------------------------ registration


def _register(site: AuthSite, name: str) -> tuple[Any, Any]:
    browser = site.browser()
    page = browser.get("register")
    fields = {"name": name, "email": f"{name}@example.org", "password": site.password}
    if site.name == "skills":
        fields["username"] = name
    return browser, browser.submit(page, "/register", **fields)


def _set_rule(site: AuthSite, ada: Any, rule: str) -> None:
    [form] = [form for form in forms_in(_list(site, ada)) if "registration" in form.offered]
    assert ada.flash(ada.post(form.action, {**form.fields, "registration": rule}))


def test_newcomers_wait_for_approval(open_site: AuthSite) -> None:
    site, ada = open_site, open_site.sign_in()
    _set_rule(site, ada, "approval")
    before = len(site.emails())
    eve, answer = _register(site, "Eve")
    assert answer.status_code == 303
    assert "approve" in eve.open(answer.headers["location"]).text
    assert eve.get("matrix" if site.name == "skills" else "all").status_code == 403
    assert eve.get("account").status_code == 200
    _register(site, "Zoe")
    # The administrators are told at most every quarter of an hour.
    [told] = site.emails()[before:]
    assert (told.to, "waits for approval" in told.subject) == ("ada@example.org", True)
    assert "Some people have registered" in _list(site, ada).text
    waiting = ada.open("/" + told.text.partition("://")[2].split()[0].partition("/")[2])
    assert "Eve" in text_in(waiting.text)
    [form] = [form for form in forms_in(waiting) if "role" in form.fields]
    assert ada.flash(ada.post(form.action, {**form.fields, "approve": "on"})) == "2 roles saved."
    assert eve.get("matrix" if site.name == "skills" else "all").status_code == 200


def test_nobody_registers_if_registration_is_closed(open_site: AuthSite) -> None:
    site, ada, visitor = open_site, open_site.sign_in(), open_site.browser()
    page = visitor.get("register")
    _set_rule(site, ada, "closed")
    assert "Registration is closed" in visitor.get("register").text
    fields = {"name": "Eve", "email": "eve@example.org", "password": site.password}
    answer = visitor.submit(page, "/register", **fields, username="eve")
    assert (answer.status_code, "Registration is closed" in answer.text) == (422, True)
    _set_rule(site, ada, "open")
    assert _register(site, "Eve")[1].status_code == 303
