"""`singletable partiql`: execute PartiQL statements, from arguments, a file or a prompt."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import Address
from singletable.errors import SingleTableError, ValidationError

if TYPE_CHECKING:
    from dynamodb_engine.operations import Driver
    from dynamodb_engine.values import Item

PROMPT, CONTINUED = "partiql> ", "    ...> "
HELP = """\
End a statement with a semicolon; it may have several lines. Tab completes keywords and the names of
tables, indexes and attributes. `exit` or Ctrl-D ends.

  SELECT * FROM "votes" WHERE pk = 'election#1' AND begins_with(sk, 'ballot#');
  SELECT * FROM "votes"."by_day" WHERE day = '2026-03-01' ORDER BY time DESC;
  INSERT INTO "votes" VALUE {'pk': 'a', 'sk': 'b', 'tags': <<'x', 'y'>>, 'steps': [1, 2]};
  UPDATE "votes" SET n = n + 1 REMOVE note WHERE pk = 'a' AND sk = 'b' RETURNING ALL NEW *;
  DELETE FROM "votes" WHERE pk = 'a' AND sk = 'b';"""
KEYWORDS = (
    "AND ASC BETWEEN DELETE DESC EXISTS FROM IN INSERT INTO IS MISSING NOT NULL OR ORDER BY REMOVE "
    "RETURNING ALL MODIFIED NEW OLD SELECT SET UPDATE VALUE WHERE attribute_exists attribute_type "
    "begins_with contains list_append set_add set_delete size"
)
_COMMENT = r"--[^\n]*|/\*.*?(?:\*/|\Z)"
# Texts in quotes and comments, both of which may be open at the end, may contain semicolons.
_STATEMENT = re.compile(
    rf"""((?:'(?:[^']|'')*(?:'|\Z)|"(?:[^"]|"")*(?:"|\Z)|{_COMMENT}|[^;])*+)(;?)""", re.DOTALL
)


# SQL that PartiQL does not have on DynamoDB, and what to do instead.
_NOT_IN_PARTIQL = {
    r"\b(?:COUNT|SUM|AVG|MIN|MAX)\s*\(|\bGROUP\s+BY\b|\bDISTINCT\b": "PartiQL has no aggregates. "
    "`singletable sql` has them, and a store has count(…).",
    r"\bJOIN\b": "PartiQL has no joins: a statement reads one table. `singletable sql` has them.",
    r"\b(?:LIMIT|OFFSET)\b": "PartiQL has no LIMIT. Use the option --limit.",
    r"\bLIKE\b": "PartiQL has no LIKE. Use begins_with(…) or contains(…).",
}
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")


class Format(Enum):
    """How to print items."""

    TABLE = "table"
    JSON = "json"


def partiql(
    address: Address,
    command: Annotated[
        str | None,
        typer.Option("--command", "-c", metavar="STATEMENTS", help="Execute these and exit."),
    ] = None,
    output: Annotated[
        Format, typer.Option("--format", help="Print a table, or DynamoDB JSON, an item per line.")
    ] = Format.TABLE,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="Print at most N items.")
    ] = 100,
) -> None:
    """Execute PartiQL statements, which semicolons separate, of --command or standard input.

    On a terminal without --command, prompt for them.

    DynamoDB charges for what is read: a SELECT stops at the limit, and says so.
    """
    from singletable.cli.existing_tables import connect_existing

    text = command
    if command is None and not sys.stdin.isatty():
        text = sys.stdin.read()
    with connect_existing(address) as driver:
        session = Session(driver, output, limit)
        if text is None:
            _prompt(session)
        else:
            statements, _ = split_statements(text)
            for statement in statements:
                try:
                    session.execute(statement)
                except SingleTableError:
                    if len(statements) > 1:
                        typer.echo(f"All before this were executed:\n{statement}", err=True)
                    raise


class Session:
    """Executes statements and prints their items; remembers the attributes for completion."""

    def __init__(self, driver: Driver, output: Format, limit: int) -> None:
        self.driver, self.limit = driver, limit
        self.attributes: set[str] = set()
        self._print = _print_table if output is Format.TABLE else _print_json

    def execute(self, statement: str) -> None:
        """Execute a statement, and print the items of its pages up to the limit."""
        from dynamodb_engine.operations import ExecuteStatement
        from dynamodb_engine.operations.registry import is_write

        items: list[Item] = []
        token: str | None = None
        is_done = False
        reads = not is_write(ExecuteStatement(statement))
        while not is_done:
            left = self.limit - len(items)
            try:
                page = self.driver.execute(
                    ExecuteStatement(statement, next_token=token, limit=left if reads else None)
                )
            except ValidationError:
                _print_hints(statement)
                raise
            items += page.items
            token = page.next_token
            is_done = token is None or len(items) >= self.limit
        self.attributes |= {name for item in items for name in item}
        if reads or items:
            self._print(items)
        else:
            typer.echo("Done.", err=True)
        if token is not None:
            typer.echo(f"There may be more items: the limit is {self.limit}.", err=True)


