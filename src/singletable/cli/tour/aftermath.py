"""What remains after the requests: the change feed, and items whose time to live is over."""

from __future__ import annotations

from singletable.cli.tour.chapter import Walk, ask
from singletable.cli.tour.clock import TourClock
from singletable.cli.tour.declare import key
from singletable.cli.tour.games import CONNECTION, GAME, GAMES_TABLE, TWO_HOURS
from singletable.cli.tour.plain import to_item
from singletable.operations import GetItem, ReadChanges, SweepExpired, UpdateItem

TITLE = "What changed, and what expired"
ABOUT = (
    "Every write also enters a change feed, in the same transaction and in commit order: the "
    "ground for live pages and projections. And expired items go when whoever runs the engine "
    "calls for a sweep; no thread works behind your back."
)


def aftermath(clock: TourClock) -> Walk[None]:
    """Follow one write through the feed, then let two hours pass."""
    end = yield from ask(
        "Where the feed stands now",
        "an operation of singletable's own",
        ReadChanges(after=None, table_name=GAMES_TABLE),
    )
    yield from ask(
        "Leaderboard updates",
        "TotalScore: number (default: 0)",
        UpdateItem(
            GAMES_TABLE,
            key(GAME, "PLAYER#Ada"),
            update_expression="ADD TotalScore :points",
            expression_attribute_values=to_item({":points": 30}),
            return_values="UPDATED_NEW",
        ),
        columns=("TotalScore",),
    )
    seen = yield from ask(
        "What was written since",
        "an operation of singletable's own",
        ReadChanges(after=end.position, table_name=GAMES_TABLE),
    )
    clock.skip(TWO_HOURS + 1)
    connection = GetItem(GAMES_TABLE, CONNECTION)
    yield from ask(
        "Two hours later: the connection",
        "TTL: number (2 hours from connection)",
        connection,
        columns=("ConnectionId", "PlayerName", "TTL"),
        remark="Expired, and still there, as in DynamoDB: a read gives it until it is swept.",
    )
    yield from ask(
        "Cleanup Process",
        "DynamoDB TTL handles automatic cleanup",
        SweepExpired(GAMES_TABLE),
    )
    yield from ask("The connection after the sweep", "GetItem", connection)
    yield from ask(
        "And the feed tells expiry from deletion",
        "an operation of singletable's own",
        ReadChanges(after=seen.position, table_name=GAMES_TABLE),
    )
