"""Whether operations on one item can be put in an order that explains all of them.

An order is right if it keeps real time (what was answered before another was asked comes before
it) and every operation in it would give what it gave. The search is Wing and Gong's: try what may
come next, go back when nothing can, and never try the same rest from the same value twice (Lowe).
Items are judged one by one, which is enough (Herlihy and Wing: linearizability is local).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drills.concurrency.events import Touch, Value


def unexplained(touches: Sequence[Touch]) -> Iterator[str]:
    """A fault for each item whose operations no order explains."""
    by_key: dict[str, list[Touch]] = {}
    for touch in touches:
        by_key.setdefault(touch.key, []).append(touch)
    for key, ones in sorted(by_key.items()):
        if not explained(ones):
            yield f"no order explains the {len(ones)} operations on {key}"


def explained(touches: Sequence[Touch]) -> bool:
    """Whether some order explains the operations on one item, which is not there at first."""
    ones = sorted(touches, key=lambda touch: touch.began)
    everything = (1 << len(ones)) - 1
    tried: set[tuple[int, Value]] = set()
    ahead: list[tuple[int, Value]] = [(0, None)]
    while ahead:
        done, value = ahead.pop()
        if done == everything:
            return True
        if (done, value) in tried:
            continue
        tried.add((done, value))
        ahead += [(done | 1 << n, after) for n, after in _next(ones, done, value)]
    return False


def _next(ones: list[Touch], done: int, value: Value) -> Iterator[tuple[int, Value]]:
    """Which operations may come next, each with the value that it leaves."""
    lowest = (~done & (done + 1)).bit_length() - 1  # everything before it is done
    waiting: list[int] = []
    first_end = ones[lowest].ended
    for n in range(lowest, len(ones)):
        # Whoever asked after another was answered comes after it; and so do all who asked later.
        if ones[n].began > first_end:
            break
        if not done >> n & 1:
            waiting.append(n)
            first_end = min(first_end, ones[n].ended)
    for n in waiting:
        fits, after = _after(ones[n], value)
        if ones[n].began <= first_end and fits:
            yield n, after


def _after(touch: Touch, value: Value) -> tuple[bool, Value]:
    """Whether the operation fits the value, and the value that it leaves."""
    before = value
    match touch.kind:
        case "get":
            after = value
        case "put":
            after = touch.written
        case "remove":
            after = None
        case "add":
            after = (value if isinstance(value, int) else 0) + 1
            return not touch.saw or touch.seen == after, after
        case "swap":
            if touch.done != (value == touch.expected):
                return False, value
            after = touch.written if touch.done else value
    return not touch.saw or touch.seen == before, after
