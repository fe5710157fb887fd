"""The template is one that CloudFormation takes, and says all that the declaration says."""

from __future__ import annotations

import json

import pytest
from cfnlint.api import ManualArgs, lint

from singletable import Table
from singletable.infrastructure import Deployment, cloudformation
from tests.infrastructure.declarations import ALL, digests, log, skills, votes
from tests.infrastructure.deployments import DEPLOYMENTS, KEY, OTHERWISE, template


def faults_in(text: str) -> list[str]:
    """What CloudFormation's linter finds, for two regions."""
    config = ManualArgs(regions=["eu-west-1", "us-east-1"])
    return [str(fault) for fault in lint(text, config=config)]


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_the_linter_finds_nothing(name: str) -> None:
    assert faults_in(cloudformation(ALL, DEPLOYMENTS[name])) == []


# The linter is only worth asking if it finds what is wrong.
@pytest.mark.parametrize(
    ("name", "value"),
    [("KeySchema", []), ("BillingMode", "ON_DEMAND"), ("Ttl", {"Enabled": True})],
)
def test_the_linter_finds_what_is_spoilt(name: str, value: object) -> None:
    spoilt = template([votes], Deployment())
    spoilt["Resources"]["VoteData"]["Properties"][name] = value
    assert faults_in(json.dumps(spoilt))


def test_a_table_is_protected_and_recoverable_unless_it_is_said_otherwise() -> None:
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


def test_indexes_come_with_all_their_key_attributes_and_projections() -> None:
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
    assert [one["KeyType"] for one in two["KeySchema"]] == ["HASH", "HASH"]
    assert local["KeySchema"] == _key("PK", "lastUsed")
    assert local["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    types = {one["AttributeName"]: one["AttributeType"] for one in table["AttributeDefinitions"]}
    assert (types["level"], types["years"], types["lastUsed"]) == ("N", "N", "S")


def test_what_is_provisioned_grows_with_its_load() -> None:
    resources = template([digests], Deployment())["Resources"]
    scaled = {
        (one["Properties"]["ResourceId"]["Fn::Sub"], one["Properties"]["ScalableDimension"]): (
            one["Properties"]["MinCapacity"],
            one["Properties"]["MaxCapacity"],
        )
        for one in resources.values()
        if one["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget"
    }
    assert scaled == {
        ("table/${Digests}", "dynamodb:table:ReadCapacityUnits"): (5, 50),
        ("table/${Digests}", "dynamodb:table:WriteCapacityUnits"): (10, 100),
        ("table/${Digests}/index/by-size", "dynamodb:index:ReadCapacityUnits"): (5, 50),
        ("table/${Digests}/index/by-size", "dynamodb:index:WriteCapacityUnits"): (10, 100),
    }


def test_what_is_asked_for_overrules_what_is_declared() -> None:
    resources = template([votes, digests], OTHERWISE)["Resources"]
    for name in ("VoteData", "Digests"):
        properties = resources[name]["Properties"]
        units = {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}
        assert properties["ProvisionedThroughput"] == units
        assert properties["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"] == units
        assert properties["StreamSpecification"] == {"StreamViewType": "NEW_AND_OLD_IMAGES"}
        assert properties["SSESpecification"]["KMSMasterKeyId"] == KEY
        assert properties["Tags"][0] == {"Key": "cost ${centre}", "Value": '"7" %{if}'}
        assert resources[name]["DeletionPolicy"] == "Delete"
    assert not [one for one in resources.values() if "AutoScaling" in one["Type"]]


# Two names that differ in a sign alone are one name where only letters and digits are allowed.
def test_names_that_would_be_the_same_are_told_apart() -> None:
    both = [Table("a-b"), Table("a_b"), Table("a.b")]
    resources = template(both, Deployment(alarms=None))["Resources"]
    assert {name: one["Properties"]["TableName"] for name, one in resources.items()} == {
        "AB": "a-b",
        "AB2": "a_b",
        "AB3": "a.b",
    }
    assert faults_in(cloudformation(both, Deployment())) == []


def test_a_table_without_a_sort_key_and_one_with_a_number() -> None:
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
