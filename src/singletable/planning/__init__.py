"""Plan a design before it is built: units, cost, hot partitions and alarms."""

from singletable.planning.bill_lines import (
    BillingMode,
    CostKind,
    CostLine,
)
from singletable.planning.cost import (
    BreakEven,
    MonthlyCost,
    break_even,
    cheapest,
    compare_costs,
    monthly_cost,
)
from singletable.planning.hot_keys import (
    HotKey,
    hot_keys,
)
from singletable.planning.plan import (
    Demand,
    PatternPlan,
    PatternShare,
    Plan,
    ResourcePlan,
    create_plan,
)
from singletable.planning.prices import (
    Price,
    PriceList,
    PriceName,
    PriceSource,
    RegionPrices,
    load_prices,
    region_prices,
)
from singletable.planning.resource_load import (
    CostOptions,
    ResourceLoad,
    loads_of,
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
    "BillingMode",
    "BreakEven",
    "CostKind",
    "CostLine",
    "CostOptions",
    "Demand",
    "Domain",
    "HotKey",
    "KeySpace",
    "MonthlyCost",
    "PatternLoad",
    "PatternPlan",
    "PatternShare",
    "PlacedUnits",
    "Plan",
    "Price",
    "PriceList",
    "PriceName",
    "PriceSource",
    "RegionPrices",
    "ResourceLoad",
    "ResourcePlan",
    "StoredSize",
    "Workload",
    "break_even",
    "cheapest",
    "compare_costs",
    "create_plan",
    "hot_keys",
    "load_prices",
    "loads_of",
    "monthly_cost",
    "region_prices",
    "workload_of",
]
