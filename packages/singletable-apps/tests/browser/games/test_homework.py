"""Homework on a phone: what is chosen when time is up is sent, and one can come back."""

from __future__ import annotations

from datetime import timedelta

from playwright.sync_api import expect

from singletable_apps.games.entities import Homework
from singletable_apps.games.service.games import GameDraft
from tests.apps.games.support.world import CAPITAL, MOON
from tests.browser.conftest import OpenPage
from tests.browser.games.server import HOST, Served
from tests.browser.page_checks import collect_errors, find_axe_violations


def test_answer_is_sent_when_time_is_up(open_page: OpenPage, served: Served) -> None:
    context = served.service.context
    terms = Homework(context.clock() + timedelta(days=1), answers_shown="at-once", seconds=60)
    game = served.service.homework.give(HOST, GameDraft(questions=(CAPITAL, MOON)), terms)
    page = open_page(viewport={"width": 360, "height": 640})
    errors = collect_errors(page)
    page.clock.install()
    page.goto(f"{served.address}{context.urls.join(game.join_code)}")
    page.get_by_label("Your name").fill("Mia")
    page.get_by_role("button", name="Join").click()
    assert find_axe_violations(page) == []
    page.get_by_role("button", name="Start").click()
    page.locator(".tile", has_text="Canberra").click()
    assert find_axe_violations(page) == []
    page.clock.fast_forward(20_000)
    expect(page.locator("h1")).to_have_text("Correct")
    assert find_axe_violations(page) == []
    page.reload()
    page.get_by_role("button", name="Next question").click()
    page.get_by_label("A number from").fill("1968")
    page.clock.fast_forward(20_000)
    expect(page.locator("h1")).to_have_text("Correct")
    page.get_by_role("button", name="See the result").click()
    expect(page.locator("h1")).to_have_text("2 of 2 right")
    expect(page.get_by_text("Right: 1969")).to_be_visible()
    assert find_axe_violations(page) == []
    assert errors == []
