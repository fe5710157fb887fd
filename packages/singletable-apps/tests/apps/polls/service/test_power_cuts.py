"""If a process dies during an action, others can go on with what it left in the table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable_apps.polls.errors import NotFound, PollClosed
from tests.apps.polls.support.actions import ACTIONS, ON_EMPTY, Busy, copy_of
from tests.apps.polls.support.harness import cast, check_counted, code_voter, delete, dump, results

pytestmark = pytest.mark.usefixtures("few_entries")


def _cuts(base: Busy, action: str) -> Iterator[Busy]:
    """Yield the world after a power cut before each operation of an action."""
    operations = 0
    while True:
        there = copy_of(base, InterruptedDriver)
        assert isinstance(there.world.driver, InterruptedDriver)
        there.world.driver.crash_after(operations)
        try:
            ACTIONS[action](there.world.service, there)
        except Crash:
            operations += 1
            yield Busy(copy_of(there).world, there.engine, there.managed, there.empty)
            continue
        assert operations > 0
        return


@pytest.mark.parametrize("action", [action for action in ACTIONS if action != "delete"])
def test_power_cut_never_counts_half_a_vote(base: Busy, action: str) -> None:
    for there in _cuts(base, action):
        world = there.world
        before = [check_counted(world, managed) for managed in (there.managed, there.empty)]
        assert before in ([7, 0], [8, 0], [7, 1])
        # The next voter can vote unless the poll has closed, and the operation can be repeated.
        try:
            cast(world.service, there.managed, ["Go"], code_voter(there.managed, 9))
        except PollClosed:
            assert action == "close"
            assert results(world.service, there.managed).is_final
        ACTIONS[action](world.service, there)
        check_counted(world, there.empty if action in ON_EMPTY else there.managed)
        world.check_calls()


def test_interrupted_delete_is_hidden_and_can_be_repeated(base: Busy) -> None:
    hidden = 0
    for there in _cuts(base, "delete"):
        world, managed = there.world, there.managed
        try:
            world.service.tallies.get(world.service.context.get_poll(managed.poll.id))
        except NotFound:
            hidden += 1
            with pytest.raises(NotFound):
                cast(world.service, managed, ["Go"], code_voter(managed, 9))
            created = world.service.lifecycle.list_created("maker", 9).items
            assert [one.poll.id for one in created] == [there.empty.poll.id]
        else:
            assert check_counted(world, managed) == 7
        delete(world.open(), managed)
        assert not any(managed.poll.id in item for item in dump(world.driver))
        check_counted(world, there.empty, {})
    assert hidden > 10
