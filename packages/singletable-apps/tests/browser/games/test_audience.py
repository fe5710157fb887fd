"""Questions to the host, reactions and sound, in the browser."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import expect

from tests.apps.games.support.world import LESSON
from tests.browser.conftest import OpenPage
from tests.browser.games.hall import Hall
from tests.browser.games.server import CALM, Served


def test_question_is_asked_voted_for_and_shown_while_the_game_goes_on(
    served: Served, open_page: OpenPage
) -> None:
    hall = Hall(served, open_page, ["Ada", "Bob"])
    hall.enter(served.create(LESSON, settings=replace(CALM, reading_seconds=0, is_anonymous=False)))
    ada, bob = hall.phones
    hall.host.get_by_label("Players can ask you").check()
    ada.tap("Ask the host")
    ada.page.get_by_label("Your question").fill("Why so late?")
    ada.tap("Send")
    ada.page.get_by_label("Your question").fill("A draft")
    bob.tap("Ask the host")
    bob.tap("Vote for: Why so late?")
    expect(ada.page.locator(".upvote")).to_contain_text("1 votes")
    hall.check_accessible()
    hall.host.get_by_role("button", name="Show large: Why so late?").click()
    expect(hall.screen.locator(".spotlight")).to_contain_text("1 vote")
    expect(hall.screen.locator(".overlay-title")).to_have_text("A question from Ada")
    bob.page.reload()
    bob.tap("Ask the host")
    bob.tap("Vote for: Why so late?")
    expect(ada.page.locator(".upvote")).to_contain_text("0 votes")
    hall.host.get_by_role("button", name="Answered: Why so late?").click()
    expect(hall.screen.locator(".spotlight")).to_have_count(0)
    # The question of the game comes before the sheet, which keeps its draft.
    hall.press("Start")
    ada.write("Meetings")
    expect(ada.page.get_by_role("dialog")).to_have_count(0)
    bob.write("Builds")
    hall.press("Show results")
    hall.confirm("Close anyway")
    ada.tap("Ask the host")
    expect(ada.page.get_by_label("Your question")).to_have_value("A draft")
    assert not any(hall.errors)


def test_reactions_float_unless_motion_is_reduced_and_sound_has_one_switch(
    served: Served, open_page: OpenPage
) -> None:
    hall = Hall(served, open_page, ["Ada"])
    hall.enter(served.create(LESSON, settings=CALM))
    floating = hall.screen.locator(".floating span")
    expect(hall.host.locator(".console-status")).to_contain_text("one screen")
    hall.phones[0].tap("Celebrate")
    expect(hall.screen.locator(".reaction-counts")).to_contain_text("🎉 1")
    expect(floating).to_have_count(0)
    hall.screen.emulate_media(reduced_motion="no-preference")
    hall.phones[0].tap("Applaud")
    expect(floating).to_have_text("👏")
    switch = hall.screen.locator(".mute")
    # Many browsers play nothing before someone has touched the page.
    hall.screen.locator("h1").click()
    for label in ("Mute", "Turn sound on", "Mute"):
        expect(switch).to_have_text(label)
        switch.click()
    hall.screen.reload()
    hall.screen.locator("h1").click()
    expect(switch).to_have_text("Turn sound on")
    assert not any(hall.errors)
