"""A policy is read once; what could not be enforced is refused then, by its name."""

from __future__ import annotations

import json
import re
from datetime import date

import pytest

from singletable.server.guard.policy import Policy, PolicyFault, Verdict, read_policy
from tests.server.guard.policies import CONTEXT, GAMES, policy, statement


def read(document: object) -> Policy:
    return read_policy(document, CONTEXT)


def verdict(document: object, action: str, resource: str = GAMES) -> Verdict:
    return read(document).verdict(action, resource, lambda _key: ())


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ([], "a policy is a table of names and values (in JSON, an object)"),
        ({"Statements": []}, "a policy has no element 'Statements' (there are: Version, Id, …)"),
        ({"Version": "2012-10-17"}, "a policy has a Statement, or several, and this one has none"),
        (
            {"Version": "2017-08-17", "Statement": [statement()]},
            "Version is one of '2012-10-17' and '2008-10-17', and here it is '2017-08-17'",
        ),
        (policy(statement(Effect="allow")), "statement 1: Effect is 'Allow' or 'Deny', …"),
        (policy(statement(Actions="*")), "statement 1: a statement has no element 'Actions' …"),
        (
            policy(statement(), statement(Sid="Second", NotAction="*")),
            "statement 2 ('Second'): a statement has either Action or NotAction",
        ),
        (policy({"Effect": "Allow", "Action": "*"}), "… either Resource or NotResource"),
        (policy(statement(Action=[])), "statement 1: Action is a text or a list of texts"),
        (policy(statement(Resource=[1])), "statement 1: Resource is a text or a list of texts"),
        (policy(statement(Action="PutItem")), "… 'PutItem' is no action; write one as …"),
        (
            policy(statement(Principal="*")),
            "… Principal belongs to policies of resources; …. Leave Principal out",
        ),
        (
            policy(statement(Resource="table/GameScores")),
            "… 'table/GameScores' is no resource; write one as …",
        ),
        (policy(statement(Condition=[])), "… Condition is a table of names and values …"),
    ],
)
def test_what_is_not_of_the_shape_is_refused(document: object, fault: str) -> None:
    with pytest.raises(PolicyFault) as refused:
        read(document)
    assert re.fullmatch(re.escape(fault).replace("…", ".*"), str(refused.value))


# A misspelt action would be allowed to nobody, or, in a deny, to everybody.
@pytest.mark.parametrize("action", ["dynamodb:PutItm", "dynamodb:Putt*", "singletable:Put*"])
def test_an_action_that_is_none_is_refused(action: str) -> None:
    with pytest.raises(PolicyFault, match=re.escape(f"'{action}' matches no action")):
        read(policy(statement(Effect="Deny", Action=["dynamodb:GetItem", action])))


# Many policies name these, and AWS takes no notice of them.
@pytest.mark.parametrize("action", ["dynamodb:TransactWriteItems", "dynamodb:TransactGetItems"])
def test_an_action_of_transactions_is_refused_with_the_right_ones(action: str) -> None:
    with pytest.raises(PolicyFault, match="A transaction needs the actions it is made of"):
        read(policy(statement(Action=action)))


def test_actions_that_only_aws_has_are_known() -> None:
    read(policy(statement(Action=["dynamodb:CreateBackup", "dynamodb:PartiQL*"])))


# Passed over, a condition would allow more than it says in an allow, and less in a deny.
@pytest.mark.parametrize(
    ("condition", "name"),
    [
        ({"StringEquals": {"aws:SourceIp": "10.0.0.1"}}, "condition key 'aws:SourceIp'"),
        ({"StringEquals": {"dynamodb:leading": "x"}}, "condition key 'dynamodb:leading'"),
        ({"IpAddress": {"aws:username": "10.0.0.1"}}, "condition operator 'IpAddress'"),
        ({"stringequals": {"aws:username": "ada"}}, "condition operator 'stringequals'"),
        ({"ForAllValues:Null": {"aws:username": "true"}}, "operator 'ForAllValues:Null'"),
    ],
)
def test_a_condition_that_is_not_known_is_refused(condition: object, name: str) -> None:
    with pytest.raises(PolicyFault, match=re.escape(name)) as refused:
        read(policy(statement(Condition=condition)))
    assert "there are: " in str(refused.value)


# AWS: "you must use the ForAllValues modifier when using LeadingKeys in a condition".
@pytest.mark.parametrize("key", ["dynamodb:LeadingKeys", "dynamodb:Attributes"])
def test_a_key_with_several_values_is_tested_with_all_or_any(key: str) -> None:
    with pytest.raises(PolicyFault, match="Write 'ForAllValues:StringEquals'"):
        read(policy(statement(Condition={"StringEquals": {key: "ada"}})))


