"""Create and drop tables and global indexes, and wait until DynamoDB has done it.

Each step looks at the table first, so it can be repeated: what is as declared already is left
alone. DynamoDB adds one index at a time, and fills it in the background.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from typing_extensions import override

from dynamodb_engine import operations as ops
from dynamodb_engine.values import Item, item_size
from singletable.errors import DeclarationError, MigrationError
from singletable.migration.derivation import item_key
from singletable.migration.environment import Environment
from singletable.migration.rules import check_table
from singletable.migration.scan import first_item, scan_pages
from singletable.migration.step import CopiedTables, Step
from singletable.migration.trial import ConsumedUnits
from singletable.migration.verification import (
    Fault,
    FaultKind,
    Verification,
    VerifySettings,
    look_again,
)
from singletable.schema import Index, Table, create_operation, table_from_description
from singletable.store.admin import create_table
from singletable.store.writes import ItemId, item_id

POLL_SECONDS = 1.0
WRITE_BLOCK = 1024


class _TableStep(Step):
    """A step that reads and writes no items."""

    __slots__ = ()
    table: Table

    def __post_init__(self) -> None:
        check_table(type(self).__name__, self.table)

    @property
    @override
    def read_tables(self) -> list[Table]:
        return []


@dataclass(frozen=True, slots=True)
class CreateTable(_TableStep):
    """Create a declared table. Going down drops it, if it is empty."""

    locks = "Nothing."
    creates = True
    _undone_by = "`down` drops the table if it is empty."

    table: Table

    @override
    def run(self, env: Environment) -> None:
        table = self.table
        while (described := env.describe(table)) and described.table_status == "DELETING":
            env.sleep(POLL_SECONDS)
        if described is None:
            env.run(create_table(env.context, table, if_missing=True))
            return
        # If it is the table for the state of the migration, there is no lease to renew yet.
        wait_until_active(env, table, f"table {table.name}", renew=not _has_state(env, table))
        ttl = _ttl(env, table)
        if ttl is None and table.ttl is not None:
            # An earlier run was interrupted between the two requests.
            ttl = table.ttl
            enabled = ops.TimeToLiveSpecification(enabled=True, attribute_name=ttl)
            env.send(ops.UpdateTimeToLive(env.table_name(table), enabled))
        if different := _differences(table, described, ttl):
            raise MigrationError(
                f"CreateTable: {table!r} exists already, but {'; '.join(different)}. Give the new "
                "table another name, or correct the declaration."
            )

    @override
    def undo(self, env: Environment) -> None:
        table = self.table
        if env.describe(table) is None:
            return
        if (item := first_item(env, table)) is not None:
            raise MigrationError(
                f"CreateTable cannot be undone: {table!r} has items, such as "
                f"{item_key(table, item)}. Delete them, or keep the table."
            )
        if not _has_state(env, table):
            _delete_table(env, table)
            return
        note = "kept, because it has the state of migrations"
        env.progress(f"table {table.name}", 0, note=note)

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        if env.describe(self.table) is None:
            report.add(Fault("missing", {}, f"table {self.table.name} does not exist"))


@dataclass(frozen=True, slots=True)
class DropTable(_TableStep):
    """Delete a table with all its items. Cannot be undone."""

    locks = "Nothing, but requests to the table fail afterwards."
    drops = True
    _irreversible = "all items of the table are deleted."

    table: Table

    @override
    def run(self, env: Environment) -> None:
        table = self.table
        described = env.describe(table)
        if described is None:
            return
        if _has_state(env, table):
            raise MigrationError(
                f"DropTable: the state of this migration is stored in {table!r}. Delete the table "
                "outside of a migration."
            )
        if described.deletion_protection_enabled:
            raise MigrationError(
                f"DropTable: {table!r} is protected from deletion. Turn that off with UpdateTable "
                "(DeletionProtectionEnabled) if its items are really not needed, and run again."
            )
        _delete_table(env, table)

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        if env.describe(self.table) is not None:
            report.add(Fault("extra", {}, f"table {self.table.name} exists"))


@dataclass(frozen=True, slots=True)
class DropIndex(_TableStep):
    """Remove a global index. Going down adds it again, if the table still declares it."""

    locks = "Nothing, but queries of the index fail afterwards."
    _undone_by = "`down` adds the index again, if it is still declared; DynamoDB fills it again."

    table: Table
    index: str

    @override
    def run(self, env: Environment) -> None:
        _drop_index(env, self.table, self.index)

    @override
    def undo(self, env: Environment) -> None:
        _add_index(env, self.table, self.index)

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        if _index_status(env, self.table, self.index) is not None:
            text = f"index {self.index} of {self.table.name} exists"
            report.add(Fault("extra", {}, text))


@dataclass(frozen=True, slots=True)
class AddIndex(Step):
    """Add a declared global index and wait until DynamoDB has filled it."""

    locks = "Nothing. Reads and writes go on while DynamoDB fills the index."
    changes_items = False
    _undone_by = "`down` removes the index."
    written = "one write unit per KB of each index entry, from {sample}; DynamoDB writes them"

    table: Table
    index: str

    def __post_init__(self) -> None:
        check_table("AddIndex", self.table)
        names = [one.name for one in self.table.indexes if not one.local]
        if self.index not in names:
            raise DeclarationError(
                f"AddIndex(…): {self.table!r} declares no global index {self.index!r}. Its global "
                f"indexes: {', '.join(names) or 'none'}."
            )

    @override
    def run(self, env: Environment) -> None:
        _add_index(env, self.table, self.index)

    @override
    def undo(self, env: Environment) -> None:
        _drop_index(env, self.table, self.index)

    @property
    def _declared(self) -> Index:
        return next(one for one in self.table.indexes if one.name == self.index)

    @override
    def is_about(self, item: Item) -> bool:
        index = self._declared
        return all(one.type in item.get(one.name, {}) for one in (*index.pk, *index.sk))

    @override
    def written_units(self, copies: CopiedTables, units: ConsumedUnits, factor: float) -> float:
        return factor * sum(map(self._entry_units, copies.items(self.table, "target")))

    def _entry_units(self, item: Item) -> int:
        """Return the write units of an item's entry in the index; 0 if it is not in it."""
        if not self.is_about(item):
            return 0
        index, entry = self._declared, item
        if index.projection != "ALL":
            names = {one.name for one in (*index.pk, *index.sk, *self.table.key_attributes)}
            if index.projection != "KEYS_ONLY":
                names.update(index.projection)
            entry = {name: value for name, value in item.items() if name in names}
        return max(-(-item_size(entry) // WRITE_BLOCK), 1)

    @override
    def verify(self, env: Environment, report: Verification, settings: VerifySettings) -> None:
        status = _index_status(env, self.table, self.index)
        if status != "ACTIVE":
            state = "does not exist" if status is None else f"is {status}"
            text = f"index {self.index} of {self.table.name} {state}"
            report.add(Fault("missing", {}, text))
            return
        # An index is eventually consistent.
        for fault in look_again(env, report, lambda: self._faults(env, report)).values():
            report.add(fault)

    def _faults(self, env: Environment, report: Verification) -> dict[ItemId, Fault]:
        """Compare the items that have the keys of the index with its entries."""
        name = f"{self.table.name}.{self.index}"
        expected = self._keys(scan_pages(env, self.table))
        stored = self._keys(scan_pages(env, self.table, index=self.index))
        report.expected[name], report.stored[name] = len(expected), len(stored)
        texts: dict[FaultKind, str] = {
            "extra": f"is in index {self.index}, but does not belong there",
            "missing": f"is not in index {self.index}",
        }
        faults: dict[ItemId, Fault] = {}
        for id_, key in (expected | stored).items():
            if (id_ in expected) != (id_ in stored):
                kind: FaultKind = "missing" if id_ in expected else "extra"
                faults[id_] = Fault(kind, key, texts[kind])
        return faults

    def _keys(self, pages: Iterable[list[Item]]) -> dict[ItemId, Item]:
        """Return the keys of the items that have the keys of the index."""
        keys = [
            item_key(self.table, item) for page in pages for item in page if self.is_about(item)
        ]
        return {item_id(self.table.name, key): key for key in keys}


# Tables


def _existing(env: Environment, table: Table) -> ops.TableDescription:
    described = env.describe(table)
    if described is None:
        raise MigrationError(
            f"{table!r} does not exist at this address. Create it before: CreateTable({table!r})."
        )
    return described


def _ttl(env: Environment, table: Table) -> str | None:
    output = env.send(ops.DescribeTimeToLive(env.table_name(table)))
    ttl = output.time_to_live_description
    return ttl.attribute_name if ttl.time_to_live_status in ("ENABLED", "ENABLING") else None


def _differences(declared: Table, described: ops.TableDescription, ttl: str | None) -> list[str]:
    """Return in which ways a table is not as declared; its capacity does not matter."""
    actual = table_from_description(described, ttl)
    different: list[str] = []
    if declared.key_attributes != actual.key_attributes:
        names = [
            ", ".join(one.name for one in table.key_attributes) for table in (declared, actual)
        ]
        different.append(f"its key is {names[1]}, not {names[0]}, or has another type")
    if declared.ttl != actual.ttl:
        different.append(f"its TTL attribute is {actual.ttl}, not {declared.ttl}")
    wanted = {index.name: _shape(index) for index in declared.indexes}
    found = {index.name: _shape(index) for index in actual.indexes}
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            state = (
                "is missing"
                if name not in found
                else "is not as declared"
                if name in wanted
                else "is not declared"
            )
            different.append(f"its index {name} {state}")
    return different


def _delete_table(env: Environment, table: Table) -> None:
    wait_until_active(env, table, f"table {table.name}")
    env.send(ops.DeleteTable(env.table_name(table)))
    while env.describe(table) is not None:
        _pause(env)


def _has_state(env: Environment, table: Table) -> bool:
    return env.states.table_name == env.table_name(table)


# Indexes


def _index_status(env: Environment, table: Table, name: str) -> str | None:
    """Return the status of an index; None if it does not exist."""
    described = env.describe(table)
    indexes = [] if described is None else described.global_secondary_indexes or []
    return {one.index_name: one.index_status for one in indexes}.get(name)


def _add_index(env: Environment, table: Table, name: str) -> None:
    declared = next((one for one in table.indexes if one.name == name and not one.local), None)
    if declared is None:
        raise MigrationError(f"{table!r} no longer declares the index {name}. Declare it again.")
    described = wait_until_active(env, table, f"index {name}")
    actual = {one.name: one for one in table_from_description(described, None).indexes}.get(name)
    if actual is not None:
        if _shape(actual) != _shape(declared):
            raise MigrationError(
                f"AddIndex: {table!r} has an index {name} already, with {_text(actual)}; declared "
                f"is {_text(declared)}. An index cannot be changed: declare the new one under "
                "another name, and drop this one when nothing reads it."
            )
        return
    action = next(
        one
        for one in create_operation(table).global_secondary_indexes or ()
        if one.index_name == name
    )
    create = ops.CreateGlobalSecondaryIndexAction(
        name, action.key_schema, action.projection, _throughput(described)
    )
    names = {one.name: one for one in (*declared.pk, *declared.sk)}
    update = ops.UpdateTable(
        env.table_name(table),
        attribute_definitions=[
            ops.AttributeDefinition(one.name, one.type) for one in names.values()
        ],
        global_secondary_index_updates=[ops.GlobalSecondaryIndexUpdate(create=create)],
    )
    env.send(update)
    wait_until_active(env, table, f"index {name}")


def _drop_index(env: Environment, table: Table, name: str) -> None:
    described = wait_until_active(env, table, f"index {name}")
    if name not in [one.index_name for one in described.global_secondary_indexes or ()]:
        return
    update = ops.UpdateTable(
        env.table_name(table),
        global_secondary_index_updates=[
            ops.GlobalSecondaryIndexUpdate(delete=ops.DeleteGlobalSecondaryIndexAction(name))
        ],
    )
    env.send(update)
    wait_until_active(env, table, f"index {name}")


def _throughput(described: ops.TableDescription) -> ops.ProvisionedThroughput | None:
    """Return the capacity of a new index: that of its table, unless it is on demand."""
    capacity = table_from_description(described, None).capacity
    return None if capacity is None else ops.ProvisionedThroughput(capacity.read, capacity.write)


def _shape(index: Index) -> tuple[object, ...]:
    """Return what makes two indexes the same."""
    projection = index.projection
    listed = projection if isinstance(projection, str) else frozenset(projection)
    return index.local, index.pk, index.sk, listed


def _text(index: Index) -> str:
    keys = ", ".join(f"{one.name} ({one.type})" for one in (*index.pk, *index.sk))
    projection = index.projection
    listed = projection if isinstance(projection, str) else ", ".join(projection)
    return f"the {'local ' if index.local else ''}key {keys} and the projection {listed}"


def wait_until_active(
    env: Environment, table: Table, what: str, *, renew: bool = True
) -> ops.TableDescription:
    """Wait until the table and all its indexes are active, and return the description."""
    while True:
        described = _existing(env, table)
        indexes = described.global_secondary_indexes or ()
        changing = [one for one in indexes if one.index_status != "ACTIVE" or one.backfilling]
        if described.table_status == "ACTIVE" and not changing:
            return described
        done = changing[0].item_count if changing else 0
        env.progress(what, done, described.item_count or None, "waiting for DynamoDB")
        _pause(env, renew=renew)


def _pause(env: Environment, *, renew: bool = True) -> None:
    env.sleep(POLL_SECONDS)
    if renew:
        env.checkpoint()  # renews the lease
