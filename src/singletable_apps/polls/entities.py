"""What is kept in `ranked-choice-polls`: the document's two items, and what lets many vote at once.

A vote is one item of the poll, as documented. So that a result need not read them all, each vote
also leaves a line in one of the poll's lanes; and now and then a snapshot sums up the lines.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from singletable import Attr, Entity, Key, Table, attr, padded, version

polls = Table("ranked-choice-polls")

# Ten digits number more votes than there are people.
WIDTH = 10


class Results(StrEnum):
    """When those who have the link may see how a poll stands."""

    ALWAYS = "always"
    AFTER_VOTING = "after-voting"
    AFTER_CLOSING = "after-closing"


class Protection(StrEnum):
    """What keeps people from voting twice."""

    BROWSER = "browser"
    CODES = "codes"
    OPEN = "open"


class Poll(Entity, table=polls):
    """A question with options to rank. `expiresAt` is when it closes; the item stays.

    `edition` counts changes to what a vote depends on: options, until when one may vote, and
    whether a vote can be changed.
    `secret` names the secret that its codes, and the ids of its votes, are made of.
    """

    id: Attr[str] = attr()
    title: Attr[str] = attr()
    description: Attr[str] = attr(default="")
    candidates: Attr[list[str]] = attr()
    created_at: Attr[datetime] = attr(name="createdAt")
    expires_at: Attr[datetime | None] = attr(name="expiresAt", default=None)
    results: Attr[Results] = attr(default=Results.ALWAYS)
    protection: Attr[Protection] = attr(default=Protection.OPEN)
    changeable: Attr[bool] = attr(default=True)
    codes: Attr[int] = attr(default=0)
    closed: Attr[bool] = attr(default=False)
    deleted: Attr[bool] = attr(default=False)
    lanes: Attr[int] = attr()
    edition: Attr[int] = attr(default=1)
    maker: Attr[str | None] = attr(default=None)
    secret: Attr[str] = attr()
    revision: Attr[int] = version()

    key = Key(pk=("POLL", id), sk="METADATA")


class Vote(Entity, table=polls):
    """What somebody ranked, best first. The id is made of the poll and who votes: see secret.py."""

    poll_id: Attr[str] = attr(name="pollId")
    id: Attr[str] = attr()
    rankings: Attr[list[str]] = attr()
    voted_at: Attr[datetime] = attr(name="votedAt")
    revision: Attr[int] = version()

    key = Key(pk=("POLL", poll_id), sk=("VOTE", id))


class Lane(Entity, table=polls):
    """One of the ways into a poll: how many came, and which edition of the poll they came for.

    A vote for another edition is not let in.
    """

    poll_id: Attr[str] = attr(name="pollId")
    lane: Attr[int] = attr()
    edition: Attr[int] = attr()
    lines: Attr[int] = attr(default=0)

    key = Key(pk=("POLL", poll_id, "LANE", padded(lane, 2)), sk="METADATA")


class Line(Entity, table=polls):
    """What one vote changed: an order of options more, and one less if it replaced another.

    An order is written by the numbers of the options, best first: `2 0 1`. Options do not change
    once there are votes.
    """

    poll_id: Attr[str] = attr(name="pollId")
    lane: Attr[int] = attr()
    number: Attr[int] = attr()
    order: Attr[str] = attr()
    replaced: Attr[str | None] = attr(default=None)

    key = Key(pk=("POLL", poll_id, "LANE", padded(lane, 2)), sk=("LINE", padded(number, WIDTH)))


class Snapshot(Entity, table=polls):
    """How many lines of each lane are summed up, and under which name the sums are."""

    poll_id: Attr[str] = attr(name="pollId")
    name: Attr[str] = attr()
    parts: Attr[int] = attr()
    lines: Attr[list[int]] = attr()
    revision: Attr[int] = version()

    key = Key(pk=("POLL", poll_id), sk="SNAPSHOT")


class SnapshotPart(Entity, table=polls):
    """A part of the sums: how often each order was voted for."""

    poll_id: Attr[str] = attr(name="pollId")
    name: Attr[str] = attr()
    part: Attr[int] = attr()
    counts: Attr[dict[str, int]] = attr()

    key = Key(pk=("POLL", poll_id), sk=("SNAPSHOT", name, padded(part, 4)))


class Made(Entity, table=polls):
    """That a browser made a poll: what "my polls" lists, the newest last."""

    browser: Attr[str] = attr()
    poll_id: Attr[str] = attr(name="pollId")
    created_at: Attr[datetime] = attr(name="createdAt")

    key = Key(pk=("BROWSER", browser), sk=("POLL", created_at, poll_id))
