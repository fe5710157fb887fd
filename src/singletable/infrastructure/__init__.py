"""Create, check and describe a declaration's tables on AWS."""

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
from singletable.infrastructure.names import resolve_table_names
from singletable.infrastructure.tables import DescribedTable, create_table, describe_table
from singletable.infrastructure.terraform import render_terraform

__all__ = [
    "AlarmThresholds",
    "AwsManagedKey",
    "AwsOwnedKey",
    "ChangeKind",
    "CustomerKey",
    "Deployment",
    "DescribedTable",
    "Difference",
    "Encryption",
    "Scaling",
    "TableSettings",
    "compare_table",
    "create_table",
    "describe_table",
    "find_unverifiable",
    "render_cdk",
    "render_cloudformation",
    "render_terraform",
    "resolve_table_names",
]
