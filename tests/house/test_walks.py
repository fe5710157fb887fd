"""The walks of ARCHITECTURE.md name modules in the order in which real calls enter them."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from dynamodb_engine.testing import endpoint
from singletable import Attr, Engine, Entity, Key, PutItem, Store, Table, attr
from singletable.migration import Backfill, Migration, MigrationRunner
from singletable_apps.games.app import APP
from singletable_apps.shared.web.threads import Threads
from tests.apps.games.live.test_sockets import host_of, open_socket, read_until, serving
from tests.apps.games.support.world import CAPITAL, World
from tests.apps.polls.api.client import make_server
from tests.house.sources import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text().partition("## Five walks")[2].partition("\n## ")[0]
WALKS = {
    walk.partition("\n")[0]: re.findall(r"^\d+\. `([\w/.]+)`", walk, re.M)
    for walk in PAGE.split("\n### ")[1:]
}
users = Table("users")


class User(Entity, table=users):
    email: Attr[str] = attr()
    walked: Attr[str] = attr(default="")  # no other test has parsed an expression with it
    key = Key(pk=("USER", email), sk="PROFILE")


class Trace:
    """The files of our packages that any thread enters, in order."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        is_ours = "/packages/" in file and "/src/" in file
        if event == "call" and is_ours and file not in self.files[-1:]:
            self.files.append(file)


@contextmanager
def traced() -> Iterator[Trace]:
    trace = Trace()
    threading.setprofile(trace)
    sys.setprofile(trace)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def put_over_http() -> Trace:
    engine = Engine.in_memory()
    Store(engine).admin.create_table(users)
    body = {"TableName": "users", "Item": {"PK": {"S": "USER#a"}, "SK": {"S": "PROFILE"}}}
    headers = {"X-Amz-Target": "DynamoDB_20120810.PutItem"}
    with traced() as trace, endpoint(engine) as address:
        assert httpx2.post(address, json=body, headers=headers).status_code == 200
    return trace


def update_by_store() -> Trace:
    store = Store(Engine.in_memory())
    store.admin.create_table(users)
    store.create(User(email="ada@example.com", walked="no"))
    with traced() as trace:
        store.update(User.key("ada@example.com"), User.walked.set("yes"))
    return trace


def migrate() -> Trace:
    engine = Engine.in_memory()
    Store(engine).admin.create_table(users)
    item = {"PK": "USER#ada@example.com", "SK": "PROFILE", "email": "ada@example.com"}
    engine.execute(PutItem("users", {name: {"S": value} for name, value in item.items()}))
    with traced() as trace:
        MigrationRunner(Migration(Backfill(User), name="0001_users"), engine).run()
    return trace


def vote() -> Trace:
    server = make_server()
    poll = server.new_visitor().makes()
    with pytest.MonkeyPatch.context() as patch, traced() as trace:
        # New threads, which are traced.
        patch.setattr(TestClient, "portal", None)
        patch.setattr("singletable_apps.shared.web.threads._threads", Threads())
        assert server.new_visitor().votes(poll, "Go", "Rust").status_code == 201
    return trace


def game_answer() -> Trace:
    world = World(Engine.in_memory())
    app = APP.make_app(world.service, limited=False)
    game = world.game(CAPITAL)
    (phone,) = world.join(game, "Ada")
    with (
        traced() as trace,
        serving(app) as address,
        open_socket(address, game.game_id, host_of(world, game)) as host,
        open_socket(address, game.game_id, phone.token) as ada,
    ):
        version = read_until(host, "initialStateSync")["data"]["view"]["version"]
        _send(host, "command", command="start", version=version)
        read_until(ada, "gameStateChanged")
        trace.files.clear()
        _send(ada, "answer", questionId="001", choices=["a"])
        assert read_until(ada, "ack")
    return trace


def _send(client: Any, kind: str, **data: object) -> None:
    client.send(json.dumps({"id": kind, "type": kind, "data": data}))


CALLS: dict[str, Callable[[], Trace]] = {
    "PutItem over HTTP": put_over_http,
    "store.update": update_by_store,
    "A vote": vote,
    "A game answer": game_answer,
    "A migration": migrate,
}


# Other threads may enter a module earlier, so the modules are looked for one after the other.
@pytest.mark.parametrize("walk", sorted(CALLS))
def test_walk_is_the_way_of_the_real_call(walk: str) -> None:
    entered = iter(CALLS[walk]().files)
    missing = [name for name in WALKS[walk] if not any(one.endswith(f"/{name}") for one in entered)]
    assert missing == []


def test_every_walk_is_traced() -> None:
    assert CALLS.keys() == WALKS.keys()
