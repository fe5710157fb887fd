"""No long text can stop a regular expression: its time grows with the length alone.

`re` backtracks, so a few patterns take hours for a text that was made for it. Write them so that
a run of characters can be divided in one way only: `[^:]*:` instead of `.*:`, possessive repeats
(`\\s++`), and a lookbehind where a run may start.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.backtracking import find_ambiguity
from tools.testing.sources import SOURCES, name_of

FUNCTIONS = {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
# Patterns of commands are for what the person at the terminal has entered or has in a folder.
OWN_INPUT = (
    "singletable/cli",
    "singletable_design/cli",
    "singletable_design/planning",
    "singletable/migration",
)
# Reported, but fast, by file and beginning of the pattern.
EXEMPT = {
    "singletable/fastapi.py Item size": "messages of DynamoDB",
    "singletable_design/introspection/field_types.py [^@": "for whole texts only",
    "singletable/schema/source.py ": "our own source code",
    "dynamodb_engine/server/guard/policy_document.py \\s*([^,]+?)": "written by the operator",
    "dynamodb_engine/server/guard/policy_document.py ": "other stars are in atomic groups",
    "ranked_ballots/formats/abif.py \\{.*\\}": "lines have no line break",
    "ranked_ballots/formats/csv.py .*?(?<!": "the last star matches everything",
    "singletable_apps/games/formats/tables.py (?:^|(?<!\\s)": "a run has one start",
    "singletable_apps/portfolio/site_files.py (?P<start>": "excludes its own beginnings",
    "singletable_apps/shared/markdown.py <!--": "what has no end ends with the text",
    "singletable_apps/shared/markdown.py <sup": "sanitized HTML has < in tags only",
}


def _patterns(path: Path) -> Iterator[tuple[str | bytes, int, set[str]]]:
    """Yield the literal patterns of a module, their flags, and what they are used for."""
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source))) if "import re\n" in source else []
    names: dict[ast.AST, str] = {}
    values: dict[str, ast.expr] = {}
    uses: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.value] = node.targets[0].id
            values[node.targets[0].id] = node.value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            uses.setdefault(node.value.id, set()).add(node.attr)
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        function, first = node.func.attr, node.args[0]
        if ast.unparse(node.func.value) != "re" or function not in {"compile", *FUNCTIONS}:
            continue
        text = _literal(values.get(first.id, first) if isinstance(first, ast.Name) else first)
        flags = sum(
            getattr(re, name) for name in re.findall(r"\bre\.([A-Z]+)\b", ast.unparse(node))
        )
        used = uses.get(names.get(node, ""), set()) if function == "compile" else {function}
        if text is not None:
            yield text, flags, used & FUNCTIONS


def _literal(node: ast.expr) -> str | bytes | None:
    """Return the text of a literal; what is put into an f-string is taken for a letter."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(part) for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    return None


def _part(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "x"


def test_patterns_take_linear_time() -> None:
    slow: list[str] = []
    reported: set[str] = set()
    for path in SOURCES:
        file = name_of(path)
        for text, flags, used in () if file.startswith(OWN_INPUT) else _patterns(path):
            finds_start = not used or not used <= {"match", "fullmatch"}
            why = find_ambiguity(
                text, flags, finds_start=finds_start, is_whole=used == {"fullmatch"}
            )
            if why:
                key = f"{file} {text!s}"
                exempt = next((each for each in EXEMPT if key.startswith(each)), None)
                slow += [f"{key[:200]}: {why}"] if exempt is None else []
                reported |= {exempt} if exempt else set()
    assert not slow, "\n".join(slow)
    assert reported == EXEMPT.keys()


@pytest.mark.parametrize(
    ("pattern", "options"),
    [
        ("(a+)+b", {}),
        ("(a*)*b", {"finds_start": False}),
        ("(?:a|b|ab)*c", {"finds_start": False}),
        (r"(?:\w+\s?)*$", {"finds_start": False}),
        (r"\s+$", {}),
        (r"\s++x", {}),
        ("<[^>]*>", {}),
        ("a*[a-c]*d", {"finds_start": False}),
        (r"[^@]+@[^@]+\.[^@]+", {"is_whole": True, "finds_start": False}),
        (r"^\s*x", {"flags": re.MULTILINE}),
    ],
)
def test_slow_patterns_are_found(pattern: str, options: dict[str, Any]) -> None:
    assert find_ambiguity(pattern, **options)


@pytest.mark.parametrize(
    ("pattern", "options"),
    [
        (r"\d+", {}),
        (r"https?://[^\s]+", {}),
        (r"[a-z0-9]+(?:-[a-z0-9]+)*", {"is_whole": True, "finds_start": False}),
        (r"(?<!\s)\s++x", {}),
        (r"\s*+\s*x", {"finds_start": False}),
        (r"^[ \t]*x", {"flags": re.MULTILINE}),
        ("[^,]*,[^,]*,x", {"finds_start": False}),
    ],
)
def test_fast_patterns_are_not_reported(pattern: str, options: dict[str, Any]) -> None:
    assert find_ambiguity(pattern, **options) == ""
