"""Create and drop tables and indexes: again after an interruption, and only what is safe."""

from __future__ import annotations

import pytest

from dynamodb_engine import Delays, Driver, Engine, Settings
from dynamodb_engine import operations as ops
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Index, LocalIndex, MigrationError, Number, Provisioned, Table
from singletable.migration import AddIndex, CreateTable, DropIndex, DropTable
from singletable.migration.environment import Environment
from singletable.store import Store
from tests.migration.doubles import Clock
from tests.migration.in_place import environment, notes_of

before = Table("app")
after = Table(
    "app",
    indexes=[
        Index("by_age", pk="city", sk=Number("age"), projection=["name", "email"]),
        Index("by_name", pk="name", projection="KEYS_ONLY"),
    ],
)
other = Table("other", pk="id", sk=None, indexes=[Index("GSI1", pk="x")], ttl="expires")
states = Table("states", pk="id", sk=None)
ADD = AddIndex(after, "by_age")
ADD_BY_NAME = ops.UpdateTable(
    "app",
    attribute_definitions=[ops.AttributeDefinition("name", "S")],
    global_secondary_index_updates=[
        ops.GlobalSecondaryIndexUpdate(
            create=ops.CreateGlobalSecondaryIndexAction(
                "by_name", [ops.KeySchemaElement("name", "HASH")], ops.Projection("KEYS_ONLY")
            )
        )
    ],
)


def create_tables(driver: Driver) -> None:
    for table in (before, states):
        Store(driver).admin.create_table(table)


@pytest.fixture
def engine(engine: Engine) -> Engine:
    create_tables(engine)
    return engine


def env_of(driver: Driver, clock: Clock | None = None) -> Environment:
    return environment(driver, before, after, other, states, clock=clock)


def indexes(driver: Driver, name: str = "app") -> dict[str, ops.GlobalSecondaryIndexDescription]:
    table = driver.execute(ops.DescribeTable(name)).table
    return {one.index_name: one for one in table.global_secondary_indexes or ()}


def test_an_index_is_added_as_it_is_declared(driver: Driver) -> None:
    create_tables(driver)
    env = env_of(driver)
    ADD.run(env)
    ADD.run(env)
    AddIndex(after, "by_name").run(env)
    assert sorted(indexes(driver)) == ["by_age", "by_name"]
    ADD.undo(env)
    ADD.undo(env)
    assert sorted(indexes(driver)) == ["by_name"]


def test_adding_an_index_waits_until_it_is_filled() -> None:
    clock = Clock()
    delays = Delays(create_index=20, delete_index=5)
    with Engine.in_memory(Settings(clock=clock, delays=delays)) as engine:
        create_tables(engine)
        env = env_of(engine, clock)
        notes = notes_of(env)
        ADD.run(env)
        assert indexes(engine)["by_age"].index_status == "ACTIVE"
        assert "waiting for DynamoDB" in notes
        # One index at a time: the second waits for the first, even if another runner added it.
        engine.execute(ADD_BY_NAME)
        DropIndex(after, "by_age").run(env)
        assert sorted(indexes(engine)) == ["by_name"]


@pytest.mark.parametrize(
    ("index", "difference"),
    [
        (Index("by_name", pk="name"), "projection ALL"),
        (Index("by_name", pk=Number("name"), projection="KEYS_ONLY"), r"name \(N\)"),
        (Index("by_name", pk="other", projection="KEYS_ONLY"), "key other"),
    ],
    ids=["projection", "type", "key"],
)
def test_an_index_that_differs_needs_another_name(
    engine: Engine, index: Index, difference: str
) -> None:
    engine.execute(ADD_BY_NAME)
    changed = Table("app", indexes=[index])
    env = environment(engine, changed, states)
    with pytest.raises(MigrationError, match=rf"{difference}.*another name"):
        AddIndex(changed, "by_name").run(env)


def test_an_index_of_a_provisioned_table_has_its_capacity(engine: Engine) -> None:
    small = Table("small", capacity=Provisioned(3, 4))
    grown = Table("small", indexes=[Index("GSI1", pk="x")])
    Store(engine).admin.create_table(small)
    AddIndex(grown, "GSI1").run(environment(engine, grown, states))
    assert indexes(engine, "small")["GSI1"].provisioned_throughput.write_capacity_units == 4


def test_a_dropped_index_can_be_added_again_if_it_is_declared(engine: Engine) -> None:
    env = env_of(engine)
    ADD.run(env)
    step = DropIndex(after, "by_age")
    step.run(env)
    step.run(env)
    assert indexes(engine) == {}
    step.undo(env)
    assert sorted(indexes(engine)) == ["by_age"]
    with pytest.raises(MigrationError, match="no longer declares"):
        DropIndex(before, "by_age").undo(env)


def test_an_index_of_a_missing_table_is_an_error(engine: Engine) -> None:
    with pytest.raises(MigrationError, match="does not exist"):
        AddIndex(other, "GSI1").run(env_of(engine))


def test_a_table_is_created_once_and_dropped_if_it_is_empty(engine: Engine) -> None:
    env = env_of(engine)
    CreateTable(other).run(env)
    CreateTable(other).run(env)
    ttl = engine.execute(ops.DescribeTimeToLive("other")).time_to_live_description
    assert ttl.attribute_name == "expires"
    engine.execute(ops.PutItem("other", {"id": {"S": "a"}}))
    with pytest.raises(MigrationError, match=r"has items, such as .*'a'"):
        CreateTable(other).undo(env)
    Store(engine).admin.clear(other)
    CreateTable(other).undo(env)
    CreateTable(other).undo(env)
    assert "other" not in engine.execute(ops.ListTables()).table_names


def test_an_interrupted_creation_is_completed(engine: Engine) -> None:
    driver = InterruptedDriver(engine, ops.UpdateTimeToLive, before=Crash)
    with pytest.raises(Crash):
        CreateTable(other).run(env_of(driver))
    CreateTable(other).run(env_of(engine))
    ttl = engine.execute(ops.DescribeTimeToLive("other")).time_to_live_description
    assert ttl.time_to_live_status == "ENABLED"


def test_a_table_that_differs_is_not_taken_for_the_new_one(engine: Engine) -> None:
    declared = Table("app", sk=Number("SK"), indexes=[LocalIndex("LSI1", sk="x")], ttl=None)
    env = environment(engine, declared, states)
    with pytest.raises(MigrationError, match=r"its key .*its index LSI1 is missing"):
        CreateTable(declared).run(env)


def test_a_table_with_the_state_of_migrations_is_kept(engine: Engine) -> None:
    env = env_of(engine)
    notes = notes_of(env)
    CreateTable(states).undo(env)
    assert "kept" in notes[0]
    with pytest.raises(MigrationError, match="state of this migration"):
        DropTable(states).run(env)


def test_a_protected_table_is_not_dropped(engine: Engine) -> None:
    env = env_of(engine)
    engine.execute(ops.UpdateTable("app", deletion_protection_enabled=True))
    with pytest.raises(MigrationError, match="protected from deletion"):
        DropTable(before).run(env)
    engine.execute(ops.UpdateTable("app", deletion_protection_enabled=False))
    DropTable(before).run(env)
    DropTable(before).run(env)
    assert "app" not in engine.execute(ops.ListTables()).table_names
