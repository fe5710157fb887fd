"""Edit the profile, the about page, projects, experience and the settings."""

from __future__ import annotations

import pytest

from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, forms_in, has_conflict, text_in


def _add(browser: Browser, kind: str, **fields: str) -> None:
    response = browser.submit(browser.get("portfolio", kind, "new"), "/new", **fields)
    assert response.status_code == 303, field_errors(response)


def _titles(app: PagesApp, kind: str) -> list[str]:
    portfolio = app.world.service.profile.get_portfolio()
    return [entry.title for entry in getattr(portfolio, kind)]


def test_profile_is_saved_and_other_parts_stay(app: PagesApp, ada: Browser) -> None:
    _add(ada, "projects", title="Engine")
    page = ada.get("portfolio")
    fields = {"name": "Ada", "bio": "Writes.", "social_links-github": "https://github.com/ada"}
    assert ada.flash(ada.submit(page, "/portfolio", **fields)) == "Profile saved."
    saved = app.world.service.profile.get_portfolio()
    assert (saved.name, saved.social_links) == ("Ada", {"github": "https://github.com/ada"})
    assert _titles(app, "projects") == ["Engine"]
    stale = ada.submit(page, "/portfolio", name="Other")
    assert stale.status_code == 412
    assert has_conflict(stale)


def test_about_page_has_a_preview_and_is_saved(app: PagesApp, ada: Browser) -> None:
    page = ada.get("portfolio", "about")
    preview = ada.post(app.urls.admin("preview"), {"markdown": "I *write*."})
    assert "<em>write</em>" in preview.text
    assert app.world.service.profile.get_portfolio().about_content == ""
    assert ada.flash(ada.submit(page, "/about", markdown="I *write*.")) == "About page saved."
    saved = app.world.service.profile.get_portfolio()
    assert "<em>write</em>" in saved.about_content
    assert field_errors(ada.submit(page, "/about", markdown="x" * 130_000)).keys() == {"markdown"}


def test_projects_are_added_edited_moved_and_deleted(app: PagesApp, ada: Browser) -> None:
    assert "Show what you made" in text_in(ada.get("portfolio", "projects").text)
    for title in ("Loom", "Engine", "Notes"):
        _add(ada, "projects", title=title, technologies="Brass, Steam")
    assert _titles(app, "projects") == ["Notes", "Engine", "Loom"]
    first, _, last = (
        form.action for form in forms_in(ada.get("portfolio", "projects")) if "/move" in form.action
    )
    page = ada.get("portfolio", "projects")
    ada.submit(page, first, step="down")
    assert _titles(app, "projects") == ["Engine", "Notes", "Loom"]
    assert "changed meanwhile" in ada.flash(ada.submit(page, last, step="up"))
    ada.submit(ada.get("portfolio", "projects"), last, step="up")
    assert _titles(app, "projects") == ["Engine", "Loom", "Notes"]
    ada.submit(ada.get("portfolio", "projects"), last, step="drop", to="0")
    assert _titles(app, "projects") == ["Loom", "Engine", "Notes"]
    url = last.removesuffix("/move")
    assert "Saved “Jacquard”." in ada.flash(ada.submit(ada.open(url), url, title="Jacquard"))
    question = ada.open(f"{url}/delete")
    assert ada.flash(ada.submit(question, "/delete")) == "Moved the project to the trash."
    assert _titles(app, "projects") == ["Engine", "Notes"]
    assert ada.open(url).status_code == 404


@pytest.mark.parametrize("to", ["-1", "99", "²"])
def test_moving_beyond_the_ends_changes_nothing_bad(app: PagesApp, ada: Browser, to: str) -> None:
    for title in ("One", "Two"):
        _add(ada, "projects", title=title)
    page = ada.get("portfolio", "projects")
    action = forms_in(page)[0].action
    assert ada.submit(page, action, step="drop", to=to).status_code == 303
    assert sorted(_titles(app, "projects")) == ["One", "Two"]


def test_experience_has_months(app: PagesApp, ada: Browser) -> None:
    fields = {"title": "Analyst", "company": "Babbage & Co"}
    _add(ada, "experience", **fields, start_date="1842-03", end_date="1843-09")
    (entry,) = app.world.service.profile.get_portfolio().experience
    assert (entry.start_date, entry.end_date) != (None, None)
    page = ada.get("portfolio", "experience", entry.id)
    assert 'value="1842-03"' in page.text
    errors = field_errors(ada.submit(page, entry.id, start_date="spring", end_date="1843-13"))
    assert set(errors) == {"start_date", "end_date"}
    errors = field_errors(ada.submit(page, entry.id, end_date="1840-01"))
    assert set(errors) == {"end_date"}


def test_invalid_project_names_its_own_fields(app: PagesApp, ada: Browser) -> None:
    _add(ada, "projects", title="First")
    form = ada.get("portfolio", "projects", "new")
    response = ada.submit(form, "/new", title="x" * 200, link="nowhere", image_url="cat")
    assert response.status_code == 422
    assert set(field_errors(response)) == {"title", "link", "image_url"}


def test_settings_are_saved_and_checked(app: PagesApp, ada: Browser) -> None:
    page = ada.get("settings")
    fields = {"title": "Notes", "accent": "#aa0000", "font": "mono", "likes": None}
    assert ada.flash(ada.submit(page, "/settings", **fields)) == "Settings saved."
    saved = app.world.service.profile.get_settings()
    assert (saved.title, saved.accent, saved.likes, saved.comments) == (
        "Notes",
        "#aa0000",
        False,
        True,
    )
    assert has_conflict(ada.submit(page, "/settings", title="Other"))
    for wrong in ({"title": "", "accent": "red"}, {"theme": "pink", "posts_per_page": "many"}):
        response = ada.submit(ada.get("settings"), "/settings", **wrong)
        assert (response.status_code, set(field_errors(response))) == (422, set(wrong))


@pytest.mark.parametrize("parts", [("nonsense",), ("nonsense", "new"), ("projects", "nonsense")])
def test_unknown_part_of_the_portfolio_is_not_found(ada: Browser, parts: tuple[str, ...]) -> None:
    assert ada.get("portfolio", *parts).status_code == 404


def test_language_and_time_zone_are_chosen_from_lists(ada: Browser) -> None:
    page = ada.get("settings").text
    assert '<option value="en" selected>English</option>' in page
    assert '<option value="America/New_York">America/New York</option>' in page
    assert "Settings saved" in ada.flash(
        ada.submit(ada.get("settings"), "/settings", language="pt-BR")
    )
    assert '<option value="pt-BR" selected>' in ada.get("settings").text
