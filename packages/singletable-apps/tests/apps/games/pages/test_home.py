"""The first page, and links that give a browser a role."""

from __future__ import annotations

import re

from singletable_apps.games.set_library import load_samples
from singletable_apps.games.tokens import Role
from tests.apps.games.pages.client import PagesApp


def test_home_offers_to_join_and_to_host(app: PagesApp) -> None:
    page = app.browser().get()
    assert page.status_code == 200
    assert 'name="code"' in page.text


def test_link_of_a_screen_leads_to_it(app: PagesApp) -> None:
    game = app.world.game()
    urls = app.world.service.context.urls
    token = app.world.service.context.issue_seat(game, Role.SCREEN)
    browser = app.browser()
    app.activate()
    answer = browser.http.get(urls.seat(token), follow_redirects=False)
    assert answer.headers["location"] == urls.screen(game.game_id)
    app.world.service.games.replace_links(game.game_id, Role.SCREEN)
    assert browser.open(urls.seat(token)).status_code in (401, 403)


def test_host_screen_for_strangers_has_no_sign_in(app: PagesApp) -> None:
    page = app.browser().get("host", app.world.game().game_id)
    assert page.status_code == 401
    assert "You need a link for this" in page.text
    assert "sign in" not in page.text.lower()


def test_admin_link_needs_the_right_token(app: PagesApp) -> None:
    assert app.browser().get("admin-link", token="x").status_code == 404


def test_home_explains_the_types_and_tries_their_samples(app: PagesApp) -> None:
    browser = app.browser()
    page = browser.get()
    for name in ("Trivia", "Call and answer", "Poll", "Survey"):
        assert f"{name}</h3>" in page.text
    for sample in re.findall(r'name="start" value="library:([^"]+)"', page.text):
        assert sample in load_samples()
    assert "Your running games" not in page.text
    browser.post("/games/new", {"start": "library:curious-planet"})
    assert "Your running games" in browser.get().text
