"""Static analysis of expressions."""

from __future__ import annotations

from dynamodb_engine.expressions import (
    Path,
    Placeholders,
    Set,
    condition_paths,
    count_operators,
    parse_condition,
    parse_update,
    result_type,
    target_attributes,
    update_paths,
)
from tests.expressions.parse_errors import NAMES, VALUES
from tools.testing.cases import every

PLACEHOLDERS = Placeholders(NAMES, VALUES)


def test_condition_paths_are_in_text_order() -> None:
    text = (
        "NOT (a = :n OR b.c[1] <> size(#a)) AND attribute_exists(d) AND e IN (f, :n) AND "
        "g BETWEEN h AND i AND attribute_type(j, :type) AND contains(k, l) AND "
        "attribute_not_exists(m)"
    )
    heads = [path[0] for path in condition_paths(parse_condition(text, PLACEHOLDERS))]
    assert heads == ["a", "b", "a", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"]
    assert condition_paths(parse_condition("b.c[1] = :n", PLACEHOLDERS)) == (("b", "c", 1),)


@every(
    ("text", "count"),
    [
        ("a = :n", 1),
        ("NOT a = :n AND b = :n OR size(a) = size(b)", 8),
        ("attribute_exists(a) OR a IN (:n, b)", 3),
    ],
)
def test_count_operators(text: str, count: int) -> None:
    assert count_operators(parse_condition(text, PLACEHOLDERS)) == count


def test_update_paths_include_targets_and_sources() -> None:
    update = parse_update(
        "SET a.b = c + :n, d = if_not_exists(e, f), g = list_append(h[0], :l) REMOVE a.c, i",
        PLACEHOLDERS,
    )
    expected: list[Path] = [("a", "b"), ("c",), ("d",), ("e",), ("f",), ("g",), ("h", 0)]
    assert update_paths(update) == (*expected, ("a", "c"), ("i",))
    assert target_attributes(update) == ("a", "d", "g", "i")


@every(
    ("term", "kind"),
    [
        (":s", "S"),
        ("b", None),
        ("b + c", "N"),
        ("list_append(b, c)", "L"),
        ("if_not_exists(b, :ss)", "SS"),
        ("if_not_exists(b, c)", None),
    ],
)
def test_result_type(term: str, kind: str | None) -> None:
    (action,) = parse_update(f"SET a = {term}", PLACEHOLDERS)
    assert isinstance(action, Set)
    assert result_type(action.term) == kind
