"""The page of a skill: its distribution, and the people who have it, the best first."""

from __future__ import annotations

import re
from datetime import date

from singletable import Store
from singletable_apps.skills.entities import Level, UserSkill
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


def test_people_are_paged_across_levels(app: PagesApp, bob: Browser) -> None:
    store = Store(app.world.driver, clock=app.world.clock)
    store.bulk_load(
        UserSkill(
            username=f"user{number}",
            skill_id="go",
            skill_name="Go",
            level=Level.EXPERT if number < 20 else Level.BEGINNER,
            last_used=date(2025, 1, 1),
            years=number,
        )
        for number in range(40)
    )
    first = bob.get("catalog", "go")
    [path] = re.findall(r'href="([^"]+)" rel="next"', first.text)
    second = bob.open(path.replace("&amp;", "&"))
    names = re.findall(
        r'<th scope="row"><a href="/skills/people/(\w+)">', f"{first.text}{second.text}"
    )
    experts = [*(f"user{number}" for number in range(19, 0, -1)), "ada", "user0"]
    beginners = [*(f"user{number}" for number in range(39, 19, -1)), "bob"]
    assert names == experts + beginners
    assert "First page" in second.text
    assert 'rel="next"' not in second.text
