"""`singletable explain` shows the exact requests, items and units of an access pattern."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from singletable.cli.explain_run import parse_argument
from singletable.errors import InvalidValue
from singletable.patterns.pattern import Parameter
from singletable.patterns.read_patterns import read_parameters
from singletable.schema.codec.annotations import SIMPLE
from tools.testing.commands import Run
from tools.testing.designs.shop import fill

APP = "tools.testing.designs.shop"


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a filled table."""
    address = f"file:{tmp_path / 'shop.db'}"
    fill(address)
    return address


def test_request_items_and_units_are_shown(run: Run, address: str) -> None:
    code, out, _ = run("explain", APP, "O2", "ada", "--address", address)
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
    assert " \n" not in out  # no trailing blanks


# In a narrow terminal there is a line per field, so no field is omitted.
@pytest.mark.parametrize("columns", ["20", "30", "40", "80"])
def test_every_field_is_shown_in_a_narrow_terminal(
    run: Run, address: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = run("explain", APP, "O2", "ada", "--address", address)
    items = out.rpartition("Order, 3 items\n")[2]
    for field in ("customer", "number", "day", "ends"):
        assert re.search(rf"(?m)\b{field}\b", items)
    assert re.search(r"(?m)\bada\b", items)


def test_pattern_is_named_by_code_id_or_variable(run: Run, address: str) -> None:
    outputs = {
        run("explain", APP, name, "ada", "--address", address)[1].rpartition(",")[0]
        for name in ("C1", "shop:C1", "customer")
    }
    assert len(outputs) == 1
    assert "ada@example.com" in outputs.pop()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("by_email", "ada@example.com"), "2 requests, 1 item, 2 read units"),
        (("C3", "ada"), "1 request, 4 items, 0.5 read units"),
        (("O1", "ada", "2"), '"ConsistentRead": true'),
        (("O2", "ada", "--limit", "2"), "the first 2; there may be more"),
        (("O2", "nobody"), "No items."),
        # An index without all attributes shows those it has.
        (("O3", "2026-03-01"), "Query shop / by_day\n"),
        (("O3", "2026-03-01"), "BatchGetItem  shop: PK = CUSTOMER#{customer} and SK = "),
        (("O4", "2026-03-01"), "2 requests, 3 items, 2 read units"),
        (("X1", "--limit", "9"), "1 request, 3 items"),
    ],
    ids=str,
)
def test_read_patterns_are_run(
    run: Run, address: str, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = run("explain", APP, *arguments, "--address", address)
    assert (code, err) == (0, "")
    assert message in out


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("W1", "Not run: explain does not write."),
        ("X1", "Not run: it reads the whole table. Run it with --limit N."),
        ("X2", "Not run: explain does not read streams."),
    ],
)
def test_other_patterns_are_explained_but_not_run(
    run: Run, address: str, pattern: str, message: str
) -> None:
    code, out, _ = run("explain", APP, pattern, "--address", address)
    assert code == 0
    assert out.endswith(f"{message}\n")
    assert "shop: " in out


def test_pattern_runs_on_empty_tables_without_address(run: Run) -> None:
    code, out, _ = run("explain", APP, "O2", "ada")
    assert code == 0
    assert "empty tables in memory" in out


def test_arguments_are_parsed_by_type(run: Run) -> None:
    arguments = ("7", "1.50", "2026-03-01T12:00:00Z", "no", "LARGE", "None", "None")
    code, out, _ = run("explain", APP, "typed", *arguments)
    assert code == 0
    assert '"CUSTOMER#7 1.50 2026-03-01T12:00:00+00:00 False LARGE None None"' in out


INVALID = {
    "too few": (
        ("O1", "ada"),
        "O1 (An order) expects 2 arguments (customer: a string, number: an",
    ),
    "too many": (
        ("C1", "ada", "x"),
        "C1 (A customer) expects 1 argument (name: a string), but got 2",
    ),
    "not a number": (("O1", "ada", "x"), "number: expected an integer, but got 'x'."),
    "not a date": (("O3", "today"), "day: expected a date, such as 2026-01-31, but got 'today'."),
    "arguments for a write": (("W1", "ada"), "W1 (Join) takes no arguments, but got 'ada'."),
    "unknown pattern": (("O9",), f"{APP} has no pattern 'O9'. Its patterns: C1, C2, C3, O1,"),
    "empty value": (("C1", ""), "must not be empty"),
    "missing file": (
        ("C1", "ada", "--address", "file:not-there.db"),
        "There is no file 'not-there.db'",
    ),
    "missing table": (
        ("C1", "ada", "--address", "memory:"),
        "There is no table 'shop' at this address. Existing tables: none.",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), INVALID.values(), ids=INVALID)
