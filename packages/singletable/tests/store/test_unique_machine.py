"""Random writes of items with unique values: none is shared, no marker is left behind."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import DeleteItem
from singletable.errors import AlreadyExists, ConditionFailed, NotFound
from singletable.schema import model_of
from singletable.store import Store
from tools.testing.designs.members import Member, check_markers, members

names = st.sampled_from(["ada", "bea", "cid"])
emails = st.sampled_from([None, "a@x", "A@X", "b@x"])
handles = st.sampled_from([None, "h", "i"])
towns = st.sampled_from([None, "Bern"])


class Uniques(RuleBasedStateMachine):
    """Every way to write, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.engine = Engine.in_memory()
        self.store = Store(self.engine)
        self.store.admin.create_table(members)

    def teardown(self) -> None:
        """Close the database."""
        self.engine.close()

    @rule(
        name=names,
        email=emails,
        handle=handles,
        town=towns,
        how=st.sampled_from(["create", "put", "replace"]),
    )
    def write(
        self, name: str, email: str | None, handle: str | None, town: str | None, how: str
    ) -> None:
        """Write a whole item."""
        with suppress(ConditionFailed):
            getattr(self.store, how)(Member(name=name, email=email, handle=handle, town=town))

    @rule(name=names, email=emails)
    def change_email(self, name: str, email: str | None) -> None:
        """Change a unique value."""
        with suppress(NotFound, AlreadyExists):
            self.store.update(Member.key(name), Member.email.set(email))

    @rule(name=names, handle=handles, town=towns)
    def change_handle(self, name: str, handle: str | None, town: str | None) -> None:
        """Update a unique value, and what its marker includes."""
        with suppress(NotFound, AlreadyExists):
            self.store.update(Member.key(name), Member.handle.set(handle), Member.town.set(town))

    @rule(name=names)
    def delete(self, name: str) -> None:
        """Remove an item."""
        self.store.delete(Member.key(name))

    @rule(name=names, other=names)
    def rename(self, name: str, other: str) -> None:
        """Give an item another key, with all its values."""
        there = self.store.get(Member.key(name))
        if there is None or name == other:
            return
        values = {**there.__dict__, "name": other}
        with suppress(AlreadyExists), self.store.transaction() as transaction:
            transaction.create(Member(**values))
            transaction.delete(Member.key(name))

    @rule(name=names, other=names)
    def swap(self, name: str, other: str) -> None:
        """Let two items swap a value."""
        one, two = self.store.get(Member.key(name)), self.store.get(Member.key(other))
        if one is None or two is None or name == other:
            return
        with self.store.transaction() as transaction:
            transaction.update(Member.key(name), Member.email.set(two.email))
            transaction.update(Member.key(other), Member.email.set(one.email))

    @rule(name=names, how=st.sampled_from(["put", "replace"]))
    def lose_markers(self, name: str, how: str) -> None:
        """Let an item look as if it were older than the constraints, and rewrite it unchanged."""
        there = self.store.get(Member.key(name))
        if there is None:
            return
        for marker in model_of(Member).uniques.values():
            key = marker.key(there.__dict__)
            if key is not None:
                self.engine.execute(DeleteItem("members", key))
        getattr(self.store, how)(there)

    @invariant()
    def markers_are_as_the_items_say(self) -> None:
        """Compare the markers with those that the items require."""
        check_markers(self.engine)


TestUniques = Uniques.TestCase
TestUniques.settings = settings(
    max_examples=2 * settings().max_examples,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
