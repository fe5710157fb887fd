"""Decide whether every stored value of one type can be read as another type."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from singletable.migration.schema_diff.type_text import ClassSchema

Classes: TypeAlias = Mapping[str, ClassSchema]

# The types whose values a type reads too, because they are stored alike.
_READS = {
    "str": {"UUID", "date", "datetime", "timedelta"},
    "Decimal": {"int", "float"},
    "float": {"int"},
}
_SAME = {"tuple": "list", "frozenset": "set"}


@dataclass(frozen=True, slots=True)
class _Atom:
    """A type without unions: a name, a literal value, or a container with the types inside."""

    name: str
    value: str | None = None
    inner: tuple[tuple[_Atom, ...], ...] = ()


def can_read(new: str, new_classes: Classes, old: str, old_classes: Classes) -> bool:
    """Return whether all values that were stored as `old` can be read as `new`."""
    reader = _Reader(new_classes, old_classes)
    return reader.covers(_parse(new, new_classes), _parse(old, old_classes))


class _Reader:
    def __init__(self, new_classes: Classes, old_classes: Classes) -> None:
        self._new = new_classes
        self._old = old_classes
        # Classes that are being compared: a recursive class contains itself.
        self._comparing: set[tuple[str, str]] = set()

    def covers(self, new: tuple[_Atom, ...], old: tuple[_Atom, ...]) -> bool:
        return all(any(self._covers(one, atom) for one in new) for atom in old)

    def _covers(self, new: _Atom, old: _Atom) -> bool:
        if new.name in ("Any", "object"):
            return True
        if new.value is not None:
            return new == old
        if old.value is not None:
            return new.name == old.name  # a literal of this type
        if new.name in self._new and old.name in self._old:
            return self._covers_class(new.name, old.name)
        if _SAME.get(new.name, new.name) == _SAME.get(old.name, old.name):
            pairs = zip(new.inner, old.inner, strict=False)
            return len(new.inner) == len(old.inner) and all(self.covers(*pair) for pair in pairs)
        return old.name in _READS.get(new.name, ())

    def _covers_class(self, new: str, old: str) -> bool:
        after, before = self._new[new], self._old[old]
        if (new, old) in self._comparing:
            return True
        if "class" in (after.kind, before.kind):
            return new == old
        self._comparing.add((new, old))
        for name, text in after.members.items():
            kind, _, default = text.partition(" = ")
            if name not in before.members:
                if not default and not kind.endswith("| None"):
                    return False
                continue
            known = before.members[name].partition(" = ")[0]
            if not self.covers(_parse(kind, self._new), _parse(known, self._old)):
                return False
        return True


def _parse(text: str, classes: Classes) -> tuple[_Atom, ...]:
    return _atoms(ast.parse(text, mode="eval").body, classes)


def _atoms(node: ast.expr, classes: Classes) -> tuple[_Atom, ...]:
    return tuple(_expand(node, classes))


def _expand(node: ast.expr, classes: Classes) -> Iterator[_Atom]:
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            yield from _expand(left, classes)
            yield from _expand(right, classes)
        case ast.Subscript(ast.Name("Literal"), values):
            for value in _members(values):
                yield _literal(ast.literal_eval(value))
        case ast.Subscript(ast.Name("Annotated"), _):
            yield _Atom(ast.unparse(node))
        case ast.Subscript(outer, inner):
            parts = [one for one in _members(inner) if ast.unparse(one) != "..."]
            yield _Atom(ast.unparse(outer), inner=tuple(_atoms(one, classes) for one in parts))
        case _:
            yield from _named(ast.unparse(node), classes)


def _named(name: str, classes: Classes) -> Iterator[_Atom]:
    known = classes.get(name)
    if known is not None and known.kind == "enum":
        # Stored as its values, as a Literal is.
        for value in known.members.values():
            yield _literal(ast.literal_eval(value))
    elif known is not None and known.kind == "new type":
        yield from _parse(known.members["of"], classes)
    else:
        yield _Atom(name)


def _members(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _literal(value: object) -> _Atom:
    return _Atom(type(value).__name__, repr(value))
