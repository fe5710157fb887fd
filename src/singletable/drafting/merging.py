"""Groups that are one after all: what looked like a text that stays was a value like others.

A player may be called METADATA. Where one group has a text and another, otherwise alike, has any
text, singletable would refuse to tell the two apart; so they are one, if their items look alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from singletable.drafting.grouping import Column, Group, parts_of
from singletable.drafting.kinds import text_kind
from singletable.drafting.text import padded_width
from singletable.schema import Table
from singletable.schema.key_template import unescape


def merged(table: Table, groups: Sequence[Group]) -> list[Group]:
    """The groups, those that are one put together."""
    found: list[Group] = []
    for group in groups:
        twin = next((one for one in found if _are_one(table, one, group)), None)
        if twin is None:
            found.append(group)
        else:
            twin.pk = _joined(twin.pk, group.pk)
            twin.sk = _joined(twin.sk, group.sk)
            twin.items += group.items
    return found if len(found) == len(groups) else merged(table, found)


def _are_one(table: Table, one: Group, other: Group) -> bool:
    return (
        one.tag == other.tag
        and len(one.pk) == len(other.pk)
        and len(one.sk) == len(other.sk)
        and _could_meet(table.pk.name, one, other, one.pk, other.pk)
        and (table.sk is None or _could_meet(table.sk.name, one, other, one.sk, other.sk))
        and (one.tag is not None or _look_alike(one, other))
    )


def _could_meet(attribute: str, one: Group, other: Group, mine: Column, theirs: Column) -> bool:
    """Whether each text of one could be a value of the other."""
    for at, (first, second) in enumerate(zip(mine, theirs, strict=True)):
        if first == second:
            continue
        if first is not None and second is not None:
            return False
        values = other if first is not None else one
        texts = [unescape(parts_of(item, attribute)[at]) for item in values.items]
        # Times, identifiers and padded numbers are never mistaken for words.
        if text_kind(texts).text != "str" or padded_width(texts) is not None:
            return False
    return True


def _joined(mine: Column, theirs: Column) -> Column:
    return tuple(a if a == b else None for a, b in zip(mine, theirs, strict=True))


def _look_alike(one: Group, other: Group) -> bool:
    """Whether the items have at least half of their attributes in common."""
    mine = {name for item in one.items for name in item}
    theirs = {name for item in other.items for name in item}
    return 2 * len(mine & theirs) >= len(mine | theirs)
