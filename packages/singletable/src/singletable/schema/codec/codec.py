"""The Codec class, the builder of generated source, and the errors that codecs raise.

A codec has a slow path and a fast path. `encode` and `decode` are plain functions that explain what
is wrong with a value. `encode_source` and `decode_source` return a Python expression that converts
a valid value; the generated functions of an entity inline it (see `items.py`). If the expression
raises any exception, its caller takes the slow path.
"""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeAlias, cast

from dynamodb_engine.values import AttributeValue, content_of, type_of
from singletable.errors import InvalidValue, ItemMismatch

TYPE_NAMES = {
    "S": "a string (S)",
    "N": "a number (N)",
    "B": "binary (B)",
    "BOOL": "a boolean (BOOL)",
    "NULL": "null (NULL)",
    "M": "a map (M)",
    "L": "a list (L)",
    "SS": "a string set (SS)",
    "NS": "a number set (NS)",
    "BS": "a binary set (BS)",
}
REPAIR_ADVICE = "Correct the item, or declare the field with the type that is stored."

_source_numbers = itertools.count(1)


def fail() -> NoReturn:
    """Leave the fast path: the value is invalid, or valid in an unusual way."""
    raise TypeError


class SourceBuilder:
    """Builds the source of generated functions, and the namespace that they run in."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._objects: dict[str, object] = {"fail": fail}
        self._names: dict[int, str] = {}
        self._functions: dict[tuple[str, object], str] = {}
        self._text: list[str] = []
        self._variables = itertools.count(1)

    def bind(self, thing: object, hint: str) -> str:
        """Add an object to the namespace and return its name there."""
        known = self._names.get(id(thing))
        if known is not None:
            return known
        name = f"{_identifier(hint)}_{len(self._objects) + 1}"
        self._names[id(thing)] = name
        self._objects[name] = thing
        return name

    def new_variable(self, hint: str = "value") -> str:
        """Return the name of an unused variable."""
        return f"{_identifier(hint)}{next(self._variables)}"

    def function(
        self, verb: str, key: object, hint: str, body: Callable[[], tuple[str, Sequence[str]]]
    ) -> str:
        """Define a function once per `verb` and `key`, and return its name.

        `body` returns the parameter and the lines. The function may call itself: its name is known
        before the lines are generated.
        """
        known = self._functions.get((verb, key))
        if known is not None:
            return known
        name = f"{verb}_{_identifier(hint)}_{len(self._functions) + 1}"
        self._functions[verb, key] = name
        parameter, lines = body()
        indented = "".join(f"    {line}\n" for line in lines)
        self._text.append(f"def {name}({parameter}):\n{indented}")
        return name

    def compile(self) -> dict[str, object]:
        """Return the functions by name. `linecache` lets tracebacks show their lines."""
        text = "\n\n".join(self._text)
        file = f"<singletable codec {next(_source_numbers)}: {self._title}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        namespace = dict(self._objects)
        exec(compile(text, file, "exec"), namespace)
        return namespace


def _identifier(hint: str) -> str:
    return re.sub(r"\W", "_", hint, flags=re.ASCII)


# Returns an expression that converts the value of the variable with this name.
Expression: TypeAlias = Callable[[SourceBuilder, str], str]


@dataclass(frozen=True, slots=True)
class Codec:
    """How values of one type are stored in an attribute.

    `expects` names the type in error messages. `encode_expression` and `decode_expression` generate
    the fast path; without them the generated code calls `encode` and `decode`. Stored values are
    trusted to be well formed: the content of "S" is a string.

    A type that is stored as one scalar has a `content_expression` instead of a `decode_expression`:
    it decodes the content itself, such as the string of "S".
    """

    types: frozenset[str]
    encode: Callable[[object], AttributeValue]
    decode: Callable[[AttributeValue], object]
    expects: str
    encode_expression: Expression | None = None
    decode_expression: Expression | None = None
    content_expression: Expression | None = None
    # Levels of nesting, this one included. DynamoDB allows 32.
    depth: int = 1
    # Creates the value of an attribute that is absent. None: the attribute is required.
    absent_value: Callable[[], object] | None = None
    # "compressed" or "encrypted" if DynamoDB cannot compare the stored bytes as values.
    opaque: str | None = None
    # Encrypts the value when the key of its item is known: an `Encrypted`.
    cipher: object = None
    optional: bool = False

    def encode_source(self, source: SourceBuilder, name: str) -> str:
        """Return an expression that encodes the value of the variable `name`."""
        if self.encode_expression is None:
            return f"{source.bind(self.encode, 'encode')}({name})"
        return self.encode_expression(source, name)

    def decode_source(self, source: SourceBuilder, name: str) -> str:
        """Return an expression that decodes the attribute value in the variable `name`."""
        if self.decode_expression is not None:
            return self.decode_expression(source, name)
        if self.content_expression is not None:
            (tag,) = self.types
            return self.content_expression(source, f'{name}["{tag}"]')
        return f"{source.bind(self.decode, 'decode')}({name})"


def scalar_codec(
    tag: str,
    encode: Callable[[object], object],
    decode: Callable[[Any], object],
    *,
    expects: str,
    stored: str,
    encode_expression: Expression | None,
    content_expression: Expression,
) -> Codec:
    """Return the codec of a type that is stored as one DynamoDB type, such as S or N.

    `encode` returns the content or raises InvalidValue; `decode` takes the content and may raise
    ValueError. `stored` describes a valid attribute in error messages.
    """

    def encode_value(value: object) -> AttributeValue:
        return cast(AttributeValue, {tag: encode(value)})

    def decode_value(value: AttributeValue) -> object:
        if tag not in value:
            raise mismatch(stored, value)
        try:
            return decode(cast(Any, value)[tag])
        except (ValueError, OverflowError):
            raise mismatch(stored, value) from None

    types = frozenset({tag})
    codec = Codec(types, encode_value, decode_value, expects, encode_expression)
    return replace(codec, content_expression=content_expression)


def none_value() -> None:
    """Return None, the value of an absent optional attribute."""


def optional_codec(inner: Codec) -> Codec:
    """Return the codec of `T | None`: None is null in lists and maps, or an absent attribute."""

    def encode(value: object) -> AttributeValue:
        return {"NULL": True} if value is None else inner.encode(value)

    def decode(value: AttributeValue) -> object:
        return None if "NULL" in value else inner.decode(value)

    def encode_expression(source: SourceBuilder, name: str) -> str:
        return f'{{"NULL": True}} if {name} is None else {inner.encode_source(source, name)}'

    def decode_expression(source: SourceBuilder, name: str) -> str:
        return f'None if "NULL" in {name} else {inner.decode_source(source, name)}'

    return replace(
        inner,
        optional=True,
        encode=encode,
        decode=decode,
        expects=f"{inner.expects} or None",
        encode_expression=encode_expression,
        decode_expression=decode_expression,
        absent_value=none_value,
    )


def invalid_value(expects: str, value: object, advice: str = "") -> InvalidValue:
    """Return the error for a value that is not of the declared type."""
    got = "None" if value is None else f"{short_repr(value)} ({type(value).__name__})"
    if value is None:
        advice = advice or "Pass a value, or declare the type as T | None."
    return InvalidValue(f"expected {expects}, but got {got}.{advice and ' ' + advice}")


def mismatch(expects: str, value: AttributeValue, advice: str = REPAIR_ADVICE) -> ItemMismatch:
    """Return the error for a stored attribute that does not fit the declared type."""
    tag = type_of(value) if value else ""
    stored = TYPE_NAMES.get(tag, "no value")
    if tag in ("S", "N", "BOOL"):
        stored += f": {short_repr(content_of(value))}"
    return ItemMismatch(f"expected {expects}, but the item has {stored}.{advice and ' ' + advice}")


def prepend_path(error: InvalidValue | ItemMismatch, outer: str) -> InvalidValue | ItemMismatch:
    """Return the error with `outer` in front of its path."""
    return type(error)(error.text, outer + error.path)


def short_repr(value: object) -> str:
    """Return `repr(value)`, cut to 80 characters, or a substitute if it raises."""
    try:
        text = repr(value)
    except Exception:
        return "a value that cannot be printed"
    return text if len(text) <= 80 else f"{text[:77]}…"
