"""Write the markers of a unique constraint for items that are older than the constraint.

First all items are read. If several have one value, or the marker of a value names another owner,
all of them are reported and nothing is written. To compare many items in little memory, only hashes
are kept; items with equal hashes are read again. Then the missing markers are written, each in a
transaction that checks that the item still has the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, TypeAlias

from typing_extensions import override

from dynamodb_engine.operations import DeleteRequest, WriteRequest
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import TransformFailed
from singletable.migration.derivation import Key, item_key, key_text
from singletable.migration.environment import Environment
from singletable.migration.live_table import (
    EntityStep,
    Failures,
    ReadGuard,
    decode_values,
    scan_in_place,
)
from singletable.migration.rules import check_member
from singletable.migration.scan import scan_pages
from singletable.migration.verification import LOOKS, Fault, Verification, VerifySettings
from singletable.schema import Model, UniqueConstraint, model_of
from singletable.schema.unique import OWNER
from singletable.store.batch import get_items, write_batches
from singletable.store.bulk import BulkChange, commit_changes
from singletable.store.context import Context
from singletable.store.decoder import decode_fields
from singletable.store.plan import Plan, key_attributes
from singletable.store.side_writes import marker_fields, plan_side_writes
from singletable.store.ttl import is_expired
from singletable.store.write_errors import caller_condition_failed
from singletable.store.writes import ItemId, Write, item_id

MAX_SHOWN_GROUPS = 20

# The key of a marker, the key of its owner, and the owner's values; a marker does not tell them.
Claim: TypeAlias = tuple[Item, Item, Mapping[str, object] | None]


@dataclass(frozen=True, slots=True)
class AddUnique(EntityStep):
    """Write the markers of a unique constraint for existing items.

    All items are read first. If two have the same value, they are reported and nothing is written.
    """

    changes_items = False  # markers are new items
    _undone_by = "`down` deletes the markers."
    _fault = "is a marker that is missing, or names another owner"

    entity: type[Any]
    unique: str

    def __post_init__(self) -> None:
        EntityStep.__post_init__(self)
        check_member("AddUnique", self.entity, self.unique, model_of(self.entity).uniques)

    @override
    def run(self, env: Environment) -> None:
        markers = _Markers(self, env)
        name = f"AddUnique {markers.text}"
        # If markers are being written already, an interrupted run has compared the values.
        if f"{env.state.step} {name}" not in env.state.scans:
            _check_values(env, markers)
        failures = Failures(name)

        def write(items: list[Item]) -> Steps[int]:
            changes = yield from markers.missing(items, failures)
            yield from commit_changes(env.context, changes)
            return sum(change.is_written for change in changes)

        scan_in_place(env, name, markers.model.table, write, failures)

    @override
    def undo(self, env: Environment) -> None:
        markers = _Markers(self, env)

        def delete(items: list[Item]) -> Steps[int]:
            keys = [key_attributes(markers.model, item) for item in items if markers.owner(item)]
            requests = {
                item_id(markers.table, key): WriteRequest(delete_request=DeleteRequest(key))
                for key in keys
            }
            yield from write_batches(env.context, requests)
            return len(requests)

        name = f"Undo AddUnique {markers.text}"
        scan_in_place(env, name, markers.model.table, delete, Failures(name))

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        EntityStep.verify(self, env, report, settings)
        markers = _Markers(self, env)
        suspects: dict[ItemId, Item] = {}
        for page in scan_pages(env, markers.model.table):
            found = markers.with_owner(page)
            report.stored[markers.text] += len(found)
            suspects |= markers.orphans(env, found)
        report.suspects += len(suspects)
        for seconds in LOOKS:
            if suspects:
                env.sleep(seconds)
                stored = env.run(markers.read(suspects))
                suspects = markers.orphans(env, markers.with_owner(stored.values()))
        for key in suspects.values():
            report.add(Fault("extra", key, "is a marker, but its owner does not have its value"))


class _Markers:
    """The markers of one constraint, and the items that own them."""

    def __init__(self, step: AddUnique, env: Environment) -> None:
        self.context = env.context
        self.model: Model = model_of(step.entity)
        self.constraint: UniqueConstraint = self.model.uniques[step.unique]
        self.text = f"{self.model.name}.{step.unique}"
        self.table = env.table_name(self.model.table)
        self._guard = ReadGuard(self.model)

    def owner(self, item: Item) -> Item | None:
        """Return the key of the owner that a marker names; None if the item is not a marker."""
        keys = self.model.table.key_attributes
        if any(f"{OWNER}{one.name}" not in item for one in keys):
            return None
        if self.constraint.access.parse(item) is None:
            return None
        owner = {one.name: item[f"{OWNER}{one.name}"] for one in keys}
        return owner if self.model.parse_key(owner) is not None else None

    def with_owner(self, items: Iterable[Item]) -> dict[ItemId, tuple[Item, Item]]:
        """Return the markers among items that are in use: their keys, and those of their owners."""
        return {
            item_id(self.table, key): (key, owner)
            for item in items
            if (owner := self.constraint.owner(item))
            and set(owner) == {one.name for one in self.model.table.key_attributes}
            and self.constraint.access.parse(item) is not None
            and (key := item_key(self.model.table, item))
        }

    def read(self, keys: Mapping[ItemId, Item]) -> Steps[dict[ItemId, Item]]:
        """Return the stored items with these keys, read consistently."""
        tables = {self.table: self.model.table}
        return (yield from get_items(self.context, tables, keys, consistent=True))

    def orphans(
        self, env: Environment, markers: Mapping[ItemId, tuple[Item, Item]]
    ) -> dict[ItemId, Item]:
        """Return the keys of markers with an owner that does not have the value."""
        owners = {item_id(self.table, owner): owner for _, owner in markers.values()}
        stored = env.run(self.read(owners))
        orphans: dict[ItemId, Item] = {}
        for id_, (key, owner) in markers.items():
            holder = stored.get(item_id(self.table, owner))
            value = None
            if holder is not None and self.model.matches(holder):
                fields = decode_fields(self.model, holder, self.constraint.fields)
                value = self.constraint.key(fields)
            if value is None or item_id(self.table, value) != id_:
                orphans[id_] = key
        return orphans

    def values(self, item: Item) -> dict[str, object] | None:
        """Return the values of an item of the entity; None if it is another one, or expired."""
        if not self.model.matches(item) or is_expired(self.model, item, self.context.clock()):
            return None
        return decode_values(self.model, item)

    def claims(self, items: list[Item], failures: Failures) -> Iterator[Claim]:
        """Yield the markers that items need, or are."""
        for item in items:
            key = key_attributes(self.model, item)
            try:
                values = self.values(item)
                marker = None if values is None else self.constraint.key(values)
            except Exception as error:
                failures.add_error(key, error)
                continue
            if marker is not None:
                yield marker, key, values
                continue
            owner = self.owner(item) if values is None else None
            if owner is not None and not is_expired(self.model, item, self.context.clock()):
                yield key, owner, None

    def plan(self, context: Context, item: Item) -> Plan | None:
        """Plan to write the marker of an item, if it still is what was read."""
        values = self.values(item)
        marker = None if values is None else self.constraint.key(values)
        if values is None or marker is None:
            return None
        key, new = key_attributes(self.model, item), self.model.item(values)
        check = Write(
            "check",
            self.table,
            key,
            caller_condition_failed(self.model, key),
            guard=self._guard.unchanged(item),
        )
        edited = marker_fields(self.model, self.constraint)
        puts = plan_side_writes(context, self.model, key, new, new, context.clock(), edited)
        return Plan([check, *(put for put in puts if put.key == marker)], {})

    def missing(self, items: list[Item], failures: Failures) -> Steps[list[_ClaimedValue]]:
        """Return the changes that write the markers which the items need and do not have."""
        now = self.context.clock()
        context = replace(self.context, clock=lambda: now)
        plans: list[Plan] = []
        for item in items:
            try:
                plan = self.plan(context, item)
            except Exception as error:
                failures.add_error(key_attributes(self.model, item), error)
            else:
                plans += [] if plan is None else [plan]
        keys = {plan.writes[1].item_id: plan.writes[1].key for plan in plans}
        stored = yield from self.read(keys)
        return [
            _ClaimedValue(self, context, plan, failures)
            for plan in plans
            if not _is_correct(plan.writes[1], stored.get(plan.writes[1].item_id))
        ]


def _is_correct(put: Write, stored: Item | None) -> bool:
    """Return whether a marker is stored already; other programs may have added attributes."""
    if stored is None or put.item is None:
        return False
    return all(stored.get(name) == value for name, value in put.item.items())


class _ClaimedValue(BulkChange):
    """A marker to write, on the condition that its owner is what was read."""

    def __init__(self, markers: _Markers, context: Context, plan: Plan, failures: Failures) -> None:
        self.markers = markers
        self.context = context
        self.plan = plan
        self.failures = failures
        self.is_written = False

    def resolve(self, write: Write, stored: Item | None) -> Plan | None:
        """Plan again with the item as it is now, or report that another owns the value."""
        if write.kind == "check":
            return None if stored is None else self.markers.plan(self.context, stored)
        owner = None if stored is None else self.markers.owner(stored)
        other = "another item" if owner is None else key_text(owner)
        self.failures.add(self.plan.writes[0].key, f"{other} has got the same value meanwhile.")
        return None

    def finish(self) -> None:
        """Count the marker."""
        self.is_written = True


# Compare all values


@dataclass
class _Group:
    """The items that have one value, and the value as they write it."""

    owners: dict[ItemId, Item] = field(default_factory=dict[ItemId, Item])
    texts: set[str] = field(default_factory=set[str])


def _check_values(env: Environment, markers: _Markers) -> None:
    """Raise TransformFailed if a value has several owners."""
    owners: dict[int, int] = {}
    suspects: set[int] = set()

    def compare(claim: Claim) -> None:
        marker = hash(item_id(markers.table, claim[0]))
        owner = hash(item_id(markers.table, claim[1]))
        if owners.setdefault(marker, owner) != owner:
            suspects.add(marker)

    _read_claims(env, markers, "compare", compare)
    owners.clear()
    if not suspects:
        return
    groups: dict[ItemId, _Group] = {}

    def collect(claim: Claim) -> None:
        marker, owner, values = claim
        id_ = item_id(markers.table, marker)
        if hash(id_) in suspects:
            group = groups.setdefault(id_, _Group())
            group.owners[item_id(markers.table, owner)] = owner
            if values is not None:
                texts = [repr(values[name]) for name in markers.constraint.fields]
                group.texts.add(" and ".join(texts))

    _read_claims(env, markers, "compare again", collect)
    violations = [group for group in groups.values() if len(group.owners) > 1]
    if violations:
        raise _not_unique(markers, violations)


def _read_claims(
    env: Environment, markers: _Markers, what: str, use: Callable[[Claim], None]
) -> None:
    name = f"AddUnique {markers.text}, {what}"
    failures = Failures(name)
    lock = Lock()

    def read(items: list[Item]) -> Steps[int]:
        with lock:
            for claim in markers.claims(items, failures):
                use(claim)
        return 0
        yield  # a page handler may send requests; this one sends none

    scan_in_place(env, name, markers.model.table, read, failures, writes=False)


def _not_unique(markers: _Markers, violations: Sequence[_Group]) -> TransformFailed:
    fields = " and ".join(markers.constraint.fields)
    failures: list[tuple[Key, str]] = []
    lines: list[str] = []
    for group in sorted(violations, key=lambda one: sorted(one.texts)):
        value = " = ".join(sorted(group.texts))
        owners = "; ".join(sorted(map(key_text, group.owners.values())))
        lines.append(f"  {value}: {owners}")
        failures += [
            (owner, f"has the same {fields} as others: {value}") for owner in group.owners.values()
        ]
    more = len(lines) - MAX_SHOWN_GROUPS
    shown = lines[:MAX_SHOWN_GROUPS] + ([f"  and {more} more"] if more > 0 else [])
    noun = "value has" if len(lines) == 1 else "values have"
    return TransformFailed(
        f"AddUnique {markers.text}: {len(lines)} {noun} several owners. Nothing was written. Give "
        f"each item its own {fields}, and run again.\n" + "\n".join(shown),
        failures,
    )
