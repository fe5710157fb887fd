"""What is settled about an election before it opens, and what may be changed of it."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from singletable_apps.elections.entities import Election
from singletable_apps.elections.facts import ElectionUpdated
from singletable_apps.elections.rules import default_publication
from singletable_apps.elections.states import Publication

T = TypeVar("T")


class Terms(msgspec.Struct, frozen=True):
    """What is settled before an election opens. No publication: what goes with its secrecy."""

    secret_ballot: bool = False
    publication: Publication | None = None
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    @property
    def published(self) -> Publication:
        """What will be published."""
        return self.publication or default_publication(self.secret_ballot)


class Changes(msgspec.Struct, frozen=True):
    """What is to be another; what is left out stays as it is.

    A publication that was what goes with the secrecy of the ballot, follows it: nobody who makes
    a ballot secret shall have all ballots published because of what was settled before.
    """

    name: str | UnsetType = UNSET
    secret_ballot: bool | UnsetType = UNSET
    publication: Publication | UnsetType = UNSET
    no_voting_before: datetime | UnsetType | None = UNSET
    no_voting_after: datetime | UnsetType | None = UNSET

    @property
    def is_about_settings(self) -> bool:
        """Whether more than the name is to be another."""
        return any(getattr(self, field) is not UNSET for field in self.__struct_fields__[1:])

    def made_to(self, election: Election) -> ElectionUpdated:
        """The settings that the election would have."""
        now = settings_of(election)
        secret = _chosen(self.secret_ballot, now.secret_ballot)
        usual = now.publication is default_publication(now.secret_ballot)
        follows = default_publication(secret) if usual else now.publication
        return ElectionUpdated(
            name=election.name,
            secret_ballot=secret,
            publication=_chosen(self.publication, follows),
            no_voting_before=_chosen(self.no_voting_before, now.no_voting_before),
            no_voting_after=_chosen(self.no_voting_after, now.no_voting_after),
        )


def settings_of(election: Election) -> ElectionUpdated:
    """The settings that an election has."""
    return ElectionUpdated(
        name=election.name,
        secret_ballot=election.secret_ballot,
        publication=election.publication,
        no_voting_before=election.no_voting_before,
        no_voting_after=election.no_voting_after,
    )


def _chosen(wanted: T | UnsetType, now: T) -> T:
    return now if isinstance(wanted, UnsetType) else wanted
