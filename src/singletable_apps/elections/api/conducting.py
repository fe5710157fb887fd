"""The course of an election: launched, fixed, closed, or given to another."""

from __future__ import annotations

from singletable_apps.elections.api.asking import Service, Viewer
from singletable_apps.elections.api.models.elections import ElectionShown, Launch, Owner
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.api.refusals import WRONG_STATE, topic
from singletable_apps.elections.entities import Election
from singletable_apps.elections.service import Elections
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY,
    Edit,
    IfMatch,
)

router = topic("conducting", NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, WRONG_STATE, TOO_MANY)


@router.post("/elections/{name}/launch")
def launch_election(
    user: Viewer, elections: Service, name: NameInPath, sent: Launch, edit: IfMatch
) -> ElectionShown:
    """Let voting begin."""
    launched = elections.conducting.launch(user, name, allow_edit=sent.allow_edit, basis=edit.check)
    return _shown(launched, edit, elections)


@router.post("/elections/{name}/fix")
def fix_election(
    user: Viewer, elections: Service, name: NameInPath, edit: IfMatch
) -> ElectionShown:
    """Let nothing be edited any more, ballots included, while votes are accepted."""
    return _shown(elections.conducting.fix(user, name, edit.check), edit, elections)


@router.post("/elections/{name}/finalize")
def finalize_election(
    user: Viewer, elections: Service, name: NameInPath, edit: IfMatch
) -> ElectionShown:
    """Close an election, and sign with which ballots."""
    return _shown(elections.conducting.finalise(user, name, edit.check), edit, elections)


@router.put("/elections/{name}/owner")
def hand_over_election(
    user: Viewer, elections: Service, name: NameInPath, sent: Owner, edit: IfMatch
) -> ElectionShown:
    """Make an election somebody else's."""
    return _shown(
        elections.conducting.hand_over(user, name, sent.owner, edit.check), edit, elections
    )


def _shown(election: Election, edit: Edit, elections: Elections) -> ElectionShown:
    edit.answer(election.revision)
    return ElectionShown.of(election, elections.office.clock())
