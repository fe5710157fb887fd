"""Group items into entities by their type tag and by the shape of their keys.

Rule 1. A key is split at each `#`, or at each separator that follows its first word (`user:17`). A
        part that is a word and the same in many items is a constant; any other part is a value.
Rule 2. A part that equals an attribute of its item is a value, even if it is a word.
Rule 3. A word after a constant is probably a value (`ELECTION#languages`); a word at the beginning
        or after a value is probably a constant (`u#17#follower`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dynamodb_engine.values import Item
from singletable.schema import Table
from singletable.schema.key_template import SEPARATOR, unescape
from singletable_design.introspection.field_types import (
    infer_text_type,
    is_common_label,
    is_uppercase_word,
    is_word,
    padded_width,
    text_format,
)

# The parts of a key attribute: a constant, or None for a value.
KeyShape: TypeAlias = tuple[str | None, ...]
# More different words than this at one position of the keys are values.
MAX_CONSTANTS = 12
FEW_ITEMS = 3


@dataclass
class ItemGroup:
    """Items with the same type tag and the same key shape."""

    tag: str | None
    pk: KeyShape
    sk: KeyShape
    items: list[Item]
    # Why its keys are declared verbatim: singletable would write other keys for these items.
    raw_reason: str | None = None
    # The separators between the parts of the key attributes.
    separators: tuple[str, ...] = (SEPARATOR, SEPARATOR)
    # Whether its keys are declared with concat(), even if they could be joined by `#`.
    concatenated: bool = False
    # Whether that was tried.
    is_tried: bool = False

    @property
    def shape(self) -> str:
        """The keys as text, with `…` for values."""
        sides = [self.pk, *([self.sk] if self.sk else [])]
        marked = zip(self.separators, sides, strict=False)
        return " / ".join(mark.join(part or "…" for part in side) for mark, side in marked)


SEPARATORS = "#|:/~;^"
# A first word and the separator after it; the rest of a URL is not a value.
_FIRST_WORD = re.compile(r"([A-Za-z$][A-Za-z_-]*)([|:/~;^])(?!//)")


def find_separators(texts: Iterable[str]) -> Mapping[str, str]:
    """Return the separator after each first word, if most texts without `#` seem to have one."""
    others = [text for text in texts if SEPARATOR not in text and not is_word(text)]
    matches = [match for text in others if (match := _FIRST_WORD.match(text)) is not None]
    found = Counter((str(match[1]), str(match[2])) for match in matches)
    if 2 * len(matches) < len(others) or 2 * len(found) > len(matches):
        return {}
    return dict(pair for pair, count in found.items() if count > 1)


@dataclass(frozen=True, slots=True)
class KeySplitter:
    """Splits key attributes into parts; has the separators by first word for each attribute."""

    separators: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, attributes: Iterable[str], items: Sequence[Item]) -> KeySplitter:
        """Return the splitter for these attributes of the items."""
        texts = {
            name: [item[name]["S"] for item in items if "S" in item[name]] for name in attributes
        }
        return cls({name: find_separators(found) for name, found in texts.items()})

    def separator(self, item: Item, attribute: str) -> str:
        """Return the separator in a key attribute, `#` by default."""
        text = item.get(attribute, {}).get("S", "")
        match = None if SEPARATOR in text else _FIRST_WORD.match(text)
        words = self.separators.get(attribute, {})
        return words.get(match[1], SEPARATOR) if match is not None else SEPARATOR

    def split(self, item: Item, attribute: str) -> list[str]:
        """Return the parts of a key attribute; a number or a binary value is one empty part."""
        return split_key(item, attribute, self.separator(item, attribute))


def split_key(item: Item, attribute: str, separator: str = SEPARATOR) -> list[str]:
    """Split a key attribute at each separator; an attribute of another type is one empty part."""
    value = item.get(attribute, {})
    return value["S"].split(separator) if "S" in value else [""]


def group_items(
    table: Table, items: Sequence[Item], tag: str | None, splitter: KeySplitter
) -> list[ItemGroup]:
    """Group items by type tag and key shape; the largest groups come first."""
    names = [one.name for one in table.key_attributes]
    by_size: dict[tuple[str | None, tuple[str, ...], tuple[int, ...]], list[Item]]
    by_size = defaultdict(list)
    for item in items:
        value = item.get(tag, {}).get("S") if tag is not None else None
        marks = tuple(splitter.separator(item, name) for name in names)
        by_size[value, marks, tuple(len(splitter.split(item, name)) for name in names)].append(item)
    groups = [
        ItemGroup(value, shape[: sizes[0]], shape[sizes[0] :], members, separators=marks)
        for (value, marks, sizes), candidates in by_size.items()
        for shape, members in _GroupSplitter(
            table, tag, value is not None, sizes[0], splitter
        ).split(candidates)
    ]
    return sorted(groups, key=lambda group: (-len(group.items), group.shape))


@dataclass(frozen=True, slots=True)
class _GroupSplitter:
    """Splits items with the same number of key parts into groups of one shape."""

    table: Table
    tag: str | None
    tagged: bool
    # The number of parts of the partition key.
    width: int
    splitter: KeySplitter

    def split(self, items: Sequence[Item]) -> list[tuple[KeyShape, list[Item]]]:
        """Return the shapes of the keys, each with its items."""
        rows = [(self._row(item), item) for item in items]
        return self._split(rows, ())

    def _row(self, item: Item) -> list[str]:
        return [
            part
            for one in self.table.key_attributes
            for part in self.splitter.split(item, one.name)
        ]

    def _split(
        self, rows: list[tuple[list[str], Item]], shape: KeyShape
    ) -> list[tuple[KeyShape, list[Item]]]:
        at = len(shape)
        if at == len(rows[0][0]):
            return [(shape, [item for _, item in rows])]
        by_text: dict[str, list[tuple[list[str], Item]]] = defaultdict(list)
        for row, item in rows:
            by_text[row[at]].append((row, item))
        is_constant = self._find_constants(
            {text: [item for _, item in same] for text, same in by_text.items()}, shape
        )
        values = [row for text, same in by_text.items() if not is_constant(text) for row in same]
        found = self._split(values, (*shape, None)) if values else []
        for text in filter(is_constant, by_text):
            found += self._split(by_text[text], (*shape, text))
        return found

    def _find_constants(
        self, by_text: dict[str, list[Item]], shape: KeyShape
    ) -> Callable[[str], bool]:
        """Return a predicate: which texts at the next position of the keys are constants."""
        words = {text for text in by_text if is_word(text)}
        if not words or self._all_copied(by_text, shape):
            return lambda _: False
        if self._follows_constant(shape):
            return lambda text: text in words and self._is_second_constant(text, by_text)
        if len(by_text) == 1:
            (text,) = by_text
            return lambda _: (
                is_uppercase_word(text) or is_common_label(text) or len(by_text[text]) > 1
            )
        others = [text for text in by_text if text not in words and text_format(text) is None]
        if self.tagged or others or len(words) > MAX_CONSTANTS:
            return lambda text: text in words and is_common_label(text)
        begins = len(shape) in (0, self.width)
        return lambda text: text in words and self._is_label(text, by_text[text], shape, begins)

    def _is_label(self, text: str, items: Sequence[Item], shape: KeyShape, begins: bool) -> bool:
        """Return whether a word is a constant: uppercase, frequent, or before identifiers."""
        if not begins:
            return is_common_label(text) or len(items) >= (
                2 if is_uppercase_word(text) else FEW_ITEMS
            )
        if is_uppercase_word(text) or len(items) >= FEW_ITEMS:
            return True
        rows = [self._row(item) for item in items]
        after = len(shape) + 1
        ends = after == len(rows[0]) or (after == self.width and len(shape) < self.width)
        return not ends and all(text_format(row[after]) is not None for row in rows)

    def _follows_constant(self, shape: KeyShape) -> bool:
        return len(shape) not in (0, self.width) and shape[-1] is not None

    def _is_second_constant(self, text: str, by_text: dict[str, list[Item]]) -> bool:
        """Return whether a word after a constant is one too: a common label, or in all items."""
        if self._is_copied(by_text[text], text):
            return False
        return is_common_label(text) or (
            len(by_text) == 1 and is_uppercase_word(text) and len(by_text[text]) >= FEW_ITEMS
        )

    def _all_copied(self, by_text: dict[str, list[Item]], shape: KeyShape) -> bool:
        """Return whether one attribute equals this part of the key in every item."""
        if len(by_text) == 1 and not self._follows_constant(shape):
            return False
        return _share_a_member(
            [
                self._attributes_holding(one, text)
                for text, items in by_text.items()
                for one in items
            ]
        )

    def _is_copied(self, items: Sequence[Item], text: str) -> bool:
        return _share_a_member([self._attributes_holding(item, text) for item in items])

    def _attributes_holding(self, item: Item, text: str) -> set[str]:
        """Return the attributes of an item that equal the text."""
        keys = {one.name for one in self.table.all_key_attributes()}
        copied = {"S": unescape(text)}
        return {
            name
            for name, value in item.items()
            if value == copied and name not in keys and name != self.tag
        }


def _share_a_member(sets: Sequence[set[str]]) -> bool:
    return bool(sets[0].intersection(*sets[1:]))


def merge_groups(table: Table, groups: Sequence[ItemGroup]) -> list[ItemGroup]:
    """Merge groups in which a value was mistaken for a constant.

    A player may be called METADATA. If one group has a constant where another has a value, the
    schema would reject the overlapping keys, so similar groups are merged.
    """
    merged: list[ItemGroup] = []
    for group in groups:
        twin = next((one for one in merged if _are_same_entity(table, one, group)), None)
        if twin is None:
            merged.append(group)
        else:
            twin.pk = _join_shapes(twin.pk, group.pk)
            twin.sk = _join_shapes(twin.sk, group.sk)
            twin.items += group.items
    return merged if len(merged) == len(groups) else merge_groups(table, merged)


def _are_same_entity(table: Table, one: ItemGroup, other: ItemGroup) -> bool:
    return (
        one.tag == other.tag
        and one.separators == other.separators
        and len(one.pk) == len(other.pk)
        and len(one.sk) == len(other.sk)
        and all(
            _could_be_same(attribute.name, mark, one, other, mine, theirs)
            for attribute, mark, mine, theirs in zip(
                table.key_attributes,
                one.separators,
                (one.pk, one.sk),
                (other.pk, other.sk),
                strict=False,
            )
        )
        and (one.tag is not None or _have_similar_attributes(one, other))
    )


def _could_be_same(
    attribute: str,
    separator: str,
    one: ItemGroup,
    other: ItemGroup,
    mine: KeyShape,
    theirs: KeyShape,
) -> bool:
    """Return whether each constant of one group could be a value of the other."""
    for at, (first, second) in enumerate(zip(mine, theirs, strict=True)):
        if first == second:
            continue
        if first is not None and second is not None:
            return False
        values = other if first is not None else one
        texts = [unescape(split_key(item, attribute, separator)[at]) for item in values.items]
        # A constant is never mistaken for a time, an identifier or a padded number.
        if infer_text_type(texts).text != "str" or padded_width(texts) is not None:
            return False
    return True


def _join_shapes(mine: KeyShape, theirs: KeyShape) -> KeyShape:
    return tuple(a if a == b else None for a, b in zip(mine, theirs, strict=True))


def _have_similar_attributes(one: ItemGroup, other: ItemGroup) -> bool:
    """Return whether the items have at least half of their attributes in common."""
    mine = {name for item in one.items for name in item}
    theirs = {name for item in other.items for name in item}
    return 2 * len(mine & theirs) >= len(mine | theirs)


# Names of a type tag, and names that may mean something else; case and dashes do not matter.
CERTAIN_NAMES = (
    "entitytype",
    "et",
    "entity",
    "edbe",
    "itemtype",
    "recordtype",
    "objecttype",
    "dtype",
)
LIKELY_NAMES = ("type", "kind", "class", "discriminator", "model", "t")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_.#-]{0,60}")


def find_type_tag(table: Table, items: Sequence[Item], splitter: KeySplitter) -> str | None:
    """Return the attribute that distinguishes entities, or None."""
    keys = {one.name for one in table.key_attributes}
    names = {name for item in items for name in item} - keys
    ranked = sorted(
        (rank, name)
        for name in names
        for rank, known in enumerate((*CERTAIN_NAMES, *LIKELY_NAMES))
        if re.sub("[^a-z]", "", name.lower()) == known
    )
    for rank, name in ranked:
        if _distinguishes(table, items, name, splitter, certain=rank < len(CERTAIN_NAMES)):
            return name
    return None


def _distinguishes(
    table: Table, items: Sequence[Item], name: str, splitter: KeySplitter, *, certain: bool
) -> bool:
    """Return whether each value of the attribute has a key shape of its own."""
    shapes: dict[str, set[object]] = defaultdict(set)
    for item in items:
        value = item.get(name)
        if value is None:
            continue
        if "S" not in value or not _TAG.fullmatch(value["S"]):
            return False
        shapes[value["S"]].add(_rough_shape(table, item, splitter))
    if certain:
        return True
    seen = [shape for found in shapes.values() for shape in found]
    return len(shapes) > 1 and len(seen) == len(shapes) == len(set(seen))


def _rough_shape(table: Table, item: Item, splitter: KeySplitter) -> tuple[object, ...]:
    """Return the number of parts and the first word of each key attribute."""
    shape: list[object] = []
    for attribute in table.key_attributes:
        parts = splitter.split(item, attribute.name)
        shape += [len(parts), parts[0] if is_word(parts[0]) else None]
    return tuple(shape)
