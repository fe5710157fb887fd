"""`--help` of every app lists its commands."""

from __future__ import annotations

import pytest

from tests.apps.commands.typed import RunOf

COMMANDS = {
    "elections": "serve sample rebuild export restore verify outbox bounce tally",
    "games": "serve sample admin-link",
    "polls": "serve sample recount",
    "portfolio": "serve sample export import migrate outbox bounce recount",
    "skills": "serve sample outbox",
}


@pytest.mark.parametrize("app", COMMANDS)
def test_help_lists_the_commands(type_of: RunOf, app: str) -> None:
    code, out, _ = type_of(app)("--help")
    assert code == 0
    assert [word for word in COMMANDS[app].split() if f" {word} " not in out] == []
