"""Any text gets a statement or one of DynamoDB's errors, never another exception."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine import AttributeValue, Engine
from dynamodb_engine import operations as ops
from dynamodb_engine.errors import OperationError
from dynamodb_engine.partiql import StatementError, bind_statement, parse_statement
from tools.testing.fuzz.valid_requests import REQUESTS

VALID = [
    request.body["Statement"]
    for request in REQUESTS
    if request.target.endswith(".ExecuteStatement")
]
WORDS = (
    "SELECT * FROM votes WHERE INSERT INTO VALUE UPDATE SET REMOVE DELETE RETURNING ALL OLD NEW "
    "MODIFIED ORDER BY ASC DESC AND OR NOT IN IS BETWEEN LIKE MISSING NULL true EXISTS size "
    "contains list_append set_add pk sk n m.a[0] l[-1] ? 1 -2.5e3 .5 'it''s' 'a' \"q\" `1` @x ( ) "
    "[ ] { } << >> , : ; . = <> != < <= > >= + - * / || -- /* */ date count DISTINCT LIMIT"
)
SOUP = st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Return a valid statement in which some words are replaced, left out or repeated."""
    words = draw(st.sampled_from(VALID)).split(" ")
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(words) - 1))
        words[at : at + 1] = draw(st.lists(st.sampled_from(WORDS.split()), max_size=2))
        words = words or [""]
    return " ".join(words)


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """Return an engine with one table."""
    with Engine.in_memory() as engine:
        engine.execute(
            ops.CreateTable(
                "votes",
                [ops.AttributeDefinition(name, "S") for name in ("pk", "sk")],
                [ops.KeySchemaElement("pk", "HASH"), ops.KeySchemaElement("sk", "RANGE")],
                billing_mode="PAY_PER_REQUEST",
            )
        )
        yield engine


@given(st.one_of(SOUP, mutated(), st.text(max_size=60)), st.integers(0, 2))
def test_any_text_is_executed_or_rejected(engine: Engine, text: str, parameters: int) -> None:
    samples: list[AttributeValue] = [{"S": "a"}, {"N": "1"}]
    values = samples[:parameters]
    for operation in (
        ops.ExecuteStatement(text, values or None),
        ops.BatchExecuteStatement([ops.BatchStatementRequest(text, values or None)]),
        ops.ExecuteTransaction([ops.ParameterizedStatement(text, values or None)]),
    ):
        try:
            engine.execute(operation)
        except OperationError as error:
            if error.code == "InternalServerError":
                raise


@given(mutated())
def test_case_and_comments_do_not_matter(text: str) -> None:
    words = text.split(" ")
    other = "/* ; */ ".join(word.lower() if word.isupper() else word for word in words)

    def outcome(statement: str) -> str:
        try:
            values: list[AttributeValue] = [{"S": "a"}] * parse_statement(statement).parameters
            found = repr(bind_statement(statement, values))
        except StatementError as error:
            found = error.message
        return re.sub(r"\d+:\d+:\d+", "", found)  # where a token is

    if not {"--", "/*", "*/"} & set(words):
        assert outcome(other) == outcome(text)
