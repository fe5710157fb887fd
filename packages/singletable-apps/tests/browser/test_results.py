"""The results page in a browser: live updates, no scripts, accessibility, and its size."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from singletable_apps.elections.pages.results_view import MAX_MATRIX
from tests.apps.support.elections.world import ballot
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load
from tests.browser.site import Site

WIDE = {"width": 1440, "height": 900}
LUNCH = "Team lunch"
BUDGET = 150_000


def test_results_update_live_and_keep_opened_details(open_page: OpenPage, served: Site) -> None:
    page = open_page()
    errors = collect_errors(page)
    answers: list[int] = []
    page.on("response", lambda one: answers.append(one.status) if "/now" in one.url else None)
    served.sign_in(page, "Hedy")
    page.goto(served.at(LUNCH, "tally"))
    page.get_by_text("How it was counted").click()
    page.get_by_text("Counting rules").click()
    elections, sample = served.sample.elections, served.sample
    outcome = page.get_by_role("status").filter(has_text="So far")
    expect(outcome).to_have_text("So far: Pancakes leads")

    for voter in ("Ada", "Alan", "Barbara"):
        elections.voting.cast(sample.user(voter), LUNCH, ballot("Soup"), "once")
    _return_to_tab(page)
    expect(page.get_by_role("heading", name="Soup leads")).to_be_visible()
    expect(outcome).to_have_text("So far: Soup leads")
    expect(page.locator("#rules")).to_have_attribute("open", "")

    # The page knows the ETag of the new count, so the same count is not sent again.
    assert 200 in answers
    answers.clear()
    with page.expect_response(lambda one: "/now" in one.url) as again:
        _return_to_tab(page)
    assert again.value.status == 304
    assert set(answers) == {304}

    elections.lifecycle.close(sample.user("Claude"), LUNCH)
    _return_to_tab(page)
    expect(page.get_by_role("heading", name="Soup wins")).to_be_visible()
    expect(page.locator("[data-live]")).to_have_count(0)
    # Browsers log every response without content as an error, 304 included.
    assert [text for text in errors if "304" not in text] == []


# Timers of a second and more never fire, so the page cannot poll.
NO_POLLING = """
const start = window.setTimeout.bind(window);
window.setTimeout = (run, delay, ...rest) => (delay >= 1000 ? 0 : start(run, delay, ...rest));
"""


def test_count_follows_the_event_stream_without_polling(open_page: OpenPage, served: Site) -> None:
    page = open_page()
    page.add_init_script(NO_POLLING)
    served.sign_in(page, "Hedy")
    with page.expect_response(lambda response: "/events" in response.url) as stream:
        page.goto(served.at(LUNCH, "tally"))
    assert stream.value.headers["content-type"].startswith("text/event-stream")
    for voter in ("Ada", "Alan", "Barbara"):
        user = served.sample.user(voter)
        served.sample.elections.voting.cast(user, LUNCH, ballot("Soup"), "once")
    expect(page.get_by_role("heading", name="Soup leads")).to_be_visible()
    served.sample.elections.lifecycle.close(served.sample.user("Claude"), LUNCH)
    expect(page.get_by_role("heading", name="Soup wins")).to_be_visible()


def test_count_is_polled_when_the_event_stream_fails(open_page: OpenPage, served: Site) -> None:
    page = open_page()
    page.route("**/tally/events*", lambda route: route.fulfill(status=503))
    served.sign_in(page, "Hedy")
    page.goto(served.at(LUNCH, "tally"))
    for voter in ("Ada", "Alan", "Barbara"):
        user = served.sample.user(voter)
        served.sample.elections.voting.cast(user, LUNCH, ballot("Soup"), "once")
    expect(page.get_by_role("heading", name="Soup leads")).to_be_visible()


def _return_to_tab(page: Page) -> None:
    """Return to the tab, which refreshes the page at once."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_results_without_scripts_are_complete_and_refresh_by_a_link(
    open_page: OpenPage, served: Site
) -> None:
    page = open_page(java_script_enabled=False)
    served.sign_in(page, "Hedy")
    page.goto(served.at(LUNCH, "tally"))
    served.sample.elections.voting.withdraw(served.sample.user("Leslie"), LUNCH)
    page.get_by_role("link", name="Refresh").click()
    expect(page.locator(".verdict-votes")).to_contain_text("4 ballots")
    page.get_by_text("How it was counted").click()
    expect(page.get_by_role("img", name="Who beats whom")).to_be_visible()


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=str)
def test_first_screen_has_winner_places_turnout_and_share(
    open_page: OpenPage, served: Site, viewport: dict[str, int]
) -> None:
    page = open_page(viewport=viewport)
    served.sign_in(page, "Hedy")
    page.goto(served.at("Name of the boat", "tally"))
    for part in ("#verdict", ".verdict-votes", ".chart-row:nth-child(2)", "button[data-share]"):
        box = page.locator(part).bounding_box()
        assert box is not None, part
        assert box["y"] + box["height"] <= viewport["height"], part


