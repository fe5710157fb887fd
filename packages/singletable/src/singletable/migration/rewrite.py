"""Replace items of a table by others of the same table: split, merge, or give them new keys.

Each unit, an item or a group that is merged, is replaced in one transaction: the old items must be
what was read, the new ones must not exist yet, and the markers of unique values move with them. So
an application never sees half of a replacement, and loses nothing that it writes meanwhile.

Numbers that count items stay as they are. If a rewrite changes how many items a parent has, add
AddCount after it.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from typing_extensions import override

from dynamodb_engine.expressions import NotExists
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import MigrationError, TransformFailed
from singletable.migration.derivation import (
    Derivation,
    DerivedItem,
    Key,
    Member,
    Source,
    Unit,
    entities_of,
    key_text,
    transform_failed,
)
from singletable.migration.environment import Environment
from singletable.migration.live_table import (
    Failures,
    ReadGuard,
    decode_values,
    is_of,
    scan_in_place,
)
from singletable.migration.rules import (
    EachRule,
    LeaveOutRule,
    MergeRule,
    Rule,
    UnchangedRule,
    check_rules,
    source_tables,
    unchanged,
)
from singletable.migration.step import Step
from singletable.migration.trial import Example
from singletable.schema import Model, Table, model_of
from singletable.store.bulk import BulkChange, commit_changes
from singletable.store.commit import MAX_TRANSACTION_ITEMS
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.plan import Plan, key_attributes
from singletable.store.side_writes import plan_side_writes
from singletable.store.ttl import is_expired
from singletable.store.write_errors import caller_condition_failed
from singletable.store.writes import ItemId, Write, item_id, merge_writes

MAX_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Rewrite(Step):
    """Replace items of a table by others of the same table: split, merge, or change their keys.

    Each replacement is one transaction. The old entity must not match new items by its type tag
    and key, unless the function returns these as they are; they would be replaced again otherwise.
    So a merge may keep its group and add to it: the group, merged again, must be the same.
    """

    _undone_by = "`down` rewrites the items by its back=…."
    _fault = "would still be replaced"

    rules: tuple[Rule, ...]
    back: tuple[Rule, ...] = ()

    def __init__(self, *rules: Rule, back: Sequence[Rule] = ()) -> None:
        object.__setattr__(self, "rules", rules)
        object.__setattr__(self, "back", tuple(back))
        check_rules("Rewrite", (*rules, *back))

    @property
    @override
    def tables(self) -> list[Table]:
        return source_tables((*self.rules, *self.back))

    @override
    def describe(self) -> str:
        return f"Rewrite({', '.join(entity.__name__ for entity in self._entities)})"

    @property
    def _entities(self) -> list[type[Any]]:
        return [entity for rule in self.rules for entity in rule.entities]

    @override
    def is_about(self, item: Item) -> bool:
        return is_of(self._entities, item)

    @override
    def run(self, env: Environment) -> None:
        _rewrite(env, "Rewrite", self.rules)

    @override
    def undo(self, env: Environment) -> None:
        _rewrite(env, "Undo Rewrite", self.back)

    @property
    @override
    def irreversible(self) -> str | None:
        return None if self.back else "it has no back=… rules that derive the old items."

    @property
    @override
    def restores_items(self) -> bool:
        return bool(self.back)

    @override
    def examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Key],
    ) -> Iterator[Example]:
        return _rule_examples(self.rules, before, failed)

    @override
    def undo_examples(
        self,
        before: Mapping[ItemId, tuple[Table, Item]],
        after: Mapping[ItemId, tuple[Table, Item]],
        failed: Collection[Key],
    ) -> Iterator[Example]:
        return _rule_examples(self.back, before, failed)


def _rule_examples(
    rules: Sequence[Rule],
    before: Mapping[ItemId, tuple[Table, Item]],
    failed: Collection[Key],
) -> Iterator[Example]:
    """Yield old items of each(…) rules with the new ones."""
    each_rules = [rule for rule in rules if isinstance(rule, EachRule)]
    for _, item in before.values():
        rule = next((one for one in each_rules if is_of([one.entity], item)), None)
        if rule is None or key_attributes(model_of(rule.entity), item) in failed:
            continue
        old = decode_item(model_of(rule.entity), item)
        yield Example(str(rule), [old], entities_of(rule.function(old)))


def _rewrite(env: Environment, name: str, rules: Sequence[Rule]) -> None:
    tables = source_tables(rules)
    if len({env.table_name(table) for table in tables}) != 1:
        names = ", ".join(repr(table) for table in tables) or "none"
        raise MigrationError(
            f"{name} works within one table, but its rules read {names}. Write one Rewrite for "
            "each table, or a Copy to derive one table from several."
        )
    for rule in rules:
        if isinstance(rule, LeaveOutRule):
            raise MigrationError(
                f"{name}: leave_out({rule.entity.__name__}) is a rule of a Copy. Here, items "
                "without a rule stay as they are. To delete items, write "
                f"each({rule.entity.__name__}, lambda old: None)."
            )
    failures = Failures(name)
    rewriter = _Rewriter(env, tables, rules, failures)
    scan_in_place(env, name, tables[0], rewriter.rewrite, failures)


class _DerivationInPlace(Derivation):
    """Derives new items of the same table, which may be declared again for the new entities."""

    def is_target(self, table: Table) -> bool:
        """Return whether a table is the one that is rewritten, by its name and key."""
        target = self.target
        return (table.name, table.key_attributes) == (target.name, target.key_attributes)

    def takes(self, model: Model, item: Item) -> bool:
        """Return whether an item is one of an old entity, by type tag and by key.

        Old and new items may have the same tag; then their keys tell them apart.
        """
        return model.matches(item) and model.parse_key(item) is not None


class _Rewriter:
    """The rules of a rewrite, and how a unit is replaced.

    Old and new entities may have the same keys. They cannot be declared in one table then, so there
    may be several declarations of the table.
    """

    def __init__(
        self, env: Environment, tables: list[Table], rules: Sequence[Rule], failures: Failures
    ) -> None:
        self.tables = tables
        self.failures = failures
        self._table_name = env.table_name(tables[0])
        # All declarations of the table have its name in requests.
        self._names = dict(env.context.table_names)
        self._context = replace(env.context, table_names=self._names)
        self._guards: dict[type, ReadGuard] = {}
        moment = datetime.fromtimestamp(env.state.started, UTC)
        # Items without a rule stay as they are.
        all_rules = (*rules, *map(unchanged, tables))
        self._derivation = _DerivationInPlace(all_rules, tables[0], self._context, moment)

    def rewrite(self, items: list[Item]) -> Steps[int]:
        """Replace the units of these items, and return how many were replaced."""
        now = self._context.clock()
        context = replace(self._context, clock=lambda: now)
        waiting: dict[Unit, list[Member] | None] = {}
        for item in items:
            unit = self._unit_of(item)
            if unit is not None and unit not in waiting:
                waiting[unit] = self._members(unit, item)
        written = 0
        for attempt in range(MAX_ATTEMPTS):
            changes: list[_ReplacedUnit] = []
            for unit, read in waiting.items():
                members = (yield from self._read(unit)) if read is None else read
                plan = self._plan(context, unit, members)
                if plan is not None:
                    changes.append(_ReplacedUnit(unit, plan, self.failures))
            yield from commit_changes(context, changes)
            written += sum(change.is_written for change in changes)
            waiting = {change.unit: None for change in changes if change.has_conflict}
            if not waiting:
                return written
            yield context.retry_policy.backoff(attempt, "conflict")
        raise MigrationError(
            f"{key_text(next(iter(waiting)).key)} changed {MAX_ATTEMPTS} times while it was "
            "replaced. Run the migration again when it changes less often."
        )

    def _unit_of(self, item: Item) -> Unit | None:
        """Return the unit of an item; None if it stays as it is."""
        for table in self.tables:
            try:
                unit = self._derivation.unit_of(table, item)
            except TransformFailed as error:
                self.failures.found += error.failures
                return None
            if unit and not isinstance(self._derivation.rules[unit.rule], UnchangedRule):
                return unit
        return None

    def _members(self, unit: Unit, item: Item) -> list[Member] | None:
        """Return the old items of a unit if `item` is the only one; None if they must be read."""
        rule = self._derivation.rules[unit.rule]
        return (
            [Member(model_of(rule.entity), unit.key, item)] if isinstance(rule, EachRule) else None
        )

    def _read(self, unit: Unit) -> Steps[list[Member]]:
        """Return the old items of a unit as they are now; none if it has been replaced."""
        if isinstance(self._derivation.rules[unit.rule], MergeRule):
            return (yield from self._derivation.read_members(unit))
        source = (yield from self._derivation.read([unit]))[unit]
        if not source or self._unit_of(source[0]) != unit:
            return []
        return self._members(unit, source[0]) or []

    def _plan(self, context: Context, unit: Unit, members: list[Member]) -> Plan | None:
        """Plan to replace a unit; return None if there is nothing to do, or it cannot be."""
        try:
            return self._planned(context, unit, members)
        except Exception as error:
            self.failures.add_error(unit.key, error)
            return None

    def _planned(self, context: Context, unit: Unit, members: list[Member]) -> Plan | None:
        now = context.clock()
        old = [
            (member.model, item)
            for member in members
            if (item := member.item) is not None and not is_expired(member.model, item, now)
        ]
        if not old:
            return None
        is_merged = isinstance(self._derivation.rules[unit.rule], MergeRule)
        source: Source = [decode_item(*one) if is_merged else one[1] for one in old]
        new: dict[ItemId, DerivedItem] = {}
        for derived in self._derivation.derive(unit, source):
            self._names[derived.model.table] = self._table_name
            if new.setdefault(self._id(derived.item), derived) is not derived:
                key = self._derivation.key_of(derived.item)
                raise transform_failed(unit.key, f"two new items have the key {key_text(key)}.")
        written = {self._id(item): _as_written(model, item) for model, item in old}
        stored = {self._id(item): item for _, item in old}
        if written == {id_: one.item for id_, one in new.items()} or _are_kept(new, stored):
            return None  # the function keeps the items
        self._check_result(unit, new.values())
        writes = merge_writes(
            [
                *self._item_writes(members, new),
                *self._marker_writes(context, old, [(one.model, one.item) for one in new.values()]),
            ]
        )
        if len(writes) > MAX_TRANSACTION_ITEMS:
            raise transform_failed(
                unit.key,
                f"it takes {len(writes)} writes to replace it, markers included, but a transaction "
                f"has at most {MAX_TRANSACTION_ITEMS}. Copy the items to another table instead: "
                "Copy(…).",
            )
        return Plan(writes, {})

    def _check_result(self, unit: Unit, new: Collection[DerivedItem]) -> None:
        """Raise TransformFailed if the new items would change when they are rewritten."""
        group: list[Item] = []
        for derived in new:
            found = self._unit_of(derived.item)
            if found == unit and isinstance(self._derivation.rules[unit.rule], MergeRule):
                group.append(derived.item)
            elif found is not None and not self._is_kept(found, derived.item):
                raise transform_failed(
                    unit.key,
                    "a new item would be rewritten again. Give the new entity another type tag or "
                    "key, or return a new item as it is when the function gets it. To change items "
                    "without new keys, use Backfill(…).",
                )
        if group and (reason := self._how_group_changes(unit, group)) is not None:
            raise transform_failed(
                unit.key,
                f"the group would change when it is merged again{reason}. Return a group that is "
                "merged already as it is, and read every entity that stays in the group with a "
                "Part(…); or give the new entities another type tag or key.",
            )

    def _is_kept(self, unit: Unit, item: Item) -> bool:
        """Return whether a new item stays as it is when it is rewritten alone."""
        if isinstance(self._derivation.rules[unit.rule], MergeRule):
            return False  # the other items of its group are not known
        try:
            return [one.item for one in self._derivation.derive(unit, [item])] == [item]
        except TransformFailed:  # such as a field that only old items have
            return False

    def _how_group_changes(self, unit: Unit, items: list[Item]) -> str | None:
        """Return why new items of a group would change when they are merged; None if not."""
        rule = self._derivation.rules[unit.rule]
        assert isinstance(rule, MergeRule)
        members: list[tuple[Model, Item]] = []
        for part in rule.parts:  # as read_members reads them
            model = model_of(part.entity)
            found = [one for one in items if self._derivation.takes(model, one)]
            members += [(model, item) for item in sorted(found, key=self._read_order)]
        try:
            derived = self._derivation.derive(unit, [decode_item(*one) for one in members])
        except TransformFailed as error:
            return f": {error.failures[0][1]}"
        new = {self._id(one.item): one for one in derived}
        old = {self._id(item): item for _, item in members}
        return None if len(new) == len(derived) and _are_kept(new, old) else ""

    def _read_order(self, item: Item) -> bytes | Decimal:
        """Return what items of a partition are sorted by."""
        sk = self.tables[0].sk
        if sk is None:
            return b""
        ((type_, value),) = item[sk.name].items()
        match type_:
            case "N":
                return Decimal(str(value))
            case "B":
                return b64decode(str(value))
            case _:
                return str(value).encode()

    def _id(self, item: Item) -> ItemId:
        return item_id(self._table_name, self._derivation.key_of(item))

    def _item_writes(
        self, members: list[Member], new: Mapping[ItemId, DerivedItem]
    ) -> Iterator[Write]:
        """Yield the writes of the old items and of the new ones."""
        table, absent = self._table_name, NotExists((self.tables[0].pk.name,))
        left = dict(new)
        for member in members:
            model, key, item = member.model, member.key, member.item
            error = caller_condition_failed(model, key)
            derived = left.pop(item_id(table, key), None)
            guard = absent if item is None else self._guard(model).unchanged(item)
            if derived is not None and item is not None and _is_stored(derived, item):
                yield Write("check", table, key, error, guard=guard)
            elif derived is not None:
                put = derived.item if item is None else _with_later_version(derived, model, item)
                yield Write("put", table, key, error, item=put, guard=guard)
            else:
                yield Write("check" if item is None else "delete", table, key, error, guard=guard)
        for derived in left.values():
            key = self._derivation.key_of(derived.item)
            error = caller_condition_failed(derived.model, key)
            yield Write("put", table, key, error, item=derived.item, condition=absent)

    def _guard(self, model: Model) -> ReadGuard:
        if model.entity not in self._guards:
            self._guards[model.entity] = ReadGuard(model)
        return self._guards[model.entity]

    def _marker_writes(
        self,
        context: Context,
        old: list[tuple[Model, Item]],
        new: list[tuple[Model, Item]],
    ) -> Iterator[Write]:
        """Yield the writes that release the unique values of old items, and claim the new ones."""
        now = context.clock()
        for model, item in old:
            key = key_attributes(model, item)
            current = model.versions.upgraded(item)
            yield from _markers(plan_side_writes(context, model, key, current, None, now))
        for model, item in new:
            key = key_attributes(model, item)
            yield from _markers(plan_side_writes(context, model, key, None, item, now))


def _as_written(model: Model, item: Item) -> Item:
    """Return an old item as it would be written now."""
    return model.item(decode_values(model, item))


def _are_kept(new: Mapping[ItemId, DerivedItem], old: Mapping[ItemId, Item]) -> bool:
    """Return whether the new items are the old ones, perhaps with a later version."""
    return new.keys() == old.keys() and all(_is_stored(new[id_], old[id_]) for id_ in new)


def _is_stored(derived: DerivedItem, item: Item) -> bool:
    """Return whether a new item is stored, perhaps with a later version."""
    role = derived.model.role("version")
    name = None if role is None else role.attribute
    later = {} if name is None or name not in item else {name: item[name]}
    return derived.item | later == item


def _markers(writes: list[Write]) -> list[Write]:
    return [write for write in writes if write.marker is not None]


def _with_later_version(derived: DerivedItem, old: Model, item: Item) -> Item:
    """Return a new item with a higher version than the old one with its key.

    A program that read the old item would overwrite the new one otherwise.
    """
    before, after = old.role("version"), derived.model.role("version")
    if before is None or after is None:
        return derived.item
    version = int(item.get(before.attribute, {}).get("N", "0"))
    if int(derived.item[after.attribute]["N"]) > version:
        return derived.item
    return {**derived.item, after.attribute: {"N": str(version + 1)}}


class _ReplacedUnit(BulkChange):
    """A unit that is replaced by its new items."""

    def __init__(self, unit: Unit, plan: Plan, failures: Failures) -> None:
        self.unit = unit
        self.plan = plan
        self.failures = failures
        self.is_written = False
        self.has_conflict = False

    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Remember a conflict, to read the unit again; report that a new item exists already."""
        if write.guard is not None:
            self.has_conflict = True
        elif write.marker is not None:
            self.failures.add(self.unit.key, str(write.error(stored)))
        elif stored == write.item:
            return Plan([other for other in self.plan.writes if other is not write], {})
        else:
            self.failures.add(
                self.unit.key,
                f"there is another item already with the key of its new item: "
                f"{key_text(write.key)}.",
            )
        return None

    def finish(self) -> None:
        """Count the unit."""
        self.is_written = True
