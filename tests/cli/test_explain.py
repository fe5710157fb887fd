"""`singletable explain` shows the exact requests of a pattern, and what they brought and cost."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.run import Run
from tests.cli.shop import fill

APP = "tests.cli.shop"


@pytest.fixture
def address(tmp_path: Path) -> str:
    found = f"file:{tmp_path / 'shop.db'}"
    fill(found)
    return found


def test_the_request_the_items_and_the_units_are_shown(run: Run, address: str) -> None:
    code, out, _ = run("explain", APP, "O2", "ada", "--at", address)
    assert code == 0
    for line in (
        "O2  Orders",
        "Query     shop: PK = CUSTOMER#{customer} and SK begins with ORDER#",
        '  where PK = "CUSTOMER#ada" AND begins_with(SK, "ORDER#")',
        '    "KeyConditionExpression": "#n0 = :v0 AND begins_with(#n1, :v1)",',
        '      ":v0": {"S": "CUSTOMER#ada"},',
        "  consumed 0.5 read units",
        "Order, 3 items",
    ):
        assert f"{line}\n" in out
    assert "1 request, 3 items, 0.5 read units, " in out
    assert " \n" not in out  # nothing behind the lines, for whoever copies them


# Where there is no room for a line an item, no field of it is left out without a word.
@pytest.mark.parametrize("columns", ["20", "30", "40", "80"])
def test_every_field_is_shown_however_narrow_the_terminal(
    run: Run, address: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = run("explain", APP, "O2", "ada", "--at", address)
    items = out.rpartition("Order, 3 items\n")[2]
    for field in ("customer", "number", "day", "ends"):
        assert re.search(rf"(?m)\b{field}\b", items)
    assert re.search(r"(?m)\bada\b", items)


def test_a_pattern_is_named_by_its_code_its_catalogue_or_in_python(run: Run, address: str) -> None:
    said = {
        run("explain", APP, name, "ada", "--at", address)[1].rpartition(",")[0]
        for name in ("C1", "shop:C1", "customer")
    }
    assert len(said) == 1
    assert "ada@example.com" in said.pop()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("by_email", "ada@example.com"), "2 requests, 1 item, 2 read units"),
        (("C3", "ada"), "1 request, 4 items, 0.5 read units"),
        (("O1", "ada", "2"), '"ConsistentRead": true'),
        (("O2", "ada", "--consistent"), "strongly consistent"),
        (("O2", "ada", "--limit", "2"), "the first 2; there may be more"),
        (("O2", "nobody"), "No items."),
        # An index of keys has no whole items: what it has is shown.
        (("O3", "2026-03-01"), "Query shop / by_day\n"),
        (("X1", "--scan"), "1 request, 3 items"),
    ],
    ids=str,
)
def test_patterns_that_read_are_run(
    run: Run, address: str, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = run("explain", APP, *arguments, "--at", address)
    assert (code, err) == (0, "")
    assert said in out


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("W1", "Not run: explain changes nothing."),
        ("X1", "Not run: it reads the whole table. Run it with --scan."),
        ("X2", "Not run: a feed is followed, not asked."),
    ],
)
def test_what_is_not_run_is_explained(run: Run, address: str, pattern: str, said: str) -> None:
    code, out, _ = run("explain", APP, pattern, "--at", address)
    assert code == 0
    assert out.endswith(f"{said}\n")
    assert "shop: " in out


def test_without_an_address_empty_tables_are_asked(run: Run) -> None:
    code, out, _ = run("explain", APP, "O2", "ada")
    assert code == 0
    assert "empty tables in memory" in out


def test_values_are_read_by_their_types(run: Run) -> None:
    given = ("7", "1.50", "2026-03-01T12:00:00Z", "no", "LARGE", "None", "None")
    code, out, _ = run("explain", APP, "typed", *given)
    assert code == 0
    assert '"CUSTOMER#7 1.50 2026-03-01T12:00:00+00:00 False LARGE None None"' in out


WRONG = {
    "too few": (("O1", "ada"), "O1 (An order) expects 2 values: customer (a text), number (a"),
    "too many": (("C1", "ada", "x"), "C1 (A customer) expects 1 value: name (a text); but got 2"),
    "not a number": (("O1", "ada", "x"), "number: expected a whole number, but got 'x'."),
    "not a day": (("O3", "today"), "day: expected a day, such as 2026-01-31, but got 'today'."),
    "values for a write": (("W1", "ada"), "W1 (Join) is called with no values, but got 'ada'."),
    "no pattern": (("O9",), f"{APP} has no pattern 'O9'. There are: C1, C2, C3, O1,"),
    "consistent by a global index": (
        ("O3", "2026-03-01", "--consistent"),
        "uses Order.of_day, which is in the global index",
    ),
    "an empty value": (("C1", ""), "a value in a key is never empty"),
    "no file": (("C1", "ada", "--at", "file:not-there.db"), "There is no file 'not-there.db'"),
    "no table": (
        ("C1", "ada", "--at", "memory:"),
        "There is no table 'shop' at this address; there are: none.",
    ),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_asked_is_told(
    run: Run, folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = run("explain", APP, *arguments)
    assert code == 2
    assert said in err
    assert not list(folder.iterdir())


TYPED = ["7", "1.5", "2026-03-01T12:00:00Z", "true", "s", "None", "x"]


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        (1, "much", "b: expected a number,"),
        (2, "2026-03-01T12:00:00", "c: expected a moment with its time zone, such as"),
        (3, "perhaps", "d: expected true or false,"),
        (4, "medium", "e: expected one of SMALL, LARGE,"),
        (5, "7", "f: expected a UUID, or None,"),
    ],
)
def test_a_value_of_another_type_is_told(run: Run, at: int, text: str, expected: str) -> None:
    given = [*TYPED[:at], text, *TYPED[at + 1 :]]
    code, _, err = run("explain", APP, "T1", *given)
    assert code == 2
    assert f"{expected}" in err
    assert f"but got {text!r}." in err


# What is stored may be anything, and a terminal obeys some of it.
def test_a_terminal_is_not_told_what_to_do(run: Run) -> None:
    code, out, _ = run("explain", APP, "C1", "ada\x1b[2J\n")
    assert code == 0
    assert "\x1b" not in out
    assert "PK=CUSTOMER#ada\\x1b[2J\\n" in out
