"""Nothing is lost when processes are interleaved at every request, or crash at any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable import Engine
from singletable import operations as ops
from singletable.values import Item
from tests.migration.interleaving import OldLike, OldUser, Process, World

NAMES = ("ada", "bob")
MOVE = "SET team = :team ADD visits :one"


def user(name: str, team: str, visits: int = 0) -> Item:
    return {"name": {"S": name}, "team": {"S": team}, "visits": {"N": str(visits)}}


def user_key(name: str) -> Item:
    return {"name": {"S": name}}


def like(visitor: str) -> Item:
    return {"post": {"S": "p"}, "visitor": {"S": visitor}}


def moved(team: str) -> Item:
    return {":team": {"S": team}, ":one": {"N": "1"}}


def move(name: str, team: str) -> ops.UpdateItem:
    return ops.UpdateItem(
        "users",
        user_key(name),
        update_expression=MOVE,
        expression_attribute_values=moved(team),
    )


def create(name: str, team: str) -> ops.PutItem:
    return ops.PutItem(
        "users",
        user(name, team),
        condition_expression="attribute_not_exists(#n)",
        expression_attribute_names={"#n": "name"},
    )


def batch(name: str, team: str, visitor: str) -> ops.BatchWriteItem:
    put = ops.WriteRequest(ops.PutRequest(user(name, team, 7)))
    delete = ops.WriteRequest(delete_request=ops.DeleteRequest(like(visitor)))
    return ops.BatchWriteItem({"users": [put], "likes": [delete]})


def transaction(name: str, team: str, visitor: str) -> ops.TransactWriteItems:
    update = ops.Update("users", user_key(name), MOVE, None, None, moved(team))
    put = ops.Put("likes", like(visitor))
    return ops.TransactWriteItems(
        [ops.TransactWriteItem(update=update), ops.TransactWriteItem(put=put)]
    )


# What an application may do with a user, a team and a visitor.
WRITES: tuple[Callable[[str, str, str], ops.Operation[Any]], ...] = (
    lambda name, team, visitor: ops.PutItem("users", user(name, team, 5)),
    lambda name, team, visitor: create(name, team),
    lambda name, team, visitor: move(name, team),
    lambda name, team, visitor: ops.DeleteItem("users", user_key(name)),
    lambda name, team, visitor: ops.PutItem("likes", like(visitor)),
    lambda name, team, visitor: ops.DeleteItem("likes", like(visitor)),
    batch,
    transaction,
)
choices = st.tuples(
    st.integers(0, len(WRITES) - 1),
    st.sampled_from(NAMES),
    st.sampled_from(("red", "blue")),
    st.sampled_from(("v1", "v2")),
)


ROUNDS = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@contextmanager
def world_at(phase: Literal["copying", "ready"]) -> Iterator[World]:
    """Yield a world whose migration has begun to copy, or has copied everything."""
    with Engine.in_memory() as engine:
        world = World(engine)
        for name in NAMES:
            world.store.put(OldUser(name=name, team="red"))
        world.store.put(OldLike(post="p", visitor="v1"))
        world.run(world.set_phase("copying"))
        if phase == "ready":
            world.run(world.scan())
            world.run(world.set_phase("ready"))
        yield world


def applications(world: World, data: st.DataObject, number: int) -> list[Process]:
    """Return processes that each execute a few writes."""
    found: list[Process] = []
    for _ in range(number):
        drawn = data.draw(st.lists(choices, max_size=3))
        found.append(
            Process(world, world.application([WRITES[kind](*rest) for kind, *rest in drawn]))
        )
    return found


def run_all(world: World, processes: list[Process], data: st.DataObject) -> None:
    """Interleave processes as hypothesis chooses; one of them may crash at a request."""
    victim = data.draw(st.integers(0, len(processes)), label="victim")
    crash_at = data.draw(st.integers(0, 14), label="crash_at")
    schedule = data.draw(st.lists(st.integers(0, 5), max_size=60), label="schedule")
    turns = iter(schedule)
    while alive := [process for process in processes if not process.is_done]:
        chosen = alive[next(turns, 0) % len(alive)]
        chosen.step()
        is_victim = victim < len(processes) and chosen is processes[victim]
        if is_victim and chosen.requests >= crash_at and not chosen.is_done:
            chosen.crash()


@ROUNDS
@given(st.data())
def test_writes_during_the_scan_are_carried_over(data: st.DataObject) -> None:
    with world_at("copying") as world:
        writers = applications(world, data, 2)
        run_all(world, [*writers, Process(world, world.scan())], data)
        # After a crash the runner is started again; it repeats what it has not completed.
        world.log = world.new_log()
        world.run(world.scan())
        world.settle()
        world.check()


@ROUNDS
@given(st.data())
def test_writes_after_the_scan_are_carried_over(data: st.DataObject) -> None:
    with world_at("ready") as world:
        writers = applications(world, data, 3)
        run_all(world, writers, data)
        world.settle()
        world.check()


@ROUNDS
@given(st.data())
def test_no_write_is_lost_at_the_cut_over(data: st.DataObject) -> None:
    with world_at("ready") as world:
        writers = applications(world, data, 2)
        runner = Process(world, world.cut_over())
        run_all(world, [*writers, runner], data)
        if world.phase() != "cut-over":  # the runner has crashed
            world.log = world.new_log()
            world.run(world.cut_over())
        world.check()


@pytest.mark.parametrize("crash_at", range(12))
def test_a_crash_at_any_request_loses_nothing(crash_at: int) -> None:
    with world_at("ready") as world:
        process = Process(world, world.application([move("ada", "blue")]))
        while not process.is_done and process.requests < crash_at:
            process.step()
        process.crash()
        world.settle()
        world.check()
        assert process.requests == crash_at or process.requests > 9


def test_a_page_that_was_read_before_a_write_does_not_replace_it() -> None:
    with world_at("copying") as world:
        runner = Process(world, world.scan())
        runner.step()  # reads the first page
        world.run(
            world.application([move("ada", "blue"), ops.DeleteItem("users", user_key("bob"))])
        )
        while not runner.is_done:
            runner.step()
        world.settle()
        world.check()


def test_a_page_leaves_out_what_writers_are_changing() -> None:
    with world_at("copying") as world:
        remover = Process(world, world.application([ops.DeleteItem("users", user_key("ada"))]))
        while remover.requests < 5:
            remover.step()  # it knows the item as it is now, and has not deleted it yet
        mover = Process(world, world.application([move("ada", "blue")]))
        while mover.requests < 6:
            mover.step()
        mover.crash()  # it has moved the item, and nobody else knows
        assert world.engine.execute(ops.GetItem("users", user_key("ada"))).item == user(
            "ada", "blue", 1
        )
        world.run(world.scan())
        while not remover.is_done:
            remover.step()
        world.settle()
        world.check()
