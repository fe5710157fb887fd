"""Deployments that every output format is tested with."""

from __future__ import annotations

import json
from typing import Any, cast

from singletable import Provisioned, Table
from singletable.tables import AwsManagedKey, CustomerKey
from singletable_design.infrastructure import AlarmThresholds, Deployment, render_cloudformation
from singletable_design.infrastructure.planned_load import PlannedLoad, PlannedUse

KEY = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
CUSTOMIZED = Deployment(
    capacity=Provisioned(3, 4),
    scaling=None,
    recovery_days=None,
    deletion_protection=False,
    encryption=CustomerKey(KEY),
    stream="NEW_AND_OLD_IMAGES",
    table_class="STANDARD_INFREQUENT_ACCESS",
    tags={"cost ${center}": '"7" %{if}', "team": "elections"},
    alarms=AlarmThresholds(operations=("Query",)),
)
PLANNED = PlannedLoad(
    {
        ("vote_data", None): PlannedUse(60, 120, 120, 80),
        ("vote_data", "GSI-1"): PlannedUse(0, 40, 0, 40),
        ("digests", None): PlannedUse(5_000, 0.5, 10_000, 0.5),
    },
    {"vote_data": ("GetItem", "Query", "TransactWriteItems"), "digests": ("GetItem",)},
)
DEPLOYMENTS = {
    "defaults": Deployment(),
    "customized": CUSTOMIZED,
    "without_alarms": Deployment(alarms=None, encryption=AwsManagedKey()),
    "planned": Deployment(planned=PLANNED, max_throughput=4),
}


def template(tables: list[Table], deployment: Deployment) -> dict[str, Any]:
    """Return the CloudFormation template, which the other formats must agree with."""
    return cast("dict[str, Any]", json.loads(render_cloudformation(tables, deployment)))


def of_type(resources: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Return the properties of all resources of a type."""
    return [resource["Properties"] for resource in resources.values() if resource["Type"] == kind]
