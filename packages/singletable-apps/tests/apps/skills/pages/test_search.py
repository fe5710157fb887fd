"""Search by several skills and save the result as a team, without scripts."""

from __future__ import annotations

import html

import pytest

from singletable_apps.skills.entities import JobRole, Level, Role, User
from singletable_apps.skills.pages import search
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser
from tests.apps.support.html import forms_in


def test_search_finds_ranks_and_saves_a_team(app: PagesApp, bob: Browser) -> None:
    empty = bob.get("search")
    assert empty.status_code == 200
    assert empty.text.count('name="skill"') == 3
    found = bob.open("/skills/search?skill=go&level=&years=&since=&skill=&level=&years=&since=")
    assert "2 people" in found.text
    results = found.text.partition("<main")[2]
    assert results.index("/skills/people/ada") < results.index("/skills/people/bob")
    assert "(40 level + 0 years + 0.0 endorsements) × 1.00 recency = 40.0" in found.text
    # Words for developers are on a page of their own.
    assert "read unit" not in found.text
    assert " checked" not in results
    saved = bob.submit(found, "teams", name="Gophers", members=["ada"])
    assert bob.flash(saved) == "Saved the team “Gophers”."
    team = bob.open(saved.headers["location"])
    assert "/skills/matrix?team=" in team.text
    assert "/skills/gaps?team=" in team.text
    again = bob.open("/skills/search?skill=go&level=Beginner&years=&since=")
    assert "2 people" in again.text
    assert "Gophers" in app.browser("joan").get("teams").text


def test_nobody_found_and_filters(app: PagesApp, bob: Browser) -> None:
    store = app.world.service.context.store
    store.update(User.key("ada"), User.department.set("Research"))
    app.world.calls.clear()
    assert "1 person" in bob.get("search", skill="go", department="research").text
    page = bob.get("search", skill="go", level="Expert", years="9")
    assert "Nobody meets all criteria" in page.text
    assert "selected>Expert" in page.text


def test_results_are_paged(bob: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_RESULTS", 1)
    first = bob.get("search", skill="go")
    assert "1 to 1 of 2" in first.text
    [link] = [part for part in first.text.split('href="') if part.startswith("/skills/search?")]
    second = bob.open(html.unescape(link.partition('"')[0]))
    assert "2 to 2 of 2" in second.text
    assert "/skills/people/bob" in second.text.partition("<main")[2]
    assert bob.get("search", skill="go", start="99").status_code == 200
    assert bob.get("search", skill="go", start="x").status_code == 422


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("skill=golnag", "There is no skill “golnag”"),
        ("skill=go&since=soon", "Enter a day such as"),
        ("department=x", "Enter at least one skill."),
        ("skill=%F0%9F%A6%80%00%3Cscript%3E", "There is no skill"),
    ],
)
def test_invalid_search_shows_a_sentence(bob: Browser, query: str, sentence: str) -> None:
    page = bob.open(f"/skills/search?{query}")
    assert page.status_code == 422
    assert sentence in page.text
    assert "<script>" not in page.text.partition("<main")[2].partition("</main")[0]


@pytest.mark.parametrize("text", [" ", "\x00", "x" * 5_000])
def test_invalid_team_is_shown_again(bob: Browser, text: str) -> None:
    fields = {"name": text, "members": ["ada", text], "search": text}
    page = bob.post("/skills/teams", fields)
    assert page.status_code == 422
    assert 'value="ada"' in page.text


def test_team_is_changed_by_its_creator_and_managers(
    app: PagesApp, ada: Browser, mia: Browser, bob: Browser
) -> None:
    found = bob.get("search", skill="go")
    rejected = bob.submit(found, "teams", name=" ")
    assert rejected.status_code == 422
    url = bob.submit(rejected, "teams", name="Gophers", members=["ada"]).headers["location"]
    assert "Ada" in bob.open(url).text
    added = mia.submit(mia.open(f"{url}?q=OA"), "members", username=["joan"])
    assert mia.flash(added) == "Added Joan."
    found = bob.open(f"{url}?q=a")
    assert bob.flash(bob.submit(found, "members", username=["mia"])) == "Added Mia."
    unknown = bob.post(f"{url}/members", {"username": "nobody"})
    assert (unknown.status_code, "There is no person “nobody”." in unknown.text) == (422, True)
    assert bob.post(f"{url}/members", {}).status_code == 422
    page = bob.open(url)
    removes = [form for form in forms_in(page) if form.action.endswith("/remove")]
    assert len(removes) == 3
    assert bob.flash(bob.post(f"{url}/remove", {"username": "joan"})) == "Removed Joan."
    assert mia.submit(page, url, name="Late").status_code == 412
    renamed = mia.submit(mia.open(url), url, name="Best & <b>")
    assert renamed.status_code == 303
    assert "Best &amp; &lt;b&gt;" in mia.open(url).text
    joan = app.browser("joan")
    assert not [form for form in forms_in(joan.open(url)) if form.action.startswith(url)]
    assert joan.post(url, {"name": "Mine", "revision": "3"}).status_code == 403
    deleted = bob.submit(bob.open(f"{url}/delete"), "delete")
    assert deleted.headers["location"] == "/skills/teams"
    assert bob.open(url).status_code == 404


@pytest.mark.parametrize("role", [Role.ADMIN, Role.USER], ids=str)
def test_form_of_a_team_keeps_its_manager(app: PagesApp, ada: Browser, role: Role) -> None:
    store, teams = app.world.service.context.store, app.world.service.teams
    team = teams.create(app.world.user("ada"), "Board", ["bob"])
    teams.edit(app.world.user("ada"), team.team_id, manager="mia")
    store.update(User.key("mia"), User.role.set(role))
    app.world.calls.clear()
    url = f"/skills/teams/{team.team_id}"
    assert ada.submit(ada.open(url), url, name="The board").status_code == 303
    assert teams.get(team.team_id).manager == "mia"


def test_nearest_people_show_what_is_missing(app: PagesApp, mia: Browser, bob: Browser) -> None:
    role = JobRole(
        role_id="lead", name="Lead", targets={"go": Level.ADVANCED, "python": Level.EXPERT}
    )
    app.world.service.context.store.put(role)
    app.world.calls.clear()
    assert "/skills/people/ada" not in bob.get("roles", "lead", "nearest").text
    page = mia.get("roles", "lead", "nearest")
    rows = page.text.partition("<main")[2]
    assert rows.index("/skills/people/ada") < rows.index("/skills/people/mia")
    assert "needs Expert" in page.text
    assert "not yet" in page.text
    assert bob.get("roles", "unknown", "nearest").status_code == 404
