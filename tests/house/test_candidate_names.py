"""No rule depends on what a candidate is called: people write in their own language."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tools.testing.sources import ROOT

FOLDERS = (
    "packages/ranked-ballots/src",
    "packages/singletable-apps/src/singletable_apps/elections",
    "packages/singletable-apps/src/singletable_apps/polls",
    "packages/singletable-apps/src/singletable_apps/shared",
)
WORDS = {"Yes", "No", "None of these", "Abstain", "Blank"}
CONSTANTS = {"YES_OR_NO", "NONE_OF_THESE"}
COMPARING_CALLS = {"is_same_name", "count", "index"}
# The name of a choice that ballots offer is reserved while they do; and elections from before a
# proposal was a method are told by their names.
ALLOWED = {"check_none_of_these", "proposal_of"}


def find_comparisons(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the functions that compare something with the name of a candidate, and the lines."""
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    for node in ast.walk(tree):
        is_call = isinstance(node, ast.Call) and (
            getattr(node.func, "id", getattr(node.func, "attr", "")) in COMPARING_CALLS
        )
        if not (isinstance(node, ast.Compare | ast.MatchValue) or is_call):
            continue
        if any(map(_is_name_of_candidate, ast.walk(node))):
            line = getattr(node, "lineno", 0)
            around = [
                each.name for each in functions if each.lineno <= line <= (each.end_lineno or 0)
            ]
            yield around[-1] if around else "", line


def _is_name_of_candidate(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in WORDS
    return isinstance(node, ast.Name) and node.id in CONSTANTS


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from sorted((ROOT / folder).rglob("*.py"))


def test_no_rule_compares_the_name_of_a_candidate_with_a_word() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line} in {function or 'the module'}"
        for path in sources()
        for function, line in find_comparisons(ast.parse(path.read_text(encoding="utf-8")))
        if function not in ALLOWED
    ]
    assert found == []


def test_comparisons_are_found() -> None:
    for code in (
        "def f(names): return set(names) == set(YES_OR_NO)",
        "def f(name): return name in ('Yes', 'No')",
        "def f(name): return is_same_name(name, NONE_OF_THESE)",
        "def f(name):\n match name:\n  case 'No': return 1",
    ):
        assert [name for name, _ in find_comparisons(ast.parse(code))] == ["f"]
