"""The options of reads that return many items: one list for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, TypedDict, TypeVar

from singletable.schema import Condition
from singletable.store.decoder import OnMismatch

E = TypeVar("E")


class CollectOptions(TypedDict, Generic[E], total=False):
    """The options of `collect`.

    `where` tests each item after it is read; the others are dropped. `reverse` reads in descending
    order. `consistent` includes every write that was finished before. `max_read` bounds how many
    items are evaluated; ReadLimitReached is raised when it is reached. With `on_mismatch`, items
    that do not fit are reported to this function and skipped.
    """

    where: Condition[E] | None
    reverse: bool
    consistent: bool
    max_read: int | None
    on_mismatch: OnMismatch | None


class ReadOptions(CollectOptions[E], total=False):
    """The options of `page`.

    `cursor` continues after a page, or after ReadLimitReached. The others are those of
    CollectOptions.
    """

    cursor: str | None


class QueryOptions(ReadOptions[E], total=False):
    """The options of `query`, `select` and `hydrate`.

    At most `limit` items are returned. The others are those of ReadOptions.
    """

    limit: int | None


def check_options(
    method: str, kind: type[Any], options: Mapping[str, object], *others: str
) -> None:
    """Raise TypeError if there is an unknown option; `others` are those of this method alone."""
    known = kind.__annotations__.keys()
    if unknown := options.keys() - known:
        names = ", ".join(sorted(known | set(others)))
        raise TypeError(f"{method}() has no option {min(unknown)!r}. Its options are: {names}.")
