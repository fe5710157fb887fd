"""Check that a concurrent history is strictly serializable.

Operations on one item are checked for linearizability: there is an order that keeps real time (an
operation that ended before another started comes first) and in which every operation returns what
it returned. The search is Wing and Gong's: try each operation that may come next, backtrack, and
never try the same rest from the same value twice (Lowe). Checking each item on its own is enough
(Herlihy and Wing: linearizability is local).

Transactions are checked with append-only lists, as in Elle (Kingsbury and Alvaro, 2020): the
longest read of a list shows the order of all appends, and every other read must be a prefix of it.
Writes, reads and real time then determine which transaction precedes which; a cycle means that no
order explains the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from drills.concurrency_clients import ConcurrentHistory, ItemOperation, ListTransaction, Value


def check_history(history: ConcurrentHistory) -> list[str]:
    """Return everything that no serial order explains."""
    return [
        *check_items(history.operations),
        *check_lists(history.transactions, history.rejected),
    ]


def check_items(operations: Sequence[ItemOperation]) -> Iterator[str]:
    """Return a fault for each item whose operations are not linearizable."""
    by_key: dict[str, list[ItemOperation]] = {}
    for operation in operations:
        by_key.setdefault(operation.key, []).append(operation)
    for key, of_item in sorted(by_key.items()):
        if not is_linearizable(of_item):
            yield f"the {len(of_item)} operations on {key} are not linearizable"


def is_linearizable(operations: Sequence[ItemOperation]) -> bool:
    """Return whether an order explains the operations on one item, which is missing at first."""
    pending = sorted(operations, key=lambda operation: operation.started)
    all_done = (1 << len(pending)) - 1
    tried: set[tuple[int, Value]] = set()
    states: list[tuple[int, Value]] = [(0, None)]
    while states:
        done, value = states.pop()
        if done == all_done:
            return True
        if (done, value) in tried:
            continue
        tried.add((done, value))
        states += [(done | 1 << n, after) for n, after in _next_operations(pending, done, value)]
    return False


def _next_operations(
    operations: list[ItemOperation], done: int, value: Value
) -> Iterator[tuple[int, Value]]:
    """Yield the operations that may come next, each with the value after it."""
    lowest = (~done & (done + 1)).bit_length() - 1  # all before it are done
    candidates: list[int] = []
    first_end = operations[lowest].ended
    for n in range(lowest, len(operations)):
        # An operation that started after another ended comes after it, and so do all later ones.
        if operations[n].started > first_end:
            break
        if not done >> n & 1:
            candidates.append(n)
            first_end = min(first_end, operations[n].ended)
    for n in candidates:
        fits, after = _apply(operations[n], value)
        if operations[n].started <= first_end and fits:
            yield n, after


def _apply(operation: ItemOperation, value: Value) -> tuple[bool, Value]:
    """Return whether the operation fits the value, and the value after it."""
    before = value
    match operation.kind:
        case "get":
            after = value
        case "put":
            after = operation.written
        case "remove":
            after = None
        case "add":
            after = (value if isinstance(value, int) else 0) + 1
            return not operation.has_value or operation.value == after, after
        case "compare_and_set":
            if operation.succeeded != (value == operation.expected):
                return False, value
            after = operation.written if operation.succeeded else value
    return not operation.has_value or operation.value == before, after


def check_lists(transactions: Sequence[ListTransaction], rejected: set[str]) -> Iterator[str]:
    """Return a fault for each inconsistent read, each lost or repeated append, and a cycle."""
    orders = _append_orders(transactions)
    faults = [
        *_inconsistent_reads(transactions, orders),
        *_wrong_appends(transactions, orders, rejected),
    ]
    yield from faults
    if not faults:
        yield from _cycle(transactions, orders)


def _append_orders(transactions: Sequence[ListTransaction]) -> dict[str, tuple[str, ...]]:
    """Return the order of the appends to each list: its longest read."""
    orders: dict[str, tuple[str, ...]] = {}
    for transaction in transactions:
        for key, values in transaction.read.items():
            orders[key] = max(orders.get(key, ()), values, key=len)
    return orders


def _inconsistent_reads(
    transactions: Sequence[ListTransaction], orders: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    for transaction in transactions:
        for key, values in transaction.read.items():
            if orders[key][: len(values)] != values:
                yield f"{transaction.name} read values of {key} that no order of appends explains"


def _wrong_appends(
    transactions: Sequence[ListTransaction], orders: dict[str, tuple[str, ...]], rejected: set[str]
) -> Iterator[str]:
    for key, values in orders.items():
        if len(set(values)) != len(values):
            yield f"a value was appended to {key} twice"
        for value in rejected.intersection(values):
            yield f"{value} was rejected, but is in {key}"
    for transaction in transactions:
        for key, value in transaction.appended.items():
            if value not in orders.get(key, ()):
                yield f"{transaction.name} appended {value} to {key}, but it is lost"


def _cycle(
    transactions: Sequence[ListTransaction], orders: dict[str, tuple[str, ...]]
) -> Iterator[str]:
    graph: TopologicalSorter[str] = TopologicalSorter()
    writers = {
        value: transaction.name
        for transaction in transactions
        for value in transaction.appended.values()
    }
    for values in orders.values():
        for earlier, later in pairwise(values):
            _add_edge(graph, writers.get(earlier), writers.get(later))
    for transaction in transactions:
        for key, values in transaction.read.items():
            if values:
                _add_edge(graph, writers.get(values[-1]), transaction.name)
            if len(values) < len(orders[key]):
                _add_edge(graph, transaction.name, writers.get(orders[key][len(values)]))
    _add_real_time(graph, transactions)
    try:
        graph.prepare()
    except CycleError as cycle:
        names = [name for name in cycle.args[1] if not name.startswith("@")]
        yield f"each of these comes before the next: {' → '.join(reversed(names))}"


def _add_edge(graph: TopologicalSorter[str], earlier: str | None, later: str | None) -> None:
    if earlier is not None and later is not None and earlier != later:
        graph.add(later, earlier)


def _add_real_time(graph: TopologicalSorter[str], transactions: Sequence[ListTransaction]) -> None:
    """Add which transaction ended before another started: a node per end, not an edge per pair."""
    times = [(transaction.ended, 1, transaction.name) for transaction in transactions]
    times += [(transaction.started, 0, transaction.name) for transaction in transactions]
    now = "@0"
    for number, (_, is_end, name) in enumerate(sorted(times), 1):
        if is_end:
            graph.add(f"@{number}", now, name)
            now = f"@{number}"
        else:
            graph.add(name, now)
