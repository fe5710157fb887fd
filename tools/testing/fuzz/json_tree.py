"""JSON that is being broken: a tree whose leaves may be any bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Bytes that are copied into the text, whether they are JSON or not."""

    text: bytes


# None, booleans, numbers, strings, lists and maps of them, and Verbatim.
Tree: TypeAlias = Any


@dataclass(slots=True)
class Location:
    """The location of a value: its list or map, and its index or name there."""

    container: Any
    key: Any

    @property
    def value(self) -> Tree:
        """The value at this location."""
        return self.container[self.key]

    @value.setter
    def value(self, value: Tree) -> None:
        self.container[self.key] = value


def is_map(tree: Tree) -> TypeGuard[dict[Any, Any]]:
    """Return whether the tree is a map."""
    return isinstance(tree, dict)


def is_list(tree: Tree) -> TypeGuard[list[Any]]:
    """Return whether the tree is a list."""
    return isinstance(tree, list)


def walk(tree: Tree) -> Iterator[Location]:
    """Yield every location in a map or list, outer ones first."""
    for key in list(tree) if is_map(tree) else range(len(tree)):
        yield Location(tree, key)
        if is_map(tree[key]) or is_list(tree[key]):
            yield from walk(tree[key])


def encode(tree: Tree) -> bytes:
    """Return the tree as JSON text."""
    if isinstance(tree, Verbatim):
        return tree.text
    if is_map(tree):
        members = (encode(name) + b":" + encode(value) for name, value in tree.items())
        return b"{" + b",".join(members) + b"}"
    if is_list(tree):
        return b"[" + b",".join(map(encode, tree)) + b"]"
    # Some strings are written with escapes, others without.
    plain = isinstance(tree, str) and tree.isprintable()
    return json.dumps(tree, ensure_ascii=not plain).encode()
