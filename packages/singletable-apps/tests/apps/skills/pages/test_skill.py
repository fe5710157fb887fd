"""The page of a skill: its distribution, and the people who have it, the best first."""

from __future__ import annotations

from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


def test_skill_shows_levels_and_people_best_first(app: PagesApp, bob: Browser) -> None:
    page = bob.get("catalog", "go")
    assert page.status_code == 200
    assert page.text.count("<h1") == 1
    assert "2 people" in page.text
    assert page.text.index(">Ada</a>") < page.text.index(">Bob</a>")
    assert "Your level: Beginner" in page.text
    assert ">Ada</a>" not in bob.get("catalog", "go", level="Beginner").text
    assert "Nobody has this skill at this level." in bob.get("catalog", "go", level="Advanced").text
    assert ">Ada</a>" in bob.get("catalog", "go", level="nonsense").text
    assert bob.get("catalog", "cobol").status_code == 404
    assert bob.get("catalog", "go", cursor="9.x").status_code == 400


def test_other_spellings_redirect_to_the_id(app: PagesApp, bob: Browser) -> None:
    assert bob.get("catalog", "PyThon").url.path == "/skills/catalog/python"
