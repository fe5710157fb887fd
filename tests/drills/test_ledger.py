"""The audit detects every kind of fault, in the file or in the reported events."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from drills.client_runners import run_in_threads, run_sequentially
from drills.ledger_audit import check_file
from drills.ledger_workload import (
    REOPENED,
    SETTINGS,
    Outcome,
    Step,
    StepEvent,
    action_at,
    ledger_client,
    setup_client,
)
from singletable import Engine, TransactWriteItems

SEED = 1


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[StepEvent]]:
    path = tmp_path_factory.mktemp("ledger") / "ledger.db"
    events: list[StepEvent] = []
    with Engine.on_file(path, SETTINGS) as engine:
        run_sequentially(engine, [setup_client(events.append)])
        clients = [ledger_client(SEED, n, range(1, 40), events.append) for n in (1, 2, 3)]
        run_in_threads(engine, clients)
    return path, events


@pytest.fixture
def ledger(written: tuple[Path, list[StepEvent]], tmp_path: Path) -> tuple[Path, list[StepEvent]]:
    path, events = written
    shutil.copy(path, tmp_path / "ledger.db")
    return tmp_path / "ledger.db", list(events)


def change(path: Path, *statements: str) -> None:
    with closing(apsw.Connection(str(path))) as file:
        for statement in statements:
            file.execute(statement)  # pyright: ignore[reportUnknownMemberType]


def last_acknowledged(events: list[StepEvent], kind: str) -> Step:
    """Return the last acknowledged step of a kind."""
    return next(
        event.step
        for event in reversed(events)
        if event.outcome is Outcome.ACKNOWLEDGED
        and event.step.client
        and action_at(SEED, event.step).kind == kind
    )


def test_correct_ledger_has_no_faults(ledger: tuple[Path, list[StepEvent]]) -> None:
    assert check_file(ledger[0], SEED, ledger[1]) == []
    assert check_file(ledger[0], SEED, [*ledger[1], REOPENED], allow_lost_tail=True) == []


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (
            "DELETE FROM index_1_1 WHERE id = (SELECT min(id) FROM index_1_1)",
            "the index and the items disagree",
        ),
        (
            "DELETE FROM index_1_2 WHERE id = (SELECT min(id) FROM index_1_2)",
            "the index of keys and the items disagree",
        ),
        ("DELETE FROM items_1 WHERE id = (SELECT min(id) FROM items_1)", "items and feed disagree"),
        (
            "DELETE FROM changes WHERE position = 20",
            "The change feed between 19 and 21 was changed",
        ),
        (
            "UPDATE changes SET old = NULL WHERE position = "
            "(SELECT max(position) FROM changes WHERE old NOT NULL)",
            "has a wrong old item",
        ),
        (
            "DELETE FROM changes WHERE position = (SELECT max(position) FROM changes)",
            "items and feed disagree",
        ),
        (
            """UPDATE changes SET new = replace(new, '"by":{"S":"1.', '"by":{"S":"9.')""",
            "of the change feed was changed by",
        ),
        ("DELETE FROM tables WHERE name LIKE 'side-%'", "was created, but does not exist"),
        ("PRAGMA application_id = 7", "StorageError"),
    ],
)
def test_fault_in_the_file_is_detected(
    ledger: tuple[Path, list[StepEvent]], statement: str, fault: str
) -> None:
    path, events = ledger
    change(path, statement)
    assert fault in "\n".join(check_file(path, SEED, events))


def with_unexecuted_step(kind: str) -> Callable[[list[StepEvent]], list[StepEvent]]:
    """Add the acknowledgment of a step that was never executed."""
    step = next(Step(8, n) for n in range(1, 1000) if action_at(SEED, Step(8, n)).kind == kind)
    return lambda events: [
        *events,
        StepEvent(step, Outcome.STARTED),
        StepEvent(step, Outcome.ACKNOWLEDGED),
    ]


def with_rejected_step(events: list[StepEvent]) -> list[StepEvent]:
    step = last_acknowledged(events, "put")
    return [
        replace(event, outcome=Outcome.REJECTED)
        if event == StepEvent(step, Outcome.ACKNOWLEDGED)
        else event
        for event in events
    ]


def with_late_start(events: list[StepEvent]) -> list[StepEvent]:
    """Move the start of the first step after all acknowledgments."""
    first = next(m for m in events if m.step.client and action_at(SEED, m.step).keys)
    return [*[event for event in events if event != first], first]


@pytest.mark.parametrize(
    ("falsify", "fault"),
    [
        *[
            (with_unexecuted_step(kind), "was acknowledged, but")
            for kind in ("put", "count", "transfer")
        ],
        (with_unexecuted_step("table"), "was created, but does not exist"),
        (with_rejected_step, "was rejected, but changed"),
        (with_late_start, "precedes a step that was acknowledged"),
    ],
)
def test_false_report_is_detected(
    ledger: tuple[Path, list[StepEvent]],
    falsify: Callable[[list[StepEvent]], list[StepEvent]],
    fault: str,
) -> None:
    path, events = ledger
    assert fault in "\n".join(check_file(path, SEED, falsify(events)))


@pytest.mark.parametrize(
    ("part", "fault"), [(2, "is a partial transaction"), (1, "the accounts hold")]
)
def test_partial_transaction_is_detected(
    ledger: tuple[Path, list[StepEvent]], part: int, fault: str
) -> None:
    path, events = ledger
    step = next(Step(8, n) for n in range(1, 1000) if _is_small_transfer(Step(8, n)))
    whole = action_at(SEED, step).operation
    assert isinstance(whole, TransactWriteItems)
    with Engine.on_file(path, SETTINGS) as engine:
        engine.execute(TransactWriteItems(whole.transact_items[:part]))
    faults = check_file(path, SEED, [*events, StepEvent(step, Outcome.STARTED)])
    assert fault in "\n".join(faults)


def _is_small_transfer(step: Step) -> bool:
    action = action_at(SEED, step)
    return action.kind == "transfer" and action.amount < 20


# Only the last writes may be lost: nothing may be present that started after a lost step was
# acknowledged.
def test_gap_is_not_a_lost_tail(ledger: tuple[Path, list[StepEvent]]) -> None:
    path, events = ledger
    lost = [StepEvent(Step(8, 1), Outcome.STARTED), StepEvent(Step(8, 1), Outcome.ACKNOWLEDGED)]
    assert action_at(SEED, Step(8, 1)).keys
    setup = [event for event in events if event.step.client == 0]
    rest = [event for event in events if event.step.client != 0]
    assert check_file(path, SEED, [*events, *lost], allow_lost_tail=True) == []
    faults = check_file(path, SEED, [*setup, *lost, *rest], allow_lost_tail=True)
    assert "precedes a step that was acknowledged" in "\n".join(faults)
