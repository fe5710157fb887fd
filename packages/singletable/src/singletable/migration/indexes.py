"""Create and drop tables and global indexes, and wait until DynamoDB has done it.

Each step looks at the table first, so it can be repeated: what is as declared already is left
alone. DynamoDB adds one index at a time, and fills it in the background.
"""

from __future__ import annotations

from singletable.errors import MigrationError, ResourceNotFound
from singletable.migration.environment import Environment
from singletable.migration.state import is_state_item
from singletable.migration.steps import AddIndex, CreateTable, DropIndex, DropTable
from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction,
    DeleteTable,
    DescribeTable,
    DescribeTableOutput,
    DescribeTimeToLive,
    DescribeTimeToLiveOutput,
    GlobalSecondaryIndexUpdate,
    PageOutput,
    ProvisionedThroughput,
    Scan,
    TableDescription,
    TimeToLiveSpecification,
    UpdateTable,
    UpdateTimeToLive,
)
from singletable.retry import send
from singletable.schema import Index, Table, create_operation, table_from_description
from singletable.store.admin import create_table

POLL_SECONDS = 1.0


def run_create_table(step: CreateTable, env: Environment) -> None:
    """Create the table, unless it exists as it is declared."""
    table = step.table
    while (described := _describe(env, table)) and described.table_status == "DELETING":
        env.sleep(POLL_SECONDS)
    if described is None:
        env.run(create_table(env.context, table, if_missing=True))
        return
    # If it is the table for the state of the migration, there is no lease to renew yet.
    _wait(env, table, f"table {table.name}", renew=not _has_state(env, table))
    ttl = _ttl(env, table)
    if ttl is None and table.ttl is not None:
        # An earlier run was interrupted between the two requests.
        _enable_ttl(env, table, table.ttl)
        ttl = table.ttl
    if different := _differences(table, described, ttl):
        raise MigrationError(
            f"CreateTable: {table!r} exists already, but {'; '.join(different)}. Give the new "
            "table another name, or correct the declaration."
        )


def undo_create_table(step: CreateTable, env: Environment) -> None:
    """Drop the table, unless it has items of the application."""
    if _describe(env, step.table) is None:
        return
    if (item := _first_item(env, step.table)) is not None:
        key = {one.name: item[one.name] for one in step.table.key_attributes}
        raise MigrationError(
            f"CreateTable cannot be undone: {step.table!r} has items, such as {key}. Delete them, "
            "or keep the table."
        )
    if not _has_state(env, step.table):
        _delete_table(env, step.table)
        return
    env.progress(f"table {step.table.name}", 0, note="kept, because it has the state of migrations")


def run_drop_table(step: DropTable, env: Environment) -> None:
    """Delete the table with its items, unless it is protected from deletion."""
    described = _describe(env, step.table)
    if described is None:
        return
    if _has_state(env, step.table):
        raise MigrationError(
            f"DropTable: the state of this migration is stored in {step.table!r}. Delete the table "
            "outside of a migration."
        )
    if described.deletion_protection_enabled:
        raise MigrationError(
            f"DropTable: {step.table!r} is protected from deletion. Turn that off with UpdateTable "
            "(DeletionProtectionEnabled) if its items are really not needed, and run again."
        )
    _delete_table(env, step.table)


def run_add_index(step: AddIndex, env: Environment) -> None:
    """Add the index, unless it exists as it is declared, and wait until it is filled."""
    _add_index(env, step.table, step.index)


def undo_add_index(step: AddIndex, env: Environment) -> None:
    """Remove the index."""
    _drop_index(env, step.table, step.index)


def run_drop_index(step: DropIndex, env: Environment) -> None:
    """Remove the index, if it exists."""
    _drop_index(env, step.table, step.index)


def undo_drop_index(step: DropIndex, env: Environment) -> None:
    """Add the index again, if the table declares it."""
    _add_index(env, step.table, step.index)


# Tables


def _describe(env: Environment, table: Table) -> TableDescription | None:
    describe = DescribeTable(env.context.table_name(table))
    try:
        output: DescribeTableOutput = env.run(send(env.context.retry_policy, describe))
    except ResourceNotFound:  # not TableNotFound: DynamoDB Local's error text differs
        return None
    return output.table


def _existing(env: Environment, table: Table) -> TableDescription:
    described = _describe(env, table)
    if described is None:
        raise MigrationError(
            f"{table!r} does not exist at this address. Create it before: CreateTable({table!r})."
        )
    return described


def _ttl(env: Environment, table: Table) -> str | None:
    describe = DescribeTimeToLive(env.context.table_name(table))
    output: DescribeTimeToLiveOutput = env.run(send(env.context.retry_policy, describe))
    ttl = output.time_to_live_description
    return ttl.attribute_name if ttl.time_to_live_status in ("ENABLED", "ENABLING") else None


def _enable_ttl(env: Environment, table: Table, attribute: str) -> None:
    ttl = TimeToLiveSpecification(enabled=True, attribute_name=attribute)
    update = UpdateTimeToLive(env.context.table_name(table), ttl)
    env.run(send(env.context.retry_policy, update))


def _differences(declared: Table, described: TableDescription, ttl: str | None) -> list[str]:
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
    _wait(env, table, f"table {table.name}")
    env.run(send(env.context.retry_policy, DeleteTable(env.context.table_name(table))))
    while _describe(env, table) is not None:
        _pause(env)


def _has_state(env: Environment, table: Table) -> bool:
    return env.states.table_name == env.context.table_name(table)


def _first_item(env: Environment, table: Table) -> dict[str, object] | None:
    """Return an item of the application, if there is one."""
    after = None
    while True:
        scan = Scan(env.context.table_name(table), exclusive_start_key=after, consistent_read=True)
        page: PageOutput = env.run(send(env.context.retry_policy, scan))
        for item in page.items:
            if not is_state_item(item):
                return dict(item)
        after = page.last_evaluated_key
        if after is None:
            return None


# Indexes


def _add_index(env: Environment, table: Table, name: str) -> None:
    declared = next((one for one in table.indexes if one.name == name and not one.local), None)
    if declared is None:
        raise MigrationError(f"{table!r} no longer declares the index {name}. Declare it again.")
    described = _wait(env, table, f"index {name}")
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
    create = CreateGlobalSecondaryIndexAction(
        name, action.key_schema, action.projection, _throughput(described)
    )
    names = {one.name: one for one in (*declared.pk, *declared.sk)}
    update = UpdateTable(
        env.context.table_name(table),
        attribute_definitions=[AttributeDefinition(one.name, one.type) for one in names.values()],
        global_secondary_index_updates=[GlobalSecondaryIndexUpdate(create=create)],
    )
    env.run(send(env.context.retry_policy, update))
    _wait(env, table, f"index {name}")


def _drop_index(env: Environment, table: Table, name: str) -> None:
    described = _wait(env, table, f"index {name}")
    if name not in [one.index_name for one in described.global_secondary_indexes or ()]:
        return
    update = UpdateTable(
        env.context.table_name(table),
        global_secondary_index_updates=[
            GlobalSecondaryIndexUpdate(delete=DeleteGlobalSecondaryIndexAction(name))
        ],
    )
    env.run(send(env.context.retry_policy, update))
    _wait(env, table, f"index {name}")


def _throughput(described: TableDescription) -> ProvisionedThroughput | None:
    """Return the capacity of a new index: that of its table, unless it is on demand."""
    capacity = table_from_description(described, None).capacity
    return None if capacity is None else ProvisionedThroughput(capacity.read, capacity.write)


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


def _wait(env: Environment, table: Table, what: str, *, renew: bool = True) -> TableDescription:
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
