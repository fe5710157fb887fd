"""Document paths: how they print, what stands at one, and whether several can live together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from singletable.expressions.nodes import Path
from singletable.expressions.problem import Problem
from singletable.values import AttributeValue, Item


def path_text(path: Path) -> str:
    """The path as DynamoDB prints it in refusals: [a, b, [0]]."""
    return f"[{', '.join(step if isinstance(step, str) else f'[{step}]' for step in path)}]"


def value_at(path: Path, item: Item) -> AttributeValue | None:
    """What the item holds at the path; None if there is nothing."""
    # Every path begins with the name of an attribute.
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


@dataclass(slots=True)
class _Branch:
    """Where paths part: the first path that came through here, and the one that ended here."""

    first: int
    ended: int | None = None
    branches: dict[str | int, _Branch] = field(default_factory=dict[str | int, "_Branch"])


def check_together(paths: Iterable[Path]) -> None:
    """Refuse paths if one lies within another, or takes for a list what another takes for a map.

    A tree, not a comparison of each with each: a text of 4,096 bytes names some two thousand paths.
    """
    seen: list[Path] = []
    conflict: Problem | None = None
    root = _Branch(0)
    for number, path in enumerate(paths):
        seen.append(path)
        branch = root
        for step in path:
            rival = _of_other_kind(branch, step)
            if rival is not None and conflict is None:
                conflict = _clash("conflict", seen[rival], path)
            branch = branch.branches.setdefault(step, _Branch(number))
            if branch.ended is not None:
                raise _clash("overlap", seen[branch.ended], path)
        if branch.first != number:
            raise _clash("overlap", seen[branch.first], path)
        branch.ended = number
    if conflict is not None:
        raise conflict


def _of_other_kind(branch: _Branch, step: str | int) -> int | None:
    """The first path that goes on from here by a name where `step` is an index, or the reverse."""
    # Once names and indexes are mixed a conflict was noted, so one look is enough.
    known = next(iter(branch.branches), step)
    return None if known.__class__ is step.__class__ else branch.branches[known].first


def _clash(kind: str, one: Path, two: Path) -> Problem:
    return Problem(
        f"Two document paths {kind} with each other; must remove or rewrite one of these paths; "
        f"path one: {path_text(one)}, path two: {path_text(two)}"
    )
