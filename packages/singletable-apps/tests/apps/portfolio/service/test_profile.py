"""The owner edits the portfolio and the settings, field by field."""

from __future__ import annotations

from datetime import date

import pytest

from singletable_apps.portfolio.entities import Experience, Font, Project
from singletable_apps.shared.errors import Busy, InvalidInput
from tests.apps.portfolio.support.harness import World
from tests.apps.support.concurrency import run_concurrently


def test_new_site_has_an_empty_portfolio(memory: World) -> None:
    portfolio = memory.service.profile.get_portfolio()
    assert (portfolio.revision, portfolio.bio, portfolio.projects) == (0, "", [])
    assert memory.service.profile.get_settings().revision == 0
    assert not memory.service.profile.is_set_up()


def test_edit_changes_only_the_fields_that_are_given(world: World) -> None:
    profile, owner = world.service.profile, world.user()
    profile.update_portfolio(owner, {"name": " Ada  L. ", "bio": "First\nsecond"})
    changed = profile.update_portfolio(
        owner, {"about_markdown": "# Hi\n\n<script>alert(1)</script>"}
    )
    assert (changed.name, changed.bio, changed.revision) == ("Ada L.", "First\nsecond", 2)
    assert "Hi" in changed.about_content
    assert "script" not in changed.about_content
    assert changed.about_markdown.startswith("# Hi")
    settings = profile.update_settings(owner, {"title": "Ada", "font": Font.MONO})
    assert (settings.title, settings.font, settings.posts_per_page) == ("Ada", Font.MONO, 10)


def test_concurrent_edits_of_different_fields_are_both_kept(world: World) -> None:
    profile, owner = world.service.profile, world.user()
    edits = [{"name": "Ada"}, {"headline": "Analyst"}]
    run_concurrently(2, lambda: profile.update_portfolio(owner, edits.pop()), Busy)
    portfolio = profile.get_portfolio(consistent=True)
    assert (portfolio.name, portfolio.headline, portfolio.revision) == ("Ada", "Analyst", 2)


def test_revision_check_sees_the_current_revision(memory: World) -> None:
    profile, owner = memory.service.profile, memory.user()
    profile.update_portfolio(owner, {"name": "Ada"})
    seen: list[int] = []
    profile.update_portfolio(owner, {"name": "Eve"}, seen.append)
    assert seen == [1]


def test_every_invalid_field_is_named(memory: World) -> None:
    project = Project(id="p", title="", link="javascript:alert(1)", technologies=["x" * 41])
    entry = Experience(
        "a b", "Engineer", "", start_date=date(2024, 5, 1), end_date=date(2024, 4, 1)
    )
    edits = {
        "name": "x" * 101,
        "email": "ada",
        "profile_pic_url": "data:image/png,x",
        "social_links": {"github": "https://github.com/ada", "myspace": "/x"},
        "about_markdown": "a",
        "about_content": "<p>a</p>",
        "projects": [project, project],
        "experience": [entry],
    }
    with pytest.raises(InvalidInput) as raised:
        memory.service.profile.update_portfolio(memory.user(), edits)
    of_project = {
        f"projects/{n}/{part}" for n in (0, 1) for part in ("title", "link", "technologies")
    }
    assert set(raised.value.errors) == of_project | {
        *("name", "email", "profile_pic_url", "social_links/myspace", "about_content"),
        *("projects/1/id", "experience/0/id", "experience/0/company", "experience/0/end_date"),
    }
    with pytest.raises(InvalidInput) as raised:
        memory.service.profile.update_settings(
            memory.user(),
            {
                "title": " ",
                "accent": "red",
                "language": "x",
                "time_zone": "Mars",
                "posts_per_page": 0,
            },
        )
    wrong = {"title", "accent", "language", "time_zone", "posts_per_page"}
    assert set(raised.value.errors) == wrong
