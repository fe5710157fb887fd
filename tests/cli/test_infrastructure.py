"""`singletable infrastructure` writes infrastructure code to standard output or a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.run import Run
from tests.infrastructure.hcl import resources

SHOP = """
from singletable import Attr, Entity, Index, Key, Table, attr

by_day = Index("by-day", pk="DAY")
shop = Table("shop", indexes=[by_day])
bare = Table("bare")


class Order(Entity, table=shop):
    customer: Attr[str] = attr()
    id: Attr[str] = attr()
    day: Attr[str] = attr()
    key = Key(pk=("CUSTOMER", customer), sk=("ORDER", id))
    of_day = Key(pk=("DAY", day)).on(by_day)


class Product(Entity, table=shop):
    id: Attr[str] = attr()
    key = Key(pk=("PRODUCT", id), sk="PRODUCT")
"""
PATTERNS = """
from singletable import PatternCatalog, creates
from written_shop import Order, Product, shop

catalog = PatternCatalog("shop", shop)
catalog.read("AP1", "A product", Product.key)
catalog.read("AP2", "Orders of a day", Order.of_day)
catalog.write("AP3", "Order", creates(Order))
"""
RATES = """
from singletable import PatternCatalog, creates, per_second
from written_shop import Order, Product, shop

catalog = PatternCatalog("shop", shop)
catalog.read("AP1", "A product", Product.key, rate=per_second(100))
catalog.write("AP3", "Order", creates(Order), rate=per_second(10, peak=40))
"""
KEY = "arn:aws:kms:eu-west-1:123456789012:key/1"


@pytest.fixture(autouse=True)
def app_folder(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder with the module `written_shop`, in a wide terminal."""
    monkeypatch.setenv("COLUMNS", "200")
    (folder / "written_shop.py").write_text(SHOP)


COMMANDS = ["cloudformation", "terraform", "cdk", "iam"]


@pytest.mark.parametrize("command", [*COMMANDS, "prometheus", "grafana"])
def test_commands_have_help(run: Run, command: str) -> None:
    code, out, _ = run("infrastructure", command, "--help")
    assert code == 0
    assert "Write " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_file_and_standard_output_have_the_same_text(run: Run, command: str) -> None:
    code, out, err = run("infrastructure", command, "written_shop")
    assert (code, err) == (0, "")
    assert run("infrastructure", command, "written_shop", "-o", "written") == (0, "", "")
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
        "written_shop:shop",
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


@pytest.fixture
def rates(folder: Path) -> str:
    """Write a module with the rates of access patterns, and return its name."""
    (folder / "written_rates.py").write_text(RATES)
    return "written_rates"


@pytest.mark.parametrize("command", ["cloudformation", "terraform", "cdk"])
def test_plan_sets_thresholds_and_adds_a_dashboard(run: Run, rates: str, command: str) -> None:
    code, out, err = run("infrastructure", command, rates, "--plan", "--peak-factor", "3")
    assert (code, err) == (0, "")
    assert "planned peak" in out
    assert "Planned: at most 50 read units a second." in out
    assert str(3 * 50 * 300) in out
    assert "Amazon DynamoDB" in out
    code, out, _ = run("infrastructure", command, rates)
    assert code == 0
    assert "Planned" not in out


@pytest.mark.parametrize("command", ["prometheus", "grafana"])
def test_monitoring_is_written_for_the_plan(run: Run, rates: str, command: str) -> None:
    options = ["--table-name", "shop=shop-prod", "--latency-alarm-ms", "20"]
    code, out, err = run("infrastructure", command, rates, *options, "-o", "written")
    assert (code, out, err) == (0, "", "")
    text = Path("written").read_text()
    assert "shop:AP3" in text
    assert "shop-prod" in text
    assert "0.02" in text


def test_disabled_options_are_absent(run: Run) -> None:
    code, out, _ = run(
        "infrastructure", "terraform", "written_shop:shop", "--no-alarms", "--recovery-days", "0",
        "--capacity", "1/1", "--max-scale", "0", "--encryption", "aws-managed",
    )  # fmt: skip
    assert code == 0
    ((kind, table),) = resources(out).items()
    assert kind == ("aws_dynamodb_table", "shop")
    assert table["point_in_time_recovery"] == [{"enabled": False}]
    assert table["server_side_encryption"] == [{"enabled": True}]


