"""What the directory needs to run: its plan, hot skills, alarms, and what this process consumes.

The plan follows from the declared access patterns alone, so it is computed once in a process.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from singletable import CallStats, PatternStats
from singletable.prices import region_prices
from singletable_apps.shared.accounts import Passwords
from singletable_apps.skills.entities import User, entities
from singletable_apps.skills.patterns import patterns, user_by_name
from singletable_design.infrastructure import (
    Alarm,
    Deployment,
    account_alarms,
    planned_load,
    table_alarms,
)
from singletable_design.planning import (
    PlanReport,
    create_plan,
    create_report,
    loads_of,
    monthly_cost,
    workload_of,
)
from singletable_design.planning.simulation import (
    SimulationResult,
    SimulationSettings,
    ThrottlePoint,
    find_throttle_point,
    simulate,
)

# A minute of the declared load is about 100,000 calls, simulated in a fraction of a second.
_MINUTES = 1
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Hashing:
    """The cost of checking passwords, which no capacity unit of the table includes."""

    logins_per_second: float
    seconds_per_login: float

    @property
    def cores(self) -> float:
        """Return how many cores do nothing else."""
        return self.logins_per_second * self.seconds_per_login


@dataclass(frozen=True)
class Operations:
    """The plan, a simulation of it, and the alarms that follow."""

    report: PlanReport
    simulation: SimulationResult
    throttling: ThrottlePoint
    alarms: Sequence[Alarm]
    hashing: Hashing


@dataclass(frozen=True)
class LivePattern:
    """What one access pattern consumed since the process started, beside its plan.

    `planned_units` are the expected units of a call; None for calls that no pattern declares.
    """

    code: str
    title: str
    stats: PatternStats
    planned_units: float | None

    @property
    def units_per_call(self) -> float:
        """Return the read and write units of a call, on average."""
        return (self.stats.read_units + self.stats.write_units) / max(1, self.stats.calls)


def compute_operations() -> Operations:
    """Return the figures of the plan. The first call takes about two seconds of CPU."""
    with _LOCK:
        return _compute()


@cache
def _compute() -> Operations:
    plan, workload = create_plan([patterns]), workload_of([patterns])
    deployment = Deployment(planned=planned_load(plan))
    rate = user_by_name.expected.rate
    assert rate is not None
    return Operations(
        create_report([patterns]),
        simulate(workload, SimulationSettings(minutes=_MINUTES)),
        find_throttle_point(workload),
        [*table_alarms(entities, deployment), *account_alarms([entities], deployment)],
        Hashing(rate.per_second, _measure_hashing()),
    )


def _measure_hashing() -> float:
    """Return the seconds of CPU that a password costs on this machine, the fastest of three."""
    passwords, seconds = Passwords(), list[float]()
    for _ in range(3):
        start = time.thread_time()
        passwords.hash("lantern copper river")
        seconds.append(time.thread_time() - start)
    return min(seconds)


def monthly_costs(people: int) -> tuple[int, float, float]:
    """Return for how many people the plan is, what they cost a month, and what `people` cost."""
    planned = patterns.counts[User].items
    assert planned
    as_planned, now = (
        monthly_cost(loads_of(create_plan([patterns], factor=factor)), region_prices()).cost
        for factor in (1, max(people, 1) / planned)
    )
    return int(planned), as_planned, now


def live_patterns(stats: CallStats, report: PlanReport) -> list[LivePattern]:
    """Return what each pattern consumed, most units first."""
    planned = {each.id: each for each in report.patterns}
    found: list[LivePattern] = []
    for each in stats.snapshot():
        plan = planned.get(each.pattern)
        if plan is None:
            # Sessions, password resets and e-mails are in a table of their own.
            found.append(LivePattern("Other", "Sessions and e-mails", each, None))
        else:
            units = plan.read_per_call + plan.write_per_call
            found.append(LivePattern(plan.code, plan.title, each, units))
    return sorted(found, key=lambda one: -one.stats.read_units - one.stats.write_units)
