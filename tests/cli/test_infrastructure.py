"""`singletable infrastructure`: text for AWS, to the screen or to a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from singletable.cli import main
from tests.infrastructure.hcl import resources

Run = Callable[..., tuple[int, str, str]]

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

asked = PatternCatalog("shop", shop)
asked.read("AP1", "A product", Product.key)
asked.read("AP2", "Orders of a day", Order.of_day)
asked.write("AP3", "Order", creates(Order))
"""
KEY = "arn:aws:kms:eu-west-1:123456789012:key/1"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Run]:
    """Type a command in a folder that has the module `written_shop`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "written_shop.py").write_text(SHOP)

    def typed(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(("infrastructure", *arguments))
        printed = capsys.readouterr()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return code or 0, printed.out, printed.err

    yield typed
    for name in ("written_shop", "written_patterns", "long_policy"):
        sys.modules.pop(name, None)


COMMANDS = ["cloudformation", "terraform", "cdk", "iam"]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(run: Run, command: str) -> None:
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "Write " in out


@pytest.mark.parametrize("command", COMMANDS)
def test_what_goes_to_a_file_is_what_goes_to_the_screen(run: Run, command: str) -> None:
    code, out, err = run(command, "written_shop")
    assert (code, err) == (0, "")
    assert run(command, "written_shop", "-o", "written") == (0, "", "")
    assert Path("written").read_text() == out


def test_options_arrive(run: Run) -> None:
    options = {
        "--name": "shop=shop-prod",
        "--capacity": "5/10",
        "--scale-to": "4",
        "--recovery-days": "7",
        "--encryption": KEY,
        "--stream": "KEYS_ONLY",
        "--table-class": "STANDARD_INFREQUENT_ACCESS",
        "--tag": "team=shop",
        "--latency-ms": "20",
    }
    given = [word for pair in options.items() for word in pair]
    code, out, _ = run("cloudformation", "written_shop:shop", *given, "--no-deletion-protection")
    assert code == 0
    found = json.loads(out)["Resources"]
    assert found["ShopProd"]["DeletionPolicy"] == "Delete"
    table = found["ShopProd"]["Properties"]
    assert table["ProvisionedThroughput"] == {"ReadCapacityUnits": 5, "WriteCapacityUnits": 10}
    assert table["PointInTimeRecoverySpecification"]["RecoveryPeriodInDays"] == 7
    assert table["SSESpecification"]["KMSMasterKeyId"] == KEY
    assert table["StreamSpecification"] == {"StreamViewType": "KEYS_ONLY"}
    assert table["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert table["Tags"] == [{"Key": "team", "Value": "shop"}]
    most = [one["Properties"].get("MaxCapacity") for one in found.values()]
    assert {20, 40} < set(most)
    assert 20 in [one["Properties"].get("Threshold") for one in found.values()]


def test_what_is_switched_off_is_not_there(run: Run) -> None:
    code, out, _ = run(
        "terraform", "written_shop:shop", "--no-alarms", "--recovery-days", "0", "--capacity",
        "1/1", "--scale-to", "0", "--encryption", "aws-managed",
    )  # fmt: skip
    assert code == 0
    ((kind, table),) = resources(out).items()
    assert kind == ("aws_dynamodb_table", "shop")
    assert table["point_in_time_recovery"] == [{"enabled": False}]
    assert table["server_side_encryption"] == [{"enabled": True}]


def test_a_policy_is_for_the_entities_and_actions_that_are_named(run: Run) -> None:
    code, out, _ = run(
        "iam", "written_shop", "--entity", "Product", "--action", "GetItem", "--scan",
        "--region", "eu-west-1", "--account", "123456789012", "--key-arn", KEY,
    )  # fmt: skip
    assert code == 0
    get, scan, key = json.loads(out)["Statement"]
    assert get["Resource"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/shop"
    assert (get["Action"], scan["Action"]) == (["dynamodb:GetItem"], ["dynamodb:Scan"])
    assert key["Resource"] == KEY


def test_a_policy_may_be_what_the_patterns_do(run: Run, tmp_path: Path) -> None:
    (tmp_path / "written_patterns.py").write_text(PATTERNS)
    code, out, err = run("iam", "written_patterns", "--patterns")
    assert (code, err) == (0, "")
    allowed = [
        (one["Resource"].rpartition(":")[2], one["Action"]) for one in json.loads(out)["Statement"]
    ]
    assert allowed == [
        ("table/shop", ["dynamodb:GetItem", "dynamodb:BatchGetItem"]),
        ("table/shop", ["dynamodb:PutItem"]),
        ("table/shop/index/by-day", ["dynamodb:Query"]),
    ]


def test_what_cannot_be_an_owners_is_left_out_and_told(run: Run) -> None:
    code, out, err = run(
        "iam", "written_shop", "--entity", "Order", "--owner",
        "customer=${aws:PrincipalTag/customer}", "--read-only",
    )  # fmt: skip
    assert code == 0
    (only,) = json.loads(out)["Statement"]
    assert only["Condition"]["ForAllValues:StringLike"] == {
        "dynamodb:LeadingKeys": ["CUSTOMER#${aws:PrincipalTag/customer}"]
    }
    assert "left out" in err
    assert "Order.of_day" in err


def test_a_policy_that_is_too_long_is_told(run: Run, tmp_path: Path) -> None:
    entities = "".join(
        f"class E{number}(Entity, table=long):\n"
        f"    id: Attr[str] = attr()\n"
        f"    key = Key(pk=({f'{number:03d}' * 60!r}, id), sk='E')\n"
        for number in range(60)
    )
    head = "from singletable import Attr, Entity, Key, Table, attr\nlong = Table('long')\n"
    (tmp_path / "long_policy.py").write_text(head + entities)
    code, _, err = run("iam", "long_policy")
    assert code == 0
    assert "IAM allows 6144" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cdk", "no_such_shop"), "There is no module no_such_shop"),
        (("cdk", "written_shop", "--capacity", "5"), "'5' is neither 'on-demand' nor"),
        (("cdk", "written_shop", "--capacity", "0/5"), "'0/5' is neither 'on-demand' nor"),
        (("cdk", "written_shop", "--recovery-days", "36"), "'--recovery-days'"),
        (("cdk", "written_shop", "--scale-target", "95"), "'--scale-target'"),
        (("cdk", "written_shop", "--encryption", "mine"), "'mine' is not the ARN"),
        (("cdk", "written_shop", "--tag", "team"), "not of the form NAME=VALUE"),
        (("cdk", "written_shop", "-o", "nowhere/file"), "cannot be written"),
        (("iam", "written_shop", "--entity", "Oder"), "There is no entity Oder"),
        (("iam", "written_shop:bare"), "The tables have no entities"),
        (("iam", "written_shop", "--action", "Get"), "'Get'"),
        (("iam", "written_shop", "--action", "Query", "--read-only"), "not both"),
        (("iam", "written_shop", "--patterns", "--scan"), "Patterns say themselves"),
        (("iam", "written_shop", "--patterns"), "written_shop has no access patterns"),
        (("iam", "written_shop", "--owner", "customer=x"), "partition key of Product has none"),
    ],
)
def test_what_is_wrong_is_one_clear_line(run: Run, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
