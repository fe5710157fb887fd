"""Operations: plan, cost, hot skills, alarms and live consumption, for administrators."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.skills.operations import compute_operations, live_patterns
from singletable_apps.skills.pages.dependencies import AdminPage

router = APIRouter()


# A plain function, so that it runs in a thread and others are served while it computes.
@router.get("/operations")
def show_operations(page: AdminPage) -> Response:
    """Show what the directory needs and consumes."""
    figures = compute_operations()
    live = live_patterns(page.service.stats, figures.report)
    return page.render(
        "operations",
        live=live,
        opened_at=page.service.opened_at,
        report=figures.report,
        simulation=figures.simulation,
        throttling=figures.throttling,
        alarms=figures.alarms,
        hashing=figures.hashing,
        costs=sorted(figures.report.patterns, key=lambda one: -one.cost),
    )
