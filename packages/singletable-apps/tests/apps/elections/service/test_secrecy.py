"""The tables reveal nothing about a secret ballot except that it was cast."""

from __future__ import annotations

import os
from itertools import permutations

import pytest

from singletable import Engine
from singletable_apps.elections.entities import Ballot, Publication, UserId, votes
from singletable_apps.elections.errors import CorruptTable, WrongKeys
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.voting import Lines
from singletable_apps.shared.accounts import expiring
from tests.apps.support.elections.world import (
    KEYS,
    PASSWORD,
    World,
    ballot,
    dump_items,
    open_store,
    read_events,
)

CANDIDATES = ("Nebelkrähe", "An ox", "A cat of considerable length")
# Every ballot over three candidates, those that tie and leave out included.
RANKINGS: list[Lines] = [
    *(ballot(*order) for count in (1, 2, 3) for order in permutations(CANDIDATES, count)),
    [(CANDIDATES[0], 1), (CANDIDATES[1], 1)],
    [(CANDIDATES[0], None)],
    [(name, 1) for name in CANDIDATES],
]


@pytest.fixture(scope="module")
def secret() -> World:
    """Everybody casts another ballot, some twice; all are signed in."""
    world = World(Engine.in_memory())
    ada, *voters = world.register("Ada", *(f"Voter {number:02}" for number in range(len(RANKINGS))))
    terms = ElectionSettings(secret_ballot=True, publication=Publication.CONFIRMATIONS)
    world.launch(ada, "E", CANDIDATES, terms=terms)
    for voter, lines in zip(voters, RANKINGS, strict=True):
        world.service.auth.sign_in(voter.name, PASSWORD)
        world.service.voting.cast(voter, "E", RANKINGS[0], "first")
        world.service.voting.cast(voter, "E", lines, "second")
    return world


def _everything(world: World) -> list[str]:
    return [
        item for table in (votes, event_log, expiring) for item in dump_items(world.driver, table)
    ]


def test_stored_secret_ballot_reveals_no_ranking_confirmation_or_nonce(secret: World) -> None:
    store = open_store(secret.driver)
    book, read = secret.service.context.book, secret.service.context.read
    text = "\n".join(_everything(secret))
    ballots = book.ballots(book.record(read.get_election("E")))
    assert len(ballots) == len(RANKINGS)
    for one in ballots:
        assert one.content.confirmation not in text
        assert one.content.confirmation.replace("-", "") not in text.replace("-", "")
        assert one.content.nonce.hex() not in text
    for stored in store.admin.scan(Ballot):
        assert (stored.rankings, stored.confirmation) == (None, None)


def test_no_stored_item_has_a_candidate_beside_a_voter(secret: World) -> None:
    beside = [item for item in _everything(secret) if "Voter " in item]
    assert len(beside) > 2 * len(RANKINGS)
    assert not [item for item in beside for name in CANDIDATES if name in item]


def test_sealed_ballots_have_equal_length(secret: World) -> None:
    ballots = [item for item in dump_items(secret.driver) if '"BALLOT"' in item]
    # All voters' names are as long as each other; only numbers of events differ.
    assert len({len(item) for item in ballots}) <= 3
    assert len({len(one.sealed or "") for one in open_store(secret.driver).admin.scan(Ballot)}) == 1
    cast = [item for item in dump_items(secret.driver, event_log) if "BallotCast" in item]
    assert len({len(item) for item in cast}) <= 3


def test_equal_ballots_are_sealed_differently(secret: World) -> None:
    cast = [one.event_data for one in read_events(secret.driver) if one.event_type == "BallotCast"]
    for name in ("sealed", "request", "fingerprint"):
        assert len({data[name] for data in cast}) == len(cast)


def test_wrong_key_is_rejected_with_instructions(secret: World) -> None:
    others = Keys(BallotKey(os.urandom(32)), KEYS.signer, KEYS.secret)
    with pytest.raises(WrongKeys, match=r"ballots\.key"):
        secret.open(keys=others)


def test_sealed_ballot_opens_only_in_its_own_election(secret: World) -> None:
    context = secret.service.context
    other = secret.service.lifecycle.create(context.read.get_user("Ada"), "Another")
    one = context.book.ballots(context.book.record(context.read.get_election("E")))[0]
    voter_id = UserId(context.read.get_user(one.voter_name).user_id)
    with pytest.raises(CorruptTable):
        context.book.open_event(other, voter_id, one.event)
