"""Create, check and describe a declaration's tables on AWS."""

from singletable_design.infrastructure.alarms import Alarm, account_alarms, table_alarms
from singletable_design.infrastructure.budget import planned_cost
from singletable_design.infrastructure.cdk import render_cdk
from singletable_design.infrastructure.cloudformation import render_cloudformation
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment, Scaling
from singletable_design.infrastructure.grafana import render_grafana
from singletable_design.infrastructure.planned_load import (
    PlannedKey,
    PlannedLoad,
    PlannedPattern,
    PlannedUse,
    planned_load,
)
from singletable_design.infrastructure.prometheus import render_prometheus
from singletable_design.infrastructure.terraform import render_terraform

__all__ = [
    "Alarm", "AlarmThresholds", "Deployment", "PlannedKey", "PlannedLoad", "PlannedPattern",
    "PlannedUse", "Scaling", "account_alarms", "planned_cost", "planned_load", "render_cdk",
    "render_cloudformation", "render_grafana", "render_prometheus", "render_terraform",
    "table_alarms",
]  # fmt: skip
