"""Compare docs/ideas.md with the code: who adds an idea removes one, or says there why."""

from __future__ import annotations

import re
from dataclasses import fields

import dynamodb_engine
import ranked_ballots
import singletable
from singletable_apps.shared.frame import AppSpec, PeopleSpec
from tools.command_tree import own_options, walk_commands
from tools.testing.sources import ROOT, SOURCES

PAGE = (ROOT / "docs/ideas.md").read_text()
# In a call that reads the environment, a string or a constant; of a command, `envvar`.
_READ = re.compile(
    r"""(?:environ(?:\.get\(|\[)|getenv\(|envvar=)\s*(?:["']([A-Z_]+)["']|([A-Z_]+)\b)"""
)


def count_ideas() -> dict[str, int]:
    """Return the number of each kind of idea."""
    commands = dict(walk_commands())
    groups = {name.rpartition(" ")[0] for name in commands} - {"ranked-ballots"}
    frame: tuple[type, ...] = (AppSpec, PeopleSpec)
    return {
        "commands": len(commands.keys() - groups),
        "options of commands": sum(len(own_options(one)) for one in commands.values()),
        "public names of `singletable`": len(singletable.__all__),
        "public names of `dynamodb_engine`": len(dynamodb_engine.__all__),
        "public names of `ranked_ballots`": len(ranked_ballots.__all__),
        "fields of the frame": sum(len(fields(kind)) for kind in frame),
        "settings of the engine": len(fields(dynamodb_engine.Settings)),
        "environment variables": len(variables()),
    }


def variables() -> set[str]:
    """Return the environment variables that the sources read."""
    found = {
        name or constant for path in SOURCES for name, constant in _READ.findall(path.read_text())
    }
    return {name for name in found if not name.startswith("MYAPP")}


def test_page_counts_the_ideas_of_the_code() -> None:
    rows = re.findall(r"^\| ([^|]+?) \| (\d+) \| (\d+) \|", PAGE, re.MULTILINE)
    assert {name: int(now) for name, now, _ in rows} == count_ideas()


def test_there_are_no_more_ideas_than_the_page_allows() -> None:
    most = dict(re.findall(r"^\| ([^|]+?) \| \d+ \| (\d+) \|", PAGE, re.MULTILINE))
    over = {name: now for name, now in count_ideas().items() if now > int(most[name])}
    assert over == {}


def test_environment_variables_are_listed() -> None:
    assert set(re.findall(r"^\| `([A-Z_]+)` \|", PAGE, re.MULTILINE)) == variables()
