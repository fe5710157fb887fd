"""Items of one shape, put together: by their type tag if they have one, and by their keys.

Rule 1. A key is cut at each `#`. A part that is a word, and the same in many items, stays; any
        other part is a value.
Rule 2. What an attribute of the item says too is a value, word or not.
Rule 3. A word after a word is more likely a value (`ELECTION#languages`), a word at the beginning
        or after a value more likely stays (`u#17#follower`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from singletable.drafting.text import is_loud, is_usual, is_word, look_of
from singletable.schema import Table
from singletable.schema.key_template import DIVIDER, unescape
from singletable.values import Item

# The parts of a key attribute: a text that stays, or None for a value.
Column: TypeAlias = tuple[str | None, ...]
# More words than this in one place are values.
MOST_WORDS = 12
FEW = 3


@dataclass
class Group:
    """Items whose keys have one shape, and that have one type tag."""

    tag: str | None
    pk: Column
    sk: Column
    items: list[Item]
    # What the entity is called, if somebody has said so.
    name: str | None = None
    # What values in its keys are called, by attribute and place, if somebody has said so.
    called: Mapping[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    # Whether its item is made up, because there is none.
    imagined: bool = False
    # Why its keys are kept as they are, if singletable would not write the same ones again.
    raw: str | None = None

    @property
    def shape(self) -> str:
        """The keys as they are shown, before the values have names."""
        columns = [self.pk, *([self.sk] if self.sk else [])]
        return " / ".join("#".join("…" if one is None else one for one in c) for c in columns)


def parts_of(item: Item, attribute: str) -> list[str]:
    """A key attribute cut at each `#`; what is no text is one part."""
    held = item.get(attribute, {})
    return held["S"].split(DIVIDER) if "S" in held else [""]


def grouped(table: Table, items: Sequence[Item], tag: str | None) -> list[Group]:
    """The items by their tag and by the shape of their keys, the largest groups first."""
    alike: dict[tuple[str | None, int, int], list[Item]] = defaultdict(list)
    for item in items:
        said = item.get(tag, {}).get("S") if tag is not None else None
        sk = 0 if table.sk is None else len(parts_of(item, table.sk.name))
        alike[said, len(parts_of(item, table.pk.name)), sk].append(item)
    groups = [
        Group(said, shape[:pk], shape[pk:], same)
        for (said, pk, _), found in alike.items()
        for shape, same in _Splitting(table, tag, said is not None, pk).split(found)
    ]
    return sorted(groups, key=lambda group: (-len(group.items), group.shape))


@dataclass(frozen=True, slots=True)
class _Splitting:
    """How items whose keys have as many parts are told apart."""

    table: Table
    tag: str | None
    tagged: bool
    # How many parts the partition key has.
    width: int

    def split(self, items: Sequence[Item]) -> list[tuple[Column, list[Item]]]:
        """The shapes of the keys, each with its items."""
        rows = [(self._row(item), item) for item in items]
        return self._split(rows, ())

    def _row(self, item: Item) -> list[str]:
        row = parts_of(item, self.table.pk.name)
        return row if self.table.sk is None else row + parts_of(item, self.table.sk.name)

    def _split(
        self, rows: list[tuple[list[str], Item]], shape: Column
    ) -> list[tuple[Column, list[Item]]]:
        at = len(shape)
        if at == len(rows[0][0]):
            return [(shape, [item for _, item in rows])]
        by_text: dict[str, list[tuple[list[str], Item]]] = defaultdict(list)
        for row, item in rows:
            by_text[row[at]].append((row, item))
        stays = self._stays(
            {text: [item for _, item in same] for text, same in by_text.items()}, shape
        )
        values = [row for text, same in by_text.items() if not stays(text) for row in same]
        found = self._split(values, (*shape, None)) if values else []
        for text in filter(stays, by_text):
            found += self._split(by_text[text], (*shape, text))
        return found

    def _stays(self, by_text: dict[str, list[Item]], shape: Column) -> Callable[[str], bool]:
        """Which of the texts in one place of the keys stay."""
        words = {text for text in by_text if is_word(text)}
        if not words or self._told(by_text, shape):
            return lambda _: False
        if self._after_a_word(shape):
            return lambda text: text in words and self._constant(text, by_text)
        if len(by_text) == 1:
            (text,) = by_text
            return lambda _: is_loud(text) or is_usual(text) or len(by_text[text]) > 1
        others = [text for text in by_text if text not in words and look_of(text) is None]
        if self.tagged or others or len(words) > MOST_WORDS:
            return lambda text: text in words and is_usual(text)
        begins = len(shape) in (0, self.width)
        return lambda text: text in words and self._is_label(text, by_text[text], shape, begins)

    def _is_label(self, text: str, items: Sequence[Item], shape: Column, begins: bool) -> bool:
        """Whether a word among others stays: in capitals, seen often, or before identifiers."""
        if not begins:
            return is_usual(text) or len(items) >= (2 if is_loud(text) else FEW)
        if is_loud(text) or len(items) >= FEW:
            return True
        rows = [self._row(item) for item in items]
        after = len(shape) + 1
        ends = after == len(rows[0]) or (after == self.width and len(shape) < self.width)
        return not ends and all(look_of(row[after]) is not None for row in rows)

    def _after_a_word(self, shape: Column) -> bool:
        return len(shape) not in (0, self.width) and shape[-1] is not None

    def _constant(self, text: str, by_text: dict[str, list[Item]]) -> bool:
        """Whether a word after a word stays: it is a usual one, or all items have it."""
        if self._is_told(by_text[text], text):
            return False
        return is_usual(text) or (len(by_text) == 1 and is_loud(text) and len(by_text[text]) >= FEW)

    def _told(self, by_text: dict[str, list[Item]], shape: Column) -> bool:
        """Whether an attribute of each item says the same, and not always one thing."""
        if len(by_text) == 1 and not self._after_a_word(shape):
            return False
        return _have_one_in_common(
            [self._telling(one, text) for text, items in by_text.items() for one in items]
        )

    def _is_told(self, items: Sequence[Item], text: str) -> bool:
        return _have_one_in_common([self._telling(item, text) for item in items])

    def _telling(self, item: Item, text: str) -> set[str]:
        """The attributes of an item that hold the text."""
        keys = {one.name for one in self.table.all_key_attributes()}
        told = {"S": unescape(text)}
        return {
            name
            for name, held in item.items()
            if held == told and name not in keys and name != self.tag
        }


def _have_one_in_common(sets: Sequence[set[str]]) -> bool:
    return bool(sets[0].intersection(*sets[1:]))
