"""Every known difference still exists and is recognized."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import OperationError
from dynamodb_engine.operations import DeleteTable, PutItem
from tests.differential.answer import Step, ask_step, seen
from tests.differential.case import differs, left_alike
from tests.differential.differences import DIFFERENCES, Difference, Example
from tests.differential.features import COMPARED
from tests.differential.habits import HABITS, Habit
from tests.differential.peer import Peer
from tests.differential.strategies.tables import NAME
from tests.differential.texts import same_text


def called(known: Difference | Habit) -> str:
    return f"{known.peer} {known.what}"


def shown(peer: Peer, example: Example) -> Step:
    """Execute the example on both engines and return the step."""
    with Engine.in_memory() as ours:
        try:
            for driver in (ours, peer):
                driver.execute(example.table.creation)
                for item in example.items:
                    driver.execute(PutItem(NAME, item))
            return ask_step(ours, peer, example.table, example.operation)
        finally:
            with suppress(OperationError):
                peer.execute(DeleteTable(NAME))


# Once a peer is fixed, removing its difference from the list makes the comparison strict again.
@pytest.mark.parametrize("known", DIFFERENCES, ids=called)
def test_known_difference_persists(known: Difference, peer_named: Callable[[str], Peer]) -> None:
    step = shown(peer_named(known.peer), known.example)
    assert differs(step, known.peer)
    assert known.explains(step)


@pytest.mark.parametrize("habit", HABITS, ids=called)
def test_known_behavior_of_the_peer_persists(
    habit: Habit, peer_named: Callable[[str], Peer]
) -> None:
    step = shown(peer_named(habit.peer), habit.example)
    assert seen(step.ours, step) != seen(step.theirs, step) or not left_alike(step)
    assert not differs(step, habit.peer)


@pytest.mark.parametrize("peer", COMPARED)
def test_every_feature_has_a_reason(peer: str) -> None:
    assert all(COMPARED[peer].values())


def test_different_wordings_are_different_texts() -> None:
    assert not same_text("The expression can not be empty;", "The expression is empty")
    assert same_text("1 validation error detected: Empty attribute name", "Empty attribute name")
