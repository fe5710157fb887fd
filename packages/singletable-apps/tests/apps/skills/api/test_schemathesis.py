"""Every operation responds as its description says, also to requests that it does not allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import schemathesis

from singletable import Engine
from singletable_apps.skills.urls import API
from tests.apps.skills.api.client import Server, filled_engine
from tests.apps.skills.support.world import World
from tests.apps.support.api_fuzzing import Fuzzer, few_examples, load_schema


def busy() -> tuple[Engine, Server, dict[str, list[str]]]:
    """Create a directory where everything exists, and the values of its path parameters."""
    engine = filled_engine().copy()
    server = Server(World(engine))
    ada = server.sign_in("ada")
    server.sign_in("mia").put("/users/ada/skills/go/endorsement")
    role = ada.post("/roles", {"name": "Backend", "targets": {"go": "Expert"}}).json()
    team = ada.post("/teams", {"name": "Search", "members": ["ada", "bob"]}).json()
    entry = ada.post("/users/ada/projects", {"name": "Heron", "skills": ["go"]}).json()
    file = b"username,name,skill,level\nbob,,Go,3\nzoe,Zoe Park,Go,4\n"
    imported = ada.ask("POST", "/imports", files={"file": ("people.csv", file)}).json()
    names = {
        "username": ["ADA", "bob"],
        "skill": ["Python", "go"],
        "skill_id": ["python", "go"],
        "role_id": ["none", role["role_id"]],
        "team_id": ["none", team["team_id"]],
        "kind": ["experience", "projects"],
        "entry_id": ["none", entry["id"]],
        "import_id": ["none", imported["import_id"]],
    }
    return engine, server, names


ENGINE, SERVER, NAMES = busy()


def restore() -> Sequence[str]:
    """Serve a copy of the directory, and sign in as the administrator."""
    server = Server(World(ENGINE.copy(), like=SERVER.world))
    server.activate()
    return [server.sign_in("ada").token]


# A wrong name (422) or password (401, 429), one's own skills (403), a person who does not exist
# (404), or a skill that someone has already (409).
schema = load_schema(SERVER.app, f"{API}/openapi.json", (401, 403, 404, 409, 412, 422, 429))
# After an edit or a deletion, there is nothing left to repeat.
fuzzer = Fuzzer(restore, NAMES, repeated=("get", "post", "patch"))


@schema.parametrize()  # type: ignore[untyped-decorator]
@few_examples
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    fuzzer.send(case)
