"""Every page, light and dark, narrow and wide: accessible, complete, and small."""

from __future__ import annotations

from playwright.sync_api import Page

from singletable_apps.polls.entities import PollKind, Protection, ResultsVisibility
from singletable_apps.polls.rules import Ballot, PollDraft
from singletable_apps.polls.service import Voter
from tests.apps.polls.support.harness import changed
from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors, find_page_faults
from tests.browser.polls.server import Served

LONG = changed(
    PollDraft(
        "A question that is rather long, and has " + "averylongwordwithoutanyspaces" * 4,
        [f"{number}. option, with a name that needs {'w' * 60}" for number in range(1, 13)],
        "Words about it.\n\n" + "x" * 400,
    ),
    protection=Protection.CODES,
    results=ResultsVisibility.AFTER_CLOSING,
)
DATES = changed(
    PollDraft("When?", ["2026-11-20T18:00Z", "2026-11-21"]),
    kind=PollKind.DATES,
    names=True,
    comments=True,
)
PICKS = changed(
    PollDraft("What?", ["Soup", "Stew"]), kind=PollKind.SEVERAL, max_picks=1, write_ins=True
)
# What is tapped has 44 pixels each way; but for links within a sentence, and what is small on
# purpose: crumbs, and the choice of a theme. A box to tick is as large as its label.
SMALL = """[...document.querySelectorAll("main button, main a.button, main input, main select")]
    .filter(one => one.checkVisibility() && !one.closest(".sr-only"))
    .map(one => one.closest("label") ?? one)
    .filter(one => one.getBoundingClientRect().height < 44)
    .map(one => `${one.outerHTML.slice(0, 90)} is ${one.getBoundingClientRect().height} high`)"""


def test_pages_are_accessible_small_and_within_the_policy(
    open_page: OpenPage, served: Served
) -> None:
    page = open_page()
    errors = collect_errors(page)
    managed = served.poll(LONG, codes=12)
    code = served.polls.context.secret.voting_code(managed.poll.id, 0)
    served.polls.voting.cast(managed.poll.id, managed.poll.candidates[:3], Voter(code=code))
    closed = served.poll()
    served.polls.voting.cast(closed.poll.id, ["Lake"], Voter(browser="b" * 32))
    served.polls.lifecycle.close(closed.poll.id, closed.admin_key)
    dates, picks = served.poll(DATES), served.poll(PICKS)
    evening, day = dates.poll.candidates
    ballot = Ballot([evening], [day], "Ada")
    served.polls.voting.cast(dates.poll.id, ballot, Voter(browser="b" * 32))
    served.polls.comments.add(dates.poll.id, "Ada", "Nice.")
    for one in (managed, closed, dates):
        page.goto(served.at(one, f"/manage?key={one.admin_key}"))
    pages = [
        f"{served.address}/polls",
        f"{served.address}/polls/new?from={managed.poll.id}",
        *(served.at(managed, at) for at in ("", f"?code={code}", "/manage", "/made")),
        *(served.at(managed, f"/manage/{at}") for at in ("edit", "codes", "codes/sheet")),
        *(served.at(closed, at) for at in ("", "/manage/reopen")),
        *(served.at(dates, at) for at in ("", "/results", "/embed")),
        *(served.at(picks, at) for at in ("", "/results")),
    ]
    wrong = {at: [*_find_faults(page, at), *errors] for at in pages}
    assert {at: faults for at, faults in wrong.items() if faults} == {}
    page.context.clear_cookies()
    for at in (served.at(managed, "/manage"), f"{served.address}/polls/mine"):
        assert _find_faults(page, at) == []


def _find_faults(page: Page, at: str) -> list[str]:
    """Return the faults of a page, and what is too small to tap."""
    faults = find_page_faults(page, at)
    small: list[str] = page.evaluate(SMALL)
    return [*faults, *small]


# The chart once extended over the padding and the border of its card on phones.
def test_hero_chart_stays_within_its_card(served: Served, open_page: OpenPage) -> None:
    page = open_page(viewport=PHONE)
    page.goto(f"{served.address}/polls")
    card = page.locator(".hero-picture").bounding_box()
    chart = page.locator(".hero-picture .figure-scroll").bounding_box()
    assert card is not None
    assert chart is not None
    assert card["x"] < chart["x"]
    assert chart["x"] + chart["width"] < card["x"] + card["width"]
