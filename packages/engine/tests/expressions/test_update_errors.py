"""Updates with correct syntax that are rejected, with DynamoDB's messages and precedence."""

from __future__ import annotations

from dynamodb_engine.expressions import Placeholders, parse_update
from tests.expressions.parse_errors import NAMES, VALUES, parse_error
from tools.testing.cases import every

MISUSED = "The function is not allowed to be used this way in an expression; function: list_append"
RESERVED = "Attribute name is a reserved keyword; reserved keyword: "
NO_NAME = (
    "An expression attribute name used in the document path is not defined; attribute name: #x"
)
NO_VALUE = "An expression attribute value used in expression is not defined; attribute value: :x"


def path_error(kind: str, one: str, two: str) -> str:
    return (
        f"Two document paths {kind} with each other; must remove or rewrite one of these paths; "
        f"path one: {one}, path two: {two}"
    )


def once(section: str) -> str:
    return f'The "{section}" section can only be used once in an update expression;'


def operand_type(operator: str, kind: str) -> str:
    label = "operator" if operator in ("ADD", "DELETE") else "operator or function"
    return (
        "Incorrect operand type for operator or function; "
        f"{label}: {operator}, operand type: {kind}"
    )


@every(
    ("text", "message"),
    [
        ("SET status = :n", RESERVED + "status"),
        ("SET a = b.Status", RESERVED + "Status"),
        ("SET a = if_not_exists(and, :n)", RESERVED + "and"),
        ("SET a = f(b, c)", "Invalid function name; function: f"),
        ("SET a = IF_NOT_EXISTS(b, :n)", "Invalid function name; function: IF_NOT_EXISTS"),
        (
            "SET a = size(b)",
            "The function is not allowed in an update expression; function: size",
        ),
        (
            "SET a = contains(b, :s)",
            "The function is not allowed in an update expression; function: contains",
        ),
        ("SET a = list_append(list_append(:l, :l), :l)", MISUSED),
        ("SET a = if_not_exists(a, list_append(:l, :l))", MISUSED),
        ("SET a = :n SET b = :n", once("SET")),
        ("remove a set b = :n remove c", once("REMOVE")),
        ("ADD a :n ADD b :n", once("ADD")),
        ("DELETE a :ss DELETE b :ss", once("DELETE")),
        ("SET #x = :n", NO_NAME),
        ("SET a = :x", NO_VALUE),
        ("SET a = if_not_exists(:x, :n)", NO_VALUE),
        ("SET a = :n, a = :n", path_error("overlap", "[a]", "[a]")),
        ("SET #a = :n, #also_a = :n", path_error("overlap", "[a]", "[a]")),
        ("SET a = :n REMOVE a", path_error("overlap", "[a]", "[a]")),
        ("SET a = :n, a.b = :n", path_error("overlap", "[a]", "[a, b]")),
        ("SET a.b.c = :n, a.b = :n", path_error("overlap", "[a, b, c]", "[a, b]")),
        ("SET a[1] = :n, a = :n", path_error("overlap", "[a, [1]]", "[a]")),
        (
            "SET a[1][1] = :n, a[1][1][1][1] = :n",
            path_error("overlap", "[a, [1], [1]]", "[a, [1], [1], [1], [1]]"),
        ),
        ("SET a.b = :n, a[1] = :n", path_error("conflict", "[a, b]", "[a, [1]]")),
        ("SET a.b.c = :n, a.b[2] = :n", path_error("conflict", "[a, b, c]", "[a, b, [2]]")),
        ("REMOVE c, a.b, d, a.c, a[2]", path_error("conflict", "[a, b]", "[a, [2]]")),
        ("ADD a :s", operand_type("ADD", "STRING")),
        ("ADD a :b", operand_type("ADD", "BINARY")),
        ("ADD a :bool", operand_type("ADD", "BOOLEAN")),
        ("ADD a :null", operand_type("ADD", "NULL")),
        ("ADD a :l", operand_type("ADD", "LIST")),
        ("ADD a :m", operand_type("ADD", "MAP")),
        ("DELETE a :n", operand_type("DELETE", "NUMBER")),
        ("SET a = :s + :n", operand_type("+", "S")),
        ("SET a = b - :l", operand_type("-", "L")),
        ("SET a = list_append(:l, :s)", operand_type("list_append", "S")),
        (
            "SET a = list_append(:l)",
            "Incorrect number of operands for operator or function; "
            "operator or function: list_append, number of operands: 1",
        ),
        (
            "SET a = if_not_exists(a, b, c)",
            "Incorrect number of operands for operator or function; "
            "operator or function: if_not_exists, number of operands: 3",
        ),
        (
            "SET a = if_not_exists(:n, :n)",
            "Operator or function requires a document path; operator or function: if_not_exists",
        ),
        (
            "SET a = if_not_exists(if_not_exists(a, :n), :n)",
            "Operator or function requires a document path; operator or function: if_not_exists",
        ),
    ],
)
def test_update_is_rejected(text: str, message: str) -> None:
    assert parse_error(parse_update, text) == f"Invalid UpdateExpression: {message}"


# Each kind of error is checked in the whole update before the next kind.
@every(
    ("text", "message"),
    [
        ("SET a = f(b) SET status = :n", RESERVED + "status"),
        ("SET a = :n SET b = f(c)", "Invalid function name; function: f"),
        ("SET a = :x SET #x = :n", once("SET")),
        ("SET a = :x, #x = :n", NO_NAME),
        ("SET a = :n, a = :x", NO_VALUE),
        ("ADD a :s, c.d :n, c[1] :n, a :n", path_error("overlap", "[a]", "[a]")),
        ("ADD a :s, c.d :n, c[1] :n", path_error("conflict", "[c, d]", "[c, [1]]")),
        ("SET a = :s + :n ADD b :s", operand_type("ADD", "STRING")),
        ("SET a = list_append(:s, :l), b = :s + :n", operand_type("list_append", "S")),
    ],
)
def test_error_with_highest_precedence_is_reported(text: str, message: str) -> None:
    assert parse_error(parse_update, text) == f"Invalid UpdateExpression: {message}"


@every(
    "text",
    [
        "SET a = (b - :n)",
        "SET a = (b) + (:n)",
        "SET a = ((b))",
        "SET a = if_not_exists(a, :n) - :n",
        "SET a = if_not_exists(a, if_not_exists(b, :n))",
        "SET a = list_append(if_not_exists(a, :l), :l)",
        "SET a = a, c = a + a",
        "SET a.b = :n, a.c.d = :n REMOVE a.x, a.y[1], a.y[2] ADD n :n DELETE s :ss",
        "ADD a :ns",
        "SET #a.#b[3].#status = :n",
    ],
)
def test_update_is_accepted(text: str) -> None:
    parse_update(text, Placeholders(NAMES, VALUES))


def test_update_has_at_most_300_operators() -> None:
    most = ",".join(f"a{i}=b+c" for i in range(300))
    parse_update(f"SET {most}", Placeholders())
    assert parse_error(parse_update, f"SET {most},x=b-c") == (
        "Invalid UpdateExpression: The expression contains too many operators; operator count: 301"
    )
