"""Write the items of an entity again: upgraded, with new attributes and index keys.

Only the attributes that differ are written, in transactions of up to 100 items, each on the
condition that the item is what was read. So attributes that are not declared stay, and an item that
is stored as it would be written is not touched. A version counts up, so that an application that
read the item before finds out; the time of the last update stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import Any, Generic, TypeAlias, TypeVar, cast

from typing_extensions import override

from dynamodb_engine import expressions
from dynamodb_engine.expressions import Add, Constant, Remove, Set, apply_update
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item, check_item
from singletable.errors import InvalidValue
from singletable.migration import live_table
from singletable.migration.environment import Environment
from singletable.migration.verification import Verification, VerifySettings
from singletable.schema import Model, model_of
from singletable.schema.codec.items import UNKNOWN
from singletable.store.bulk import BulkChange, commit_changes
from singletable.store.bulk_load import random_attributes
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.plan import Plan, key_attributes
from singletable.store.side_writes import plan_side_writes
from singletable.store.write_errors import caller_condition_failed
from singletable.store.writes import Write

E = TypeVar("E")
Transform: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Backfill(live_table.EntityStep, Generic[E]):
    """Write the items of an entity again, with the attributes and index keys declared now.

    `transform` may change an item, or return another with the same key; `down` undoes that. Items
    that would be stored as they are, are not written.
    """

    _undone_by = "`down` applies its function to all items."
    _fault = "is not stored as it would be written now"

    entity: type[E]
    transform: Callable[[E], E | None] | None = None
    down: Callable[[E], E | None] | None = None

    @override
    def run(self, env: Environment) -> None:
        _backfill(env, f"Backfill {self.entity.__name__}", self.entity, self.transform)

    @override
    def undo(self, env: Environment) -> None:
        if self.transform is not None:
            _backfill(env, f"Undo Backfill {self.entity.__name__}", self.entity, self.down)

    @property
    @override
    def irreversible(self) -> str | None:
        if self.transform is None or self.down is not None:
            return None
        return "it has a transform, but no down=… function that undoes it."

    @property
    @override
    def restores_items(self) -> bool:
        return self.down is not None

    @property
    @override
    def how_to_undo(self) -> str:
        if self.transform is None:
            return "`down` changes nothing: the items are as valid as before."
        reason = self.irreversible
        return self._undone_by if reason is None else f"Cannot be undone: {reason}"

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        live_table.EntityStep.verify(self, env, report, settings)
        if report.faults and not settings.repair and self.transform is not None:
            report.notes.append(
                "The transform would change these items. If it changes an item each time, such as "
                "adding to a number, it cannot be verified, and a run that was interrupted may "
                "have applied it twice."
            )


def _backfill(env: Environment, name: str, entity: type, transform: Transform | None) -> None:
    failures = live_table.Failures(name)
    backfill = _EntityBackfill(model_of(entity), transform, failures)

    def handle(items: list[Item]) -> Steps[int]:
        # Conditions of the same counter can be merged only if they have the same time.
        now = env.context.clock()
        context = replace(env.context, clock=lambda: now)
        changes = [
            _BackfilledItem(backfill, context, item, plan)
            for item in items
            if (plan := backfill.plan(context, item)) is not None
        ]
        yield from commit_changes(context, changes)
        return sum(change.is_written for change in changes)

    live_table.scan_in_place(env, name, backfill.model.table, handle, failures)


class _EntityBackfill:
    """How the items of an entity are written again."""

    def __init__(
        self, model: Model, transform: Transform | None, failures: live_table.Failures
    ) -> None:
        self.model = model
        self.failures = failures
        self._transform = transform
        self._guard = live_table.ReadGuard(model)
        # What to compare, by the attributes that are written; None for everything.
        self._sources: dict[tuple[str, ...], list[expressions.Path] | None] = {}

    def plan(self, context: Context, item: Item) -> Plan | None:
        """Plan the write of an item; return None if it need not be written, or cannot be."""
        model = self.model
        if not model.matches(item):
            return None
        key = key_attributes(model, item)
        try:
            new = _new_item(model, item, self._transform)
            written = model.versions.stored(new)
            actions = [] if written == item else _changes(model, item, written)
        except Exception as error:
            self.failures.add_error(key, error)
            return None
        if not actions:
            return None
        version = model.role("version")
        if version is not None:
            actions.append(Add(version.document_path(), {"N": "1"}))
        update = Write(
            "update",
            context.table_name(model.table),
            key,
            caller_condition_failed(model, key),
            actions=tuple(actions),
            guard=self._unchanged(item, actions),
        )
        side_writes: list[Write] = []
        if model.uniques or model.counts:
            old = model.versions.upgraded(item)
            side_writes = [
                write
                for write in plan_side_writes(context, model, key, old, new, context.clock())
                # A marker that is missing is written by AddUnique.
                if write.marker != "keep"
            ]
        return Plan([update, *side_writes], {})

    def _unchanged(
        self, item: Item, actions: Sequence[expressions.Action]
    ) -> expressions.Condition:
        """Return the condition that what the new attributes are derived from has not changed."""
        names = tuple([str(action.path[0]) for action in actions])
        paths = None if self._guard.has_version(item) else self._sources.get(names)
        if paths is None and names not in self._sources:
            paths = self._sources[names] = self._source_paths(names)
        return (
            self._guard.unchanged(item) if paths is None else self._guard.same_values(paths, item)
        )

    def _source_paths(self, names: Iterable[str]) -> list[expressions.Path] | None:
        """Return what attributes are derived from; None if that is not known.

        An attribute is derived from its field, and the key of an index from some fields: comparing
        these takes less than comparing wide items wholly.
        """
        model = self.model
        if (
            self._transform is not None
            or model.versions.is_declared
            or model.uniques
            or model.counts
        ):
            return None
        fields = {one.attribute for one in model.fields.values()}
        sources: set[str] = set() if model.tag is None else {model.tag[0]}
        for name in names:
            accesses = [one for one in model.indexes.values() if name in one.dedicated_attributes]
            if name in fields:
                sources.add(name)
            elif not accesses:
                return None
            for access in accesses:
                sources.update(str(path[0]) for path in access.condition_paths)
                sources.update(model.attribute_of(field) for field in access.fields)
        keys = {one.name for one in model.table.key_attributes}
        return [(name,) for name in sorted(sources - keys)]


class _BackfilledItem(BulkChange):
    """An item that is written again."""

    def __init__(self, backfill: _EntityBackfill, context: Context, item: Item, plan: Plan) -> None:
        self.backfill = backfill
        self.context = context
        self.item = item
        self.plan = plan
        self.is_written = False

    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Plan again with the item as it is now; None if there is nothing left to do."""
        if write is not self.plan.writes[0]:
            self.backfill.failures.add(self.plan.writes[0].key, str(write.error(stored)))
            return None
        if stored is None:
            return None
        if stored == apply_update(write.actions, self.item):
            # This write was executed, but its response was lost. A transform may not be repeated.
            self.finish()
            return None
        self.item = stored
        return self.backfill.plan(self.context, stored)

    def finish(self) -> None:
        """Count the item."""
        self.is_written = True


