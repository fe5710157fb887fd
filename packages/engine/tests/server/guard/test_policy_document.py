"""Parsing a policy rejects what cannot be enforced, by name."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.server.guard.policy import Policy, PolicyDecision
from dynamodb_engine.server.guard.policy_document import PolicyError, read_policy
from tests.server.guard.policies import CONTEXT, GAMES, policy, statement
from tools.testing.cases import every


def read(document: object) -> Policy:
    return read_policy(document, CONTEXT)


def decide(document: object, action: str, resource: str = GAMES) -> PolicyDecision:
    return read(document).decide(action, resource, lambda _key: ())


@every(
    ("document", "message"),
    [
        ([], "a policy must be a JSON object (in TOML, a table)"),
        ({"Statements": []}, "a policy has no element 'Statements' (elements: Version, Id, …)"),
        ({"Version": "2012-10-17"}, "a policy must have a Statement"),
        (
            {"Version": "2017-08-17", "Statement": [statement()]},
            "Version must be '2012-10-17' or '2008-10-17', but is '2017-08-17'",
        ),
        (policy(statement(Effect="allow")), "statement 1: Effect must be 'Allow' or 'Deny', …"),
        (policy(statement(Actions="*")), "statement 1: a statement has no element 'Actions' …"),
        (
            policy(statement(), statement(Sid="Second", NotAction="*")),
            "statement 2 ('Second'): a statement must have either Action or NotAction",
        ),
        (policy({"Effect": "Allow", "Action": "*"}), "… either Resource or NotResource"),
        (policy(statement(Action=[])), "statement 1: Action must be a string or …"),
        (policy(statement(Resource=[1])), "statement 1: Resource must be a string or …"),
        (policy(statement(Action="PutItem")), "… 'PutItem' is not an action; …"),
        (
            policy(statement(Principal="*")),
            "… Principal belongs to resource-based policies; …. Remove Principal",
        ),
        (
            policy(statement(Resource="table/GameScores")),
            "… 'table/GameScores' is not a resource; …",
        ),
        (policy(statement(Condition=[])), "… Condition must be a JSON object …"),
    ],
)
def test_malformed_policy_is_rejected(document: object, message: str) -> None:
    with pytest.raises(PolicyError) as raised:
        read(document)
    assert re.fullmatch(re.escape(message).replace("…", ".*"), str(raised.value))


# A misspelled action would be allowed to nobody or, in a deny, to everybody.
@every("action", ["dynamodb:PutItm", "dynamodb:Putt*", "singletable:Put*"])
def test_unknown_action_is_rejected(action: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(f"'{action}' matches no action")):
        read(policy(statement(Effect="Deny", Action=["dynamodb:GetItem", action])))


# Many policies name these, and AWS ignores them.
@every("action", ["dynamodb:TransactWriteItems", "dynamodb:TransactGetItems"])
def test_transaction_action_is_rejected_with_hint(action: str) -> None:
    with pytest.raises(PolicyError, match="dynamodb:GetItem, PutItem"):
        read(policy(statement(Action=action)))


def test_actions_without_operation_are_accepted() -> None:
    read(policy(statement(Action=["dynamodb:CreateBackup", "dynamodb:PartiQL*"])))


# An ignored condition would allow more than the policy says, or deny less.
@every(
    ("condition", "name"),
    [
        ({"StringEquals": {"aws:SourceIp": "10.0.0.1"}}, "condition key 'aws:SourceIp'"),
        ({"StringEquals": {"dynamodb:leading": "x"}}, "condition key 'dynamodb:leading'"),
        ({"IpAddress": {"aws:username": "10.0.0.1"}}, "condition operator 'IpAddress'"),
        ({"stringequals": {"aws:username": "ada"}}, "condition operator 'stringequals'"),
        ({"ForAllValues:Null": {"aws:username": "true"}}, "operator 'ForAllValues:Null'"),
    ],
)
def test_unsupported_condition_is_rejected(condition: object, name: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(name)) as raised:
        read(policy(statement(Condition=condition)))
    assert "supported: " in str(raised.value)


# AWS: "you must use the ForAllValues modifier when using LeadingKeys in a condition".
@every("key", ["dynamodb:LeadingKeys", "dynamodb:Attributes"])
def test_multivalued_key_needs_set_operator(key: str) -> None:
    with pytest.raises(PolicyError, match="Write 'ForAllValues:StringEquals'"):
        read(policy(statement(Condition={"StringEquals": {key: "ada"}})))


@every(
    ("condition", "message"),
    [
        ({"StringEquals": {"aws:username": 1}}, "must be a string or a non-empty list of strings"),
        ({"StringEquals": {"aws:username": []}}, "must be a string or a non-empty list of strings"),
        ({"StringEquals": ["aws:username"]}, "StringEquals must be a JSON object"),
        ({"Null": {"aws:username": "maybe"}}, "must be 'true' (absent) or 'false' (present)"),
    ],
)
def test_condition_values_must_be_strings(condition: object, message: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(message)):
        read(policy(statement(Condition=condition)))


# A variable without a value would match nothing.
def test_variable_needs_value() -> None:
    text = "${cognito-identity.amazonaws.com:sub}"
    condition = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": text}}
    with pytest.raises(PolicyError, match=re.escape(f"'{text}' has no value")):
        read(policy(statement(Condition=condition)))


# In the older version AWS takes "${" literally, which is hardly ever intended.
@every("version", [{}, {"Version": "2008-10-17"}])
def test_variables_need_version_2012(version: dict[str, str]) -> None:
    document = {**version, "Statement": statement(Resource=f"{GAMES}-${{aws:username}}")}
    with pytest.raises(PolicyError, match="variables need Version = '2012-10-17'"):
        read(document)


def test_unclosed_variable_is_rejected() -> None:
    with pytest.raises(PolicyError, match="without a closing"):
        read(policy(statement(Condition={"StringEquals": {"aws:username": "${aws:username"}})))


# TOML parses a version without quotes as a date.
def test_version_may_be_a_date() -> None:
    assert read({"Version": date(2012, 10, 17), "Statement": statement()})


# A policy that is used with AWS may be about other services too.
def test_statements_about_other_services_are_ignored() -> None:
    document = policy(
        statement(Action="s3:*", Condition={"StringLike": {"s3:prefix": "ada/*"}}),
        statement(Action=["dynamodb:GetItem", "sqs:*"]),
    )
    assert decide(document, "dynamodb:GetItem") is PolicyDecision.ALLOWED
    assert decide(document, "dynamodb:PutItem") is PolicyDecision.NOT_ALLOWED


@every(
    ("pattern", "action", "matches"),
    [
        ("dynamodb:PutItem", "dynamodb:PutItem", True),
        ("DynamoDB:putitem", "dynamodb:PutItem", True),
        ("dynamodb:*Item", "dynamodb:PutItem", True),
        ("dynamodb:*Item", "dynamodb:Query", False),
        ("dynamodb:???Item", "dynamodb:GetItem", True),
        ("dynamodb:???Item", "dynamodb:DeleteItem", False),
        ("dynamodb:*", "singletable:ReadChanges", False),
        ("*", "singletable:ReadChanges", True),
        ("*:*", "dynamodb:Scan", True),
    ],
)
def test_actions_match_by_wildcards_ignoring_case(pattern: str, action: str, matches: bool) -> None:
    decision = decide(policy(statement(Action=pattern)), action)
    assert (decision is PolicyDecision.ALLOWED) == matches
    decision = decide(policy({"Effect": "Allow", "NotAction": pattern, "Resource": "*"}), action)
    assert (decision is PolicyDecision.NOT_ALLOWED) == matches


@every(
    ("pattern", "resource", "matches"),
    [
        (GAMES, GAMES, True),
        (GAMES.lower(), GAMES, False),
        (GAMES, f"{GAMES}/index/ByTeam", False),
        (f"{GAMES}/index/*", f"{GAMES}/index/ByTeam", True),
        (f"{GAMES}/index/*", GAMES, False),
        (f"{GAMES}*", f"{GAMES}/index/ByTeam", True),
        ("arn:aws:dynamodb:*:*:table/Game*", GAMES, True),
        ("arn:aws:dynamodb:us-????-2:*:table/GameScores", GAMES, True),
        ("arn:*:*:*:*:*", GAMES, True),
        # A star does not match across the colons of an ARN.
        ("arn:aws:dynamodb:*:GameScores::", GAMES, False),
        ("arn:aws:dynamodb:*:*:table/${aws:username}-*", GAMES.replace("Game", "ada-"), True),
        ("arn:aws:dynamodb:*:*:table/${aws:username}-*", GAMES.replace("Game", "bob-"), False),
        ("*", "*", True),
        ("arn:aws:dynamodb:*:*:table/*", "*", False),
    ],
)
def test_resources_match_by_wildcards(pattern: str, resource: str, matches: bool) -> None:
    decision = decide(policy(statement(Resource=pattern)), "dynamodb:Scan", resource)
    assert (decision is PolicyDecision.ALLOWED) == matches
    document = policy({"Effect": "Allow", "Action": "*", "NotResource": [pattern]})
    decision = decide(document, "dynamodb:Scan", resource)
    assert (decision is PolicyDecision.NOT_ALLOWED) == matches


def test_explicit_deny_overrides_allow() -> None:
    document = policy(statement(), statement(Effect="Deny", Action="dynamodb:Delete*"))
    assert decide(document, "dynamodb:DeleteItem") is PolicyDecision.EXPLICITLY_DENIED
    assert decide(document, "dynamodb:PutItem") is PolicyDecision.ALLOWED


def test_action_without_allow_is_not_allowed() -> None:
    document = policy(statement(Effect="Deny", Action="dynamodb:Scan"))
    assert decide(document, "dynamodb:Query") is PolicyDecision.NOT_ALLOWED


def test_single_statement_needs_no_list() -> None:
    document = json.loads(json.dumps({"Version": "2012-10-17", "Statement": statement(Id="x")}))
    document["Statement"].pop("Id")
    assert decide(document, "dynamodb:Scan") is PolicyDecision.ALLOWED


SELECT = "dynamodb:Select"
KEYS = "dynamodb:LeadingKeys"


def is_satisfied(operator: str, key: str, expected: object, values: tuple[str, ...]) -> bool:
    """Return whether a statement applies to a request in which the key has the values."""
    document = policy(statement(Condition={operator: {key: expected}}))
    values_by_key = {key: values}
    decision = read_policy(document, CONTEXT).decide(
        "dynamodb:Query", "*", lambda name: values_by_key.get(name, ())
    )
    return decision is PolicyDecision.ALLOWED


@every(
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
def test_operator_compares(operator: str, expected: object, value: str, result: bool) -> None:
    assert is_satisfied(operator, SELECT, expected, (value,)) == result
    if operator != "Null":
        assert is_satisfied(f"{operator}IfExists", SELECT, expected, (value,)) == result
        assert is_satisfied(f"ForAllValues:{operator}", SELECT, expected, (value,)) == result
        assert is_satisfied(f"ForAnyValue:{operator}", SELECT, expected, (value,)) == result


# As in AWS, ForAllValues is true without values: the cause of most mistakes with conditions.
@every(
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
def test_missing_key(operator: str, result: bool) -> None:
    assert is_satisfied(operator, SELECT, "COUNT", ()) == result


def test_null_tests_presence_of_key() -> None:
    assert is_satisfied("Null", SELECT, "true", ())
    assert not is_satisfied("Null", SELECT, "false", ())


@every(
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
def test_set_operator_with_several_values(
    operator: str, values: tuple[str, ...], result: bool
) -> None:
    assert is_satisfied(operator, KEYS, ["a", "b"], values) == result


def test_condition_key_ignores_case() -> None:
    document = policy(statement(Condition={"StringEquals": {"AWS:UserName": "ada"}}))
    values_by_key = {"aws:username": ("ada",)}
    decision = read_policy(document, CONTEXT).decide(
        "dynamodb:Scan", "*", values_by_key.__getitem__
    )
    assert decision is PolicyDecision.ALLOWED


@every(
    ("written", "value"),
    [
        ("${aws:username}", "ada"),
        ("USER#${AWS:username}#x", "USER#ada#x"),
        ("${aws:PrincipalTag/team}-${aws:username}", "red-ada"),
        ("${aws:PrincipalTag/none, 'nobody'}", "nobody"),
        ("${aws:username, 'nobody'}", "ada"),
    ],
)
def test_variables_are_replaced(written: str, value: str) -> None:
    for operator in ("StringEquals", "StringLike"):
        assert is_satisfied(f"ForAllValues:{operator}", KEYS, written, (value,))
        assert not is_satisfied(f"ForAllValues:{operator}", KEYS, written, (f"{value}!",))


# Otherwise a user who may choose their name could choose one that matches everybody.
def test_star_in_value_of_variable_is_literal() -> None:
    document = policy(statement(Condition={"ForAllValues:StringLike": {KEYS: "${aws:username}"}}))
    parsed = read_policy(document, {"aws:username": "a*"})
    assert parsed.decide("dynamodb:Query", "*", lambda _: ("a*",)) is PolicyDecision.ALLOWED
    assert parsed.decide("dynamodb:Query", "*", lambda _: ("ab",)) is PolicyDecision.NOT_ALLOWED


def _glob(pattern: str, text: str) -> bool:
    """Return whether the text matches, by the simplest algorithm."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(_glob(pattern[1:], text[start:]) for start in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and _glob(pattern[1:], text[1:])


@given(st.text("ab*?.\n", max_size=8), st.text("ab.\n", max_size=8))
def test_wildcards_match_like_glob(pattern: str, text: str) -> None:
    if text:
        assert is_satisfied("StringLike", SELECT, pattern, (text,)) == _glob(pattern, text)


# Clients choose the values, and must not be able to make matching slow.
def test_pattern_with_many_stars_takes_no_exponential_time() -> None:
    assert not is_satisfied("StringLike", SELECT, "*a" * 30 + "b", ("a" * 2048,))
