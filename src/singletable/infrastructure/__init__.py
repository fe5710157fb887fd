"""Cloud infrastructure written from a declaration."""

from singletable.infrastructure.cdk import cdk
from singletable.infrastructure.cloudformation import cloudformation
from singletable.infrastructure.create import create
from singletable.infrastructure.deployment import (
    AlarmLimits,
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Deployment,
    Encryption,
    Scaling,
)
from singletable.infrastructure.described import Described, describe
from singletable.infrastructure.difference import Change, Difference
from singletable.infrastructure.differences import differences
from singletable.infrastructure.real_names import real_names
from singletable.infrastructure.setting_differences import untold
from singletable.infrastructure.settings import TableSettings, settings_of
from singletable.infrastructure.terraform import terraform

__all__ = [
    "AlarmLimits",
    "AwsManagedKey",
    "AwsOwnedKey",
    "Change",
    "CustomerKey",
    "Deployment",
    "Described",
    "Difference",
    "Encryption",
    "Scaling",
    "TableSettings",
    "cdk",
    "cloudformation",
    "create",
    "describe",
    "differences",
    "real_names",
    "settings_of",
    "terraform",
    "untold",
]
