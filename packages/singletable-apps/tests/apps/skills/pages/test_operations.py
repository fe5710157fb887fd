"""The operations page: cost and live consumption."""

from __future__ import annotations

import re

from singletable_apps.skills.pages.operations import live_patterns
from tests.apps.skills.pages.client import PagesApp
from tests.apps.support.browser import Browser


def test_administrators_see_plan_and_live_consumption(
    app: PagesApp, ada: Browser, bob: Browser
) -> None:
    bob.get("projects")
    summary = ada.get("operations").text
    lead = re.search(r"Planned for a load of 10,000 people; you have 4: \$0\.\d\d a month", summary)
    assert lead is not None
    assert lead.start() < summary.index("Requests to the table")
    assert not re.search("GSI|cores", summary)
    page = ada.get("operations", "details")
    assert "500 sign-ins a second need 16 cores" in page.text
    live = page.text.partition('id="live"')[2].partition("</section>")[0]
    assert re.search(r">P18<", live)


def test_live_consumption_is_that_of_the_calls(app: PagesApp, bob: Browser) -> None:
    stats = app.world.service.stats
    before = {each.code: each.stats for each in live_patterns(stats)}
    app.world.service.user_skills.list("bob")
    after = {each.code: each for each in live_patterns(stats)}
    assert after["AP6"].stats.calls == (before["AP6"].calls if "AP6" in before else 0) + 1
    assert after["AP6"].stats.read_units >= 0.5
    assert after["AP6"].planned_units == 0.5
