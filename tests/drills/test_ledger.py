"""The audit finds each kind of fault, made by hand in a file or in what was told of it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from drills.faces import in_threads, in_turn
from drills.ledger import (
    REOPENED,
    SETTINGS,
    Mark,
    Outcome,
    Step,
    action_at,
    faults_in,
    ledger_client,
    setup_client,
)
from singletable import Engine, TransactWriteItems

SEED = 1


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Mark]]:
    path = tmp_path_factory.mktemp("ledger") / "ledger.db"
    marks: list[Mark] = []
    with Engine.on_file(path, SETTINGS) as engine:
        in_turn(engine, [setup_client(marks.append)])
        clients = [ledger_client(SEED, n, range(1, 40), marks.append) for n in (1, 2, 3)]
        in_threads(engine, clients)
    return path, marks


@pytest.fixture
def ledger(written: tuple[Path, list[Mark]], tmp_path: Path) -> tuple[Path, list[Mark]]:
    path, marks = written
    shutil.copy(path, tmp_path / "ledger.db")
    return tmp_path / "ledger.db", list(marks)


def change(path: Path, *statements: str) -> None:
    with closing(apsw.Connection(str(path))) as file:
        for statement in statements:
            file.execute(statement)  # pyright: ignore[reportUnknownMemberType]


def kept(marks: list[Mark], kind: str) -> Step:
    """The last step of a kind that was acknowledged."""
    return next(
        mark.step
        for mark in reversed(marks)
        if mark.outcome is Outcome.KEPT
        and mark.step.client
        and action_at(SEED, mark.step).kind == kind
    )


def test_a_sound_ledger_has_no_faults(ledger: tuple[Path, list[Mark]]) -> None:
    assert faults_in(ledger[0], SEED, ledger[1]) == []
    assert faults_in(ledger[0], SEED, [*ledger[1], REOPENED], tail_may_go=True) == []


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("DELETE FROM index_1_1 WHERE id = 1", "the index and the items disagree"),
        ("DELETE FROM index_1_2 WHERE id = 1", "the index of keys and the items disagree"),
        ("DELETE FROM items_1 WHERE id = 6", "items and feed disagree"),
        ("DELETE FROM changes WHERE position = 20", "change 20 is missing"),
        (
            "UPDATE changes SET old = NULL WHERE position = "
            "(SELECT max(position) FROM changes WHERE old NOT NULL)",
            "is not of what was there before",
        ),
        (
            "DELETE FROM changes WHERE position = (SELECT max(position) FROM changes)",
            "items and feed disagree",
        ),
        (
            """UPDATE changes SET new = replace(new, '"by":{"S":"1.', '"by":{"S":"9.')""",
            "was never begun",
        ),
        ("DELETE FROM tables WHERE name LIKE 'side-%'", "was made, and is not there"),
        ("PRAGMA application_id = 7", "StorageError"),
    ],
)
def test_a_fault_in_the_file_is_found(
    ledger: tuple[Path, list[Mark]], statement: str, fault: str
) -> None:
    path, marks = ledger
    change(path, statement)
    assert fault in "\n".join(faults_in(path, SEED, marks))


def told_more(kind: str) -> Callable[[list[Mark]], list[Mark]]:
    """As if a step that was never carried out had been acknowledged."""
    step = next(Step(8, n) for n in range(1, 1000) if action_at(SEED, Step(8, n)).kind == kind)
    return lambda marks: [*marks, Mark(step, Outcome.STARTED), Mark(step, Outcome.KEPT)]


def told_refused(marks: list[Mark]) -> list[Mark]:
    step = kept(marks, "put")
    return [
        replace(mark, outcome=Outcome.REFUSED) if mark == Mark(step, Outcome.KEPT) else mark
        for mark in marks
    ]


def told_late(marks: list[Mark]) -> list[Mark]:
    """As if the first step had been begun after all others were acknowledged."""
    first = next(m for m in marks if m.step.client and action_at(SEED, m.step).keys)
    return [*[mark for mark in marks if mark != first], first]


@pytest.mark.parametrize(
    ("told", "fault"),
    [
        *[(told_more(kind), "was acknowledged, and") for kind in ("put", "count", "transfer")],
        (told_more("table"), "was made, and is not there"),
        (told_refused, "was refused, and has changed"),
        (told_late, "stands before what was acknowledged"),
    ],
)
def test_a_falsehood_told_is_found(
    ledger: tuple[Path, list[Mark]], told: Callable[[list[Mark]], list[Mark]], fault: str
) -> None:
    path, marks = ledger
    assert fault in "\n".join(faults_in(path, SEED, told(marks)))


@pytest.mark.parametrize(
    ("part", "fault"), [(2, "is half a transaction"), (1, "the accounts hold")]
)
def test_half_a_transaction_is_found(
    ledger: tuple[Path, list[Mark]], part: int, fault: str
) -> None:
    path, marks = ledger
    step = next(Step(8, n) for n in range(1, 1000) if _is_small_transfer(Step(8, n)))
    whole = action_at(SEED, step).operation
    assert isinstance(whole, TransactWriteItems)
    with Engine.on_file(path, SETTINGS) as engine:
        engine.execute(TransactWriteItems(whole.transact_items[:part]))
    faults = faults_in(path, SEED, [*marks, Mark(step, Outcome.STARTED)])
    assert fault in "\n".join(faults)


def _is_small_transfer(step: Step) -> bool:
    action = action_at(SEED, step)
    return action.kind == "transfer" and action.amount < 20


# Where a tail may go, it must be a tail: nothing stays that began after a lost step was told.
def test_a_hole_is_no_tail(ledger: tuple[Path, list[Mark]]) -> None:
    path, marks = ledger
    lost = [Mark(Step(8, 1), Outcome.STARTED), Mark(Step(8, 1), Outcome.KEPT)]
    assert action_at(SEED, Step(8, 1)).keys
    setup = [mark for mark in marks if mark.step.client == 0]
    rest = [mark for mark in marks if mark.step.client != 0]
    assert faults_in(path, SEED, [*marks, *lost], tail_may_go=True) == []
    faults = faults_in(path, SEED, [*setup, *lost, *rest], tail_may_go=True)
    assert "stands before what was acknowledged" in "\n".join(faults)
