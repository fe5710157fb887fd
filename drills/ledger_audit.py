"""Compare what the database contains with what clients reported.

Rule 1. Acknowledged writes are present, and rejected ones are not.
Rule 2. A write in progress is present as a whole or not at all; in a batch, each item by itself.
Rule 3. A step that started after another was acknowledged comes after it in the change feed.
Rule 4. Items, indexes, change feed and counts agree.

Without durability the last writes may be lost (`allow_lost_tail`). Rule 3 then ensures that only
the last ones are: nothing is present that started after a lost step was acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import apsw

from drills.ledger_workload import (
    ACCOUNTS,
    INITIAL,
    REMOVED_AFTER,
    REOPENED,
    SETTINGS,
    SETUP,
    TABLE,
    Action,
    Outcome,
    Step,
    StepEvent,
    action_at,
)
from dynamodb_engine import DescribeTable, Engine, Item, ListTables, ReadChanges, Scan
from dynamodb_engine.operations import ChangeRecord
from singletable import SingleTableError


@dataclass(frozen=True, slots=True)
class DatabaseContents:
    """The names of the tables, the ledger's items and index entries by key, and the change feed."""

    tables: frozenset[str]
    items: dict[str, Item]
    whole: dict[str, Item]
    keys: dict[str, Item]
    count: int
    changes: list[ChangeRecord]


def read_contents(engine: Engine) -> DatabaseContents:
    """Read everything through the public interface."""
    tables = _tables(engine)
    if TABLE not in tables:
        return DatabaseContents(tables, {}, {}, {}, 0, _changes(engine))
    return DatabaseContents(
        tables,
        _scan(engine),
        _scan(engine, "whole"),
        _scan(engine, "keys"),
        engine.execute(DescribeTable(TABLE)).table.item_count or 0,
        _changes(engine),
    )


def _tables(engine: Engine) -> frozenset[str]:
    names: list[str] = []
    while True:
        page = engine.execute(ListTables(exclusive_start_table_name=names[-1] if names else None))
        names += page.table_names
        if page.last_evaluated_table_name is None:
            return frozenset(names)


def _scan(engine: Engine, index: str | None = None) -> dict[str, Item]:
    items: dict[str, Item] = {}
    start: Item | None = None
    while True:
        page = engine.execute(Scan(TABLE, index_name=index, exclusive_start_key=start))
        for item in page.items or ():
            assert item["pk"]["S"] not in items, "an item was returned twice"
            items[item["pk"]["S"]] = item
        start = page.last_evaluated_key
        if start is None:
            return items


def _changes(engine: Engine) -> list[ChangeRecord]:
    changes: list[ChangeRecord] = []
    while True:
        page = engine.execute(ReadChanges(after=changes[-1].position if changes else 0))
        if not page.changes:
            return changes
        changes += page.changes


@dataclass(slots=True)
class FeedHistory:
    """The changes of each step, and the items that they leave."""

    items: dict[str, Item] = field(default_factory=dict[str, Item])
    changes: dict[Step, list[ChangeRecord]] = field(default_factory=dict[Step, list[ChangeRecord]])
    faults: list[str] = field(default_factory=list[str])


def replay_feed(seed: int, changes: list[ChangeRecord]) -> FeedHistory:
    """Replay the change feed, and report inconsistencies in it."""
    history = FeedHistory()
    for expected, change in enumerate(changes, 1):
        key = change.keys["pk"]["S"]
        old, new = change.old, change.new
        if change.position != expected:
            history.faults.append(f"change {expected} is missing, {change.position} follows")
            break
        if old != history.items.get(key):
            history.faults.append(f"change {expected} of {key} has a wrong old item")
        step = _step_of(key, new)
        history.changes.setdefault(step, []).append(change)
        if step.client != SETUP:
            action = action_at(seed, step)
            history.faults += [
                f"change {expected} of {key} by {step}: {why}"
                for why in _differences(action, key, old, new)
            ]
        if new is None:
            history.items.pop(key, None)
        else:
            history.items[key] = new
    return history


