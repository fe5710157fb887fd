"""`singletable infrastructure` writes infrastructure code to standard output or a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.testing.commands import Run

pytestmark = pytest.mark.usefixtures("folder", "wide_terminal")
SHOP, RATED = "tools.testing.designs.shop", "tests.designs.rated_shop"


@pytest.mark.parametrize("format_", ["cloudformation", "terraform", "iam"])
def test_file_and_standard_output_have_the_same_text(run: Run, format_: str) -> None:
    code, out, err = run("infrastructure", SHOP, "--format", format_)
    assert (code, err) == (0, "")
    assert run("infrastructure", SHOP, "--format", format_, "-o", "written") == (0, "", "")
    assert Path("written").read_text() == out


def test_table_names_are_applied(run: Run) -> None:
    code, out, _ = run("infrastructure", f"{SHOP}:shop", "--table-name", "shop=shop-prod")
    assert code == 0
    assert "ShopProd" in json.loads(out)["Resources"]


@pytest.mark.parametrize("format_", ["cloudformation", "terraform"])
def test_plan_sets_thresholds(run: Run, format_: str) -> None:
    code, out, err = run("infrastructure", RATED, "--format", format_, "--plan")
    assert (code, err) == (0, "")
    assert "Planned: at most 1,002 read units a second." in out
    assert "601824" in out  # 2 × 1,002.7 units × 300 seconds, and a scan
    code, out, _ = run("infrastructure", RATED, "--format", format_)
    assert code == 0
    assert "Planned" not in out


def test_policy_allows_only_the_named_entities(run: Run) -> None:
    code, out, _ = run("infrastructure", SHOP, "--format", "iam", "--entity", "Customer")
    assert code == 0
    statements = json.loads(out)["Statement"]
    assert statements[0]["Resource"] == "arn:aws:dynamodb:*:*:table/shop"
    assert all("CUSTOMER#*" in json.dumps(one["Condition"]) for one in statements)


def test_policy_allows_only_the_patterns(run: Run) -> None:
    code, out, err = run("infrastructure", RATED, "--format", "iam", "--patterns")
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
        "infrastructure", SHOP, "--format", "iam", "--entity", "Order", "--owner",
        "customer=${aws:PrincipalTag/customer}",
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
    code, _, err = run("infrastructure", "long_policy", "--format", "iam")
    assert code == 0
    assert "IAM allows 6144" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("no_such_shop", "There is no module no_such_shop"),
        (f"{SHOP} -o nowhere/file", "cannot be written"),
        (f"{SHOP} --format cdk", "'cdk' is not one of"),
        (f"{SHOP} --patterns", "It is for --format iam"),
        ("bare_shop --plan", "declares no access patterns"),
        (f"{SHOP} --plan", "No access pattern of tools.testing.designs.shop has a rate"),
        (f"{SHOP} --format iam --plan", "It is for --format cloudformation or terraform"),
        (f"{SHOP} --format iam --entity Oder", "There is no entity Oder"),
        (f"{SHOP}:log --format iam", "The tables have no entities"),
        (f"{SHOP} --format iam --table-name no=x", "Cannot rename table 'no'"),
        (f"{SHOP} --format iam --patterns --entity Order", "cannot be combined"),
        ("bare_shop --format iam --patterns", "bare_shop has no access patterns"),
        (f"{SHOP} --format iam --owner customer=x", "key of Customer does not start"),
    ],
)
def test_invalid_options_are_rejected(run: Run, arguments: str, message: str) -> None:
    Path("bare_shop.py").write_text("from singletable import Table\nshop = Table('shop')\n")
    assert message in run.rejected("infrastructure", *arguments.split())
