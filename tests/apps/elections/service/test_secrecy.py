"""The tables reveal nothing about a secret ballot except that it was cast."""

from __future__ import annotations

import os
from itertools import permutations

import pytest

from singletable import Engine
from singletable_apps.elections.entities import Ballot, Publication, votes
from singletable_apps.elections.errors import CorruptTable, WrongKeys
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.closing import open_ballot
from singletable_apps.elections.service.voting import Lines
from singletable_apps.shared.accounts import expiring
from tests.apps.support.elections.world import KEYS, PASSWORD, World, ballot, dump_items, open_store

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


def _voter_id(world: World, one: Ballot) -> int:
    return world.service.context.read.get_user(one.voter_name).user_id


def _everything(world: World) -> list[str]:
    return [
        item for table in (votes, event_log, expiring) for item in dump_items(world.driver, table)
    ]


def test_stored_secret_ballot_reveals_no_ranking_confirmation_or_nonce(secret: World) -> None:
    store = open_store(secret.driver)
    election = secret.service.context.read.get_election("E")
    text = "\n".join(_everything(secret))
    ballots = list(store.admin.scan(Ballot))
    assert len(ballots) == len(RANKINGS)
    for one in ballots:
        said = open_ballot(election, _voter_id(secret, one), one, KEYS)
        assert said.confirmation not in text
        assert said.confirmation.replace("-", "") not in text.replace("-", "")
        assert said.nonce.hex() not in text
        assert (one.rankings, one.nonce, one.confirmation) == (None, None, None)


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
    sealed = [one.sealed for one in open_store(secret.driver).admin.scan(Ballot)]
    marks = [mark for one in open_store(secret.driver).admin.scan(Ballot) for mark in one.requests]
    said = [
        asked.fingerprint
        for one in open_store(secret.driver).admin.scan(Ballot)
        for asked in one.requests.values()
    ]
    for values in (sealed, marks, said):
        assert len(set(values)) == len(values)


def test_wrong_key_is_rejected_with_instructions(secret: World) -> None:
    others = Keys(BallotKey(os.urandom(32)), KEYS.signer, KEYS.secret)
    with pytest.raises(WrongKeys, match=r"ballots\.key"):
        secret.open_service(keys=others)
    election = secret.service.context.read.get_election("E")
    for one in open_store(secret.driver).admin.scan(Ballot):
        with pytest.raises(CorruptTable):
            open_ballot(election, _voter_id(secret, one), one, others)


def test_sealed_ballot_opens_only_in_its_own_election(secret: World) -> None:
    ada = secret.service.context.read.get_user("Ada")
    other = secret.service.lifecycle.create(ada, "Another")
    one = next(iter(open_store(secret.driver).admin.scan(Ballot)))
    with pytest.raises(CorruptTable):
        open_ballot(other, _voter_id(secret, one), one, KEYS)
