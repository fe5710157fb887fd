"""A chapter of the tour: one document, its tables, and a walk through its access patterns.

A walk is a generator: it yields steps and is sent what each step's operation gave, so that it can
go on from an answer (the next page, the next change) without knowing who executes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar, cast

from singletable.cli.tour.plain import PlainItem
from singletable.operations import CreateTable, Operation, UpdateTimeToLive

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[R_co]):
    """One access pattern: the document's name for it, its notation, and the operation it is.

    `columns` are the attributes to show of each item. `refused` says that DynamoDB will not do what
    the document, or the other party in the story, asks for; the refusal is then what is shown.
    """

    pattern: str
    written: str
    operation: Operation[R_co]
    columns: Sequence[str] = ()
    remark: str = ""
    refused: bool = False


Walk: TypeAlias = Generator[Step[object], object, R]
Fill: TypeAlias = Mapping[str, Sequence[PlainItem]]


def ask(
    pattern: str,
    written: str,
    operation: Operation[R],
    *,
    columns: Sequence[str] = (),
    remark: str = "",
    refused: bool = False,
) -> Walk[R]:
    """Take one step; what its operation gave comes back."""
    step = Step(
        pattern=pattern,
        written=written,
        operation=operation,
        columns=columns,
        remark=remark,
        refused=refused,
    )
    # Whoever runs the walk sends what this very operation gave.
    return cast(R, (yield step))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One document. `fill` gives the items to begin with by table, `walk` the patterns to show.

    Both are given the present in seconds, because times to live count from it.
    """

    title: str
    about: str
    tables: Sequence[CreateTable]
    fill: Callable[[int], Fill]
    walk: Callable[[int], Walk[None]]
    times_to_live: Sequence[UpdateTimeToLive] = ()
