"""The settings of an election, chosen before the launch: in commands, forms and bodies of the API.

Items and events have them as fields of their own, because both formats are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from singletable_apps.elections import events
from singletable_apps.elections.entities import CandidateOrder, Election, Electorate, Publication
from singletable_apps.elections.rules.elections import default_electorate, default_publication
from singletable_apps.elections.rules.methods import MAX_SEATS, METHOD, METHODS, clean_quorum
from singletable_apps.elections.rules.names import clean_optional
from singletable_apps.shared.web import StrictBoolean, Timestamp

# The name and settings to change, by name. What is left out stays as it is.
ElectionChanges: TypeAlias = Mapping[str, Any]
Method = Annotated[str, WithJsonSchema({"type": "string", "enum": list(METHODS)})]
# What all questions on a ballot have in common.
SHARED = (
    *("secret_ballot", "publication", "no_voting_before", "no_voting_after"),
    *("quorum", "ballot_name"),
)


class Counting(BaseModel):
    """How ballots are counted, and what they offer."""

    model_config = ConfigDict(frozen=True)

    method: Method = Field(default=METHOD.key, description="The counting method that decides.")
    seats: int = Field(
        default=1,
        strict=True,
        ge=1,
        le=MAX_SEATS,
        description="How many are elected; several with STV only.",
    )
    order: CandidateOrder = Field(
        default=CandidateOrder.ENTERED, description="The order of candidates on ballots."
    )
    none_of_these: StrictBoolean = Field(
        default=False, description="Whether ballots offer “None of these”, which cannot win."
    )
    quorum: str = Field(
        default="",
        max_length=20,
        description="Voters needed for a valid result: a number, a share, or nothing.",
    )


class EditableSettings(Counting):
    """The settings that the owner can edit until the launch.

    No publication means the default, which depends on the secrecy.
    """

    secret_ballot: StrictBoolean = Field(default=False, description="Whether ballots are secret.")
    publication: Publication | None = Field(
        default=None,
        description="What is published after the close; null for the default of the ballot.",
    )
    no_voting_before: Timestamp | None = Field(
        default=None, description="When voting opens; null for at the launch."
    )
    no_voting_after: Timestamp | None = Field(
        default=None, description="When voting closes; null for when the owner closes it."
    )


class ElectionSettings(EditableSettings):
    """The settings of a new election. No electorate means the default."""

    electorate: Electorate | None = Field(
        default=None,
        description="Whether people with accounts vote, or people on a roll; null for the default "
        "of the ballot.",
    )


def create_event(settings: ElectionSettings, **others: Any) -> events.ElectionCreated:
    """Return the event that creates an election with these settings."""
    secret = settings.secret_ballot
    values: dict[str, Any] = {
        **dict(settings),
        "publication": settings.publication or default_publication(secret),
        "electorate": settings.electorate or default_electorate(secret),
        "seats": str(settings.seats),
        "quorum": clean_quorum(settings.quorum),
    }
    return events.ElectionCreated(by_names=False, **values, **others)


def apply_changes(changes: ElectionChanges, election: Election) -> events.ElectionUpdated:
    """Return the settings that an election would have.

    A default publication follows a change of secrecy. Otherwise, making a ballot secret would
    leave all ballots published.
    """
    publication, secret = election.publication, changes.get("secret_ballot")
    if secret is not None and publication is default_publication(election.secret_ballot):
        publication = default_publication(secret)
    wanted: dict[str, Any] = {
        **_values(election),
        "publication": publication,
        **changes,
        "name": election.name,
    }
    wanted["quorum"], wanted["seats"] = clean_quorum(wanted["quorum"]), str(wanted["seats"])
    wanted["ballot_name"] = clean_optional(wanted["ballot_name"], "name", "ballot_name")
    return events.ElectionUpdated(**wanted)


def settings_of(election: Election) -> events.ElectionUpdated:
    """Return the current settings of an election."""
    values: dict[str, Any] = _values(election) | {"seats": str(election.seats)}
    return events.ElectionUpdated(**values)


def _values(election: Election) -> dict[str, Any]:
    return {name: getattr(election, name) for name in events.ElectionUpdated.__struct_fields__}
