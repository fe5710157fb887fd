"""Random writes of items in many indexes: after each step every index is correct."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dynamodb_engine.engine import Engine
from singletable.errors import ConditionFailed
from singletable.schema import Edit
from singletable.store import Store
from singletable.testing import StoreClock
from tests.store.indexed_entity import Task, check_indexes, tasks

boards = st.sampled_from(["a", "b"])
numbers = st.integers(0, 2)
owners = st.sampled_from([None, "ada", "be a", "c#d"])
states = st.sampled_from(["open", "done", "a b"])
levels = st.integers(0, 9)
efforts = st.none() | st.integers(-3, 3)
parts = st.lists(st.sampled_from(["x", "y"]), max_size=4)
titles = st.sampled_from(["one", "two#", "$3"])

EDITS: list[st.SearchStrategy[Edit[Task]]] = [
    owners.map(Task.owner.set),
    states.map(Task.state.set),
    st.just(Task.state.remove()),
    levels.map(Task.level.set),
    st.integers(-2, 2).map(Task.level.add),
    efforts.map(Task.effort.set),
    st.integers(-2, 2).map(Task.effort.add),
    st.just("eva").map(Task.owner.set_if_missing),
    parts.map(Task.parts.set),
    st.just("z").map(Task.parts.append),
    titles.map(Task.title.set),
]
edits = st.lists(st.one_of(EDITS), min_size=1, max_size=3, unique_by=lambda edit: edit.field)


class Indexes(RuleBasedStateMachine):
    """Puts, updates, deletes and transactions, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine.in_memory()
        self.clock = StoreClock()
        self.store = Store(self.engine, clock=self.clock)
        self.store.admin.create_table(tasks)

    def teardown(self) -> None:
        """Close the database."""
        self.engine.close()

    @rule(
        board=boards,
        number=numbers,
        values=st.fixed_dictionaries(
            {"owner": owners, "state": states, "level": levels, "effort": efforts, "parts": parts}
        ),
    )
    def put(self, board: str, number: int, values: dict[str, Any]) -> None:
        """Put an item, starting from the stored one if it exists."""
        there = self.store.get(Task.key(board, number))
        task = there or Task(board=board, number=number)
        task.__dict__.update(values)
        self.store.put(task)

    @rule(board=boards, number=numbers, changes=edits)
    def update(self, board: str, number: int, changes: list[Edit[Task]]) -> None:
        """Update some fields, if the item exists."""
        try:
            self.store.update(Task.key(board, number), *changes)
        except ConditionFailed:
            assert self.store.get(Task.key(board, number)) is None

    @rule(board=boards, number=numbers, changes=edits, other=numbers)
    def update_together(
        self, board: str, number: int, changes: list[Edit[Task]], other: int
    ) -> None:
        """Update one item and delete another in a transaction."""
        if other == number:
            return
        try:
            with self.store.transaction() as transaction:
                transaction.update(Task.key(board, number), *changes)
                transaction.delete(Task.key(board, other))
        except ConditionFailed:
            assert self.store.get(Task.key(board, number)) is None

    @rule(board=boards, number=numbers)
    def delete(self, board: str, number: int) -> None:
        """Remove an item."""
        self.store.delete(Task.key(board, number))

    @rule(minutes=st.integers(1, 9))
    def wait(self, minutes: int) -> None:
        """Let time pass."""
        self.clock.advance(minutes=minutes)

    @invariant()
    def every_index_is_as_the_items_say(self) -> None:
        """Compare each index with the entries that the items require."""
        check_indexes(self.engine, ["a", "b"])


TestIndexes = Indexes.TestCase
TestIndexes.settings = settings(
    max_examples=2 * settings().max_examples,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
