"""Document paths: format, look up, project, and check for overlaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias, cast

from dynamodb_engine.expressions.nodes import Path
from dynamodb_engine.expressions.syntax import ExpressionError
from dynamodb_engine.values import AttributeValue, Item

__all__ = ["project", "value_at"]

# Paths as a tree, so that paths with a common start share it in the result too.
PathTree: TypeAlias = "dict[str | int, PathTree]"


def path_text(path: Path) -> str:
    """Format the path as DynamoDB's errors do: [a, b, [0]]."""
    return f"[{', '.join(step if isinstance(step, str) else f'[{step}]' for step in path)}]"


def value_at(path: Path, item: Item) -> AttributeValue | None:
    """Return the value of the item at the path, or None."""
    # Every path starts with the name of an attribute.
    value = item.get(cast(str, path[0]))
    for step in path[1:]:
        if value is None:
            return None
        if isinstance(step, str):
            value = value["M"].get(step) if "M" in value else None
        else:
            elements = value.get("L", ())
            value = elements[step] if step < len(elements) else None
    return value


def project(projection: tuple[Path, ...], item: Item) -> Item:
    """Return only the values at the paths. Lists keep no gaps."""
    projected: Item = {}
    for name, subtree in _path_tree(projection).items():
        if isinstance(name, str) and name in item:
            part = _project_value(item[name], subtree)
            if part is not None:
                projected[name] = part
    return projected


# One request projects many items. The cache is small because a request can have 16 MB of names.
@lru_cache(4)
def _path_tree(projection: tuple[Path, ...]) -> PathTree:
    root: PathTree = {}
    for path in projection:
        branch = root
        for step in path:
            branch = branch.setdefault(step, {})
    return root


def _project_value(value: AttributeValue, tree: PathTree) -> AttributeValue | None:
    if not tree:
        return value
    if "M" in value:
        inner = value["M"]
        members = {
            name: part
            for name, subtree in tree.items()
            if isinstance(name, str)
            and name in inner
            and (part := _project_value(inner[name], subtree)) is not None
        }
        return {"M": members} if members else None
    if "L" in value:
        elements = value["L"]
        indexes = sorted(step for step in tree if isinstance(step, int) and step < len(elements))
        parts = [
            part
            for index in indexes
            if (part := _project_value(elements[index], tree[index])) is not None
        ]
        return {"L": parts} if parts else None
    return None


@dataclass(slots=True)
class _Branch:
    """A node in the tree of paths: the first path through it, and the path that ends at it."""

    first: int
    ended: int | None = None
    branches: dict[str | int, _Branch] = field(default_factory=dict[str | int, "_Branch"])


def check_overlaps(paths: Iterable[Path]) -> None:
    """Raise if one path contains another, or treats as a list what another treats as a map.

    Uses a tree instead of comparing all pairs: an expression of 4,096 bytes can name two thousand
    paths.
    """
    seen: list[Path] = []
    conflict: ExpressionError | None = None
    root = _Branch(0)
    for number, path in enumerate(paths):
        seen.append(path)
        branch = root
        for step in path:
            other = _conflicting_path(branch, step)
            if other is not None and conflict is None:
                conflict = _path_error("conflict", seen[other], path)
            branch = branch.branches.setdefault(step, _Branch(number))
            if branch.ended is not None:
                raise _path_error("overlap", seen[branch.ended], path)
        if branch.first != number:
            raise _path_error("overlap", seen[branch.first], path)
        branch.ended = number
    if conflict is not None:
        raise conflict


def _conflicting_path(branch: _Branch, step: str | int) -> int | None:
    """Return the first path that continues by name where `step` is an index, or vice versa."""
    # Once names and indexes are mixed, a conflict is already noted; so one child is enough.
    known = next(iter(branch.branches), step)
    return None if known.__class__ is step.__class__ else branch.branches[known].first


def _path_error(kind: str, first: Path, second: Path) -> ExpressionError:
    return ExpressionError(
        f"Two document paths {kind} with each other; must remove or rewrite one of these paths; "
        f"path one: {path_text(first)}, path two: {path_text(second)}"
    )
