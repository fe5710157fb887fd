"""Create, edit, close, copy, list and delete polls, and issue codes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.errors import (
    AlreadyVoted,
    InvalidInput,
    NotFound,
    PollClosed,
    PollHasVotes,
)
from singletable_apps.polls.rules import PollDraft, draft_copy
from singletable_apps.polls.service import ManagedPoll
from singletable_apps.polls.tokens import MAX_CODES
from tests.apps.polls.support.harness import (
    OPTIONS,
    World,
    cast,
    changed,
    check_counted,
    close,
    delete,
    dump,
    edit,
    results,
)


def _vote(world: World, managed: ManagedPoll, *names: str) -> dict[str, list[str]]:
    return {cast(world.service, managed, ["Go"], name).vote.id: ["Go"] for name in names}


def test_texts_can_change_and_votes_stay(memory: World) -> None:
    managed = memory.made()
    confirmed = _vote(memory, managed, "a", "b")
    poll = edit(
        memory.service,
        managed,
        title="New",
        description="Why",
        results=ResultsVisibility.AFTER_CLOSING,
    )
    assert (poll.title, poll.description, poll.edition) == ("New", "Why", 1)
    assert poll.settings.results is ResultsVisibility.AFTER_CLOSING
    assert memory.service.context.get_poll(managed.poll.id) == poll
    check_counted(memory, managed, confirmed | _vote(memory, managed, "c"))


def test_options_can_change_until_the_first_vote(memory: World) -> None:
    managed = memory.made()
    poll = edit(memory.service, managed, candidates=("Tea", "Coffee"), title="Drink?")
    assert (poll.candidates, poll.title) == (["Tea", "Coffee"], "Drink?")
    vote = cast(memory.service, managed, ["coffee"], "a").vote
    before = dump(memory.driver)
    for wanted in ({"candidates": ("Tea", "Milk")}, {"protection": Protection.OPEN}):
        with pytest.raises(PollHasVotes, match="Duplicate the poll"):
            edit(memory.service, managed, **wanted)
    assert dump(memory.driver) == before
    check_counted(memory, managed, {vote.id: ["Coffee"]})


def test_edit_without_changes_writes_nothing(memory: World) -> None:
    managed = memory.made()
    before = dump(memory.driver)
    assert edit(memory.service, managed, title=" Best? ") == managed.poll
    assert dump(memory.driver) == before


def test_closed_poll_rejects_votes_and_can_reopen(world: World) -> None:
    managed = world.made()
    confirmed = _vote(world, managed, "a")
    closed = close(world.service, managed)
    assert closed.closed
    assert close(world.service, managed) == closed
    with pytest.raises(PollClosed):
        _vote(world, managed, "b")
    assert results(world.service, managed).is_final
    assert edit(world.service, managed, title="An edit leaves it closed").closed
    for ends in (world.clock() + timedelta(days=1), None):
        again = edit(world.service, managed, expires_at=ends)
        assert (again.closed, again.expires_at) == (False, ends)
        confirmed |= _vote(world, managed, f"when {ends}")
    assert not results(world.service, managed).is_final
    check_counted(world, managed, confirmed)


def test_changeable_applies_to_the_next_vote(memory: World) -> None:
    managed = memory.made()
    confirmed = _vote(memory, managed, "a")
    assert edit(memory.service, managed, changeable=False).edition == 2
    with pytest.raises(AlreadyVoted):
        cast(memory.service, managed, ["Rust"], "a")
    check_counted(memory, managed, confirmed)


def test_copy_has_no_votes(memory: World) -> None:
    ends = memory.clock() + timedelta(hours=1)
    managed = memory.made(
        changed(
            PollDraft("Q", OPTIONS, "D", ends),
            results=ResultsVisibility.AFTER_VOTING,
            changeable=False,
        )
    )
    _vote(memory, managed, "a")
    create, source = memory.service.lifecycle.create, managed.poll
    soon = create(draft_copy(source, memory.clock()), "another", source=source.id)
    memory.clock.advance(hours=2)
    late = create(draft_copy(source, memory.clock()))
    for copy, expires in ((soon, ends), (late, None)):
        assert copy.poll.id != managed.poll.id
        assert copy.admin_key != managed.admin_key
        assert copy.poll.expires_at == expires
        assert (copy.poll.title, tuple(copy.poll.candidates)) == ("Q", OPTIONS)
        assert copy.poll.settings == source.settings
        assert memory.service.tallies.get(copy.poll).votes == 0
    created = memory.service.lifecycle.list_created("another", 9).items
    assert [one.poll.id for one in created] == [soon.poll.id]


@pytest.mark.parametrize("count", [-1, 0, MAX_CODES - 2])
def test_too_many_codes_are_rejected(memory: World, count: int) -> None:
    managed = memory.made(codes=3)
    with pytest.raises(InvalidInput, match="1 to 9,997 more"):
        memory.service.codes.issue(managed.poll.id, managed.admin_key, count)
    memory.service.codes.issue(managed.poll.id, managed.admin_key, MAX_CODES - 3)
    with pytest.raises(InvalidInput, match="has all"):
        memory.service.codes.issue(managed.poll.id, managed.admin_key, 1)


def test_created_polls_are_listed_newest_first(world: World) -> None:
    managed_polls = [world.made(PollDraft(f"Q{number}", OPTIONS)) for number in range(5)]
    world.made(browser="another")
    world.service.lifecycle.delete(managed_polls[3].poll.id, managed_polls[3].admin_key)
    found, cursor = list[ManagedPoll](), None
    while True:
        page = world.service.lifecycle.list_created("maker", 2, cursor)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert [one.poll.title for one in found] == ["Q4", "Q2", "Q1", "Q0"]
    assert {one.poll.id: one.admin_key for one in found} == {
        one.poll.id: one.admin_key for one in managed_polls if one is not managed_polls[3]
    }


def test_delete_leaves_no_items(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable_apps.polls.tally.MIN_NEW_ENTRIES", 5)
    empty = dump(world.driver)
    managed, other = world.made(codes=2), world.made(browser="b")
    confirmed = _vote(world, other, "a")
    kept = dump(world.driver)
    for number in range(12):
        _vote(world, managed, f"{number}")
        world.service.tallies.get(managed.poll)
    assert sum("SNAPSHOT" in item for item in dump(world.driver)) > 1
    delete(world.service, managed)
    assert dump(world.driver) == [item for item in kept if managed.poll.id not in item]
    for service in (world.service, world.open()):
        for ask in (
            lambda: cast(service, managed, ["Go"], "a"),  # noqa: B023
            lambda: results(service, managed),  # noqa: B023
            lambda: close(service, managed),  # noqa: B023
            lambda: delete(service, managed),  # noqa: B023
        ):
            with pytest.raises(NotFound):
                ask()
    check_counted(world, other, confirmed)
    delete(world.service, other)
    assert dump(world.driver) == empty == []
