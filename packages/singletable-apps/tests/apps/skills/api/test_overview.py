"""Download the skills of all people."""

from __future__ import annotations

from tests.apps.skills.api.client import Server


def test_managers_export_everything(server: Server) -> None:
    mia = server.sign_in("mia")
    rows = mia.get("/export").json()
    assert len(rows) == 5
    assert rows[-1] | {"source": ""} == {
        "username": "mia",
        "name": "Mia",
        "email": "mia@example.org",
        "title": "",
        "department": "",
        "location": "",
        "job": "",
        "skill_id": "python",
        "skill": "Python",
        "category": "Programming",
        "level": "Expert",
        "years": 8,
        "last_used": "2026-01-01",
        "endorsements": 0,
        "notes": "",
        "source": "",
        "rated_by": "",
    }
    assert mia.get("/export?format=csv").text.splitlines()[1].startswith("ada,Ada,")
