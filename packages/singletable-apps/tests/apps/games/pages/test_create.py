"""Create games without scripts, and look after them."""

from __future__ import annotations

import html

import pytest

from singletable_apps.games.entities import Leaderboard
from singletable_apps.games.questions import SetDraft
from singletable_apps.games.service.sets import Sets
from singletable_apps.games.tokens import new_id
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import CAPITAL, HOST, LESSON


def sets_of(app: PagesApp) -> Sets:
    return app.world.service.sets


def game_in(location: str) -> str:
    return location.rpartition("/")[2]


def test_new_game_page_shows_sets_with_type_count_and_categories(app: PagesApp) -> None:
    sets_of(app).create(HOST, SetDraft("Our quiz", questions=(CAPITAL, LESSON)))
    page = html.unescape(app.browser(host=True).get("new").text)
    for expected in (
        "Our quiz",
        "Mixed · 2 questions · yours",
        "Places · Lessons",
        "Curious planet",
    ):
        assert expected in page


def test_form_creates_a_game_with_its_settings(app: PagesApp) -> None:
    chosen = sets_of(app).create(HOST, SetDraft("Our quiz", questions=(CAPITAL, LESSON)))
    browser = app.browser(host=True)
    answer = browser.submit(
        browser.get("new", set=chosen.set_id),
        "/new",
        start=None,
        title="Friday",
        question_seconds="45",
        leaderboard="end",
        teams="Owls\nFoxes\n",
        is_anonymous=None,
        access_code="sesame",
    )
    assert answer.status_code == 303, answer.text
    game = app.world.service.context.get_game(game_in(answer.headers["location"]))
    assert (game.title, game.set_id, game.set_version) == ("Friday", chosen.set_id, 1)
    assert game.settings.teams == ("Owls", "Foxes")
    assert game.settings.question_seconds == 45
    assert game.settings.leaderboard is Leaderboard.END
    assert not game.settings.is_anonymous
    assert game.settings.live_counts
    assert game.access_code == "sesame"
    assert browser.open(answer.headers["location"]).status_code == 200


def test_one_click_starts_a_sample_for_a_new_host(app: PagesApp) -> None:
    browser = app.browser()
    urls = app.world.service.context.urls
    answer = browser.post(urls.page("new"), {"start": "library:curious-planet", "points": "x"})
    assert answer.status_code == 303
    page = browser.open(answer.headers["location"])
    assert "Curious planet" in page.text
    assert "Curious planet" in browser.get("games").text


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"set_id": "nothing"}, "Choose a question set."),
        ({"set_id": "library:nothing"}, "Choose a question set."),
        ({"set_id": ""}, "Please fill this in."),
        ({"points": "5000"}, "Use a number from 0 to 2,000."),
        ({"question_seconds": "soon"}, "Enter a whole number."),
        ({"rank_method": "dice"}, "Choose one of the options."),
        ({"title": "x" * 5_000}, "120"),
        ({"teams": "\n".join(f"Team {number}" for number in range(20))}, "Use at most 12 teams"),
    ],
)
def test_invalid_settings_are_shown_beside_their_fields(
    app: PagesApp, fields: dict[str, str], text: str
) -> None:
    browser = app.browser(host=True)
    page = browser.get("new", set="library:curious-planet")
    answer = browser.submit(page, "/new", **{"start": None, "title": "Kept", **fields})
    assert answer.status_code == 422
    assert text in html.unescape(answer.text)
    assert not app.world.service.rounds.list_of_host(HOST).items


def test_summary_of_errors_names_a_field_by_its_label(app: PagesApp) -> None:
    browser = app.browser(host=True)
    fields = {"start": None, "set_id": "", "points": "many"}
    answer = browser.submit(browser.get("new"), "/new", **fields)
    assert '<a href="#f-set_id">Question set: please fill this in.</a>' in answer.text


def test_games_of_a_host_are_listed_and_deleted_by_the_host_only(app: PagesApp) -> None:
    game = app.world.game()
    other = app.browser()
    assert "No games yet" in other.get("games").text
    assert other.get("games", game.game_id, "delete").status_code == 404
    browser = app.browser(host=True)
    page = browser.get("games")
    assert "Friday quiz" in page.text
    assert "host-link?token=" in page.text
    question = browser.get("games", game.game_id, "delete")
    assert app.world.service.games.find_entry(game.game_id)
    assert "was deleted" in browser.flash(browser.submit(question, "delete"))
    assert "No games yet" in browser.get("games").text


def test_host_link_gives_another_browser_the_same_games(app: PagesApp) -> None:
    app.world.game()
    page = app.browser(host=True).get("games").text
    token = page.partition("host-link?token=")[2].partition("<")[0]
    other = app.browser()
    other.get("host-link", token=token)
    assert "Friday quiz" in other.get("games").text


# Otherwise a link on any page could take a host's games away, and get the next ones.
def test_host_link_of_another_host_needs_confirmation(app: PagesApp) -> None:
    app.world.game()
    browser = app.browser(host=True)
    token = app.world.service.context.tokens.host_token(new_id())
    question = browser.get("host-link", token=token)
    assert "Friday quiz" in browser.get("games").text
    browser.submit(question, token)
    assert "No games yet" in browser.get("games").text
