"""Syntax errors, and the position that DynamoDB reports."""

from __future__ import annotations

import pytest

from dynamodb_engine.expressions import (
    Placeholders,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
)
from tests.expressions.parse_errors import parse_error
from tools.testing.cases import every


# The message quotes the token with its neighbors and the blanks between them; at either end of the
# text, with the blanks up to it.
@every(
    ("text", "token", "near"),
    [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("RESET NonExistent value", "RESET", "RESET NonExistent"),
        ("  RESET NonExistent value", "RESET", "  RESET NonExistent"),
        ("RESET", "RESET", "RESET"),
        ("|", "|", "|"),
        ("   |", "|", "   |"),
        ("SET|", "|", "SET|"),
        ("SET a|", "|", "a|"),
        ("SET _123 = :n", "_", "SET _123"),
        ("SET a = _idid", "_", "= _idid"),
        ("SET a = 3", "3", "= 3"),
        ("SET a = 34", "34", "= 34"),
        ("SET 123a = :n", "123", "SET 123a"),
        ("SET path = VALUE 1", "1", "VALUE 1"),
        ("SET MyStr[ 3", "<EOF>", "3"),
        ("SET MyStr[ 3 ", "<EOF>", "3 "),
        ("SET MyStr[3 )", ")", "3 )"),
        ("SET )", ")", "SET )"),
        ("SET ) 3", ")", "SET ) 3"),
        ("SET a = (:n", "<EOF>", ":n"),
        ("SET a = (:n + (:n2", "<EOF>", ":n2"),
        ("SET a = [:n  ", "[", "= [:n"),
        ("SET a = ):n + :n2", ")", "= ):n"),
        ("SET a [  [2] ]. b = 5", "[", "[  [2"),
        ("SET a [2 1]. b = 5", "1", "2 1]"),
        ("SET a [2][ 3  ]. b = 5", "5", "= 5"),
        ("SET #a a = 5", "a", "#a a ="),
        ("SET a = b + + :n ", "+", "+ + :n"),
        ("SET a = b + - :n ", "-", "+ - :n"),
        ("SET a = :n + :n + :n", "+", ":n + :n"),
        ("SET a = (:n + :n) + :n", "+", ") + :n"),
        ("SET a = if_not_exists(a, :n + :n)", "+", ":n + :n"),
        ("SET a = if_not_exists(a, 0)", "0", ", 0)"),
        ("SET a = if_not_exists()", ")", "()"),
        ("SET a = :n,", "<EOF>", ","),
        ("SET :n = a", ":n", "SET :n ="),
        ("SET (a).b = :n", "(", "SET (a"),
        ("SET a[:n] = :n", ":n", "[:n]"),
        ("SET a[#a] = :n", "#a", "[#a]"),
        ("SET a = # ,", "#", "= # ,"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("ADD a val foobar", "val", "a val foobar"),
        ("ADD a :n foobar", "foobar", ":n foobar"),
        ("DELETE a val", "val", "a val"),
        ("REMOVE a + ", "+", "a + "),
        ("REMOVE if_not_exists(a,b)", "(", "if_not_exists(a"),
        ("SET add = :n", "add", "SET add ="),
        ("a-b", "a", "a-"),
    ],
)
def test_syntax_error_in_update(text: str, token: str, near: str) -> None:
    expected = f'Invalid UpdateExpression: Syntax error; token: "{token}", near: "{near}"'
    assert parse_error(parse_update, text) == expected


@every(
    ("text", "token", "near"),
    [
        ("foo", "<EOF>", "foo"),
        ("a-b", "-", "a-b"),
        ("a = = b", "=", "= = b"),
        ("a == :n", "=", "== :n"),
        ("a != :n", "!", "a !="),
        ("attribute_not_exists(", "<EOF>", "("),
        ("attribute_exists()", ")", "()"),
        ("attribute_exists(a) AND NOT #a", "<EOF>", "#a"),
        ("#a attribute_not_exists :n", "attribute_not_exists", "#a attribute_not_exists :n"),
        ("[object Object]", "[", "[object"),
        ("a = :n b", "b", ":n b"),
        ("a IN ()", ")", "()"),
        ("a IN :n", ":n", "IN :n"),
        ("a BETWEEN :n", "<EOF>", ":n"),
        ("a BETWEEN :n OR :n2", "OR", ":n OR :n2"),
        ("a AND b = :n", "AND", "a AND b"),
        ("(a) OR b = :n", "OR", ") OR b"),
        ("(a)", "<EOF>", ")"),
        ("(a = :n", "<EOF>", ":n"),
        ("a = :n)", ")", ":n)"),
        ("(a = :n) = :n", "=", ") = :n"),
        ("a = (b = :n)", "=", "b = :n"),
        ("and = :n", "and", "and ="),
        ("a.between = :n", "between", ".between ="),
        ("a. = :n", "=", ". = :n"),
        ("#a(a)", "(", "#a(a"),
        ("a = :n AND", "<EOF>", "AND"),
        ("NOT", "<EOF>", "NOT"),
        ("a = 1", "1", "= 1"),
        ("a = 'x'", "'", "= 'x"),
    ],
)
def test_syntax_error_in_condition(text: str, token: str, near: str) -> None:
    expected = f'Syntax error; token: "{token}", near: "{near}"'
    assert parse_error(parse_condition, text) == f"Invalid ConditionExpression: {expected}"
    assert parse_error(parse_key_condition, text) == f"Invalid KeyConditionExpression: {expected}"


@every(
    ("text", "token", "near"),
    [
        ("!!! INVALID !!!", "!", "!!"),
        ("!!!", "!", "!!"),
        ("a b", "b", "a b"),
        ("a,", "<EOF>", ","),
        (",a", ",", ",a"),
        ("(a)", "(", "(a"),
        ("a[]", "]", "[]"),
        ("a[-1]", "-", "[-1"),
        (":n", ":n", ":n"),
    ],
)
def test_syntax_error_in_projection(text: str, token: str, near: str) -> None:
    expected = f'Invalid ProjectionExpression: Syntax error; token: "{token}", near: "{near}"'
    assert parse_error(parse_projection, text) == expected


@every("text", ["", " ", "\t\r\n "])
def test_empty_expression_is_rejected(text: str) -> None:
    empty = "The expression can not be empty;"
    assert parse_error(parse_condition, text) == f"Invalid ConditionExpression: {empty}"
    assert parse_error(parse_key_condition, text) == f"Invalid KeyConditionExpression: {empty}"
    assert parse_error(parse_update, text) == f"Invalid UpdateExpression: {empty}"
    assert parse_error(parse_projection, text) == f"Invalid ProjectionExpression: {empty}"


# The size of the text as it was sent: blanks count, resolved placeholders do not.
def test_expression_has_at_most_4096_bytes() -> None:
    text = "attribute_exists(#a)"
    placeholders = Placeholders({"#a": "a" * 5000})
    parse_condition(text.ljust(4096), placeholders)
    assert parse_error(parse_condition, text.ljust(4097)) == (
        "Invalid ConditionExpression: Expression size has exceeded the maximum allowed size; "
        "expression size: 4097"
    )
    assert parse_error(parse_projection, "é" * 2049).endswith("expression size: 4098")
    assert parse_error(parse_update, "SET a = :n".ljust(4097)) == (
        "Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;"
    )


# Filters use the same parser; the error names the parameter of the request.
def test_error_names_the_request_parameter() -> None:
    with pytest.raises(Exception, match=r"^Invalid FilterExpression: Syntax error; token: "):
        parse_condition("a = ", Placeholders(), "FilterExpression")


def test_keywords_ignore_case_and_blanks() -> None:
    placeholders = Placeholders(None, {":n": {"N": "1"}})
    assert parse_condition("\tnot a\n=:n aNd b bEtWeEn :n AND :n oR c iN(:n)", placeholders) == (
        parse_condition("NOT a = :n AND b BETWEEN :n AND :n OR c IN (:n)", placeholders)
    )
    assert parse_update("sEt a . b [ 1 ]=:n remove c", placeholders) == (
        parse_update("SET a.b[1] = :n REMOVE c", placeholders)
    )
