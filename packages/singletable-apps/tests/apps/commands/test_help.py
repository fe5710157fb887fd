"""`--help` of every app lists its commands."""

from __future__ import annotations

import pytest

from tests.apps.commands.typed import RunOf

COMMANDS = {
    "elections": "rebuild export restore verify tally",
    "games": "admin-link",
    "polls": "recount",
    "portfolio": "export import migrate recount",
    "skills": "set-role",
}


@pytest.mark.parametrize("app", COMMANDS)
def test_help_lists_the_commands(type_of: RunOf, app: str) -> None:
    code, out, _ = type_of(app)("--help")
    assert code == 0
    assert [word for word in COMMANDS[app].split() if f" {word} " not in out] == []
