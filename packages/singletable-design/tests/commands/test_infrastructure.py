"""`singletable infrastructure` writes infrastructure code to standard output or a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import Run
from tests.infrastructure.hcl import resources

pytestmark = pytest.mark.usefixtures("folder", "wide_terminal")
SHOP, RATED = "tests.designs.shop", "tests.designs.rated_shop"
KEY = "arn:aws:kms:eu-west-1:123456789012:key/1"


COMMANDS = ["cloudformation", "terraform", "cdk", "iam"]


@pytest.mark.parametrize("command", COMMANDS)
def test_file_and_standard_output_have_the_same_text(run: Run, command: str) -> None:
    code, out, err = run("infrastructure", command, SHOP)
    assert (code, err) == (0, "")
    assert run("infrastructure", command, SHOP, "-o", "written") == (0, "", "")
    assert Path("written").read_text() == out


def test_options_are_applied(run: Run) -> None:
    options = {
        "--table-name": "shop=shop-prod",
        "--capacity": "5/10",
        "--max-scale": "4",
        "--recovery-days": "7",
        "--encryption": KEY,
        "--stream": "KEYS_ONLY",
        "--table-class": "STANDARD_INFREQUENT_ACCESS",
        "--tag": "team=shop",
        "--latency-alarm-ms": "20",
    }
    arguments = [word for pair in options.items() for word in pair]
    code, out, _ = run(
        "infrastructure",
        "cloudformation",
        f"{SHOP}:shop",
        *arguments,
        "--no-deletion-protection",
    )
    assert code == 0
    resources_ = json.loads(out)["Resources"]
    assert resources_["ShopProd"]["DeletionPolicy"] == "Delete"
    table = resources_["ShopProd"]["Properties"]
    assert table["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 10}
    assert table["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] == 7
    assert table["SSESpecification"]["KMSMasterKeyId"] == KEY
    assert table["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert table["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert table["Tags"] == [{"Key": "team", "Value": "shop"}]
    max_capacity = [one["Properties"].get("MaxCapacity") for one in resources_.values()]
    assert {20, 40} < set(max_capacity)
    assert 20 in [one["Properties"].get("Threshold") for one in resources_.values()]


@pytest.mark.parametrize("command", ["cloudformation", "terraform", "cdk"])
def test_plan_sets_thresholds_and_adds_a_dashboard(run: Run, command: str) -> None:
    code, out, err = run("infrastructure", command, RATED, "--plan", "--peak-factor", "3")
    assert (code, err) == (0, "")
    assert "planned peak" in out
    assert "Planned: at most 1,002 read units a second." in out
    assert "902430" in out  # 3 × 1,002.7 units × 300 seconds
    assert "Amazon DynamoDB" in out
    code, out, _ = run("infrastructure", command, RATED)
    assert code == 0
    assert "Planned" not in out


@pytest.mark.parametrize("command", ["prometheus", "grafana"])
def test_monitoring_is_written_for_the_plan(run: Run, command: str) -> None:
    options = ["--table-name", "shop=shop-prod", "--latency-alarm-ms", "20"]
    code, out, err = run("infrastructure", command, RATED, *options, "-o", "written")
    assert (code, out, err) == (0, "", "")
    text = Path("written").read_text()
    assert "shop:W2" in text
    assert "shop-prod" in text
    assert "0.02" in text


def test_disabled_options_are_absent(run: Run) -> None:
    code, out, _ = run(
        "infrastructure", "terraform", f"{SHOP}:shop", "--no-alarms", "--recovery-days", "0",
        "--capacity", "1/1", "--max-scale", "0", "--encryption", "aws-managed",
    )  # fmt: skip
    assert code == 0
    ((kind, table),) = resources(out).items()
    assert kind == ("aws_dynamodb_table", "shop")
    assert table["point_in_time_recovery"] == [{"enabled": False}]
    assert table["server_side_encryption"] == [{"enabled": True}]


def test_policy_allows_only_the_named_entities_and_actions(run: Run) -> None:
    code, out, _ = run(
        "infrastructure", "iam", SHOP, "--entity", "Customer", "--action", "GetItem",
        "--allow-scan", "--region", "eu-west-1", "--account", "123456789012", "--kms-key-arn", KEY,
    )  # fmt: skip
    assert code == 0
    get, scan, key = json.loads(out)["Statement"]
    assert get["Resource"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/shop"
    assert (get["Action"], scan["Action"]) == (["dynamodb:GetItem"], ["dynamodb:Scan"])
    assert key["Resource"] == KEY


def test_policy_allows_only_the_patterns(run: Run) -> None:
    code, out, err = run("infrastructure", "iam", RATED, "--patterns")
    assert (code, err) == (0, "")
    allowed = [
        (one["Resource"].rpartition(":")[2], one["Action"]) for one in json.loads(out)["Statement"]
    ]
    assert allowed == [
        ("table/shop", [f"dynamodb:{one}Item" for one in ("Get", "BatchGet", "Update", "Put")]),
        ("table/shop", ["dynamodb:Scan"]),
        ("table/shop/index/by-day", ["dynamodb:Query"]),
        ("table/shop/index/by-status", ["dynamodb:Query"]),
    ]


def test_unrestrictable_access_is_omitted_and_reported(run: Run) -> None:
    code, out, err = run(
        "infrastructure", "iam", SHOP, "--entity", "Order", "--owner",
        "customer=${aws:PrincipalTag/customer}", "--read-only",
    )  # fmt: skip
    assert code == 0
    (only,) = json.loads(out)["Statement"]
    assert only["Condition"]["ForAllValues:StringLike"] == {
        "dynamodb:LeadingKeys": ["CUSTOMER#${aws:PrincipalTag/customer}"]
    }
    assert "Omitted" in err
    assert "Order.of_day" in err


def test_policy_over_the_size_limit_is_reported(run: Run, tmp_path: Path) -> None:
    entities = "".join(
        f"class E{number}(Entity, table=long):\n"
        f"    id: Attr[str] = attr()\n"
        f"    key = Key(pk=({f'{number:03d}' * 60!r}, id), sk='E')\n"
        for number in range(60)
    )
    head = "from singletable import Attr, Entity, Key, Table, attr\nlong = Table('long')\n"
    (tmp_path / "long_policy.py").write_text(head + entities)
    code, _, err = run("infrastructure", "iam", "long_policy")
    assert code == 0
    assert "IAM allows 6144" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cdk", "no_such_shop"), "There is no module no_such_shop"),
        (("cdk", SHOP, "--capacity", "5"), "got '5'"),
        (("cdk", SHOP, "--capacity", "0/5"), "got '0/5'"),
        (("cdk", SHOP, "--recovery-days", "36"), "'--recovery-days'"),
        (("cdk", SHOP, "--target-utilization", "95"), "'--target-utilization'"),
        (("cdk", SHOP, "--encryption", "mine"), "'mine' is not the ARN"),
        (("cdk", SHOP, "--tag", "team"), "Expected NAME=VALUE"),
        (("cdk", SHOP, "-o", "nowhere/file"), "cannot be written"),
        (("cdk", "bare_shop", "--plan"), "declares no access patterns"),
        (("cdk", SHOP, "--peak-factor", "0.5"), "'--peak-factor'"),
        (("cdk", RATED, "--plan", "--region", "mars"), "mars"),
        (("cdk", RATED, "--plan", "--max-throughput", "1"), "more than 2 times"),
        (("cdk", RATED, "--max-throughput", "4"), "add --plan"),
        (("prometheus", "bare_shop"), "declares no access patterns"),
        (("grafana", SHOP), "No access pattern of tests.designs.shop has a rate"),
        (("grafana", RATED, "--table-name", "no=x"), "Cannot rename table 'no'"),
        (("prometheus", RATED, "--table-name", "no=x"), "Cannot rename table 'no'"),
        (("grafana", RATED, "--docs-url", "docs"), "got 'docs'"),
        (("iam", SHOP, "--entity", "Oder"), "There is no entity Oder"),
        (("iam", f"{SHOP}:log"), "The tables have no entities"),
        (("iam", SHOP, "--action", "Get"), "'Get'"),
        (("iam", SHOP, "--action", "Query", "--read-only"), "not both"),
        (("iam", SHOP, "--patterns", "--allow-scan"), "cannot be combined"),
        (("iam", "bare_shop", "--patterns"), "bare_shop has no access patterns"),
        (("iam", SHOP, "--owner", "customer=x"), "key of Customer does not start"),
    ],
)
def test_invalid_options_are_rejected(run: Run, arguments: tuple[str, ...], message: str) -> None:
    Path("bare_shop.py").write_text("from singletable import Table\nshop = Table('shop')\n")
    assert message in run.rejected("infrastructure", *arguments)
