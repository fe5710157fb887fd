"""The function of a merge gets the entities of all parts in one list."""

from __future__ import annotations

from typing import Any

from singletable.migration import Part, merge
from tests.typing.declared import Ballot, Election

elections = Part(Election, group=lambda one: one.name, read=Election.key)
ballots = Part(Ballot, group=lambda one: one.election, read=Ballot.key.partition)


def count(found: list[Ballot]) -> Election:
    return Election(name=found[0].election)


def join(found: list[Ballot | Election]) -> Election | None:
    return next((one for one in found if isinstance(one, Election)), None)


def join_three(found: list[Any]) -> Election | None:
    return None


merge(ballots, into=count)
merge(elections, ballots, into=join)
merge(elections, ballots, ballots, into=join_three)
