"""A class that is declared again, as in a notebook cell that is run twice, replaces the first."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from singletable import DeclarationError, OutOfScope, Table
from singletable.schema import counters_of
from tests.store.stores import open_store

PROJECT = """
class Project(Entity, table=table):
    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    key = Key(pk=("PROJECT", name), sk="PROJECT")
"""
ISSUE = """
class Issue(Entity, table=table):
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("PROJECT", project), sk=("ISSUE", number))
    counted = Count(Project, Project.issues, key=(project,))
"""


def declare(source: str, names: dict[str, Any], module: str = "notebook") -> None:
    names["__name__"] = module
    exec("from singletable import *\nfrom singletable import Attr, Count, Entity, Key, attr", names)
    exec("from singletable import ModelEntity", names)
    exec(source, names)


def test_class_that_is_declared_again_replaces_the_first() -> None:
    table = Table("notebook")
    names: dict[str, Any] = {"table": table}
    declare(PROJECT + ISSUE, names)
    first = names["Project"]
    declare(PROJECT + ISSUE, names)
    second, issue = names["Project"], names["Issue"]
    assert first is not second
    assert table.entities == [second, issue]
    assert [str(path) for path in counters_of(second)] == ["Project.issues"]
    store = open_store(table)
    # An instance from before the cell was run again.
    store.create(first(name="web"))
    store.create(issue(project="web", number=1))
    store.put(second(name="web"))
    assert store.get(second.key("web")) == second(name="web", issues=1)
    assert len(list(store.query(issue.key.partition("web")))) == 1


def test_class_with_a_counter_that_is_declared_again_keeps_its_counters() -> None:
    names: dict[str, Any] = {"table": Table("notebook")}
    declare(PROJECT + ISSUE, names)
    declare(PROJECT, names)
    assert [str(path) for path in counters_of(names["Project"])] == ["Project.issues"]
    declare(PROJECT.replace("issues", "others"), names)
    assert list(counters_of(names["Project"])) == []


def test_range_that_a_new_declaration_shares_is_noticed() -> None:
    names: dict[str, Any] = {"table": Table("notebook")}
    other = PROJECT.replace("Project", "Note").replace(
        'sk="PROJECT"', 'sk=("ISSUE", repeated(name), "NOTE")'
    )
    declare(PROJECT + ISSUE + other.replace('"PROJECT"', '"NOTES"'), names)
    store = open_store(names["table"])
    store.create(names["Project"](name="web"))
    store.create(names["Issue"](project="web", number=1))
    assert store.count(names["Issue"].key.partition("web")) == 1
    declare(other, names)
    store.create(names["Note"](name="web"))
    assert store.count(names["Issue"].key.partition("web")) == 1


POLLS = """
class Polls(ModelEntity[Poll], table=table):
    name: Attr[str] = attr()
    key = Key(pk=("POLL", name), sk="POLL")
"""


def test_declaration_of_the_same_model_replaces_the_first() -> None:
    class Poll(BaseModel):
        name: str
        owner: str = "ada"
        votes: int = 0

    table = Table("notebook")
    names: dict[str, Any] = {"table": table, "Poll": Poll}
    declare(POLLS, names)
    first = names["Polls"]
    declare(POLLS.replace('sk="POLL"', 'sk="SECOND"'), names)
    assert table.entities == [Poll]
    store = open_store(table)
    store.create(Poll(name="lunch"))
    assert store.get(names["Polls"].key("lunch")) == Poll(name="lunch")
    assert store.get(first.key("lunch")) == Poll(name="lunch")
    assert first.key("lunch").key["SK"] == {"S": "SECOND"}
    with pytest.raises(DeclarationError, match="Poll is stored already, in table 'notebook'"):
        declare(POLLS.replace("Polls", "Others"), names)
    with pytest.raises(DeclarationError):
        declare(POLLS.replace("name", "nome"), names)
    assert store.get(names["Polls"].key("lunch")) == Poll(name="lunch")


# The code that reads and updates an item is compiled once, for a declaration.
def test_items_are_read_by_the_last_declaration_of_a_model() -> None:
    class Poll(BaseModel):
        name: str
        votes: int = 0

    table = Table("notebook")
    names: dict[str, Any] = {"table": table, "Poll": Poll}
    for attribute in ("votes", "count"):
        declare(
            POLLS.replace("key =", f"votes: Attr[int] = attr(name={attribute!r})\n    key ="), names
        )
        store = open_store(table)
        store.put(Poll(name=attribute, votes=2))
        assert store.get(names["Polls"].key(attribute)) == Poll(name=attribute, votes=2)


def test_declaration_of_the_same_model_can_move_to_a_new_table() -> None:
    class Poll(BaseModel):
        name: str

    first, second = Table("notebook"), Table("notebook")
    declare(POLLS, {"table": first, "Poll": Poll})
    declare(POLLS, {"table": second, "Poll": Poll})
    assert (first.entities, second.entities) == ([], [Poll])


def test_scope_uses_the_keys_of_the_last_declaration() -> None:
    class Poll(BaseModel):
        name: str
        owner: str = "ada"

    table = Table("notebook")
    names: dict[str, Any] = {"table": table, "Poll": Poll}
    source = POLLS.replace("key =", "owner: Attr[str] = attr()\n    key =")
    declare(source.replace('("POLL", name)', '("POLL", owner)'), names)
    store = open_store(table)
    scoped = store.scoped(owner="ada")
    assert scoped.create(Poll(name="lunch")).owner == "ada"
    declare(source, names)
    with pytest.raises(OutOfScope):
        scoped.create(Poll(name="lunch"))


def test_invalid_declaration_leaves_the_first() -> None:
    table = Table("notebook")
    names: dict[str, Any] = {"table": table}
    declare(PROJECT, names)
    first = names["Project"]
    with pytest.raises(DeclarationError):
        declare(PROJECT.replace("attr(default=0)", "attr(default='none')"), names)
    assert table.entities == [first]


def test_class_of_the_same_name_in_another_module_is_rejected_with_both_places() -> None:
    names: dict[str, Any] = {"table": Table("notebook")}
    declare(PROJECT, names, "first")
    with pytest.raises(DeclarationError, match=r"Project is declared in first and in second\."):
        declare(PROJECT, names, "second")