def test_policy_allows_only_the_named_entities_and_actions(run: Run) -> None:
    code, out, _ = run(
        "infrastructure", "iam", "written_shop", "--entity", "Product", "--action", "GetItem",
        "--allow-scan", "--region", "eu-west-1", "--account", "123456789012", "--kms-key-arn", KEY,
    )  # fmt: skip
    assert code == 0
    get, scan, key = json.loads(out)["Statement"]
    assert get["Resource"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/shop"
    assert (get["Action"], scan["Action"]) == (["dynamodb:GetItem"], ["dynamodb:Scan"])
    assert key["Resource"] == KEY


def test_policy_allows_only_the_patterns(run: Run, tmp_path: Path) -> None:
    (tmp_path / "written_patterns.py").write_text(PATTERNS)
    code, out, err = run("infrastructure", "iam", "written_patterns", "--patterns")
    assert (code, err) == (0, "")
    allowed = [
        (one["Resource"].rpartition(":")[2], one["Action"]) for one in json.loads(out)["Statement"]
    ]
    assert allowed == [
        ("table/shop", ["dynamodb:GetItem", "dynamodb:BatchGetItem"]),
        ("table/shop", ["dynamodb:PutItem"]),
        ("table/shop/index/by-day", ["dynamodb:Query"]),
    ]


def test_unrestrictable_access_is_omitted_and_reported(run: Run) -> None:
    code, out, err = run(
        "infrastructure", "iam", "written_shop", "--entity", "Order", "--owner",
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
        (("cdk", "written_shop", "--capacity", "5"), "got '5'"),
        (("cdk", "written_shop", "--capacity", "0/5"), "got '0/5'"),
        (("cdk", "written_shop", "--recovery-days", "36"), "'--recovery-days'"),
        (("cdk", "written_shop", "--target-utilization", "95"), "'--target-utilization'"),
        (("cdk", "written_shop", "--encryption", "mine"), "'mine' is not the ARN"),
        (("cdk", "written_shop", "--tag", "team"), "Expected NAME=VALUE"),
        (("cdk", "written_shop", "-o", "nowhere/file"), "cannot be written"),
        (("cdk", "written_shop", "--plan"), "declares no access patterns"),
        (("cdk", "written_shop", "--peak-factor", "0.5"), "'--peak-factor'"),
        (("cdk", "rated_shop", "--plan", "--region", "mars"), "mars"),
        (("cdk", "rated_shop", "--plan", "--max-throughput", "1"), "more than 2 times"),
        (("cdk", "rated_shop", "--max-throughput", "4"), "add --plan"),
        (("prometheus", "written_shop"), "declares no access patterns"),
        (("grafana", "unrated_shop"), "No access pattern of unrated_shop has a rate"),
        (("grafana", "rated_shop", "--table-name", "no=x"), "Cannot rename table 'no'"),
        (("prometheus", "rated_shop", "--table-name", "no=x"), "Cannot rename table 'no'"),
        (("grafana", "written_shop", "--docs-url", "docs"), "got 'docs'"),
        (("iam", "written_shop", "--entity", "Oder"), "There is no entity Oder"),
        (("iam", "written_shop:bare"), "The tables have no entities"),
        (("iam", "written_shop", "--action", "Get"), "'Get'"),
        (("iam", "written_shop", "--action", "Query", "--read-only"), "not both"),
        (("iam", "written_shop", "--patterns", "--allow-scan"), "cannot be combined"),
        (("iam", "written_shop", "--patterns"), "written_shop has no access patterns"),
        (
            ("iam", "written_shop", "--owner", "customer=x"),
            "partition key of Product does not start",
        ),
    ],
)
def test_invalid_options_are_rejected(run: Run, arguments: tuple[str, ...], message: str) -> None:
    Path("unrated_shop.py").write_text(PATTERNS)
    Path("rated_shop.py").write_text(RATES)
    code, out, err = run("infrastructure", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
