"""Run a Copy: derive the new items page by page, and carry over what changes meanwhile.

Everything here works in both directions: with the rules of the copy from the old tables to the new
one, and after the cut-over with its `back` rules from the new table to the old ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item, item_from_json, item_to_json
from singletable.errors import MigrationError, MigrationLocked, ResourceNotFound, TransformFailed
from singletable.migration.change_log import ChangeBatch, ChangedItem, ChangeLog
from singletable.migration.derivation import (
    Derivation,
    Key,
    Source,
    Targets,
    Unit,
    key_text,
    unit_hash,
)
from singletable.migration.environment import Environment
from singletable.migration.rules import MergeRule
from singletable.migration.scan import first_item, scan_rounds
from singletable.migration.two_addresses import real_name
from singletable.schema import Table, model_of
from singletable.store.batch import get_items
from singletable.store.decoder import decode_item
from singletable.store.writes import ItemId, item_id

MAX_FAILURES = 20
# Remembering where a new item came from takes about 300 bytes. Later ones are left to verify.
MAX_REMEMBERED = 1_000_000
# How many changes are carried over together, if groups are merged.
MAX_CHANGES = 20_000


class TargetOwners:
    """Remembers which unit a target was derived from, to find two units with the same target."""

    def __init__(self, derivation: Derivation) -> None:
        self._derivation = derivation
        # By hash of the target: the hash of the unit, and the table and key of an old item of it.
        self._owners: dict[int, tuple[int, Table, bytes]] = {}
        self._lock = Lock()
        self.has_collisions = False

    def check(self, derived: Mapping[Unit, Targets]) -> Steps[None]:
        """Raise TransformFailed if a target is also derived from another unit, as it is now."""
        failures: list[tuple[Key, str]] = []
        for unit, targets in derived.items():
            for id_, item in targets.items():
                other = self._claim(unit, id_)
                if other is None:
                    continue
                table, key = other
                if (yield from self._both_derive(unit, table, key, id_)):
                    target = key_text(self._derivation.key_of(item))
                    failures.append((unit.key, _collision(target, key, table)))
                    self.has_collisions = True
        raise_failures(failures)

    def _claim(self, unit: Unit, target: ItemId) -> tuple[Table, Item] | None:
        """Record the unit of a target, and return an old item of the unit that had it before."""
        hashed, owner = hash(target), unit_hash(unit)
        with self._lock:
            before = self._owners.get(hashed)
            if before is not None and before[0] == owner:
                return None
            if before is not None or len(self._owners) < MAX_REMEMBERED:
                self._owners[hashed] = (owner, unit.table, item_to_json(unit.key))
        return None if before is None else (before[1], item_from_json(before[2]))

    def _both_derive(self, unit: Unit, table: Table, key: Item, target: ItemId) -> Steps[bool]:
        """Return whether a target is derived from a unit and from another item at the same time.

        It may have passed from one to the other meanwhile, such as an e-mail address.
        """
        before = yield from self._derivation.read([unit])
        item = yield from read_item(self._derivation, table, key)
        other = unit_or_none(self._derivation, table, item)
        if other is None or other == unit:
            return False
        sources = yield from self._derivation.read([other])
        after = yield from self._derivation.read([unit])
        if before != after:
            return False
        try:
            return all(
                target in self._derivation.targets(one, source)
                for one, source in (*before.items(), *sources.items())
            )
        except TransformFailed:
            return False


def _collision(target: str, key: Item, table: Table) -> str:
    return (
        f"its new item {target} is also derived from {key_text(key)} of {table.name}. Give them "
        "different keys, or combine them with merge(…)."
    )


@dataclass
class Copier:
    """Carries items over from one side to the other.

    There is a derivation for each table that is written; all of them read the same tables.
    """

    env: Environment
    derivations: Sequence[Derivation]
    log: ChangeLog
    step: str = "copy"
    _owners: list[TargetOwners] = field(init=False)
    _merges: bool = field(init=False)
    # Hashes of the groups that are merged already: later changes of them are in the log.
    _merged: set[int] = field(default_factory=set[int], init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def __post_init__(self) -> None:
        self._owners = [TargetOwners(derivation) for derivation in self.derivations]
        rules = self.derivations[0].rules
        self._merges = any(isinstance(rule, MergeRule) for rule in rules)

    @property
    def has_collisions(self) -> bool:
        """Whether two old items were found that become the same new one."""
        return any(owners.has_collisions for owners in self._owners)

    # All items, page by page

    def copy(self, after_round: Callable[[], None]) -> None:
        """Copy all items, and call `after_round` between the pages and their checkpoint."""
        for table in self.derivations[0].sources:
            scan_rounds(
                self.env,
                f"copy {table.name}",
                table,
                partial(self._copy_page, table),
                after_round=after_round,
            )

    def _copy_page(self, table: Table, page: list[Item]) -> Steps[None]:
        for derivation, owners in zip(self.derivations, self._owners, strict=True):
            units = self._page_units(derivation, table, page)
            groups = [unit for unit, source in units.items() if source is None]
            sources = {unit: source for unit, source in units.items() if source is not None}
            if groups:
                sources |= yield from derivation.read(groups)
            derived = derive_all(derivation, sources)
            yield from owners.check(derived)
            try:
                yield from derivation.write(
                    {id_: item for targets in derived.values() for id_, item in targets.items()}
                )
                self.env.keep_lease()
            except MigrationLocked:
                # What was written may be older than what the process that took over has written.
                older = {unit: [one] for unit, one in sources.items()}
                self.env.run_without_lease(self._correct(derivation, older))
                raise
            with self._lock:
                self._merged.update(map(unit_hash, groups))
        with self._lock:
            counts = self.env.state.counts
            counts[self.step] = counts.get(self.step, 0) + len(page)
        self.env.progress(self.step, counts[self.step], of=self.derivations[0].sources)

    def _page_units(
        self, derivation: Derivation, table: Table, items: Iterable[Item]
    ) -> dict[Unit, Source | None]:
        """Return the units of a page; None instead of the items of a group, which must be read."""
        units: dict[Unit, Source | None] = {}
        failures: list[tuple[Key, str]] = []
        for item in items:
            try:
                unit = derivation.unit_of(table, item)
            except TransformFailed as error:
                failures += error.failures
                continue
            if unit is None:
                continue
            if not isinstance(derivation.rules[unit.rule], MergeRule):
                units[unit] = [item]
            elif unit_hash(unit) not in self._merged:
                units[unit] = None
        raise_failures(failures)
        return units

    # What has changed

    def carry(self, position: str) -> ChangeBatch:
        """Carry over the next changes after a position, and return them."""
        return self.env.run(self._carry(position))

    def _carry(self, position: str) -> Steps[ChangeBatch]:
        batch = yield from self.log.read(position)
        # The older states of a group are derived from its later changes, so read these as well.
        while self._merges and not batch.is_last and len(batch.changes) < MAX_CHANGES:
            later = yield from self.log.read(batch.position)
            changes = [*batch.changes, *later.changes]
            batch = ChangeBatch(changes, later.position, later.is_last)
        if batch.changes:
            for derivation, owners in zip(self.derivations, self._owners, strict=True):
                units = yield from changed_units(derivation, batch.changes)
                try:
                    yield from derivation.carry_over(units, owners.check, once=True)
                except MigrationLocked:
                    self.env.run_without_lease(self._correct(derivation, units))
                    raise
        return batch

    def _correct(
        self, derivation: Derivation, units: Mapping[Unit, Iterable[Source]]
    ) -> Steps[None]:
        """Derive units again that were written after the lease was lost.

        If the other process has cut over meanwhile, the application writes the targets.
        """
        stored, _ = yield from self.env.states.read()
        if stored is None or stored.phase in ("rolled-back", "finished", "down"):
            return
        if (stored.cut_over is None) == (self.env.state.cut_over is None):
            yield from derivation.carry_over(units)


def derive_all(derivation: Derivation, sources: Mapping[Unit, Source]) -> dict[Unit, Targets]:
    """Return the targets of each unit; raise one TransformFailed for all that fail."""
    derived: dict[Unit, Targets] = {}
    failures: list[tuple[Key, str]] = []
    for unit, source in sources.items():
        try:
            derived[unit] = derivation.targets(unit, source)
        except TransformFailed as error:
            failures += error.failures
    raise_failures(failures)
    return derived


def raise_failures(failures: Sequence[tuple[Key, str]]) -> None:
    """Raise TransformFailed with the first failures, if there are any."""
    if not failures:
        return
    lines = [f"{key_text(key)}: {reason}" for key, reason in failures[:MAX_FAILURES]]
    if len(failures) > MAX_FAILURES:
        lines.append(f"and {len(failures) - MAX_FAILURES} more in the same page")
    raise TransformFailed(
        "The rules of the copy fail for items of the source:\n  "
        + "\n  ".join(lines)
        + "\nCorrect the rule or the items and run the migration again. It continues from here.",
        failures[:MAX_FAILURES],
    )


def read_item(derivation: Derivation, table: Table, key: Item) -> Steps[Item | None]:
    """Return an item of a table that the derivation reads, read consistently."""
    name = derivation.context.table_name(table)
    items = yield from get_items(
        derivation.context, {name: table}, {item_id(name, key): key}, consistent=True
    )
    return next(iter(items.values()), None)


def changed_units(
    derivation: Derivation, changes: Sequence[ChangedItem]
) -> Steps[dict[Unit, list[Source]]]:
    """Return the units that changes belong to, each with its older states.

    An item that changes its rule or its group belongs to several.
    """
    context = derivation.context
    tables = {context.table_name(table): table for table in derivation.sources}
    keys = {item_id(context.table_name(change.table), change.key): change.key for change in changes}
    current = yield from get_items(context, tables, keys, consistent=True)
    by_unit: dict[Unit, list[ChangedItem]] = {}
    for change in changes:
        now = current.get(item_id(context.table_name(change.table), change.key))
        units = {unit_or_none(derivation, change.table, one) for one in (change.old, change.new)}
        # An item that is stored now and has no rule is an error; one that was stored once is not.
        units.add(None if now is None else derivation.unit_of(change.table, now))
        for unit in units:
            if unit is not None:
                by_unit.setdefault(unit, []).append(change)
    groups = [unit for unit in by_unit if isinstance(derivation.rules[unit.rule], MergeRule)]
    members = yield from derivation.read(groups)
    older: dict[Unit, list[Source]] = {}
    for unit, changed in by_unit.items():
        if unit in members:
            older[unit] = list(_older_groups(derivation, unit, members[unit], changed))
        else:
            images = [image for one in changed for image in (one.old, one.new) if image is not None]
            older[unit] = [
                [image] for image in images if unit_or_none(derivation, unit.table, image) == unit
            ]
    return older


def _older_groups(
    derivation: Derivation, unit: Unit, members: Source, changes: Sequence[ChangedItem]
) -> Iterator[Source]:
    """Yield the older states of a group, by undoing changes from the last to the first."""
    rule = derivation.rules[unit.rule]
    assert isinstance(rule, MergeRule)
    context = derivation.context
    order = {part.entity: number for number, part in enumerate(rule.parts)}
    state: dict[ItemId, object] = {}
    member: object
    for member in members:
        model = model_of(type(member))
        key = model.key.require_attributes(vars(member))
        state[item_id(context.table_name(model.table), key)] = member
    yield list(members)
    for change in reversed(changes):
        id_ = item_id(context.table_name(change.table), change.key)
        state.pop(id_, None)
        if change.old is not None and unit_or_none(derivation, change.table, change.old) == unit:
            part = next(
                one
                for one in rule.parts
                if model_of(one.entity).table is change.table
                and model_of(one.entity).matches(change.old)
            )
            state[id_] = decode_item(model_of(part.entity), change.old)
        yield sorted(state.values(), key=lambda member: order[type(member)])


def unit_or_none(derivation: Derivation, table: Table, image: Item | None) -> Unit | None:
    """Return the unit of an image of an item; None if it has none, or had no rule."""
    try:
        return None if image is None else derivation.unit_of(table, image)
    except TransformFailed:
        return None


def count_changes(log: ChangeLog, position: str, limit: int) -> Steps[int]:
    """Return how many changes after a position are to be carried over, up to a limit."""
    found = 0
    while True:
        batch = yield from log.read(position)
        found += len(batch.changes)
        position = batch.position
        if batch.is_last or found >= limit:
            return min(found, limit)


def check_empty(env: Environment, table: Table) -> None:
    """Raise MigrationError if the target of a copy has items, which the copy could replace."""
    with suppress(ResourceNotFound):
        if first_item(env, table) is not None:
            raise MigrationError(
                f"The new table {real_name(env.table_name(table))!r} has items already, and the "
                "copy would replace those with the same key. Nothing was written. Copy to another "
                "address."
            )
