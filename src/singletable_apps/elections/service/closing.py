"""What ballots say, for who has the key, and the statement that an election ends with."""

from __future__ import annotations

import json
from datetime import datetime
from typing import cast

from singletable_apps.counting import Ranking
from singletable_apps.elections.entities import Ballot, Definition, Election
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.proofs import (
    BallotContent,
    Closing,
    ClosingStatement,
    MerkleTree,
    create_statement,
    hash_rankings,
)
from singletable_apps.elections.proofs import BallotDefinition as Asked
from singletable_apps.elections.proofs import create_definition as definition_of
from singletable_apps.elections.read_model import ReadModel

# The four choices that make a Condorcet count what it is, said before anybody asks.
COUNTING_RULES = {
    "method": "schulze",
    "strength": "winning",
    "unranked": "last",
    "order": "layers of the strongest paths",
}


def open_ballot(election: Election, ballot: Ballot, keys: Keys) -> BallotContent:
    """What a ballot says, and its confirmation."""
    if ballot.sealed is not None:
        return keys.ballot_key.open(election.election_id, ballot.sealed)
    lines = ballot.rankings or []
    ranking = Ranking.from_pairs([(line.candidate_name, line.rank) for line in lines])
    return BallotContent(bytes.fromhex(ballot.nonce or ""), ballot.confirmation or "", ranking)


def ballot_definition(election: Election, kept: Definition) -> Asked:
    """What a voter was asked, in the form that confirmations hold it by."""
    return definition_of(
        election.election_id,
        kept.candidate_names,
        election.secret_ballot,
        level=election.publication.value,
        commitment=election.tie_commitment or "",
    )


def closing_statement(
    view: ReadModel, election: Election, keys: Keys, now: datetime
) -> ClosingStatement:
    """What is signed when the election closes now."""
    kept = list(view.list_ballots(election.name))
    ballots = [open_ballot(election, ballot, keys) for ballot in kept]
    current = election.definition or ""
    return create_statement(
        name=election.name,
        definition=ballot_definition(election, view.get_definition(election.name, current)),
        ballots=len(ballots),
        root=MerkleTree(ballot.confirmation for ballot in ballots).root,
        secret=keys.ballot_key.open_secret(election.election_id, election.tie_sealed or ""),
        rules=COUNTING_RULES,
        closed_at=now.isoformat(),
        earlier=sorted({ballot.definition for ballot in kept} - {current}),
        rankings=(
            None
            if election.publication.value == "totals"
            else hash_rankings(ballot.ranking for ballot in ballots)
        ),
    )


def get_closing(election: Election, keys: Keys) -> Closing | None:
    """What was signed, if the election has closed."""
    if election.statement is None or election.signature is None:
        return None
    return {
        "statement": cast(ClosingStatement, json.loads(election.statement)),
        "signature": election.signature,
        "public_key": keys.signer.public_key,
    }
