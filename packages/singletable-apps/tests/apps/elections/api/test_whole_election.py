"""A whole election by three people, from joining to a receipt that a program of its own checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.verification import checker_source
from tests.apps.elections.api.client import Client, at, make_api


@pytest.mark.parametrize(("secret", "publication"), [(False, "confirmations"), (True, "anonymous")])
def test_whole_election_with_verified_receipts(
    tmp_path: Path, secret: bool, publication: str
) -> None:
    api = make_api("Ada", "Ben", "Cy", "Dot")
    ada, ben, cy, dot = api.clients.values()
    name = "Tea / coffee #1 🫖"
    made = ada.post(
        "/elections", {"name": name, "secret_ballot": secret, "publication": publication}
    )
    tag = made.headers["ETag"]
    for what, body in (
        ("candidates", {"candidate_names": ["Assam", "Ceylon", "Mocha"]}),
        ("voters", {"voter_names": ["Ben", "cy", "Dot"]}),
    ):
        response = ada.put(f"{at(name)}/{what}", body, tag)
        assert response.status_code == 200, response.text
        tag = response.headers["ETag"]
    launched = ada.post(f"{at(name)}/launch", {"allow_edit": True}, tag)
    assert launched.status_code == 200
    assert ada.cast(name, {"Mocha": 1}, "1").status_code == 403
    assert ben.cast(name, {"Assam": 1, "Mocha": 2}, "1").status_code == 201
    assert cy.cast(name, {"Mocha": 1}, "1").status_code == 201
    assert dot.cast(name, {"Assam": 1}, "1").status_code == 201
    # One user is renamed, one changes their ballot, and an open election loses a candidate.
    assert ben.patch("/users/ben", {"name": "Benjamin"}).status_code == 200
    assert cy.cast(name, {"Assam": 1, "Ceylon": 1}, "2").status_code == 201
    changed = ada.put(f"{at(name)}/candidates", {"candidate_names": ["Assam", "Mocha"]})
    assert changed.status_code == (409 if secret else 200)
    assert ada.post(f"{at(name)}/finalize", None, "*").status_code == 200
    tally = cy.get(f"{at(name)}/tally").json()
    assert (tally["result"]["winner"], tally["ballots_cast"]) == ("Assam", 3)
    assert ada.get(f"{at(name)}/who-voted").json()["items"] == ["Benjamin", "Cy", "Dot"]

    assert api.anonymous().get("/checker.py").text == checker_source()
    published = tmp_path / "published.json"
    published.write_bytes(ada.get(f"{at(name)}/publication").content)
    assert holds(published)
    for person in (ben, cy):
        receipt = download(person, name, tmp_path)
        assert holds(receipt)
        forged = json.loads(receipt.read_text(encoding="utf-8"))
        forged["ranking"] = [["Mocha"]]
        receipt.write_text(json.dumps(forged), encoding="utf-8")
        assert not holds(receipt)


def download(person: Client, name: str, folder: Path) -> Path:
    """Return the receipt as a file."""
    path = folder / f"{person.name}.json"
    receipt = person.get(f"{at(name)}/ballot").json()["receipt"]
    path.write_text(json.dumps(receipt), encoding="utf-8")
    return path


def holds(file: Path) -> bool:
    """Return whether the checker finds nothing wrong with a file."""
    return all(finding.ok for finding in checker.check(str(file), None, None))
