"""Plan a design before it is built: units, cost, hot partitions and alarms."""

from singletable.planning.workload import (
    Domain,
    KeySpace,
    PatternLoad,
    PlacedUnits,
    Workload,
)

__all__ = ["Domain", "KeySpace", "PatternLoad", "PlacedUnits", "Workload"]
