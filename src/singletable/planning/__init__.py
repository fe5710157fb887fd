"""Plan a design before it is built: units, cost, hot partitions and alarms."""

from singletable.planning.plan import (
    Demand,
    PatternPlan,
    PatternShare,
    Plan,
    ResourcePlan,
    create_plan,
)
from singletable.planning.workload import (
    Domain,
    KeySpace,
    PatternLoad,
    PlacedUnits,
    StoredSize,
    Workload,
    workload_of,
)

__all__ = [
    "Demand",
    "Domain",
    "KeySpace",
    "PatternLoad",
    "PatternPlan",
    "PatternShare",
    "PlacedUnits",
    "Plan",
    "ResourcePlan",
    "StoredSize",
    "Workload",
    "create_plan",
    "workload_of",
]
