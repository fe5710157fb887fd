"""Fill the old tables of the site, change them, and copy them."""

from __future__ import annotations

from random import Random

from dynamodb_engine import operations as ops
from dynamodb_engine.values import Item
from singletable import Driver, Engine, Store
from singletable.migration.runner import MigrationRunner
from singletable.migration.state import is_state_item
from tests.designs.site import COPY, entities, likes, notes, users


def create_site(engine: Engine, random: Random | None = None, writes: int = 30) -> None:
    for table in (users, likes, notes, entities):
        Store(engine).admin.create_table(table)
    if random is not None:
        write_old(engine, random, writes)


def write_old(driver: Driver, random: Random, times: int = 1) -> None:
    """Change the old tables as their application does."""
    for _ in range(times):
        name = random.choice("abcdef")
        match random.randrange(8):
            case 0 | 1:
                # An address belongs to one user at a time, but may change hands.
                old = stored(driver, "users").values()
                taken = {one["email"].get("S") for one in old if one["username"] != {"S": name}}
                free = [text for text in ("x@a", "y@a", "z@a", f"{name}@a") if text not in taken]
                item: Item = {
                    "username": {"S": name},
                    "email": {"S": random.choice(free)},
                    "age": {"N": str(random.randrange(3))},
                }
                driver.execute(ops.PutItem("users", item))
            case 2:
                driver.execute(ops.DeleteItem("users", {"username": {"S": name}}))
            case 3 | 4:
                like: Item = {"post": {"S": random.choice("pq")}, "visitor": {"S": name}}
                driver.execute(ops.PutItem("likes", like))
            case 5:
                like = {"post": {"S": random.choice("pq")}, "visitor": {"S": name}}
                driver.execute(ops.DeleteItem("likes", like))
            case 6:
                # An item without its tag is copied as it is.
                sort_key, kind = random.choice(
                    [("TEXT", "text"), ("DRAFT", "draft"), ("TEXT", "?")]
                )
                note: Item = {
                    "PK": {"S": f"OLD#{name}"},
                    "SK": {"S": sort_key},
                    "kind": {"S": kind},
                    "note": {"S": name},
                    "text": {"S": random.choice("tuv")},
                }
                driver.execute(ops.PutItem("notes", note))
            case _:
                sort_key = random.choice(["TEXT", "DRAFT"])
                driver.execute(
                    ops.DeleteItem("notes", {"PK": {"S": f"OLD#{name}"}, "SK": {"S": sort_key}})
                )


def stored(driver: Driver, table: str = "entities") -> dict[str, Item]:
    """Return the items of a table that belong to the application."""
    found: dict[str, Item] = {}
    for item in driver.execute(ops.Scan(table, consistent_read=True)).items:
        if not is_state_item(item):
            item.pop("since", None)  # when the migration started
            found[repr(sorted(item.items()))] = item
    return found


def freshly_copied(engine: Engine) -> dict[str, Item]:
    """Return the new items that a copy of the old ones has now."""
    with Engine.in_memory() as copy:
        create_site(copy)
        for table in ("users", "likes", "notes"):
            for item in engine.execute(ops.Scan(table, consistent_read=True)).items:
                copy.execute(ops.PutItem(table, item))
        MigrationRunner(COPY, copy, segments=1).run()
        return stored(copy)
