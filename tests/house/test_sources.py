"""House rules for source files."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tools.testing.sources import (
    BENCHMARKS,
    DOCUMENTS,
    DRILLS,
    EXAMPLES,
    SOURCES,
    TESTS,
    TOOLS,
    name_of,
    tree_of,
)

WRITTEN = [*SOURCES, *BENCHMARKS, *DRILLS, *TOOLS, *EXAMPLES]


# Each rule is one test over all files and lists the violations: one test per file would be slow to
# collect.


# Readers decide by the first line whether to open a file.
def test_every_file_starts_with_a_docstring() -> None:
    assert not {name_of(path): said for path in [*WRITTEN, *TESTS] if (said := _first(path))}


def _first(path: Path) -> str | None:
    """Return what is wrong with the first line of a file, or None."""
    first_line = _docstring(path).partition("\n")[0]
    if not first_line:
        return "begin the file with a docstring of one line"
    if first_line[0].isalpha() and not first_line[0].isupper():
        return f"a sentence begins with a capital: {first_line}"
    if not first_line.endswith((".", ":")):
        return f"a sentence ends in a full stop: {first_line}"
    return None


def _docstring(path: Path) -> str:
    """Return the string that a file begins with; parsing all of each file would take seconds."""
    with path.open() as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.STRING:
                return str(ast.literal_eval(token.string))
            if token.type not in (tokenize.COMMENT, tokenize.NL):
                break
    return ""


# A spreadsheet runs `=HYPERLINK(…)` in a CSV file, so cells are escaped where CSV is written: for
# the apps and for ballots with `escape_formula`, for the library's reports in `format_csv`.
def test_csv_is_written_in_three_places_that_escape_formulas() -> None:
    writes = re.compile(r"csv\.(?:Dict)?[Ww]riter\(|from csv import")
    assert [name_of(path) for path in SOURCES if writes.search(path.read_text())] == [
        "ranked_ballots/formats/csv.py",
        "singletable/text_table.py",
        "singletable_apps/shared/spreadsheets.py",
    ]


# These words hide who does what, or are not idiomatic.
def test_texts_avoid_stilted_words() -> None:
    words = ("hoever", " anew", "inside of", "towards ", " an URL")
    assert not [
        f"{name_of(path)}: {word}"
        for path in [*WRITTEN, *TESTS, *DOCUMENTS]
        if "sample" not in path.parts and path != Path(__file__)
        for text in [path.read_text()]
        for word in words
        if word in text
    ]


# People sign in without a password, too: `Auth.has_owner` says whether an account was ever used.
def test_password_hashes_are_stored_and_passed_on_but_asked_about_in_one_module() -> None:
    one = "singletable_apps/shared/accounts/auth.py"
    found = {
        name_of(path): lines
        for path in SOURCES
        if "history" not in path.parts and (lines := _questions_about_passwords(tree_of(path)))
    }
    assert set(found) == {one}, f"Call has_owner of {one} instead: {found}"


def _questions_about_passwords(tree: ast.Module) -> list[int]:
    """Return the lines with `password_hash` of a value that is not just an argument of a call.

    That of an entity, such as `User.password_hash`, is the declaration of the field.
    """
    passed = {id(value) for node in ast.walk(tree) for value in _passed_on(node)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "password_hash"
        if id(node) not in passed
        if not ast.unparse(node.value).removeprefix("self.")[0].isupper()
        if not ast.unparse(node.value).endswith("entity")
    ]


def _passed_on(node: ast.AST) -> list[ast.expr]:
    """Return the values that a call or a conditional expression passes on."""
    match node:
        case ast.Call(func=ast.Name("bool")):
            return []
        case ast.Call():
            return [*node.args, *(keyword.value for keyword in node.keywords)]
        case ast.IfExp():
            return [node.body, node.orelse]
        case _:
            return []


# Planned work belongs in the issue tracker, not in the code.
def test_no_todo_marks_are_left() -> None:
    marks = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
    assert not [
        f"{name_of(path)}: {line}"
        for path in [*WRITTEN, *TESTS]
        for line in path.read_text().splitlines()
        if marks.search(line)
    ]


# Every public name has a docstring.
def test_every_public_name_has_a_docstring() -> None:
    assert not [
        f"{name_of(path)}:{node.lineno}: {node.name}"
        for path in SOURCES
        for node in _public(tree_of(path).body)
        if not ast.get_docstring(node)
    ]


def _is_documented_elsewhere(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether the implementation, or the method of the base class, has the docstring."""
    names = {by.id for by in node.decorator_list if isinstance(by, ast.Name)}
    return bool(names & {"overload", "override"})


def _public(
    body: list[ast.stmt],
) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield public classes and functions, and public methods of public classes."""
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("_") or _is_documented_elsewhere(node):
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from _public(node.body)
