"""Derive new items from old ones: the rules of a copy as a pure function of the source.

The smallest piece of work is a unit: one old item, or all old items of a group that is merged. The
new items of a unit depend on nothing but the old items that are stored now. So deriving a unit
again is harmless, and a change of an old item is carried over by deriving its unit again.

A process that follows the change log derives a unit again after each change. Any other one reads
the unit again after its targets are written, and derives it again if it has changed. So the last
process to write a target has seen the latest source, even if several derive a unit at once.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Generator,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias, cast

from dynamodb_engine.operations import DeleteRequest, PutRequest, WriteRequest
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import AttributeValue, Item, check_value
from singletable.errors import InvalidValue, MigrationError, SingleTableError, TransformFailed
from singletable.migration.rules import (
    EachRule,
    LeaveOutRule,
    MergeRule,
    Rule,
    UnchangedRule,
    source_tables,
)
from singletable.migration.state import is_state_item
from singletable.schema import ItemKey, Model, Table, model_of
from singletable.schema.unique import OWNER
from singletable.store.batch import get_items, write_batches
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.plan import key_attributes
from singletable.store.query import ItemQuery
from singletable.store.writes import ItemId, item_id

# The items of a unit as they are stored: attributes for one item, entities for a group.
Source: TypeAlias = list[Any]
Targets: TypeAlias = dict[ItemId, Item]
Key: TypeAlias = Mapping[str, Mapping[str, object]]

_MAX_ATTEMPTS = 20
_MAX_SKIPPED = 1_000


@dataclass(frozen=True, slots=True)
class Unit:
    """Old items from which new ones are derived: one item, or a group."""

    rule: int
    id: Hashable
    # The table and key of an item of the unit, for messages and for reading it again.
    table: Table = field(compare=False)
    key: Item = field(compare=False)
    group: Any = field(default=None, compare=False)


def unit_hash(unit: Unit) -> int:
    """Return a hash of a unit; Python has the same one for the groups -1 and -2."""
    return hash((unit, repr(unit.id)))


@dataclass(frozen=True, slots=True)
class Member:
    """An old item of a unit, or only the key of a missing item that a merge reads."""

    model: Model
    key: Item
    item: Item | None


@dataclass(frozen=True, slots=True)
class DerivedItem:
    """A new item, and the values of its entity."""

    model: Model
    values: Mapping[str, object]
    item: Item


class Derivation:
    """Rules, and the tables that they read and write.

    `context` has the names of the tables for requests. `moment` is the time that new items get as
    `created()` or `updated()` if their function does not set it: always the same one, so that an
    item that is derived twice is the same twice. Rules that write several tables are a derivation
    for each of them, which skips the entities of the `others`. With `skip_failures` nothing is
    derived from an item for which a rule fails, and `skipped` has the reason.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        target: Table,
        context: Context,
        moment: datetime,
        others: Collection[Table] = (),
        *,
        skip_failures: bool = False,
    ) -> None:
        self.rules = tuple(rules)
        self.sources = source_tables(rules)
        self.target = target
        self.context = context
        # The entities that were derived up to now, and those from which something was, by name.
        self.derived: set[str] = set()
        self.used: set[str] = set()
        # The reasons by key, of the first items that were skipped.
        self.skipped: dict[str, str] = {}
        self._skips = skip_failures
        self._moment = moment
        self._others = others
        self._encrypted = {
            name for entity in target.entities for name in model_of(entity).encrypted
        }
        self._models = {
            table: [
                (number, model_of(entity))
                for number, rule in enumerate(self.rules)
                for entity in rule.entities
                if model_of(entity).table is table
            ]
            for table in self.sources
        }
        self._unchanged = {
            rule.table: number
            for number, rule in enumerate(self.rules)
            if isinstance(rule, UnchangedRule)
        }

    def unit_of(self, table: Table, item: Item) -> Unit | None:
        """Return the unit of an old item, or None if nothing is derived from the item.

        Raises TransformFailed if no rule takes the item, or if its group cannot be determined.
        """
        if is_state_item(item):
            return None
        with self._skip():
            return self._find_unit(table, item)
        return None

    def _find_unit(self, table: Table, item: Item) -> Unit | None:
        key = item_key(table, item)
        for number, model in self._models[table]:
            if self.takes(model, item):
                return self._unit(number, table, key, model, item)
        if table in self._unchanged:
            return Unit(self._unchanged[table], self._id(table, key), table, key)
        if marker_owner(table, item) is not None:
            return None
        reason = "no rule takes this item. Add each(…) or leave_out(…) for its entity."
        raise transform_failed(key, reason)

    def takes(self, model: Model, item: Item) -> bool:
        """Return whether an item is one of an old entity."""
        return model.matches(item)

    def _unit(self, number: int, table: Table, key: Item, model: Model, item: Item) -> Unit | None:
        rule = self.rules[number]
        if isinstance(rule, LeaveOutRule):
            return None
        if not isinstance(rule, MergeRule):
            return Unit(number, self._id(table, key), table, key)
        part = next(one for one in rule.parts if one.entity is model.entity)
        with _failures(key):
            group = part.group(decode_item(model, item))
            hash(group)
        return Unit(number, group, table, key, group)

    def _id(self, table: Table, key: Item) -> ItemId:
        return item_id(self.context.table_name(table), key)

    def is_copy(self, item: Item, entities: Collection[str]) -> bool:
        """Return whether an item of the target is of these entities, or a marker of their values.

        With `unchanged(…)`, every item is.
        """
        if is_state_item(item):
            return False
        models = [model_of(entity) for entity in self.target.entities]
        found = next((model for model in models if model.matches(item)), None)
        if found is None:
            found = marker_owner(self.target, item)
        return bool(self._unchanged) or (found is not None and found.name in entities)

    # Read

    def read(self, units: Sequence[Unit]) -> Steps[dict[Unit, Source]]:
        """Read the stored items of each unit consistently."""
        keys = {
            self._id(unit.table, unit.key): unit.key
            for unit in units
            if not isinstance(self.rules[unit.rule], MergeRule)
        }
        tables = {self.context.table_name(table): table for table in self.sources}
        items = yield from get_items(self.context, tables, keys, consistent=True)
        sources: dict[Unit, Source] = {}
        for unit in units:
            if isinstance(self.rules[unit.rule], MergeRule):
                sources[unit] = yield from self._read_group(unit)
            else:
                item = items.get(self._id(unit.table, unit.key))
                # The item may have become one of another rule, or of none.
                is_same = item is not None and self.unit_of(unit.table, item) == unit
                sources[unit] = [item] if is_same else []
        return sources

    def _read_group(self, unit: Unit) -> Steps[Source]:
        members = yield from self.read_members(unit)
        found: Source = []
        for member in members:
            if member.item is not None:
                with self._skip(), _failures(member.key):
                    found.append(decode_item(member.model, member.item))
        return found

    def read_members(self, unit: Unit) -> Steps[list[Member]]:
        """Return the old items of a group as they are stored now, by part."""
        rule = self.rules[unit.rule]
        assert isinstance(rule, MergeRule)
        members: list[Member] = []
        for part in rule.parts:
            with _failures(unit.key):
                place = part.read(unit.group)
            if isinstance(place, ItemKey):
                id_ = self._id(place.model.table, place.key)
                tables = {id_[0]: place.model.table}
                items = yield from get_items(
                    self.context, tables, {id_: place.key}, consistent=True
                )
                members.append(Member(place.model, place.key, items.get(id_)))
                continue
            with _failures(unit.key):
                query: ItemQuery[Any] = ItemQuery(self.context, place, consistent=True)
            while found := (yield from query.next_items(None)):
                members += [
                    Member(query.model, key_attributes(query.model, item), item) for item in found
                ]
        return members

    # Derive

    def targets(self, unit: Unit, source: Source) -> Targets:
        """Return the new items that are derived from the stored items of a unit.

        Raises TransformFailed with the key of the old item.
        """
        if not source:
            return {}
        with self._skip(), _failures(unit.key):
            return self._derive_targets(unit, source)
        return {}

    def _derive_targets(self, unit: Unit, source: Source) -> Targets:
        if isinstance(self.rules[unit.rule], UnchangedRule):
            return {self._id(self.target, self.key_of(source[0])): source[0]}
        targets: Targets = {}
        for derived in self.derive(unit, source):
            for item in (derived.item, *self._markers(derived)):
                key = self.key_of(item)
                if targets.setdefault(self._id(self.target, key), item) != item:
                    raise InvalidValue(f"two of its new items have the key {key_text(key)}.")
        if targets:
            self.used.update(one.__name__ for one in self.rules[unit.rule].entities)
        return targets

    @contextmanager
    def _skip(self) -> Generator[None]:
        """Record failures instead of raising them, if they are to be skipped."""
        try:
            yield
        except TransformFailed as error:
            if not self._skips:
                raise
            for key, reason in error.failures:
                if len(self.skipped) < _MAX_SKIPPED:
                    self.skipped[key_text(key)] = reason

    def derive(self, unit: Unit, source: Source) -> list[DerivedItem]:
        """Return the new items that are derived from old ones, without markers."""
        rule = self.rules[unit.rule]
        with _failures(unit.key):
            if isinstance(rule, EachRule):
                derived = rule.function(decode_item(model_of(rule.entity), source[0]))
            else:
                assert isinstance(rule, MergeRule)
                derived = rule.into(list(source))
            return [
                self._derived_item(entity)
                for entity in entities_of(derived)
                if not self._others or _table_of(entity) not in self._others
            ]

    def key_of(self, item: Item) -> Item:
        """Return the key of a new item."""
        try:
            return item_key(self.target, item)
        except KeyError as error:
            raise InvalidValue(f"the new item has no attribute {error}.") from None

    def _derived_item(self, entity: object) -> DerivedItem:
        model = self.model_of_new(entity)
        self.derived.add(model.name)
        own = cast("dict[str, object]", vars(entity))
        values = {**own, **self._stamps(model, own)}
        model.codec.check(values)
        return DerivedItem(model, values, model.item(values))

    def model_of_new(self, entity: object) -> Model:
        """Return the model of a new entity; raise InvalidValue if it is not in the target."""
        if not _is_entity(entity):
            raise InvalidValue(f"expected entities of {self.target!r} or None, but got {entity!r}.")
        model = model_of(type(entity))
        if not self.is_target(model.table):
            raise InvalidValue(
                f"expected entities of {self.target!r}, but {model.name} is in {model.table!r}."
            )
        return model

    def is_target(self, table: Table) -> bool:
        """Return whether new items may be in this table."""
        return table is self.target

    def _markers(self, derived: DerivedItem) -> Iterator[Item]:
        """Yield the markers of the unique values of a new item."""
        key = self.key_of(derived.item)
        for marker in derived.model.uniques.values():
            marker_key = marker.key(derived.values)
            if marker_key is not None:
                yield marker.item(marker_key, key, derived.item)

    def _stamps(self, model: Model, values: Mapping[str, object]) -> dict[str, object]:
        """Return the version and timestamps that the function has not set."""
        stamps: dict[str, object] = {}
        for role, one in model.roles.items():
            if values.get(one.name):
                continue
            if role == "version":
                stamps[one.name] = 1
            elif role in ("created", "updated"):
                stamps[one.name] = one.codec().decode(one.codec().encode(self._moment))
        return stamps

    # Write

    def write(self, targets: Targets, stale: Mapping[ItemId, Item] | None = None) -> Steps[None]:
        """Put the targets, and delete stored ones that are not derived any more."""
        requests = {
            id_: WriteRequest(delete_request=DeleteRequest(self.key_of(item)))
            for id_, item in (stale or {}).items()
        }
        requests |= {id_: WriteRequest(PutRequest(item)) for id_, item in targets.items()}
        yield from write_batches(self.context, requests)

    def carry_over(
        self,
        units: Mapping[Unit, Iterable[Source]],
        check: Callable[[Mapping[Unit, Targets]], Steps[None]] | None = None,
        *,
        once: bool = False,
    ) -> Steps[int]:
        """Derive units from the stored items, and return the number of written targets.

        Each unit comes with older states of it: targets that are derived from them, but not from
        the current state, are deleted. Before targets are written, `check` is called with them.
        With `once` they are not read again: what changes meanwhile comes later in the change log.
        """
        stale = {unit: self._older_targets(unit, older) for unit, older in units.items()}
        written = 0
        waiting = list(units)
        sources = yield from self.read(waiting)
        for _ in range(_MAX_ATTEMPTS):
            derived = {unit: self.targets(unit, sources[unit]) for unit in waiting}
            if check is not None:
                yield from check(derived)
            targets: Targets = {}
            removed: dict[ItemId, list[Item | None]] = {}
            for unit in waiting:
                targets |= derived[unit]
                # The older states of a group are known as far as its members changed.
                is_exact = not isinstance(self.rules[unit.rule], MergeRule)
                for id_, images in stale[unit].items():
                    removed.setdefault(id_, []).extend(images if is_exact else [*images, None])
            yield from self._delete_stale(
                {id_: removed[id_] for id_ in removed.keys() - targets.keys()}
            )
            yield from self.write(targets)
            written += len(targets)
            # Another process may have written a target from an older state in the meantime.
            current = sources if once else (yield from self.read(waiting))
            waiting = [unit for unit in waiting if current[unit] != sources[unit]]
            if not waiting:
                return written
            for unit in waiting:
                for id_, item in derived[unit].items():
                    stale[unit].setdefault(id_, []).append(item)
            sources = current
        raise MigrationError(
            f"{key_text(waiting[0].key)} changed {_MAX_ATTEMPTS} times while it was copied. Run "
            "the migration again when it changes less often."
        )

    def _older_targets(self, unit: Unit, older: Iterable[Source]) -> dict[ItemId, list[Item]]:
        """Return earlier versions of a target, derived from older states of its unit."""
        found: dict[ItemId, list[Item]] = {}
        for source in older:
            for id_, item in self._targets_or_none(unit, source).items():
                found.setdefault(id_, []).append(item)
        return found

    def _delete_stale(self, images: Mapping[ItemId, Sequence[Item | None]]) -> Steps[None]:
        """Delete targets that are derived no longer, if they are what was derived before.

        Another unit may have taken over the key, such as the e-mail address of a deleted user.
        None among the images stands for any.
        """
        if not images:
            return
        name = self.context.table_name(self.target)
        keys = {id_: self.key_of(found[0] or {}) for id_, found in images.items()}
        stored = yield from get_items(self.context, {name: self.target}, keys, consistent=True)
        stale = {
            id_: item
            for id_, item in stored.items()
            if any(image is None or self.is_same(item, image) for image in images[id_])
        }
        yield from self.write({}, stale)

    def missing(self, targets: Targets) -> Steps[list[Item]]:
        """Return the keys of targets that are missing in the table or differ from it."""
        name = self.context.table_name(self.target)
        keys = {id_: self.key_of(item) for id_, item in targets.items()}
        stored = yield from get_items(self.context, {name: self.target}, keys, consistent=True)
        return [
            keys[id_]
            for id_, item in targets.items()
            if id_ not in stored or not self.is_same(stored[id_], item)
        ]

    def is_same(self, item: Item, other: Item) -> bool:
        """Return whether two new items are equal, apart from encrypted attributes."""
        return item.keys() == other.keys() and all(
            name in self._encrypted or _is_equal(value, other[name]) for name, value in item.items()
        )

    def _targets_or_none(self, unit: Unit, source: Source) -> Targets:
        """Return the targets of an older state; none if they could not be derived then, either."""
        try:
            return self.targets(unit, source)
        except TransformFailed:
            return {}


