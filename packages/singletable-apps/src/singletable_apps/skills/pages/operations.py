"""Operations: the cost for administrators; plan, hot skills, alarms and consumption in detail."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.skills.operations import compute_operations, live_patterns, monthly_costs
from singletable_apps.skills.pages.dependencies import AdminPage

router = APIRouter()


@router.get("/operations")
def show_operations(page: AdminPage) -> Response:
    """Show what the directory costs, in words for administrators."""
    people = page.service.people.count()
    planned, planned_cost, cost = monthly_costs(people)
    stats = page.service.stats.snapshot()
    return page.render(
        "operations",
        people=people,
        planned=planned,
        planned_cost=planned_cost,
        cost=cost,
        opened_at=page.service.opened_at,
        requests=sum(each.requests for each in stats),
        slowest=max((each.p99 for each in stats), default=0.0),
    )


# A plain function, so that it runs in a thread and others are served while it computes.
@router.get("/operations/details")
def show_details(page: AdminPage) -> Response:
    """Show the plan and the consumption by access pattern, for developers."""
    figures = compute_operations()
    live = live_patterns(page.service.stats, figures.report)
    return page.render(
        "operations_details",
        live=live,
        opened_at=page.service.opened_at,
        **vars(figures),
        costs=sorted(figures.report.patterns, key=lambda one: -one.cost),
    )
