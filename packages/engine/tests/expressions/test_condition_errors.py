"""Conditions with correct syntax that are rejected, with DynamoDB's messages and precedence."""

from __future__ import annotations

from dynamodb_engine.expressions import Placeholders, parse_condition
from tests.expressions.parse_errors import NAMES, VALUES, parse_error
from tools.testing.cases import every

PARENTHESES = "The expression has redundant parentheses;"
DISTINCT = (
    "The first operand must be distinct from the remaining operands for this operator or function; "
)
SAME_TYPE = "The BETWEEN operator requires same data type for lower and upper bounds; "
ASCENDING = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "


def misused(function: str) -> str:
    return f"The function is not allowed to be used this way in an expression; function: {function}"


def operand_type(operator: str, kind: str) -> str:
    return (
        "Incorrect operand type for operator or function; "
        f"operator or function: {operator}, operand type: {kind}"
    )


def operand_count(function: str, count: int) -> str:
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {function}, number of operands: {count}"
    )


def undefined_name(alias: str) -> str:
    return (
        "An expression attribute name used in the document path is not defined; "
        f"attribute name: {alias}"
    )


def undefined_value(alias: str) -> str:
    return (
        f"An expression attribute value used in expression is not defined; attribute value: {alias}"
    )


def bounds(low: str, high: str) -> str:
    return (
        f"lower bound operand: AttributeValue: {{{low}}}, "
        f"upper bound operand: AttributeValue: {{{high}}}"
    )


