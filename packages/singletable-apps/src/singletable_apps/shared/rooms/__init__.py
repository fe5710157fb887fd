"""Rooms: many clients that see the same events at the same time, over WebSockets or long polls.

A room has ordered events and states. `room.publish("questionStarted", {…}, "player")` sends an
event to all members of a channel, encoded once. `room.update("answerCount", 12, "host")` sets a
state: its latest value is sent a few times per second. Both are JSON:

    {"type": "questionStarted", "kind": "event", "room": "7", "epoch": "9f…", "timestamp": "…Z",
     "data": {…}, "sequence": 41, "previous": 38}

`sequence` numbers the events of a room, in all channels; `previous` is the event before in the same
channel, so that a client notices a gap. A state has the number of the last event before it. A
client that reconnects says `epoch` and `sequence`, and gets the events that it missed. If the room
has not got them all, it gets a snapshot (`"kind": "snapshot"`), which replaces what it knows.
States follow.

Events come in order, each once, and none is lost or comes before its snapshot. The app publishes an
event after it has stored the change; a snapshot may therefore show a change whose event comes after
it. So let events say what is, not what is added: a total, not a difference.

An app may publish only for the members that are present: one that had left gets a snapshot when it
comes back. If it chooses them, then reads, then publishes, `snapshot` has to wait meanwhile: those
who join in between would get the change neither in their snapshot nor by the event.

A heartbeat has the position of a client that has missed nothing. It is in the reply to
`{"type": "ping"}`, which a client sends every 20 seconds, and in the response to every poll:

    {"type": "pong", "timestamp": "…Z", "data": {"epoch": "9f…", "sequence": 41, "version": 3}}

`sequence` is the last event in the client's channels, and `version` what the app has set as
`room.version`. A client that knows less, or shows an older version, asks for a snapshot.

A client sends `{"id": "a1", "type": "answer", "data": {…}}`, and the reply has the same id:
`{"type": "ack", "id": "a1", "data": {…}}`, or `error` with a `code` and a `message`. A message that
is sent again after a reconnect has its old id, by which the app recognizes it.

The README of `shared` has a whole room. `shared/pages/static/rooms.js` is the client for browsers.
"""

from singletable_apps.shared.rooms.client_messages import ClientMessage as ClientMessage
from singletable_apps.shared.rooms.client_messages import Receiver as Receiver
from singletable_apps.shared.rooms.client_messages import Reply as Reply
from singletable_apps.shared.rooms.connections import CloseCode as CloseCode
from singletable_apps.shared.rooms.connections import Member as Member
from singletable_apps.shared.rooms.registry import Position as Position
from singletable_apps.shared.rooms.registry import RoomFull as RoomFull
from singletable_apps.shared.rooms.registry import Rooms as Rooms
from singletable_apps.shared.rooms.room import Room as Room
from singletable_apps.shared.rooms.room import RoomLimits as RoomLimits
from singletable_apps.shared.rooms.sockets import refuse_socket as refuse_socket
from singletable_apps.shared.rooms.sockets import serve_poll as serve_poll
from singletable_apps.shared.rooms.sockets import serve_socket as serve_socket
from singletable_apps.shared.rooms.sockets import socket_token as socket_token
