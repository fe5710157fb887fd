"""Keys called with values by name, as Python passes arguments: positional ones first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable import InvalidValue, PatternCatalog
from singletable.schema import Attr, Entity, Index, Key, Table, Unique, attr, casefold, repeated

by_state = Index("by_state", pk="GSI1PK", sk="GSI1SK")
tracker = Table("tracker", indexes=[by_state])


class Issue(Entity, table=tracker):
    org: Attr[str] = attr()
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    state: Attr[str] = attr(default="open")
    title: Attr[str] = attr(default="")
    key = Key(pk=("ORG", org, "PROJECT", project), sk=("ISSUE", number, repeated(org)))
    of_state = Key(pk=("ORG", org, state), sk=(number,)).on(by_state)
    one_title = Unique(org, casefold(title))


catalog = PatternCatalog("tracker", tracker)
one = catalog.read("R1", "An issue", Issue.key)
in_state = catalog.lookup("R2", "Issues in a state", Issue, Issue.org, Issue.state)

# The same call with positional arguments, for type checkers, which know no mixed calls.
mixed: Any = Issue.key


def test_keys_by_name() -> None:
    key = Issue.key("acme", "web", 7)
    assert Issue.key(number=7, project="web", org="acme") == key
    assert mixed("acme", number=7, project="web") == key
    assert repr(Issue.key(number=7, project="web", org="acme")) == repr(key)
    assert str(Issue.key.partition(project="web", org="acme").eq(7)) == str(
        Issue.key.partition("acme", "web").eq(7)
    )
    assert str(Issue.of_state(state="open", org="acme")) == str(Issue.of_state("acme", "open"))
    assert Issue.one_title(title="x", org="acme") == Issue.one_title("acme", "x")


def test_patterns_by_name() -> None:
    assert one(org="acme", project="web", number=7) == Issue.key("acme", "web", 7)
    assert one(org="acme", project="web", number=7).pattern == "tracker:R1"
    assert str(in_state(state="open", org="acme")) == str(in_state("acme", "open"))


REJECTED: dict[str, tuple[Callable[[], object], str]] = {
    "unknown": (lambda: mixed("acme", "web", nubmer=7), "org, project, number, but got nubmer"),
    "not part of the key": (lambda: Issue.key(title="x"), "but got title"),
    "missing": (lambda: Issue.key(org="acme"), "no project and no number"),
    "twice": (lambda: mixed("acme", "web", 7, org="x"), "org twice"),
    "too many": (lambda: mixed("acme", "web", 7, 8, number=7), "number twice"),
    "none": (lambda: Issue.key(), "3 values"),
    "None": (lambda: Issue.key(org=None, project="web", number=1), "org"),
    "sort key of a partition": (lambda: Issue.key.partition(org="a", number=1), "got number"),
    "index": (lambda: Issue.of_state(org="acme"), "org, state, but got no state"),
    "unique": (lambda: Issue.one_title(org="acme"), "org, title, but got no title"),
    "pattern": (lambda: one(org="acme", nr=3), "but got nr"),
    "lookup": (lambda: in_state(org="acme", number=3), "org, state, but got number"),
    "wrong type": (lambda: Issue.key(org="acme", project="web", number="7"), "number"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_wrong_names_are_rejected(name: str) -> None:
    call, message = REJECTED[name]
    with pytest.raises(InvalidValue, match=message):
        call()
