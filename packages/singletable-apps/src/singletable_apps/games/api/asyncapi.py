"""The AsyncAPI document of the socket, generated from the types of its messages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Any

import msgspec

from singletable_apps.games.live.messages import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    Payload,
    RejectedMessage,
)
from singletable_apps.games.urls import API

ADDRESS = f"{API}/games/{{gameId}}/socket"
_STRING = {"type": "string"}
_TIMESTAMP = {"type": "string", "format": "date-time"}
_ABOUT = (
    "Connect with a token as `Authorization: Bearer …`, or with the subprotocols `rooms` and "
    "`token.…`. The first message is a snapshot; events follow in order, and states are the latest "
    "values of counters. To resume, connect with `?epoch=…&sequence=…` of the last message. The "
    'reply to `{"type": "ping"}` tells the epoch, the sequence of the last event for you, and the '
    "version of the game: if you know less, connect without a position. Close codes: 4401 the "
    "token is not valid, 4403 removed, 4404 no such game, 1012 and 1013 reconnect."
)


@cache
def asyncapi_document() -> dict[str, Any]:
    """Return the document, version 3."""
    payloads = [
        *(each for pair in CLIENT_MESSAGES.values() for each in pair),
        *(payload for _, payload, _ in SERVER_MESSAGES.values()),
        RejectedMessage,
    ]
    _, schemas = msgspec.json.schema_components(
        payloads, ref_template="#/components/schemas/{name}"
    )
    messages = {"error": _message("error", RejectedMessage, _reply("error", RejectedMessage))}
    for name, (kind, payload, audience) in SERVER_MESSAGES.items():
        messages[name] = _message(name, payload, _envelope(name, kind, payload), f"To {audience}.")
    operations = {"broadcast": {"action": "send", **_in_channel(*SERVER_MESSAGES)}}
    for name, (payload, reply) in CLIENT_MESSAGES.items():
        request = _object(type={"const": name}, id=_STRING, data=_data(payload))
        accepted = f"{name}Accepted"
        messages[name] = _message(name, payload, request)
        messages[accepted] = _message(accepted, reply, _reply("ack", reply))
        replies = {"reply": _in_channel(accepted, "error")}
        operations[name] = {"action": "receive", **_in_channel(name), **replies}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Games", "version": version("singletable"), "description": _ABOUT},
        "channels": {
            "game": {
                "address": ADDRESS,
                "parameters": {"gameId": {"description": "The id of a game."}},
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
            }
        },
        "operations": operations,
        "components": {"messages": messages, "schemas": schemas},
    }


def describe_messages() -> str:
    """Return a summary of the messages for the documentation of the HTTP API."""
    sent = "\n".join(
        f"- `{name}` ({kind}) to {audience}: {_first_line(payload)}"
        for name, (kind, payload, audience) in SERVER_MESSAGES.items()
    )
    received = "\n".join(
        f"- `{name}`: {_first_line(payload)}" for name, (payload, _) in CLIENT_MESSAGES.items()
    )
    return (
        'Returns `{"messages": […], "heartbeat": {…}}` after the position, as soon as there are '
        "any, or a snapshot. If you know less than the heartbeat tells (the epoch, the sequence of "
        "the last event for you, the version of the game), or a response was lost, poll without a "
        "position. "
        f"The same messages come over the socket `{ADDRESS}`; `{API}/asyncapi.json` describes them "
        f"all.\n\nServers send:\n\n{sent}\n\nClients send (POST …/messages):\n\n{received}"
    )


def _first_line(payload: type[Payload]) -> str:
    return (payload.__doc__ or "").split("\n")[0]


def _in_channel(*names: str) -> dict[str, Any]:
    listed = [{"$ref": f"#/channels/game/messages/{name}"} for name in names]
    return {"channel": {"$ref": "#/channels/game"}, "messages": listed}


def _message(
    name: str, payload: type[Payload], schema: dict[str, Any], audience: str = ""
) -> dict[str, Any]:
    summary = f"{_first_line(payload)} {audience}".strip()
    return {"name": name, "summary": summary, "payload": schema}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _data(payload: type[Payload]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{payload.__name__}"}


def _envelope(name: str, kind: str, payload: type[Payload]) -> dict[str, Any]:
    number = {"type": "integer", "minimum": 0}
    previous = {"previous": number} if kind == "event" else {}
    return _object(
        type={"const": name},
        kind={"const": kind},
        gameId=_STRING,
        epoch=_STRING,
        timestamp=_TIMESTAMP,
        data=_data(payload),
        sequence=number,
        **previous,
    )


def _reply(name: str, payload: type[Payload]) -> dict[str, Any]:
    return _object(type={"const": name}, id=_STRING, timestamp=_TIMESTAMP, data=_data(payload))
