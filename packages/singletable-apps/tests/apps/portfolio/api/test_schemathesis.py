"""Every operation responds as its description says, also to requests that it does not allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import schemathesis

from singletable import Engine
from tests.apps.portfolio.api.client import Server, make_server
from tests.apps.portfolio.support.harness import World
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.api_fuzzing import Fuzzer, few_examples, load_schema


def busy() -> tuple[Engine, Server, dict[str, list[Any]]]:
    """Create a site with posts, comments, an image and accounts, and the names of all."""
    engine = Engine.in_memory()
    server = make_server(engine)
    owner = server.owner
    blogs = [
        owner.writes("Draft", status="draft"),
        owner.writes("Public", tags=["tea"], category="Notes"),
    ]
    path = f"/blogs/{blogs[1]['blogId']}"
    owner.put(path, {"title": "Edited"}, tag="*")
    for text in ("Approved", "Waiting"):
        owner.post(f"{path}/comments", {"author_name": "Joan", "content": text})
    refs = [each["ref"] for each in owner.get("/comments").json()["items"]]
    owner.post(f"/comments/{refs[0]}/approve")
    image = owner.ask("POST", "/media", files={"file": ("x.png", image_file())})
    users = owner.get("/users").json()
    names = {
        "blog_id": [blog["blogId"] for blog in blogs],
        "number": [9, 1],
        "ref": refs,
        "name": ["none", image.json()["name"]],
        "user_id": [user["user_id"] for user in users],
    }
    return engine, server, names


ENGINE, SERVER, NAMES = busy()


def restore() -> Sequence[str]:
    """Serve a copy of the site, and sign in as the owner."""
    server = Server(World(ENGINE.copy(), like=SERVER.world))
    server.activate()
    return [server.owner.token]


# A post that does not exist (404), a slug that is taken (409), a wrong password (401, 429), a site
# that is set up already (403).
STATUSES = (301, 400, 401, 403, 404, 409, 412, 415, 422, 429)
schema = load_schema(SERVER.app, "/api/portfolio/openapi.json", STATUSES, coverage=True)
# After an edit or a deletion, there is nothing left to repeat.
fuzzer = Fuzzer(restore, NAMES, repeated=("get", "post", "patch"))


@schema.parametrize()  # type: ignore[untyped-decorator]
@few_examples
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    fuzzer.send(case)
