"""The shapes a key may be declared in, with the types of its values.

One field, or a tuple of fields with a text, or none, before each of them; after one or two values
also a text at the end, and a second one where the first value has a text before it: a shard after
its own text.
One value may also follow two or three of them: a text, a value that is repeated, a text.
Texts that meet are written as one ("A#B"). Checkers find the one arm that fits, and with it the
number, order and types of the values.
"""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from singletable.schema.part import Part, Same, Shards

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

Fixed: TypeAlias = "str | Shards | Same"
NoValue: TypeAlias = "str | tuple[Fixed] | tuple[Fixed, Fixed] | tuple[Fixed, Fixed, Fixed]"
OneValue: TypeAlias = (
    Part[A]
    | tuple[Part[A]]
    | tuple[Part[A], Fixed]
    | tuple[Fixed, Part[A]]
    | tuple[Fixed, Part[A], Fixed]
    | tuple[Fixed, Part[A], Fixed, Fixed]
    | tuple[Fixed, Fixed, Part[A]]
    | tuple[Fixed, Fixed, Fixed, Part[A]]
)
TwoValues: TypeAlias = (
    tuple[Part[A], Part[B]]
    | tuple[Part[A], Part[B], Fixed]
    | tuple[Part[A], Fixed, Part[B]]
    | tuple[Part[A], Fixed, Part[B], Fixed]
    | tuple[Fixed, Part[A], Part[B]]
    | tuple[Fixed, Part[A], Part[B], Fixed]
    | tuple[Fixed, Part[A], Fixed, Part[B]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Fixed]
    | tuple[Fixed, Part[A], Fixed, Part[B], Fixed, Fixed]
)
ThreeValues: TypeAlias = (
    tuple[Part[A], Part[B], Part[C]]
    | tuple[Part[A], Part[B], Fixed, Part[C]]
    | tuple[Part[A], Fixed, Part[B], Part[C]]
    | tuple[Part[A], Fixed, Part[B], Fixed, Part[C]]
    | tuple[Fixed, Part[A], Part[B], Part[C]]
    | tuple[Fixed, Part[A], Part[B], Fixed, Part[C]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Part[C]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Fixed, Part[C]]
)
FourValues: TypeAlias = (
    tuple[Part[A], Part[B], Part[C], Part[D]]
    | tuple[Part[A], Part[B], Part[C], Fixed, Part[D]]
    | tuple[Part[A], Part[B], Fixed, Part[C], Part[D]]
    | tuple[Part[A], Part[B], Fixed, Part[C], Fixed, Part[D]]
    | tuple[Part[A], Fixed, Part[B], Part[C], Part[D]]
    | tuple[Part[A], Fixed, Part[B], Part[C], Fixed, Part[D]]
    | tuple[Part[A], Fixed, Part[B], Fixed, Part[C], Part[D]]
    | tuple[Part[A], Fixed, Part[B], Fixed, Part[C], Fixed, Part[D]]
    | tuple[Fixed, Part[A], Part[B], Part[C], Part[D]]
    | tuple[Fixed, Part[A], Part[B], Part[C], Fixed, Part[D]]
    | tuple[Fixed, Part[A], Part[B], Fixed, Part[C], Part[D]]
    | tuple[Fixed, Part[A], Part[B], Fixed, Part[C], Fixed, Part[D]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Part[C], Part[D]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Part[C], Fixed, Part[D]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Fixed, Part[C], Part[D]]
    | tuple[Fixed, Part[A], Fixed, Part[B], Fixed, Part[C], Fixed, Part[D]]
)
