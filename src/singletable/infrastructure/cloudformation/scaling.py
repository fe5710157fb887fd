"""Capacity that follows its load, as resources of CloudFormation."""

from __future__ import annotations

from singletable.infrastructure.cloudformation.shape import Properties, ref
from singletable.infrastructure.plan import ScaledCapacity


def scaling_resources(name: str, table: str, scaled: ScaledCapacity) -> dict[str, Properties]:
    """What may change the capacity of a table, or of an index of it, and when it does."""
    target, policy = f"{name}Target", f"{name}Policy"
    index = "" if scaled.index is None else f"/index/{scaled.index}"
    kind = "table" if scaled.index is None else "index"
    return {
        target: {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {
                "ServiceNamespace": "dynamodb",
                "ResourceId": {"Fn::Sub": f"table/${{{table}}}{index}"},
                "ScalableDimension": f"dynamodb:{kind}:{scaled.direction}CapacityUnits",
                "MinCapacity": scaled.least,
                "MaxCapacity": scaled.most,
            },
        },
        policy: {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": policy,
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": ref(target),
                "TargetTrackingScalingPolicyConfiguration": {
                    "TargetValue": scaled.target_percent,
                    "PredefinedMetricSpecification": {
                        "PredefinedMetricType": f"DynamoDB{scaled.direction}CapacityUtilization"
                    },
                },
            },
        },
    }
