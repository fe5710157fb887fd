"""Merges with functions of other entities."""

from __future__ import annotations

from singletable.migration import Part, merge
from tests.typing.declared import Ballot, Election

elections = Part(Election, group=lambda one: one.name, read=Election.key)
ballots = Part(Ballot, group=lambda one: one.election, read=Ballot.key.partition)


def count(found: list[Ballot]) -> Election:
    return Election(name=found[0].election)


merge(elections, into=count)  # error: arg-type | reportArgumentType
merge(elections, ballots, into=count)  # error: arg-type | reportArgumentType
