"""An endpoint with a guard and with faults, observed: who asked, and what went wrong on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import json

from singletable.engine import AsyncEngine, Engine
from singletable.faults import AsyncFaultyDriver, Faults
from singletable.server import AccessLog, DynamoDBApp, Guard, Metrics, Observer
from tests.server.asking import KEY, VOTES, Desk, get
from tests.server.guard import signing


def guarded(observer: Observer, engine: Engine) -> Desk:
    guard = Guard([signing.ADA], clock=lambda: signing.NOW)
    return Desk(DynamoDBApp(AsyncEngine(engine), guard=guard, observer=observer))


def test_the_log_names_who_signed(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with AccessLog(str(path)) as log, Engine.in_memory() as engine:
        asked = guarded(Observer(log=log), engine)
        asked.answer(signing.signed())
        asked.ask("ListTables", {})
    known, unknown = [json.decode(line) for line in path.read_bytes().splitlines()]
    assert (known["identity"], known["operation"]) == ("ada", "DescribeTable")
    assert unknown["identity"] is None
    assert unknown["error"] == "MissingAuthenticationTokenException"
    assert signing.ADA.access_key_id not in path.read_text()


# A guard lets in what is signed, and Prometheus signs nothing.
@pytest.mark.parametrize(("client", "status"), [("127.0.0.1", 200), ("192.0.2.1", 403)])
def test_metrics_are_for_this_machine_with_a_guard_too(client: str, status: int) -> None:
    with Engine.in_memory() as engine:
        page = guarded(Observer(Metrics()), engine).answer(get("/metrics", client))
    assert page.status == status


def test_faults_are_counted_as_what_they_look_like() -> None:
    metrics = Metrics()
    with Engine.in_memory() as engine:
        faulty = AsyncFaultyDriver(AsyncEngine(engine))
        asked = Desk(DynamoDBApp(faulty, observer=Observer(metrics)))
        asked.told("CreateTable", VOTES)
        faulty.faults = Faults(throttle=1.0)
        asked.ask("GetItem", {"TableName": "votes", "Key": KEY})
    assert metrics.throttles == {("GetItem", "votes"): 1}
    assert metrics.units["read"] == {}
