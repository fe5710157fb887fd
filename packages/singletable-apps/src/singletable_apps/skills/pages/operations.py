"""Operations: the cost for administrators, and consumption beside the plan for developers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from fastapi import APIRouter, Response

from singletable import CallStats, PatternStats
from singletable.prices import region_prices
from singletable_apps.skills.entities import User
from singletable_apps.skills.pages.dependencies import AdminPage
from singletable_apps.skills.patterns import patterns
from singletable_design.planning import create_plan, loads_of, monthly_cost

router = APIRouter()


@dataclass(frozen=True)
class LivePattern:
    """What one access pattern consumed since the process started.

    `planned_units` are the expected units of a call; None for calls that no pattern declares.
    """

    code: str
    title: str
    planned_units: float | None
    stats: PatternStats

    @property
    def units_per_call(self) -> float:
        """Return the read and write units of a call, on average."""
        return (self.stats.read_units + self.stats.write_units) / max(1, self.stats.calls)


_Plan: TypeAlias = tuple[str, str, float | None]
# Sessions, password resets and e-mails are in a table of their own.
_UNPLANNED: _Plan = ("Other", "Sessions and e-mails", None)


@cache
def _planned() -> dict[str, _Plan]:
    """Return the code, title and units a call of each pattern, which the declarations imply."""
    return {
        each.pattern.id: (
            each.pattern.code,
            each.pattern.description,
            each.estimate.typical_read + each.estimate.typical_write,
        )
        for each in create_plan([patterns]).patterns
    }


def live_patterns(stats: CallStats) -> list[LivePattern]:
    """Return what each pattern consumed, most units first."""
    found = [
        LivePattern(*_planned().get(each.pattern, _UNPLANNED), each) for each in stats.snapshot()
    ]
    return sorted(found, key=lambda one: -one.stats.read_units - one.stats.write_units)


def monthly_costs(people: int) -> tuple[int, float, float]:
    """Return for how many people the plan is, what they cost a month, and what `people` cost."""
    planned = patterns.counts[User].items
    assert planned
    as_planned, now = (
        monthly_cost(loads_of(create_plan([patterns], factor=factor)), region_prices()).cost
        for factor in (1, max(people, 1) / planned)
    )
    return int(planned), as_planned, now


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


@router.get("/operations/details")
def show_details(page: AdminPage) -> Response:
    """Show the consumption by access pattern beside the plan, for developers."""
    live = live_patterns(page.service.stats)
    return page.render("operations_details", live=live, opened_at=page.service.opened_at)
