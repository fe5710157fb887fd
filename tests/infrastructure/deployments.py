"""Deployments that every kind of text is written for, and what the template says of each."""

from __future__ import annotations

import json
from typing import Any, cast

from singletable import Provisioned, Table
from singletable.infrastructure import (
    AlarmLimits,
    AwsManagedKey,
    CustomerKey,
    Deployment,
    cloudformation,
)

KEY = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
OTHERWISE = Deployment(
    capacity=Provisioned(3, 4),
    scaling=None,
    recovery_days=None,
    deletion_protection=False,
    encryption=CustomerKey(KEY),
    stream="NEW_AND_OLD_IMAGES",
    table_class="STANDARD_INFREQUENT_ACCESS",
    tags={"cost ${centre}": '"7" %{if}', "team": "elections"},
    alarms=AlarmLimits(operations=("Query",)),
)
DEPLOYMENTS = {
    "as_it_is": Deployment(),
    "otherwise": OTHERWISE,
    "without_alarms": Deployment(alarms=None, encryption=AwsManagedKey()),
    "on_demand": Deployment(capacity="on-demand"),
}


def template(tables: list[Table], deployment: Deployment) -> dict[str, Any]:
    """The CloudFormation template, which the others must agree with."""
    return cast("dict[str, Any]", json.loads(cloudformation(tables, deployment)))


def of_type(resources: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The properties of all resources of a type."""
    return [one["Properties"] for one in resources.values() if one["Type"] == kind]
