"""The four operations of the original, used as its client used them: plain JSON and no cookies."""

from __future__ import annotations

from fastapi.testclient import TestClient

from tests.apps.polls.api.client import ADDRESS, Server


def test_original_client_works_unchanged(server: Server) -> None:
    server.activate()

    def curl(method: str, path: str, body: object = None) -> tuple[int, dict[str, object]]:
        client = TestClient(server.app, base_url=ADDRESS)
        answer = client.request(method, f"/api{path}", json=body)
        return answer.status_code, answer.json()

    made = {
        "title": "Best Programming Language 2024",
        "description": "Vote for your favorite programming language",
        "candidates": ["JavaScript", "Python", "Go", "Rust"],
    }
    status, poll = curl("POST", "/polls", made)
    assert status == 201
    assert {name: poll[name] for name in made} == made
    assert len(str(poll["id"])) == 8
    assert str(poll["createdAt"]).endswith("Z")
    assert "expiresAt" not in poll

    status, found = curl("GET", f"/polls/{poll['id']}")
    assert (status, found["title"], found["candidates"]) == (200, made["title"], made["candidates"])
    assert "expiresAt" not in found
    assert "adminKey" not in found

    nobody = curl("GET", f"/polls/{poll['id']}/results")[1]
    assert (nobody["totalVotes"], nobody["rounds"]) == (0, [])
    assert "winner" not in nobody
    assert "bordaWinner" not in nobody
    assert (nobody["possibleWinners"], nobody["methodsDisagree"]) == ([], False)
    assert nobody["plurality"] == {"votes": dict.fromkeys(made["candidates"], 0), "winners": []}

    for rankings in (["Go", "Rust"], ["Go"], ["Rust", "Go"], ["Python", "Rust"], ["Rust"]):
        status, vote = curl("POST", f"/polls/{poll['id']}/vote", {"rankings": rankings})
        assert status == 201
        assert set(vote) == {"id", "pollId", "rankings", "votedAt"}
        assert (vote["pollId"], vote["rankings"]) == (poll["id"], rankings)

    status, results = curl("GET", f"/polls/{poll['id']}/results")
    assert (status, results["pollId"], results["totalVotes"]) == (200, poll["id"], 5)
    assert results["winner"] == "Rust"
    assert results["bordaCount"] == {"JavaScript": 0, "Python": 4, "Go": 11, "Rust": 14}
    assert results["bordaWinner"] == "Rust"
    rounds = results["rounds"]
    assert isinstance(rounds, list)
    assert [one["roundNumber"] for one in rounds] == list(range(1, len(rounds) + 1))
    assert rounds[0]["votes"] == {"JavaScript": 0, "Python": 1, "Go": 2, "Rust": 2}
    assert (rounds[0]["eliminated"], rounds[1]["eliminated"]) == ("JavaScript", "Python")
    assert rounds[-1]["votes"] == {"Go": 2, "Rust": 3}
    assert "eliminated" not in rounds[-1]
