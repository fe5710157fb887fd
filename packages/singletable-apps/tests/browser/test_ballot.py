"""The ballot in a browser: with keys, by dragging, by tapping, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from singletable import connect
from singletable_apps.elections.app import APP
from singletable_apps.elections.entities import User
from singletable_apps.elections.settings import ElectionSettings
from singletable_apps.shared.ballot import BallotLabels
from singletable_apps.shared.web import Settings
from tests.apps.support.elections.world import World
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.live_server import serve_app
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
MANY = [f"Candidate {number} of a long list of names" for number in range(1, 31)]
BUDGET = 150_000


@dataclass
class Booth:
    """A running app with a voter; every test launches an election of its own."""

    world: World
    address: str
    owner: User
    voter: User

    def election(
        self, name: str, candidates: Sequence[str] = NAMES, terms: ElectionSettings | None = None
    ) -> str:
        """Launch an election that can be edited, and return the URL of its ballot."""
        self.world.launch(self.owner, name, candidates, terms=terms)
        return f"{self.address}/elections/e/{quote(name)}/ballot"

    def enter(self, page: Page, at: str) -> None:
        """Go to a page as the voter."""
        token = self.world.service.auth.start_session(self.voter, "tests").access
        page.context.add_cookies(
            [{"name": "elections_access", "value": token, "url": self.address}]
        )
        page.goto(at)

    def cast(self, name: str) -> list[list[str]]:
        """Return the ranking that the voter has cast."""
        found = self.world.service.voting.ballot(self.voter, name, self.voter.name)
        return found.receipt["ranking"]


@pytest.fixture(scope="module")
def booth() -> Iterator[Booth]:
    world = World(connect("memory:"))
    owner, voter = world.register("Owner", "Voter")
    app = APP.make_app(world.service, Settings(secure_cookies=False), limited=False)
    with serve_app(app) as address:
        yield Booth(world, address, owner, voter)


def item(page: Page, name: str) -> Locator:
    """Return the button of a candidate."""
    return page.locator(f".row-name:has(> span:first-child:text-is('{name}'))")


def levels(page: Page) -> list[list[str]]:
    """Return the ranking on the page."""
    return [
        level.locator(".row-name > span:first-child").all_inner_texts()
        for level in page.locator(".level").all()
    ]


def announcement(page: Page) -> str:
    return page.locator("[aria-live=polite].ballot-announcement").inner_text()


def cast(page: Page) -> None:
    page.get_by_role("button", name="Review and cast").click()
    page.get_by_role("dialog").get_by_role("button", name="Cast ballot").click()
    page.wait_for_url("**/receipt")


def drag(page: Page, who: str, to: Locator, part: float, *, drop: bool = True) -> None:
    """Drag a row by its grip to a part of the height of something."""
    grip = page.locator("[data-who]", has=item(page, who)).locator("[data-grip]").bounding_box()
    box = to.bounding_box()
    assert grip is not None
    assert box is not None
    page.mouse.move(grip["x"] + 10, grip["y"] + 20)
    page.mouse.down()
    page.mouse.move(grip["x"] + 20, grip["y"] + 10, steps=2)
    page.mouse.move(box["x"] + 80, box["y"] + box["height"] * part, steps=4)
    if drop:
        page.mouse.up()


# Enter ranks a name last; Space lifts it, and arrow keys move it through own and shared places.
def test_ballot_can_be_cast_with_keys_only(open_page: OpenPage, booth: Booth) -> None:
    page = open_page()
    booth.enter(page, booth.election("Keys"))
    order = page.locator(".rest-rows .row-name > span:first-child").all_inner_texts()
    item(page, order[0]).focus()
    for _ in range(3):
        page.keyboard.press("Enter")
    assert levels(page) == [[order[0]], [order[1]], [order[2]]]
    assert announcement(page) == f"{order[2]}, place 3 of 3."
    announcements: list[str] = []
    item(page, order[2]).focus()
    for key in ("Space", "ArrowUp", "ArrowUp", "ArrowUp", "Space"):
        page.keyboard.press(key)
        expect(item(page, order[2])).to_be_focused()
        announcements.append(announcement(page))
    first, second, third = order[:3]
    assert announcements == [
        f"{third} lifted, place 3 of 3.",
        f"{third}, place 2 of 2, equal with {second}.",
        f"{third}, place 2 of 3.",
        f"{third}, place 1 of 2, equal with {first}.",
        f"{third} dropped, place 1 of 2, equal with {first}.",
    ]
    for key in ("Space", "End", "Escape"):
        page.keyboard.press(key)
    assert announcement(page) == f"{third} put back, place 1 of 2, equal with {first}."
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.get_by_role("button", name="Review and cast").evaluate(
            "button => button === document.activeElement"
        ):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Cast this ballot?")).to_contain_text(f"2. {second}")
    page.keyboard.press("Enter")
    page.wait_for_url("**/receipt")
    assert booth.cast("Keys") == [sorted([first, third]), [second]]


def test_ballot_can_be_filled_in_by_dragging(open_page: OpenPage, booth: Booth) -> None:
    page = open_page()
    errors = collect_errors(page)
    booth.enter(page, booth.election("Drag"))
    drag(page, "Ada", page.locator(".levels-empty"), 0.5)
    assert levels(page) == [["Ada"]]
    drag(page, "Ben", page.locator(".level").first, 0.02)
    drag(page, "Cleo", page.locator(".level").last, 0.5)
    assert levels(page) == [["Ben"], ["Ada", "Cleo"]] or levels(page) == [["Ben"], ["Cleo", "Ada"]]
    drag(page, "Ben", page.locator(".level").last, 0.98)
    assert levels(page)[1] == ["Ben"]
    assert announcement(page) == "Ben, place 2 of 2."
    drag(page, "Cleo", page.locator("[data-rest]"), 0.5, drop=False)
    page.keyboard.press("Escape")
    page.mouse.up()
    assert len(levels(page)[0]) == 2
    drag(page, "Cleo", page.locator("[data-rest]"), 0.5)
    assert levels(page) == [["Ada"], ["Ben"]]
    cast(page)
    assert booth.cast("Drag") == [["Ada"], ["Ben"]]
    assert errors == []


def test_ballot_can_be_filled_in_by_tapping_on_a_phone(open_page: OpenPage, booth: Booth) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    booth.enter(page, booth.election("Tap", MANY))
    for name in (MANY[20], MANY[3], MANY[11]):
        where = item(page, name)
        where.scroll_into_view_if_needed()
        where.tap()
    assert levels(page) == [[MANY[20]], [MANY[3]], [MANY[11]]]
    row = page.locator("[data-who]", has=item(page, MANY[3]))
    row.get_by_role("button", name="More for").tap()
    buttons = row.locator(".row-tools .tool")
    for index in range(buttons.count()):
        box = buttons.nth(index).bounding_box()
        assert box is not None
        assert box["width"] >= 44
        assert box["height"] >= 44
    row.get_by_role("button", name="same place as above").tap()
    row.get_by_role("button", name="Remove").tap()
    assert levels(page) == [[MANY[20]], [MANY[11]]]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    cast(page)
    assert booth.cast("Tap") == [[MANY[20]], [MANY[11]]]


# A message once covered the button that casts the ballot.
def test_message_does_not_cover_the_bar_on_a_phone(open_page: OpenPage, booth: Booth) -> None:
    page = open_page(viewport=PHONE)
    booth.enter(page, booth.election("Message", MANY))
    page.evaluate(
        "document.querySelector('.flashes').innerHTML = '<div class=flash><p>You were signed out, "
        "so nothing was saved. Sign in to go on.</p></div>'"
    )
    message, bar = (page.locator(part).bounding_box() for part in (".flash", ".ballot-bar"))
    assert message is not None
    assert bar is not None
    assert message["y"] + message["height"] <= bar["y"]


# At first, no name was visible without scrolling.
def test_first_names_are_visible_on_a_phone_without_scrolling(
    open_page: OpenPage, booth: Booth
) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    booth.enter(page, booth.election("First names", MANY))
    bar = page.locator(".ballot-bar").bounding_box()
    assert bar is not None
    for index in range(3):
        row = page.locator(".rest-rows .row-name").nth(index).bounding_box()
        assert row is not None
        assert row["y"] + row["height"] <= bar["y"]


# A tapped name leaves the list, and the next one must not move under the finger.
def test_names_stay_in_place_after_a_tap(open_page: OpenPage, booth: Booth) -> None:
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
    booth.enter(page, booth.election("Steady", MANY))
    names = page.locator(".rest-rows .row-name")
    names.nth(12).scroll_into_view_if_needed()
    stays = names.nth(8).locator("span").first.inner_text()
    before = item(page, stays).bounding_box()
    names.nth(10).tap()
    expect(page.locator(".level")).to_have_count(1)
    after = item(page, stays).bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 3


def test_ballot_can_be_cast_without_scripts(open_page: OpenPage, booth: Booth) -> None:
    page = open_page(java_script_enabled=False, viewport=PHONE)
    booth.enter(page, booth.election("Plain"))
    page.get_by_label("Dan").fill("4")
    page.get_by_label("Ben").fill("9")
    page.get_by_label("Eve").fill("9")
    page.get_by_role("button", name="Review and cast").click()
    expect(page.get_by_role("heading", name="Cast this ballot?")).to_be_visible()
    page.get_by_role("button", name="Cast ballot").click()
    page.wait_for_url("**/receipt")
    assert booth.cast("Plain") == [["Dan"], ["Ben", "Eve"]]


def test_draft_is_offered_after_a_reload_and_deleted_when_cast(
    open_page: OpenPage, booth: Booth
) -> None:
    page = open_page()
    at = booth.election("Draft", terms=ElectionSettings(secret_ballot=True))
    booth.enter(page, at)
    item(page, "Dan").click()
    item(page, "Ada").click()
    page.reload()
    expect(page.get_by_text("Your draft from today")).to_be_visible()
    assert levels(page) == []
    page.get_by_role("button", name="Continue").click()
    assert levels(page) == [["Dan"], ["Ada"]]
    cast(page)
    page.wait_for_function("localStorage.length === 0")
    page.goto(at)
    assert levels(page) == [["Dan"], ["Ada"]]
    expect(page.get_by_text("Your draft from")).to_have_count(0)


def test_double_click_casts_one_ballot(open_page: OpenPage, booth: Booth) -> None:
    page = open_page()
    booth.enter(page, booth.election("Twice"))
    item(page, "Eve").click()
    before = booth.world.event_count
    page.get_by_role("button", name="Review and cast").click()
    page.get_by_role("button", name="Cast ballot").dblclick()
    page.wait_for_url("**/receipt")
    page.reload()
    assert booth.world.event_count == before + 1


def test_blank_ballot_needs_confirmation(open_page: OpenPage, booth: Booth) -> None:
    page = open_page()
    booth.enter(page, booth.election("Blank"))
    page.get_by_role("button", name="Review and cast").click()
    dialog = page.get_by_role("dialog", name="Cast a blank ballot?")
    expect(dialog).to_contain_text(BallotLabels().blank_hint)
    dialog.get_by_role("button", name="Go back").click()
    expect(dialog).to_be_hidden()


@pytest.mark.parametrize(("theme", "phone"), [("light", False), ("dark", True)], ids=str)
def test_ballot_and_receipt_are_accessible(
    open_page: OpenPage, booth: Booth, theme: str, phone: bool
) -> None:
    page = open_page(color_scheme=theme, **({"viewport": PHONE} if phone else {}))
    booth.enter(page, booth.election(f"Axe {theme}"))
    for name in ("Ada", "Ben", "Cleo"):
        item(page, name).click()
    if phone:
        page.get_by_role("button", name="More for Ben").click()
    page.locator("[data-who]", has=item(page, "Ben")).locator("[data-tool=same]").click()
    item(page, "Cleo").focus()
    page.keyboard.press("Space")
    assert find_axe_violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Review and cast").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert find_axe_violations(page) == []
    page.get_by_role("button", name="Cast ballot").click()
    page.wait_for_url("**/receipt")
    assert find_axe_violations(page) == []
    page.goto(f"{booth.address}/elections/check")
    assert find_axe_violations(page) == []


def test_ballot_page_fits_its_size_budget(open_page: OpenPage, booth: Booth) -> None:
    page = open_page()
    at = booth.election("Weight", MANY)
    booth.enter(page, "about:blank")
    sizes = measure_load(page, at)
    assert any(address.endswith("islands.js") for address in sizes)
    assert sum(sizes.values()) < BUDGET, sizes