def _step_of(key: str, new: Item | None) -> Step:
    if new is not None:
        client, number = map(int, new["by"]["S"].split("."))
        return Step(client, number)
    _, owner, created = key.split("#")
    return Step(int(owner), int(created) + REMOVED_AFTER)


def _differences(action: Action, key: str, old: Item | None, new: Item | None) -> Iterator[str]:
    """Describe how the change differs from what the action does."""
    if key not in action.keys:
        yield "the step does not change it"
    elif action.kind == "remove":
        if new is not None:
            yield "it should be removed"
    elif key in action.items:
        if new != action.items[key]:
            yield "it is not what was written"
    elif new is None:
        yield "it is removed"
    elif action.kind == "transfer":
        sign = -1 if key == action.keys[0] else 1
        if _number(new, "balance") != _number(old, "balance") + sign * action.amount:
            yield "the balance is wrong"
    elif _number(new, "times") != _number(old, "times") + 1:
        yield "the count is wrong"


def _number(item: Item | None, name: str) -> int:
    return int(item[name]["N"]) if item is not None and name in item else 0


_INDEXED = {"group", "rank"}
_NEVER = 1 << 62


def audit(
    engine: Engine, seed: int, events: Sequence[StepEvent], *, allow_lost_tail: bool = False
) -> list[str]:
    """Return the faults of an engine after these events."""
    contents = read_contents(engine)
    history = replay_feed(seed, contents.changes)
    outcomes: dict[Step, Outcome] = {}
    for event in events:
        # A repeated setup is rejected.
        if event != REOPENED and outcomes.get(event.step) is not Outcome.ACKNOWLEDGED:
            outcomes[event.step] = event.outcome
    return [
        *history.faults,
        *_check_items(contents, history),
        *_check_steps(seed, outcomes, history, allow_lost_tail),
        *_check_order(seed, events, history),
        *_check_tables(seed, outcomes, contents, allow_lost_tail),
    ]


def _check_items(contents: DatabaseContents, history: FeedHistory) -> Iterator[str]:
    if contents.items != history.items:
        odd = sorted(
            k
            for k in contents.items | history.items
            if contents.items.get(k) != history.items.get(k)
        )
        yield f"items and feed disagree about {odd[:3]}"
    if contents.count != len(contents.items):
        yield f"{contents.count} items are counted, but {len(contents.items)} exist"
    indexed = {key: item for key, item in contents.items.items() if item.keys() >= _INDEXED}
    if contents.whole != indexed:
        yield "the index and the items disagree"
    if contents.keys != {key: _keys_only(item) for key, item in indexed.items()}:
        yield "the index of keys and the items disagree"
    balances = [int(item["balance"]["N"]) for item in contents.items.values() if "balance" in item]
    if balances and sum(balances) != ACCOUNTS * INITIAL:
        yield f"the accounts hold {sum(balances)}, not {ACCOUNTS * INITIAL}"


def _keys_only(item: Item) -> Item:
    return {name: item[name] for name in ("pk", "group", "rank")}


