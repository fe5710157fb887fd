"""Entries of people and the list of projects, on pages."""

from __future__ import annotations

from singletable_apps.skills.entry_rules import KINDS
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


def test_person_adds_edits_and_deletes_a_job(app: PagesApp, bob: Browser) -> None:
    form = bob.get("people", "bob", "entries", "experience", "new")
    saved = bob.submit(
        form, "/new", position="Engineer", employer="Acme", started="2020-01", description="<b>"
    )
    assert saved.headers["location"] == "/skills/people/bob#experience"
    person = bob.get("people", "bob").text
    assert "Since January 2020" in person
    assert "&lt;b&gt;" in person
    assert "Add a project" in person
    assert "Add a project" not in app.browser("mia").get("people", "bob").text
    entries = app.world.service.entries
    [job] = entries.list_kind("bob", KINDS["experience"])
    path = ("people", "bob", "entries", "experience", KINDS["experience"].id_of(job))
    page = bob.get(*path)
    assert 'type="month" value="2020-01"' in page.text
    bob.submit(page, path[-1], position="Lead", ended="2024-12")
    stale = bob.submit(page, path[-1], position="Chief")
    assert stale.status_code == 412
    assert "Someone else changed this" in stale.text
    bob.submit(bob.get(*path, "delete"), "/delete")
    assert entries.list_kind("bob", KINDS["experience"]) == []


def test_invalid_entry_is_shown_again_with_what_was_typed(bob: Browser) -> None:
    form = bob.get("people", "bob", "entries", "projects", "new")
    again = bob.submit(form, "/new", name="Kestrel", skills="Go, Cobol", link="ftp://x")
    assert again.status_code == 422
    assert "Enter a link" in again.text
    again = bob.submit(form, "/new", name="Kestrel", skills="Go, Cobol")
    assert "not in the catalog: Cobol" in again.text
    assert 'value="Go, Cobol"' in again.text
    dates = bob.get("people", "bob", "entries", "education", "new")
    wrong = bob.submit(dates, "/new", school="MIT", degree="BSc", started="yesterday")
    assert wrong.status_code == 422
    assert 'id="f-started-error"' in wrong.text


def test_projects_are_listed_with_people_and_skills(bob: Browser, mia: Browser) -> None:
    form = bob.get("people", "bob", "entries", "projects", "new")
    bob.submit(form, "/new", name="Kestrel", skills="Go, Python", status="Planned")
    assert "Kestrel" not in mia.get("projects").text
    page = mia.get("projects", status="Planned").text
    assert "Kestrel" in page
    assert 'href="/skills/people/bob"' in page
    assert 'href="/skills/catalog/python"' in page
    assert mia.get("projects", status="Late").status_code == 200
    assert mia.get("projects", cursor="zzz").status_code == 400
