"""The sample, made as people would make it: command by command."""

from __future__ import annotations

from collections.abc import Callable

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotEmpty
from singletable_apps.elections.projection import head
from singletable_apps.elections.sample.people import PASSWORD, PEOPLE
from singletable_apps.elections.sample.polls import POLLS, Poll
from singletable_apps.elections.service import Elections, Terms
from singletable_apps.elections.states import State

Told = Callable[[int, int], None]


def fill(elections: Elections, progress: Told | None = None) -> None:
    """Fill an empty store; the same people, elections and ballots every time."""
    newest = head(elections.office.store)
    if newest is not None:
        raise NotEmpty(
            f"The log has {newest.event_id:,} events already, and a sample goes into an empty "
            "store only. Name another."
        )
    total = len(PEOPLE) + len(POLLS)
    for done, person in enumerate(PEOPLE, 1):
        elections.people.register(person.name, person.email, PASSWORD)
        _tell(progress, done, total)
    for done, poll in enumerate(POLLS, len(PEOPLE) + 1):
        _conduct(elections, poll)
        _tell(progress, done, total)
    owner = elections.office.view.user(PEOPLE[0].name)
    # Last, for whoever may only look on has cast no ballot, and everybody else could.
    for person in PEOPLE[1:]:
        elections.people.change_role(owner, person.name, person.role)


def _conduct(elections: Elections, poll: Poll) -> None:
    owner = _who(elections, poll.owner)
    opens = elections.office.clock() + poll.opens_in if poll.opens_in is not None else None
    terms = Terms(secret_ballot=poll.secret, publication=poll.publication, no_voting_before=opens)
    elections.conducting.create(owner, poll.name, terms)
    elections.rolls.set_candidates(owner, poll.name, poll.candidates)
    elections.rolls.set_voters(owner, poll.name, poll.voters)
    if poll.state is State.SETUP:
        return
    elections.conducting.launch(owner, poll.name, allow_edit=poll.state is State.EDITABLE)
    for voter, ballot in poll.ballots:
        who = _who(elections, voter)
        elections.voting.cast(who, poll.name, lines_of(ballot), f"sample of {voter}")
    if poll.state is State.CLOSED:
        elections.conducting.finalise(owner, poll.name)


def lines_of(ballot: str) -> list[tuple[str, int | None]]:
    """`A > B = C` as lines of a ballot: A is first, B and C are second."""
    levels = [level.split(" = ") for level in ballot.split(" > ")]
    return [(name, rank) for rank, level in enumerate(levels, 1) for name in level]


def _who(elections: Elections, name: str) -> User:
    return elections.office.view.user(name)


def _tell(progress: Told | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
