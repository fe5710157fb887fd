"""Who can be voted for, and who may vote."""

from __future__ import annotations

import json
from collections.abc import Sequence

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import Invalid
from singletable_apps.elections.events import (
    CandidatesAdded,
    CandidatesRemoved,
    EventData,
    VotersAdded,
    VotersRemoved,
)
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.removed import is_removed
from singletable_apps.elections.rules import (
    candidate_names,
    check_candidates,
    check_voters,
    folded,
    voter_names,
)
from singletable_apps.elections.service.context import Context, RevisionCheck, any_revision, still

# An event is one item of at most 400 KB, and names may be long.
NAMES_AN_EVENT = 200
# What a command appends is one transaction of at most 4 MB.
MOST_BYTES = 3_000_000


class Rolls:
    """Commands about the candidates and the voters of an election."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def set_candidates(
        self, actor: User, name: str, names: Sequence[str], basis: RevisionCheck = any_revision
    ) -> Election:
        """The candidates there are to be; who is there already stays."""
        wanted = candidate_names(names)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor), view.get_election(name)
            check_candidates(me, election, count=len(wanted))
            basis(election.revision)
            now = [one.candidate_name for one in view.list_candidates(election.name)]
            added, removed = _changes(now, wanted)
            _check_size([*added, *removed])
            return [
                *(CandidatesRemoved(election.name, part) for part in _parts(removed)),
                *(CandidatesAdded(election.name, part) for part in _parts(added)),
            ]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def set_voters(
        self, actor: User, name: str, names: Sequence[str], basis: RevisionCheck = any_revision
    ) -> Election:
        """Those who may vote; none is everybody whose role lets them vote."""
        wanted = voter_names(names)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor), view.get_election(name)
            check_voters(me, election)
            basis(election.revision)
            now = [one.voter_name for one in view.list_voters_and_removed(election.name)]
            listed = {folded(one) for one in now}
            added = [one for one in wanted if folded(one) not in listed]
            registered = _registered(view, added)
            stay = {folded(one) for one in wanted}
            # Who was removed as a user stays listed under no name, unless the list ends.
            removed = [
                one
                for one in now
                if folded(one) not in stay and (not is_removed(one) or not wanted)
            ]
            _check_size([*registered, *removed])
            return [
                *(VotersRemoved(election.name, part) for part in _parts(removed)),
                *(VotersAdded(election.name, part) for part in _parts(registered)),
            ]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)


def _changes(now: Sequence[str], wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Who is to be added, and who to be removed; another spelling of a name is both."""
    there, to_be = set(now), set(wanted)
    return [name for name in wanted if name not in there], [
        name for name in now if name not in to_be
    ]


def _registered(view: ReadModel, names: Sequence[str]) -> list[str]:
    """The users of these names, as they are written; refused if there is one who is none."""
    found = dict(zip(names, view.find_users(names), strict=True))
    strangers = [name for name, user in found.items() if user is None]
    if strangers:
        raise Invalid(
            f"Cannot set eligibility for unregistered users: {', '.join(strangers)}. Have them "
            "register first, or leave them out.",
            field="voters",
        )
    return [user.name for user in found.values() if user is not None]


def _check_size(names: Sequence[str]) -> None:
    if len(json.dumps(names, ensure_ascii=False).encode()) > MOST_BYTES:
        raise Invalid(
            f"{len(names):,} names of this length are more than one step can take. Change the "
            "list in several steps.",
        )


def _parts(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(names[at : at + NAMES_AN_EVENT]) for at in range(0, len(names), NAMES_AN_EVENT)]
