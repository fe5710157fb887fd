"""`singletable show` prints a table partition by partition, up to a limit."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.testing import endpoint
from singletable import AttributeValue, Engine, Item, connect
from singletable.cli.show_view import key_tree
from tools.testing.commands import Run
from tools.testing.designs.shop import fill

APP = "tools.testing.designs.shop"


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a new file."""
    return f"file:{tmp_path / 'shop.db'}"


def _put(address: str, *items: Item) -> None:
    with connect(address) as driver:
        for item in items:
            driver.execute(ops.PutItem("shop", item))


def test_items_of_a_partition_are_a_sorted_tree(run: Run, address: str) -> None:
    fill(address)
    code, out, _ = run("show", address, "shop", "--app", APP, "-p", "CUSTOMER#ada")
    assert code == 0
    lines = out.splitlines()
    assert lines[:2] == ["CUSTOMER#ada  4 items", "├─ ORDER"]
    assert lines[2].startswith("│  ├─ 0001  Order     day 2026-03-01  ends 2")
    assert lines[5:7] == ["└─ PROFILE  Customer  email ada@example.com", ""]
    assert lines[7] == "4 items in 1 partition, 0.5 read units: 3 Order, 1 Customer"


def test_show_and_explain_work_over_http(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    with Engine.in_memory() as engine, endpoint(engine) as url:
        address = f"dynamodb+{url}"
        fill(address, orders=40)
        shown = run("show", address, "shop", "--app", APP)[1]
        explained = run("explain", APP, "O2", "ada", "--address", address)[1]
    assert "42 items in 2 partitions" in shown
    assert "40 Order" in shown
    assert "These are the first 20; there may be more." in explained


def test_markers_and_unknown_items_are_distinguished(run: Run, address: str) -> None:
    fill(address)
    ada: AttributeValue = {"S": "CUSTOMER#ada"}
    _put(address, {"PK": ada, "SK": {"S": "?"}}, {"PK": ada, "SK": {"S": "ORDER#0009"}})
    _, out, _ = run("show", address, "shop", "--app", APP)
    assert "UNIQUE  Customer.one_email  owner_PK CUSTOMER#ada  owner_SK PROFILE" in out
    assert "├─ ?        ?         matches no declared entity" in out
    assert "0009  Order     Order.customer: attribute 'customer': expected a string" in out


def test_kinds_are_guessed_without_a_declaration(run: Run, address: str) -> None:
    fill(address)
    _put(address, {"PK": {"S": "X#1"}, "SK": {"S": "Y"}, "entity_type": {"S": "Thing"}})
    _, out, _ = run("show", address, "shop")
    assert "└─ Y  Thing\n" in out
    assert "│  ├─ 0001  ORDER    customer ada  number 1" in out
    assert "1 UNIQUE" in out


# A table of millions is not read by accident.
def test_reading_stops_at_the_limit_and_says_so(run: Run, address: str) -> None:
    fill(address, orders=500)
    _, out, _ = run("show", address, "shop", "-p", "CUSTOMER#ada", "--limit", "10")
    assert out.startswith("CUSTOMER#ada  10 items, and more\n")
    assert "There are more items. Use --limit 100" in out
    assert "10 items in 1 partition" in out
    _, out, _ = run("show", address, "shop", "-p", "CUSTOMER#ada", "--limit", "501")
    assert "There are more" not in out


# At most one chunk is in memory at a time.
def test_large_partition_is_shown_in_chunks(run: Run, address: str) -> None:
    fill(address, orders=1500)
    _, out, _ = run("show", address, "shop", "-p", "CUSTOMER#ada", "--limit", "9999")
    assert "CUSTOMER#ada  1,000 items\n" in out
    assert "CUSTOMER#ada  501 items, continued\n" in out
    assert "1,501 items in 1 partition" in out


def test_lines_are_truncated_to_the_terminal(run: Run, address: str) -> None:
    fill(address)
    _put(address, {"PK": {"S": "漢字" * 40}, "SK": {"S": "字" * 90}, "text": {"S": "x" * 999}})
    _, out, _ = run("show", address, "shop")
    (line,) = (line for line in out.splitlines() if "字…" in line)
    assert line.endswith("…")
    assert len(line) + line.count("字") <= 80


def test_control_characters_are_escaped(run: Run, address: str) -> None:
    fill(address)
    evil = "\x1b[2J\n"
    _put(address, {"PK": {"S": evil}, "SK": {"S": evil}, evil: {"S": evil}, "type": {"S": evil}})
    _, out, _ = run("show", address, "shop")
    assert "\x1b" not in out
    assert "└─ \\x1b[2J\\n  \\x1b[2J\\n  \\x1b[2J\\n \\x1b[2J\\n\n" in out


def test_tables_are_listed_without_a_name(run: Run, address: str) -> None:
    fill(address)
    code, out, _ = run("show", address)
    assert code == 0
    assert "shop   PK / SK      5  by_day (GSI1PK / GSI1SK)\n" in out
    assert run("show", "memory:")[1] == "There are no tables at this address.\n"


def test_partition_keys_may_be_numbers_or_bytes(run: Run, address: str) -> None:
    with connect(address) as driver:
        for name, kind in (("numbers", "N"), ("bytes", "B")):
            driver.execute(
                ops.CreateTable(
                    name,
                    [ops.AttributeDefinition("id", kind)],  # type: ignore[arg-type]
                    [ops.KeySchemaElement("id", "HASH")],
                    billing_mode="PAY_PER_REQUEST",
                )
            )
        driver.execute(ops.PutItem("numbers", {"id": {"N": "7"}, "x": {"N": "1"}}))
        driver.execute(ops.PutItem("bytes", {"id": {"B": "AAE="}}))
    assert run("show", address, "numbers", "-p", "7.0")[1].startswith("7  1 item\n")
    assert run("show", address, "bytes", "-p", "AAE=")[1].startswith("AAE=  1 item\n")
    assert "id: expected a number, but got 'x'." in run("show", address, "numbers", "-p", "x")[2]
    assert "id: expected base64" in run("show", address, "bytes", "-p", "?")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("file:not-there.db",), "There is no file 'not-there.db'"),
        (("memory:", "shop"), "There is no table 'shop' at this address. Existing tables: none."),
        (("memory:", "shop", "--app", "nothing"), "There is no module nothing"),
        (("shop.db",), "'shop.db' is not an address"),
    ],
)
def test_missing_things_are_reported_and_not_created(
    run: Run, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in run.rejected("show", *arguments)
    assert not list(folder.iterdir())


def test_selected_table_is_used_for_any_name(run: Run, tmp_path: Path) -> None:
    address = f"file:{tmp_path / 'shop.db'}"
    fill(address)
    _, out, _ = run("show", address, "shop", "--app", f"{APP}:shop")
    assert "3 Order" in out


def test_table_that_the_app_does_not_declare_is_rejected(run: Run, tmp_path: Path) -> None:
    address = f"file:{tmp_path / 'shop.db'}"
    fill(address)
    other = "tests.designs.site"
    assert f"{other} declares no table 'shop'" in run.rejected(
        "show", address, "shop", "--app", other
    )


def test_key_that_is_a_prefix_of_others_is_on_their_branch() -> None:
    lines = [
        (line.branches + line.text, line.item) for line in key_tree(["A#1", "A#1#x", "A#1#y", "B"])
    ]
    assert lines == [("├─ A#1", 0), ("│  ├─ x", 1), ("│  └─ y", 2), ("└─ B", 3)]


def test_tree_can_be_drawn_in_ascii() -> None:
    lines = [line.branches + line.text for line in key_tree(["A#1", "A#2", "B"], unicode=False)]
    assert lines == ["|- A", "|  |- 1", "|  `- 2", "`- B"]
