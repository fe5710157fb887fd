"""The seeded faults fit the present sources, and each operator changes what it says."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from tools.seeded_faults.choice import AREAS, area_of, choose
from tools.seeded_faults.mutations import faults, seed
from tools.testing.sources import ROOT


def test_every_area_has_its_faults_and_they_can_be_seeded() -> None:
    chosen = choose(ROOT)
    assert Counter(map(area_of, chosen)) == {name: number for name, (number, _) in AREAS.items()}
    for fault in chosen:
        seed(fault, (ROOT / fault.partition(" | ")[0]).read_text())


def test_two_equal_checkouts_share_all_faults() -> None:
    assert choose(ROOT, ROOT) == choose(ROOT)


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("comparison", "return a < b", "return a <= b"),
        ("comparison", "return a not in b", "return a in b"),
        ("comparison", "return a is None", "return a is not None"),
        ("and-or", "return a and b", "return a or b"),
        ("not", "return not a", "return not not a"),
        ("boolean", "return True", "return False"),
        ("integer", "return 41", "return 42"),
        ("arithmetic", "return a + b", "return a - b"),
        ("call", "a.b()", "None"),
        ("call", "await a.b()", "None"),
        ("guard", "if a: raise b", "if a and False: raise b"),
        ("exit", "if a: return b", "if a: pass"),
        ("condition", "return a.put(b, if_=c)", "return a.put(b)"),
    ],
)
def test_operator_changes_the_syntax_tree(operator: str, before: str, after: str) -> None:
    source = f"async def f(a, b, c):\n {before}"
    tree = seed(f"m.py | f | {operator} 0 | {before}", source)
    assert ast.unparse(tree) == ast.unparse(ast.parse(f"async def f(a, b, c):\n {after}"))


@pytest.mark.parametrize(
    "source",
    [
        "limit = 1 < 2",
        "def f(a=1): raise Error(1)",
        "def f(a): _log.info(a, 1)",
        "def f(a): return f'{a + 1}'",
        "class C:\n def __repr__(self): return 1",
    ],
)
def test_declarations_and_messages_have_no_faults(source: str) -> None:
    assert list(faults("m.py", source, ast.parse(source))) == []


def test_fault_that_no_longer_fits_raises() -> None:
    with pytest.raises(LookupError, match="no place"):
        seed("m.py | f | integer 0 | return 1", "def f(): return 2")
