"""What happens to an operation: decided without I/O, from the faults and what happened before.

Rule 1. The same faults, the same state and the same operation give the same decision.
Rule 2. Each kind of fault has luck of its own, so that adding one does not move another.
Rule 3. Only operations in scope count; others do not disturb the sequence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from singletable.faults.description import Chance, Faults, Kind, Next
from singletable.faults.scope import Occasion, may_be_struck, parts_in_scope
from singletable.faults.surface import Part


@dataclass(frozen=True, slots=True)
class State:
    """What has happened so far: operations in scope, and how often each fault struck."""

    turn: int = 0
    struck: Mapping[Kind, int] = field(default_factory=dict[Kind, int])


@dataclass(frozen=True, slots=True)
class Decision:
    """How long the operation waits, which fault strikes it if any, and which parts of it."""

    wait: float = 0.0
    fault: Kind | None = None
    parts: tuple[Part, ...] = ()


def decide(occasion: Occasion, faults: Faults, state: State) -> tuple[Decision, State]:
    """What happens to an operation, and the state after it."""
    if parts_in_scope(occasion, faults) is None:
        return Decision(), state
    turn = state.turn + 1
    wait = faults.latency
    if faults.jitter:
        wait += faults.jitter * _luck(faults, turn, "latency").random()
    for kind, chance in faults.chances.items():
        if not chance or not _strikes(chance, faults, turn, kind, state.struck.get(kind, 0)):
            continue
        parts = may_be_struck(occasion, faults, kind)
        if parts is None:
            continue
        chosen = _choose(kind, parts, len(occasion.parts), _luck(faults, turn, f"{kind} parts"))
        struck: dict[Kind, int] = {**state.struck, kind: state.struck.get(kind, 0) + 1}
        return Decision(wait, kind, chosen), State(turn, struck)
    return Decision(wait), State(turn, state.struck)


def _strikes(chance: Chance, faults: Faults, turn: int, kind: Kind, before: int) -> bool:
    if isinstance(chance, Next):
        return before < chance.times
    return _luck(faults, turn, kind).random() < chance


def _luck(faults: Faults, turn: int, what: str) -> Random:
    # Seeded with text, Random is the same in every process and on every machine.
    return Random(f"{faults.seed}/{turn}/{what}")


def _choose(kind: Kind, parts: tuple[Part, ...], total: int, luck: Random) -> tuple[Part, ...]:
    """The parts that the fault is about, in the order of the request."""
    match kind:
        case "throttle":
            return tuple(luck.sample(parts, min(1, len(parts))))
        case "conflict":
            chosen = luck.sample(parts, luck.randint(1, len(parts)))
        case "unprocessed":
            # AWS refuses a batch of which nothing could be done, so something always is.
            chosen = luck.sample(parts, luck.randint(1, min(len(parts), total - 1)))
        case _:
            return parts
    return tuple(sorted(chosen, key=lambda part: part.place))
