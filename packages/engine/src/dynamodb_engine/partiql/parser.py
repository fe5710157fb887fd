"""Parse PartiQL statements, by recursive descent.

DynamoDB parses all of PartiQL and then rejects what it does not support. So an error about the
syntax is raised at once, and one about a clause that is not supported is kept in the tree: it is
reported only if the rest of the statement is well formed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, cast

from msgspec.structs import replace

from dynamodb_engine.expressions.grammar import COMPARATORS, MAX_LIST_INDEX
from dynamodb_engine.partiql.lexer import StatementError, Token, malformed, read_tokens
from dynamodb_engine.partiql.statements import Node, OrderTerm, Parsed, ReturnedValues

__all__ = ["ONLY_EXISTS", "parse_statement"]

T = TypeVar("T")

# Longer statements are not cached: parsed, they take 100 times the memory of their text.
CACHE_SIZE = 512
MAX_CACHED_LENGTH = 2048
MAX_DEPTH = 70
EMPTY_COMPONENT = "Path component cannot be an empty string"
ONLY_EXISTS = "EXISTS can only be used in ExecuteTransaction write requests."
TOO_DEEP = "Expressions are nested too deeply"
MATCHERS = ("in", "between", "like")
NOT, SUM = 3, 5
# How strongly operators bind. NOT is between AND and the comparisons.
STRENGTHS = {"or": 1, "and": 2, **dict.fromkeys(("is", *MATCHERS, *COMPARATORS), 4)} | {
    **dict.fromkeys(("+", "-", "||"), SUM),
    **dict.fromkeys(("*", "/", "%"), 6),
}
_CLOSING = {"(": ")", "[": "]", "<<": ">>", "{": "}"}
_WORDS = {
    "true": Node("value", "", value={"BOOL": True}),
    "false": Node("value", "", value={"BOOL": False}),
    "null": Node("value", "", value={"NULL": True}),
    "missing": Node("missing", ""),
}
# Keywords that are functions if a parenthesis follows.
_FUNCTIONS = (
    "avg cast char_length character_length coalesce count date exists extract lower max min nullif "
    "position size substring sum time trim upper"
)
FUNCTIONS = frozenset(_FUNCTIONS.split())
_TYPES = (
    "any bag blob boolean character clob date decimal float integer list missing null numeric real "
    "sexp smallint string struct symbol time timestamp tuple"
)
# The names of types after IS, as DynamoDB calls them.
TYPES = {
    "bool": "BOOLEAN",
    "char": "CHARACTER",
    "int": "INTEGER",
    "int2": "SMALLINT",
    "int4": "INTEGER4",
    "int8": "INTEGER8",
    "varchar": "CHARACTER_VARYING",
    "character varying": "CHARACTER_VARYING",
    "double precision": "DOUBLE_PRECISION",
} | {word: word.upper() for word in _TYPES.split()}


def parse_statement(text: str) -> Parsed:
    """Return the statement; raise StatementError unless it is well formed."""
    parse = _parse if len(text) <= MAX_CACHED_LENGTH else _parse.__wrapped__
    return parse(text)


@lru_cache(CACHE_SIZE)
def _parse(text: str) -> Parsed:
    return _Parser(read_tokens(text)).parse()


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.parameters = 0
        self.depth = 0
        self.error = ""  # the first clause that is not supported

    # --- Tokens

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.position += 1
        return token

    def at(self, *words: str) -> bool:
        """Return whether the next token is one of these keywords or symbols."""
        return self.token.kind in ("keyword", "symbol") and self.token.value in words

    def precedes(self, *words: str) -> bool:
        """Return whether the token after the next has one of these values."""
        return self.tokens[self.position + 1].value in words

    def take(self, *words: str) -> bool:
        """Skip the keywords or symbols if all of them follow."""
        following = self.tokens[self.position : self.position + len(words)]
        found = [token.value for token in following if token.kind in ("keyword", "symbol")]
        if found != [*words]:
            return False
        self.position += len(words)
        return True

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise malformed(f"Expected {word.upper()}")

    def listed(self, parse: Callable[[], T]) -> tuple[T, ...]:
        """Parse one or more parts with commas between them."""
        parts = [parse()]
        while self.take(","):
            parts.append(parse())
        return tuple(parts)

    def reject(self, message: str) -> None:
        """Keep an error about something that is well formed, but not supported."""
        self.error = self.error or message

    # --- Statements

    def parse(self) -> Parsed:
        statement = self.statement()
        self.take(";")
        if self.token.kind != "end":
            raise malformed("Unexpected token after expression")
        return replace(statement, parameters=self.parameters, error=self.error)

    def statement(self) -> Parsed:
        if self.take("select"):
            return self.select()
        if self.take("insert"):
            return self.insert()
        if self.take("update"):
            source, changes = self.simple_source(), self.changes()
            return Parsed("update", source, self.where(), self.returning(), changes=changes)
        if self.take("delete"):
            self.expect("from")
            return Parsed("delete", self.simple_source(), self.where(), self.returning())
        if self.take("from"):
            return self.from_first()
        for word, name in (("create", "CreateTable"), ("drop", "DropTable")):
            if self.take(word, "table"):
                raise StatementError(f"Unsupported operation: {name}")
        return self.other_statement()

    def other_statement(self) -> Parsed:
        """Parse EXISTS(SELECT …); reject any other expression."""
        names = {"IS": "IsType", "path": "VariableReference", "value": "Literal"}
        match self.expression():
            case Node("call", members=(Node(select=Parsed() as select),), name="exists"):
                return replace(select, kind="exists")
            case Node(kind) if kind in names:
                self.reject(f"Unsupported operation: {names[kind]}")
            case _:
                self.reject(ONLY_EXISTS)
        return Parsed("delete", ())

    def select(self) -> Parsed:
        if self.take("distinct"):
            self.reject("Unsupported token in expression: DISTINCT")
        if self.take("value") or self.take("pivot"):
            self.reject("Select projection doesn't support value or pivot keywords")
        projection = None if self.take("*") else self.listed(self.projected)
        self.expect("from")
        source, where = self.source(), self.where()
        if self.take("group", "by"):
            self.listed(self.expression)
            self.reject("Unsupported clause: GROUP BY")
        self.unsupported("having")
        order = self.listed(self.order_term) if self.take("order", "by") else ()
        self.unsupported("limit")
        return Parsed("select", source, where, projection=projection, order=order)

    def unsupported(self, clause: str) -> None:
        if self.take(clause):
            self.reject(f"Unsupported clause: {clause.upper()} at {self.expression().place}")

    def projected(self) -> Node:
        term = self.expression()
        self.alias()
        return term

    def alias(self) -> None:
        if self.take("as") or self.token.kind in ("name", "quoted"):
            self.advance()
            self.reject("Aliasing is not supported")

    def order_term(self) -> OrderTerm:
        key = self.expression()
        if len(key.path) != 1:
            kind = "PATH" if key.path else "LITERAL"
            self.reject(f"Argument to ORDER BY must be of type VariableReference. Type: {kind}")
        term = OrderTerm(str(key.path[0]) if key.path else "", self.take("desc"))
        self.take("asc")
        return term

    def insert(self) -> Parsed:
        self.expect("into")
        source = _names(self.simple_path())
        if not self.take("value"):
            self.take("values")
            self.reject("Unsupported operation: InsertOp")
        item = self.expression()
        if self.returning() is not None:
            self.reject("RETURNING is not supported in INSERT")
        return Parsed("insert", source, item=item)

    def from_first(self) -> Parsed:
        source, where, changes = self.source(), self.where(), self.changes()
        return Parsed("update", source, where, self.returning(), changes=changes)

    def changes(self) -> tuple[tuple[Node, Node | None], ...]:
        """Parse one or more SET and REMOVE clauses."""
        changes: list[tuple[Node, Node | None]] = []
        while True:
            if self.take("set"):
                changes += self.listed(self.assignment)
            elif self.take("remove"):
                changes.append((self.simple_path(), None))
            elif changes:
                return tuple(changes)
            else:
                raise malformed("Expected data manipulation")

    def assignment(self) -> tuple[Node, Node]:
        target = self.simple_path()
        self.expect("=")
        return target, self.expression()

    def where(self) -> Node | None:
        return self.expression() if self.take("where") else None

    def returning(self) -> ReturnedValues | None:
        if not self.take("returning"):
            return None
        returned, *others = self.listed(self.returned_values)
        if others:
            self.reject("Invalid syntax with multiple returning elements in RETURNING clause")
        return returned

    def returned_values(self) -> ReturnedValues:
        amount, image = self.advance(), self.advance()
        if amount.value not in ("all", "modified") or image.value not in ("old", "new"):
            raise malformed("Expected ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
        if not self.take("*"):
            self.expression()
            self.reject("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
        prefix = "ALL" if amount.value == "all" else "UPDATED"
        return cast("ReturnedValues", f"{prefix}_{image.value.upper()}")

    def source(self) -> tuple[str, ...]:
        """Parse the source of a SELECT: DynamoDB reads any expression."""
        source = self.expression()
        if source.kind != "path":
            self.reject("Unexpected from source")
        self.alias()
        while self.take(","):
            self.expression()
            self.reject("Only select from a single table or index is supported.")
        return _names(source)

    def simple_source(self) -> tuple[str, ...]:
        source = self.simple_path()
        self.alias()
        return _names(source)

    def simple_path(self, message: str = "Expected identifier for simple path") -> Node:
        if self.token.kind not in ("name", "quoted"):
            raise malformed(message)
        return self.path()

    # --- Expressions

    def expression(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise malformed(TOO_DEEP)
        expression = self.operators(1)
        self.depth -= 1
        return expression

    def operators(self, weakest: int) -> Node:
        """Parse operands, and the operators between them that bind at least as strongly."""
        negations = self.prefixes("not") if weakest <= NOT else []
        left = self.operators(NOT + 1) if negations else self.signed()
        for token in reversed(negations):
            left = _nested("NOT", token.place, (left,))
        while (strength := self.strength()) >= weakest:
            if self.at("is"):
                left = self.is_type(left)
            elif self.at("not", *MATCHERS):
                left = self.matching(left)
            else:
                operator = self.advance()
                if self.token.kind == "end" or self.at(";"):
                    raise malformed("Missing right-hand side expression of infix operator")
                operands = (left, self.operators(strength + 1))
                left = _nested(operator.value.upper(), operator.place, operands)
        return left

    def strength(self) -> int:
        """Return how strongly the operator that follows binds; 0: none follows."""
        if self.at("not"):
            return STRENGTHS["in"] if self.precedes(*MATCHERS) else 0
        return STRENGTHS.get(self.token.value, 0) if self.at(*STRENGTHS) else 0

    def prefixes(self, *words: str) -> list[Token]:
        tokens: list[Token] = []
        while self.at(*words):
            tokens.append(self.advance())
        return tokens

    def is_type(self, operand: Node) -> Node:
        place = self.advance().place
        is_negated = self.take("not")
        word = self.advance()
        name = word.value.lower()
        if name in ("double", "character") and f"{name} {self.token.value.lower()}" in TYPES:
            name = f"{name} {self.advance().value.lower()}"
        if word.kind not in ("name", "keyword") or name not in TYPES:
            raise malformed("Expected type name")
        tested = _nested("IS", place, (operand,), TYPES[name])
        return _nested("NOT", place, (tested,)) if is_negated else tested

    def matching(self, left: Node) -> Node:
        """Parse the rest of IN, BETWEEN or LIKE, with or without NOT."""
        negations = self.prefixes("not")
        operator = self.advance()
        is_list = operator.value == "in" and self.at("(")
        operands = [left, self.collection("list") if is_list else self.operators(SUM)]
        if operator.value == "between":
            self.expect("and")
            operands.append(self.operators(SUM))
        matched = _nested(operator.value.upper(), operator.place, tuple(operands))
        return _nested("NOT", negations[0].place, (matched,)) if negations else matched

    def signed(self) -> Node:
        """Parse an operand; signs belong to a number that follows them."""
        signs = self.prefixes("+", "-")
        operand = self.term()
        for sign in reversed(signs):
            number = operand.value.get("N")
            if number is None:
                operand = _nested(sign.value, sign.place, (operand,))
            elif sign.value == "-":
                number = number[1:] if number[0] == "-" else f"-{number}"
                operand = replace(operand, value={"N": number})
        return operand

    def term(self) -> Node:
        token = self.token
        match token.kind:
            case "name" | "quoted":
                is_call = token.kind == "name" and self.precedes("(")
                return self.call() if is_call else self.path()
            case "string":
                return Node("value", token.place, value={"S": self.advance().value})
            case "number":
                return Node("value", token.place, value={"N": _check_number(self.advance().value)})
            case "ion":
                return Node("ion", token.place, name=self.advance().value)
            case "keyword":
                return self.keyword_term()
            case "symbol":
                return self.symbol_term()
            case _:
                raise malformed("Unexpected term")

    def keyword_term(self) -> Node:
        token = self.token
        word = token.value
        if word in FUNCTIONS and self.precedes("("):
            return self.call()
        if word in _WORDS:
            return replace(_WORDS[word], place=self.advance().place)
        if self.take("select"):
            return Node("subquery", token.place, select=self.select())
        if self.take("from"):
            self.from_first()  # raises unless it changes something
        is_operator = word in ("is", "and", "or", *MATCHERS)
        raise malformed("Unexpected operator" if is_operator else "Unexpected keyword")

    def symbol_term(self) -> Node:
        token = self.token
        match token.value:
            case "?":
                self.advance()
                self.parameters += 1
                return Node("parameter", token.place, number=self.parameters - 1)
            case "@":
                self.advance()
                return self.simple_path("Unexpected term")
            case "(":
                listed = self.collection("list")
                return listed.members[0] if len(listed.members) == 1 else listed
            case "[" | "<<":
                return self.collection("list" if token.value == "[" else "bag")
            case "{":
                return self.collection("map")
            case ")" | "]" | "}" | ">>" | "," | ";" | "." | ":":
                raise malformed("Unexpected term")
            case _:
                raise malformed("Unexpected operator")

    def collection(self, kind: str) -> Node:
        """Parse what is in parentheses, which are not empty, or in other brackets."""
        opening = self.advance()
        closing = _CLOSING[opening.value]
        members: list[Node] = []
        if kind == "map":
            while not self.at(closing):
                name = self.expression()
                self.expect(":")
                members += (name, self.expression())
                if not self.take(","):
                    break
        elif closing == ")" or not self.at(closing):
            members += self.listed(self.expression)
        self.expect(closing)
        return _nested(kind, opening.place, tuple(members))

    def call(self) -> Node:
        name = self.advance()
        self.advance()
        if self.take("*", ")"):
            return Node("call", name.place, (Node("missing", name.place),), name.value)
        arguments = () if self.at(")") else self.listed(self.expression)
        self.expect(")")
        return _nested("call", name.place, arguments, name.value.lower())

    def path(self) -> Node:
        head = self.advance()
        steps: list[str | int] = [head.value]
        errors = [] if head.value else [EMPTY_COMPONENT]
        while True:
            if self.take("."):
                step = self.advance()
                if step.kind == "symbol" and step.value == "*":
                    errors.append("Changing item's hierarchy while reading isn't supported")
                elif step.kind not in ("name", "quoted"):
                    raise malformed("Invalid path dot component")
                elif not step.value:
                    errors.append(EMPTY_COMPONENT)
                steps.append(step.value)
            elif self.take("["):
                steps.append(self.index(errors))
                self.expect("]")
            else:
                return Node("path", head.place, path=tuple(steps), error=next(iter(errors), ""))

    def index(self, errors: list[str]) -> str | int:
        """Parse what is in the brackets of a path."""
        match self.expression():
            case Node("value", value={"S": name}):
                return name
            case Node("value", place, value={"N": number}) if number.lstrip("-").isdigit():
                if not 0 <= int(number) <= MAX_LIST_INDEX:
                    text = "List index is not within the allowable range; index: "
                    errors.append(f"{text}[{number}] at {place}")
                return int(number)
            case expression:
                errors.append(f"Unexpected path component at {expression.place}")
                return 0


def _nested(kind: str, place: str, members: tuple[Node, ...], name: str = "") -> Node:
    """Return an operator, call or collection; only chains of AND and of OR may be long."""
    depth = max([member.depth for member in members], default=0) + 1
    if kind in ("AND", "OR") and members[0].kind == kind:
        depth = max(members[0].depth, members[1].depth + 1)
    if depth > MAX_DEPTH:
        raise malformed(TOO_DEEP)
    return Node(kind, place, members, name, depth=depth)


def _names(source: Node) -> tuple[str, ...]:
    return tuple(map(str, source.path)) or ("",)


def _check_number(text: str) -> str:
    """Return the number; its exponent, and its scale, must fit into 32 bits."""
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent[:12] or "0")
    scale = len(mantissa.partition(".")[2]) - power
    if not -(2**31) <= power < 2**31 or not -(2**31) <= scale < 2**31:
        raise malformed()
    return text
