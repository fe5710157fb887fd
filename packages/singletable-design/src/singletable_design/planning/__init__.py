"""Plan a design before it is built: load, cost, hot keys, throttling and advice."""

from singletable_design.planning.advice import Advice, advise
from singletable_design.planning.bill_lines import BillingMode, CostKind, CostLine
from singletable_design.planning.comparison import Comparison, compare_reports
from singletable_design.planning.cost import (
    BreakEven,
    MonthlyCost,
    break_even,
    compare_costs,
    monthly_cost,
)
from singletable_design.planning.hot_keys import HotKey, hot_keys
from singletable_design.planning.plan import (
    Demand,
    PatternPlan,
    PatternShare,
    Plan,
    ResourcePlan,
    create_plan,
)
from singletable_design.planning.plan_report import (
    PlanReport,
    create_report,
    parse_report,
    read_report,
)
from singletable_design.planning.plan_sections import show_comparison, show_plan
from singletable_design.planning.report import Report, report_page
from singletable_design.planning.resource_load import CostOptions, ResourceLoad, loads_of
from singletable_design.planning.workload import (
    Domain,
    KeySpace,
    PatternLoad,
    PlacedUnits,
    StoredSize,
    Workload,
    workload_of,
)

__all__ = [
    "Advice", "BillingMode", "BreakEven", "Comparison", "CostKind", "CostLine", "CostOptions",
    "Demand", "Domain", "HotKey", "KeySpace", "MonthlyCost", "PatternLoad", "PatternPlan",
    "PatternShare", "PlacedUnits", "Plan", "PlanReport", "Report", "ResourceLoad", "ResourcePlan",
    "StoredSize", "Workload", "advise", "break_even", "compare_costs", "compare_reports",
    "create_plan", "create_report", "hot_keys", "loads_of", "monthly_cost", "parse_report",
    "read_report", "report_page", "show_comparison", "show_plan", "workload_of",
]  # fmt: skip
