"""The directory, profiles, usernames, deletion, and the accounts, on pages."""

from __future__ import annotations

import pytest

from singletable_apps.skills.service.people import PersonEdit
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


def test_home_leads_to_the_directory_after_sign_in(app: PagesApp, bob: Browser) -> None:
    assert "Register" in app.browser().get().text
    assert bob.get().url.path == "/skills/start"
    assert bob.open("/skills/").url.path == "/skills/start"


def test_directory_is_filtered_and_paged(
    app: PagesApp, bob: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable_apps.skills.pages.people._PAGE", 3)
    people = app.world.service.people
    people.edit(app.world.user("ada"), "joan", PersonEdit(department="R&D <b>", title="Chief"))
    first = bob.get("people").text
    assert "/skills/people/ada" in first
    assert "/skills/people/mia" not in first
    assert "Next page" in first
    cursor = first.partition("cursor=")[2].partition('"')[0]
    assert "/skills/people/mia" in bob.open(f"/skills/people?cursor={cursor}").text
    found = bob.get("people", department="R&D <b>").text
    assert "/skills/people/joan" in found
    assert "/skills/people/ada" not in found
    assert "R&amp;D &lt;b&gt;" in found
    assert "Nobody found" in bob.get("people", q="zzz").text
    assert bob.get("people", cursor="x").status_code == 400


def test_profile_is_edited_once_per_version(app: PagesApp, bob: Browser, mia: Browser) -> None:
    form = bob.get("people", "bob", "edit")
    assert 'name="email"' in form.text
    assert 'name="job_role"' not in form.text
    other = mia.get("people", "bob", "edit")
    assert 'name="email"' not in other.text
    saved = bob.submit(form, "/edit", name="Robert", about="Hi\n\n🎉")
    assert bob.flash(saved) == "Profile saved."
    assert mia.submit(other, "/edit", title="Tester").status_code == 412
    rejected = bob.submit(bob.get("people", "bob", "edit"), "/edit", name="", email="no")
    assert rejected.status_code == 422
    assert "Enter an e-mail address" in rejected.text
    assert app.world.user("bob").about == "Hi\n\n🎉"


def test_address_is_removed_and_spaces_around_it_do_not_matter(app: PagesApp, bob: Browser) -> None:
    address = app.world.user("bob").email
    form = bob.get("people", "bob", "edit")
    assert bob.flash(bob.submit(form, "/edit", email=f" {address} ")) == "Profile saved."
    assert bob.flash(bob.submit(form, "/edit", email="")) == "Profile saved."
    assert app.world.user("bob").email == ""


def test_job_in_the_form_of_a_user_is_ignored(bob: Browser) -> None:
    tampered = bob.post("/skills/people/bob/edit", {"name": "Bob", "job_role": "", "revision": "1"})
    assert tampered.status_code == 303


def test_username_changes_and_the_session_stays(app: PagesApp, bob: Browser) -> None:
    form = bob.get("people", "bob", "username")
    assert "already" in bob.submit(form, "/username", username="ADA").text
    changed = bob.submit(form, "/username", username="robert")
    assert "robert" in bob.flash(changed)
    assert "robert" in bob.get("account").text
    assert bob.get("people", "bob").url.path == "/skills/people/robert"
    again = bob.submit(bob.get("people", "robert", "username"), "/username", username="rob")
    assert again.status_code == 422
    assert "a moment ago" in again.text


def test_account_is_deleted_after_its_username_was_entered(app: PagesApp, bob: Browser) -> None:
    question = bob.get("people", "bob", "delete")
    assert bob.submit(question, "/delete", username="ada").status_code == 422
    answer = bob.submit(question, "/delete", username=" BOB ")
    assert answer.headers["location"] == "/skills/sign-in"
    assert bob.get("people").url.path == "/skills/sign-in"
    assert app.world.service.context.find_user("bob") is None


def test_last_administrator_is_told_why_not(ada: Browser) -> None:
    answer = ada.submit(ada.get("people", "ada", "delete"), "/delete", username="ada")
    assert answer.status_code == 422
    assert "needs an administrator" in answer.text


def test_administrator_changes_settings_and_accounts(app: PagesApp, ada: Browser) -> None:
    listed = ada.get("admin", "people", q="bo")
    assert "/skills/admin/people/bob" in listed.text
    assert "/skills/admin/people/mia" not in listed.text
    managers = ada.get("admin", "people", role="manager").text
    assert "/skills/admin/people/mia" in managers
    assert "/skills/admin/people/joan" not in managers
    saved = ada.submit(listed, "/settings", name="Fernhill", registration="closed")
    assert ada.flash(saved) == "Settings saved."
    assert ada.submit(listed, "/settings", name="Oakwood").status_code == 412
    assert "Fernhill" in ada.get("people").text
    assert "Registration is closed" in app.browser().get("register").text
    deleted = ada.submit(ada.get("people", "joan", "delete"), "/delete", username="joan")
    assert ada.flash(deleted) == "Joan is deleted."
    for name in ("nobody", "a%23b", "x" * 199):
        assert ada.open(f"/skills/admin/people/{name}").status_code == 404
