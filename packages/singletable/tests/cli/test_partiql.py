"""`singletable partiql` executes statements from an argument, a file or a prompt."""

from __future__ import annotations

import builtins
import io
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from dynamodb_engine import operations as ops
from singletable import AccessDenied, Engine, connect
from singletable.cli.partiql import Format, Session, completer, split_statements
from tools.testing.commands import Run


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Return the address of a file with one table of four items."""
    address = f"file:{tmp_path / 'votes.db'}"
    with connect(address) as driver:
        fill(driver)
    return address


def fill(driver: ops.Driver) -> None:
    """Create a table with an index and four items."""
    driver.execute(
        ops.CreateTable(
            "votes",
            [ops.AttributeDefinition(name, "S") for name in ("pk", "day")],
            [ops.KeySchemaElement("pk", "HASH")],
            global_secondary_indexes=[
                ops.GlobalSecondaryIndex(
                    "by_day", [ops.KeySchemaElement("day", "HASH")], ops.Projection("ALL")
                )
            ],
            billing_mode="PAY_PER_REQUEST",
        )
    )
    for name in "abcd":
        driver.execute(ops.PutItem("votes", {"pk": {"S": name}, "n": {"N": "1"}}))


def test_items_are_printed_as_a_table(run: Run, address: str) -> None:
    code, out, _ = run("partiql", address, "-c", "select * from votes where pk = 'a'")
    assert code == 0
    assert out.split() == ["1", "item", "pk", "n", "a", "1"]


def test_items_are_printed_as_json(run: Run, address: str) -> None:
    statements = "update votes set n = n + 1 where pk = 'a' returning all new *; select 1;"
    code, out, error = run("partiql", address, "--format", "json", "-c", statements)
    assert out == '{"pk":{"S":"a"},"n":{"N":"2"}}\n'
    assert code == 2
    assert "Statement wasn't well formed" in error


def test_a_select_stops_at_the_limit(run: Run, address: str) -> None:
    select = "select * from votes where n = 1"
    code, out, error = run("partiql", address, "-n", "3", "--format", "json", "-c", select)
    assert (code, len(out.splitlines())) == (0, 3)
    assert "the limit is 3" in error


def test_a_command_that_fails_says_at_which_of_its_statements(run: Run, address: str) -> None:
    error = run.rejected("partiql", address, "-c", "DELETE FROM votes WHERE pk = 'a'; DELETE x")
    assert "Done. All before this were executed: DELETE x singletable:" in error
    assert run.rejected("partiql", address, "-c", "DELETE x").startswith("singletable:")


def test_standard_input_has_several_statements(
    run: Run, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "-- first; comment\ninsert into votes value {'pk': 'x;y'};\n\n"
        "delete from votes\nwhere pk = 'a'"
    )
    monkeypatch.setattr("sys.stdin", StringIO(text))
    assert run("partiql", address)[0] == 0
    with connect(address) as driver:
        keys = {item["pk"]["S"] for item in driver.execute(ops.Scan("votes")).items}
    assert keys == {"b", "c", "d", "x;y"}


# DynamoDB says where a statement is wrong, not that the SQL does not exist.
@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("SELECT COUNT(*) FROM votes", "has no aggregates"),
        ("SELECT sum (n) FROM votes", "has no aggregates"),
        ("SELECT pk FROM votes GROUP BY pk", "has no aggregates"),
        ("SELECT DISTINCT pk FROM votes", "has no aggregates"),
        ("SELECT * FROM votes JOIN others ON a = b", "has no joins"),
        ("SELECT * FROM votes LIMIT 5", "--limit"),
        ("SELECT * FROM votes WHERE pk LIKE 'a%'", "begins_with"),
    ],
)
def test_sql_that_partiql_does_not_have_gets_a_hint(
    run: Run, address: str, statement: str, hint: str
) -> None:
    code, _, error = run("partiql", address, "-c", statement)
    assert code == 2
    assert hint in error
    _, _, error = run("partiql", address, "-c", "SELECT 'COUNT(' FROM \"LIMIT\" nope nope")
    assert "PartiQL has no" not in error


class Terminal(io.StringIO):
    """A standard input that people type into."""

    def isatty(self) -> bool:
        """Return that this is a terminal."""
        return True


def test_the_prompt_goes_on_after_an_error(
    run: Run, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: Iterator[str] = iter(["help", "select * from nope;", "select pk", "from votes;", "exit"])
    monkeypatch.setattr("sys.stdin", Terminal())

    def read_line(prompt: str) -> str:
        assert prompt.endswith("> ")
        return next(lines)

    monkeypatch.setattr(builtins, "input", read_line)
    code, out, error = run("partiql", address, "--format", "json")
    assert code == 0
    assert "ResourceNotFoundException: Requested resource not found" in error
    assert out.count('{"pk":') == 4


@pytest.mark.parametrize(
    ("text", "statements", "complete"),
    [
        ("a; b ;", ["a", "b"], True),
        ("a 'x;y'; b", ["a 'x;y'", "b"], False),
        ('a "x;y" -- c;', ['a "x;y" -- c;'], False),
        ("a; /* b; */", ["a"], True),
        ("a 'open;", ["a 'open;"], False),
        (" ; ", [], True),
    ],
)
def test_statements_end_with_semicolons(text: str, statements: list[str], complete: bool) -> None:
    assert split_statements(text) == (statements, complete)


def test_names_of_tables_indexes_and_attributes_are_completed() -> None:
    with Engine.in_memory() as engine:
        fill(engine)
        session = Session(engine, Format.JSON, 10)
        session.attributes.add("byte")
        complete = completer(session)
        assert [complete("by", number) for number in range(3)] == ["by_day", "byte", None]
        assert complete("vot", 0) == "votes"
        assert complete("SEL", 0) == complete("sel", 0) == "SELECT"


def test_names_are_completed_as_far_as_the_policy_allows() -> None:
    class Guarded:
        def __init__(self, inner: Engine) -> None:
            self.inner = inner

        def execute(self, operation: ops.Operation[Any], /) -> Any:
            if isinstance(operation, ops.DescribeTable):
                raise AccessDenied("no")
            return self.inner.execute(operation)

    with Engine.in_memory() as engine:
        fill(engine)
        complete = completer(Session(Guarded(engine), Format.JSON, 10))
        assert [complete("vot", number) for number in range(2)] == ["votes", None]
        assert complete("by_day", 0) is None
