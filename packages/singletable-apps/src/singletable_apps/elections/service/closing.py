"""The statement that is signed when an election closes."""

from __future__ import annotations

import json
from typing import cast

from singletable_apps.elections.entities import Election, Electorate
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.log_state import ElectionRecord
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.proofs import documents
from singletable_apps.elections.proofs.merkle import MerkleTree
from singletable_apps.elections.rules.methods import counting_rules


def count_eligible(book: PollBook, record: ElectionRecord) -> int:
    """Return how many people may vote now or have already voted."""
    voters = len(record.voters)
    if not voters and record.election.electorate is Electorate.ACCOUNTS:
        voters = book.count_voters()
    return max(voters, len(record.ballots))


def closing_statement(
    book: PollBook, record: ElectionRecord, keys: Keys, closed_at: str, eligible: int | None = None
) -> documents.ClosingStatement:
    """Return the statement to sign when the election closes, from the log alone.

    Pass the number of `eligible` people of a signed statement to compute it again.
    """
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
        rules=counting_rules(election),
        closed_at=closed_at,
        eligible=(eligible or count_eligible(book, record)) if election.quorum else None,
        earlier_names=sorted(record.earlier_names - {election.name}),
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
