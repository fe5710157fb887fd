"""Every declaration that cannot work is refused at import, in words that teach.

The cases are in `rejected_declarations.txt`: a title, the declaration, and what is said of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from singletable import DeclarationError

CASES = Path(__file__).with_suffix(".txt").with_stem("rejected_declarations")

# What stands before each declaration.
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
    """A declaration and what is said of it."""

    title: str
    source: str
    said: str


def _cases() -> list[Case]:
    cases: list[Case] = []
    for block in CASES.read_text().split("=== ")[1:]:
        title, _, rest = block.partition("\n")
        source, _, said = rest.partition("--- ")
        cases.append(Case(title, source, said.strip()))
    return cases


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case.title.replace(" ", "-"))
def test_a_wrong_declaration_is_refused_in_these_words(case: Case) -> None:
    names: dict[str, object] = {"__name__": "declared"}
    exec(BEFORE, names)
    with pytest.raises(DeclarationError) as refused:
        exec(case.source, names)
    assert str(refused.value) == case.said


# A title that stands twice would hide one of the two in what a failing run prints.
def test_every_case_has_a_title_of_its_own() -> None:
    titles = [case.title for case in _cases()]
    assert len(set(titles)) == len(titles)
