"""Run the example of the home page, and record what it stores, sends and costs.

Nothing that the page shows is written by hand: the code runs on an engine in memory.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from singletable import AttributeValue, Call, Item, PutItem, Query, SentRequest, Store

# The README starts with the same code.
EXAMPLE = """\
from singletable import Attr, Collection, Entity, Key, Store, Table
from singletable import attr, connect, padded

tracker = Table("tracker")


class Issue(Entity, table=tracker):
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    title: Attr[str] = attr()
    key = Key(pk=("PROJECT", project), sk=("ISSUE", padded(number, 4)))


class Comment(Entity, table=tracker):
    project: Attr[str] = attr()
    issue: Attr[int] = attr()
    number: Attr[int] = attr()
    text: Attr[str] = attr()
    key = Key(
        pk=("PROJECT", project),
        sk=("ISSUE", padded(issue, 4), "COMMENT", padded(number, 3)),
    )


class IssuePage(Collection):
    issue: Issue
    comments: list[Comment]


store = Store(connect("memory:"))  # or "file:app.db", "postgresql://…", "dynamodb:"
store.admin.create_table(tracker)
store.create(Issue(project="web", number=7, title="Login fails"))
store.create(Comment(project="web", issue=7, number=1, text="In Safari"))
print(store.collect(IssuePage, Issue.key.partition("web").eq(7)))
"""


@dataclass(frozen=True, slots=True)
class StoredItem:
    """An item in the table: its key and its other attributes, as text."""

    pk: str
    sk: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request to the engine and the capacity units it consumed."""

    operation: str
    about: str
    units: float

    @property
    def unit(self) -> str:
        """Return what it consumed: read units or write units."""
        return "read unit" if self.operation == "Query" else "write unit"


@dataclass(frozen=True, slots=True)
class ExampleRun:
    """The code of the example in three parts, and what running it produced."""

    declaration: str
    writes: str
    query: str
    items: tuple[StoredItem, ...]
    printed: str
    requests: tuple[ShownRequest, ...]


@cache
def run_example() -> ExampleRun:
    """Run the example and return what happened."""
    statements = ast.parse(EXAMPLE).body
    opened = next(at for at, statement in enumerate(statements) if _opens_store(statement))
    printed: list[object] = []
    names: dict[str, Any] = {"print": printed.append}
    _execute(statements[: opened + 1], names)
    driver, calls = names["store"].driver, list[Call]()
    names["store"] = Store(driver, observers=[calls.append])
    _execute(statements[opened + 1 :], names)
    return ExampleRun(
        declaration=_source(statements[:opened]),
        writes=_source(statements[opened:-1]),
        query=_source(statements[-1:]),
        items=tuple(map(_stored_item, Store(driver).admin.items(names["tracker"], 10).items)),
        printed="\n".join(map(str, printed)),
        requests=tuple(_sent(request) for call in calls for request in call.requests),
    )


def _sent(request: SentRequest) -> ShownRequest:
    operation = request.operation
    about = _condition(operation) if isinstance(operation, Query) else _key(operation)
    return ShownRequest(type(operation).__name__, about, request.units)


def _opens_store(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id="store")]):
            return True
        case _:
            return False


def _execute(statements: list[ast.stmt], names: dict[str, Any]) -> None:
    module = ast.Module(statements, type_ignores=[])
    exec(compile(module, "example", "exec", dont_inherit=True), names)


def _source(statements: list[ast.stmt]) -> str:
    """Return the lines of the statements, with the comments and blank lines between them."""
    lines = EXAMPLE.splitlines()
    return "\n".join(lines[statements[0].lineno - 1 : statements[-1].end_lineno])


def _stored_item(item: Item) -> StoredItem:
    attributes = {
        name: _text(value) for name, value in sorted(item.items()) if name not in ("PK", "SK")
    }
    return StoredItem(_text(item["PK"]), _text(item["SK"]), attributes)


def _text(value: AttributeValue) -> str:
    """Return an attribute value as people write it: PROJECT#web, or [Rust, Go]."""
    if "L" in value:
        return f"[{', '.join(map(_text, value['L']))}]"
    [content] = value.values()
    return str(content)


def _key(operation: object) -> str:
    assert isinstance(operation, PutItem)
    return f"{_text(operation.item['PK'])} / {_text(operation.item['SK'])}"


def _condition(query: Query) -> str:
    """Return the key condition with names and values instead of placeholders."""
    names = query.expression_attribute_names or {}
    values = query.expression_attribute_values or {}

    def fill(placeholder: re.Match[str]) -> str:
        text = placeholder[0]
        return names[text] if text in names else f'"{_text(values[text])}"'

    return re.sub(r"[#:]\w+", fill, query.key_condition_expression or "")
