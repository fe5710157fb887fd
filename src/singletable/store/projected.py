"""What an index holds of an item, and what cannot be asked of it because it does not."""

from __future__ import annotations

from typing import Any

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import condition_paths
from singletable.schema import Index, Model, Path, ResolvedKey


def projected_attributes(model: Model, index: Index | None) -> set[str] | None:
    """The attributes that an index holds; None if it holds them all."""
    if index is None or index.projection == "ALL":
        return None
    has = set(() if index.projection == "KEYS_ONLY" else index.projection)
    return has | {one.name for one in (*model.table.key_attributes, *index.pk, *index.sk)}


def holds_attribute(model: Model, index: Index | None, attribute: str) -> bool:
    """Whether an index holds an attribute."""
    has = projected_attributes(model, index)
    return has is None or attribute in has


def check_whole(model: Model, access: ResolvedKey) -> None:
    """Refuse to make whole items of what an index has only in part."""
    has = projected_attributes(model, access.index)
    if has is None:
        return
    lacking = [
        name for name, field in model.fields.items() if field.stored and field.attribute not in has
    ]
    if lacking:
        raise InvalidValue(
            f"{access}: {access.index!r} does not hold {', '.join(lacking)}, so it cannot give "
            f"whole items of {model.name}. Ask for the fields it has with pick(), or for the items "
            "themselves with fetch()."
        )


def check_where(model: Model, access: ResolvedKey, where: expressions.Condition) -> None:
    """Refuse a condition on what an index does not hold: it would find nothing, or all."""
    has = projected_attributes(model, access.index)
    asked = {str(path[0]) for path in condition_paths(where)}
    lacking = [] if has is None else sorted(asked - has)
    if lacking:
        raise InvalidValue(
            f"{access}: {access.index!r} does not hold {', '.join(lacking)}, so where=… cannot ask "
            "about it. Project it, or look at the items themselves: fetch()."
        )


def told_by_key(model: Model, access: ResolvedKey, name: str) -> ResolvedKey | None:
    """The key that tells the value of a field which the index itself does not hold."""
    field = model.fields[name]
    if field.stored and holds_attribute(model, access.index, field.attribute):
        return None
    return next((key for key in (model.key, access) if name in key.recoverable_fields), None)


def check_picked(model: Model, access: ResolvedKey, paths: tuple[Path[Any, Any], ...]) -> None:
    """Refuse to read fields that neither an index nor its keys hold."""
    for path in paths:
        field = model.fields[path.field]
        held = holds_attribute(model, access.index, field.attribute)
        if not held and told_by_key(model, access, path.field) is None:
            raise InvalidValue(
                f"{access}: {access.index!r} does not hold {field}. Project it, or read the items "
                "themselves with fetch()."
            )
