"""The statement that is signed when an election closes."""

from __future__ import annotations

import json
from typing import cast

from singletable_apps.elections.entities import Election
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.poll_book import ElectionRecord, PollBook
from singletable_apps.elections.proofs import documents
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.rules.elections import METHOD

# The four choices that define a Condorcet count. They are part of the signed statement.
COUNTING_RULES = {
    "method": METHOD.key,
    "strength": "winning",
    "unranked": "last",
    "order": "layers of the strongest paths",
}


def closing_statement(
    book: PollBook, record: ElectionRecord, keys: Keys, closed_at: str
) -> documents.ClosingStatement:
    """Return the statement to sign when the election closes, from the log alone."""
    election, definition = record.election, record.definition
    ballots = book.ballots(record)
    current = documents.hash_definition(definition)
    weights = [ballot.content.weight or 1 for ballot in ballots]
    return documents.create_statement(
        name=election.name,
        definition=definition,
        ballots=len(ballots),
        weight=sum(weights) if election.is_weighted else None,
        root=MerkleTree(ballot.content.confirmation for ballot in ballots).root,
        secret=keys.ballot_key.open_secret(election.election_id, election.tie_sealed or ""),
        rules=COUNTING_RULES,
        closed_at=closed_at,
        earlier=sorted({ballot.definition for ballot in ballots} - {current}),
        rankings=(
            documents.hash_rankings(ballot.content.ranking for ballot in ballots)
            if documents.may_publish_rankings(definition, len(ballots))
            else None
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
