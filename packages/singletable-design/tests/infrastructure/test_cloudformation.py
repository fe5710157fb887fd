"""The CloudFormation template is valid and complete."""

from __future__ import annotations

import json

import pytest

from singletable import Table
from singletable_design.infrastructure import Deployment, render_cloudformation
from tests.infrastructure.deployments import CUSTOMIZED, DEPLOYMENTS, KEY, template
from tools.testing.designs.table_shapes import ALL, digests, log, skills, votes


def lint_template(text: str) -> list[str]:
    """Return the findings of CloudFormation's linter, for two regions."""
    from cfnlint.api import ManualArgs, lint  # importing it takes half a second

    config = ManualArgs(regions=["eu-west-1", "us-east-1"])
    return [str(finding) for finding in lint(text, config=config)]


@pytest.mark.rest
@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_template_passes_linter(name: str) -> None:
    assert lint_template(render_cloudformation(ALL, DEPLOYMENTS[name])) == []


# Proves that the linter would find an invalid template.
@pytest.mark.rest
@pytest.mark.parametrize(
    ("name", "value"),
    [("KeySchema", []), ("BillingMode", "ON_DEMAND"), ("Ttl", {"Enabled": True})],
)
def test_linter_finds_invalid_templates(name: str, value: object) -> None:
    broken = template([votes], Deployment())
    broken["Resources"]["VoteData"]["Properties"][name] = value
    assert lint_template(json.dumps(broken))


def test_default_table_is_protected_and_recoverable() -> None:
    table = template([votes], Deployment())["Resources"]["VoteData"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["Properties"] == {
        "TableName": "vote_data",
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"}
            for name in ("PK", "SK", "GSI1PK", "GSI1SK")
        ],
        "KeySchema": _key("PK", "SK"),
        "BillingMode": "PAY_PER_REQUEST",
        "TableClass": "STANDARD",
        "DeletionProtectionEnabled": True,
        "PointInTimeRecoverySpecification": {
            "PointInTimeRecoveryEnabled": True,
            "RecoveryPeriodInDays": 35,
        },
        "SSESpecification": {"SSEEnabled": False},
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "GSI-1",
                "KeySchema": _key("GSI1PK", "GSI1SK"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        "TimeToLiveSpecification": {"AttributeName": "expires_at", "Enabled": True},
    }


def test_index_keys_and_projections_are_rendered() -> None:
    table = template([skills], Deployment())["Resources"]["GladEntities"]["Properties"]
    several, two = table["GlobalSecondaryIndexes"]
    (local,) = table["LocalSecondaryIndexes"]
    assert several["KeySchema"] == [
        {"AttributeName": "skill", "KeyType": "HASH"},
        {"AttributeName": "level", "KeyType": "HASH"},
        {"AttributeName": "years", "KeyType": "RANGE"},
        {"AttributeName": "lastUsed", "KeyType": "RANGE"},
    ]
    assert several["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["person"]}
    assert [element["KeyType"] for element in two["KeySchema"]] == ["HASH", "HASH"]
    assert local["KeySchema"] == _key("PK", "lastUsed")
    assert local["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    types = {
        definition["AttributeName"]: definition["AttributeType"]
        for definition in table["AttributeDefinitions"]
    }
    assert (types["level"], types["years"], types["lastUsed"]) == ("N", "N", "S")


def test_provisioned_capacity_is_auto_scaled() -> None:
    resources = template([digests], Deployment())["Resources"]
    scaled = {
        (
            resource["Properties"]["ResourceId"]["Fn::Sub"],
            resource["Properties"]["ScalableDimension"],
        ): (
            resource["Properties"]["MinCapacity"],
            resource["Properties"]["MaxCapacity"],
        )
        for resource in resources.values()
        if resource["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
    }
    assert scaled == {
        ("table/${Digests}", "dynamodb:table:ReadCapacityUnits"): (5, 50),
        ("table/${Digests}", "dynamodb:table:WriteCapacityUnits"): (10, 100),
        ("table/${Digests}/index/by-size", "dynamodb:index:ReadCapacityUnits"): (5, 50),
        ("table/${Digests}/index/by-size", "dynamodb:index:WriteCapacityUnits"): (10, 100),
    }


def test_deployment_overrides_declaration() -> None:
    resources = template([votes, digests], CUSTOMIZED)["Resources"]
    for name in ("VoteData", "Digests"):
        properties = resources[name]["Properties"]
        units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
        assert properties["ProvisionedThroughput"] == units
        assert properties["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == units
        assert properties["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
        assert properties["SSESpecification"]["KMSMasterKeyId"] == KEY
        assert properties["Tags"][0] == {"Key": "cost ${center}", "Value": '"7" %{if}'}
        assert resources[name]["DeletionPolicy"] == "Delete"
    assert not [resource for resource in resources.values() if "AutoScaling" in resource["Type"]]


# Logical IDs consist of letters and digits, so these three names would collide.
COLLIDING = [Table("a-b"), Table("a_b"), Table("a.b")]


def test_colliding_resource_names_get_numbers() -> None:
    resources = template(COLLIDING, Deployment(alarms=None))["Resources"]
    assert {name: resource["Properties"]["TableName"] for name, resource in resources.items()} == {
        "AB": "a-b",
        "AB2": "a_b",
        "AB3": "a.b",
    }


@pytest.mark.rest
def test_template_with_colliding_names_passes_linter() -> None:
    assert lint_template(render_cloudformation(COLLIDING, Deployment())) == []


def test_tables_without_sort_key_or_with_number_key() -> None:
    resources = template([digests, log], Deployment())["Resources"]
    assert resources["Digests"]["Properties"]["KeySchema"] == [
        {"AttributeName": "digest", "KeyType": "HASH"}
    ]
    assert {"AttributeName": "SK", "AttributeType": "N"} in (
        resources["VoteEventLog"]["Properties"]["AttributeDefinitions"]
    )


def _key(partition: str, sort: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]
