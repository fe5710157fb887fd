"""The pages of rating rounds and requests, and levels with other names."""

from __future__ import annotations

import re

from singletable_apps.skills.entities import Level
from singletable_apps.skills.rules import DEFAULT_CATEGORIES
from tests.apps.skills.api.client import Server
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


def test_a_round_from_opening_to_closing(app: PagesApp, ada: Browser, bob: Browser) -> None:
    form = ada.get("rounds")
    wrong = ada.submit(form, "/rounds", name="Spring", closes_on="2020-01-01")
    assert (wrong.status_code, "within a year" in wrong.text) == (422, True)
    opened = ada.submit(form, "/rounds", name="Spring", closes_on="2026-01-20")
    url = opened.headers["location"]
    start = bob.get("start").text
    assert "Please confirm or change your skill levels until 20 January 2026" in start
    ratings = bob.open(f"{url}/people/bob")
    saved = bob.submit(ratings, "/people/bob", **{"level-go": "Expert"})
    assert bob.flash(saved) == "Bob: finished."
    assert "You have finished" in bob.open(url).text
    assert "Please confirm" not in bob.get("start").text
    assert bob.open(f"{url}/people/ada").status_code == 403
    seen = ada.open(url).text
    assert ">Finished<" in seen
    assert f'href="{url}/export?format=csv"' in seen
    table = ada.open(f"{url}/export?format=csv").content.decode("utf-8-sig")
    assert table.splitlines() == [
        "username,name,skill_id,skill,before,after,change,target_met",
        "bob,Bob,go,Go,Beginner,Expert,up,no",
    ]
    assert ada.flash(ada.submit(ada.open(url), "/remind")).startswith("Reminded 3 people")
    assert ada.flash(ada.submit(ada.open(url), "/remind")).startswith("There is nobody")
    ada.submit(ada.open(f"{url}/close"), "/close")
    closed = ada.open(url).text
    assert closed.index("What has changed") < closed.index("Progress")
    late = bob.submit(ratings, "/people/bob", **{"level-go": "Beginner"})
    again = bob.http.get(f"{url}/people/bob", follow_redirects=False)
    assert bob.flash(late) == "This rating round is over."
    assert [each.headers["location"] for each in (late, again)] == [url, url]


def test_ratings_start_from_those_of_the_same_person(
    app: PagesApp, ada: Browser, bob: Browser
) -> None:
    form = ada.get("rounds")
    url = ada.submit(form, "/rounds", name="Spring", closes_on="2026-01-20").headers["location"]
    path, skills = f"{url}/people/bob", app.world.service.user_skills
    skills.rate(app.world.user("ada"), "bob", "go", Level.EXPERT, 2)
    skills.rate(app.world.user("ada"), "bob", "python", Level.EXPERT, 2)

    def chosen(browser: Browser) -> list[tuple[str, str]]:
        page = browser.open(path).text
        return re.findall(r'name="(level-\w+)"|<option value="(\w*)" selected', page)

    expert, beginner = ("", "Expert"), ("", "Beginner")
    go, python = ("level-go", ""), ("level-python", "")
    assert chosen(ada) == [go, expert, python, expert]
    assert chosen(bob) == [go, beginner, python]
    bob.submit(bob.open(path), "/people/bob", **{"level-python": "Beginner"})
    assert chosen(bob) == [go, beginner, python, beginner]
    assert chosen(ada) == [go, expert, python, expert]
    assert skills.get("bob", "go").level is Level.EXPERT


def test_a_request_is_on_the_start_page(app: PagesApp, ada: Browser, bob: Browser) -> None:
    skill = bob.get("people", "bob", "skills", "go")
    assert "Ask a colleague" not in ada.get("people", "bob", "skills", "go").text
    assert bob.flash(bob.submit(skill, "/ask/go", colleague="nobody")).startswith("Nobody has")
    assert bob.flash(bob.submit(skill, "/ask/go", colleague="Ada")) == (
        "Ada was asked to endorse this skill."
    )
    form = bob.get("suggest", name="Zig")
    known = bob.submit(form, "/suggest", skill_name="GO")
    assert known.status_code == 422
    bob.submit(form, "/suggest", text="For <b>drivers</b>.")
    start = ada.get("start")
    assert "Bob asks you to endorse" in start.text
    assert "For &lt;b&gt;drivers&lt;/b&gt;." in start.text
    assert 'value="Zig"' in ada.get("admin", "new-skill", name="Zig").text
    declined = ada.submit(start, "-zig/decline", text="No.")
    assert ada.flash(declined) == "Declined: Zig."
    assert "Asked of you" in ada.get("start").text
    app.world.service.endorsements.endorse(app.world.user("ada"), "bob", "go")
    assert "Asked of you" not in ada.get("start").text


def test_settings_name_levels_and_categories(ada: Browser, bob: Browser) -> None:
    form = ada.get("admin", "people")
    levels = "Learns: Needs help.\nCan\n<i>Good</i>\nMaster"
    wrong = ada.submit(form, "/settings", levels="One\nTwo")
    assert (wrong.status_code, "Enter 4 lines; there are 2." in wrong.text) == (422, True)
    categories = "\r\n".join(["Languages", *DEFAULT_CATEGORIES[1:]])
    ada.submit(form, "/settings", levels=levels, categories=categories)
    for page in (bob.get("matrix"), bob.get("people", "bob", "skills", "new"), bob.get("search")):
        assert "&lt;i&gt;Good&lt;/i&gt;" in page.text
        assert "Intermediate<" not in page.text
    assert '<h2 id="category-1">Languages</h2>' in bob.get("catalog").text


def test_api_of_settings_names_categories(server: Server) -> None:
    ada = server.sign_in("ada")
    settings = ada.get("/directory")
    assert settings.json()["levels"][0].startswith("Beginner: ")
    changes = {**settings.json(), "categories": ["Languages", *settings.json()["categories"][1:]]}
    headers = {"If-Match": settings.headers["etag"]}
    assert ada.put("/directory", changes, headers=headers).status_code == 200
    assert ada.get("/master-skills/go").json()["category"] == "Languages"
