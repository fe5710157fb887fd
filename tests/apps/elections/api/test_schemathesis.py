"""Whatever the description allows is answered as it says, and so is what it does not allow."""

from __future__ import annotations

# Much of schemathesis is without types.
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
import os
from itertools import cycle
from typing import Any
from urllib.parse import quote

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation

from singletable_apps.elections.api import PREFIX
from tests.apps.elections.api.town import Town, finalize, launch, make_town, set_up

# `make fuzz` asks for many.
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "4"))
SAFE = ("GET", "HEAD")


def busy_town() -> Town:
    """One owner, whose elections are in every state."""
    town = make_town("Ada", "Ben")
    ada, ben = town.people["Ada"], town.people["Ben"]
    for name in ("Set up", "Open / #1", "Secret", "Closed"):
        set_up(ada, name, "Red", "Green", secret_ballot=name == "Secret")
        if name != "Set up":
            launch(ada, name)
            for person in (ada, ben):
                assert person.cast(name, {"Red": 1, "Green": 2}, "1").status_code == 201
    finalize(ada, "Closed")
    return town


town = busy_town()
CONFIG = SchemathesisConfig.from_dict(
    {
        "auth": {"openapi": {"access token": {"bearer": town.people["Ada"].token}}},
        "checks": {
            # RFC 6585 has a status of its own for the one header that most edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # What fits the description may be refused for what it means: a name nobody has (404),
            # one that another has (409), letters that nobody sees (422), guesses without end (429).
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", 400, 401, 403, 404, 409, 412, 422, 429]
            },
        },
    }
)
schema = schemathesis.openapi.from_asgi(f"{PREFIX}/openapi.json", town.app, config=CONFIG)
THERE = {
    "/elections/": cycle(["Set up", "open / #1", "Secret", "Closed"]),
    "/users/": cycle(["Ada", "ben"]),
}


@schema.parametrize()
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_every_operation_answers_as_described(case: schemathesis.Case[Any]) -> None:
    aim(case)
    case.call_and_validate()


def aim(case: schemathesis.Case[Any]) -> None:
    """Let a request that is in order be about something that is there, every second time."""
    parts = case.meta.components if case.meta else {}
    path, headers = parts.get(ParameterLocation.PATH), parts.get(ParameterLocation.HEADER)
    if path is not None and path.mode.is_positive and "name" in case.path_parameters:
        names = next(found for kind, found in THERE.items() if f"{PREFIX}{kind}" in case.path)
        if next(turns):
            case.path_parameters["name"] = quote(next(names), safe="")
    if headers is not None and headers.mode.is_positive and "if-match" in case.headers:
        case.headers["if-match"] = "*"


turns = cycle([True, True, False])
