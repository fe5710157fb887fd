"""Data models in the format of NoSQL Workbench, written by hand."""

from __future__ import annotations

from typing import Any

from tests.introspection.foreign_tables import item

MYSQL: dict[str, Any] = {"MySql": {}}
SCALING = {
    "ScalableTargetRequest": {
        "MinCapacity": 1,
        "MaxCapacity": 10,
        "ServiceRole": "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable",
    },
    "ScalingPolicyConfiguration": {"TargetValue": 70},
}


def keys(pk: str, sk: str | None = None, types: str = "SS") -> dict[str, Any]:
    """Return the key of a table or an index."""
    found = {"PartitionKey": {"AttributeName": pk, "AttributeType": types[0]}}
    if sk is not None:
        found["SortKey"] = {"AttributeName": sk, "AttributeType": types[1]}
    return found


def facet(name: str, pk: str, sk: str, data: list[Any], *attributes: str) -> dict[str, Any]:
    """Return a facet."""
    return {
        "FacetName": name,
        "KeyAttributeAlias": {"PartitionKeyAlias": pk, "SortKeyAlias": sk},
        "TableData": data,
        "NonKeyAttributes": list(attributes),
        "DataAccess": MYSQL,
    }


def model(*tables: dict[str, Any]) -> dict[str, Any]:
    """Return a model with these tables."""
    return {
        "ModelName": "By hand",
        "ModelMetadata": {
            "Author": "",
            "DateCreated": "May 18, 2023, 10:24 AM",
            "DateLastModified": "May 18, 2023, 03:50 PM",
            "Description": "",
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": list(tables),
    }


# A subscription service: facets with sample data, indexes on plain attributes, and capacity.
PAYMENTS = model(
    {
        "TableName": "RecurringPayments",
        "KeyAttributes": keys("PK", "SK"),
        "NonKeyAttributes": [
            {"AttributeName": name, "AttributeType": kind}
            for name, kind in {
                "Email": "S",
                "Amount": "N",
                "SKU": "S",
                "Details": "M",
                "NextDate": "S",
                "LastDate": "S",
                "ProcessedDate": "S",
                "TTL": "N",
            }.items()
        ],
        "TableFacets": [
            facet(
                "Subscription",
                "AccountId",
                "SubId#SKU",
                [
                    item(
                        PK="ACC#123",
                        SK="SUB#77#SKU#999",
                        Email="s@example.com",
                        SKU="999",
                        NextDate="2023-06-28",
                        LastDate="2023-05-18T14:15:39.247Z",
                        Details={"M": {"default-card": {"S": "1234"}}},
                    ),
                    item(
                        PK="ACC#124",
                        SK="SUB#78#SKU#998",
                        Email="t@example.com",
                        SKU="998",
                        NextDate="2023-06-30",
                        LastDate="2023-05-19T14:15:39.247Z",
                        Details={"M": {"default-card": {"S": "4321"}}},
                    ),
                ],
                "Email",
                "SKU",
                "NextDate",
                "LastDate",
                "Details",
            ),
            facet(
                "Receipts",
                "AccountId",
                "ProcessedDate#SKU",
                [
                    item(
                        PK="ACC#123",
                        SK="REC#2023-05-28T14:15:39.247Z#SKU#999",
                        SKU="999",
                        ProcessedDate="2023-05-28T14:15:39.247Z",
                        TTL=1700318200,
                    ),
                ],
                "SKU",
                "ProcessedDate",
                "TTL",
            ),
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "GSI-1",
                "KeyAttributes": keys("NextDate", "LastDate"),
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["SKU", "Email"]},
            },
        ],
        "DataAccess": MYSQL,
        "SampleDataFormats": {"Email": ["identifiers", "Email"]},
        "BillingMode": "PROVISIONED",
        "ProvisionedCapacitySettings": {
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 7},
            "AutoScalingRead": SCALING,
            "AutoScalingWrite": SCALING,
        },
    }
)

# Complaints: no facets, data in the table, keys with and without constants, sparse indexes.
COMPLAINTS = model(
    {
        "TableName": "Complaints",
        "KeyAttributes": keys("PK", "SK"),
        "NonKeyAttributes": [{"AttributeName": "customer_id", "AttributeType": "S"}],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "Escalations",
                "KeyAttributes": keys("escalated_to", "escalation_time"),
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
        "TableData": [
            item(
                PK="Complaint123",
                SK="comm#2023-04-30T12:00:24#comm1",
                comm_id="comm1",
                comm_date="2023-04-30T12:00:24",
            ),
            item(
                PK="Complaint123",
                SK="comm#2023-04-30T12:35:54#comm2",
                comm_id="comm2",
                comm_date="2023-04-30T12:35:54",
                attachments={"SS": ["s3://one", "s3://two"]},
            ),
            item(
                PK="Complaint123", SK="metadata", customer_id="custA", complaint_id="Complaint123"
            ),
            item(
                PK="Complaint1444",
                SK="metadata",
                customer_id="custB",
                complaint_id="Complaint1444",
                escalated_to="AgentB",
                escalation_time="2023-01-03T04:00:07",
            ),
        ],
        "DataAccess": MYSQL,
        "BillingMode": "PAY_PER_REQUEST",
    }
)

# A design without data: facets whose aliases are key templates, and one without.
PLANNED = model(
    {
        "TableName": "shop",
        "KeyAttributes": keys("pk", "sk"),
        "NonKeyAttributes": [
            {"AttributeName": "orderId", "AttributeType": "S"},
            {"AttributeName": "total", "AttributeType": "N"},
            {"AttributeName": "paid", "AttributeType": "BOOL"},
        ],
        "TableFacets": [
            facet(
                "Order", "CUSTOMER#<customerId>", "ORDER#<orderId>", [], "orderId", "total", "paid"
            ),
            facet("Customer", "CUSTOMER#{customerId}", "CUSTOMER", []),
            facet("Everything", "pk", "sk", [], "total"),
        ],
        "DataAccess": MYSQL,
    }
)

# One table without a sort key and one whose sort key is a number, in one model.
SIMPLE = model(
    {
        "TableName": "users",
        "KeyAttributes": keys("user_id"),
        "NonKeyAttributes": [{"AttributeName": "name", "AttributeType": "S"}],
        "TableData": [item(user_id="u1", name="Ada"), item(user_id="u2", name="Grace")],
    },
    {
        "TableName": "readings",
        "KeyAttributes": keys("device", "at", "SN"),
        "TableData": [item(device="d1", at=1700000000, value={"N": "21.5"})],
    },
)
