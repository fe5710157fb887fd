"""Recursive-descent parsers for conditions, updates and projections.

Filters and key conditions use the grammar of conditions. Once the syntax is right, DynamoDB checks
an expression for several kinds of errors in a fixed order; so an error is noted with its rank, and
the one with the lowest rank is raised at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NoReturn, TypeAlias, TypeVar, assert_never, cast

from dynamodb_engine.expressions import syntax
from dynamodb_engine.expressions.nodes import At
from dynamodb_engine.expressions.reserved_words import RESERVED_WORDS

MAX_OPERATORS = 300
MAX_OPTIONS = 100
MAX_PATH_STEPS = 32
MAX_LIST_INDEX = 2**31 - 1
# DynamoDB documents no limit. Ours keeps a hostile text from exhausting the stack.
MAX_NESTING = 100

COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
# Each function of a condition with the number of its operands.
CONDITION_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
UPDATE_FUNCTIONS = frozenset({"if_not_exists", "list_append"})

# Ranks of errors. Reserved words and redundant parentheses rank differently in each grammar.
FUNCTION_NAME, FUNCTION_USE = 1, 2

T = TypeVar("T")


def read_condition(text: str) -> syntax.ParsedCondition:
    """Parse a condition, a filter or a key condition."""
    grammar = ConditionGrammar(text)
    condition = grammar.to_condition(grammar.disjunction())
    grammar.finish()
    return condition


def read_update(text: str) -> syntax.ParsedUpdate:
    """Parse an update."""
    grammar = UpdateGrammar(text)
    actions = grammar.sections()
    grammar.finish()
    return syntax.ParsedUpdate(actions, tuple(grammar.names), tuple(grammar.values))


def read_projection(text: str) -> syntax.ParsedProjection:
    """Parse a projection: paths separated by commas."""
    grammar = Grammar(text)
    paths = grammar.comma_separated(grammar.path)
    grammar.finish()
    return paths


class Grammar:
    """Parses what all expressions share: paths, values, function calls and parentheses."""

    # Attributes cannot have the name of a keyword, in any case.
    keywords: frozenset[str] = frozenset()
    kind = ""
    functions: frozenset[str] = frozenset()
    functions_elsewhere: frozenset[str] = frozenset()
    reserved_rank = 0

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = syntax.tokenize(text)
        self.position: int = 0
        self.names: list[str] = []
        self.values: list[str] = []
        self._error: tuple[int, str] | None = None
        self._operators = 0
        self._nesting = 0

    @property
    def token(self) -> syntax.Token:
        """The current token."""
        return self.tokens[self.position]

    def note(self, rank: int, text: str) -> None:
        """Note an error to raise at the end, unless one with the same or a lower rank is noted."""
        if self._error is None or rank < self._error[0]:
            self._error = (rank, text)

    def fail(self) -> NoReturn:
        """Raise a syntax error at the current token."""
        raise syntax.syntax_error(self.text, self.tokens, self.position)

    def finish(self) -> None:
        """Raise unless the text has ended; then raise the noted error, if any."""
        if self.token.kind != "end":
            self.fail()
        if self._error is not None:
            raise syntax.ExpressionError(self._error[1])

    def sees(self, symbol: str) -> bool:
        """Return whether the current token is this symbol."""
        return self.token.text == symbol

    def take(self, symbol: str) -> bool:
        """Consume the symbol if it is next; return whether it was."""
        if self.sees(symbol):
            self.position += 1
            return True
        return False

    def expect(self, symbol: str) -> None:
        """Consume the symbol, or fail."""
        if not self.take(symbol):
            self.fail()

    def keyword(self) -> str:
        """Return the current token in upper case if it is a keyword, else ""."""
        word = self.token.text.upper()
        return word if word in self.keywords else ""

    def take_keyword(self, word: str) -> bool:
        """Consume the keyword if it is next; return whether it was."""
        if self.keyword() == word:
            self.position += 1
            return True
        return False

    def count_operator(self) -> None:
        """Count an operator or function; note an error for the first beyond the limit."""
        self._operators += 1
        if self._operators == MAX_OPERATORS + 1:
            self.note(
                0, f"The expression contains too many operators; operator count: {self._operators}"
            )

    def nested(self, parse: Callable[[], T]) -> T:
        """Call `parse` one nesting level deeper; raise beyond the limit."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise syntax.ExpressionError(
                "The expression is nested too deeply; parentheses and functions may be nested "
                f"{MAX_NESTING} levels deep"
            )
        result = parse()
        self._nesting -= 1
        return result

    def comma_separated(self, parse: Callable[[], T]) -> tuple[T, ...]:
        """Parse one or more parts separated by commas."""
        parts = [parse()]
        while self.take(","):
            parts.append(parse())
        return tuple(parts)

    def value(self) -> str:
        """Parse a `:value`."""
        alias = self.token.text
        if self.token.kind != "value":
            self.fail()
        self.values.append(alias)
        self.position += 1
        return alias

    def path(self) -> syntax.ParsedPath:
        """Parse a document path: names separated by dots, and indexes in brackets."""
        return self.rest_of_path([self._path_step()])

    def rest_of_path(self, steps: list[str | int]) -> syntax.ParsedPath:
        """Parse the rest of a path that starts with `steps`."""
        while True:
            if self.take("."):
                steps.append(self._path_step())
            elif self.take("["):
                steps.append(self._list_index())
                self.expect("]")
            else:
                break
        if len(steps) > MAX_PATH_STEPS:
            self.note(
                self.reserved_rank,
                f"The document path has too many nesting levels; nesting levels: {len(steps)}",
            )
        path = tuple(steps)
        aliased = any(isinstance(step, str) and step[0] == "#" for step in path)
        return syntax.ParsedPath(path, None if aliased else At(path))

    def _path_step(self) -> str:
        kind, text, _, _ = self.token
        if kind == "name":
            self.names.append(text)
        elif kind != "word" or text.upper() in self.keywords:
            self.fail()
        elif text.upper() in RESERVED_WORDS:
            self.note(
                self.reserved_rank,
                f"Attribute name is a reserved keyword; reserved keyword: {text}",
            )
        self.position += 1
        return text

    def _list_index(self) -> int:
        kind, digits, _, _ = self.token
        if kind != "number":
            self.fail()
        self.position += 1
        if int(digits) > MAX_LIST_INDEX:
            self.note(
                self.reserved_rank,
                f"List index is not within the allowable range; index: [{digits}]",
            )
            return 0
        return int(digits)

    def operand(self) -> syntax.ParsedOperand:
        """Parse a path, a value or a function call, possibly in parentheses."""
        return self.nested(self.operand_group) if self.sees("(") else self.simple_operand()

    def operand_group(self) -> syntax.ParsedOperand:
        """Parse an operand in parentheses."""
        opened = self.open_group()
        operand = self.operand()
        self.close_group(opened)
        return operand

    def simple_operand(self) -> syntax.ParsedOperand:
        """Parse a path, a value or a function call."""
        if self.token.kind == "value":
            return syntax.ParsedValue(self.value())
        if (
            self.token.kind == "word"
            and not self.keyword()
            and self.tokens[self.position + 1].text == "("
        ):
            return self.nested(self._call)
        return self.path()

    def _call(self) -> syntax.ParsedCall:
        function = self.token.text
        self.position += 2
        self.count_operator()
        operands = self.comma_separated(self.operand)
        self.expect(")")
        if function in self.functions_elsewhere:
            text = f"The function is not allowed in {self.kind} expression; function: {function}"
            self.note(FUNCTION_NAME, text)
        elif function not in self.functions:
            self.note(FUNCTION_NAME, f"Invalid function name; function: {function}")
        self.check_inner_calls(operands)
        return syntax.ParsedCall(function, operands)

    def check_inner_calls(self, operands: tuple[syntax.ParsedOperand, ...]) -> None:
        """Note a call that is not allowed as an operand."""
        for operand in operands:
            if isinstance(operand, syntax.ParsedCall) and not self.is_operand(operand.function):
                self.note_misuse(operand.function)

    def is_operand(self, function: str) -> bool:
        """Return whether the function may be called in an operand."""
        return True

    def note_misuse(self, function: str) -> None:
        """Note a function that is called where it is not allowed."""
        self.note(
            FUNCTION_USE,
            "The function is not allowed to be used this way in an expression; "
            f"function: {function}",
        )

    def open_group(self) -> int:
        """Consume "(" and return its position."""
        self.expect("(")
        return self.position - 1

    def close_group(self, opened: int) -> None:
        """Consume the ")" of the group that was opened there."""
        self.expect(")")


