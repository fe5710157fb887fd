"""Every operation responds as its description says, also to requests that it does not allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any
from urllib.parse import quote

import schemathesis

from singletable import Engine
from singletable_apps.elections.entities import Electorate
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.api.client import Api
from tests.apps.support.api_fuzzing import Fuzzer, few_examples, load_schema
from tests.apps.support.elections.world import World, ballot

ELECTIONS = cycle(["Set up", "open / #1", "Secret", "Closed"])


def busy(engine: Engine) -> World:
    """Create elections of Ada in every state."""
    world = World(engine)
    elections = world.service
    ada, ben = world.register("Ada", "Ben")
    for name in ("Set up", "Open / #1", "Secret", "Closed"):
        is_secret = name == "Secret"
        terms = ElectionSettings(secret_ballot=is_secret, electorate=Electorate.ACCOUNTS)
        elections.lifecycle.create(ada, name, terms)
        elections.lifecycle.set_candidates(ada, name, ["Assam", "Ceylon"])
        if name != "Set up":
            elections.lifecycle.launch(ada, name, allow_edit=True)
            for voter in (ada, ben):
                elections.voting.cast(voter, name, ballot("Assam", "Ceylon"), "1")
    elections.lifecycle.close(ada, "Closed")
    return world


ENGINE = Engine.in_memory()
WORLD = busy(ENGINE)
SERVER = Api(WORLD)


class ElectionFuzzer(Fuzzer):
    """Names elections, or people, where the path has a name."""

    def names_for(self, case: schemathesis.Case[Any]) -> Mapping[str, Sequence[str]]:
        name = "ben" if "/users/" in case.path else next(ELECTIONS)
        return {
            "name": [quote(name, safe="")] * 2,
            "voter": ("Ada", "ben"),
        }


def restore() -> Sequence[str]:
    """Serve a copy of the elections, and sign in as their owner."""
    api = Api(World(ENGINE.copy(), like=WORLD))
    api.activate()
    user = api.elections.context.read.get_user("Ada")
    return [api.elections.auth.start_session(user, "tests").access]


# A name that does not exist (404) or is taken (409), invisible letters (422), guessing (429).
# A value may be so long that the URL is rejected before it is read.
INVALID = (400, 401, 403, 404, 405, 406, 409, 414, 415, 422, 428, 429)
STATUSES = (400, 401, 403, 404, 409, 412, 422, 429)
schema = load_schema(
    SERVER.app, "/api/elections/openapi.json", STATUSES, coverage=True, invalid=INVALID
)
fuzzer = ElectionFuzzer(restore, {}, repeated=("get", "post", "put", "patch", "delete"))


@schema.parametrize()  # type: ignore[untyped-decorator]
@few_examples
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    fuzzer.send(case)
