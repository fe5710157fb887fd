"""Python source in the making: functions, and the objects that they name.

A codec for an entity is straight-line code, written once when the class is made. The source is
known to `linecache`, so that a traceback shows its lines.
"""

from __future__ import annotations

import itertools
import linecache
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

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
