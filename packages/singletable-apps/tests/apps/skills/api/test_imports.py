"""Imports in the API."""

from __future__ import annotations

from typing import Any

from tests.apps.skills.api.client import Server
from tests.apps.support.api_client import Caller, problem

FILE = b"username,name,skill,level\nbob,,Go,3\nzoe,Zoe Park,Rust,4\nyan,,Go,2\n"


def upload(person: Caller, data: bytes = FILE) -> dict[str, Any]:
    answer = person.ask("POST", "/imports", files={"file": ("people.csv", data)})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_import_is_checked_applied_and_undone(server: Server) -> None:
    ada = server.sign_in("ada")
    staged = upload(ada)
    counts = {"error": 1, "skipped": 1, "changed": 0, "new": 0, "duplicate": 1}
    assert staged["outcomes"] == counts
    assert staged["unknown_skills"] == {"Rust": 1}
    [error, *_] = staged["results"]
    assert (error["number"], error["column"], error["outcome"]) == (4, "name", "error")
    path = f"/imports/{staged['import_id']}"
    assert ada.get(path).json() == staged
    choices = {"skills": {"": "create:Backend"}, "duplicates": "higher"}
    applied = ada.post(f"{path}/apply", choices).json()
    assert applied["status"] == "applied"
    totals = {"people": 1, "added": 1, "changed": 1, "unchanged": 0, "errors": 1}
    assert applied["totals"] == totals
    assert ada.ask("POST", f"{path}/apply").json()["totals"] == totals
    assert ada.post(f"{path}/apply", choices).json()["totals"] == totals
    assert server.world.user("zoe").password_hash == ""
    undone = ada.ask("POST", f"{path}/undo").json()
    assert (undone["status"], undone["kept"]) == ("undone", [])
    again = ada.ask("POST", f"{path}/apply").json()
    assert again["errors"][0]["detail"].startswith("This import was undone")
    [listed] = ada.get("/imports").json()["items"]
    assert listed["import_id"] == staged["import_id"]


def test_wrong_choices_and_files_are_rejected(server: Server) -> None:
    ada = server.sign_in("ada")
    path = f"/imports/{upload(ada)['import_id']}"
    for choices, place in (
        ({"columns": {"username": "shoe"}}, "/columns"),
        ({"skills": {"Rust": "burn"}}, "/skills"),
        ({"skills": {"Rust": "use:nothing"}}, "/skills"),
        ({"colums": {}}, "/colums"),
    ):
        assert problem(ada.post(f"{path}/apply", choices)) == (422, "invalid-request", [place])
    assert problem(ada.ask("POST", f"{path}/undo"))[0] == 422
    for name, file in (("file", ("", b"")), ("file", ("x", b"\0")), ("other", ("x", FILE))):
        assert problem(ada.ask("POST", "/imports", files={name: file}))[0] == 422


# Nobody should send 16 MB before they are asked who they are.
def test_upload_checks_the_token_before_the_file(server: Server) -> None:
    answer = server.visitor().ask("POST", "/imports", content=b"no form")
    assert problem(answer)[:2] == (401, "not-signed-in")


# Without letters, a spelling would stand for all others.
def test_choices_without_letters_are_rejected(server: Server) -> None:
    ada = server.sign_in("ada")
    path = f"/imports/{upload(ada)['import_id']}/apply"
    for body in (b'{"columns": "\\ud800"}', b'{"skills": {"!": "create:Other"}}'):
        answer = ada.ask("POST", path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 422, answer.text
