"""The page of a person: skills, endorsements, and the forms to change them."""

from __future__ import annotations

import html
import re
from datetime import timedelta

import pytest

from singletable import Store
from singletable_apps.skills.entities import JobRole, Level, User, UserSkill
from singletable_apps.skills.entry_rules import KINDS, EntryDraft
from singletable_apps.skills.rules import SkillDraft
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


def skill_of(app: PagesApp, username: str, skill_id: str) -> UserSkill | None:
    return app.world.service.user_skills.find(username, skill_id)


def test_person_shows_skills_by_category_with_levels(app: PagesApp, bob: Browser) -> None:
    page = bob.get("people", "ADA")
    assert page.status_code == 200
    assert page.text.count("<h1") == 1
    assert 'class="level level-4">Expert' in page.text
    assert page.text.index(">Go</a>") < page.text.index(">Python</a>")
    assert "Add a skill" not in page.text
    assert bob.get("people", "nobody").status_code == 404
    assert bob.get("people", "#\x00😀").status_code == 404
    assert "Add a skill" in bob.get("people", "bob").text


def test_person_compares_levels_with_the_targets_of_the_job(app: PagesApp, bob: Browser) -> None:
    store = Store(app.world.driver, clock=app.world.clock)
    targets = {"go": Level.ADVANCED, "python": Level.ADVANCED, "gone": Level.EXPERT}
    store.create(JobRole(role_id="backend", name="Backend engineer", targets=targets))
    store.update(User.key("ada"), User.job_role.set("backend"))
    store.update(User.key("bob"), User.job_role.set("backend"))
    assert "2 of 2" in app.browser("ada").get("people", "ada").text
    assert "2 of 2" not in bob.get("people", "ada").text
    page = bob.get("people", "bob").text
    assert "0 of 2" in page
    assert page.count("needs Advanced") == 2
    assert "Backend engineer" in page


def test_add_change_and_remove_a_skill(app: PagesApp, bob: Browser) -> None:
    form = bob.get("people", "bob", "skills", "new")
    assert '<option value="Python">' in form.text
    assert '<option value="Go">' not in form.text
    answer = bob.submit(
        form, "new", skill_name="PYTHON", level="Advanced", years="3", last_used="2025-11-30"
    )
    assert answer.headers["location"] == "/skills/people/bob#skill-python"
    assert bob.flash(answer) == "Python was added."
    edit = bob.get("people", "bob", "skills", "python", "edit")
    answer = bob.submit(edit, "edit", level="Expert", notes="<b>“Django”</b>")
    assert bob.flash(answer) == "Python was saved."
    stored = skill_of(app, "bob", "python")
    assert stored is not None
    assert (stored.level, stored.years, stored.notes) == (Level.EXPERT, 3, "<b>“Django”</b>")
    assert "&lt;b&gt;“Django”" in bob.get("people", "bob").text
    # The form shows what it was before.
    stale = bob.submit(edit, "edit", notes="mine")
    assert stale.status_code == 412
    assert "Someone else changed this" in stale.text
    question = bob.get("people", "bob", "skills", "python", "delete")
    assert bob.flash(bob.submit(question, "delete")) == "Python was removed."
    assert skill_of(app, "bob", "python") is None


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"skill_name": "Cobol"}, "in the catalog. You can suggest it"),
        ({"skill_name": "pyhton"}, "Did you mean Python?"),
        ({"skill_name": ""}, "Choose a skill."),
        ({"years": "9" * 5_000}, "number"),
        ({"level": "Guru"}, "Choose one of the options."),
        ({"last_used": "12"}, "2027-01-31"),
        ({"notes": "a\x00b"}, "U+0000"),
    ],
)
def test_invalid_skill_is_shown_again(
    app: PagesApp, bob: Browser, fields: dict[str, str], text: str
) -> None:
    form = bob.get("people", "bob", "skills", "new")
    answer = bob.submit(form, "new", **{"skill_name": "Python", "level": "Expert", **fields})
    assert answer.status_code == 422
    assert text in answer.text
    assert skill_of(app, "bob", "python") is None


def test_rating_by_a_manager_names_them(bob: Browser, mia: Browser) -> None:
    answer = mia.submit(mia.get("people", "bob", "skills", "go", "edit"), "edit", level="Expert")
    assert answer.status_code == 303
    page = bob.get("people", "bob").text
    assert "rated by Mia" in page
    assert page.count('class="rating-pair"') == 1
    assert '<td data-label="By">Mia' in bob.get("people", "bob", "skills", "go").text


def test_endorse_and_withdraw(app: PagesApp, bob: Browser, ada: Browser) -> None:
    page = bob.get("people", "ada")
    answer = bob.submit(page, "go/endorse")
    assert bob.flash(answer) == "You endorse Go."
    page = bob.get("people", "ada")
    assert "1 endorsement" in page.text
    endorsers = ada.get("people", "ada", "skills", "go")
    assert ">Bob</a>" in endorsers.text
    assert "/endorse" not in ada.get("people", "ada").text
    assert "1 person" in ada.get("people", "ada", "skills", "go", "delete").text
    assert bob.flash(bob.submit(page, "go/withdraw")) == "You no longer endorse Go."
    assert "/go/endorse" in bob.get("people", "ada").text
    assert bob.post("/skills/people/bob/skills/go/endorse").status_code == 403
    assert bob.post("/skills/people/joan/skills/go/endorse").status_code == 404


def test_start_page_shows_what_is_new(app: PagesApp, bob: Browser, mia: Browser) -> None:
    service, bob_user = app.world.service, app.world.user("bob")
    store = Store(app.world.driver, clock=app.world.clock)
    store.create(JobRole(role_id="dev", name="Developer", targets={"go": Level.EXPERT}))
    store.update(User.key("bob"), User.job_role.set("dev"))
    today = app.world.clock().date()
    for name, days in (("Sailing", 30), ("Diving", -1), ("Flying", 200)):
        issued, ends = today - timedelta(days=400), today + timedelta(days=days)
        draft = EntryDraft(name=name, issuer="Club", issued=issued, expires_on=ends)
        service.entries.create(bob_user, "bob", KINDS["certifications"], draft)
    service.user_skills.edit(app.world.user("mia"), "bob", "Go", SkillDraft(Level.ADVANCED))
    page = bob.get("start").text
    for text in ("Sailing expires soon", "Diving has expired", "needs Expert", "Mia, 1 January"):
        assert text in page
    assert "Flying" not in page
    assert "Your people" not in page
    service.user_skills.remove(bob_user, "bob", "Go")
    assert "Mia, 1 January" not in bob.get("start").text
    managers = mia.get("start").text
    assert "3 people in the teams that you manage; 1 below a target." in managers
    # Managers rate their team, which the matrix offers as a filter.
    [url] = re.findall(r'href="(/skills/matrix[?]team=[^"]+)"', managers)
    matrix = mia.open(html.unescape(url)).text
    assert matrix.count("data-user=") == 4
    assert re.search(r'<option value="[^"]+" selected>[^<]+</option>', matrix)


def test_links_to_a_former_username_lead_to_the_person(app: PagesApp, bob: Browser) -> None:
    app.world.service.people.rename(app.world.user("mia"), "mia", "mary")
    for page in ((), ("skills", "python")):
        moved = bob.get("people", "mia", *page)
        assert moved.url.path == "/".join(("/skills/people/mary", *page))