@every(
    ("text", "message"),
    [
        ("((a = :n))", PARENTHESES),
        ("((a)) = :n", PARENTHESES),
        ("a = ((:n))", PARENTHESES),
        ("a = :n AND ((b = :n))", PARENTHESES),
        ("NOT ((a = :n))", PARENTHESES),
        ("((attribute_not_exists(a)))", PARENTHESES),
        ("contains(((a)), :n)", PARENTHESES),
        ("dog(a)", "Invalid function name; function: dog"),
        ("sIzE(a) = :n", "Invalid function name; function: sIzE"),
        ("attribute_exists(dog(a))", "Invalid function name; function: dog"),
        (
            "if_not_exists(a, :n) = :n",
            "The function is not allowed in a condition expression; function: if_not_exists",
        ),
        (
            "list_append(a, :n)",
            "The function is not allowed in a condition expression; function: list_append",
        ),
        ("size(a)", misused("size")),
        ("NOT size(a)", misused("size")),
        ("a = :n OR size(a)", misused("size")),
        ("(size(a)) AND a = :n", misused("size")),
        ("attribute_exists(a) = :n", misused("attribute_exists")),
        (":n BETWEEN a AND contains(a, b)", misused("contains")),
        ("a IN (begins_with(a, b))", misused("begins_with")),
        ("contains(a, begins_with(a, b))", misused("begins_with")),
        ("size(attribute_exists(a)) = :n", misused("attribute_exists")),
        ("status = :n", "Attribute name is a reserved keyword; reserved keyword: status"),
        ("a.Name = :n", "Attribute name is a reserved keyword; reserved keyword: Name"),
        ("set = :n AND status = :n", "Attribute name is a reserved keyword; reserved keyword: set"),
        ("#x = :n", undefined_name("#x")),
        ("a.#x.b = :x", undefined_name("#x")),
        ("a = :x AND #x = :n", undefined_value(":x")),
        ("a IN (:n, :x)", undefined_value(":x")),
        ("attribute_exists(a, b)", operand_count("attribute_exists", 2)),
        ("attribute_not_exists(a, b, c)", operand_count("attribute_not_exists", 3)),
        ("attribute_type(a)", operand_count("attribute_type", 1)),
        ("begins_with(a)", operand_count("begins_with", 1)),
        ("contains(a, b, c)", operand_count("contains", 3)),
        ("size(a, a) = :n", operand_count("size", 2)),
        ("a = a", f"{DISTINCT}operator: =, first operand: [a]"),
        ("#a.b[1] <> #also_a.b[1]", f"{DISTINCT}operator: <>, first operand: [a, b, [1]]"),
        ("contains(a, a)", f"{DISTINCT}operator: contains, first operand: [a]"),
        ("begins_with(a, #a)", f"{DISTINCT}operator: begins_with, first operand: [a]"),
        (
            "attribute_exists(:n)",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_not_exists(size(a))",
            "Operator or function requires a document path; "
            "operator or function: attribute_not_exists",
        ),
        ("begins_with(a, :n)", operand_type("begins_with", "N")),
        ("begins_with(:bool, a)", operand_type("begins_with", "BOOL")),
        ("begins_with(a, size(b))", operand_type("begins_with", "N")),
        ("attribute_type(a, :n)", operand_type("attribute_type", "N")),
        ("attribute_type(a, b)", operand_type("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")),
        (
            "attribute_type(a, :s)",
            "Invalid attribute type name found; type: a, "
            "valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
        ("size(:n) = :n", operand_type("size", "N")),
        ("size(:bool) = :n", operand_type("size", "BOOL")),
        ("size(:null) = :n", operand_type("size", "NULL")),
        ("size(size(a)) = :n", operand_type("size", "N")),
        ("a < :l", operand_type("<", "L")),
        (":bool >= a", operand_type(">=", "BOOL")),
        ("a > :ss", operand_type(">", "SS")),
        ("a BETWEEN :l AND :l", operand_type("BETWEEN", "L")),
        (":m BETWEEN a AND b", operand_type("BETWEEN", "M")),
        ("a BETWEEN :n AND :s", SAME_TYPE + bounds("N:1", "S:a")),
        ("a BETWEEN :n2 AND :n", ASCENDING + bounds("N:2", "N:1")),
        ("a BETWEEN :s2 AND :s", ASCENDING + bounds("S:b", "S:a")),
    ],
)
def test_condition_is_rejected(text: str, message: str) -> None:
    assert parse_error(parse_condition, text) == f"Invalid ConditionExpression: {message}"


# DynamoDB reports one error: of the kind with the highest precedence, the first in the text. Errors
# in the operands of one clause come before those of a later clause.
@every(
    ("text", "message"),
    [
        ("dog(a) AND status = :x AND ((a = :n))", PARENTHESES),
        ("size(a) AND status = :x AND dog(a)", "Invalid function name; function: dog"),
        ("status = :x AND size(a)", misused("size")),
        (
            "contains(a) AND status = :x",
            "Attribute name is a reserved keyword; reserved keyword: status",
        ),
        ("contains(a) AND a = :x", operand_count("contains", 1)),
        ("contains(a, :x, #x)", undefined_value(":x")),
        ("size(a, :x) = :n", undefined_value(":x")),
        ("a BETWEEN :n2 AND :n AND a = :x", ASCENDING + bounds("N:2", "N:1")),
        ("a = :x AND a BETWEEN :n2 AND :n", undefined_value(":x")),
        ("attribute_exists(size(a, b))", operand_count("size", 2)),
    ],
)
def test_error_with_highest_precedence_is_reported(text: str, message: str) -> None:
    assert parse_error(parse_condition, text) == f"Invalid ConditionExpression: {message}"


@every(
    "text",
    [
        "(a = :n) AND (b = :n)",
        "(a = :n AND b = :n)",
        "(a = :n AND (b = :n))",
        "((a = :n) AND (b = :n))",
        "NOT (NOT a = :n)",
        "NOT NOT NOT a = :n",
        "(size(a)) > (:n)",
        "((size(a)) > :n AND a = :n)",
        "(a.b)[0] = :n",
        "(a)[0].b = :n",
        ":n = :n",
        "a IN (a)",
        "a BETWEEN a AND a",
        "size(a) = size(a)",
        "size(:ss) = :n",
        "attribute_type(:n, :type)",
        "begins_with(:s, a)",
        "contains(a, :ss)",
        "a = :l AND a <> :m",
        "a BETWEEN :n AND :n",
        "a BETWEEN b AND :n OR a BETWEEN :n2 AND b",
        "pk = :n AND sk = :n AND tags = :n",
        "attribute_exists (a)",
    ],
)
def test_condition_is_accepted(text: str) -> None:
    parse_condition(text, Placeholders(NAMES, VALUES))


def test_in_accepts_at_most_100_options() -> None:
    parse_condition(f"a IN ({', '.join([':n'] * 100)})", Placeholders(None, VALUES))
    assert parse_error(parse_condition, f"a IN ({', '.join([':n'] * 101)})") == (
        "Invalid ConditionExpression: The IN operator is provided with too many operands; "
        "number of operands: 101"
    )


# Comparisons, functions, AND, OR and NOT all count, and the count stops at the limit.
def test_condition_has_at_most_300_operators() -> None:
    most = " OR ".join(["a=:n"] * 150)
    parse_condition(f"NOT {most}", Placeholders(None, VALUES))
    assert parse_error(parse_condition, f"NOT NOT {most} OR a=:n") == (
        "Invalid ConditionExpression: The expression contains too many operators; "
        "operator count: 301"
    )


def test_path_has_at_most_32_steps() -> None:
    path = ".".join(["a"] * 31)
    parse_condition(f"attribute_exists({path}[0])", Placeholders())
    assert parse_error(parse_condition, f"attribute_exists({path}.a[0])") == (
        "Invalid ConditionExpression: The document path has too many nesting levels; "
        "nesting levels: 33"
    )


def test_list_index_has_a_limit() -> None:
    parse_condition("attribute_exists(a[2147483647])", Placeholders())
    assert parse_error(parse_condition, "attribute_exists(a[2147483648])") == (
        "Invalid ConditionExpression: List index is not within the allowable range; "
        "index: [2147483648]"
    )