def _new_item(model: Model, item: Item, transform: Transform | None) -> Item:
    """Return the item as it would be written now, after the transform."""
    if transform is None:
        return model.item(live_table.decode_values(model, item))
    instance = decode_item(model, item, check_indexes=False)
    key = model.key.attributes(cast("dict[str, object]", vars(instance)))
    unknown = cast("dict[str, object]", vars(instance)).get(UNKNOWN)
    result = transform(instance)
    if isawaitable(result):
        raise InvalidValue("the function must not be async.")
    changed = instance if result is None else result
    if type(changed) is not model.entity:
        raise InvalidValue(
            f"the function must return a {model.name}, or None after changing the one it got, but "
            f"it returned {type(changed).__name__}."
        )
    values = cast("dict[str, object]", vars(changed))
    if unknown is not None:
        values = {UNKNOWN: unknown, **values}
    model.codec.check(values)
    new = model.item(values)
    if key_attributes(model, new) != key:
        raise InvalidValue("the function changed the key of the item. To do that, use Rewrite(…).")
    if model.factory is not None:
        model.instance(new)  # a pydantic model may not check what is assigned
    return new


def _changes(model: Model, item: Item, new: Item) -> list[expressions.Action]:
    """Return the actions that turn an item into the new one; its version is not compared."""
    kept = {name for name in random_attributes(model) if name in item}
    if (version := model.role("version")) is not None:
        kept.add(version.attribute)
    before, after = item, new
    if model.encrypted and model.versions.is_current(item):
        # Encrypting a value again gives another text, so the values are compared.
        before, after = model.decrypted(item), model.decrypted(new)
    actions: list[expressions.Action] = []
    for name in sorted({*item, *new} - kept):
        if before.get(name) == after.get(name):
            continue
        if name not in new:
            actions.append(Remove((name,)))
            continue
        value = check_item({name: new[name]})[0][name]
        # DynamoDB returns numbers and sets in one form, however they were written.
        if value != before.get(name):
            actions.append(Set((name,), Constant(value)))
    return actions
