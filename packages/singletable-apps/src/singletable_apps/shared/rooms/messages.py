"""Messages of a room, encoded once, and the log of recent events that clients resume from."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from singletable_apps.shared.rooms.protocol import encode_text_frame

# The channel that everybody listens to.
EVERYONE = "*"


@dataclass(frozen=True, slots=True)
class Message:
    """An encoded message, shared by all connections that it is sent to.

    `slot` is the channel and type of a state, of which only the latest value matters. `number`
    counts events and states.
    """

    channel: str
    text: str
    sequence: int
    slot: tuple[str, str] | None = None
    number: int = 0
    frame: bytes = field(init=False)

    def __post_init__(self) -> None:
        """Encode the frame once, for all sockets."""
        object.__setattr__(self, "frame", encode_text_frame(self.text))


def format_time(seconds: float) -> str:
    """Return the time in UTC with milliseconds, as browsers write it."""
    whole, milliseconds = divmod(round(seconds * 1_000_000) // 1_000, 1_000)
    return f"{_whole_seconds(whole)}.{milliseconds:03}Z"


@lru_cache(4)
def _whole_seconds(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()[:19]


class EventLog:
    """The last `size` events of each channel, numbered through the whole room.

    Each channel has its own events, so that a thousand private messages do not push the events of
    everybody out of the log.
    """

    def __init__(self, size: int) -> None:
        self.sequence = 0
        self._size = size
        self._events: dict[str, deque[Message]] = {}
        self._evicted: dict[str, int] = {}

    def previous(self, channel: str) -> int:
        """Return the number of the last event of a channel, or 0."""
        events = self._events.get(channel)
        return events[-1].sequence if events else 0

    def append(self, event: Message) -> None:
        """Add an event. The oldest one of the same channel may be removed."""
        self.sequence = event.sequence
        events = self._events.setdefault(event.channel, deque(maxlen=self._size))
        if len(events) == self._size:
            self._evicted[event.channel] = events[0].sequence
        events.append(event)

    def after(self, sequence: int, channels: Iterable[str]) -> list[Message] | None:
        """Return the later events of these channels, or None if the log does not have them all."""
        found: list[Message] = []
        for channel in channels:
            if self._evicted.get(channel, 0) > sequence:
                return None
            for event in reversed(self._events.get(channel, ())):
                if event.sequence <= sequence:
                    break
                found.append(event)
        return sorted(found, key=lambda event: event.sequence)


class Outbox:
    """Messages that wait to be sent: all events, but only the latest value of each state."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: OrderedDict[object, Message] = OrderedDict()
        self._events = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Return whether more events wait than the limit allows."""
        return self._events > self._limit

    def put(self, message: Message) -> None:
        """Add a message at the end. A state leaves the place of its earlier value."""
        if message.slot is None:
            self._events += 1
        else:
            self._waiting.pop(message.slot, None)
        self._waiting[message.slot or message.sequence] = message

    def pop(self) -> Message:
        """Remove and return the first message."""
        _, message = self._waiting.popitem(last=False)
        if message.slot is None:
            self._events -= 1
        return message

    def clear(self) -> None:
        """Remove all messages."""
        self._waiting.clear()
        self._events = 0
