"""The credentials file: what it may say, and how one is told what is wrong with it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable.errors import CredentialsError
from singletable.server.guard import Credential
from singletable.server.guard.credentials_file import read_credentials
from singletable.server.guard.needs import Place
from tests.server.guard.policies import policy, statement

PLACE = Place("us-east-1", "123456789012")
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
    return read_credentials(file, PLACE)


def fault(file: Path, text: str) -> str:
    """What is said of a file, after its name."""
    with pytest.raises(CredentialsError) as refused:
        read(file, text)
    message = str(refused.value)
    assert SECRET not in message
    assert message.startswith(str(file))
    return message.removeprefix(str(file))


def test_a_credential_without_a_policy_may_do_everything(file: Path) -> None:
    (ada,) = read(file, ADA)
    assert (ada.name, ada.access_key_id, ada.secret_access_key) == ("ada", "AKIAADA", SECRET)
    assert ada.policy is None
    assert ada.session_token is None
    assert ada.context["aws:PrincipalArn"] == "arn:aws:iam::123456789012:user/ada"


def test_a_session_has_a_token_and_an_end(file: Path) -> None:
    (ada,) = read(file, ADA + 'session_token = "token"\nexpires = 2026-01-01T01:00:00+01:00\n')
    assert ada.session_token == "token"
    assert ada.expires == 1767225600


# Keys are changed without a moment in which neither the old nor the new one works.
def test_one_name_may_have_several_keys(file: Path) -> None:
    assert len(read(file, ADA + ADA.replace("AKIAADA", "AKIANEW"))) == 2


def test_a_policy_may_be_written_in_toml(file: Path) -> None:
    (ada,) = read(file, ADA + POLICY)
    assert ada.policy is not None
    assert len(ada.policy.statements) == 1


# Policies exist already, as JSON, where they are used with AWS.
def test_a_policy_may_be_json_in_the_file_or_in_another(file: Path) -> None:
    document = json.dumps(policy(statement()))
    (inline,) = read(file, ADA + f"policy = '''{document}'''\n")
    beside = file.with_name("ada.json")
    beside.write_text(document)
    beside.chmod(0o644)
    (other,) = read(file, ADA + 'policy_file = "ada.json"\n')
    assert inline.policy == other.policy != None  # noqa: E711 (all three at once)


def test_a_secret_is_never_shown(file: Path) -> None:
    (ada,) = read(file, ADA + f'session_token = "{SECRET}"\n')
    assert SECRET not in repr(ada)
    assert SECRET not in str(ada)


# A file that others can read is a secret no more; it is refused, as ssh refuses such keys.
@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_file_that_others_have_access_to_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert fault(file, ADA) == (
        ": it holds secrets, and others than its owner have access to it "
        f"(mode {mode:o}). Run: chmod 600 {file}"
    )


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_a_policy_that_others_can_write_is_refused(file: Path) -> None:
    beside = file.with_name("ada.json")
    beside.write_text("{}")
    beside.chmod(0o664)
    with pytest.raises(CredentialsError) as refused:
        read(file, ADA + 'policy_file = "ada.json"\n')
    assert str(refused.value) == (
        f"{beside}: it decides what is allowed, and others than its owner have access to it "
        f"(mode 664). Run: chmod go-w {beside}"
    )


def test_a_file_that_is_not_there_is_told(file: Path) -> None:
    with pytest.raises(CredentialsError, match="cannot be read: No such file or directory"):
        read_credentials(file.with_name("other.toml"), PLACE)


def test_a_file_that_is_no_text_is_told(file: Path) -> None:
    file.write_bytes(b"\xff")
    with pytest.raises(CredentialsError, match="byte 0 is not UTF-8"):
        read_credentials(file, PLACE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "",
            " has no credentials, so nobody could ask for anything. Write one as\n[[credential]]…",
        ),
        ("[[credentials]]\n", ": there is no entry 'credentials' at the top; …"),
        (
            ADA.replace("[[credential]]", "[credential]"),
            ": a credential begins with [[credential]]…",
        ),
        ("credential = [1]\n", ": each credential begins with [[credential]]."),
        (
            ADA.replace(f'"{SECRET}"', SECRET),
            ": line 4, column 21: Invalid value.",
        ),
        (ADA.replace(f'{SECRET}"', SECRET), ": line 4, column …: something here is not TOML."),
        (
            ADA + ADA.replace("ada", "bob"),
            ", line 5, credential 2 ('bob'): the access_key_id 'AKIAADA' came before.",
        ),
        (
            ADA.replace('name = "ada"', ""),
            ', line 1, credential 1: name is missing. Write name = "…".',
        ),
        (
            ADA.replace(f'"{SECRET}"', "5"),
            ", line 1, credential 1 ('ada'): secret_access_key is a text in quotes, and not empty.",
        ),
        (
            ADA.replace(f'"{SECRET}"', '""'),
            ", line 1, credential 1 ('ada'): secret_access_key is a text in quotes, and not empty.",
        ),
        (
            ADA.replace("secret_access_key", "secret_key"),
            ", line 1, credential 1 ('ada'): there is no entry 'secret_key' in a credential …",
        ),
        (
            ADA.replace('"ada"', '"ada lovelace"'),
            ", line 1, credential 1: name is up to 64 letters, digits and signs of +=,.@_-.",
        ),
        (
            ADA.replace("AKIAADA", "AKIA/ADA"),
            ", line 1, credential 1 ('ada'): access_key_id is up to 128 letters, …",
        ),
        (
            ADA + "expires = 2026-01-01T00:00:00Z\n",
            ", line 1, credential 1 ('ada'): only a session expires, and …",
        ),
        (
            ADA + 'session_token = "x"\nexpires = 2026-01-01\n',
            ", line 1, credential 1 ('ada'): expires is a date and a time with its zone, such as …",
        ),
        (
            ADA + 'context = {"aws:username" = "bob"}\n',
            ", line 1, credential 1 ('ada'): context cannot say what 'aws:username' is; …",
        ),
        (
            ADA + 'context = {"dynamodb:LeadingKeys" = "bob"}\n',
            ", line 1, credential 1 ('ada'): context cannot say what 'dynamodb:LeadingKeys' is; …",
        ),
        (
            ADA + 'context = {"aws:PrincipalTag/team" = 5}\n',
            ", line 1, credential 1 ('ada'): 'aws:PrincipalTag/team' in context is a key such as …",
        ),
        (ADA + "context = 5\n", ", line 1, credential 1 ('ada'): context is a table of texts."),
        (
            ADA + 'policy = "{}"\npolicy_file = "x"\n',
            ", line 1, credential 1 ('ada'): a credential has either policy or policy_file.",
        ),
        (
            ADA + 'policy = "{"\n',
            ", line 1, credential 1 ('ada'): policy is not JSON: … (line 1, column 2).",
        ),
        (
            ADA + """policy = '{"Version": "2012-10-17", "Version": "2012-10-17"}'\n""",
            ", line 1, credential 1 ('ada'): policy, 'Version' comes twice in one object.",
        ),
        (
            ADA + POLICY.replace("LeadingKeys", "LeadingKey"),
            ", line 1, credential 1 ('ada'): policy, statement 1: the condition key "
            "'dynamodb:LeadingKey' is not known here, and so could not be enforced …",
        ),
        (
            ADA + POLICY.replace('"aws:PrincipalTag/team" = "red"', ""),
            ", line 1, credential 1 ('ada'): policy, statement 1: the variable "
            "'${aws:PrincipalTag/team}' has no value here …",
        ),
    ],
)
def test_a_fault_is_told_with_its_place(file: Path, text: str, said: str) -> None:
    message = fault(file, text)
    assert re.fullmatch(re.escape(said).replace("…", "(?s:.*)"), message), message


# Wherever the file breaks off or is spoilt, the secret is not in what is said of it.
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, len(ADA + POLICY)), st.text(max_size=3))
def test_no_fault_shows_a_secret(file: Path, where: int, spoilt: str) -> None:
    file.write_text((ADA + POLICY)[:where] + spoilt + (ADA + POLICY)[where + len(spoilt) :])
    assert SECRET[:6] not in _said(file)


def _said(file: Path) -> str:
    """What is said of a file; nothing if there is nothing wrong with it."""
    try:
        read_credentials(file, PLACE)
    except CredentialsError as refused:
        return str(refused)
    return ""
