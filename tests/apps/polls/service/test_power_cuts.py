"""A process that dies during an operation leaves a table that others can go on with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Engine
from singletable_apps.polls.errors import NotFound, PollClosed
from singletable_apps.polls.service import Viewer
from tests.apps.polls.support.actions import DEEDS, Busy, busy, copy_of
from tests.apps.polls.support.harness import check_counted, code_voter, dump
from tests.apps.support.drivers import PowerCut, PowerCutDriver

OF_THE_EMPTY = ("vote first", "change options")


@pytest.fixture(autouse=True)
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take snapshots after a few entries."""
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 3)


@pytest.fixture(scope="module")
def base() -> Iterator[Busy]:
    """Return a world that each test copies."""
    with Engine.in_memory() as engine:
        yield busy(engine)


def _cuts(base: Busy, deed: str) -> Iterator[Busy]:
    """Yield the world after a power cut before each operation of an action."""
    operations = 0
    while True:
        there = copy_of(base, PowerCutDriver)
        assert isinstance(there.world.driver, PowerCutDriver)
        there.world.driver.cut_after(operations)
        try:
            DEEDS[deed](there.world.service, there)
        except PowerCut:
            operations += 1
            yield Busy(copy_of(there).world, there.engine, there.managed, there.empty)
            continue
        assert operations > 0
        return


@pytest.mark.parametrize("deed", [deed for deed in DEEDS if deed != "delete"])
def test_power_cut_never_counts_half_a_vote(base: Busy, deed: str) -> None:
    for there in _cuts(base, deed):
        world = there.world
        before = [check_counted(world, managed) for managed in (there.managed, there.empty)]
        assert before in ([7, 0], [8, 0], [7, 1])
        # The next voter can vote unless the poll has closed, and the operation can be repeated.
        try:
            world.service.voting.cast(there.managed.poll.id, ["Go"], code_voter(there.managed, 9))
        except PollClosed:
            assert deed == "close"
            assert world.service.results.get(there.managed.poll.id, Viewer()).is_final
        DEEDS[deed](world.service, there)
        check_counted(world, there.empty if deed in OF_THE_EMPTY else there.managed)
        world.check_calls()


def test_interrupted_delete_is_hidden_and_can_be_repeated(
    base: Busy,
) -> None:
    unseen = 0
    for there in _cuts(base, "delete"):
        world, managed = there.world, there.managed
        marked = False
        try:
            world.service.results.get(managed.poll.id, Viewer())
        except NotFound:
            marked = True
            unseen += 1
            with pytest.raises(NotFound):
                world.service.voting.cast(managed.poll.id, ["Go"], code_voter(managed, 9))
            assert [
                one.poll.id for one in world.service.lifecycle.list_created("maker", 9).items
            ] == [there.empty.poll.id]
        if not marked:
            assert check_counted(world, managed) == 7
        world.open().lifecycle.delete(managed.poll.id, managed.admin_key)
        assert not any(managed.poll.id in item for item in dump(world.driver))
        check_counted(world, there.empty, {})
    assert unseen > 10
