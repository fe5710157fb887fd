"""Ids of users and numbers on rolls are two kinds of numbers that cannot be mixed up."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singletable_apps.elections
from singletable_apps.elections.entities import RollNumber, UserId, roll_key, roll_number

SOURCES = Path(singletable_apps.elections.__file__).parent
# What is sealed and authenticated has plain numbers, beside that of the election and the event.
PLAIN = {("keys.py", "voter_id")}


@given(st.integers(min_value=1), st.integers(min_value=1))
def test_user_is_nobody_on_a_roll(number: int, other: int) -> None:
    user, voter = UserId(number), RollNumber(other)
    assert len({user, voter, number, other}) == 2 + len({number, other})
    assert {user: 1}.get(voter) is None  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        sorted([user, voter])  # type: ignore[type-var]


@given(st.integers(min_value=1, max_value=10**9))
def test_number_on_a_roll_is_read_from_its_name(number: int) -> None:
    assert roll_number(roll_key(RollNumber(number))) == RollNumber(number)
    assert roll_number(f"removed@{number}") is None


def test_no_voter_id_is_a_plain_number() -> None:
    found = {
        (path.name, name)
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name, annotation in _annotated(node)
        if (name == "voter_id" and annotation == "int")
        or (name in ("voters", "ballots", "roll", "replaced") and "[int" in annotation[:9])
    }
    assert found == PLAIN


def _annotated(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.arg) and node.annotation is not None:
        return [(node.arg, ast.unparse(node.annotation))]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [(node.target.id, ast.unparse(node.annotation))]
    return []
