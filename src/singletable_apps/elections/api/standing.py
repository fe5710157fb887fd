"""How things stand as a whole: a number that moves, and how many there are."""

from __future__ import annotations

from singletable_apps.elections.api.asking import Service, Viewer
from singletable_apps.elections.api.models.elections import Counts, Version
from singletable_apps.elections.api.refusals import topic
from singletable_apps.shared.web import NOT_ALLOWED, NOT_SIGNED_IN, TOO_MANY, responses

router = topic("standing")


@router.get("/version")
def read_version(elections: Service) -> Version:
    """A number that moves when anything changes; for everybody."""
    sync = elections.office.view.sync()
    if sync is None:
        return Version(version=0, rebuilding=False)
    return Version(version=sync.last_event_id, rebuilding=sync.rebuilding)


@router.get("/counts", responses=responses(NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY))
def read_counts(user: Viewer, elections: Service) -> Counts:
    """How many users and elections there are."""
    found = elections.queries.counts(user)
    return Counts(users=found.user_count, elections=found.election_count)
