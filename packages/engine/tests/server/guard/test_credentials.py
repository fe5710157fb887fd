"""The credentials file is parsed, and its errors name the place but no secret."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynamodb_engine.errors import CredentialsError
from dynamodb_engine.server.guard import Credential
from dynamodb_engine.server.guard.credentials import read_credentials
from dynamodb_engine.server.guard.rate_limits import RateLimits
from tests.server.guard.policies import policy, statement

REGION, ACCOUNT = "us-east-1", "123456789012"
SECRET = "wJalrXUtnFEMI"
ADA = f"""\
[[credential]]
name = "ada"
access_key_id = "AKIAADA"
secret_access_key = "{SECRET}"
"""
POLICY = """\
[credential.policy]
Version = "2012-10-17"

[[credential.policy.Statement]]
Effect = "Allow"
Action = ["dynamodb:GetItem"]
Resource = "arn:aws:dynamodb:*:*:table/${aws:username}"

[credential.policy.Statement.Condition."ForAllValues:StringEquals"]
"dynamodb:LeadingKeys" = ["${aws:PrincipalTag/team}"]

[credential.context]
"aws:PrincipalTag/team" = "red"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "credentials.toml"
    path.touch(0o600)
    return path


def read(file: Path, text: str) -> list[Credential]:
    file.write_text(text)
    return read_credentials(file, region=REGION, account=ACCOUNT)


def error_message(file: Path, text: str) -> str:
    """Return the error about a file, without the path at its start."""
    with pytest.raises(CredentialsError) as raised:
        read(file, text)
    message = str(raised.value)
    assert SECRET not in message
    assert message.startswith(str(file))
    return message.removeprefix(str(file))


def test_credential_without_policy_is_read(file: Path) -> None:
    (ada,) = read(file, ADA)
    assert (ada.name, ada.access_key_id, ada.secret_access_key) == ("ada", "AKIAADA", SECRET)
    assert ada.policy is None
    assert ada.session_token is None
    assert ada.context["aws:PrincipalArn"] == "arn:aws:iam::123456789012:user/ada"


def test_rate_limits_are_read(file: Path) -> None:
    (ada,) = read(file, f"{ADA}requests_per_second = 100\nwrite_units_per_second = 0.5\n")
    assert ada.rate_limits == RateLimits(requests=100, write_units=0.5)


@pytest.mark.parametrize("value", ["0", "-1", "true", '"100"', "nan", "inf"])
def test_invalid_rate_limit_is_rejected(file: Path, value: str) -> None:
    message = error_message(file, f"{ADA}read_units_per_second = {value}\n")
    assert "read_units_per_second must be a number greater than 0" in message


def test_session_has_token_and_expiry(file: Path) -> None:
    (ada,) = read(file, ADA + 'session_token = "token"\nexpires = 2026-01-01T01:00:00+01:00\n')
    assert ada.session_token == "token"
    assert ada.expires == 1767225600


# Keys can be rotated without downtime.
def test_name_may_have_several_keys(file: Path) -> None:
    assert len(read(file, ADA + ADA.replace("AKIAADA", "AKIANEW"))) == 2


def test_policy_may_be_toml(file: Path) -> None:
    (ada,) = read(file, ADA + POLICY)
    assert ada.policy is not None
    assert len(ada.policy.statements) == 1


# Policies that are used with AWS are JSON.
def test_policy_may_be_json_inline_or_in_another_file(file: Path) -> None:
    document = json.dumps(policy(statement()))
    (inline,) = read(file, ADA + f"policy = '''{document}'''\n")
    policy_path = file.with_name("ada.json")
    policy_path.write_text(document)
    policy_path.chmod(0o644)
    (other,) = read(file, ADA + 'policy_file = "ada.json"\n')
    assert inline.policy == other.policy != None  # noqa: E711 (all three at once)


def test_repr_contains_no_secret(file: Path) -> None:
    (ada,) = read(file, ADA + f'session_token = "{SECRET}"\n')
    assert SECRET not in repr(ada)
    assert SECRET not in str(ada)


# As ssh rejects such keys.
@pytest.mark.skipif(os.name != "posix", reason="file modes need POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_file_accessible_to_others_is_rejected(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert error_message(file, ADA) == (
        " contains secrets, but users other than its owner have access to it "
        f"(mode {mode:o}). Run: chmod 600 {file}"
    )


@pytest.mark.skipif(os.name != "posix", reason="file modes need POSIX")
def test_missing_policy_file_names_the_credential(file: Path) -> None:
    with pytest.raises(
        CredentialsError, match=r"credential 1 \('ada'\): policy_file: .*none\.json"
    ):
        read(file, ADA + 'policy_file = "none.json"\n')


def test_policy_file_writable_by_others_is_rejected(file: Path) -> None:
    policy_path = file.with_name("ada.json")
    policy_path.write_text("{}")
    policy_path.chmod(0o664)
    with pytest.raises(CredentialsError) as raised:
        read(file, ADA + 'policy_file = "ada.json"\n')
    assert str(raised.value) == (
        f"{file}, line 1, credential 1 ('ada'): policy_file: {policy_path} decides what is "
        "allowed, but users other than its owner have access "
        f"to it (mode 664). Run: chmod go-w {policy_path}"
    )


