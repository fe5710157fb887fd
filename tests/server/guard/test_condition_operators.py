"""How conditions compare, and what they make of a key that a request does not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.server.guard.policy import Verdict, read_policy
from tests.server.guard.policies import CONTEXT, policy, statement

SELECT = "dynamodb:Select"
KEYS = "dynamodb:LeadingKeys"


def holds(operator: str, key: str, expected: object, values: tuple[str, ...]) -> bool:
    """Whether a statement applies to a request in which the key has the values."""
    document = policy(statement(Condition={operator: {key: expected}}))
    facts = {key: values}
    said = read_policy(document, CONTEXT).verdict(
        "dynamodb:Query", "*", lambda asked: facts.get(asked, ())
    )
    return said is Verdict.ALLOWED


@pytest.mark.parametrize(
    ("operator", "expected", "value", "result"),
    [
        ("StringEquals", "COUNT", "COUNT", True),
        ("StringEquals", ["ALL", "COUNT"], "COUNT", True),
        ("StringEquals", "count", "COUNT", False),
        ("StringEquals", "C*", "COUNT", False),
        ("StringEquals", "C${*}", "C*", True),
        ("StringNotEquals", "COUNT", "COUNT", False),
        ("StringNotEquals", ["ALL", "COUNT"], "COUNT", False),
        ("StringNotEquals", "ALL", "COUNT", True),
        ("StringEqualsIgnoreCase", "count", "COUNT", True),
        ("StringNotEqualsIgnoreCase", "count", "COUNT", False),
        ("StringLike", "C*T", "COUNT", True),
        ("StringLike", "C?T", "COUNT", False),
        ("StringLike", "C${*}", "COUNT", False),
        ("StringLike", "${?}${$}*", "?$COUNT", True),
        ("StringNotLike", "C*", "COUNT", False),
        ("StringNotLike", "D*", "COUNT", True),
        ("Null", "false", "COUNT", True),
        ("Null", "true", "COUNT", False),
        ("Null", [False], "COUNT", True),
    ],
)
def test_operators_compare(operator: str, expected: object, value: str, result: bool) -> None:
    assert holds(operator, SELECT, expected, (value,)) == result
    if operator != "Null":
        assert holds(f"{operator}IfExists", SELECT, expected, (value,)) == result
        assert holds(f"ForAllValues:{operator}", SELECT, expected, (value,)) == result
        assert holds(f"ForAnyValue:{operator}", SELECT, expected, (value,)) == result


# As AWS has it, and where most mistakes with conditions are made: "all of none" is true.
@pytest.mark.parametrize(
    ("operator", "result"),
    [
        ("StringEquals", False),
        ("StringLike", False),
        ("StringNotEquals", True),
        ("StringNotLike", True),
        ("StringEqualsIfExists", True),
        ("StringNotEqualsIfExists", True),
        ("ForAllValues:StringEquals", True),
        ("ForAllValues:StringNotEquals", True),
        ("ForAnyValue:StringEquals", False),
        ("ForAnyValue:StringEqualsIfExists", False),
        ("ForAnyValue:StringNotEquals", False),
    ],
)
def test_a_key_that_is_not_there(operator: str, result: bool) -> None:
    assert holds(operator, SELECT, "COUNT", ()) == result


def test_null_tells_whether_a_key_is_there() -> None:
    assert holds("Null", SELECT, "true", ())
    assert not holds("Null", SELECT, "false", ())


@pytest.mark.parametrize(
    ("operator", "values", "result"),
    [
        ("ForAllValues:StringEquals", ("a", "b"), True),
        ("ForAllValues:StringEquals", ("a", "c"), False),
        ("ForAnyValue:StringEquals", ("a", "c"), True),
        ("ForAnyValue:StringEquals", ("c", "d"), False),
        ("ForAllValues:StringNotEquals", ("c", "d"), True),
        ("ForAllValues:StringNotEquals", ("a", "c"), False),
        ("ForAnyValue:StringNotEquals", ("a", "c"), True),
        ("ForAnyValue:StringNotEquals", ("a", "b"), False),
    ],
)
def test_all_or_any_of_several_values(operator: str, values: tuple[str, ...], result: bool) -> None:
    assert holds(operator, KEYS, ["a", "b"], values) == result


def test_keys_may_be_written_in_any_case() -> None:
    document = policy(statement(Condition={"StringEquals": {"AWS:UserName": "ada"}}))
    facts = {"aws:username": ("ada",)}
    said = read_policy(document, CONTEXT).verdict("dynamodb:Scan", "*", facts.__getitem__)
    assert said is Verdict.ALLOWED


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${aws:username}", "ada"),
        ("USER#${AWS:username}#x", "USER#ada#x"),
        ("${aws:PrincipalTag/team}-${aws:username}", "red-ada"),
        ("${aws:PrincipalTag/none, 'nobody'}", "nobody"),
        ("${aws:username, 'nobody'}", "ada"),
    ],
)
def test_variables_are_filled_in(written: str, value: str) -> None:
    for operator in ("StringEquals", "StringLike"):
        assert holds(f"ForAllValues:{operator}", KEYS, written, (value,))
        assert not holds(f"ForAllValues:{operator}", KEYS, written, (f"{value}!",))


# Otherwise whoever may choose their own name could be everybody.
def test_a_star_in_a_variables_value_stands_for_itself() -> None:
    document = policy(statement(Condition={"ForAllValues:StringLike": {KEYS: "${aws:username}"}}))
    read = read_policy(document, {"aws:username": "a*"})
    assert read.verdict("dynamodb:Query", "*", lambda _: ("a*",)) is Verdict.ALLOWED
    assert read.verdict("dynamodb:Query", "*", lambda _: ("ab",)) is Verdict.NOT_ALLOWED


def _glob(pattern: str, text: str) -> bool:
    """The same by the simplest way."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(_glob(pattern[1:], text[start:]) for start in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and _glob(pattern[1:], text[1:])


@given(st.text("ab*?.\n", max_size=8), st.text("ab.\n", max_size=8))
def test_wildcards_match_as_they_should(pattern: str, text: str) -> None:
    if text:
        assert holds("StringLike", SELECT, pattern, (text,)) == _glob(pattern, text)


# A client chooses the values; it must not be able to choose that we think about them for ever.
def test_a_pattern_with_many_stars_comes_to_an_end() -> None:
    assert not holds("StringLike", SELECT, "*a" * 30 + "b", ("a" * 2048,))
