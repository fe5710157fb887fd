"""A case: one table, its items and some requests, run on our engine and on a peer step by step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import OperationError
from dynamodb_engine.operations import DeleteTable, Operation, PutItem, Scan
from dynamodb_engine.values import Item
from tests.differential.answer import READS, Refused, Step, ask_step, seen
from tests.differential.differences import DIFFERENCES, Difference
from tests.differential.features import COMPARED, Feature
from tests.differential.habits import HABITS
from tests.differential.peer import Peer, PeerFailed
from tests.differential.strategies.tables import NAME, Table
from tests.differential.texts import same_text


@dataclass
class Tally:
    """Counts of compared responses."""

    agreed: int = 0
    refused: int = 0
    explained: Counter[str] = field(default_factory=Counter[str])
    failures: Counter[str] = field(default_factory=Counter[str])


def run_case(
    peer: Peer, table: Table, items: Sequence[Item], requests: Sequence[Any], tally: Tally
) -> None:
    """Fail on the first response that differs, unless the difference is known.

    What has been written after a known difference is no longer the same, so the case ends there.
    """
    puts: list[Operation[Any]] = [PutItem(NAME, item) for item in items]
    with Engine.in_memory() as ours:
        try:
            ours.execute(table.creation)
            peer.execute(table.creation)
            for operation in [*puts, *requests, *_everything(table)]:
                if not _same(peer, ours, table, operation, tally):
                    return
        except PeerFailed as failure:
            tally.failures[str(failure).partition("\n")[0][:100]] += 1
        finally:
            _forget(peer)


def known_difference(step: Step, peer: str) -> Difference | None:
    """Return the known difference that explains the step, or None."""
    for difference in DIFFERENCES:
        if difference.peer == peer and difference.explains(step):
            return difference
    return None


def differs(step: Step, peer: str) -> bool:
    """Return whether the responses differ in anything that must be equal."""
    for habit in HABITS:
        if habit.peer == peer:
            step = habit.leave_out(step)
    if seen(step.ours, step) != seen(step.theirs, step) or not left_alike(step):
        return True
    if not isinstance(step.ours, Refused) or not isinstance(step.theirs, Refused):
        return False
    believed = Feature.ERROR_TEXTS in COMPARED[peer]
    return believed and not same_text(step.ours.message, step.theirs.message)


def left_alike(step: Step) -> bool:
    """Return whether the tables have equal contents after the step."""
    return bool(seen(step.ours_after, step) == seen(step.theirs_after, step))


def _same(peer: Peer, ours: Engine, table: Table, operation: Operation[Any], tally: Tally) -> bool:
    """Return whether the case can continue; raise AssertionError on a new difference."""
    try:
        step = ask_step(ours, peer, table, operation)
    except PeerFailed as failure:
        tally.failures[str(failure).partition("\n")[0][:100]] += 1
        return peer.survives and isinstance(operation, READS)
    tally.refused += isinstance(step.ours, Refused)
    if not differs(step, peer.name):
        tally.agreed += 1
        return True
    known = known_difference(step, peer.name)
    if known is None:
        raise AssertionError(_told(step, peer.name))
    tally.explained[known.what] += 1
    return left_alike(step)


def _everything(table: Table) -> list[Operation[Any]]:
    """Return requests that read the whole table and its indexes."""
    return [Scan(NAME), *(Scan(NAME, index_name=index.name) for index in table.indexes)]


def _forget(peer: Peer) -> None:
    # The table may never have been created, or be gone with a crashed server.
    with suppress(OperationError, PeerFailed):
        peer.execute(DeleteTable(NAME))


def _told(step: Step, peer: str) -> str:
    request = msgspec.json.encode(step.operation).decode()
    lines = [
        f"{type(step.operation).__name__} {request}",
        f"table  {msgspec.json.encode(step.table.creation).decode()}",
        f"ours   {_answer(step.ours)}",
        f"{peer:6} {_answer(step.theirs)}",
        "Who is right? If we are, add it to differences.toml; if not, fix the engine.",
    ]
    return "\n".join(lines)


def _answer(answer: Any) -> str:
    if isinstance(answer, Refused):
        return f"{answer.code}: {answer.message} {answer.item or ''} {answer.reasons or ''}"
    return json.dumps(getattr(answer, "pages", answer), ensure_ascii=False)
