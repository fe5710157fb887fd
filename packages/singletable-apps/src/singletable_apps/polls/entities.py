"""The items of the `ranked-choice-polls` table.

Poll and Vote are the two items of the original design. The others let many people vote at once and
watch the results cheaply: every vote also appends an entry to one of the poll's lanes, and a
snapshot stores the totals of the entries counted so far.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from singletable import Attr, Entity, Key, Table, attr, camel_case, padded, version
from singletable_apps.shared.pictures import Picture

polls = Table("ranked-choice-polls", attribute_names=camel_case)

# Enough digits for ten billion entries in a lane.
ENTRY_DIGITS = 10


class ResultsVisibility(StrEnum):
    """When people with the link can see the results."""

    ALWAYS = "always"
    AFTER_VOTING = "after-voting"
    AFTER_CLOSING = "after-closing"


class Protection(StrEnum):
    """What prevents people from voting twice."""

    BROWSER = "browser"
    CODES = "codes"
    OPEN = "open"


class PollKind(StrEnum):
    """How people answer: rank, pick one or several, or say yes, maybe or no to each date."""

    RANK = "rank"
    ONE = "one"
    SEVERAL = "several"
    DATES = "dates"


class PollSettings(BaseModel):
    """How a poll is answered, and who sees what: in the table, in forms and in the API."""

    model_config = ConfigDict(frozen=True)

    results: ResultsVisibility = Field(
        default=ResultsVisibility.ALWAYS,
        description="Who can see the results before the poll is closed.",
    )
    protection: Protection = Field(
        default=Protection.BROWSER, description="What prevents people from voting twice."
    )
    changeable: StrictBool = Field(
        default=True,
        description="Whether people can change their vote while the poll is open. Has no effect "
        "with the protection `open`, where each vote is a new one.",
    )
    kind: PollKind = Field(
        default=PollKind.RANK,
        description="How people answer: `rank` the options, pick `one` or `several`, or say yes, "
        "maybe or no to each of some `dates`.",
    )
    max_picks: int = Field(
        default=0,
        description="The most options that people can pick in a poll of the kind `several`; 0 is "
        "no limit.",
        ge=0,
    )
    write_ins: StrictBool = Field(
        default=False, description="Whether voters can add options while the poll is open."
    )
    names: StrictBool = Field(
        default=False,
        description="Whether people are asked for their name, which is shown with the results. "
        "Not with codes.",
    )
    comments: StrictBool = Field(default=False, description="Whether people can comment.")
    zone: str = Field(
        default="UTC",
        description="The time zone of dates without an offset, and of readers whose browser does "
        "not tell one.",
        examples=["Europe/Berlin"],
    )


class PollFields(Entity):
    """The attributes of a poll besides its id and settings, in all versions of the item."""

    title: Attr[str] = attr()
    description: Attr[str] = attr(default="")
    candidates: Attr[list[str]] = attr()
    created_at: Attr[datetime] = attr()
    expires_at: Attr[datetime | None] = attr(default=None)
    numbers: Attr[list[int]] = attr(factory=list)
    pictures: Attr[dict[str, Picture]] = attr(factory=dict)
    email: Attr[str | None] = attr(default=None)
    confirmed: Attr[bool] = attr(default=False)
    notices: Attr[list[str]] = attr(factory=list)
    codes: Attr[int] = attr(default=0)
    closed: Attr[bool] = attr(default=False)
    deleted: Attr[bool] = attr(default=False)
    lanes: Attr[int] = attr()
    edition: Attr[int] = attr(default=1)
    creator: Attr[str | None] = attr(name="maker", default=None)
    secret: Attr[str] = attr()
    revision: Attr[int] = version()


class Poll(PollFields, table=polls, schema_version=2):
    """A question with options. It closes at `expiresAt`, but the item is kept.

    Dates are options such as `2026-11-20` or `2026-11-20T17:00:00Z`, entered in the time zone of
    the settings. `numbers` are the numbers of the options in lane entries, once voters have added
    some; else 0, 1, 2 and so on. `pictures` are by option, and may be of options that were removed.

    `email` gets a notice at the first vote and at the close once its owner has confirmed it;
    `notices` are those that were sent. `edition` is incremented when something changes that votes
    depend on: the options, the closing time, or whether votes can be changed. `secret` is the
    fingerprint of the server secret from which the poll's voting codes and vote ids are derived.
    """

    id: Attr[str] = attr()
    settings: Attr[PollSettings] = attr(factory=PollSettings)

    key = Key(pk=("POLL", id), sk="METADATA")


class PollV1(PollFields):
    """A poll whose settings are attributes of the item."""

    id: Attr[str] = attr()
    results: Attr[ResultsVisibility] = attr(default=ResultsVisibility.ALWAYS)
    protection: Attr[Protection] = attr(default=Protection.OPEN)
    changeable: Attr[bool] = attr(default=True)
    kind: Attr[PollKind] = attr(default=PollKind.RANK)
    max_picks: Attr[int] = attr(default=0)
    write_ins: Attr[bool] = attr(default=False)
    names: Attr[bool] = attr(default=False)
    comments: Attr[bool] = attr(default=False)
    zone: Attr[str] = attr(default="UTC")


@Poll.upgrade(from_=1)
def embed_settings(old: PollV1) -> Poll:
    """Collect the settings of a poll. Those that are newer than its item have their defaults."""
    values = {name: value for name, value in vars(old).items() if name != "revision"}
    settings = {name: values.pop(name) for name in PollSettings.model_fields if name in values}
    return Poll(**values, settings=PollSettings(**settings))


class Vote(Entity, table=polls):
    """One person's ranking, best first, or what they picked, with the dates that they may do.

    The id is derived from the poll and the voter. `name` is set in polls that ask for names.

    `proof` is set on votes cast with a voting code: a digest of a secret that only the voter's
    browser has. The organizer knows the code, but without the secret cannot read the vote.
    """

    poll_id: Attr[str] = attr()
    id: Attr[str] = attr()
    rankings: Attr[list[str]] = attr()
    maybe: Attr[list[str]] = attr(factory=list)
    name: Attr[str] = attr(default="")
    voted_at: Attr[datetime] = attr()
    proof: Attr[str | None] = attr(default=None)
    revision: Attr[int] = version()

    key = Key(pk=("POLL", poll_id), sk=("VOTE", id))


class VotingLane(Entity, table=polls):
    """One of the partitions that the votes of a poll are spread over, like lanes of a road.

    Votes in different lanes never wait for each other. A lane counts its entries and accepts only
    votes for its own edition of the poll.
    """

    poll_id: Attr[str] = attr()
    lane: Attr[int] = attr()
    edition: Attr[int] = attr()
    entries: Attr[int] = attr(name="lines", default=0)

    key = Key(pk=("POLL", poll_id, "LANE", padded(lane, 2)), sk="METADATA")


class LaneEntry(Entity, table=polls):
    """What one vote changed: a ranking that was added, and the ranking that it replaced, if any.

    A ranking is written as option numbers, best first: `2 0 1`. Picks are in order, followed by
    the maybes, if any: `0 3/1`. Numbers never change once there are votes.
    """

    poll_id: Attr[str] = attr()
    lane: Attr[int] = attr()
    number: Attr[int] = attr()
    ranking: Attr[str] = attr(name="order")
    replaced_ranking: Attr[str | None] = attr(name="replaced", default=None)

    key = Key(
        pk=("POLL", poll_id, "LANE", padded(lane, 2)), sk=("LINE", padded(number, ENTRY_DIGITS))
    )


class Snapshot(Entity, table=polls):
    """Totals of a poll: how many entries of each lane they include, and the parts they are in."""

    poll_id: Attr[str] = attr()
    name: Attr[str] = attr()
    parts: Attr[int] = attr()
    positions: Attr[list[int]] = attr(name="lines")
    revision: Attr[int] = version()

    key = Key(pk=("POLL", poll_id), sk="SNAPSHOT")


class SnapshotPart(Entity, table=polls):
    """A part of a snapshot: how many votes each ranking has."""

    poll_id: Attr[str] = attr()
    name: Attr[str] = attr()
    part: Attr[int] = attr()
    counts: Attr[dict[str, int]] = attr()

    key = Key(pk=("POLL", poll_id), sk=("SNAPSHOT", name, padded(part, 4)))


class CreatedPoll(Entity, table=polls):
    """A poll in the list of polls that a browser created, oldest first."""

    browser: Attr[str] = attr()
    poll_id: Attr[str] = attr()
    created_at: Attr[datetime] = attr()

    key = Key(pk=("BROWSER", browser), sk=("POLL", created_at, poll_id))


class Comment(Entity, table=polls):
    """A comment on a poll, oldest first."""

    poll_id: Attr[str] = attr()
    id: Attr[str] = attr()
    name: Attr[str] = attr(default="")
    text: Attr[str] = attr()
    created_at: Attr[datetime] = attr()

    key = Key(pk=("POLL", poll_id), sk=("COMMENT", created_at, id))


class OptionPicture(Entity, table=polls):
    """The content of a picture of an option, as WebP."""

    poll_id: Attr[str] = attr()
    name: Attr[str] = attr()
    content: Attr[bytes] = attr()

    key = Key(pk=("POLL", poll_id), sk=("PICTURE", name))
