"""Derive the new items of many old ones, and go on after those that fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import TransformFailed
from singletable.migration.derivation import Derivation, Source, Targets, Unit, item_key
from singletable.migration.environment import Environment
from singletable.migration.rules import MergeRule
from singletable.migration.scan import scan_pages
from singletable.schema import Table
from singletable.store.batch import get_items
from singletable.store.writes import ItemId, item_id

State: TypeAlias = Source | TransformFailed

# The number of the rule in units of items that no rule takes.
NO_RULE = -1


@dataclass(frozen=True, slots=True)
class DerivedUnit:
    """A unit as it is stored, and the new items derived from it; or why there are none."""

    unit: Unit
    state: State
    targets: Targets | TransformFailed


class DerivedItems:
    """Reads units and derives their new items, page by page."""

    def __init__(self, env: Environment, derivation: Derivation) -> None:
        self.env = env
        self.derivation = derivation
        # The number of old items that were read, of those without a rule, and by rule.
        self.read = 0
        self.ruleless = 0
        self.by_rule = dict.fromkeys(range(len(derivation.rules)), 0)

    def scan(self) -> Iterator[list[DerivedUnit]]:
        """Yield all units of the source."""
        sources = self.derivation.sources
        return self.derive(
            (table, page) for table in sources for page in scan_pages(self.env, table)
        )

    def derive(self, pages: Iterable[tuple[Table, list[Item]]]) -> Iterator[list[DerivedUnit]]:
        """Yield the units of old items page by page, each unit once."""
        # Hashes of the groups that were merged already.
        merged: set[int] = set()
        for table, page in pages:
            states: dict[Unit, State] = {}
            groups: list[Unit] = []
            self.read += len(page)
            for item in page:
                try:
                    unit = self.derivation.unit_of(table, item)
                except TransformFailed as error:
                    self.ruleless += 1
                    states[self._ruleless(table, item)] = error
                    continue
                if unit is None:
                    continue
                self.by_rule[unit.rule] += 1
                if not isinstance(self.derivation.rules[unit.rule], MergeRule):
                    states[unit] = [item]
                elif hash(unit) not in merged:
                    merged.add(hash(unit))
                    groups.append(unit)
            states |= self.states(groups)
            yield [
                DerivedUnit(unit, state, self.targets(unit, state))
                for unit, state in states.items()
            ]

    def states(self, units: Sequence[Unit]) -> Mapping[Unit, State]:
        """Read units as they are stored now; return the failure of those that cannot be read."""
        states: dict[Unit, State] = {}
        ruled = [unit for unit in units if unit.rule != NO_RULE]
        if ruled:
            try:
                states |= self.env.run(self.derivation.read(ruled))
            except TransformFailed as error:
                if len(ruled) == 1:
                    states[ruled[0]] = error
                else:
                    for unit in ruled:  # to find out which ones fail
                        states |= self.states([unit])
        for unit in units:
            if unit.rule == NO_RULE:
                states[unit] = self._ruleless_state(unit)
        return states

    def targets(self, unit: Unit, state: State) -> Targets | TransformFailed:
        """Return what is derived from the state of a unit, or why nothing is."""
        if isinstance(state, TransformFailed):
            return state
        if unit.rule == NO_RULE:
            return {}
        try:
            return self.derivation.targets(unit, state)
        except TransformFailed as error:
            return error

    def get(self, table: Table, keys: Iterable[Item]) -> dict[ItemId, Item]:
        """Return the stored items with these keys, read consistently."""
        context = self.env.context
        name = context.table_name(table)
        by_id = {item_id(name, key): key for key in keys}
        steps: Steps[dict[ItemId, Item]] = get_items(context, {name: table}, by_id, consistent=True)
        return self.env.run(steps)

    def _ruleless(self, table: Table, item: Item) -> Unit:
        """Return a unit for an item that belongs to none, by which it can be read again."""
        key = item_key(table, item)
        return Unit(NO_RULE, item_id(self.env.table_name(table), key), table, key)

    def _ruleless_state(self, unit: Unit) -> State:
        try:
            for item in self.get(unit.table, [unit.key]).values():
                self.derivation.unit_of(unit.table, item)
        except TransformFailed as error:
            return error
        return []