def marker_owner(table: Table, item: Item) -> Model | None:
    """Return the entity that a marker of a unique value belongs to; None for other items."""
    if f"{OWNER}{table.pk.name}" not in item:
        return None
    for entity in table.entities:
        model = model_of(entity)
        if any(marker.access.parse(item) is not None for marker in model.uniques.values()):
            return model
    return None


def entities_of(derived: object) -> list[Any]:
    """Return the result of a rule's function as a list of entities."""
    if derived is None:
        return []
    if not _is_entity(derived) and hasattr(derived, "__iter__"):
        return list(cast("Iterable[Any]", derived))
    return [derived]


def _is_entity(value: object) -> bool:
    try:
        model_of(type(value))
    except SingleTableError:
        return False
    return True


def _table_of(entity: object) -> Table | None:
    return model_of(type(entity)).table if _is_entity(entity) else None


@contextmanager
def _failures(key: Key) -> Generator[None]:
    """Convert errors of a rule's function to TransformFailed with the key of the old item."""
    try:
        yield
    except TransformFailed:
        raise
    except Exception as error:
        raise failure_of(key, error) from error


def failure_of(key: Key, error: Exception) -> TransformFailed:
    """Return TransformFailed for an error at an item with this key."""
    if isinstance(error, TransformFailed):
        return error
    text = str(error)
    name = "" if isinstance(error, SingleTableError) else f"{type(error).__name__}: "
    return transform_failed(key, f"{name}{text}" if text else type(error).__name__)


def transform_failed(key: Key, reason: str) -> TransformFailed:
    """Return the error for one item."""
    return TransformFailed(f"{key_text(key)}: {reason}", [(key, reason)])


def item_key(table: Table, item: Item) -> Item:
    """Return the key attributes of a stored item."""
    return {one.name: item[one.name] for one in table.key_attributes}


def key_text(key: Key) -> str:
    """Return a key as text for messages: `PK=USER#alice SK=PROFILE`."""
    return " ".join(f"{name}={next(iter(value.values()))}" for name, value in key.items())


def _is_equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Return whether two values are equal; the order of a set does not matter."""
    return left == right or check_value(left)[0] == check_value(right)[0]
