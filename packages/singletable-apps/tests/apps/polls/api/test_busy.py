"""If the table is throttled or unavailable, the answer is 503 with Retry-After."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from dynamodb_engine.faults import Faults, FaultyDriver
from singletable import Engine
from singletable_apps.polls.service import voting
from tests.apps.polls.api.client import OPTIONS, Made, Person, make_server, type_of
from tests.apps.polls.support.harness import dump

NEW = {"title": "Best?", "candidates": OPTIONS}
pytestmark = pytest.mark.usefixtures("no_waits")
ASKED: dict[str, Callable[[Person, Made], httpx2.Response]] = {
    "make": lambda ada, poll: ada.post("", NEW),
    "mine": lambda ada, poll: ada.get(""),
    "read": lambda ada, poll: ada.get(poll.path),
    "change": lambda ada, poll: ada.ask(
        "PATCH", poll.path, key=poll.key, tag="*", json={"title": "Other"}
    ),
    "close": lambda ada, poll: ada.post(f"{poll.path}/close", key=poll.key, tag="*"),
    "delete": lambda ada, poll: ada.ask("DELETE", poll.path, key=poll.key, tag="*"),
    "vote": lambda ada, poll: ada.votes(poll, "Go"),
    "my vote": lambda ada, poll: ada.get(f"{poll.path}/vote"),
    "results": lambda ada, poll: ada.get(f"{poll.path}/results"),
    "export": lambda ada, poll: ada.get(f"{poll.path}/export/csv"),
    "codes": lambda ada, poll: ada.get(f"{poll.path}/codes", key=poll.key),
    "issue codes": lambda ada, poll: ada.post(f"{poll.path}/codes", {"count": 1}, key=poll.key),
}


@pytest.mark.parametrize("asked", ASKED)
def test_unavailable_table_is_503_with_retry_after(asked: str) -> None:
    driver = FaultyDriver(Engine.in_memory())
    ada = make_server(driver=driver).new_visitor()
    poll = ada.makes()
    before = dump(driver)
    for fault in (Faults(throttle=1.0), Faults(unavailable=1.0), Faults(internal=1.0)):
        with driver.inject(fault):
            answer = ASKED[asked](ada, poll)
        assert type_of(answer) == "503 try-later"
        assert int(answer.headers["Retry-After"]) >= 1
        assert dump(driver) == before
    assert ASKED[asked](ada, poll).status_code in (200, 201, 204, 404)


# The store retries for seconds by itself: sixty times that is too long.
def test_busy_poll_is_503_within_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(voting, "MAX_SECONDS", 0.0)
    driver = FaultyDriver(Engine.in_memory())
    server = make_server(driver=driver)
    poll = server.new_visitor().makes()
    with driver.inject(Faults(conflict=1.0)):
        answer = server.new_visitor().votes(poll, "Go")
        attempts = driver.injected["conflict"]
    assert type_of(answer) == "503 try-later"
    assert "Submit again" in answer.json()["detail"]
    assert 0 < attempts < voting.VOTE_ATTEMPTS
    assert server.new_visitor().votes(poll, "Go").status_code == 201
