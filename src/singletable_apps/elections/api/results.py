"""Results: the tally, ballots as they are published, and what was signed."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated

from fastapi import Path, Query

from singletable_apps.counting import METHODS
from singletable_apps.elections.api.asking import Service, ThisApi, Viewer
from singletable_apps.elections.api.models.results import (
    WARNING,
    BallotPage,
    CountShown,
    ProofShown,
    PublishedBallotShown,
    PublishedFile,
    TallyShown,
)
from singletable_apps.elections.api.models.voting import ClosingShown, InclusionShown
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.api.refusals import WRONG_STATE, topic
from singletable_apps.elections.api.slicing import sliced
from singletable_apps.elections.proofs import parse_code
from singletable_apps.elections.service import RevealedBallot
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY,
    Paging,
)

router = topic("results", NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, WRONG_STATE, TOO_MANY)
Method = Annotated[
    str, Query(description="How to count.", json_schema_extra={"enum": list(METHODS)})
]


@router.get("/elections/{name}/tally")
def read_tally(
    user: Viewer, elections: Service, name: NameInPath, method: Method = "schulze"
) -> TallyShown:
    """The count, with sentences that explain it: of a secret ballot when it has closed."""
    tally = elections.results.tally(user, name, method)
    return TallyShown(
        election_name=tally.election.name,
        ballots_cast=tally.ballots_cast,
        shown=sorted(tally.shown),
        unique_share=tally.unique_share,
        closing=ClosingShown.model_validate(tally.closing) if tally.closing else None,
        result=CountShown.model_validate(json.loads(tally.result.to_json())),
    )


@router.get("/elections/{name}/ballots")
def list_ballots(user: Viewer, api: ThisApi, name: NameInPath, page: Paging) -> BallotPage:
    """All ballots, as far as the election publishes them."""
    results = api.elections.results
    some, cursor = sliced(page, results.ballots(user, name), api)
    share = results.unique_share(user, name)
    answer = page.answer([_shown(one) for one in some], cursor)
    return BallotPage(
        items=answer.items,
        next=answer.next,
        unique_share=share,
        warning=WARNING.format(share=share) if share else None,
    )


@router.get("/elections/{name}/publication")
def read_publication(user: Viewer, elections: Service, name: NameInPath) -> PublishedFile:
    """The signed file that everybody may check, after the close."""
    return PublishedFile.model_validate(elections.results.published(user, name))


@router.get("/elections/{name}/proofs/{confirmation}")
def read_proof(
    user: Viewer,
    elections: Service,
    name: NameInPath,
    confirmation: Annotated[
        str, Path(max_length=200, description="With or without dashes.", examples=["a" * 52])
    ],
) -> ProofShown:
    """That a confirmation is among those that were signed at the close."""
    code = parse_code(confirmation)
    proof, closing = elections.results.proof(user, name, code)
    return ProofShown(
        confirmation=code,
        proof=InclusionShown.model_validate(proof),
        closing=ClosingShown.model_validate(closing),
    )


def _shown(ballot: RevealedBallot) -> PublishedBallotShown:
    return PublishedBallotShown(
        ranking=[list(level) for level in ballot.ranking.levels],
        confirmation=ballot.confirmation,
        voter_name=ballot.voter_name,
        when_cast=datetime.fromisoformat(ballot.when_cast) if ballot.when_cast else None,
    )