@pytest.mark.parametrize(
    ("condition", "fault"),
    [
        ({"StringEquals": {"aws:username": 1}}, "a text or a list of texts"),
        ({"StringEquals": {"aws:username": []}}, "a text or a list of texts"),
        ({"StringEquals": ["aws:username"]}, "StringEquals is a table of names and values"),
        ({"Null": {"aws:username": "maybe"}}, "'true' (not there) or 'false' (there)"),
    ],
)
def test_the_values_of_a_test_are_texts(condition: object, fault: str) -> None:
    with pytest.raises(PolicyFault, match=re.escape(fault)):
        read(policy(statement(Condition=condition)))


# A variable without a value would be a text that nothing equals.
def test_a_variable_needs_a_value() -> None:
    text = "${cognito-identity.amazonaws.com:sub}"
    condition = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": text}}
    with pytest.raises(PolicyFault, match=re.escape(f"'{text}' has no value here")):
        read(policy(statement(Condition=condition)))


# AWS takes "${" for itself in the older version, which is hardly ever what was meant.
@pytest.mark.parametrize("version", [{}, {"Version": "2008-10-17"}])
def test_variables_need_the_newer_version(version: dict[str, str]) -> None:
    document = {**version, "Statement": statement(Resource=f"{GAMES}-${{aws:username}}")}
    with pytest.raises(PolicyFault, match="variables need Version = '2012-10-17'"):
        read(document)


def test_a_variable_that_is_not_closed_is_refused() -> None:
    with pytest.raises(PolicyFault, match="not closed"):
        read(policy(statement(Condition={"StringEquals": {"aws:username": "${aws:username"}})))


# In TOML a version without its quotes is a date.
def test_a_version_may_be_a_date() -> None:
    assert read({"Version": date(2012, 10, 17), "Statement": statement()})


# Policies come from AWS, where they are about other services too.
def test_statements_about_other_services_are_of_no_concern() -> None:
    document = policy(
        statement(Action="s3:*", Condition={"StringLike": {"s3:prefix": "ada/*"}}),
        statement(Action=["dynamodb:GetItem", "sqs:*"]),
    )
    assert verdict(document, "dynamodb:GetItem") is Verdict.ALLOWED
    assert verdict(document, "dynamodb:PutItem") is Verdict.NOT_ALLOWED


@pytest.mark.parametrize(
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
def test_actions_match_by_wildcards_and_whatever_their_case(
    pattern: str, action: str, matches: bool
) -> None:
    said = verdict(policy(statement(Action=pattern)), action)
    assert (said is Verdict.ALLOWED) == matches
    said = verdict(policy({"Effect": "Allow", "NotAction": pattern, "Resource": "*"}), action)
    assert (said is Verdict.NOT_ALLOWED) == matches


@pytest.mark.parametrize(
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
        # A star stays within its part of the ARN.
        ("arn:aws:dynamodb:*:GameScores::", GAMES, False),
        ("arn:aws:dynamodb:*:*:table/${aws:username}-*", GAMES.replace("Game", "ada-"), True),
        ("arn:aws:dynamodb:*:*:table/${aws:username}-*", GAMES.replace("Game", "bob-"), False),
        ("*", "*", True),
        ("arn:aws:dynamodb:*:*:table/*", "*", False),
    ],
)
def test_resources_match_by_wildcards(pattern: str, resource: str, matches: bool) -> None:
    said = verdict(policy(statement(Resource=pattern)), "dynamodb:Scan", resource)
    assert (said is Verdict.ALLOWED) == matches
    document = policy({"Effect": "Allow", "Action": "*", "NotResource": [pattern]})
    said = verdict(document, "dynamodb:Scan", resource)
    assert (said is Verdict.NOT_ALLOWED) == matches


def test_an_explicit_deny_wins() -> None:
    document = policy(statement(), statement(Effect="Deny", Action="dynamodb:Delete*"))
    assert verdict(document, "dynamodb:DeleteItem") is Verdict.DENIED
    assert verdict(document, "dynamodb:PutItem") is Verdict.ALLOWED


def test_what_nothing_allows_is_not_allowed() -> None:
    document = policy(statement(Effect="Deny", Action="dynamodb:Scan"))
    assert verdict(document, "dynamodb:Query") is Verdict.NOT_ALLOWED


# Policies travel as JSON, where a lone statement need not be in a list.
def test_a_policy_of_json_may_have_one_statement() -> None:
    document = json.loads(json.dumps({"Version": "2012-10-17", "Statement": statement(Id="x")}))
    document["Statement"].pop("Id")
    assert verdict(document, "dynamodb:Scan") is Verdict.ALLOWED
