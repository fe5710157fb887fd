"""A walk over the tokens of an expression, with what all its grammars share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from singletable.expressions.nodes import At
from singletable.expressions.problem import Findings, Problem
from singletable.expressions.reserved_words import RESERVED_WORDS
from singletable.expressions.tokens import Token, syntax_error, tokenize
from singletable.expressions.written import WrittenPath

MAX_OPERATORS = 300
MAX_PATH_STEPS = 32
MAX_LIST_INDEX = 2**31 - 1
# DynamoDB names no limit. Ours keeps a hostile text from exhausting the stack.
MAX_NESTING = 100

Part = TypeVar("Part")


class Reader:
    """Where we are in the text. A grammar is a subclass, in which `keywords` name no attribute."""

    keywords: frozenset[str] = frozenset()
    reserved_rank = 0

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.at: int = 0
        self.findings = Findings()
        self.names: list[str] = []
        self.values: list[str] = []
        self._operators = 0
        self._nesting = 0

    @property
    def token(self) -> Token:
        """The token we stand before."""
        return self.tokens[self.at]

    def fail(self) -> NoReturn:
        """Refuse the token we stand before."""
        raise syntax_error(self.text, self.tokens, self.at)

    def sees(self, symbol: str) -> bool:
        """Whether the token is this symbol."""
        return self.token.text == symbol

    def take(self, symbol: str) -> bool:
        """Step over the symbol, if it is there."""
        if self.sees(symbol):
            self.at += 1
            return True
        return False

    def expect(self, symbol: str) -> None:
        """Step over the symbol, or fail."""
        if not self.take(symbol):
            self.fail()

    def keyword(self) -> str:
        """The keyword we stand before, in upper case; "" if it is none."""
        word = self.token.text.upper()
        return word if word in self.keywords else ""

    def take_keyword(self, word: str) -> bool:
        """Step over the keyword, if it is there."""
        if self.keyword() == word:
            self.at += 1
            return True
        return False

    def finish(self) -> None:
        """Fail unless the text has ended; then report what was noted on the way."""
        if self.token.kind != "end":
            self.fail()
        self.findings.report()

    def count_operator(self) -> None:
        """One more operator or function; DynamoDB stops counting at the first too many."""
        self._operators += 1
        if self._operators == MAX_OPERATORS + 1:
            self.findings.note(
                0, f"The expression contains too many operators; operator count: {self._operators}"
            )

    def deeper(self, read: Callable[[], Part]) -> Part:
        """What `read` reads, one level of parentheses further in."""
        self._nesting += 1
        if self._nesting > MAX_NESTING:
            raise Problem(
                "The expression is nested too deeply; parentheses and functions may stand inside "
                f"each other {MAX_NESTING} levels deep"
            )
        part = read()
        self._nesting -= 1
        return part

    def listed(self, read: Callable[[], Part]) -> tuple[Part, ...]:
        """One or more parts with commas between them."""
        parts = [read()]
        while self.take(","):
            parts.append(read())
        return tuple(parts)

    def value(self) -> str:
        """A `:value`."""
        alias = self.token.text
        if self.token.kind != "value":
            self.fail()
        self.values.append(alias)
        self.at += 1
        return alias

    def path(self) -> WrittenPath:
        """A document path: names with dots between them and indexes in brackets."""
        return self.rest_of_path([self._step()])

    def rest_of_path(self, steps: list[str | int]) -> WrittenPath:
        """The path that begins with `steps`."""
        while True:
            if self.take("."):
                steps.append(self._step())
            elif self.take("["):
                steps.append(self._index())
                self.expect("]")
            else:
                break
        if len(steps) > MAX_PATH_STEPS:
            self.findings.note(
                self.reserved_rank,
                f"The document path has too many nesting levels; nesting levels: {len(steps)}",
            )
        path = tuple(steps)
        aliased = any(isinstance(step, str) and step[0] == "#" for step in path)
        return WrittenPath(path, None if aliased else At(path))

    def _step(self) -> str:
        kind, text, _, _ = self.token
        if kind == "name":
            self.names.append(text)
        elif kind != "word" or text.upper() in self.keywords:
            self.fail()
        elif text.upper() in RESERVED_WORDS:
            self.findings.note(
                self.reserved_rank,
                f"Attribute name is a reserved keyword; reserved keyword: {text}",
            )
        self.at += 1
        return text

    def _index(self) -> int:
        kind, digits, _, _ = self.token
        if kind != "number":
            self.fail()
        self.at += 1
        if int(digits) > MAX_LIST_INDEX:
            self.findings.note(
                self.reserved_rank,
                f"List index is not within the allowable range; index: [{digits}]",
            )
            return 0
        return int(digits)
