"""Create, check and describe a declaration's tables on AWS."""

from singletable.infrastructure.alarms import Alarm, account_alarms, table_alarms
from singletable.infrastructure.budget import planned_cost
from singletable.infrastructure.cdk import render_cdk
from singletable.infrastructure.cloudformation import render_cloudformation
from singletable.infrastructure.deployment import (
    AlarmThresholds,
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Deployment,
    Encryption,
    Scaling,
    TableSettings,
)
from singletable.infrastructure.differences import (
    ChangeKind,
    Difference,
    compare_table,
    find_unverifiable,
)
from singletable.infrastructure.grafana import render_grafana
from singletable.infrastructure.names import resolve_table_names
from singletable.infrastructure.planned_load import (
    PlannedKey,
    PlannedLoad,
    PlannedPattern,
    PlannedUse,
    planned_load,
)
from singletable.infrastructure.prometheus import render_prometheus
from singletable.infrastructure.tables import DescribedTable, create_table, describe_table
from singletable.infrastructure.terraform import render_terraform

__all__ = [
    "Alarm", "AlarmThresholds", "AwsManagedKey", "AwsOwnedKey", "ChangeKind", "CustomerKey",
    "Deployment", "DescribedTable", "Difference", "Encryption", "PlannedKey", "PlannedLoad",
    "PlannedPattern", "PlannedUse", "Scaling", "TableSettings", "account_alarms", "compare_table",
    "create_table", "describe_table", "find_unverifiable", "planned_cost", "planned_load",
    "render_cdk", "render_cloudformation", "render_grafana", "render_prometheus",
    "render_terraform", "resolve_table_names", "table_alarms",
]  # fmt: skip
