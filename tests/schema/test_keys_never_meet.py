"""No two items ever share a primary key by accident, and a key can be read back."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from singletable.schema import ItemKey, Model, Table
from tests.schema.keys import KINDS, SKETCHES, Kind, Sketch, declare, rank, values_of


def _texts(model: Model, values: tuple[Any, ...]) -> tuple[str, ...]:
    key = ItemKey[Any].of(model.entity, values).key
    return tuple(key[name]["S"] for name in ("PK", "SK"))


# Texts that begin each other, or are each other with a divider or an escape moved.
CLOSE = st.text(alphabet="a#! ", min_size=1, max_size=3) | st.sampled_from(["a$23a", "$", "a$"])


@st.composite
def neighbours(draw: st.DrawFn, sketch: Sketch) -> list[tuple[Any, ...]]:
    """Tuples that differ little: values are taken from one small heap."""
    heap = {kind.name: draw(st.lists(kind.values, min_size=1, max_size=4)) for kind in sketch.kinds}
    if "text" in heap:
        heap["text"] += draw(st.lists(CLOSE, min_size=4, max_size=8))
    taken = [st.sampled_from(heap[kind.name]) for kind in sketch.kinds]
    return draw(st.lists(st.tuples(*taken), min_size=2, max_size=30))


# Every other library that was tested lets one item replace another here.
@given(data=st.data(), sketches=st.lists(SKETCHES, min_size=2, max_size=5))
def test_equal_keys_are_of_one_entity_and_one_tuple(
    data: st.DataObject, sketches: list[Sketch]
) -> None:
    table = Table("random")
    made = [(model, one) for one in sketches if (model := declare(table, one)) is not None]
    seen: dict[tuple[str, ...], tuple[int, tuple[Any, ...]]] = {}
    for number, (model, sketch) in enumerate(made):
        for values in data.draw(neighbours(sketch)):
            owner = seen.setdefault(_texts(model, values), (number, values))
            assert owner == (number, values)


# Two texts beside each other are where a divider could be forged: one text, cut in several places.
@given(pieces=st.lists(CLOSE, min_size=3, max_size=5), joint=st.sampled_from(["#", "$23", "$", ""]))
def test_texts_beside_each_other_stay_apart(pieces: list[str], joint: str) -> None:
    text = KINDS[0]
    cuts = range(1, len(pieces))
    tuples = {(joint.join(pieces[:at]), joint.join(pieces[at:])) for at in cuts}
    for sketch in (Sketch((text, text), ("S",)), Sketch(("P",), (text, text))):
        model = declare(Table("random"), sketch)
        assert model is not None
        assert len({_texts(model, values) for values in tuples}) == len(tuples)


@given(data=st.data(), sketches=st.lists(SKETCHES, min_size=1, max_size=4))
def test_a_key_is_read_back_by_its_own_entity_alone(
    data: st.DataObject, sketches: list[Sketch]
) -> None:
    table = Table("random")
    made = [(model, one) for one in sketches if (model := declare(table, one)) is not None]
    for model, sketch in made:
        values = data.draw(values_of(sketch))
        key = ItemKey[Any].of(model.entity, values).key
        assert model.key.parse(key) == {f"f{at}": value for at, value in enumerate(values)}
        assert [other.entity for other, _ in made if other.matches(key)] == [model.entity]


# The order of the items of a query is the order of their values, whatever they are.
@given(
    data=st.data(),
    kinds=st.lists(st.just(KINDS[0]) | st.sampled_from(KINDS), min_size=1, max_size=3),
)
def test_a_key_sorts_as_its_tuple(data: st.DataObject, kinds: list[Kind]) -> None:
    ordered = [kind for kind in kinds if kind.name != "choice"] or [KINDS[0]]
    sketch = Sketch(("P",), ("S", *ordered))
    model = declare(Table("random"), sketch)
    assert model is not None
    tuples = data.draw(neighbours(sketch))
    by_key = sorted(tuples, key=lambda values: _texts(model, values)[1].encode())
    assert by_key == sorted(tuples, key=lambda values: _rank(ordered, values))


def _rank(kinds: list[Kind], values: tuple[Any, ...]) -> list[Any]:
    """What the tuple is sorted by, the highest first where it is said so."""
    ranks = [rank(kind, value) for kind, value in zip(kinds, values, strict=True)]
    return [
        _Last(one) if kind.name.startswith("last") else one
        for kind, one in zip(kinds, ranks, strict=True)
    ]


class _Last:
    """A value that comes the earlier, the higher it is."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Any) -> bool:
        return bool(other.value < self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Last) and bool(other.value == self.value)

    def __hash__(self) -> int:
        return hash(self.value)
