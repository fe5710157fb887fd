"""No two items share a primary key by accident, and every key can be parsed."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from singletable import InvalidValue
from singletable.schema import ItemKey, Model, Table
from tests.schema.key_strategies import KINDS, SKETCHES, Kind, Sketch, declare, rank, values_of
from tests.store.stores import existing


def _texts(model: Model, values: tuple[Any, ...]) -> tuple[str, ...]:
    key = ItemKey[Any].of(model.entity, values).key
    return tuple(key[name]["S"] for name in ("PK", "SK"))


# Texts that are prefixes of each other, or differ by the position of a separator or an escape.
CLOSE = st.text(alphabet="a#! |:A", min_size=1, max_size=3) | st.sampled_from(
    ["a$23a", "$", "a$", "a|A|a"]
)


@st.composite
def neighbours(draw: st.DrawFn, sketch: Sketch) -> list[tuple[Any, ...]]:
    """Draw tuples that differ little: their values come from one small list."""
    heap = {kind.name: draw(st.lists(kind.values, min_size=1, max_size=4)) for kind in sketch.kinds}
    if "text" in heap:
        heap["text"] += draw(st.lists(CLOSE, min_size=4, max_size=8))
    taken = [st.sampled_from(heap[kind.name]) for kind in sketch.kinds]
    return draw(st.lists(st.tuples(*taken), min_size=2, max_size=30))


# Every other library that was tested lets one item overwrite another here.
@given(data=st.data(), sketches=st.lists(SKETCHES, min_size=2, max_size=5))
def test_equal_keys_have_equal_entities_and_values(
    data: st.DataObject, sketches: list[Sketch]
) -> None:
    table = Table("random")
    made = [(model, one) for one in sketches if (model := declare(table, one)) is not None]
    seen: dict[tuple[str, ...], tuple[int, tuple[Any, ...]]] = {}
    for number, (model, sketch) in enumerate(made):
        for values in data.draw(neighbours(sketch)):
            try:
                texts = _texts(model, values)
            except InvalidValue:
                assert sketch.verbatim  # a value contains the text that would end it
                continue
            assert seen.setdefault(texts, (number, values)) == (number, values)


# Between adjacent texts a separator could be forged: one text, split at several positions.
@given(pieces=st.lists(CLOSE, min_size=3, max_size=5), joint=st.sampled_from(["#", "$23", "$", ""]))
def test_adjacent_texts_cannot_be_confused(pieces: list[str], joint: str) -> None:
    text = KINDS[0]
    cuts = range(1, len(pieces))
    tuples = {(joint.join(pieces[:at]), joint.join(pieces[at:])) for at in cuts}
    for sketch in (Sketch((text, text), ("S",)), Sketch(("P",), (text, text))):
        model = existing(declare(Table("random"), sketch))
        assert len({_texts(model, values) for values in tuples}) == len(tuples)


@given(data=st.data(), sketches=st.lists(SKETCHES, min_size=1, max_size=4))
def test_key_is_parsed_by_its_own_entity_only(data: st.DataObject, sketches: list[Sketch]) -> None:
    table = Table("random")
    made = [(model, one) for one in sketches if (model := declare(table, one)) is not None]
    for model, sketch in made:
        values = data.draw(values_of(sketch))
        try:
            key = ItemKey[Any].of(model.entity, values).key
        except InvalidValue:
            assume(sketch.verbatim)
            continue
        assert model.key.parse(key) == {f"f{at}": value for at, value in enumerate(values)}
        assert [other.entity for other, _ in made if other.matches(key)] == [model.entity]


# A query returns items in the order of their values.
@given(
    data=st.data(),
    kinds=st.lists(st.just(KINDS[0]) | st.sampled_from(KINDS), min_size=1, max_size=3),
)
def test_key_sorts_like_its_values(data: st.DataObject, kinds: list[Kind]) -> None:
    ordered = [kind for kind in kinds if kind.name != "choice"] or [KINDS[0]]
    sketch = Sketch(("P",), ("S", *ordered))
    model = existing(declare(Table("random"), sketch))
    tuples = data.draw(neighbours(sketch))
    by_key = sorted(tuples, key=lambda values: _texts(model, values)[1].encode())
    assert by_key == sorted(tuples, key=lambda values: _rank(ordered, values))


def _rank(kinds: list[Kind], values: tuple[Any, ...]) -> list[Any]:
    """Return what the tuple is sorted by, the highest first for descending values."""
    ranks = [rank(kind, value) for kind, value in zip(kinds, values, strict=True)]
    return [
        _Descending(one) if kind.name.startswith("descending") else one
        for kind, one in zip(kinds, ranks, strict=True)
    ]


class _Descending:
    """A value that sorts in reverse."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Any) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Descending) and bool(other.value == self.value)

    def __hash__(self) -> int:
        return hash(self.value)
