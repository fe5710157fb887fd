"""Errors in every form are shown beside their field, and nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from singletable_apps.polls.entities import Poll, PollSettings, Protection, Vote
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll
from tests.browser.conftest import OpenPage
from tests.browser.polls.server import Served

# Skip the browser's own validation, so that the server validates.
SEND = "form => { form.noValidate = true; form.requestSubmit() }"
ERROR_POSITIONS = """faults => faults.map(error => {
    const about = document.querySelector(`[aria-describedby~="${error.id}"][aria-invalid=true]`);
    const below = error.getBoundingClientRect(), field = about.getBoundingClientRect();
    return [about.id, below.height > 0 && below.top - field.bottom];
})"""
AT, PAST = "[name=closing][value=at]", "2020-01-01T10:00"
TWO = {"#f-candidates-0": "Lake", "#f-candidates-1": "Castle"}
GOOD = {"#f-title": "Where to?", **TWO}
CODE = {"#rank-1": "1", "#f-code": "000A-7K3M-QX9T"}


@dataclass(frozen=True)
class Wrong:
    """What is typed on which page, and the fields that are wrong; `at` is a closing time."""

    page: str
    typed: Mapping[str, str]
    faults: tuple[str, ...]
    at: str | None = None


WRONG = (
    Wrong("new", {**GOOD, "#f-title": "  "}, ("f-title",)),
    Wrong("new", {**GOOD, "#f-description": "x" * 2001}, ("f-description",)),
    Wrong("new", {"#f-title": "Where to?", "#f-candidates-0": "Lake"}, ("f-candidates",)),
    Wrong("new", {**GOOD, "#f-candidates-1": "LAKE"}, ("f-candidates-1",)),
    Wrong("new", GOOD, ("f-expires_at",), at=""),
    Wrong("new", {**TWO, "#f-title": ""}, ("f-title", "f-expires_at"), at=PAST),
    Wrong("open/manage/edit", {"#f-title": ""}, ("f-title",)),
    Wrong("open/manage/edit", {}, ("f-expires_at",), at=PAST),
    Wrong("open", {}, ()),
    Wrong("open", {"#rank-1": "-1", "#rank-2": "2"}, ("rank-1",)),
    Wrong("open", {"#rank-1": "2", "#rank-2": "2", "#rank-3": "1"}, ("rank-1", "rank-2")),
    Wrong("codes", {"#rank-1": "1"}, ("f-code",)),
    Wrong("codes", CODE, ("f-code",)),
    Wrong("codes/manage/codes", {"#f-count": "10001"}, ("f-count",)),
    Wrong("closed/manage/reopen", {}, ("f-expires_at",), at=PAST),
)


@pytest.fixture(scope="module")
def polls(served: Served) -> dict[str, ManagedPoll]:
    """Create an open poll, one with codes, and a closed one."""
    asks_codes = PollDraft(
        "Room?", ("Aurora", "Kepler"), settings=PollSettings(protection=Protection.CODES)
    )
    closed = served.poll()
    served.polls.lifecycle.close(closed.poll.id, closed.admin_key)
    named = {"open": served.poll(), "codes": served.poll(asks_codes, codes=1)}
    return {**named, "closed": closed}


# Without scripts, so that the page is what the server sent.
def test_poll_errors_are_shown_beside_their_fields(
    open_page: OpenPage, served: Served, polls: dict[str, ManagedPoll]
) -> None:
    page = open_page(java_script_enabled=False)
    for name in ("open", "codes", "closed"):
        page.goto(served.at(polls[name], f"/manage?key={polls[name].admin_key}"))
    before = _kept(served)
    for wrong in WRONG:
        name, _, rest = wrong.page.partition("/")
        new = f"{served.address}/polls/new"
        page.goto(served.at(polls[name], f"/{rest}" if rest else "") if name in polls else new)
        _fill(page, wrong)
        with page.expect_navigation() as answer:
            page.locator("main form").first.evaluate(SEND)
        assert answer.value.status == 422, wrong
        expect(page.locator("main [role=alert]").first, str(wrong)).to_be_visible()
        errors = page.locator("main .field-error").evaluate_all(ERROR_POSITIONS)
        assert sorted(field for field, _ in errors) == sorted(wrong.faults), wrong
        # Right below the field, or within it; a box of a ballot has its name between.
        assert all(gap is not False and gap < 32 for _, gap in errors), (wrong, errors)
        for field, text in wrong.typed.items():
            expect(page.locator(field), str(wrong)).to_have_value(text)
    assert _kept(served) == before


def _fill(page: Page, wrong: Wrong) -> None:
    if wrong.at is not None:
        page.check(AT)
        page.fill("#f-expires_at", wrong.at)
    for field, text in wrong.typed.items():
        page.locator(field).evaluate("field => field.removeAttribute('maxlength')")
        page.fill(field, text)


def _kept(served: Served) -> tuple[set[str], set[str]]:
    """Every poll and every vote there is, as they are."""
    admin = served.polls.context.store.admin
    return {repr(one) for one in admin.scan(Poll)}, {repr(one) for one in admin.scan(Vote)}
