"""Reads with fields of other entities, wrong bounds and callbacks."""

from __future__ import annotations

from typing import Unpack

from singletable import Collection, Page, ReadOptions, Store
from tests.typing.declared import Ballot, Election

EVERYONE = Ballot.key.partition("L")


class BallotFile(Collection):
    """The ballots of an election."""

    ballots: list[Ballot]


def read(store: Store) -> None:
    store.page(EVERYONE, 5, fields=(Election.name,))  # error: misc, call-overload | reportCallIssue, reportArgumentType
    store.page(EVERYONE, 5, fields=Ballot.voter)  # error: call-overload | reportCallIssue, reportArgumentType
    store.page(EVERYONE, 5, fields=(Ballot.voter,), hydrate=True)  # error: call-overload | reportCallIssue, reportArgumentType
    store.page(EVERYONE, 5, max_read="10")  # error: call-overload | reportCallIssue, reportArgumentType
    numbers: Page[tuple[int]] = store.page(EVERYONE, 5, fields=(Ballot.voter,))  # error: assignment, arg-type | reportAssignmentType, reportArgumentType
    store.count(EVERYONE, limit="10")  # error: arg-type | reportArgumentType
    store.admin.scan(Ballot, segments="4")  # error: arg-type | reportArgumentType
    store.query(EVERYONE, on_mismatch=1)  # error: arg-type | reportArgumentType
    store.query(EVERYONE, filter=Ballot.voter == "ada")  # error: call-arg | reportCallIssue
    store.query(EVERYONE, where=Election.name == "L")  # error: misc, arg-type | reportArgumentType
    store.collect(BallotFile, EVERYONE, cursor="x")  # error: call-arg | reportCallIssue
    store.stream(Ballot, page="10")  # error: call-overload | reportCallIssue, reportArgumentType
    store.stream(Ballot, pages=10)  # error: call-overload | reportCallIssue
    changed: Election | None = next(store.stream(Ballot)).new  # error: assignment | reportAssignmentType
    print(numbers, changed)


def read_some(store: Store, **options: Unpack[ReadOptions[Ballot]]) -> list[Ballot]:
    return list(store.query(Election.key.partition("L"), **options))  # error: arg-type, misc | reportReturnType, reportArgumentType
