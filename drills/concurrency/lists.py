"""Whether transactions on lists can be put in an order that explains all of them.

Clients only ever add to a list, so the longest reading tells in which order everything was added,
and every other reading how far that had come. From this it follows who came before whom: who wrote
before who read it, who read before who added the next, who was answered before who asked. If these
make a circle, no order is right: this is the test for strict serialisability that Elle makes of
list-append histories (Kingsbury and Alvaro, 2020).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from drills.concurrency.events import Transaction


def unordered(transactions: Sequence[Transaction], refused: set[str]) -> Iterator[str]:
    """A fault for each list whose readings disagree, for what is lost, and for a circle."""
    orders = _orders(transactions)
    faults = [
        *_odd_readings(transactions, orders),
        *_lost_and_refused(transactions, orders, refused),
    ]
    yield from faults
    if not faults:
        yield from _circle(transactions, orders)


def _orders(transactions: Sequence[Transaction]) -> dict[str, tuple[str, ...]]:
    """In which order values were added to each list: its longest reading."""
    orders: dict[str, tuple[str, ...]] = {}
    for one in transactions:
        for key, values in one.read.items():
            orders[key] = max(orders.get(key, ()), values, key=len)
    return orders


def _odd_readings(
    transactions: Sequence[Transaction], orders: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    for one in transactions:
        for key, values in one.read.items():
            if orders[key][: len(values)] != values:
                yield f"{one.name} read of {key} what no order of additions gives"


def _lost_and_refused(
    transactions: Sequence[Transaction], orders: dict[str, tuple[str, ...]], refused: set[str]
) -> Iterator[str]:
    for key, values in orders.items():
        if len(set(values)) != len(values):
            yield f"something was added to {key} twice"
        for value in refused.intersection(values):
            yield f"{value} was refused, and is in {key}"
    for one in transactions:
        for key, value in one.added.items():
            if value not in orders.get(key, ()):
                yield f"{one.name} added {value} to {key}, and it is lost"


def _circle(
    transactions: Sequence[Transaction], orders: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    before: TopologicalSorter[str] = TopologicalSorter()
    writer = {value: one.name for one in transactions for value in one.added.values()}
    for values in orders.values():
        for earlier, later in pairwise(values):
            _comes_before(before, writer.get(earlier), writer.get(later))
    for one in transactions:
        for key, values in one.read.items():
            if values:
                _comes_before(before, writer.get(values[-1]), one.name)
            if len(values) < len(orders[key]):
                _comes_before(before, one.name, writer.get(orders[key][len(values)]))
    _real_time(before, transactions)
    try:
        before.prepare()
    except CycleError as circle:
        names = [name for name in circle.args[1] if not name.startswith("@")]
        yield f"each of these comes before the next: {' → '.join(reversed(names))}"


def _comes_before(before: TopologicalSorter[str], earlier: str | None, later: str | None) -> None:
    if earlier is not None and later is not None and earlier != later:
        before.add(later, earlier)


def _real_time(before: TopologicalSorter[str], transactions: Sequence[Transaction]) -> None:
    """Who was answered before who asked: through one node a moment, not one edge a pair."""
    moments = [(one.ended, 1, one.name) for one in transactions]
    moments += [(one.began, 0, one.name) for one in transactions]
    now = "@0"
    for number, (_, is_end, name) in enumerate(sorted(moments), 1):
        if is_end:
            before.add(f"@{number}", now, name)
            now = f"@{number}"
        else:
            before.add(name, now)
