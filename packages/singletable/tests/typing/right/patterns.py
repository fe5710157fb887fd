"""Patterns take the values of their keys, and return what a store accepts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime
from typing import assert_type

from singletable import (
    AsyncStore,
    ItemKey,
    Partition,
    PatternCatalog,
    Selection,
    Store,
    per_second,
)
from singletable.schema import UniqueValue
from tests.typing.declared import Ballot, Person, UserSkill, votes

catalog = PatternCatalog("typing", votes)
one = catalog.read("AP1", "One ballot", Ballot.key, rate=per_second(3), consistent=True)
all_of = catalog.read("AP2", "Ballots of an election", Ballot.key.partition, items=500)
mine = catalog.read("AP3", "Ballots of a voter", Ballot.of_voter)
mail = catalog.read("AP4", "A person by the address", Person.address)
experts = catalog.read("AP5", "Users by skill and level", UserSkill.by_level)
skilled = catalog.lookup("AP6", "Skills of a user", UserSkill, UserSkill.user)
skill = catalog.lookup("AP7", "One of them", UserSkill, UserSkill.user, UserSkill.skill)


ballots = catalog.crud("B", "a ballot", Ballot.key, reads=per_second(3))


@catalog.read_function("AP8", size=300)
def since(voter: str, time: datetime) -> Selection[Ballot]:
    """Return the ballots of a voter since a time."""
    return Ballot.of_voter(voter).ge(time)


def call_patterns(store: Store, now: datetime) -> None:
    """Check the return types of patterns and of the store."""
    assert_type(one("L", "ada"), ItemKey[Ballot])
    assert_type(store.get(one("L", "ada")), Ballot | None)
    assert_type(all_of("L"), Partition[Ballot, str])
    assert_type(all_of("L").gt("b"), Selection[Ballot])
    assert_type(mine("ada"), Partition[Ballot, datetime, str])
    assert_type(mail("a@b.c"), UniqueValue[Person])
    assert_type(experts("Python", 4), Partition[UserSkill, int, date])
    assert_type(skilled("ada"), Selection[UserSkill])
    assert_type(skill("ada", "Python"), Selection[UserSkill])
    assert_type(one(election="L", voter="ada"), ItemKey[Ballot])
    assert_type(all_of(election="L"), Partition[Ballot, str])
    assert_type(mail(email="a@b.c"), UniqueValue[Person])
    assert_type(skill(user="ada", skill="Python"), Selection[UserSkill])
    assert_type(since("ada", time=now), Selection[Ballot])


def run_patterns(store: Store, now: datetime) -> None:
    """Check the types of what a store reads."""
    assert_type(store.run(one, "L", "ada"), Ballot | None)
    assert_type(store.run(ballots.get, "L", "ada"), Ballot | None)
    assert_type(store.run(mail, "a@b.c"), Person | None)
    assert_type(store.run(all_of, "L"), Iterator[Ballot])
    assert_type(store.run(skilled, "ada"), Iterator[UserSkill])
    assert_type(store.run(since, "ada", time=now), Iterator[Ballot])


async def run_async_patterns(store: AsyncStore) -> None:
    """Check the types of what an async store reads."""
    assert_type(await store.run(one, "L", "ada"), Ballot | None)
    assert_type(await store.run(mail, "a@b.c"), Person | None)
    assert_type(store.run(all_of, "L"), AsyncIterator[Ballot])
