"""Create, vote and manage in a browser: by touch, by keyboard, and without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from singletable_apps.polls.entities import Protection
from singletable_apps.polls.rules import PollDraft
from tests.apps.polls.support.harness import changed
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors
from tests.browser.polls.server import OPTIONS, Served, id_in, option, ranked

PASTE = """(field, text) => {
    const data = new DataTransfer();
    data.setData("text", text);
    field.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, cancelable: true}));
}"""


def vote(page: Page) -> None:
    """Review the ranking and vote."""
    page.get_by_role("button", name="Review and vote").click()
    page.get_by_role("dialog").get_by_role("button", name="Vote", exact=True).click()
    page.wait_for_url("**/voted")


def test_create_and_vote_by_touch_on_a_phone(open_page: OpenPage, served: Served) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True, timezone_id="Asia/Tokyo")
    errors = collect_errors(page)
    page.goto(f"{served.address}/polls")
    page.get_by_role("main").get_by_role("link", name="Create a poll").tap()
    rows = page.locator(".option-row input")
    expect(rows).to_have_count(2)
    page.get_by_label("Question").fill("Where to?")
    rows.first.evaluate(PASTE, "Lake\n\n  Museum \r\nCastle\n")
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Add an option").tap()
    page.keyboard.type("Forest")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(5)
    page.get_by_role("button", name="Remove option 5").tap()
    page.get_by_text("In a day", exact=True).tap()
    page.get_by_role("button", name="Create poll").tap()
    page.wait_for_url("**/made")
    poll_id = id_in(page.url)
    assert served.polls.context.get_poll(poll_id).candidates == list(OPTIONS)
    page.get_by_role("link", name="Vote", exact=True).tap()
    expect(page.locator(".about time")).to_contain_text("JST")
    for name in ("Castle", "Lake", "Forest"):
        option(page, name).tap()
    row = page.locator("[data-who]", has=option(page, "Forest"))
    row.get_by_role("button", name="More for").tap()
    assert row.get_by_role("button", name="Same place").count() == 0
    row.get_by_role("button", name="to the top").tap()
    assert ranked(page) == ["Forest", "Castle", "Lake"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    vote(page)
    expect(page.get_by_role("heading", name="Thanks")).to_be_visible()
    assert page.locator(".ballot-ranking b").all_inner_texts() == ["Forest", "Castle", "Lake"]
    assert served.counts(poll_id) == {"3 2 0": 1}
    page.get_by_role("link", name="Change your vote").tap()
    expect(page.locator(".level")).to_have_count(3)
    assert ranked(page) == ["Forest", "Castle", "Lake"]
    assert errors == []


# Both come with a link, and have never been here: the zone of their browser counts at once.
def test_times_are_in_the_zone_of_who_asks_and_of_who_answers(
    open_page: OpenPage, served: Served
) -> None:
    host, guest = open_page(timezone_id="Europe/Berlin"), open_page(timezone_id="America/New_York")
    host.goto(f"{served.address}/polls/new")
    expect(host.locator("[name=zone]")).to_have_value("Europe/Berlin")
    host.get_by_label("Question").fill("Dinner?")
    host.get_by_text("More settings").click()
    expect(host.get_by_text("People can add options")).to_be_visible()
    host.get_by_text("Find a date", exact=True).click()
    expect(host.get_by_text("People can add options")).to_be_hidden()
    host.get_by_label("Day", exact=True).fill("2026-11-27")
    for time in ("19:00", "20:30"):
        host.get_by_label("Time, optional").fill(time)
        host.get_by_role("button", name="Add date").click()
    host.get_by_role("button", name="Create poll").click()
    host.wait_for_url("**/made")
    managed = served.polls.context.get_poll(id_in(host.url))
    assert managed.candidates == ["2026-11-27T18:00:00Z", "2026-11-27T19:30:00Z"]
    guest.goto(f"{served.address}/polls/{managed.id}")
    expect(guest.get_by_text("Fri 27 Nov 2026, 13:00 EST")).to_be_visible()


# Without shared places each arrow is one place, and no two options share one.
def test_ballot_works_with_the_keyboard_without_ties(open_page: OpenPage, served: Served) -> None:
    managed, page = served.poll(), open_page()
    page.goto(served.at(managed))
    option(page, "Lake").focus()
    for _ in range(3):
        page.keyboard.press("Enter")
    assert ranked(page) == ["Lake", "Museum", "Castle"]
    option(page, "Castle").focus()
    seen: list[list[str]] = []
    for key in ("Space", "ArrowUp", "ArrowUp", "ArrowUp", "End", "ArrowDown", "ArrowUp", "Space"):
        page.keyboard.press(key)
        seen.append(ranked(page))
    assert seen == [
        ["Lake", "Museum", "Castle"],
        ["Lake", "Castle", "Museum"],
        ["Castle", "Lake", "Museum"],
        ["Castle", "Lake", "Museum"],
        ["Lake", "Museum", "Castle"],
        ["Lake", "Museum"],
        ["Lake", "Museum", "Castle"],
        ["Lake", "Museum", "Castle"],
    ]
    review = page.get_by_role("button", name="Review and vote")
    review.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Submit this vote?")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/voted")
    assert served.counts(managed.poll.id) == {"0 1 2": 1}


def test_dragged_option_takes_the_place_of_another(open_page: OpenPage, served: Served) -> None:
    managed, page = served.poll(), open_page()
    page.goto(served.at(managed))
    page.get_by_role("button", name="Review and vote").click()
    blank = page.get_by_role("dialog", name="Rank at least one option")
    expect(blank.get_by_role("button", name="Vote", exact=True)).to_have_count(0)
    blank.get_by_role("button", name="Go back").click()
    for name in OPTIONS[:3]:
        option(page, name).click()
    for part, order in ((0.4, ["Castle", "Lake", "Museum"]), (0.6, ["Lake", "Castle", "Museum"])):
        grip = page.locator("[data-who]", has=option(page, "Castle")).locator("[data-grip]")
        onto = page.locator(".level", has=option(page, "Lake"))
        start, end = grip.bounding_box(), onto.bounding_box()
        assert start is not None
        assert end is not None
        page.mouse.move(start["x"] + 10, start["y"] + 20)
        page.mouse.down()
        page.mouse.move(start["x"] + 20, start["y"] + 10, steps=2)
        page.mouse.move(end["x"] + 80, end["y"] + end["height"] * part, steps=4)
        page.mouse.up()
        assert ranked(page) == order


def test_create_and_vote_without_scripts(open_page: OpenPage, served: Served) -> None:
    page = open_page(java_script_enabled=False, viewport=PHONE)
    page.goto(f"{served.address}/polls/new")
    rows = page.locator(".option-row input")
    expect(rows).to_have_count(5)
    for at, name in enumerate(OPTIONS):
        rows.nth(at).fill(name)
    page.get_by_role("button", name="More rows").click()
    expect(rows).to_have_count(10)
    expect(rows.nth(3)).to_have_value("Forest")
    page.get_by_label("Question").fill("Plain?")
    # Enter makes the poll, and asks for no rows.
    page.get_by_label("Question").press("Enter")
    page.wait_for_url("**/made")
    poll_id = id_in(page.url)
    page.get_by_role("link", name="Vote", exact=True).click()
    page.get_by_label("Lake").fill("2")
    page.get_by_label("Castle").fill("2")
    page.get_by_role("button", name="Review and vote").click()
    expect(page.locator(".rank-error")).to_have_count(2)
    page.get_by_label("Castle").fill("1")
    page.get_by_role("button", name="Review and vote").click()
    expect(page.get_by_role("heading", name="Submit this vote?")).to_be_visible()
    page.get_by_role("button", name="Vote", exact=True).click()
    expect(page.get_by_role("heading", name="Thanks")).to_be_visible()
    assert served.counts(poll_id) == {"2 0": 1}


def test_issue_codes_vote_and_close(open_page: OpenPage, served: Served) -> None:
    managed = served.poll(
        changed(PollDraft("Room?", ("Aurora", "Kepler")), protection=Protection.CODES)
    )
    chair, voter = open_page(), open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    chair.goto(served.at(managed, f"/manage?key={managed.admin_key}"))
    assert managed.admin_key not in chair.url
    chair.get_by_role("navigation").get_by_role("link", name="Codes").click()
    chair.get_by_label("Issue more codes").fill("2")
    chair.get_by_role("button", name="Issue codes").click()
    codes = chair.locator(".code-text").all_inner_texts()
    assert len(codes) == 2
    voter.goto(served.at(managed))
    option(voter, "Kepler").tap()
    voter.get_by_label("Your voting code").fill("0000-0000-0000")
    voter.get_by_role("button", name="Review and vote").tap()
    voter.get_by_role("dialog").get_by_role("button", name="Vote", exact=True).tap()
    expect(voter.locator("#f-code-error")).to_contain_text("is not a voting code")
    expect(voter.locator(".level")).to_have_count(1)
    assert ranked(voter) == ["Kepler"]
    voter.get_by_label("Your voting code").fill(codes[0].lower())
    vote(voter)
    voter.get_by_role("button", name="Vote with another code").tap()
    expect(voter.locator(".levels-empty")).to_be_visible()
    expect(voter.get_by_label("Your voting code")).to_have_value("")
    voter.goto(served.at(managed, f"?code={codes[1]}"))
    expect(voter.get_by_label("Your voting code")).to_have_value(codes[1])
    option(voter, "Aurora").tap()
    chair.reload()
    expect(chair.get_by_text("Used", exact=True)).to_have_count(1)
    chair.get_by_role("link", name="Overview").click()
    chair.get_by_role("link", name="Close…").click()
    chair.get_by_role("dialog").get_by_role("button", name="Close poll").click()
    expect(chair.get_by_role("status")).to_contain_text("The poll is closed.")
    voter.get_by_role("button", name="Review and vote").tap()
    voter.get_by_role("dialog").get_by_role("button", name="Vote", exact=True).tap()
    expect(voter.get_by_text("The poll closed before your vote arrived")).to_be_visible()
    assert served.counts(managed.poll.id) == {"1": 1}
    chair.get_by_role("link", name="Delete…").click()
    asked = chair.get_by_role("dialog", name="Delete this poll?")
    expect(asked).to_contain_text("its 1 vote")
    asked.get_by_role("button", name="Delete poll").click()
    chair.wait_for_url(re.compile("/polls/mine$"))
    voter.goto(served.at(managed))
    expect(voter.get_by_text("may have been deleted")).to_be_visible()
