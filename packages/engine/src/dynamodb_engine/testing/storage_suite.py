"""Checks for authors of a storage that several processes share.

Every check gets a function that opens an engine; all engines that it opens share one new, empty
database, as processes do. A check raises AssertionError if the storage breaks its promise:

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_storage(check, new_database):
        check(lambda: MyEngine.at(new_database))
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle
from random import Random
from typing import Any, TypeAlias, TypeVar

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import (
    ConditionFailed,
    IdempotentParameterMismatch,
    ResourceNotFound,
    TransactionCanceled,
    TransactionConflict,
    ValidationError,
)
from dynamodb_engine.values import AttributeValue, Item

Open: TypeAlias = Callable[[], Engine]
T = TypeVar("T")
TABLE = "accounts"
_CLIENTS = 20


def check_one_create_wins(open_engine: Open) -> None:
    """Let many clients create one item: exactly one succeeds."""
    with _engines(open_engine) as engines:
        for turn in range(5):
            results = _together(engines, partial(_create, turn))
            assert results.count(True) == 1, f"{results.count(True)} of {_CLIENTS} creates won"


def check_upserts_add_up(open_engine: Open) -> None:
    """Add to an item that did not exist, concurrently: everything is counted."""
    with _engines(open_engine) as engines:
        _together(engines, lambda engine, _: [engine.execute(_add(0, 1)) for _ in range(10)])
        item = engines[0].execute(ops.GetItem(TABLE, _key(0), consistent_read=True)).item
        assert item == _key(0, n={"N": str(_CLIENTS * 10)})


def check_transactions_keep_the_sum(open_engine: Open) -> None:
    """Transfer between accounts: every read transaction finds the same sum."""
    accounts = 6
    with _engines(open_engine) as engines:
        for number in range(accounts):
            engines[0].execute(_add(number, 100))

        def transfer(engine: Engine, client: int) -> None:
            chance = Random(client)
            for _ in range(10):
                source, target = chance.sample(range(accounts), 2)
                actions = [_update(source, -1), _update(target, 1)]
                try:
                    engine.execute(ops.TransactWriteItems(actions))
                except (TransactionCanceled, TransactionConflict):
                    continue
                gets = [ops.TransactGetItem(ops.Get(TABLE, _key(n))) for n in range(accounts)]
                found = engine.execute(ops.TransactGetItems(gets)).responses or []
                total = sum(int(part.item["n"]["N"]) for part in found if part.item)
                assert total == accounts * 100, f"The sum is {total}"

        _together(engines, transfer)


def check_token_is_applied_once(open_engine: Open) -> None:
    """Send a transaction from several processes with one token: it is applied once."""
    with _engines(open_engine) as engines:
        request = ops.TransactWriteItems([_update(0, 1)], client_request_token="same")
        _together(engines, lambda engine, _: engine.execute(request))
        item = engines[0].execute(ops.GetItem(TABLE, _key(0), consistent_read=True)).item
        assert item == _key(0, n={"N": "1"})
        other = ops.TransactWriteItems([_update(0, 2)], client_request_token="same")
        with _expect(IdempotentParameterMismatch):
            engines[1].execute(other)


def check_feed_is_in_commit_order(open_engine: Open) -> None:
    """Follow the change feed under writes: nothing is missing, and each item is in order."""
    with _engines(open_engine) as engines:
        start = engines[0].execute(ops.ReadChanges()).position
        done, seen = threading.Event(), list[ops.ChangeRecord]()

        def follow() -> None:
            position, is_last = start, False
            while True:
                is_last = done.is_set()
                page = engines[1].execute(ops.ReadChanges(after=position, limit=7))
                seen.extend(page.changes)
                position = page.position
                if is_last and not page.changes:
                    return

        with ThreadPoolExecutor(1) as reader:
            following = reader.submit(follow)
            try:
                _together(
                    engines,
                    lambda engine, client: [engine.execute(_add(client % 4, 1)) for _ in range(10)],
                )
            finally:
                done.set()
            following.result()
        positions = [change.position for change in seen]
        assert positions == list(range(start + 1, start + 1 + _CLIENTS * 10)), positions
        last: dict[str, int] = {}
        for change in seen:
            item = change.new or {}
            number, key = int(item["n"]["N"]), item["pk"]["S"]
            assert number == last.get(key, 0) + 1, f"{key} went from {last.get(key)} to {number}"
            last[key] = number


def check_tables_are_shared(open_engine: Open) -> None:
    """Create, change and delete a table in one process: the others see it."""
    with _engines(open_engine) as (one, two, *_):
        one.execute(ops.PutItem(TABLE, _key(1, g={"S": "x"})))
        assert two.execute(ops.GetItem(TABLE, _key(1))).item is not None
        one.execute(_add_index("by_g"))
        two.execute(ops.PutItem(TABLE, _key(2, g={"S": "x"})))
        query = ops.Query(
            TABLE,
            index_name="by_g",
            key_condition_expression="g = :g",
            expression_attribute_values={":g": {"S": "x"}},
        )
        _wait_for_index(one, "by_g")
        for engine in (one, two):
            assert engine.execute(query).count == 2
        one.execute(ops.DeleteTable(TABLE))
        for operation in (ops.GetItem(TABLE, _key(1)), query, ops.Scan(TABLE)):
            with _expect(ResourceNotFound):
                two.execute(operation)
        with _expect(ResourceNotFound):
            two.execute(ops.PutItem(TABLE, _key(1)))
        two.execute(_create_table())
        assert one.execute(ops.Scan(TABLE)).count == 0


def check_index_is_filled_while_items_change(open_engine: Open) -> None:
    """Add an index under writes: it ends up with exactly the items of the table."""
    with _engines(open_engine) as engines:
        for number in range(300):
            engines[0].execute(ops.PutItem(TABLE, _key(number, g={"S": "old"})))
        done = threading.Event()

        def write(engine: Engine, client: int) -> None:
            chance = Random(client)
            while not done.is_set():
                number = chance.randrange(300)
                if chance.random() < 0.3:
                    engine.execute(ops.DeleteItem(TABLE, _key(number)))
                else:
                    engine.execute(ops.PutItem(TABLE, _key(number, g={"S": chance.choice("ab")})))

        with ThreadPoolExecutor(4) as writers:
            writing = [writers.submit(write, engines[n % len(engines)], n) for n in range(4)]
            try:
                engines[0].execute(_add_index("by_g"))
                _wait_for_index(engines[1], "by_g")
            finally:
                done.set()
            for future in writing:
                future.result()
        stored = sorted(_texts(engines[0].execute(ops.Scan(TABLE)).items))
        indexed = sorted(_texts(engines[1].execute(ops.Scan(TABLE, index_name="by_g")).items))
        assert stored == indexed, "the index differs from the table"


def check_expired_items_are_deleted_once(open_engine: Open) -> None:
    """Sweep in several processes at once: each expired item leaves one change."""
    with _engines(open_engine) as engines:
        ttl = ops.TimeToLiveSpecification(attribute_name="until", enabled=True)
        engines[0].execute(ops.UpdateTimeToLive(TABLE, ttl))
        now = int(engines[0].settings.clock())
        for number in range(40):
            until = now - 60 if number % 2 else now + 3600
            engines[0].execute(ops.PutItem(TABLE, _key(number, until={"N": str(until)})))
        start = engines[0].execute(ops.ReadChanges()).position
        removed = _together(engines, lambda engine, _: engine.execute(ops.SweepExpired()).removed)
        assert sum(removed) == 20, removed
        changes = engines[0].execute(ops.ReadChanges(after=start, limit=100)).changes
        assert [change.expired for change in changes] == [True] * 20
        assert engines[1].execute(ops.Scan(TABLE)).count == 20


def check_keys_are_bytes(open_engine: Open) -> None:
    """Use any key: U+0000, case, accents, the longest. They sort by their bytes."""
    texts = ["\0", "\0\0", "A", "a", "B", "Z", "z", "É", "é", "ﬀ", "𝄞", "%", "_", "'", "\\", "a "]
    with _engines(open_engine, sort=True) as (engine, *_):
        for value in texts:
            engine.execute(ops.PutItem(TABLE, _pair("p", value)))
        query = ops.Query(
            TABLE,
            key_condition_expression="pk = :p",
            expression_attribute_values={":p": {"S": "p"}},
        )
        found = [item["sk"]["S"] for item in engine.execute(query).items]
        assert found == sorted(texts, key=str.encode), found
        chance = Random(1)
        for number in range(4):
            # Random characters, which no server can compress.
            long = "".join(chr(chance.randrange(0x21, 0x7F)) for _ in range(2048))
            key = _pair(long, long[:1024], g={"S": long}, h={"S": long[number:1024]})
            engine.execute(ops.PutItem(TABLE, key))
            assert engine.execute(ops.GetItem(TABLE, _pair(long, long[:1024]))).item == key
        assert engine.execute(ops.Scan(TABLE, index_name="by_gh")).count == 4
        with _expect(ValidationError):
            engine.execute(ops.PutItem(TABLE, _pair("p" * 2049, "s")))


def check_large_partition_is_paged(open_engine: Open) -> None:
    """Query a partition larger than a page, forward and back: pages have at most 1 MB."""
    count, filling = 60, "x" * 100_000
    with _engines(open_engine, sort=True) as (engine, *_):
        for number in range(count):
            item = _pair("p", f"{number:03}", filling={"S": filling})
            engine.execute(ops.PutItem(TABLE, item))
        for forward in (True, False):
            found, start = list[str](), None
            while True:
                page = engine.execute(
                    ops.Query(
                        TABLE,
                        key_condition_expression="pk = :p",
                        expression_attribute_values={":p": {"S": "p"}},
                        exclusive_start_key=start,
                        scan_index_forward=forward,
                    )
                )
                assert page.count <= 11, f"a page has {page.count} items"
                found += [item["sk"]["S"] for item in page.items]
                start = page.last_evaluated_key
                if start is None:
                    break
            expected = [f"{number:03}" for number in range(count)]
            assert found == (expected if forward else expected[::-1])


CHECKS: tuple[Callable[[Open], None], ...] = (
    check_one_create_wins,
    check_upserts_add_up,
    check_transactions_keep_the_sum,
    check_token_is_applied_once,
    check_feed_is_in_commit_order,
    check_tables_are_shared,
    check_index_is_filled_while_items_change,
    check_expired_items_are_deleted_once,
    check_keys_are_bytes,
    check_large_partition_is_paged,
)


@contextmanager
def _engines(open_engine: Open, *, sort: bool = False) -> Generator[list[Engine]]:
    """Open three engines on one database with a table."""
    with ExitStack() as stack:
        engines = [stack.enter_context(open_engine()) for _ in range(3)]
        engines[0].execute(_create_table(sort=sort))
        yield engines


def _together(engines: list[Engine], work: Callable[[Engine, int], T]) -> list[T]:
    """Run `work` for many clients at once, spread over the engines; return the results."""
    start = threading.Barrier(_CLIENTS)

    def run(engine: Engine, client: int) -> T:
        start.wait()
        return work(engine, client)

    with ThreadPoolExecutor(_CLIENTS) as threads:
        clients = zip(cycle(engines), range(_CLIENTS), strict=False)
        futures = [threads.submit(run, engine, client) for engine, client in clients]
        return [future.result() for future in futures]


@contextmanager
def _expect(error: type[Exception]) -> Generator[None]:
    try:
        yield
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")


def _create(number: int, engine: Engine, client: int) -> bool:
    """Return whether this client could create the item."""
    put = ops.PutItem(TABLE, _key(number), condition_expression="attribute_not_exists(pk)")
    try:
        engine.execute(put)
    except ConditionFailed:
        return False
    return True


def _wait_for_index(engine: Engine, name: str) -> None:
    pause = threading.Event()
    for _ in range(600):
        indexes = engine.execute(ops.DescribeTable(TABLE)).table.global_secondary_indexes or []
        if any(i.index_name == name and i.index_status == "ACTIVE" for i in indexes):
            return
        pause.wait(0.1)
    raise AssertionError(f"The index {name} is not filled")


def _create_table(*, sort: bool = False) -> ops.CreateTable:
    names = ["pk", *(["sk", "g", "h"] if sort else [])]
    keys = [
        ops.KeySchemaElement("pk", "HASH"),
        *([ops.KeySchemaElement("sk", "RANGE")] if sort else []),
    ]
    index = ops.GlobalSecondaryIndex(
        "by_gh",
        [ops.KeySchemaElement("g", "HASH"), ops.KeySchemaElement("h", "RANGE")],
        ops.Projection("KEYS_ONLY"),
    )
    return ops.CreateTable(
        table_name=TABLE,
        key_schema=keys,
        attribute_definitions=[ops.AttributeDefinition(name, "S") for name in names],
        billing_mode="PAY_PER_REQUEST",
        global_secondary_indexes=[index] if sort else None,
    )


def _add_index(name: str) -> ops.UpdateTable:
    action = ops.CreateGlobalSecondaryIndexAction(
        name, [ops.KeySchemaElement("g", "HASH")], ops.Projection("ALL")
    )
    return ops.UpdateTable(
        TABLE,
        attribute_definitions=[
            ops.AttributeDefinition("pk", "S"),
            ops.AttributeDefinition("g", "S"),
        ],
        global_secondary_index_updates=[ops.GlobalSecondaryIndexUpdate(create=action)],
    )


def _key(number: int, **others: AttributeValue) -> Item:
    return {"pk": {"S": f"account {number}"}, **others}


def _pair(partition: str, sort: str, **others: AttributeValue) -> Item:
    return {"pk": {"S": partition}, "sk": {"S": sort}, **others}


def _texts(items: list[Item]) -> list[str]:
    return [str(sorted(item.items())) for item in items]


def _add(number: int, amount: int) -> ops.UpdateItem:
    return ops.UpdateItem(
        TABLE,
        _key(number),
        update_expression="ADD n :amount",
        expression_attribute_values={":amount": {"N": str(amount)}},
    )


def _update(number: int, amount: int) -> ops.TransactWriteItem:
    values: dict[str, Any] = {":amount": {"N": str(amount)}}
    update = ops.Update(TABLE, _key(number), "ADD n :amount", expression_attribute_values=values)
    return ops.TransactWriteItem(update=update)
