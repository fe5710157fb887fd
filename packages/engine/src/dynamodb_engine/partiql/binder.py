"""Bind the parameters of a statement.

Its conditions, changes and projection become nodes of `expressions`, which the engine evaluates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, reduce
from typing import TypeAlias, cast

from dynamodb_engine import expressions as ex
from dynamodb_engine.expressions import binder, grammar, paths, syntax
from dynamodb_engine.partiql import parser
from dynamodb_engine.partiql.lexer import StatementError
from dynamodb_engine.partiql.literals import literal_value
from dynamodb_engine.partiql.statements import (
    Delete,
    Exists,
    Insert,
    Node,
    Parsed,
    Select,
    Statement,
    Update,
)
from dynamodb_engine.values import AttributeValue, Item, content_of, type_of

__all__ = ["StatementError", "bind_statement"]

# A condition, or a value to compare. Conditions can be compared with booleans.
_Bound: TypeAlias = ex.Condition | binder.Resolved

BAD_IN = (
    "IN operator must have a left hand argument of type Variable Reference and right hand argument "
    "of type Seq with at least one member"
)
# The names of parameters in prepared statements; those with more are not prepared.
_ALIASES = tuple([f"p{number}" for number in range(100)])
_TABLE_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_SET_FUNCTIONS: dict[str, type[ex.Add | ex.Delete]] = {"set_add": ex.Add, "set_delete": ex.Delete}
# The types after IS, in the order of errors.
_TYPES = {
    "MISSING": "",
    "NULL": "NULL",
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
}
_TRUE = ex.Constant({"BOOL": True})
_FALSE = ex.Constant({"BOOL": False})
_NEVER = ex.Compare("=", _TRUE, _FALSE)


def bind_statement(text: str, parameters: list[AttributeValue]) -> Statement:
    """Return the statement with its parameters, which are valid values in canonical form.

    Raise StatementError, in DynamoDB's words, if the statement is invalid for every table. Programs
    repeat statements with parameters of the same types, so these are prepared.
    """
    if len(text) <= parser.MAX_CACHED_LENGTH:
        fill = _prepare(text, tuple(map(type_of, parameters)))
        if fill is not None:
            return fill(dict(zip(_ALIASES, parameters, strict=False)))
    return _bind(text, parameters)[0]


@lru_cache(parser.CACHE_SIZE)
def _prepare(
    text: str, types: tuple[str, ...]
) -> Callable[[Mapping[str, AttributeValue]], Statement] | None:
    """Return a function of the parameters; None if the statement is invalid or depends on them."""
    if len(types) > len(_ALIASES):
        return None
    values = {alias: {**ex.SAMPLES[kind]} for alias, kind in zip(_ALIASES, types, strict=False)}
    samples = cast("Mapping[str, AttributeValue]", values)
    try:
        statement, depends_on_values = _bind(text, [*samples.values()])
    except StatementError:
        return None
    if depends_on_values:
        return None
    return ex.prepare(statement, samples, literals=True)


def _bind(text: str, parameters: list[AttributeValue]) -> tuple[Statement, bool]:
    """Return the statement, and whether its form depends on the values of parameters."""
    parsed = parser.parse_statement(text)
    if parsed.parameters != len(parameters):
        raise StatementError("Number of parameters in request and statement don't match.")
    if parsed.error:
        raise StatementError(parsed.error)
    bound = _Binder(parameters)
    try:
        return bound.statement(parsed), bound.depends_on_values
    except syntax.ExpressionError as error:
        raise StatementError(str(error)) from None


class _Binder:
    def __init__(self, parameters: list[AttributeValue]) -> None:
        self.parameters = parameters
        self.depends_on_values = False

    # --- Statements

    def statement(self, parsed: Parsed) -> Statement:
        match parsed.kind:
            case "select":
                return self.select(parsed)
            case "exists":
                return Exists(self.select(parsed))
            case "insert":
                return self.insert(parsed)
            case "update":
                return self.update(parsed)
            case "delete":
                return self.delete(parsed)

    def select(self, parsed: Parsed) -> Select:
        table, index = _source(parsed)
        projection, labels, error = _projection(parsed.projection)
        return Select(table, index, projection, labels, self.where(parsed), parsed.order, error)

    def insert(self, parsed: Parsed) -> Insert:
        if len(parsed.source) > 1:
            raise StatementError(
                "FROM clause may only contain a single table name in data manipulation statements"
            )
        table, _ = _source(parsed)
        written = cast(Node, parsed.item)
        if written.kind != "map":
            raise StatementError(
                "Unsupported format in item expression. Please use struct format {...} to express "
                f"item values for insert statement. at {written.place}"
            )
        item = cast("Item", content_of(literal_value(written, "root", 0, self.parameters)))
        return Insert(table, tuple(item.items()))

    def update(self, parsed: Parsed) -> Update:
        table = _table(parsed)
        actions = tuple([self.action(*change) for change in parsed.changes])
        paths.check_overlaps([action.path for action in actions])
        return Update(table, actions, self.where(parsed), parsed.returning)

    def delete(self, parsed: Parsed) -> Delete:
        if parsed.returning not in (None, "ALL_OLD"):
            words = parsed.returning.replace("UPDATED", "MODIFIED").replace("_", " ")
            raise StatementError(
                f"Invalid returning clause: RETURNING {words} *. "
                "Only RETURNING ALL OLD * is allowed in DELETE statements."
            )
        return Delete(_table(parsed), self.where(parsed), parsed.returning)

    # --- Conditions

    def where(self, parsed: Parsed) -> ex.Condition | None:
        error = "WHERE clause must contain an expression that resolves to a boolean"
        return None if parsed.where is None else self.condition(parsed.where, error)

    def condition(self, node: Node, message: str) -> ex.Condition:
        bound = self.bind(node)
        if isinstance(bound, binder.Resolved):
            raise StatementError(message)
        return bound

    def operand(self, node: Node) -> binder.Resolved:
        bound = self.bind(node)
        if not isinstance(bound, binder.Resolved):
            raise StatementError("Unsupported operator in Condition Expression. Operator: nested")
        return bound

    def bind(self, node: Node) -> _Bound:
        match node:
            case Node("AND" | "OR"):
                return self.junction(node)
            case Node("NOT", _, (operand,)):
                error = "The argument to NOT must be a Type or Expression"
                return ex.Not(self.condition(operand, error))
            case Node("IN", _, (operand, options)):
                return self.membership(operand, options)
            case Node("BETWEEN", _, operands):
                return binder.build_clause("BETWEEN", [self.operand(each) for each in operands])
            case Node(name, _, (left, right)) if name in grammar.COMPARATORS:
                return self.compare(name, self.bind(left), self.bind(right))
            case Node("IS", _, (operand,), name):
                return self.is_type(operand, name, node.place)
            case Node("call"):
                return self.call(node)
            case _:
                return self.leaf(node, "Condition")

    def leaf(self, node: Node, language: str) -> ex.At | ex.Constant:
        """Bind a path, a parameter or a literal; operators that are left are not supported."""
        match node:
            case Node("path"):
                return ex.At(_path(node))
            case Node("parameter", number=number):
                return ex.Constant(self.parameters[number])
            case Node("missing"):
                raise StatementError("MISSING must be compared using IS operator")
            case Node("subquery", place):
                raise StatementError(f"Unsupported token in expression: SELECT at {place}")
            case Node(kind) if not kind.islower():
                raise StatementError(
                    f"Unsupported operator in {language} Expression. Operator: {kind.lower()}"
                )
            case _:
                return ex.Constant(literal_value(node, "root", 1))

    def junction(self, junction: Node) -> ex.Condition:
        """Bind a chain of AND or OR, which may be long."""
        parts: list[Node] = []
        rest = junction
        while rest.kind == junction.kind:
            rest, right = rest.members
            parts.append(right)
        error = "The arguments to AND/OR must be Expressions"
        conditions = [self.condition(part, error) for part in (rest, *reversed(parts))]
        return reduce(ex.And if junction.kind == "AND" else ex.Or, conditions)

    def compare(self, name: str, left: _Bound, right: _Bound) -> ex.Condition:
        """Compare two values; a condition has the value TRUE or FALSE."""
        if isinstance(left, binder.Resolved):
            if isinstance(right, binder.Resolved):
                return binder.build_clause(name, [left, right])
            left, right = right, left
        if name not in ("=", "<>"):
            raise binder.wrong_type(name, "BOOL")
        self.depends_on_values |= isinstance(right, ex.Constant)
        equal = _equals(left, right)
        return equal if name == "=" else ex.Not(equal)

    def membership(self, operand: Node, options: Node) -> ex.Condition:
        if options.kind not in ("list", "bag") or not options.members:
            raise StatementError(BAD_IN)
        if error := grammar.count_error("IN", 1 + len(options.members)):
            raise StatementError(error)
        tested = self.bind(operand)
        values = [self.operand(member) for member in options.members]
        if isinstance(tested, binder.Resolved):
            return binder.build_clause("IN", [tested, *values])
        return reduce(ex.Or, [self.compare("=", tested, value) for value in values])

    def is_type(self, tested: Node, name: str, place: str) -> ex.Condition:
        if tested.kind not in ("path", "value"):
            raise StatementError(
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            )
        operand = self.leaf(tested, "Condition")
        if name == "MISSING":
            return binder.build_clause("attribute_not_exists", [operand])
        if name not in _TYPES:
            raise StatementError(
                f"Unsupported data type for IS operator: {name}. Supported data types are "
                f"[{', '.join(_TYPES)}] at {place}"
            )
        return ex.HasType(operand, _TYPES[name])

    def call(self, call: Node) -> _Bound:
        name, arguments = call.name, call.members
        if name in grammar.UPDATE_FUNCTIONS:
            raise StatementError(
                f"The function is not allowed in a condition expression; function: {name}"
            )
        if name == "exists" and arguments and arguments[0].kind == "subquery":
            self.bind(arguments[0])
        if name not in grammar.CONDITION_FUNCTIONS:
            raise StatementError(f"Unrecognized function: {name} at {call.place}")
        if error := grammar.count_error(name, len(arguments)):
            raise StatementError(error)
        operands = [self.operand(argument) for argument in arguments]
        if name == "size":
            self.depends_on_values |= isinstance(operands[0], ex.Constant)
            return binder.MeasuredSize(operands[0])
        if name == "attribute_type":
            _check_type_name(operands[1])
        return binder.build_clause(name, operands)

    # --- Changes

    def action(self, target: Node, term: Node | None) -> ex.Action:
        path = _path(target)
        if term is None:
            return ex.Remove(path)
        if term.kind == "call" and term.name in _SET_FUNCTIONS:
            return self.set_change(path, term)
        return ex.Set(path, self.term(term))

    def set_change(self, path: ex.Path, call: Node) -> ex.Action:
        """Bind set_add or set_delete, which can only change the attribute itself."""
        name = call.name.upper()
        if len(call.members) != 2:
            raise StatementError(f"{name} must have exactly two arguments at {call.place}")
        first, second = call.members
        if first.path != path:
            raise StatementError(
                f"The first argument to {name} must equal the assignment value at {call.place}"
            )
        value = self.term(second)
        if not isinstance(value, ex.Constant) or type_of(value.value) not in ("SS", "NS", "BS"):
            raise StatementError(
                f"The second argument to {name} must be a value with type SET at {first.place}"
            )
        return _SET_FUNCTIONS[call.name](path, value.value)

    def term(self, term: Node) -> ex.Term:
        match term:
            case Node("+" | "-" as sign, _, (left, right)):
                return binder.build_sum(
                    "+" if sign == "+" else "-", self.term(left), self.term(right)
                )
            case Node("+" | "-" as sign):
                raise StatementError(syntax.wrong_count(sign, 1))
            case Node("call", _, arguments, name) if name in grammar.UPDATE_FUNCTIONS:
                return binder.build_call(name, tuple([self.term(each) for each in arguments]))
            case Node("call", name=name) if name in grammar.CONDITION_FUNCTIONS:
                raise StatementError(
                    f"The function is not allowed in an update expression; function: {name}"
                )
            case Node("call", place, name=name):
                raise StatementError(f"Unrecognized function: {name} at {place}")
            case Node("IS"):
                raise StatementError("IS operator is not supported in update expressions")
            case _:
                return self.leaf(term, "Update")


def _equals(condition: ex.Condition, other: _Bound) -> ex.Condition:
    match other:
        case ex.Constant({"BOOL": flag}):
            return condition if flag else ex.Not(condition)
        case ex.Constant() | binder.MeasuredSize():
            return _NEVER
        case ex.At():
            is_false = ex.And(ex.Not(condition), ex.Compare("=", other, _FALSE))
            return ex.Or(ex.And(condition, ex.Compare("=", other, _TRUE)), is_false)
        case _:
            return ex.Or(ex.And(condition, other), ex.And(ex.Not(condition), ex.Not(other)))


def _check_type_name(operand: binder.Resolved) -> None:
    name = operand.value.get("S", "S") if isinstance(operand, ex.Constant) else "S"
    if name not in binder.TYPE_NAMES:
        raise StatementError(
            f"Invalid attribute type name found; type: {name}, "
            "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"
        )


def _path(node: Node) -> ex.Path:
    if node.error:
        raise StatementError(node.error)
    return node.path


def _source(parsed: Parsed) -> tuple[str, str | None]:
    """Return the table and the index of a statement."""
    table, *rest = parsed.source or ("",)
    if len(rest) > 1:
        raise StatementError("A path may contain at most 2 components in the FROM clause")
    if not all(parsed.source):
        raise StatementError(parser.EMPTY_COMPONENT)
    if not _TABLE_NAME.fullmatch(table):
        raise StatementError(
            "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', "
            "'-', '_', '.'."
        )
    return table, rest[0] if rest else None


def _table(parsed: Parsed) -> str:
    table, index = _source(parsed)
    if index is not None:
        raise StatementError("This operation is not supported on an index")
    return table


def _projection(
    terms: tuple[Node, ...] | None,
) -> tuple[ex.Projection | None, tuple[str, ...] | None, str]:
    """Return the paths, their labels if one of them is nested, and what is wrong with them."""
    if terms is None:
        return None, None, ""
    labeled: dict[str, ex.Path] = {}
    for term in terms:
        if not term.path:
            return None, None, f"Unexpected path component at {term.place}"
        path = _path(term)
        label = _label(path)
        if label in labeled:
            raise StatementError(f"Duplicate identifiers in select clause: {label}")
        labeled[label] = path
    projection = tuple(labeled.values())
    paths.check_overlaps(projection)
    return projection, None if max(map(len, projection)) == 1 else tuple(labeled), ""


def _label(path: ex.Path) -> str:
    """Return the name of a projected value: the last name of its path, and the indexes after it."""
    label = ""
    for step in path:
        label = step if isinstance(step, str) else f"{label}[{step}]"
    return label
