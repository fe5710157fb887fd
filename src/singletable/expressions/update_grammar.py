"""The grammar of updates."""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias, assert_never, cast

from singletable.expressions.condition_grammar import FUNCTIONS as TESTS
from singletable.expressions.condition_grammar import UPDATE_FUNCTIONS
from singletable.expressions.reader import Reader
from singletable.expressions.written import (
    Arithmetic,
    Call,
    Section,
    WrittenAction,
    WrittenOperand,
    WrittenTerm,
    WrittenUpdate,
    WrittenValue,
)

# In this order DynamoDB looks for what is wrong, once the syntax is right.
RESERVED, FUNCTION_NAME, FUNCTION_USE, SECTION = range(4)

Sign: TypeAlias = Literal["+", "-"]


def read_update(text: str) -> WrittenUpdate:
    """The update that the text writes."""
    reader = UpdateReader(text)
    actions = reader.sections()
    reader.finish()
    return WrittenUpdate(actions, tuple(reader.names), tuple(reader.values))


class UpdateReader(Reader):
    """Reads sections of actions."""

    keywords = frozenset({"SET", "REMOVE", "ADD", "DELETE"})
    reserved_rank = RESERVED

    def sections(self) -> tuple[WrittenAction, ...]:
        """All actions, in the order of the text; each section may come once."""
        actions: list[WrittenAction] = []
        seen: set[str] = set()
        while self.token.kind != "end" or not seen:
            section = self.keyword()
            if not section:
                self.fail()
            if section in seen:
                text = f'The "{section}" section can only be used once in an update expression;'
                self.findings.note(SECTION, text)
            seen.add(section)
            self.at += 1
            actions += self.listed(partial(self._action, cast(Section, section)))
        return tuple(actions)

    def _action(self, section: Section) -> WrittenAction:
        target = self.path()
        match section:
            case "SET":
                self.expect("=")
                return WrittenAction(section, target, self._term())
            case "REMOVE":
                return WrittenAction(section, target, None)
            case "ADD" | "DELETE":
                return WrittenAction(section, target, WrittenValue(self.value()))
            case _:
                assert_never(section)

    def _term(self) -> WrittenTerm:
        left = self.deeper(self._group) if self.sees("(") else self._simple_operand()
        if isinstance(left, Arithmetic) or self.token.text not in ("+", "-"):
            return left
        sign: Sign = "+" if self.sees("+") else "-"
        self.at += 1
        self.count_operator()
        return Arithmetic(sign, left, self._operand())

    def _group(self) -> WrittenTerm:
        self.expect("(")
        term = self._term()
        self.expect(")")
        return term

    def _operand(self) -> WrittenOperand:
        return self.deeper(self._operand_group) if self.sees("(") else self._simple_operand()

    def _operand_group(self) -> WrittenOperand:
        self.expect("(")
        operand = self._operand()
        self.expect(")")
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
        operands = self.listed(self._operand)
        self.expect(")")
        if function in TESTS:
            text = f"The function is not allowed in an update expression; function: {function}"
            self.findings.note(FUNCTION_NAME, text)
        elif function not in UPDATE_FUNCTIONS:
            self.findings.note(FUNCTION_NAME, f"Invalid function name; function: {function}")
        self._check_uses(operands)
        return Call(function, operands)

    def _check_uses(self, operands: tuple[WrittenOperand, ...]) -> None:
        """Note a list_append inside a function: DynamoDB takes only if_not_exists there."""
        for operand in operands:
            if isinstance(operand, Call) and operand.function == "list_append":
                self.findings.note(
                    FUNCTION_USE,
                    "The function is not allowed to be used this way in an expression; "
                    "function: list_append",
                )
