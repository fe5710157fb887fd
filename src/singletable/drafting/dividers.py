"""Keys that are divided by something else than `#`, told in words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from singletable.drafting.grouping import Group
from singletable.schema import Table

_DIVIDED = re.compile(r"([A-Za-z]+)([:|/~;,.^_])[^#]+")


def other_divider(table: Table, groups: Sequence[Group]) -> list[str]:
    """A note for each key attribute whose values look divided in another way."""
    notes: list[str] = []
    for attribute in table.key_attributes:
        if attribute.type != "S":
            continue
        whole = [
            item[attribute.name]["S"]
            for group in groups
            for item in group.items
            if None in _column(table, group, attribute.name) and "S" in item[attribute.name]
        ]
        found = [match for match in map(_DIVIDED.fullmatch, whole) if match is not None]
        dividers = {match[2] for match in found}
        words = {match[1] for match in found}
        if (
            found
            and len(found) == len(whole)
            and len(dividers) == 1
            and len(words) <= len(found) / 2
        ):
            notes.append(_note(attribute.name, dividers.pop(), whole[0]))
    return notes


def _column(table: Table, group: Group, attribute: str) -> Sequence[str | None]:
    return group.pk if attribute == table.pk.name else group.sk


def _note(attribute: str, divider: str, example: str) -> str:
    return (
        f"{attribute} looks divided by {divider!r} ({example!r}). singletable joins the parts of a "
        "key by '#' and by nothing else, so each such key is one value here, and entities that "
        f"differ only before a {divider!r} are not told apart by their keys."
    )
