"""JSON as it is being broken: a tree whose leaves may be any bytes at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Bytes that go into the text as they are, whether they are JSON or not."""

    text: bytes


# None, booleans, numbers, strings, lists and maps of them, and bytes as they are.
Tree: TypeAlias = Any


@dataclass(slots=True)
class Place:
    """Where a value stands: a list or map, and its place or name there."""

    holder: Any
    at: Any

    @property
    def value(self) -> Tree:
        """What stands there."""
        return self.holder[self.at]

    @value.setter
    def value(self, value: Tree) -> None:
        self.holder[self.at] = value


def is_map(tree: Tree) -> TypeGuard[dict[Any, Any]]:
    """Whether it has members by name."""
    return isinstance(tree, dict)


def is_list(tree: Tree) -> TypeGuard[list[Any]]:
    """Whether it has members in order."""
    return isinstance(tree, list)


def places(tree: Tree) -> Iterator[Place]:
    """Every place in a map or list, the outer ones first."""
    for at in list(tree) if is_map(tree) else range(len(tree)):
        yield Place(tree, at)
        if is_map(tree[at]) or is_list(tree[at]):
            yield from places(tree[at])


def written(tree: Tree) -> bytes:
    """The tree as text."""
    if isinstance(tree, Verbatim):
        return tree.text
    if is_map(tree):
        members = (written(name) + b":" + written(value) for name, value in tree.items())
        return b"{" + b",".join(members) + b"}"
    if is_list(tree):
        return b"[" + b",".join(map(written, tree)) + b"]"
    # Now and then characters are written as they are, now and then as escapes.
    plain = isinstance(tree, str) and tree.isprintable()
    return json.dumps(tree, ensure_ascii=not plain).encode()