def _check_steps(
    seed: int, outcomes: dict[Step, Outcome], history: FeedHistory, allow_lost_tail: bool
) -> Iterator[str]:
    for step in history.changes.keys() - outcomes.keys():
        yield f"{step} was never started, but changed something"
    for step, outcome in outcomes.items():
        changed = [change.keys["pk"]["S"] for change in history.changes.get(step, ())]
        if step.client == SETUP:
            whole = {f"account#{n}" for n in range(ACCOUNTS)} if step.number else set[str]()
            if changed and set(changed) != whole:
                yield "only some accounts were created"
            continue
        action = action_at(seed, step)
        if len(changed) != len(set(changed)):
            yield f"{step} was applied twice"
        if outcome is Outcome.REJECTED and changed:
            yield f"{step} was rejected, but changed {changed}"
        lost = set(action.keys) - set(changed)
        if (
            outcome is Outcome.ACKNOWLEDGED
            and lost
            and not allow_lost_tail
            and action.kind != "remove"
        ):
            yield f"{step} ({action.kind}) was acknowledged, but {sorted(lost)} is lost"
        if (
            action.kind == "transfer"
            and changed
            and not _is_atomic(history, step, len(action.keys))
        ):
            yield f"{step} is a partial transaction: {changed}"
        if action.kind == "remove" and outcome is Outcome.ACKNOWLEDGED and not allow_lost_tail:
            left = history.items.get(action.keys[0])
            if left is not None and int(left["by"]["S"].split(".")[1]) < step.number:
                yield f"{step} removed {action.keys[0]}, but it exists"


def _is_atomic(history: FeedHistory, step: Step, size: int) -> bool:
    positions = [change.position for change in history.changes[step]]
    return len(positions) == size and positions[-1] - positions[0] == size - 1


def _check_order(seed: int, events: Sequence[StepEvent], history: FeedHistory) -> Iterator[str]:
    newest_acknowledged = newest_present = 0
    for event in events:
        if event == REOPENED:
            newest_acknowledged = newest_present
            continue
        positions = [change.position for change in history.changes.get(event.step, ())]
        if event.outcome is Outcome.STARTED:
            if positions and event.step.client != SETUP and min(positions) <= newest_acknowledged:
                yield f"{event.step} precedes a step that was acknowledged before it started"
        elif event.outcome is Outcome.ACKNOWLEDGED and event.step.client != SETUP:
            action = action_at(seed, event.step)
            if positions:
                newest_acknowledged = max(newest_acknowledged, *positions)
                newest_present = max(newest_present, *positions)
            elif action.keys and action.kind != "remove":
                newest_acknowledged = _NEVER


def _check_tables(
    seed: int, outcomes: dict[Step, Outcome], contents: DatabaseContents, allow_lost_tail: bool
) -> Iterator[str]:
    created: set[str] = set()
    dropped: dict[str, Outcome] = {}
    for step, outcome in sorted(outcomes.items()):
        action = None if step.client == SETUP else action_at(seed, step)
        if outcome is Outcome.REJECTED or (action is not None and not action.table):
            continue
        if action is None:
            if step.number == 0 and outcome is Outcome.ACKNOWLEDGED:
                created.add(TABLE)
        elif action.kind == "drop":
            dropped[action.table] = max(outcome, dropped.get(action.table, Outcome.STARTED))
        elif outcome is Outcome.ACKNOWLEDGED:
            created.add(action.table)
    if allow_lost_tail:
        return
    for name in created - dropped.keys() - contents.tables:
        yield f"table {name} was created, but does not exist"
    for name, outcome in dropped.items():
        if outcome is Outcome.ACKNOWLEDGED and name in contents.tables:
            yield f"table {name} was dropped, but exists"


def check_file(
    path: Path, seed: int, events: Sequence[StepEvent], *, allow_lost_tail: bool = False
) -> list[str]:
    """Open a file as after a crash, and return its faults after these events."""
    try:
        with Engine.on_file(path, SETTINGS) as engine:
            faults = audit(engine, seed, events, allow_lost_tail=allow_lost_tail)
    except SingleTableError as error:
        return [f"{type(error).__name__}: {error}"]
    return faults + check_integrity(path)


def check_integrity(path: Path) -> list[str]:
    """Return the problems that SQLite's own check finds in the file."""
    with closing(apsw.Connection(str(path))) as connection:
        # apsw's stub uses a type that Python 3.11 does not have.
        rows = connection.execute("PRAGMA integrity_check")  # pyright: ignore[reportUnknownMemberType]
        found = [str(row[0]) for row in cast("list[tuple[object]]", list(rows))]
        return [f"integrity_check: {text}" for text in found if text != "ok"]
