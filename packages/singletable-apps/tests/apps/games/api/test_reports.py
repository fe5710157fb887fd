"""Reports in the API."""

from __future__ import annotations

from tests.apps.games.api.client import Server
from tests.apps.games.pages.test_reports import played
from tests.apps.support.api_client import problem


def test_report_is_for_hosts(server: Server) -> None:
    game = played(server.world)
    report = server.host().get(f"/games/{game.game_id}/report").json()
    assert report["champions"] == ["Ada <b>"]
    assert [each["summary"]["answered"] for each in report["questions"]] == [2, 2]
    table = server.host().get(f"/games/{game.game_id}/report/answers?format=xlsx")
    assert table.content[:2] == b"PK"


def test_summary_is_made_once_and_again_on_request(server: Server) -> None:
    game = played(server.world)
    host = server.host()
    first = host.get(f"/games/{game.game_id}/summary/002").json()
    assert first["summary"].startswith("2 answers.")
    assert first["prompt"] == ""
    host.post(f"/games/{game.game_id}/debug-mode", {"debugMode": True})
    prompt = host.get(f"/games/{game.game_id}/summary/002").json()["prompt"]
    assert "Nothing leaves here" in prompt
    assert host.post(f"/games/{game.game_id}/summary/002").json()["summary"] == first["summary"]
    assert problem(host.get(f"/games/{game.game_id}/summary/009"))[0] == 404
    assert problem(host.get(f"/games/{game.game_id}/summary/001"))[0] == 422
