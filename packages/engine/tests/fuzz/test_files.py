"""Policies and credentials that people write: they are read, or rejected with their own error."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given

from dynamodb_engine.errors import CredentialsError
from dynamodb_engine.server.guard.credentials import read_credentials
from dynamodb_engine.server.guard.policy_document import PolicyError, read_policy
from tests.server.guard.policies import CONTEXT, GAMES, policy, statement
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.damaged_files import ValidFiles, damaged

POLICIES = [
    policy(
        statement(Action=["dynamodb:GetItem", "dynamodb:Batch*"], Resource=[GAMES, GAMES + "/*"]),
        statement(Effect="Deny", NotAction="dynamodb:Get*", NotResource=GAMES),
        statement(
            Condition={
                "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]},
                "StringLikeIfExists": {"aws:PrincipalTag/team": "r*"},
                "Null": {"dynamodb:Attributes": "false"},
            }
        ),
    )
]


@given(text=damaged(ValidFiles([json.dumps(each).encode() for each in POLICIES])))
def test_damaged_policy_decides_or_is_rejected(text: bytes) -> None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    with suppress(PolicyError), limit_calls(len(text)):
        parsed = read_policy(document, CONTEXT)
        parsed.decide("dynamodb:GetItem", GAMES, lambda _key: ("ada",))


# Where a document may be nested; `…` is replaced.
POLICY_PLACES = [
    "…",
    '{"Version": …}',
    '{"Version": "2012-10-17", "Statement": …}',
    '{"Version": "2012-10-17", "Statement": {"Effect": …}}',
    '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Condition": …}}',
]


@pytest.mark.parametrize("place", POLICY_PLACES)
@pytest.mark.parametrize("depth", [300, 20_000])
def test_deeply_nested_policy_is_rejected(tmp_path: Path, place: str, depth: int) -> None:
    file = tmp_path / "credentials.toml"
    policy = place.replace("…", '{"L":[' * depth + "]}" * depth)
    file.write_text(
        "[[credential]]\nname = 'ada'\naccess_key_id = 'ADA'\nsecret_access_key = 'secret'\n"
        f"policy = '{policy}'\n"
    )
    file.chmod(0o600)
    with pytest.raises(CredentialsError), limit_calls(10_000):
        read_credentials(file, region="us-east-1", account="123456789012")
