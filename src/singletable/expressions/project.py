"""The parts of an item that a projection asks for."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from singletable.expressions.nodes import Path
from singletable.values import AttributeValue, Item

# The paths as a tree, so that those which share a beginning share it in the result too.
Wanted: TypeAlias = "dict[str | int, Wanted]"


def project(projection: tuple[Path, ...], item: Item) -> Item:
    """The item with nothing but what stands at the paths. Lists close up around what is left."""
    projected: Item = {}
    for name, within in _tree(projection).items():
        if isinstance(name, str) and name in item:
            part = _part(item[name], within)
            if part is not None:
                projected[name] = part
    return projected


@lru_cache(1024)
def _tree(projection: tuple[Path, ...]) -> Wanted:
    root: Wanted = {}
    for path in projection:
        branch = root
        for step in path:
            branch = branch.setdefault(step, {})
    return root


def _part(value: AttributeValue, wanted: Wanted) -> AttributeValue | None:
    if not wanted:
        return value
    if "M" in value:
        inner = value["M"]
        found = {
            name: part
            for name, within in wanted.items()
            if isinstance(name, str)
            and name in inner
            and (part := _part(inner[name], within)) is not None
        }
        return {"M": found} if found else None
    if "L" in value:
        elements = value["L"]
        indexes = sorted(step for step in wanted if isinstance(step, int) and step < len(elements))
        parts = [
            part for index in indexes if (part := _part(elements[index], wanted[index])) is not None
        ]
        return {"L": parts} if parts else None
    return None
