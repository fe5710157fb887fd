"""What an entity is called: by its type tag, or by the words in its keys."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.drafting.generic import is_generic
from singletable.drafting.grouping import Column, Group
from singletable.drafting.names import camel, free, singular
from singletable.drafting.text import SAYS_NOTHING, is_usual
from singletable.schema import Table

SHORT = 3


def entity_names(table: Table, groups: Sequence[Group], taken: set[str]) -> list[str]:
    """A name for each group, no two alike and none of those that are taken."""
    found: list[str] = []
    wanted = [_wanted(table, group) for group in groups]
    for group, name in zip(groups, wanted, strict=True):
        if wanted.count(name) > 1 and group.tag is None and group.name is None:
            owner = _word(group.pk)
            name = name if owner is None or owner == name else f"{owner}{name}"
        found.append(free(name, {*found, *taken}))
    return found


def _wanted(table: Table, group: Group) -> str:
    if group.name is not None:
        return camel(group.name)
    if group.tag is not None:
        return camel(group.tag)
    owner, own = _word(group.pk), _word(group.sk)
    if own is None or (own.lower() in SAYS_NOTHING and None not in group.sk):
        return owner or _by_attribute(table) or camel(singular(table.name))
    if owner is None or owner == own or None in group.sk:
        return own
    return f"{owner}{own}" if None in group.pk else own


def _word(column: Column) -> str | None:
    """The word that tells most: one after the values, or else the first."""
    words = [text for text in column if text is not None and len(text) >= SHORT]
    words = words or [text for text in column if text is not None]
    if not words:
        return None
    last = words[-1] if column and column[-1] is not None and None in column else words[0]
    return camel(last if is_usual(last) else singular(last))


def _by_attribute(table: Table) -> str | None:
    """What a key attribute such as `customer_id` tells."""
    if is_generic(table.pk.name) or table.sk is not None:
        return None
    plain = camel(table.pk.name).removesuffix("Id").removesuffix("ID")
    return plain or None
