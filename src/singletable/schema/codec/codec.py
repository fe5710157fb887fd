"""How one type is held in an attribute, and the words for what does not fit."""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, TypeAlias

from singletable.errors import InvalidValue, ItemMismatch
from singletable.values import AttributeValue, content_of, type_of

# FROM source.py: Python source in the making: functions, and the objects that they name.
#
# A codec for an entity is straight-line code, written once when the class is made. The source is
# known to `linecache`, so that a traceback shows its lines.

_numbers = itertools.count(1)


def refuse() -> NoReturn:
    """Leave the straight line: the value does not fit, or not as simply as the code assumes."""
    raise TypeError


class Source:
    """Functions that are being written, and the names they use."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._objects: dict[str, object] = {"refuse": refuse}
        self._names: dict[int, str] = {}
        self._functions: dict[tuple[str, object], str] = {}
        self._text: list[str] = []
        self._variables = itertools.count(1)

    def name(self, thing: object, hint: str) -> str:
        """The name under which the code finds the object."""
        known = self._names.get(id(thing))
        if known is not None:
            return known
        name = f"{_identifier(hint)}_{len(self._objects) + 1}"
        self._names[id(thing)] = name
        self._objects[name] = thing
        return name

    def variable(self, hint: str = "value") -> str:
        """A variable that nobody else has."""
        return f"{_identifier(hint)}{next(self._variables)}"

    def function(
        self, verb: str, of: object, hint: str, body: Callable[[], tuple[str, Sequence[str]]]
    ) -> str:
        """The name of a function that is written once; `body` gives its argument and its lines.

        It may call itself: the name is known before the lines are written.
        """
        known = self._functions.get((verb, of))
        if known is not None:
            return known
        name = f"{verb}_{_identifier(hint)}_{len(self._functions) + 1}"
        self._functions[verb, of] = name
        argument, lines = body()
        indented = "".join(f"    {line}\n" for line in lines)
        self._text.append(f"def {name}({argument}):\n{indented}")
        return name

    def compiled(self) -> dict[str, object]:
        """The functions, by name."""
        text = "\n\n".join(self._text)
        file = f"<singletable codec {next(_numbers)}: {self._title}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        space = dict(self._objects)
        exec(compile(text, file, "exec"), space)
        return space


def _identifier(hint: str) -> str:
    return re.sub(r"\W", "_", hint, flags=re.ASCII)


Writing: TypeAlias = Callable[[Source, str], str]

TYPE_WORDS = {
    "S": "text (S)",
    "N": "a number (N)",
    "B": "binary (B)",
    "BOOL": "true or false (BOOL)",
    "NULL": "null (NULL)",
    "M": "a map (M)",
    "L": "a list (L)",
    "SS": "a set of texts (SS)",
    "NS": "a set of numbers (NS)",
    "BS": "a set of binaries (BS)",
}

OR_DECLARE = "Correct the item, or declare the field as what it holds."


@dataclass(frozen=True, slots=True)
class Codec:
    """How one type is held in an attribute.

    `encode` and `decode` explain what does not fit. `writing` and `reading` give a Python
    expression that does the same for a value in a variable; it may raise anything, for whoever
    runs it then asks `encode` or `decode`. A wire form is trusted to be one: text under "S".
    """

    types: frozenset[str]
    optional: bool
    encode: Callable[[object], AttributeValue]
    decode: Callable[[AttributeValue], object]
    expects: str
    writing: Writing
    reading: Writing
    # Levels of nesting, itself included; DynamoDB allows 32.
    depth: int = 1
    # What an attribute that is not there stands for; None if it must be there.
    absent_value: Callable[[], object] | None = None


def invalid_value(says: str, value: object, advice: str = "") -> InvalidValue:
    """What is said of a value that is not of the type."""
    came = "None" if value is None else f"{short_repr(value)} ({type(value).__name__})"
    if value is None:
        advice = advice or "Give one, or declare the type as T | None."
    return InvalidValue(f"expected {says}, but got {came}.{_after(advice)}")


def mismatch(says: str, value: AttributeValue, advice: str = OR_DECLARE) -> ItemMismatch:
    """What is said of an attribute that does not hold the type."""
    kind = type_of(value) if value else ""
    came = TYPE_WORDS.get(kind, "no value")
    if kind in ("S", "N", "BOOL"):
        came += f": {short_repr(content_of(value))}"
    return ItemMismatch(f"expected {says}, but the item has {came}.{_after(advice)}")


def located(problem: InvalidValue | ItemMismatch, outer: str) -> InvalidValue | ItemMismatch:
    """The same problem, its place told from further out."""
    return type(problem)(problem.text, outer + problem.path)


def short_repr(value: object) -> str:
    """The beginning of what Python prints for the value; some things it cannot print."""
    try:
        text = repr(value)
    except Exception:
        return "something that cannot be printed"
    return text if len(text) <= 80 else f"{text[:77]}…"


def _after(advice: str) -> str:
    return f" {advice}" if advice else ""


# FROM optional.py: A type or None: null inside lists and maps, and an attribute that is not there.


def nothing() -> None:
    """None, for an attribute that is not there."""


def optional(inner: Codec) -> Codec:
    """How the inner type, or None, is held."""

    def encode(value: object) -> AttributeValue:
        return {"NULL": True} if value is None else inner.encode(value)

    def decode(value: AttributeValue) -> object:
        return None if "NULL" in value else inner.decode(value)

    def writing(source: Source, name: str) -> str:
        return f'{{"NULL": True}} if {name} is None else {inner.writing(source, name)}'

    def reading(source: Source, name: str) -> str:
        return f'None if "NULL" in {name} else {inner.reading(source, name)}'

    return replace(
        inner,
        optional=True,
        encode=encode,
        decode=decode,
        expects=f"{inner.expects} or None",
        writing=writing,
        reading=reading,
        absent_value=nothing,
    )
