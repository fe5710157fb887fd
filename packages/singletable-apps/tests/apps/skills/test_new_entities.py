"""The commands in the README create the entities that the directory has."""

from __future__ import annotations

import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

from singletable import Entity
from singletable.cli import main
from singletable.schema import model_of
from singletable_apps.skills import entities
from tests.house.sources import ROOT

README = ROOT / "packages/singletable-apps/src/singletable_apps/skills/README.md"
# The directory before these entities, as far as the commands look at it.
BEFORE = '''
from singletable import Attr, Entity, Index, Key, PatternCatalog, Table, attr, casefold, per_second

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=["Username", "Name"])
entities = Table("glad-entities", indexes=[gsi1])


class User(Entity, table=entities, type_tag=("EntityType", "User")):
    """A person."""

    username: Attr[str] = attr(name="Username")
    name: Attr[str] = attr(name="Name")

    key = Key(pk=("USER", casefold(username)), sk="PROFILE")
    by_name = Key(pk="USERS", sk=("USER", casefold(name), casefold(username))).on(gsi1)


patterns = PatternCatalog("skills", entities)
people = patterns.read("AP5", "List all users", User.by_name, rate=per_second(1))
patterns.check()
'''


def _attributes(entity: type[Entity]) -> dict[str, str]:
    """Return the names of the stored attributes by field."""
    return {name: field.attribute for name, field in model_of(entity).fields.items()}


def test_commands_of_the_readme_create_these_entities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scaffold_directory.py").write_text(BEFORE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    commands = re.findall(r"^singletable (new entity .*)$", README.read_text(), re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        text = command.replace("singletable_apps.skills.patterns", "scaffold_directory")
        with pytest.raises(SystemExit) as ended:
            main(shlex.split(text))
        assert ended.value.code == 0, capsys.readouterr()
        name = shlex.split(command)[2]
        (tmp_path / f"new_{name.lower()}.py").write_text(capsys.readouterr().out)
    for name in ("Certification", "Experience", "Education", "Project"):
        created = import_module(f"new_{name.lower()}")
        ours, theirs = getattr(entities, name), getattr(created, name)
        assert _attributes(ours) == _attributes(theirs)
        key = {"username": "Ada", f"{name.lower()}_id": "1"}
        stored = model_of(theirs).key.attributes(key)
        assert stored == {"PK": {"S": "USER#ada"}, "SK": {"S": f"{name.upper()}#1"}}
        assert model_of(ours).key.attributes(key) == stored
        sys.modules.pop(f"new_{name.lower()}")
    sys.modules.pop("scaffold_directory")
