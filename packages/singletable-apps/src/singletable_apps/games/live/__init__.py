"""The live layer: sockets, timers, presence and answers of the rooms of a process.

    live = LiveGames(service)
    member = live.attendee(seat)
    await serve_socket(
        websocket, live.rooms, game_id, member,
        snapshot=live.snapshot, receive=live.receiver(seat),
    )

A watcher per game reads its state, runs its timers, and publishes views: `gameStateChanged` once
per channel and `playerUpdated` per player. It is woken when something changes in this process, or
when the change feed has a state or a `Process` item of another one; these items also add up
presence and the number of answers. If a process is killed, the others do all that is due.
"""

from singletable_apps.games.live.games import LIMITS, LiveGames
from singletable_apps.games.live.presence import Attendee
from singletable_apps.games.live.setup import Pace

__all__ = ["LIMITS", "Attendee", "LiveGames", "Pace"]