def _print_hints(statement: str) -> None:
    """Say which SQL in a rejected statement PartiQL does not have: DynamoDB only says where."""
    code = _QUOTED.sub("", statement)
    for pattern, hint in _NOT_IN_PARTIQL.items():
        if re.search(pattern, code, re.IGNORECASE):
            typer.echo(hint, err=True)


def split_statements(text: str) -> tuple[list[str], bool]:
    """Return the statements of a text, and whether a semicolon ends the last of them."""
    parts = _STATEMENT.finditer(text)
    found = [part for part in parts if re.sub(_COMMENT, "", part[1], flags=re.DOTALL).strip()]
    return [part[1].strip() for part in found], all(part[2] for part in found)


# Printing items


def _print_table(items: list[Item]) -> None:
    """Print a row per item; the columns are the attributes in the order of the first items."""
    from rich.console import Console

    from singletable.cli.output import escape_controls, format_value, pluralize, print_text_table
    from singletable.text_table import TextTable

    columns = tuple(dict.fromkeys(name for item in items for name in item))
    rows = tuple(
        tuple(escape_controls(format_value(item[name])) if name in item else "" for name in columns)
        for item in items
    )
    title = pluralize(len(items), "item")
    if columns:
        table = TextTable(title, tuple(map(escape_controls, columns)), rows)
        print_text_table(Console(highlight=False), table)
    else:
        typer.echo(title)


def _print_json(items: list[Item]) -> None:
    from dynamodb_engine.values import item_to_json

    for item in items:
        typer.echo(item_to_json(item).decode())


# The prompt


def _prompt(session: Session) -> None:
    """Read statements from a terminal until its end."""
    typer.echo("Statements end with a semicolon; `help` shows examples.", err=True)
    _complete_names(session)
    text = ""
    while True:
        try:
            line = input(CONTINUED if text else PROMPT)
        except (KeyboardInterrupt, EOFError) as interruption:
            typer.echo("", err=True)
            if isinstance(interruption, EOFError):
                return
            text = ""
            continue
        if not text and line.strip().rstrip(";") in ("exit", "quit"):
            return
        if not text and line.strip().rstrip(";") == "help":
            typer.echo(HELP)
            continue
        text += f"{line}\n"
        statements, is_complete = split_statements(text)
        if is_complete:
            for statement in statements:
                _try(session, statement)
            text = ""


def _try(session: Session, statement: str) -> None:
    try:
        session.execute(statement)
    except SingleTableError as error:
        typer.echo(f"{getattr(error, 'code', 'Error')}: {error}", err=True)
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)


def _complete_names(session: Session) -> None:
    """Complete with the Tab key; Python's readline is enough for names, and has a history."""
    try:
        import readline
    except ImportError:  # not on Windows
        return
    readline.set_completer_delims(" \t\n()[]{},=<>;.\"'")
    readline.set_completer(completer(session))
    readline.parse_and_bind("tab: complete")


def completer(session: Session) -> Callable[[str, int], str | None]:
    """Return the completer of readline: it is called with 0, 1, 2… until it returns None."""
    names: list[str] = []
    with suppress(SingleTableError):  # names need other permissions than statements
        names.extend(_table_names(session.driver))
    found: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if state == 0:
            words = sorted({*KEYWORDS.split(), *names, *session.attributes})
            exact = [word for word in words if word.startswith(text)]
            found[:] = exact or [word for word in words if word.lower().startswith(text.lower())]
        return found[state] if state < len(found) else None

    return complete


def _table_names(driver: Driver) -> Iterator[str]:
    """Yield the names of tables, of their indexes and of the attributes in their keys."""
    from dynamodb_engine.operations import DescribeTable
    from singletable.cli.existing_tables import list_tables

    for name in list_tables(driver):
        yield name
        table = driver.execute(DescribeTable(name)).table
        yield from [each.attribute_name for each in table.attribute_definitions]
        for indexes in (table.global_secondary_indexes, table.local_secondary_indexes):
            yield from [index.index_name for index in indexes or ()]
