"""Describe a declaration's tables for AWS: CloudFormation, Terraform, alarms and IAM policies."""

from singletable_design.infrastructure.alarms import Alarm, account_alarms, table_alarms
from singletable_design.infrastructure.cloudformation import render_cloudformation
from singletable_design.infrastructure.deployment import AlarmThresholds, Deployment, Scaling
from singletable_design.infrastructure.planned_load import PlannedLoad, PlannedUse, planned_load
from singletable_design.infrastructure.terraform import render_terraform

__all__ = [
    "Alarm", "AlarmThresholds", "Deployment", "PlannedLoad", "PlannedUse", "Scaling",
    "account_alarms", "planned_load", "render_cloudformation", "render_terraform", "table_alarms",
]  # fmt: skip