def test_invalid_calls_are_rejected(
    run: Run, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = run("explain", APP, *arguments)
    assert code == 2
    assert message in err
    assert not list(folder.iterdir())


VALID_ARGUMENTS = ["7", "1.5", "2026-03-01T12:00:00Z", "true", "s", "None", "x"]


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        (1, "much", "b: expected a number,"),
        (2, "2026-03-01T12:00:00", "c: expected a timestamp with time zone, such as"),
        (3, "perhaps", "d: expected true or false,"),
        (4, "medium", "e: expected one of SMALL, LARGE,"),
        (5, "7", "f: expected a UUID, or None,"),
    ],
)
def test_argument_of_another_type_is_rejected(run: Run, at: int, text: str, expected: str) -> None:
    arguments = [*VALID_ARGUMENTS[:at], text, *VALID_ARGUMENTS[at + 1 :]]
    err = run.rejected("explain", APP, "T1", *arguments)
    assert f"{expected}" in err
    assert f"but got {text!r}." in err


# Values may contain escape sequences, which a terminal would execute.
def test_control_characters_are_escaped(run: Run) -> None:
    code, out, _ = run("explain", APP, "C1", "ada\x1b[2J\n")
    assert code == 0
    assert "\x1b" not in out
    assert "PK=CUSTOMER#ada\\x1b[2J\\n" in out


SECRETS = """
from singletable import Attr, Encrypted, Entity, Index, Key, PatternCatalog, Table, attr

by_ward = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=["diagnosis"])
clinic = Table("clinic", indexes=[by_ward])
SECRET = Encrypted(key={"1": bytes(32)}.__getitem__, key_id="1")


class Patient(Entity, table=clinic):
    name: Attr[str] = attr()
    ward: Attr[str] = attr()
    born: Attr[int] = attr(default=2000)
    diagnosis: Attr[str | None] = attr(codec=SECRET)
    key = Key(pk=("PATIENT", name), sk="PATIENT")
    in_ward = Key(pk=("WARD", ward), sk=name).on(by_ward)


patterns = PatternCatalog("clinic", clinic)
patient = patterns.read("P1", "A patient", Patient.key)
of_ward = patterns.read("P2", "Patients of a ward", Patient.in_ward)
"""


@pytest.mark.parametrize("call", [("P1", "ann"), ("P2", "east")])
def test_encrypted_values_are_not_printed(run: Run, folder: Path, call: tuple[str, str]) -> None:
    (folder / "explained_clinic.py").write_text(SECRETS)
    (folder / "ann.jsonl").write_text('{"name": "ann", "ward": "east", "diagnosis": "hay fever"}')
    address = "file:clinic.db"
    run("table", "create", "explained_clinic", address)
    run("bulk-load", "explained_clinic", address, "ann.jsonl")
    code, out, _ = run("explain", "explained_clinic", *call, "--address", address)
    assert (code, "<encrypted>" in out, "hay" in out) == (0, True, False)


# `Any` and `object` cannot be part of a key.
@pytest.mark.parametrize("kind", [one for one in SIMPLE if one not in (Any, object)])
def test_every_simple_type_has_an_example_and_a_parser(kind: type) -> None:
    def by_value(value: object) -> None: ...

    by_value.__annotations__["value"] = kind
    (parameter,) = read_parameters("P1", by_value, None)
    assert isinstance(parameter.example, kind)
    text = "1" if kind is timedelta else str(parameter.example)
    assert isinstance(parse_argument(parameter, text), kind)


def test_durations_are_given_in_seconds() -> None:
    length = Parameter("length", timedelta, timedelta(seconds=1))
    assert parse_argument(length, "90.000001") == timedelta(seconds=90, microseconds=1)
    for text in ("soon", "NaN", "Infinity", "1e20"):
        with pytest.raises(InvalidValue, match="length: expected a number of seconds, such as 90"):
            parse_argument(length, text)
