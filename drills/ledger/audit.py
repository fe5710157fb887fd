"""Compare what is found with what was told: every fault in words.

Rule 1. What was acknowledged is there, and what was refused is not.
Rule 2. What was under way is wholly there or not at all; of a batch, each item by itself.
Rule 3. A step that began after another was acknowledged comes after it in the feed.
Rule 4. Items, indexes, feed and counts agree.
A tail may be lost where nothing was promised for it (`tail_may_go`); rule 3 then says that it is a
tail: nothing stays of what began after a lost step was acknowledged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drills.ledger.actions import ACCOUNTS, INITIAL, TABLE, action_at
from drills.ledger.clients import SETUP
from drills.ledger.found import Found, found_in
from drills.ledger.history import History, played_back
from drills.ledger.marks import REOPENED, Mark, Outcome, Step
from singletable import Engine, Item

_INDEXED = {"group", "rank"}
_NEVER = 1 << 62


def audit(
    engine: Engine, seed: int, marks: Sequence[Mark], *, tail_may_go: bool = False
) -> list[str]:
    """The faults that an engine has after these marks; none if all is well."""
    found = found_in(engine)
    history = played_back(seed, found.changes)
    outcomes: dict[Step, Outcome] = {}
    for mark in marks:
        # What was set up twice was refused the second time.
        if mark != REOPENED and outcomes.get(mark.step) is not Outcome.KEPT:
            outcomes[mark.step] = mark.outcome
    return [
        *history.faults,
        *_items(found, history),
        *_steps(seed, outcomes, history, tail_may_go),
        *_order(seed, marks, history),
        *_tables(seed, outcomes, found, tail_may_go),
    ]


def _items(found: Found, history: History) -> Iterator[str]:
    if found.items != history.items:
        odd = sorted(
            k for k in found.items | history.items if found.items.get(k) != history.items.get(k)
        )
        yield f"items and feed disagree about {odd[:3]}"
    if found.count != len(found.items):
        yield f"{found.count} items are counted, {len(found.items)} are there"
    indexed = {key: item for key, item in found.items.items() if item.keys() >= _INDEXED}
    if found.whole != indexed:
        yield "the index and the items disagree"
    if found.keys != {key: _keys_only(item) for key, item in indexed.items()}:
        yield "the index of keys and the items disagree"
    balances = [int(item["balance"]["N"]) for item in found.items.values() if "balance" in item]
    if balances and sum(balances) != ACCOUNTS * INITIAL:
        yield f"the accounts hold {sum(balances)}, not {ACCOUNTS * INITIAL}"


def _keys_only(item: Item) -> Item:
    return {name: item[name] for name in ("pk", "group", "rank")}


def _steps(
    seed: int, outcomes: dict[Step, Outcome], history: History, tail_may_go: bool
) -> Iterator[str]:
    for step in history.changes.keys() - outcomes.keys():
        yield f"{step} was never begun, and has changed something"
    for step, outcome in outcomes.items():
        made = [change.keys["pk"]["S"] for change in history.changes.get(step, ())]
        if step.client == SETUP:
            whole = {f"account#{n}" for n in range(ACCOUNTS)} if step.number else set[str]()
            if made and set(made) != whole:
                yield "the accounts are half opened"
            continue
        action = action_at(seed, step)
        if len(made) != len(set(made)):
            yield f"{step} was carried out twice"
        if outcome is Outcome.REFUSED and made:
            yield f"{step} was refused, and has changed {made}"
        lost = set(action.keys) - set(made)
        if outcome is Outcome.KEPT and lost and not tail_may_go and action.kind != "remove":
            yield f"{step} ({action.kind}) was acknowledged, and {sorted(lost)} is lost"
        if action.kind == "transfer" and made and not _at_once(history, step, len(action.keys)):
            yield f"{step} is half a transaction: {made}"
        if action.kind == "remove" and outcome is Outcome.KEPT and not tail_may_go:
            left = history.items.get(action.keys[0])
            if left is not None and int(left["by"]["S"].split(".")[1]) < step.number:
                yield f"{step} removed {action.keys[0]}, and it is there"


def _at_once(history: History, step: Step, size: int) -> bool:
    positions = [change.position for change in history.changes[step]]
    return len(positions) == size and positions[-1] - positions[0] == size - 1


def _order(seed: int, marks: Sequence[Mark], history: History) -> Iterator[str]:
    newest_told = newest_left = 0
    for mark in marks:
        if mark == REOPENED:
            newest_told = newest_left
            continue
        positions = [change.position for change in history.changes.get(mark.step, ())]
        if mark.outcome is Outcome.STARTED:
            if positions and mark.step.client != SETUP and min(positions) <= newest_told:
                yield f"{mark.step} stands before what was acknowledged before it began"
        elif mark.outcome is Outcome.KEPT and mark.step.client != SETUP:
            action = action_at(seed, mark.step)
            if positions:
                newest_told = max(newest_told, *positions)
                newest_left = max(newest_left, *positions)
            elif action.keys and action.kind != "remove":
                newest_told = _NEVER


def _tables(
    seed: int, outcomes: dict[Step, Outcome], found: Found, tail_may_go: bool
) -> Iterator[str]:
    made: set[str] = set()
    dropped: dict[str, Outcome] = {}
    for step, outcome in sorted(outcomes.items()):
        action = None if step.client == SETUP else action_at(seed, step)
        if outcome is Outcome.REFUSED or (action is not None and not action.table):
            continue
        if action is None:
            if step.number == 0 and outcome is Outcome.KEPT:
                made.add(TABLE)
        elif action.kind == "drop":
            dropped[action.table] = max(outcome, dropped.get(action.table, Outcome.STARTED))
        elif outcome is Outcome.KEPT:
            made.add(action.table)
    if tail_may_go:
        return
    for name in made - dropped.keys() - found.tables:
        yield f"table {name} was made, and is not there"
    for name, outcome in dropped.items():
        if outcome is Outcome.KEPT and name in found.tables:
            yield f"table {name} was dropped, and is there"
