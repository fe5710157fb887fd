"""The catalog, its administration, and jobs, on pages."""

from __future__ import annotations

from singletable import Store
from singletable_apps.skills.entities import JobRole
from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.recount import check_consistent
from tests.apps.support.browser import Browser


def test_catalog_lists_skills_by_category_and_finds_aliases(bob: Browser, ada: Browser) -> None:
    page = bob.get("catalog")
    assert page.text.count("<h1") == 1
    assert "2 people, 1 expert" in page.text
    assert "Manage skills" not in page.text
    assert "Manage skills" in ada.get("catalog").text
    ada.submit(
        ada.get("admin", "skills", "go"), "/admin/skills/go", aliases="golang\nGoogle Go, gogo"
    )
    found = bob.get("catalog", q="GoogleGo")
    assert "is another spelling of" in found.text
    assert "No skill matches" in bob.get("catalog", q="<script>").text


def test_administrator_creates_renames_and_deletes_a_skill(app: PagesApp, ada: Browser) -> None:
    form = ada.get("admin", "new-skill")
    answer = ada.submit(form, "new-skill", skill_name="Rust", tags="safe, fast", aliases="rs")
    assert ada.flash(answer) == "Created “Rust”."
    again = ada.submit(form, "new-skill", skill_name="RUST", aliases="")
    assert (again.status_code, "already a skill with the id rust" in again.text) == (422, True)
    stale = ada.get("admin", "skills", "go")
    renamed = ada.submit(stale, "/admin/skills/go", skill_name="Go language")
    assert ada.flash(renamed) == "Renamed “Go” to “Go language” for everyone."
    conflict = ada.submit(stale, "/admin/skills/go", skill_name="Third")
    assert (conflict.status_code, "Someone else changed this" in conflict.text) == (412, True)
    assert "so it can be merged, but not deleted" in ada.get("admin", "skills", "go").text
    deleted = ada.submit(ada.get("admin", "skills", "rust", "delete"), "delete")
    assert ada.flash(deleted) == "Deleted “Rust”."
    refused = ada.submit(ada.get("admin", "skills", "go", "delete"), "delete")
    assert refused.headers["location"].endswith("/admin/skills/go/merge")
    assert "2 people have the skill Go language" in ada.flash(refused)
    check_consistent(app.world)


def test_merge_is_shown_before_it_is_confirmed(app: PagesApp, ada: Browser) -> None:
    assert "Show what will happen" in ada.get("admin", "skills", "go", "merge").text
    for into, text in (("pyhton", "Did you mean Python?"), ("GO", "Choose a different skill")):
        wrong = ada.get("admin", "skills", "go", "merge", into=into)
        assert (wrong.status_code, text in wrong.text) == (422, True)
    preview = ada.get("admin", "skills", "go", "merge", into="python")
    for text in ("Merge “Go” into “Python”?", "1. They keep the higher level", "cannot be undone"):
        assert text in preview.text
    stale = ada.submit(preview, "merge?into=python", revision="7")
    assert (stale.status_code, "Merge “Go” into “Python”?" in stale.text) == (412, True)
    assert ada.flash(ada.submit(preview, "merge?into=python")) == "Merged “Go” into “Python”."
    check_consistent(app.world)
    assert ada.get("catalog", "go").status_code in (200, 404)
    assert ada.submit(preview, "merge?into=python").status_code == 404


def test_manager_creates_edits_and_deletes_a_job(app: PagesApp, mia: Browser, bob: Browser) -> None:
    assert "No jobs yet" in bob.get("roles").text
    form = mia.get("new-role")
    wrong = mia.submit(form, "new-role", name="Back end", skill=["pyhton"], level=["Expert"])
    assert (wrong.status_code, "Did you mean Python?" in wrong.text) == (422, True)
    created = mia.submit(
        form,
        "new-role",
        name="Back end",
        skill=["GO", "", "python"],
        level=["Expert", "", "Advanced"],
    )
    assert mia.flash(created) == "Created the job “Back end”."
    role = app.world.service.roles.get("back-end")
    assert role.targets == {"go": "Expert", "python": "Advanced"}
    # An index that lags behind can leave the target of a job without its skill.
    targets = {**role.targets, "gone": role.targets["go"]}
    Store(app.world.driver).update(JobRole.key("back-end"), JobRole.targets.set(targets))
    page = bob.get("roles", "back-end")
    assert ("Minimum level" in page.text, "Delete" in page.text) == (True, False)
    form = mia.get("roles", "back-end", "edit")
    for name, skill, level, text in (
        ("Back end", "Cobol", "Expert", "There is no skill “Cobol” in the catalog."),
        ("Back end", "Go", "Wizard", "Choose a level for each skill."),
        ("", "Go", "Expert", "Please fill this in."),
    ):
        wrong = mia.submit(form, "edit", name=name, skill=skill, level=level)
        assert (wrong.status_code, text in wrong.text) == (422, True)
    edited = mia.submit(form, "edit", skill=["Go", ""], level=["Expert", "Beginner"])
    assert mia.flash(edited) == "Saved “Back end”."
    assert app.world.service.roles.get("back-end").targets == {"go": "Expert"}
    deleted = mia.submit(mia.get("roles", "back-end", "delete"), "delete")
    assert mia.flash(deleted) == "Deleted the job “Back end”."
    assert bob.get("roles", "back-end").status_code == 404
