"""The AsyncAPI document describes what is really sent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import jsonschema

from singletable_apps.games.api.asyncapi import asyncapi_document
from singletable_apps.games.live import LiveGames
from singletable_apps.games.live.messages import CLIENT_MESSAGES, SERVER_MESSAGES
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.tokens import Role
from tests.apps.games.api.client import Server
from tests.apps.games.live.clients import Screen, connect, connect_phones
from tests.apps.games.support.world import CAPITAL, LESSON, LUNCH, SURVEY, World
from tests.apps.shared.rooms.clients import in_event_loop, until

# Only the summary needs something from outside the room.
UNSEEN = {"aiSummaryReady"}


@cache
def validator(name: str) -> Any:
    """Return what checks messages with this name in the document."""
    components = asyncapi_document()["components"]
    schema = {**components["messages"][name]["payload"], "components": components}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def check(name: str, message: dict[str, Any]) -> None:
    validator(name).validate(message)


def check_all(screens: Iterable[Screen]) -> set[str]:
    """Check all messages that were received, and return their types."""
    seen: set[str] = set()
    for screen in screens:
        for message in screen.received:
            check(message["type"], message)
            seen.add(message["type"])
    return seen


@in_event_loop
async def test_messages_of_a_whole_game_are_as_documented(memory: World, live: LiveGames) -> None:
    game = memory.game(CAPITAL, LUNCH, LESSON)
    names = memory.join(game, "Ada", "Bob", "Cy")
    phones = await connect_phones(live, *names)
    host, screen, audience = [
        await connect(live, game, role) for role in (Role.HOST, Role.SCREEN, Role.AUDIENCE)
    ]
    replies = {name: set[str]() for name in CLIENT_MESSAGES}

    async def send(sender: Screen, name: str, **data: Any) -> None:
        check(name, {"id": "1", "type": name, "data": data})
        reply = await sender.send_message(name, **data)
        check(f"{name}Accepted" if reply["type"] == "ack" else "error", reply)
        replies[name].add(reply["type"])

    await send(phones[0], "react", emoji="👏")
    await send(audience, "react", emoji="👏")
    await send(phones[0], "answer", questionId="001", choices=["b"])
    await send(phones[0], "vote", questionId="001", ranking=["x"])
    await send(host, "extend", seconds=5)
    await send(phones[0], "command", command="start")
    await host.command("start")
    for question in ("001", "002"):
        await host.shows("open")
        await send(host, "extend", seconds=5, version=host.view["version"])
        for phone in phones:
            await phone.shows("open")
            await send(phone, "answer", questionId=question, choices=["b"])
            if question == "002":
                await screen.sees(lambda each: each.latest("liveTally"))
        await host.shows("reveal")
        while host.view["phase"] != "open":
            version = host.view["version"]
            await send(host, "command", command="next", version=version)
            await until(lambda: host.view["version"] != version)  # noqa: B023
    for phone, text in zip(phones, ("Meetings", "Builds", "Reviews"), strict=True):
        await phone.sees(lambda each: each.view["questionId"] == "003")
        await send(phone, "answer", questionId="003", text=text)
    for phone in phones:
        await phone.sees(lambda each: "ballot" in each.me)
        ranking = [each["id"] for each in phone.me["ballot"]]
        await send(phone, "vote", questionId="003", ranking=ranking)
    await host.shows("reveal")
    memory.service.players.remove(game.game_id, names[2].player_id)
    await phones[2].sees(lambda each: each.close_code)
    await host.command("end")
    await audience.shows("ended")
    seen = check_all((*phones, host, screen, audience))
    assert seen == SERVER_MESSAGES.keys() - UNSEEN
    assert all(each == {"ack", "error"} for each in replies.values())


@in_event_loop
async def test_messages_of_a_survey_are_as_documented(memory: World, live: LiveGames) -> None:
    game = memory.game(*SURVEY, kind=EngagementType.SURVEY)
    phones = await connect_phones(live, *memory.join(game, "Ada"))
    host = await connect(live, game, Role.HOST)
    await host.command("start")
    await host.shows("open")
    await phones[0].send_message("answer", questionId="001", number=4)
    await host.command("pause")
    await host.shows("paused")
    await host.command("resume")
    await host.shows("open")
    await host.command("close")
    await phones[0].shows("reveal")
    await until(lambda: phones[0].me["answers"])
    check_all((*phones, host))


def test_document_is_served_and_its_references_resolve(server: Server) -> None:
    answer = server.caller().get("/asyncapi.json")
    assert answer.json()["asyncapi"] == "3.0.0"
    references = set(re.findall(r'"\$ref": ?"#/([^"]+)"', answer.text))
    assert len(references) > 50
    for reference in references:
        found = answer.json()
        for part in reference.split("/"):
            found = found[part]
