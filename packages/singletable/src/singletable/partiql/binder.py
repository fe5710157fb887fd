"""Bind the parameters of a statement.

Its conditions, changes and projection become nodes of `expressions`, which the engine evaluates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, reduce
from typing import TypeAlias, cast

from singletable.expressions import (
    SAMPLES,
    Action,
    Add,
    And,
    At,
    Compare,
    Condition,
    Constant,
    HasType,
    In,
    Not,
    Or,
    Path,
    Projection,
    Remove,
    Set,
    Term,
    condition_paths,
    prepare,
    update_paths,
)
from singletable.expressions import Delete as DeleteMembers
from singletable.expressions.binder import (
    TYPE_NAMES,
    MeasuredSize,
    Resolved,
    build_call,
    build_clause,
    build_sum,
)
from singletable.expressions.paths import check_overlaps
from singletable.expressions.syntax import ExpressionError
from singletable.partiql.lexer import StatementError
from singletable.partiql.literals import literal_value
from singletable.partiql.parser import CACHE_SIZE, MAX_CACHED_LENGTH, parse_statement
from singletable.partiql.statements import (
    Call,
    Delete,
    Exists,
    Expression,
    Insert,
    IsType,
    Missing,
    Operator,
    Parameter,
    ParsedDelete,
    ParsedExists,
    ParsedInsert,
    ParsedSelect,
    ParsedStatement,
    ParsedUpdate,
    Reference,
    Select,
    Sequence,
    Source,
    Statement,
    Subquery,
    Tuple,
    Update,
    Value,
)
from singletable.values import AttributeValue, Item, content_of, type_of

__all__ = [
    "StatementError",
    "bind_statement",
    "conjuncts",
    "disjuncts",
    "equality",
    "named_source",
    "pinned_values",
    "statement_attributes",
]

# A condition, or a value to compare. Conditions can be compared with booleans.
_Bound: TypeAlias = Condition | Resolved

WRONG_COUNT = "Number of parameters in request and statement don't match."
MISSING_COMPARED = "MISSING must be compared using IS operator"
EMPTY_COMPONENT = "Path component cannot be an empty string"
ONLY_EXISTS = "EXISTS can only be used in ExecuteTransaction write requests."
BAD_IN = (
    "IN operator must have a left hand argument of type Variable Reference and right hand argument "
    "of type Seq with at least one member"
)
MAX_OPTIONS = 100
# The names of parameters in prepared statements; those with more are not prepared.
_ALIASES = tuple([f"p{number}" for number in range(100)])
_TABLE_NAME = re.compile(r"[a-zA-Z0-9_.-]{3,255}")
_TESTS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
_UPDATE_FUNCTIONS = ("if_not_exists", "list_append")
_SET_FUNCTIONS: Mapping[str, type[Add | DeleteMembers]] = {
    "set_add": Add,
    "set_delete": DeleteMembers,
}
_TYPES = {
    "NULL": "NULL",
    "BOOLEAN": "BOOL",
    "BLOB": "B",
    "STRING": "S",
    "NUMERIC": "N",
    "STRUCT": "M",
    "TUPLE": "M",
    "LIST": "L",
}
_TRUE = Constant({"BOOL": True})
_FALSE = Constant({"BOOL": False})
_NEVER = Compare("=", _TRUE, _FALSE)


def bind_statement(text: str, parameters: list[AttributeValue]) -> Statement:
    """Return the statement with its parameters, which are valid values in canonical form.

    Raise StatementError, in DynamoDB's words, if the statement is invalid for every table. Programs
    repeat statements with parameters of the same types, so these are prepared.
    """
    if len(text) <= MAX_CACHED_LENGTH:
        fill = _prepare(text, tuple(map(type_of, parameters)))
        if fill is not None:
            return fill(dict(zip(_ALIASES, parameters, strict=False)))
    return _bind(text, parameters)[0]


@lru_cache(CACHE_SIZE)
def _prepare(
    text: str, types: tuple[str, ...]
) -> Callable[[Mapping[str, AttributeValue]], Statement] | None:
    """Return a function of the parameters; None if the statement is invalid or depends on them."""
    if len(types) > len(_ALIASES):
        return None
    values = {alias: {**SAMPLES[kind]} for alias, kind in zip(_ALIASES, types, strict=False)}
    samples = cast("Mapping[str, AttributeValue]", values)
    try:
        statement, depends_on_values = _bind(text, [*samples.values()])
    except StatementError:
        return None
    if depends_on_values:
        return None
    return prepare(statement, samples, literals=True)


def _bind(text: str, parameters: list[AttributeValue]) -> tuple[Statement, bool]:
    """Return the statement, and whether its form depends on the values of parameters."""
    parsed = parse_statement(text)
    if parsed.parameters != len(parameters):
        raise StatementError(WRONG_COUNT)
    statement = parsed.statement
    if statement.error:
        raise StatementError(statement.error)
    binder = _Binder(parameters)
    try:
        return binder.statement(statement), binder.depends_on_values
    except ExpressionError as error:
        raise StatementError(str(error)) from None


class _Binder:
    def __init__(self, parameters: list[AttributeValue]) -> None:
        self.parameters = parameters
        self.depends_on_values = False

    # --- Statements

    def statement(self, statement: ParsedStatement) -> Statement:
        match statement:
            case ParsedSelect():
                return self.select(statement)
            case ParsedInsert():
                return self.insert(statement)
            case ParsedUpdate():
                return self.update(statement)
            case ParsedDelete():
                return self.delete(statement)
            case ParsedExists():
                return Exists(self.select(statement.select))

    def select(self, select: ParsedSelect) -> Select:
        table, index = _source(select.source)
        projection, labels, error = _projection(select.projection)
        where = self.where(select.where)
        return Select(table, index, projection, labels, where, select.order, error)

    def insert(self, insert: ParsedInsert) -> Insert:
        if len(insert.source) > 1:
            raise StatementError(
                "FROM clause may only contain a single table name in data manipulation statements"
            )
        table, _ = _source(insert.source)
        if not isinstance(insert.item, Tuple):
            raise StatementError(
                "Unsupported format in item expression. Please use struct format {...} to express "
                f"item values for insert statement. at {insert.item.place}"
            )
        item = cast("Item", content_of(literal_value(insert.item, "root", 0, self.parameters)))
        return Insert(table, tuple(item.items()))

    def update(self, update: ParsedUpdate) -> Update:
        table = _table(update.source)
        actions = tuple([self.action(*change) for change in update.actions])
        check_overlaps([action.path for action in actions])
        return Update(table, actions, self.where(update.where), update.returning)

    def delete(self, delete: ParsedDelete) -> Delete:
        if delete.returning not in (None, "ALL_OLD"):
            words = delete.returning.replace("UPDATED", "MODIFIED").replace("_", " ")
            raise StatementError(
                f"Invalid returning clause: RETURNING {words} *. "
                "Only RETURNING ALL OLD * is allowed in DELETE statements."
            )
        table = _table(delete.source)
        return Delete(table, self.where(delete.where), delete.returning)

    # --- Conditions

    def where(self, where: Expression | None) -> Condition | None:
        if where is None:
            return None
        bound = self.bind(where)
        if isinstance(bound, At | Constant | MeasuredSize):
            raise StatementError(
                "WHERE clause must contain an expression that resolves to a boolean"
            )
        return bound

    def bind(self, expression: Expression) -> _Bound:
        match expression:
            case Reference():
                return At(_path(expression))
            case Parameter(number):
                return Constant(self.parameters[number])
            case Operator("AND" | "OR"):
                return self.junction(expression)
            case Operator("NOT", (operand,)):
                return Not(self.part(operand, "The argument to NOT must be a Type or Expression"))
            case Operator("IN", (operand, options)):
                return self.membership(operand, options)
            case Operator("BETWEEN", operands):
                return build_clause("BETWEEN", [self.operand(each) for each in operands])
            case Operator("=" | "<>" | "<" | "<=" | ">" | ">=" as name, (left, right)):
                return self.compare(name, self.bind(left), self.bind(right))
            case Operator(name):
                raise StatementError(
                    f"Unsupported operator in Condition Expression. Operator: {name.lower()}"
                )
            case IsType():
                return self.is_type(expression)
            case Call():
                return self.call(expression)
            case Missing():
                raise StatementError(MISSING_COMPARED)
            case Subquery(_, place):
                raise StatementError(f"Unsupported token in expression: SELECT at {place}")
            case _:
                return Constant(literal_value(expression, "root", 1))

    def junction(self, junction: Operator) -> Condition:
        """Bind a chain of AND or OR, which may be long."""
        parts: list[Expression] = []
        rest: Expression = junction
        while isinstance(rest, Operator) and rest.name == junction.name:
            rest, right = rest.operands
            parts.append(right)
        error = "The arguments to AND/OR must be Expressions"
        conditions = [self.part(part, error) for part in (rest, *reversed(parts))]
        return reduce(And if junction.name == "AND" else Or, conditions)

    def part(self, expression: Expression, message: str) -> Condition:
        bound = self.bind(expression)
        if isinstance(bound, At | Constant | MeasuredSize):
            raise StatementError(message)
        return bound

    def operand(self, expression: Expression) -> Resolved:
        bound = self.bind(expression)
        if not isinstance(bound, At | Constant | MeasuredSize):
            raise StatementError("Unsupported operator in Condition Expression. Operator: nested")
        return bound

    def compare(self, name: str, left: _Bound, right: _Bound) -> Condition:
        """Compare two values; a condition has the value TRUE or FALSE."""
        if isinstance(left, At | Constant | MeasuredSize):
            if isinstance(right, At | Constant | MeasuredSize):
                return build_clause(name, [left, right])
            left, right = right, left
        if name not in ("=", "<>"):
            raise ExpressionError(
                "Incorrect operand type for operator or function; "
                f"operator or function: {name}, operand type: BOOL"
            )
        self.depends_on_values |= isinstance(right, Constant)
        equal = _equals(left, right)
        return equal if name == "=" else Not(equal)

    def membership(self, operand: Expression, options: Expression) -> Condition:
        if not isinstance(options, Sequence) or not options.members:
            raise StatementError(BAD_IN)
        if len(options.members) > MAX_OPTIONS:
            raise StatementError(
                "The IN operator is provided with too many operands; number of operands: "
                f"{len(options.members)}"
            )
        tested = self.bind(operand)
        values = [self.operand(member) for member in options.members]
        if isinstance(tested, At | Constant | MeasuredSize):
            return build_clause("IN", [tested, *values])
        return reduce(Or, [self.compare("=", tested, value) for value in values])

    def is_type(self, test: IsType) -> Condition:
        if not isinstance(test.operand, Reference | Value | Parameter):
            raise StatementError(
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path"
            )
        operand = self.operand(test.operand)
        if test.type == "MISSING":
            return build_clause("attribute_not_exists", [operand])
        if test.type not in _TYPES:
            raise StatementError(
                f"Unsupported data type for IS operator: {test.type}. Supported data types are "
                "[MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] "
                f"at {test.place}"
            )
        return HasType(cast("At | Constant", operand), _TYPES[test.type])

    def call(self, call: Call) -> _Bound:
        name, arguments = call.name, call.arguments
        if name in _UPDATE_FUNCTIONS:
            raise StatementError(
                f"The function is not allowed in a condition expression; function: {name}"
            )
        if name == "exists" and isinstance(next(iter(arguments), None), Subquery):
            self.bind(arguments[0])
        expected = 1 if name == "size" else _TESTS.get(name)
        if expected is None:
            raise StatementError(f"Unrecognized function: {name} at {call.place}")
        if len(arguments) != expected:
            raise StatementError(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(arguments)}"
            )
        operands = [self.operand(argument) for argument in arguments]
        if name == "size":
            self.depends_on_values |= isinstance(operands[0], Constant)
            return MeasuredSize(operands[0])
        if name == "attribute_type":
            _check_type_name(operands[1])
        return build_clause(name, operands)

    # --- Changes

    def action(self, target: Reference, term: Expression | None) -> Action:
        path = _path(target)
        if term is None:
            return Remove(path)
        if isinstance(term, Call) and term.name in _SET_FUNCTIONS:
            return self.set_change(path, term)
        return Set(path, self.term(term))

    def set_change(self, path: Path, call: Call) -> Action:
        """Bind set_add or set_delete, which can only change the attribute itself."""
        name = call.name.upper()
        if len(call.arguments) != 2:
            raise StatementError(f"{name} must have exactly two arguments at {call.place}")
        first, second = call.arguments
        if not isinstance(first, Reference) or first.path != path:
            raise StatementError(
                f"The first argument to {name} must equal the assignment value at {call.place}"
            )
        value = self.term(second)
        if not isinstance(value, Constant) or type_of(value.value) not in ("SS", "NS", "BS"):
            raise StatementError(
                f"The second argument to {name} must be a value with type SET at {first.place}"
            )
        return _SET_FUNCTIONS[call.name](path, value.value)

    def term(self, term: Expression) -> Term:
        match term:
            case Reference():
                return At(_path(term))
            case Parameter(number):
                return Constant(self.parameters[number])
            case Operator("+" | "-" as sign, operands) if len(operands) == 2:
                return build_sum(
                    "+" if sign == "+" else "-", self.term(operands[0]), self.term(operands[1])
                )
            case Operator("+" | "-" as sign):
                raise StatementError(
                    "Incorrect number of operands for operator or function; "
                    f"operator or function: {sign}, number of operands: 1"
                )
            case Operator(name):
                raise StatementError(
                    f"Unsupported operator in Update Expression. Operator: {name.lower()}"
                )
            case Call(name, arguments) if name in _UPDATE_FUNCTIONS:
                return build_call(name, tuple([self.term(each) for each in arguments]))
            case Call(name) if name in _TESTS or name == "size":
                raise StatementError(
                    f"The function is not allowed in an update expression; function: {name}"
                )
            case Call(name, _, place):
                raise StatementError(f"Unrecognized function: {name} at {place}")
            case IsType():
                raise StatementError("IS operator is not supported in update expressions")
            case Missing():
                raise StatementError(MISSING_COMPARED)
            case Subquery(_, place):
                raise StatementError(f"Unsupported token in expression: SELECT at {place}")
            case _:
                return Constant(literal_value(term, "root", 1))


def _equals(condition: Condition, other: _Bound) -> Condition:
    match other:
        case Constant({"BOOL": flag}):
            return condition if flag else Not(condition)
        case Constant() | MeasuredSize():
            return _NEVER
        case At():
            is_false = And(Not(condition), Compare("=", other, _FALSE))
            return Or(And(condition, Compare("=", other, _TRUE)), is_false)
        case _:
            return Or(And(condition, other), And(Not(condition), Not(other)))


def _check_type_name(operand: Resolved) -> None:
    if isinstance(operand, Constant) and "S" in operand.value:
        name = operand.value["S"]
        if name not in TYPE_NAMES:
            raise StatementError(
                f"Invalid attribute type name found; type: {name}, "
                "valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}"
            )


def _path(reference: Reference) -> Path:
    if reference.error:
        raise StatementError(reference.error)
    return reference.path


def _source(source: Source) -> tuple[str, str | None]:
    """Return the table and the index of a statement."""
    table, *rest = source or ("",)
    if len(rest) > 1:
        raise StatementError("A path may contain at most 2 components in the FROM clause")
    if not all(source):
        raise StatementError(EMPTY_COMPONENT)
    if not _TABLE_NAME.fullmatch(table):
        raise StatementError(
            "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', "
            "'-', '_', '.'."
        )
    return table, rest[0] if rest else None


def _table(source: Source) -> str:
    table, index = _source(source)
    if index is not None:
        raise StatementError("This operation is not supported on an index")
    return table


def _projection(
    terms: tuple[Expression, ...] | None,
) -> tuple[Projection | None, tuple[str, ...] | None, str]:
    """Return the paths, their labels if one of them is nested, and what is wrong with them."""
    if terms is None:
        return None, None, ""
    paths: list[Path] = []
    labels: list[str] = []
    for term in terms:
        if not isinstance(term, Reference):
            return None, None, f"Unexpected path component at {term.place}"
        path = _path(term)
        label = _label(path)
        if label in labels:
            raise StatementError(f"Duplicate identifiers in select clause: {label}")
        paths.append(path)
        labels.append(label)
    check_overlaps(paths)
    is_flat = max(map(len, paths)) == 1
    return tuple(paths), None if is_flat else tuple(labels), ""


def _label(path: Path) -> str:
    """Return the name of a projected value: the last name of its path, and the indexes after it."""
    label = ""
    for step in path:
        label = step if isinstance(step, str) else f"{label}[{step}]"
    return label


def named_source(text: str) -> tuple[str, ...]:
    """Return the table that a statement names, and its index if it names one."""
    statement = parse_statement(text).statement
    return statement.select.source if isinstance(statement, ParsedExists) else statement.source


def conjuncts(condition: Condition | None) -> Iterator[Condition]:
    """Yield the conditions that AND joins, from left to right."""
    return _joined(condition, And)


def disjuncts(condition: Condition | None) -> Iterator[Condition]:
    """Yield the conditions that OR joins, from left to right."""
    return _joined(condition, Or)


def _joined(condition: Condition | None, join: type[And | Or]) -> Iterator[Condition]:
    pending = [] if condition is None else [condition]
    while pending:
        part = pending.pop()
        if isinstance(part, join):
            pending += (part.right, part.left)
        else:
            yield part


def equality(condition: Condition) -> tuple[str, AttributeValue] | None:
    """Return the attribute and the value of `attribute = value`, or None for other conditions."""
    match condition:
        case Compare("=", At((name,)), Constant(value)) | Compare(
            "=", Constant(value), At((name,))
        ):
            return str(name), value
        case _:
            return None


def pinned_values(condition: Condition | None, attribute: str) -> list[AttributeValue] | None:
    """Return the values to which the condition limits the attribute, or None if it does not."""
    match condition:
        case In(At((name,)), options) if name == attribute:
            constants = [option.value for option in options if isinstance(option, Constant)]
            return constants if len(constants) == len(options) else None
        case And():
            for part in conjuncts(condition):
                if (values := pinned_values(part, attribute)) is not None:
                    return values
            return None
        case Or():
            alternatives = [pinned_values(part, attribute) for part in disjuncts(condition)]
            known = [values for values in alternatives if values is not None]
            is_pinned = len(known) == len(alternatives)
            return [value for values in known for value in values] if is_pinned else None
        case None:
            return None
        case _:
            found = equality(condition)
            return [found[1]] if found is not None and found[0] == attribute else None


def statement_attributes(statement: Statement) -> Iterator[str]:
    """Yield the top-level attributes that a statement names, in order; some more than once."""
    match statement:
        case Insert():
            yield from statement.item
        case Select(projection=projection, where=where):
            yield from _heads((*(projection or ()), *_where_paths(where)))
        case Update(_, actions, where):
            yield from _heads((*update_paths(actions), *_where_paths(where)))
        case Delete(_, where):
            yield from _heads(_where_paths(where))
        case Exists(select):
            yield from statement_attributes(select)


def _where_paths(where: Condition | None) -> tuple[Path, ...]:
    return () if where is None else condition_paths(where)


def _heads(paths: tuple[Path, ...]) -> Iterator[str]:
    return (str(path[0]) for path in paths)
