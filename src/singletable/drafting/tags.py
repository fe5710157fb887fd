"""The attribute that tells what an item is, found among those of its items."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from singletable.drafting.grouping import parts_of
from singletable.drafting.text import is_word
from singletable.schema import Table
from singletable.values import Item

# Names that say it outright, and names that may mean something else. Case and dashes do not count.
OUTRIGHT = ("entitytype", "et", "entity", "edbe", "itemtype", "recordtype", "objecttype", "dtype")
PERHAPS = ("type", "kind", "class", "discriminator", "model")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_.#-]{0,60}")


def find_tag(table: Table, items: Sequence[Item]) -> str | None:
    """The attribute that tells entities apart, if there is one."""
    keys = {one.name for one in table.key_attributes}
    names = {name for item in items for name in item} - keys
    ranked = sorted(
        (rank, name)
        for name in names
        for rank, known in enumerate((*OUTRIGHT, *PERHAPS))
        if re.sub("[^a-z]", "", name.lower()) == known
    )
    for rank, name in ranked:
        if _tells_apart(table, items, name, outright=rank < len(OUTRIGHT)):
            return name
    return None


def _tells_apart(table: Table, items: Sequence[Item], name: str, *, outright: bool) -> bool:
    """Whether each value of the attribute goes with one shape of key, and no two with the same."""
    shapes: dict[str, set[object]] = defaultdict(set)
    for item in items:
        held = item.get(name)
        if held is None:
            continue
        if "S" not in held or not _TAG.fullmatch(held["S"]):
            return False
        shapes[held["S"]].add(_rough(table, item))
    if outright:
        return True
    seen = [shape for found in shapes.values() for shape in found]
    return len(shapes) > 1 and len(seen) == len(shapes) == len(set(seen))


def _rough(table: Table, item: Item) -> tuple[object, ...]:
    """The shape of a key at first sight: how many parts, and the words they begin with."""
    rough: list[object] = []
    for attribute in table.key_attributes:
        parts = parts_of(item, attribute.name)
        rough += [len(parts), parts[0] if is_word(parts[0]) else None]
    return tuple(rough)
