"""Send views after each change to the members of a room, and counters in between.

Everything is read in threads; all methods are for the event loop.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from singletable_apps.games.entities import GameState, Player
from singletable_apps.games.errors import Busy, WrongPhase
from singletable_apps.games.live import messages
from singletable_apps.games.live.presence import (
    ROLES,
    Attendee,
    Presence,
    begins_round,
    channel_of,
    round_of,
)
from singletable_apps.games.live.setup import LiveSetup, ReadBudget
from singletable_apps.games.phases import Phase
from singletable_apps.games.service.context import has_link
from singletable_apps.games.tokens import DRIVERS
from singletable_apps.games.views import Snapshot, View, iso_time, public_view, roster_view
from singletable_apps.shared.rooms import CloseCode, Member, Room

_REACTING = (Phase.WAITING, Phase.REVEAL, Phase.LEADERBOARD, Phase.ENDED)
# Parts of a view that change by messages of their own.
_UNMARKED = ("host", "playerCount", "audience")
# Frames take time that answers need: the phones of a process together get at most this many
# counters per second, and hosts and screens of this many games do.
_COUNTS_PER_SECOND, _GAMES_PER_SECOND = 1_000, 200


@dataclass(slots=True)
class Published:
    """The last views that clients received, by channel and encoded."""

    snapshot: Snapshot
    views: dict[str, Any] = field(default_factory=dict[str, Any])
    # The views without such parts, to recognize other changes.
    marks: dict[str, bytes] = field(default_factory=dict[str, bytes])
    host: View | None = None


class Publisher:
    """Sends a room its views and counters.

    `last` is None until something was published, and `next_changes` and `next_answers` are when
    to read again.
    """

    def __init__(self, room: Room, setup: LiveSetup) -> None:
        self._room = room
        self._setup = setup
        self._pace = setup.pace
        self._snapshots = setup.service.snapshots
        self._budget = ReadBudget(setup)
        self._reactions = Counter[messages.Emoji]()
        self._round_began = 0.0
        self.last: Published | None = None
        self.next_changes = self.next_answers = 0.0
        # Set if there is a view, and no newer one is read: members that join wait for it.
        self._ready = asyncio.Event()

    # -------------------------------------------------------------------------- views

    async def initial_state(self, member: Member) -> tuple[messages.InitialState, list[str]]:
        """Return the views that were published last, and the questions that are answered already.

        These are of the player, and none if something else was published meanwhile.
        """
        await self._ready.wait()
        last = self.last
        if last is None:
            raise Busy("This game cannot be read right now. Try again in a moment.")
        if reason := revoked(member, last.snapshot):
            # It was removed after its token was checked.
            self._room.disconnect(member.id, *reason)
        channel = channel_of(member)
        if channel not in last.views:
            views = await self._setup.run(self._build_views, last.snapshot, [channel])
            self._add_view(last, channel, views[channel])
        me: Any = msgspec.UNSET
        answered: list[str] = []
        if channel == "player":
            me = await self._setup.run(self._snapshots.player_view, last.snapshot, member.id)
            answered = answered_questions(last.snapshot, me) if last is self.last else []
        now = iso_time(self._setup.service.context.clock()) or ""
        return messages.InitialState(last.views[channel], now, me), answered

    @contextmanager
    def _reading(self) -> Generator[None]:
        """Hold back new members while the recipients of a change are chosen and it is published."""
        self._ready.clear()
        try:
            yield
        finally:
            if self.last is not None:
                self._ready.set()

    def close(self) -> None:
        """Let members that wait for a view go on."""
        self._ready.set()

    async def show_phase(
        self, state: GameState, presence: Presence, *, fresh: bool
    ) -> dict[str, list[str]]:
        """Publish a new state: a view for each channel, and one for each player.

        Return the questions that each player has answered already. If it is `fresh`, players are
        read again, too.
        """
        with self._reading():
            players = list(presence.connected["player"])
            snapshot, views, personal = await self._setup.run(
                self._build, state, presence.channels(), players, fresh=fresh
            )
            before, last = self.last, Published(snapshot)
            self.last = last
            self._room.version = state.version
            if begins_round(before.snapshot if before else None, state):
                self._round_began = asyncio.get_running_loop().time()
                # Many rooms may begin at the same time, and their first answers come at once.
                self.next_answers = self._budget.next_time(self._pace.slow)
            for channel, view in views.items():
                self._add_view(last, channel, view)
                if before is not None:
                    self._publish_view(last, channel)
            if before is not None:
                self._publish_personal(personal)
            self._update_roster(last)
        return {player_id: answered_questions(snapshot, me) for player_id, me in personal.items()}

    async def show_changes(self, state: GameState, presence: Presence) -> None:
        """Publish changes within a phase: of players, settings and moderated answers."""
        with self._reading():
            snapshot, views, _ = await self._budget.run(
                self._build, state, presence.channels(), (), fresh=True
            )
            before, last = self.last, Published(snapshot)
            assert before is not None
            self.last = last
            for channel, view in views.items():
                self._add_view(last, channel, view)
                if last.marks[channel] != before.marks.get(channel):
                    self._publish_view(last, channel)
            self._update_roster(last)
            self._update_host(last)
            summary = snapshot.round.summary if snapshot.round else ""
            if summary and before.snapshot.round and summary != before.snapshot.round.summary:
                ready = messages.SummaryReady(snapshot.state.question_id, summary)
                self._room.publish("aiSummaryReady", ready)
            changed = changed_players(snapshot, before.snapshot, presence.connected["player"])
            read = self._snapshots.player_views
            self._publish_personal(await self._setup.run(read, snapshot, changed))
            await self._disconnect_revoked(snapshot)
        self.next_changes = self._budget.next_time(self._pace.fast)

    async def show_answers(self, presence: Presence) -> None:
        """Show hosts the players with an answer, and hosts and screens live counts."""
        last, connected = self.last, presence.connected
        assert last is not None
        has_tally = last.snapshot.game.settings.live_counts and connected["screen"]
        if connected["host"] or has_tally:
            views = await self._budget.run(self._build_views, last.snapshot, ["host"])
            if last is self.last:
                self._add_view(last, "host", views["host"])
                self._update_host(last)
        self.next_answers = self._budget.next_time(self._pace.slow)

    def _build(
        self, state: GameState, channels: Iterable[str], players: Iterable[str], *, fresh: bool
    ) -> tuple[Snapshot, dict[str, View], dict[str, View]]:
        """Return a snapshot with views by channel and by player. Call it in a thread."""
        game_id, snapshots = self._room.key, self._snapshots
        if fresh:
            snapshots.forget_players(game_id)
        snapshot = snapshots.read(game_id, state=state)
        views = self._build_views(snapshot, channels)
        return snapshot, views, snapshots.player_views(snapshot, players)

    def _build_views(self, snapshot: Snapshot, channels: Iterable[str]) -> dict[str, View]:
        views = dict[str, View]()
        for channel in channels:
            role = ROLES[channel]
            source = self._snapshots.for_hosts(snapshot) if role in DRIVERS else snapshot
            views[channel] = public_view(source, role)
        return views

    def _add_view(self, published: Published, channel: str, view: View) -> None:
        """Keep a view for members who join, and send its audience part."""
        published.views[channel] = msgspec.Raw(msgspec.json.encode(view))
        marked = {name: part for name, part in view.items() if name not in _UNMARKED}
        published.marks[channel] = msgspec.json.encode(marked)
        audience = messages.AudienceChanged(view["audience"])
        self._room.update("audienceChanged", audience, channel, interval=self._pace.slow)
        if "host" in view:
            published.host = view["host"]

    def _publish_view(self, published: Published, channel: str) -> None:
        changed = messages.GameChanged(published.views[channel])
        self._room.publish("gameStateChanged", changed, channel)

    def _publish_personal(self, personal: Mapping[str, Any]) -> None:
        for player_id, me in personal.items():
            self._room.publish("playerUpdated", messages.PlayerChanged(me), f"me:{player_id}")

    async def _disconnect_revoked(self, snapshot: Snapshot) -> None:
        """Disconnect the members whose access was revoked, and tell removed players."""
        for member in self._room.members():
            if reason := revoked(member, snapshot):
                if reason[0] is CloseCode.FORBIDDEN:
                    self._room.publish("playerRemoved", messages.PlayerRemoved(), f"me:{member.id}")
                    await self._room.drain()
                self._room.disconnect(member.id, *reason)

    # -------------------------------------------------------------------------- states

    def fast_interval(self) -> float:
        """Return the seconds between counters of hosts and screens."""
        return max(self._pace.fast, len(self._setup.rooms) / _GAMES_PER_SECOND)

    def _update_host(self, last: Published) -> None:
        if last.host is None:
            return
        state, settings = last.snapshot.state, last.snapshot.game.settings
        part = messages.HostPart(state.version, last.host)
        self._room.update("hostChanged", part, "host", interval=self._pace.slow)
        if settings.live_counts and state.phase is Phase.OPEN and last.host["liveTally"]:
            tally = messages.Tally(state.question_id, last.host["liveTally"])
            for channel in ("host", "screen"):
                self._room.update("liveTally", tally, channel, interval=self._pace.slow)

    def _update_roster(self, last: Published) -> None:
        roster = messages.Roster(**roster_view(last.snapshot.players.values()))
        for channel in ("host", "screen"):
            self._room.update("playerJoined", roster, channel)

    def update_progress(self, presence: Presence) -> None:
        """Show how many have answered; when a round begins, players see that later."""
        if self.last is None:
            return
        state = self.last.snapshot.state
        counts = presence.counts(state)
        phones = len(presence.connected["player"]) * len(self._setup.rooms)
        slow = max(self._pace.slow, phones / _COUNTS_PER_SECOND)
        progress = messages.AnswerProgress(*round_of(state), counts.done, counts.players)
        fast = self.fast_interval()
        intervals = {"host": fast, "screen": fast, "player": slow}
        if asyncio.get_running_loop().time() < self._round_began + slow - self._pace.slow:
            del intervals["player"]
        for channel, interval in intervals.items():
            if presence.connected[channel]:
                self._room.update("playerAnswered", progress, channel, interval=interval)

    def update_presence(self, presence: Presence) -> None:
        """Show how many are connected."""
        if self.last is None:
            return
        counts = presence.counts(self.last.snapshot.state)
        shown = messages.Presence(counts.players, counts.hosts > 0, counts.screens)
        self._room.update("presenceChanged", shown, interval=self._pace.slow)

    def count_reaction(self, emoji: messages.Emoji) -> messages.ReactionCounts:
        """Count a reaction, and tell hosts and screens the new totals."""
        phase = self.last.snapshot.state.phase if self.last else Phase.WAITING
        if phase not in _REACTING:
            raise WrongPhase("React in the lobby, or on results.", phase, _REACTING)
        self._reactions[emoji] += 1
        return self.update_reactions()

    def update_reactions(self) -> messages.ReactionCounts:
        """Send and return the number of reactions of each kind."""
        counts = messages.ReactionCounts(dict(self._reactions))
        for channel in ("host", "screen"):
            self._room.update("reactionsCounted", counts, channel)
        return counts


def answered_questions(snapshot: Snapshot, me: View) -> list[str]:
    """Return the questions to which a view of a player shows an answer, or a whole vote."""
    if snapshot.state.phase is Phase.VOTING:
        is_complete = len(me["vote"]) >= me.get("required", 1) > 0
        return [snapshot.state.question_id] if is_complete else []
    return list(me["answers"])


def changed_players(snapshot: Snapshot, before: Snapshot, ids: Iterable[str]) -> list[str]:
    """Return the ids of the players with a new name or team, or of all if the ballot changed."""
    hidden, hidden_before = (each.round and each.round.hidden for each in (snapshot, before))
    return [
        player_id
        for player_id in ids
        if hidden != hidden_before
        or _label(snapshot.players.get(player_id)) != _label(before.players.get(player_id))
    ]


def _label(player: Player | None) -> tuple[str, str] | None:
    return (player.name, player.team) if player else None


def revoked(member: Member, snapshot: Snapshot) -> tuple[CloseCode, str] | None:
    """Return the close code and reason for a member whose access was revoked, or None."""
    player = snapshot.players.get(member.id)
    if player is not None and not player.is_active:
        return CloseCode.FORBIDDEN, "removed"
    if isinstance(member, Attendee) and not has_link(member.seat, snapshot.game):
        return CloseCode.UNAUTHORIZED, "link replaced"
    return None