def test_missing_file_is_reported(file: Path) -> None:
    with pytest.raises(CredentialsError, match="No such file or directory"):
        read_credentials(file.with_name("other.toml"), region=REGION, account=ACCOUNT)


def test_file_that_is_not_utf8_is_reported(file: Path) -> None:
    file.write_bytes(b"\xff")
    with pytest.raises(CredentialsError, match="byte 0 is invalid"):
        read_credentials(file, region=REGION, account=ACCOUNT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "",
            " contains no credentials, …. Add one:\n[[credential]]…",
        ),
        ("[[credentials]]\n", ": unknown key 'credentials' at the top level; …"),
        (
            ADA.replace("[[credential]]", "[credential]"),
            ": a credential starts with [[credential]]…",
        ),
        ("credential = [1]\n", ": each credential must start with [[credential]]."),
        (
            ADA.replace(f'"{SECRET}"', SECRET),
            ": line 4, column 21: Invalid value.",
        ),
        (ADA.replace(f'{SECRET}"', SECRET), ": line 4, column …: this is not valid TOML."),
        (
            ADA + ADA.replace("ada", "bob"),
            ", line 5, credential 2 ('bob'): an earlier credential has the access_key_id …",
        ),
        (
            ADA.replace('name = "ada"', ""),
            ', line 1, credential 1: name is missing. Add name = "…".',
        ),
        (
            ADA.replace(f'"{SECRET}"', "5"),
            ", line 1, credential 1 ('ada'): secret_access_key must be a non-empty string.",
        ),
        (
            ADA.replace(f'"{SECRET}"', '""'),
            ", line 1, credential 1 ('ada'): secret_access_key must be a non-empty string.",
        ),
        (
            ADA.replace("secret_access_key", "secret_key"),
            ", line 1, credential 1 ('ada'): unknown key 'secret_key' (known keys: …",
        ),
        (
            ADA.replace('"ada"', '"ada lovelace"'),
            ", line 1, credential 1: name must have 1 to 64 letters, digits or …",
        ),
        (
            ADA.replace("AKIAADA", "AKIA/ADA"),
            ", line 1, credential 1 ('ada'): access_key_id must have 1 to 128 letters, …",
        ),
        (
            ADA + "expires = 2026-01-01T00:00:00Z\n",
            ", line 1, credential 1 ('ada'): expires needs a session_token: …",
        ),
        (
            ADA + 'session_token = "x"\nexpires = 2026-01-01\n',
            ", line 1, credential 1 ('ada'): expires must be a date and time with a time zone, …",
        ),
        (
            ADA + 'context = {"aws:username" = "bob"}\n',
            ", line 1, credential 1 ('ada'): context cannot set 'aws:username': …",
        ),
        (
            ADA + 'context = {"dynamodb:LeadingKeys" = "bob"}\n',
            ", line 1, credential 1 ('ada'): context cannot set 'dynamodb:LeadingKeys': …",
        ),
        (
            ADA + 'context = {"aws:PrincipalTag/team" = 5}\n',
            ", line 1, credential 1 ('ada'): 'aws:PrincipalTag/team' in context must be a key …",
        ),
        (
            ADA + "context = 5\n",
            ", line 1, credential 1 ('ada'): context must be a table of strings.",
        ),
        (
            ADA + 'policy = "{}"\npolicy_file = "x"\n',
            ", line 1, credential 1 ('ada'): use policy or policy_file, not both.",
        ),
        (ADA + "policy = " + "[" * 10_000, ": the file is nested too deeply."),
        (
            ADA + 'policy = "{"\n',
            ", line 1, credential 1 ('ada'): policy is not JSON: … (line 1, column 2).",
        ),
        (
            ADA + """policy = '{"Version": "2012-10-17", "Version": "2012-10-17"}'\n""",
            ", line 1, credential 1 ('ada'): policy: 'Version' is repeated in one object.",
        ),
        (
            ADA + POLICY.replace("LeadingKeys", "LeadingKey"),
            ", line 1, credential 1 ('ada'): policy: statement 1: the condition key "
            "'dynamodb:LeadingKey' is not supported …",
        ),
        (
            ADA + POLICY.replace('"aws:PrincipalTag/team" = "red"', ""),
            ", line 1, credential 1 ('ada'): policy: statement 1: the variable "
            "'${aws:PrincipalTag/team}' has no value …",
        ),
    ],
)
def test_error_names_line_and_credential(file: Path, text: str, expected: str) -> None:
    message = error_message(file, text)
    assert re.fullmatch(re.escape(expected).replace("…", "(?s:.*)"), message), message


# Wherever the file is truncated or garbled.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(ADA + POLICY)), st.text(max_size=3))
def test_error_contains_no_secret(file: Path, where: int, garbage: str) -> None:
    file.write_text((ADA + POLICY)[:where] + garbage + (ADA + POLICY)[where + len(garbage) :])
    assert SECRET[:6] not in _error_or_empty(file)


def _error_or_empty(file: Path) -> str:
    """Return the error about a file, or an empty string if it is valid."""
    try:
        read_credentials(file, region=REGION, account=ACCOUNT)
    except CredentialsError as raised:
        return str(raised)
    return ""
