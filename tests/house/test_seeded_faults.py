"""The seeded faults fit the present sources, and each operator changes what it says."""

from __future__ import annotations

import ast
from itertools import groupby

import pytest

from tests.house.sources import ROOT
from tools.seeded_faults.choice import read_list
from tools.seeded_faults.mutations import faults, seed


# A fault whose line was changed is replaced by another: run `python -m tools.seeded_faults choose`.
def test_every_fault_fits_the_present_sources() -> None:
    missing = []
    for path, chosen in groupby(read_list(), key=lambda fault: fault.partition(" | ")[0]):
        source = (ROOT / path).read_text() if (ROOT / path).exists() else ""
        possible = {fault for fault, _ in faults(path, source, ast.parse(source))}
        missing += [fault for fault in chosen if fault not in possible]
    assert missing == []


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