# Until its comparator is parsed, a group in parentheses may be either.
_Piece: TypeAlias = syntax.ParsedCondition | syntax.ParsedOperand


class ConditionGrammar(Grammar):
    """Parses OR over AND over NOT over clauses."""

    PARENTHESES, RESERVED = 0, 3

    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})
    kind = "a condition"
    functions = frozenset(CONDITION_FUNCTIONS)
    functions_elsewhere = UPDATE_FUNCTIONS
    reserved_rank = RESERVED

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._last_group = (0, 0)

    def disjunction(self) -> _Piece:
        """Parse pieces joined by OR."""
        return self._junction("OR", self._conjunction)

    def _conjunction(self) -> _Piece:
        return self._junction("AND", self._negation)

    def _junction(self, word: Literal["AND", "OR"], parse: Callable[[], _Piece]) -> _Piece:
        first = parse()
        if self.keyword() != word:
            return first
        parts = [self.to_condition(first)]
        while self.take_keyword(word):
            self.count_operator()
            parts.append(self.to_condition(parse()))
        return syntax.ParsedJunction(word, tuple(parts))

    def _negation(self) -> _Piece:
        count = 0
        while self.take_keyword("NOT"):
            self.count_operator()
            count += 1
        piece = self._clause()
        if not count:
            return piece
        condition = self.to_condition(piece)
        for _ in range(count):
            condition = syntax.ParsedNot(condition)
        return condition

    def to_condition(self, piece: _Piece) -> syntax.ParsedCondition:
        """Return the piece as a condition; fail if it is only a path or a value."""
        match piece:
            case syntax.ParsedClause() | syntax.ParsedJunction() | syntax.ParsedNot():
                return piece
            case syntax.ParsedCall(function, operands):
                if function == "size":
                    self.note_misuse(function)
                return _new_clause(function, operands)
            case syntax.ParsedPath() | syntax.ParsedValue():
                return self.fail()
            case _:
                assert_never(piece)

    def _clause(self) -> _Piece:
        left = self.nested(self._group) if self.sees("(") else self.simple_operand()
        if not isinstance(left, syntax.ParsedPath | syntax.ParsedValue | syntax.ParsedCall):
            return left
        if self.token.text in COMPARATORS:
            operator = self.token.text
            self.position += 1
            return self._comparison(operator, (left, self.operand()))
        if self.take_keyword("BETWEEN"):
            low = self.operand()
            if not self.take_keyword("AND"):
                self.fail()
            return self._comparison("BETWEEN", (left, low, self.operand()))
        if self.take_keyword("IN"):
            self.expect("(")
            options = self.comma_separated(self.operand)
            self.expect(")")
            return self._comparison("IN", (left, *options))
        return left

    def _comparison(
        self, operator: str, operands: tuple[syntax.ParsedOperand, ...]
    ) -> syntax.ParsedClause:
        self.count_operator()
        self.check_inner_calls(operands)
        return _new_clause(operator, operands)

    def _group(self) -> _Piece:
        opened = self.open_group()
        piece = self.disjunction()
        self.close_group(opened)
        return self._continue_path(piece) if isinstance(piece, syntax.ParsedPath) else piece

    def operand_group(self) -> syntax.ParsedOperand:
        """Parse an operand in parentheses; a path may continue after them: `(a).b`."""
        operand = super().operand_group()
        return self._continue_path(operand) if isinstance(operand, syntax.ParsedPath) else operand

    def _continue_path(self, path: syntax.ParsedPath) -> syntax.ParsedPath:
        return self.rest_of_path(list(path.steps))

    def close_group(self, opened: int) -> None:
        """Consume the ")" and note parentheses directly inside other parentheses."""
        super().close_group(opened)
        closed = self.position - 1
        if self._last_group == (opened + 1, closed - 1):
            self.note(self.PARENTHESES, "The expression has redundant parentheses;")
        self._last_group = (opened, closed)

    def is_operand(self, function: str) -> bool:
        """Return True for size() alone: the other functions return no value."""
        return function == "size"


