"""Capacity that follows its load, as resources of Terraform's provider for AWS."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.infrastructure.plan import ScaledCapacity
from singletable.infrastructure.terraform.hcl import Block, Raw
from singletable.infrastructure.terraform.table import KIND

_TARGET = "aws_appautoscaling_target"


def scaling_blocks(name: str, table: str, scaled: ScaledCapacity) -> Iterator[Block]:
    """What may change the capacity of a table, or of an index of it, and when it does."""
    index = "" if scaled.index is None else f"/index/{scaled.index}"
    kind = "table" if scaled.index is None else "index"
    target = f"{_TARGET}.{name}"
    yield Block(
        "resource",
        (_TARGET, name),
        {
            "service_namespace": "dynamodb",
            "resource_id": Raw(f'"table/${{{KIND}.{table}.name}}{index}"'),
            "scalable_dimension": f"dynamodb:{kind}:{scaled.direction}CapacityUnits",
            "min_capacity": scaled.least,
            "max_capacity": scaled.most,
        },
    )
    yield Block(
        "resource",
        ("aws_appautoscaling_policy", name),
        {
            "name": name,
            "policy_type": "TargetTrackingScaling",
            "service_namespace": Raw(f"{target}.service_namespace"),
            "resource_id": Raw(f"{target}.resource_id"),
            "scalable_dimension": Raw(f"{target}.scalable_dimension"),
        },
        (
            Block(
                "target_tracking_scaling_policy_configuration",
                arguments={"target_value": scaled.target_percent},
                blocks=(
                    Block(
                        "predefined_metric_specification",
                        arguments={
                            "predefined_metric_type": (
                                f"DynamoDB{scaled.direction}CapacityUtilization"
                            )
                        },
                    ),
                ),
            ),
        ),
    )
