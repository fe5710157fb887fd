"""Results update live in one browser while another votes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from singletable import connect
from singletable_apps.polls.app import APP
from singletable_apps.polls.entities import Protection
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Polls, Voter, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.web import Settings
from tests.apps.polls.support.harness import changed
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.live_server import serve_app
from tests.browser.page_checks import collect_errors, find_axe_violations, measure_load

BUDGET = 150_000
Served = tuple[Polls, ManagedPoll, str]


@pytest.fixture
def served() -> Iterator[Served]:
    polls = open_polls(connect("memory:"), Secret(b"of tests" * 4))
    draft = changed(PollDraft("Lunch?", ("Soup", "Stew", "Salad")), protection=Protection.OPEN)
    managed = polls.lifecycle.create(draft)
    polls.voting.cast(managed.poll.id, ["Soup"], Voter())
    app = APP.make_app(polls, Settings(secure_cookies=False), limited=False)
    with serve_app(app) as address:
        yield polls, managed, f"{address}/polls/p/{managed.poll.id}/results"


def test_results_update_live_and_become_final(open_page: OpenPage, served: Served) -> None:
    polls, managed, address = served
    page = open_page(viewport=PHONE)
    errors = collect_errors(page)
    assert sum(measure_load(page, address).values()) < BUDGET
    outcome = page.get_by_role("status").filter(has_text="So far")
    expect(outcome).to_have_text("So far: Soup leads")
    page.get_by_text("What each method looks at").click()

    for ranking in (["Stew", "Soup"], ["Stew"], ["Salad", "Stew"]):
        polls.voting.cast(managed.poll.id, ranking, Voter())
    expect(page.get_by_role("heading", name="Stew leads")).to_be_visible()
    expect(outcome).to_have_text("So far: Stew leads")
    expect(page.get_by_role("group").filter(has_text="first choices only")).to_be_visible()
    expect(page.locator("#round-1")).to_contain_text("Stew")
    assert find_axe_violations(page) == []

    # A page that comes back to the front asks again, and is not sent what it shows already.
    with page.expect_response(lambda one: "/now" in one.url) as again:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert again.value.status == 304

    polls.lifecycle.close(managed.poll.id, managed.admin_key)
    expect(page.get_by_role("heading", name="Stew wins")).to_be_visible()
    expect(page.get_by_role("link", name="Refresh")).to_have_count(0)
    assert errors == []


def test_results_without_scripts_are_complete_and_refreshable(
    open_page: OpenPage, served: Served
) -> None:
    polls, managed, address = served
    page = open_page(java_script_enabled=False, color_scheme="dark")
    page.goto(address)
    for _ in range(2):
        polls.voting.cast(managed.poll.id, ["Salad"], Voter())
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("heading", name="Salad leads")).to_be_visible()
    page.get_by_text("What each method looks at").click()
    expect(page.get_by_text("points for every place")).to_be_visible()