def _new_clause(operator: str, operands: tuple[syntax.ParsedOperand, ...]) -> syntax.ParsedClause:
    error = _inner_count_error(operands) or count_error(operator, len(operands))
    return syntax.ParsedClause(operator, operands, error)


def _inner_count_error(operands: tuple[syntax.ParsedOperand, ...]) -> str:
    """Return the error for the first inner call with a wrong number of operands."""
    for operand in operands:
        if isinstance(operand, syntax.ParsedCall):
            error = _inner_count_error(operand.operands) or count_error(
                operand.function, len(operand.operands)
            )
            if error:
                return error
    return ""


def count_error(operator: str, count: int) -> str:
    """Return the error for a wrong number of operands, or an empty text."""
    if operator == "IN" and count - 1 > MAX_OPTIONS:
        return (
            f"The IN operator is provided with too many operands; number of operands: {count - 1}"
        )
    is_correct = CONDITION_FUNCTIONS.get(operator, count) == count
    return "" if is_correct else syntax.wrong_count(operator, count)


class UpdateGrammar(Grammar):
    """Parses the sections of an update and their actions."""

    RESERVED, SECTION = 0, 3

    keywords = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
    kind = "an update"
    functions = UPDATE_FUNCTIONS
    functions_elsewhere = frozenset(CONDITION_FUNCTIONS)
    reserved_rank = RESERVED

    def sections(self) -> tuple[syntax.ParsedAction, ...]:
        """Parse all actions, in the order of the text; each section may occur once."""
        actions: list[syntax.ParsedAction] = []
        seen: set[str] = set()
        while self.token.kind != "end" or not seen:
            section = self.keyword()
            if not section:
                self.fail()
            if section in seen:
                text = f'The "{section}" section can only be used once in an update expression;'
                self.note(self.SECTION, text)
            seen.add(section)
            self.position += 1
            actions += self.comma_separated(partial(self._action, cast(syntax.Section, section)))
        return tuple(actions)

    def _action(self, section: syntax.Section) -> syntax.ParsedAction:
        target = self.path()
        match section:
            case "SET":
                self.expect("=")
                return syntax.ParsedAction(section, target, self._term())
            case "REMOVE":
                return syntax.ParsedAction(section, target, None)
            case "ADD" | "DELETE":
                return syntax.ParsedAction(section, target, syntax.ParsedValue(self.value()))
            case _:
                assert_never(section)

    def _term(self) -> syntax.ParsedTerm:
        left = self.nested(self._term_group) if self.sees("(") else self.simple_operand()
        if isinstance(left, syntax.ParsedArithmetic) or self.token.text not in ("+", "-"):
            return left
        sign: Literal["+", "-"] = "+" if self.sees("+") else "-"
        self.position += 1
        self.count_operator()
        return syntax.ParsedArithmetic(sign, left, self.operand())

    def _term_group(self) -> syntax.ParsedTerm:
        opened = self.open_group()
        term = self._term()
        self.close_group(opened)
        return term

    def is_operand(self, function: str) -> bool:
        """Return False for list_append(): DynamoDB allows only if_not_exists() in a function."""
        return function != "list_append"