def test_share_copies_the_link_where_the_device_has_no_share_sheet(
    open_page: OpenPage, served: Site
) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.add_init_script("delete Navigator.prototype.share")
    served.sign_in(page, "Hedy")
    page.goto(served.at("Summer trip", "tally"))
    share = page.locator("button[data-share]")
    share.click()
    expect(share).to_have_text("Link copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == share.get_attribute("data-share")


PAGES = [
    ("Summer trip", "tally"),
    ("Name of the boat", "tally"),
    (LUNCH, "tally"),
    (LUNCH, "tally/ballots"),
    ("Treasurer", "tally"),
    ("Board 2026", "voted"),
    ("Board 2026", "published"),
]


@pytest.mark.parametrize(("theme", "viewport"), [("dark", PHONE)], ids=str)
def test_results_are_accessible(
    open_page: OpenPage, served: Site, theme: str, viewport: dict[str, int]
) -> None:
    page = open_page(color_scheme=theme, viewport=viewport)
    served.sign_in(page, "Hedy")
    for election, part in PAGES:
        page.goto(served.at(election, part))
        page.evaluate(
            "for (const one of document.querySelectorAll('main details')) one.open = true"
        )
        assert find_axe_violations(page) == [], (election, part)
        assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


# A matrix that is wider than the page fades at its edge, so that people see that it scrolls.
def test_wide_matrix_scrolls_beside_its_names_and_hints_at_it(
    open_page: OpenPage, served: Site
) -> None:
    names = [f"Restaurant number {number}" for number in range(1, 15)]
    owner = served.sample.user("Claude")
    served.sample.elections.lifecycle.set_candidates(owner, LUNCH, names)
    page = open_page(viewport=PHONE)
    served.sign_in(page, "Hedy")
    page.goto(served.at(LUNCH, "tally"))
    page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")
    matrix = page.locator(".table-scroll:has(> .heat)")
    assert matrix.locator("thead th").count() >= MAX_MATRIX
    row = matrix.locator("tbody th").first
    before = row.bounding_box()
    assert matrix.evaluate(
        "one => { one.scrollLeft = 10_000; return one.scrollLeft > 0"
        " && getComputedStyle(one, '::after').backgroundImage.includes('gradient') }"
    )
    after = row.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["x"] - before["x"]) <= 4, "only the spacing between cells may scroll away"


def test_results_page_fits_its_size_budget(open_page: OpenPage, served: Site) -> None:
    page = open_page()
    # The event stream stays open, and the network would never be idle.
    page.route("**/tally/events*", lambda route: route.abort())
    served.sign_in(page, "Hedy")
    sizes = measure_load(page, served.at(LUNCH, "tally"))
    assert any(address.endswith("htmx.min.js") for address in sizes)
    assert sum(sizes.values()) < BUDGET, sizes
