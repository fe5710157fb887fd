"""Every refusal of the rules, word by word: what was expected, what is, and what to do."""

from __future__ import annotations

import ast
from pathlib import Path
from traceback import extract_tb

import pytest

from singletable_apps.elections import rules
from singletable_apps.elections.errors import Rejected
from tests.apps.elections.rules import (
    refused_elections,
    refused_names,
    refused_people,
    refused_voting,
)
from tests.apps.elections.rules.refusals import Refusal

REFUSALS = [
    *refused_names.REFUSALS,
    *refused_people.REFUSALS,
    *refused_elections.REFUSALS,
    *refused_voting.REFUSALS,
]
ROOM = Path(rules.__file__).parent


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.text[:60])
def test_a_refusal_says_why_and_what_to_do(refusal: Refusal) -> None:
    refused = _refused(refusal)
    assert str(refused) == refusal.text
    assert type(refused) is refusal.error
    assert refused.field == refusal.field


# Words that nobody has read are words that nobody understands.
def test_no_refusal_is_missing_here() -> None:
    written = {
        (path.name, node.lineno)
        for path in ROOM.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise)
    }
    tried = {_place(_refused(refusal)) for refusal in REFUSALS}
    assert written == tried


def _refused(refusal: Refusal) -> Rejected:
    with pytest.raises(Rejected) as refused:
        refusal.ask()
    return refused.value


def _place(refused: Rejected) -> tuple[str, int]:
    """The file and the line that raised it."""
    last = extract_tb(refused.__traceback__)[-1]
    assert last.lineno is not None
    return Path(last.filename).name, last.lineno
