"""Parse PartiQL statements, by recursive descent.

DynamoDB parses all of PartiQL and then rejects what it does not support. So an error about the
syntax is raised at once, and one about a clause that is not supported is kept in the tree: it is
reported only if the rest of the statement is well formed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from msgspec.structs import replace

from singletable.partiql.lexer import StatementError, Token, malformed, read_tokens
from singletable.partiql.statements import (
    Call,
    Expression,
    IonLiteral,
    IsType,
    Missing,
    Operator,
    OrderTerm,
    Parameter,
    Parsed,
    ParsedDelete,
    ParsedExists,
    ParsedInsert,
    ParsedSelect,
    ParsedStatement,
    ParsedUpdate,
    Reference,
    ReturnedValues,
    Sequence,
    Source,
    Subquery,
    Tuple,
    Value,
)

__all__ = ["parse_statement"]

# Longer statements are not cached: parsed, they take 100 times the memory of their text.
CACHE_SIZE = 512
MAX_CACHED_LENGTH = 2048
MAX_DEPTH = 70
MAX_INDEX = 2**31 - 1
LIKE_OPERATORS = ("is", "like", "in", "between", "and", "or")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_FUNCTIONS = (
    "avg cast char_length character_length coalesce count date exists extract lower max min nullif "
    "position size substring sum time trim upper"
)
FUNCTION_KEYWORDS = frozenset(_FUNCTIONS.split())
_TYPES = (
    "any bag blob character clob date decimal float integer list missing null numeric real sexp "
    "smallint string struct symbol time timestamp tuple"
)
# The names of types after IS, as DynamoDB calls them.
TYPES = {
    "bool": "BOOLEAN",
    "boolean": "BOOLEAN",
    "char": "CHARACTER",
    "int": "INTEGER",
    "int2": "SMALLINT",
    "int4": "INTEGER4",
    "int8": "INTEGER8",
    "varchar": "CHARACTER_VARYING",
    "character varying": "CHARACTER_VARYING",
    "double precision": "DOUBLE_PRECISION",
} | {word: word.upper() for word in _TYPES.split()}
ALIASED = "Aliasing is not supported"


def parse_statement(text: str) -> Parsed:
    """Return the statement; raise StatementError unless it is well formed."""
    return _parse_cached(text) if len(text) <= MAX_CACHED_LENGTH else _parse(text)


def _parse(text: str) -> Parsed:
    return _Parser(read_tokens(text)).parse()


_parse_cached = lru_cache(CACHE_SIZE)(_parse)


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

    def take(self, *words: str) -> bool:
        """Skip the keywords or symbols if all of them follow."""
        following = self.tokens[self.position : self.position + len(words)]
        if [(t.value, t.kind in ("keyword", "symbol")) for t in following] != [
            (word, True) for word in words
        ]:
            return False
        self.position += len(words)
        return True

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise malformed(f"Expected {word.upper()}")

    def reject(self, message: str) -> None:
        """Keep an error about something that is well formed, but not supported."""
        self.error = self.error or message

    # --- Statements

    def parse(self) -> Parsed:
        statement = self.statement()
        self.take(";")
        if self.token.kind != "end":
            raise malformed("Unexpected token after expression")
        if self.error:
            statement = replace(statement, error=self.error)
        return Parsed(statement, self.parameters)

    def statement(self) -> ParsedStatement:
        if self.take("select"):
            return self.select()
        if self.take("insert"):
            return self.insert()
        if self.take("update"):
            source = self.simple_source()
            return self.update(source, *self.changes(), where=True)
        if self.take("delete"):
            self.expect("from")
            source = self.simple_source()
            return ParsedDelete(source, self.where(), self.returning())
        if self.take("from"):
            return self.from_first()
        for words, name in ((("create", "table"), "CreateTable"), (("drop", "table"), "DropTable")):
            if self.take(*words):
                raise StatementError(f"Unsupported operation: {name}")
        return self.other_statement()

    def other_statement(self) -> ParsedStatement:
        """Parse EXISTS(SELECT …), or an expression, which is no statement."""
        expression = self.expression()
        match expression:
            case Call("exists", (Subquery(select),)):
                return ParsedExists(select)
            case IsType():
                self.reject("Unsupported operation: IsType")
            case Reference():
                self.reject("Unsupported operation: VariableReference")
            case Value():
                self.reject("Unsupported operation: Literal")
            case _:
                self.reject("EXISTS can only be used in ExecuteTransaction write requests.")
        return ParsedDelete((), None, None)

    def select(self) -> ParsedSelect:
        if self.take("distinct"):
            self.reject("Unsupported token in expression: DISTINCT")
        if self.take("value") or self.take("pivot"):
            self.reject("Select projection doesn't support value or pivot keywords")
        projection = None if self.take("*") else self.projection()
        self.expect("from")
        source = self.source()
        where = self.where()
        if self.take("group", "by"):
            self.expressions()
            self.reject("Unsupported clause: GROUP BY")
        if self.take("having"):
            self.reject(f"Unsupported clause: HAVING at {self.token.place}")
            self.expression()
        order = self.order() if self.take("order", "by") else ()
        if self.take("limit"):
            self.reject(f"Unsupported clause: LIMIT at {self.token.place}")
            self.expression()
        return ParsedSelect(projection, source, where, order)

    def projection(self) -> tuple[Expression, ...]:
        terms: list[Expression] = []
        while True:
            terms.append(self.expression())
            self.alias()
            if not self.take(","):
                return tuple(terms)

    def alias(self) -> None:
        if self.take("as") or self.token.kind in ("name", "quoted"):
            self.advance()
            self.reject(ALIASED)

    def order(self) -> tuple[OrderTerm, ...]:
        terms: list[OrderTerm] = []
        while True:
            key = self.expression()
            if not isinstance(key, Reference) or len(key.path) > 1:
                kind = "PATH" if isinstance(key, Reference) else "LITERAL"
                self.reject(f"Argument to ORDER BY must be of type VariableReference. Type: {kind}")
            name = _names(key)[0] if isinstance(key, Reference) else ""
            terms.append(OrderTerm(name, self.take("desc")))
            self.take("asc")
            if not self.take(","):
                return tuple(terms)

    def insert(self) -> ParsedInsert:
        self.expect("into")
        source = self.simple_path("Expected identifier for simple path")
        if not self.take("value"):
            self.take("values")
            self.reject("Unsupported operation: InsertOp")
        item = self.expression()
        if self.returning() is not None:
            self.reject("RETURNING is not supported in INSERT")
        return ParsedInsert(_names(source), item)

    def from_first(self) -> ParsedUpdate:
        source = self.source()
        where = self.where()
        statement = self.update(source, *self.changes(), where=False)
        return replace(statement, where=where)

    def update(
        self, source: Source, *changes: tuple[Reference, Expression | None], where: bool
    ) -> ParsedUpdate:
        condition = self.where() if where else None
        return ParsedUpdate(source, changes, condition, self.returning())

    def changes(self) -> list[tuple[Reference, Expression | None]]:
        """Parse one or more SET and REMOVE clauses."""
        changes: list[tuple[Reference, Expression | None]] = []
        while True:
            if self.take("set"):
                changes.append(self.assignment())
                while self.take(","):
                    changes.append(self.assignment())
            elif self.take("remove"):
                changes.append((self.simple_path("Expected identifier for simple path"), None))
            elif changes:
                return changes
            else:
                raise malformed("Expected data manipulation")

    def assignment(self) -> tuple[Reference, Expression]:
        target = self.simple_path("Expected identifier for simple path")
        self.expect("=")
        return target, self.expression()

    def where(self) -> Expression | None:
        return self.expression() if self.take("where") else None

    def returning(self) -> ReturnedValues | None:
        if not self.take("returning"):
            return None
        returned = self.returned_values()
        while self.take(","):
            self.returned_values()
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

    def source(self) -> Source:
        """Parse the source of a SELECT: DynamoDB reads any expression."""
        source = self.expression()
        if not isinstance(source, Reference):
            self.reject("Unexpected from source")
            source = Reference(("",), "")
        self.alias()
        while self.take(","):
            self.expression()
            self.reject("Only select from a single table or index is supported.")
        return _names(source)

    def simple_source(self) -> Source:
        source = self.simple_path("Expected identifier for simple path")
        self.alias()
        return _names(source)

    def simple_path(self, message: str) -> Reference:
        if self.token.kind not in ("name", "quoted"):
            raise malformed(message)
        return self.path()

    # --- Expressions, from the operator that binds least

    def expressions(self) -> list[Expression]:
        members = [self.expression()]
        while self.take(","):
            members.append(self.expression())
        return members

    def expression(self) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise malformed("Expressions are nested too deeply")
        left = self.conjunction()
        while self.at("or"):
            left = self.infix(left, self.conjunction)
        self.depth -= 1
        return left

    def conjunction(self) -> Expression:
        left = self.negation()
        while self.at("and"):
            left = self.infix(left, self.negation)
        return left

    def infix(self, left: Expression, parse: object) -> Expression:
        operator = self.advance()
        if self.token.kind == "end" or self.at(";"):
            raise malformed("Missing right-hand side expression of infix operator")
        right = cast("Expression", parse())  # type: ignore[operator]
        return Operator(operator.value.upper(), (left, right), operator.place)

    def negation(self) -> Expression:
        negations: list[Token] = []
        while self.at("not"):
            negations.append(self.advance())
        operand = self.comparison()
        for token in reversed(negations):
            operand = Operator("NOT", (operand,), token.place)
        return operand

    def comparison(self) -> Expression:
        left = self.sum()
        while True:
            if self.at(*COMPARISONS):
                left = self.infix(left, self.sum)
            elif self.at("is"):
                left = self.is_type(left)
            elif self.at("in", "between", "like"):
                left = self.matching(left)
            elif self.at("not") and self.tokens[self.position + 1].value in LIKE_OPERATORS[1:4]:
                place = self.advance().place
                left = Operator("NOT", (self.matching(left),), place)
            else:
                return left

    def is_type(self, operand: Expression) -> Expression:
        place = self.advance().place
        is_negated = self.take("not")
        word = self.advance()
        name = word.value.lower()
        if name in ("double", "character") and f"{name} {self.token.value.lower()}" in TYPES:
            name = f"{name} {self.advance().value.lower()}"
        if word.kind not in ("name", "keyword") or name not in TYPES:
            raise malformed("Expected type name")
        tested = IsType(operand, TYPES[name], place)
        return Operator("NOT", (tested,), place) if is_negated else tested

    def matching(self, left: Expression) -> Expression:
        """Parse the rest of IN, BETWEEN or LIKE."""
        operator = self.advance()
        match operator.value:
            case "in":
                options = self.parenthesized() if self.at("(") else self.sum()
                return Operator("IN", (left, options), operator.place)
            case "between":
                low = self.sum()
                self.expect("and")
                return Operator("BETWEEN", (left, low, self.sum()), operator.place)
            case _:
                return Operator("LIKE", (left, self.sum()), operator.place)

    def parenthesized(self) -> Expression:
        place = self.advance().place
        members = self.expressions()
        self.expect(")")
        return Sequence("list", tuple(members), place)

    def sum(self) -> Expression:
        left = self.product()
        while self.at("+", "-", "||"):
            left = self.infix(left, self.product)
        return left

    def product(self) -> Expression:
        left = self.signed()
        while self.at("*", "/", "%"):
            left = self.infix(left, self.signed)
        return left

    def signed(self) -> Expression:
        """Parse an operand; signs belong to a number that follows them."""
        signs: list[Token] = []
        while self.at("+", "-"):
            signs.append(self.advance())
        operand = self.term()
        for sign in reversed(signs):
            if isinstance(operand, Value) and "N" in operand.value:
                number = operand.value["N"]
                if sign.value == "-":
                    number = number[1:] if number[0] == "-" else f"-{number}"
                operand = Value({"N": number}, operand.place)
            else:
                operand = Operator(sign.value, (operand,), sign.place)
        return operand

    def term(self) -> Expression:
        token = self.token
        match token.kind:
            case "name" | "quoted":
                is_call = token.kind == "name" and self.tokens[self.position + 1].value == "("
                return self.call() if is_call else self.path()
            case "string":
                return Value({"S": self.advance().value}, token.place)
            case "number":
                return Value({"N": _checked_number(self.advance().value)}, token.place)
            case "ion":
                return IonLiteral(self.advance().value, token.place)
            case "keyword":
                return self.keyword_term()
            case "symbol":
                return self.symbol_term()
            case "end":
                raise malformed("Unexpected term")

    def keyword_term(self) -> Expression:
        token = self.token
        word = token.value
        if word in FUNCTION_KEYWORDS and self.tokens[self.position + 1].value == "(":
            return self.call()
        if word in ("true", "false"):
            self.advance()
            return Value({"BOOL": word == "true"}, token.place)
        if self.take("null"):
            return Value({"NULL": True}, token.place)
        if self.take("missing"):
            return Missing(token.place)
        if self.take("select"):
            return Subquery(self.select(), token.place)
        if self.take("from"):
            self.from_first()  # raises unless it changes something
        raise malformed("Unexpected operator" if word in LIKE_OPERATORS else "Unexpected keyword")

    def symbol_term(self) -> Expression:
        token = self.token
        match token.value:
            case "?":
                self.advance()
                self.parameters += 1
                return Parameter(self.parameters - 1, token.place)
            case "@":
                self.advance()
                return self.simple_path("Unexpected term")
            case "(":
                members = self.parenthesized()
                inner = members.members if isinstance(members, Sequence) else ()
                return inner[0] if len(inner) == 1 else members
            case "[" | "<<":
                closing = "]" if token.value == "[" else ">>"
                return self.collection("list" if closing == "]" else "bag", closing)
            case "{":
                return self.tuple_literal()
            case ")" | "]" | "}" | ">>" | "," | ";" | "." | ":":
                raise malformed("Unexpected term")
            case _:
                raise malformed("Unexpected operator")

    def collection(self, kind: str, closing: str) -> Expression:
        place = self.advance().place
        members = () if self.at(closing) else tuple(self.expressions())
        self.expect(closing)
        return Sequence("list" if kind == "list" else "bag", members, place)

    def tuple_literal(self) -> Expression:
        place = self.advance().place
        pairs: list[tuple[Expression, Expression]] = []
        while not self.at("}"):
            name = self.expression()
            self.expect(":")
            pairs.append((name, self.expression()))
            if not self.take(","):
                break
        self.expect("}")
        return Tuple(tuple(pairs), place)

    def call(self) -> Expression:
        name = self.advance()
        self.advance()
        if self.take("*", ")"):
            return Call(name.value, (Missing(name.place),), name.place)
        arguments = () if self.at(")") else tuple(self.expressions())
        self.expect(")")
        return Call(name.value.lower(), arguments, name.place)

    def path(self) -> Reference:
        head = self.advance()
        steps: list[str | int] = [head.value]
        error = "" if head.value else "Path component cannot be an empty string"
        while True:
            if self.take("."):
                step = self.advance()
                if step.kind == "symbol" and step.value == "*":
                    error = error or "Changing item's hierarchy while reading isn't supported"
                elif step.kind not in ("name", "quoted"):
                    raise malformed("Invalid path dot component")
                elif not step.value:
                    error = error or "Path component cannot be an empty string"
                steps.append(step.value)
            elif self.take("["):
                index, problem = self.index()
                steps.append(index)
                error = error or problem
                self.expect("]")
            else:
                return Reference(tuple(steps), head.place, error)

    def index(self) -> tuple[str | int, str]:
        """Parse what is in the brackets of a path; return it, and what is wrong with it."""
        match self.expression():
            case Value({"S": name}):
                return name, ""
            case Value({"N": number}, place) if number.lstrip("-").isdigit():
                is_valid = 0 <= int(number) <= MAX_INDEX
                text = "List index is not within the allowable range; index: "
                return int(number), "" if is_valid else f"{text}[{number}] at {place}"
            case expression:
                return 0, f"Unexpected path component at {expression.place}"


def _names(source: Reference) -> Source:
    return tuple([str(step) for step in source.path])


def _checked_number(text: str) -> str:
    """Return the number; its exponent, and its scale, must fit into 32 bits."""
    mantissa, _, exponent = text.lower().partition("e")
    power = int(exponent[:12] or "0")
    scale = len(mantissa.partition(".")[2]) - power
    if not -(2**31) <= power < 2**31 or not -(2**31) <= scale < 2**31:
        raise malformed()
    return text
