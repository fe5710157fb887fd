"""Items cut down to what was asked of them."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.engine.table import Table
from singletable.errors import ValidationError
from singletable.expressions import Path, Projection, project
from singletable.values import item_from_json, item_to_json


def projected_json(projection: Projection, json: bytes) -> bytes:
    """The item's JSON with only the projected paths in it."""
    return item_to_json(project(projection, item_from_json(json)))


def check_scalar_keys(table: Table, paths: Iterable[Path]) -> None:
    """Raise if a path leads into a key attribute, which is a scalar."""
    nested = [path[0] for path in paths if len(path) > 1]
    if not nested:
        return
    for kind, names in (("Key", table.key.names), ("IndexKey", tuple(table.index_keys))):
        for name in names:
            if name in nested:
                raise ValidationError(
                    "Key attributes must be scalars; list random access '[]' and map lookup '.' "
                    f"are not allowed: {kind}: {name}"
                )
