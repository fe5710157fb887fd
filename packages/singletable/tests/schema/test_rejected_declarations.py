"""Every declaration that cannot work is rejected at import, with a helpful message.

The cases are in `rejected_declarations.txt`: a title, the declaration, and the error message.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from singletable import Attr, DeclarationError, Entity, Key, Table, attr

CASES = Path(__file__).with_suffix(".txt").with_stem("rejected_declarations")

# Executed before each declaration.
BEFORE = """
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Literal
from uuid import UUID

from singletable.schema import *
from singletable.schema import Count, Unique

NOW = datetime(2026, 11, 3, tzinfo=UTC)
gsi1 = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
gsi2 = Index("GSI-2", pk="GSI2PK", projection=["name"])
levels = Index("levels", pk=("skill", Number("level")), sk=Number("years"))
local = LocalIndex("by_time", sk="WHEN")
inverted = Index("inverted", pk="SK", sk="PK")
votes = Table("votes", indexes=[gsi1, gsi2, levels, local, inverted], ttl="TTL")
flat = Table("flat", sk=None)
numbered = Table("numbered", pk=Number("N"), sk=None)

class Poll(Entity, table=votes, type_tag=("type", "POLL")):
    poll_id: Attr[str] = attr()
    votes: Attr[int] = attr(default=0)
    key = Key(pk=("POLL", poll_id), sk="METADATA")
"""


class Case(NamedTuple):
    """A declaration and its error message."""

    title: str
    source: str
    message: str


def _cases() -> list[Case]:
    cases: list[Case] = []
    for block in CASES.read_text().split("=== ")[1:]:
        title, _, rest = block.partition("\n")
        source, _, message = rest.partition("--- ")
        cases.append(Case(title, source, message.strip()))
    return cases


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.title.replace(" ", "-"))
def test_invalid_declaration_is_rejected_with_this_message(case: Case) -> None:
    names: dict[str, object] = {"__name__": "declared"}
    exec(BEFORE, names)
    with pytest.raises(DeclarationError) as rejected:
        exec(case.source, names)
    assert str(rejected.value) == case.message


# Two cases with one title could not be told apart in the output of a failing run.
def test_titles_of_cases_are_unique() -> None:
    titles = [case.title for case in _cases()]
    assert len(set(titles)) == len(titles)


# A field or a key would hide what the base class has under that name. Names that begin with _ are
# rejected anyway.
@pytest.mark.parametrize("name", [name for name in dir(Entity) if not name.startswith("_")])
@pytest.mark.parametrize("kind", [Attr, Key])
def test_name_of_the_base_class_is_rejected(name: str, kind: type) -> None:
    types = {"poll": Attr[str], **({name: Attr[str]} if kind is Attr else {})}
    body: dict[str, object] = {"__annotations__": types, "poll": (poll := attr()), name: attr()}
    body["key" if kind is Attr else name] = Key(pk=("POLL", poll), sk="POLL")
    with pytest.raises(DeclarationError, match=rf"Poll\.{name} would hide Entity\.{name}"):
        type("Poll", (Entity,), body, table=Table("polls"))
