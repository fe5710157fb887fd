"""The elections pages: one module per topic, with templates in `templates/elections`."""

from __future__ import annotations

from singletable_apps.elections.pages import (
    audit,
    ballot,
    candidates,
    home,
    lifecycle,
    links,
    overview,
    people,
    public_results,
    receipts,
    results,
    sandbox,
    setup,
    voters,
)
from singletable_apps.elections.pages.dependencies import (
    ElectionsState,
    page_context,
)
from singletable_apps.elections.pages.people import PEOPLE

__all__ = ["PEOPLE", "ROUTERS", "ElectionsState", "page_context"]

ROUTERS = tuple(
    module.router
    for module in (
        *(audit, ballot, candidates, home, lifecycle, links, overview, people),
        *(public_results, receipts, results, sandbox, setup, voters),
    )
)
