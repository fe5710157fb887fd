"""The grammar of conditions, which filters and key conditions share."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from singletable.expressions.reader import Reader
from singletable.expressions.written import (
    Call,
    Clause,
    Joined,
    Negated,
    WrittenCondition,
    WrittenOperand,
    WrittenPath,
    WrittenValue,
)

COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})
# Each function with the number of its operands.
FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
UPDATE_FUNCTIONS = frozenset({"if_not_exists", "list_append"})
MAX_OPTIONS = 100

# In this order DynamoDB looks for what is wrong, once the syntax is right.
PARENTHESES, FUNCTION_NAME, FUNCTION_USE, RESERVED = range(4)

# Until its comparator is seen, what stands in parentheses may be either.
Piece: TypeAlias = WrittenCondition | WrittenOperand


def read_condition(text: str) -> WrittenCondition:
    """The condition that the text writes."""
    reader = ConditionReader(text)
    condition = reader.condition(reader.alternatives())
    reader.finish()
    return condition


class ConditionReader(Reader):
    """Reads OR over AND over NOT over clauses."""

    keywords = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN"})
    reserved_rank = RESERVED

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._last_group = (0, 0)

    def alternatives(self) -> Piece:
        """Pieces with OR between them."""
        first = self._all_of()
        if self.keyword() != "OR":
            return first
        parts = [self.condition(first)]
        while self.take_keyword("OR"):
            self.count_operator()
            parts.append(self.condition(self._all_of()))
        return Joined("OR", tuple(parts))

    def _all_of(self) -> Piece:
        first = self._negation()
        if self.keyword() != "AND":
            return first
        parts = [self.condition(first)]
        while self.take_keyword("AND"):
            self.count_operator()
            parts.append(self.condition(self._negation()))
        return Joined("AND", tuple(parts))

    def _negation(self) -> Piece:
        count = 0
        while self.take_keyword("NOT"):
            self.count_operator()
            count += 1
        piece = self._clause()
        if not count:
            return piece
        condition = self.condition(piece)
        for _ in range(count):
            condition = Negated(condition)
        return condition

    def condition(self, piece: Piece) -> WrittenCondition:
        """The piece as a condition; a path or value alone is none, and something must follow it."""
        match piece:
            case Clause() | Joined() | Negated():
                return piece
            case Call(function, operands):
                if function == "size":
                    self._misused(function)
                return _clause_of(function, operands)
            case WrittenPath() | WrittenValue():
                return self.fail()
            case _:
                assert_never(piece)

    def _clause(self) -> Piece:
        left = self.deeper(self._group) if self.sees("(") else self._simple_operand()
        if not isinstance(left, WrittenPath | WrittenValue | Call):
            return left
        if self.token.text in COMPARATORS:
            operator = self.token.text
            self.at += 1
            return self._comparison(operator, (left, self.operand()))
        if self.take_keyword("BETWEEN"):
            low = self.operand()
            if not self.take_keyword("AND"):
                self.fail()
            return self._comparison("BETWEEN", (left, low, self.operand()))
        if self.take_keyword("IN"):
            self.expect("(")
            options = self.listed(self.operand)
            self.expect(")")
            return self._comparison("IN", (left, *options))
        return left

    def _comparison(self, operator: str, operands: tuple[WrittenOperand, ...]) -> Clause:
        self.count_operator()
        self._check_uses(operands)
        return _clause_of(operator, operands)

    def _group(self) -> Piece:
        opened = self._open()
        piece = self.alternatives()
        self._close(opened)
        if isinstance(piece, WrittenPath):
            return self.rest_of_path(list(piece.steps))
        return piece

    def operand(self) -> WrittenOperand:
        """A path, a value or a function, perhaps in parentheses."""
        return self.deeper(self._operand_group) if self.sees("(") else self._simple_operand()

    def _operand_group(self) -> WrittenOperand:
        opened = self._open()
        operand = self.operand()
        self._close(opened)
        if isinstance(operand, WrittenPath):
            return self.rest_of_path(list(operand.steps))
        return operand

    def _simple_operand(self) -> WrittenOperand:
        if self.token.kind == "value":
            return WrittenValue(self.value())
        if (
            self.token.kind == "word"
            and not self.keyword()
            and self.tokens[self.at + 1].text == "("
        ):
            return self.deeper(self._call)
        return self.path()

    def _call(self) -> Call:
        function = self.token.text
        self.at += 2
        self.count_operator()
        operands = self.listed(self.operand)
        self.expect(")")
        if function in UPDATE_FUNCTIONS:
            text = f"The function is not allowed in a condition expression; function: {function}"
            self.findings.note(FUNCTION_NAME, text)
        elif function not in FUNCTIONS:
            self.findings.note(FUNCTION_NAME, f"Invalid function name; function: {function}")
        self._check_uses(operands)
        return Call(function, operands)

    def _open(self) -> int:
        self.expect("(")
        return self.at - 1

    def _close(self, opened: int) -> None:
        self.expect(")")
        closed = self.at - 1
        if self._last_group == (opened + 1, closed - 1):
            self.findings.note(PARENTHESES, "The expression has redundant parentheses;")
        self._last_group = (opened, closed)

    def _check_uses(self, operands: tuple[WrittenOperand, ...]) -> None:
        """Note a test that stands where a value is needed: only size gives one."""
        for operand in operands:
            if isinstance(operand, Call) and operand.function != "size":
                self._misused(operand.function)

    def _misused(self, function: str) -> None:
        self.findings.note(
            FUNCTION_USE,
            "The function is not allowed to be used this way in an expression; "
            f"function: {function}",
        )


def _clause_of(operator: str, operands: tuple[WrittenOperand, ...]) -> Clause:
    return Clause(operator, operands, _fault_within(operands) or _fault(operator, len(operands)))


def _fault_within(operands: tuple[WrittenOperand, ...]) -> str:
    """What is wrong with the number of operands of a function inside the clause."""
    for operand in operands:
        if isinstance(operand, Call):
            fault = _fault_within(operand.operands) or _fault(
                operand.function, len(operand.operands)
            )
            if fault:
                return fault
    return ""


def _fault(operator: str, count: int) -> str:
    if operator == "IN":
        if count - 1 <= MAX_OPTIONS:
            return ""
        return (
            f"The IN operator is provided with too many operands; number of operands: {count - 1}"
        )
    if FUNCTIONS.get(operator, count) == count:
        return ""
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )
