"""The first page, and links that give a browser a role."""

from __future__ import annotations

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
    app.attach()
    answer = browser.http.get(urls.seat(token), follow_redirects=False)
    assert answer.headers["location"] == urls.screen(game.game_id)
    app.world.service.games.replace_links(game.game_id, Role.SCREEN)
    assert browser.open(urls.seat(token)).status_code in (401, 403)


def test_admin_link_needs_the_right_token(app: PagesApp) -> None:
    assert app.browser().get("admin-link", token="x").status_code == 404
