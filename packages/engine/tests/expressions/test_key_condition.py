"""Key conditions, as far as they are checked without the table."""

from __future__ import annotations

from dynamodb_engine.expressions import KeyClause, Placeholders, parse_key_condition
from tests.expressions.parse_errors import NAMES, VALUES, parse_error
from tools.testing.cases import every

INVALID = "Invalid KeyConditionExpression: "


@every(
    ("text", "clauses"),
    [
        ("pk = :n", [KeyClause("pk", "=", ({"N": "1"},))]),
        (
            "((#a = :n) AND (#b = :s))",
            [
                KeyClause("a", "=", ({"N": "1"},)),
                KeyClause("b", "=", ({"S": "a"},)),
            ],
        ),
        (
            "sk >= :s AND pk = :n",
            [
                KeyClause("sk", ">=", ({"S": "a"},)),
                KeyClause("pk", "=", ({"N": "1"},)),
            ],
        ),
        (
            ":n = pk AND :s < sk",
            [
                KeyClause("pk", "=", ({"N": "1"},)),
                KeyClause("sk", ">", ({"S": "a"},)),
            ],
        ),
        (":s <= sk", [KeyClause("sk", ">=", ({"S": "a"},))]),
        (":s > sk", [KeyClause("sk", "<", ({"S": "a"},))]),
        (":s >= sk", [KeyClause("sk", "<=", ({"S": "a"},))]),
        ("sk BETWEEN :s AND :s2", [KeyClause("sk", "BETWEEN", ({"S": "a"}, {"S": "b"}))]),
        ("begins_with(sk, :b)", [KeyClause("sk", "begins_with", ({"B": "AQ=="},))]),
        (
            "b = :n AND h = :n AND a = :n AND c < :s",
            [
                KeyClause("b", "=", ({"N": "1"},)),
                KeyClause("h", "=", ({"N": "1"},)),
                KeyClause("a", "=", ({"N": "1"},)),
                KeyClause("c", "<", ({"S": "a"},)),
            ],
        ),
        # Types are not checked here: the table rejects a value that is not of the key type.
        ("pk = :bool", [KeyClause("pk", "=", ({"BOOL": True},))]),
    ],
)
def test_key_clauses_are_in_text_order(text: str, clauses: list[KeyClause]) -> None:
    assert parse_key_condition(text, Placeholders(NAMES, VALUES)) == tuple(clauses)


@every(
    ("text", "message"),
    [
        ("pk = :n OR sk = :n", "Invalid operator used in KeyConditionExpression: OR"),
        ("NOT sk = :n AND pk = :n", "Invalid operator used in KeyConditionExpression: NOT"),
        ("pk = :n AND sk IN (:n)", "Invalid operator used in KeyConditionExpression: IN"),
        ("pk = :n AND sk <> :n", "Invalid operator used in KeyConditionExpression: <>"),
        (
            "attribute_exists(sk)",
            "Invalid operator used in KeyConditionExpression: attribute_exists",
        ),
        ("contains(sk, :s)", "Invalid operator used in KeyConditionExpression: contains"),
        ("pk > size(a.b)", f"{INVALID}KeyConditionExpressions cannot contain nested operations"),
        ("size(:ss) = pk", f"{INVALID}KeyConditionExpressions cannot contain nested operations"),
        (
            ":n BETWEEN :n AND :n2",
            "Invalid condition in KeyConditionExpression: "
            "BETWEEN operator must have the key attribute as its first operand",
        ),
        (
            "size(pk) BETWEEN :n AND :n2",
            "Invalid condition in KeyConditionExpression: "
            "BETWEEN operator must have the key attribute as its first operand",
        ),
        (
            "begins_with(:s, sk)",
            "Invalid condition in KeyConditionExpression: "
            "begins_with operator must have the key attribute as its first operand",
        ),
        (
            "pk > a.b",
            "Invalid condition in KeyConditionExpression: "
            "Multiple attribute names used in one condition",
        ),
        (
            "pk BETWEEN sk AND size(pk)",
            "Invalid condition in KeyConditionExpression: "
            "Multiple attribute names used in one condition",
        ),
        (
            "pk = :n AND sk.foo = :n",
            f"{INVALID}KeyConditionExpressions cannot have conditions on nested attributes",
        ),
        (
            "a.d > c",
            f"{INVALID}KeyConditionExpressions cannot have conditions on nested attributes",
        ),
        (
            ":n = :n",
            "Invalid condition in KeyConditionExpression: No key attribute specified",
        ),
        (
            "pk = :n AND sk > :n AND sk < :n2",
            f"{INVALID}KeyConditionExpressions must only contain one condition per key",
        ),
        ("((pk = :n))", f"{INVALID}The expression has redundant parentheses;"),
        ("pk = :n AND dog(sk, :n)", f"{INVALID}Invalid function name; function: dog"),
    ],
)
def test_key_condition_is_rejected(text: str, message: str) -> None:
    assert parse_error(parse_key_condition, text) == message


# Invalid operands and undefined values are reported from left to right, before errors in the shape
# of the whole condition.
@every(
    ("text", "message"),
    [
        ("pk = :n AND begins_with(sk, :n)", "operator or function: begins_with, operand type: N"),
        ("pk = :n AND begins_with(sk, :bool)", "function: begins_with, operand type: BOOL"),
        ("pk = :n AND sk < :bool", "operator or function: <, operand type: BOOL"),
        ("pk = :n AND :bool >= sk", "operator or function: >=, operand type: BOOL"),
        ("pk = :n AND sk BETWEEN :bool AND :bool", "function: BETWEEN, operand type: BOOL"),
        ("pk = :x AND begins_with(sk, :n)", "is not defined; attribute value: :x"),
        ("begins_with(sk, :n) AND pk = :x", "function: begins_with, operand type: N"),
        ("pk = :n AND begins_with(sk, :n) AND sk = :x", "function: begins_with, operand type: N"),
        ("pk = :n AND begins_with(sk, :n) AND sk > :s", "function: begins_with, operand type: N"),
        ("pk = :n OR begins_with(sk, :n)", "function: begins_with, operand type: N"),
    ],
)
def test_operands_are_checked_before_the_shape(text: str, message: str) -> None:
    found = parse_error(parse_key_condition, text)
    assert found.startswith(INVALID)
    assert found.endswith(message)
