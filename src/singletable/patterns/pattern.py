"""One access pattern: what is asked, by which name, how often, and of how many items."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

from singletable.patterns.expected import Expected
from singletable.schema import Collection, ItemKey, Selection, Table, UniqueValue, model_of
from singletable.store import EntityAccess

P = ParamSpec("P")
# What a pattern gives to ask with: Address, Partition, Selection or Taken.
Q = TypeVar("Q", bound="ItemKey[Any] | Selection[Any] | UniqueValue[Any]")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that a pattern is called with: its name, its type, and one that would do."""

    name: str
    type: object
    example: object


@dataclass(frozen=True, slots=True)
class About:
    """What all patterns have: where they are listed, their code, and what they are in a sentence.

    `touches` says what a call does to which entity, so that it can be recognized.
    """

    catalog: str
    code: str
    what: str
    expected: Expected
    touches: tuple[EntityAccess, ...]

    @property
    def id(self) -> str:
        """The name by which it is known among all catalogs."""
        return f"{self.catalog}:{self.code}"

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that it goes to."""
        return tuple(dict.fromkeys(model_of(touch.entity).table for touch in self.touches))

    def __str__(self) -> str:
        return f"{self.code}: {self.what}"


@dataclass(frozen=True, slots=True)
class ReadPattern(About, Generic[P, Q]):
    """A pattern that reads; called with its values it gives what a store is asked with."""

    asks: Callable[P, Q]
    parameters: tuple[Parameter, ...]
    # What it gave for the examples of its parameters: the shape of every call.
    sample: Q
    collects: type[Collection] | None = None

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Q:
        """What to ask a store with, for these values."""
        made = self.asks(*args, **kwargs)
        if isinstance(made, UniqueValue):
            return replace(made, pattern=self.id)
        marked = copy(made)
        marked.pattern = self.id
        return marked


@dataclass(frozen=True, slots=True)
class WritePattern(About):
    """A pattern that writes: one item, or several in one transaction."""


@dataclass(frozen=True, slots=True)
class ScanPattern(About):
    """A pattern that reads a whole table, and the reason why that is right."""

    reason: str


@dataclass(frozen=True, slots=True)
class FeedPattern(About):
    """A pattern that follows what is written to a table."""


Pattern: TypeAlias = ReadPattern[Any, Any] | WritePattern | ScanPattern | FeedPattern
