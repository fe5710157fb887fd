"""Open ballots with the key, and create the statement that is signed when an election closes."""

from __future__ import annotations

import json
from datetime import datetime
from typing import cast

from singletable_apps.counting import Ranking
from singletable_apps.elections.entities import Ballot, Definition, Election
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.proofs import documents
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.rules.elections import METHOD

# The four choices that define a Condorcet count. They are part of the signed statement.
COUNTING_RULES = {
    "method": METHOD.key,
    "strength": "winning",
    "unranked": "last",
    "order": "layers of the strongest paths",
}


def open_ballot(election: Election, ballot: Ballot, keys: Keys) -> documents.BallotContent:
    """Return the content of a ballot, unsealed if it is secret."""
    if ballot.sealed is not None:
        return keys.ballot_key.open(election.election_id, ballot.sealed)
    lines = ballot.rankings or []
    ranking = Ranking.from_pairs([(line.candidate_name, line.rank) for line in lines])
    return documents.BallotContent(
        bytes.fromhex(ballot.nonce or ""), ballot.confirmation or "", ranking
    )


def ballot_definition(election: Election, stored: Definition) -> documents.BallotDefinition:
    """Return what a ballot is about, in the form that confirmations are computed from."""
    return documents.create_definition(
        election.election_id,
        stored.candidate_names,
        election.secret_ballot,
        level=election.publication.value,
        commitment=election.tie_commitment or "",
    )


def closing_statement(
    read: ReadModel, election: Election, keys: Keys, now: datetime
) -> documents.ClosingStatement:
    """Return the statement to sign if the election closes now."""
    stored = list(read.list_ballots(election.name))
    ballots = [open_ballot(election, ballot, keys) for ballot in stored]
    current = election.definition or ""
    return documents.create_statement(
        name=election.name,
        definition=ballot_definition(election, read.get_definition(election.name, current)),
        ballots=len(ballots),
        root=MerkleTree(ballot.confirmation for ballot in ballots).root,
        secret=keys.ballot_key.open_secret(election.election_id, election.tie_sealed or ""),
        rules=COUNTING_RULES,
        closed_at=now.isoformat(),
        earlier=sorted({ballot.definition for ballot in stored} - {current}),
        rankings=(
            None
            if election.publication.value == "totals"
            else documents.hash_rankings(ballot.ranking for ballot in ballots)
        ),
    )


def get_closing(election: Election, keys: Keys) -> documents.Closing | None:
    """Return the signed statement of a closed election, or None."""
    if election.statement is None or election.signature is None:
        return None
    return {
        "statement": cast(documents.ClosingStatement, json.loads(election.statement)),
        "signature": election.signature,
        "public_key": keys.signer.public_key,
    }
