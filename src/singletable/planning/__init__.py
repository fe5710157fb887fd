"""Plan a design before it is built: units, cost, hot partitions and alarms."""

from singletable.planning.hot_keys import HotKey, hot_keys
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
    "HotKey",
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
    "hot_keys",
    "workload_of",
]
