"""The faults of single values: texts, names, words, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import assert_never

from singletable.engine.constraints.fault import (
    PATTERN,
    Fault,
    Layer,
    Path,
    longer,
    one_of,
    shorter,
)
from singletable.engine.constraints.names import (
    LONGEST_NAME,
    arn_fault,
    has_name_characters,
    is_arn,
)
from singletable.engine.constraints.shape import Choice, Custom, List, Map, Number, TableName, Text


def of_string(shape: Text | TableName | Choice | Custom, value: str, path: Path) -> Iterator[Fault]:
    """What is wrong with a string."""
    match shape:
        case Text():
            return _text(shape, value, path)
        case TableName():
            return _table_name(shape, value, path)
        case Choice() | Custom():
            return _word(shape, value, path)
        case _:
            assert_never(shape)


def _text(shape: Text, value: str, path: Path) -> Iterator[Fault]:
    misspelt = shape.pattern and not has_name_characters(value)
    if misspelt and shape.pattern == "first":
        yield Fault(Layer.LIMIT, path, value, PATTERN)
    yield from of_length(shape, value, path)
    if misspelt and shape.pattern == "last":
        yield Fault(Layer.LIMIT, path, value, PATTERN)


def _table_name(shape: TableName, value: str, path: Path) -> Iterator[Fault]:
    if is_arn(value):
        if sentence := arn_fault(value):
            yield Fault(Layer.NAME, path, value, sentence=sentence)
        return
    if not value and shape.least == 1:
        # No pattern fault beside it: the newer model of a name is that of an ARN, which has none.
        yield Fault(Layer.LIMIT, path, value, longer(1))
        return
    # Control-plane calls report a name of a wrong length before all else, one that is merely
    # misspelt together with everything else.
    wrong_length = not shape.least <= len(value) <= LONGEST_NAME
    layer = Layer.SHORT_NAME if wrong_length else Layer.NAME
    if len(value) < shape.least:
        yield Fault(layer, path, value, longer(shape.least))
    if len(value) > LONGEST_NAME:
        yield Fault(layer, path, value, shorter(LONGEST_NAME))
    if not has_name_characters(value):
        yield Fault(layer, path, value, PATTERN)


def _word(shape: Choice | Custom, value: str, path: Path) -> Iterator[Fault]:
    if value in shape.words:
        return
    if isinstance(shape, Custom):
        yield Fault(Layer.CUSTOM, path, value, sentence=shape.sentence)
    elif shape.nameless:
        sentence = f"Failed to satisfy constraint: {one_of(shape.nameless)}"
        yield Fault(Layer.NAMELESS, path, value, one_of(shape.words), sentence)
    else:
        yield Fault(Layer.CHOICE, path, value, one_of(shape.words))


def of_number(shape: Number, value: int, path: Path) -> Iterator[Fault]:
    """What is wrong with an integer."""
    if value < shape.least:
        text = f"Member must have value greater than or equal to {shape.least}"
        yield Fault(Layer.LIMIT, path, value, text)
    if shape.most is not None and value > shape.most:
        text = f"Member must have value less than or equal to {shape.most}"
        yield Fault(Layer.LIMIT, path, value, text)


def of_length(shape: Text | List | Map, value: Sized, path: Path) -> Iterator[Fault]:
    """What is wrong with how long something is."""
    if len(value) < shape.least:
        yield Fault(Layer.LIMIT, path, value, longer(shape.least))
    if shape.most is not None and len(value) > shape.most:
        yield Fault(Layer.LIMIT, path, value, shorter(shape.most))
