"""Signatures equal those of botocore, and our endpoint accepts them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.operations import GetItem
from dynamodb_engine.server.guard import Credential, Guard
from dynamodb_engine.wire import HttpRequest
from singletable.errors import CredentialsError
from singletable.remote.config import RemoteEndpoint
from singletable.remote.http import RequestWriter
from singletable.remote.signature import CONTENT_TYPE, Credentials, Signer, StaticCredentials

auth: Any = botocore.auth  # botocore is untyped
NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC).timestamp()
WORD = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/+=-", min_size=1)


def sign_with_botocore(
    host: str, region: str, target: str, body: bytes, credentials: Credentials, at: float
) -> dict[str, str]:
    """Return the headers of a request signed by botocore."""
    request: Any = AWSRequest(
        method="POST",
        url=f"https://{host}/",
        data=body,
        headers={"Content-Type": CONTENT_TYPE, "X-Amz-Target": target, "Host": host},
    )
    now = datetime.fromtimestamp(int(at), UTC)
    with patch.object(auth, "get_current_datetime", lambda: now):
        auth.SigV4Auth(credentials, "dynamodb", region).add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


def parse_headers(headers: bytes) -> dict[str, str]:
    lines = headers.decode().removesuffix("\r\n").split("\r\n")
    return dict(line.split(": ", 1) for line in lines)


@given(
    host=st.sampled_from(["dynamodb.eu-west-1.amazonaws.com", "localhost:8000", "[::1]:8000"]),
    region=st.sampled_from(["eu-west-1", "us-gov-west-1", "local"]),
    target=st.sampled_from(["DynamoDB_20120810.GetItem", "SingleTable_1.ReadChanges"]),
    body=st.binary(max_size=200),
    keys=st.builds(StaticCredentials, WORD, st.text(min_size=1), st.none() | WORD),
    at=st.floats(0, 4e9),
)
def test_signature_equals_botocore(
    host: str, region: str, target: str, body: bytes, keys: StaticCredentials, at: float
) -> None:
    expected = sign_with_botocore(host, region, target, body, keys, at)
    assert parse_headers(Signer(host, region).headers(target, body, keys, at)) == expected


# Cached parts must not outlive the second, the day or the credentials.
def test_signer_cache_does_not_change_signatures() -> None:
    host, region, target = "localhost:8000", "eu-west-1", "DynamoDB_20120810.GetItem"
    signer = Signer(host, region)
    ada, bob = (
        StaticCredentials("AKIAADA", "secret"),
        StaticCredentials("AKIABOB", "another", "token"),
    )
    for at in (NOW, NOW + 0.4, NOW + 1, NOW + 86_400, NOW):
        for keys in (
            ada,
            bob,
            StaticCredentials("AKIAADA", "a new secret"),
            StaticCredentials("AKIABOB", "another", "t2"),
        ):
            for body in (b"{}", b'{"TableName":"votes"}'):
                expected = sign_with_botocore(host, region, target, body, keys, at)
                assert parse_headers(signer.headers(target, body, keys, at)) == expected


def test_endpoint_accepts_signature() -> None:
    ada = Credential("ada", "AKIAADA", "correct horse")
    guard = Guard([ada], region="us-east-1", account="123456789012", clock=lambda: NOW)
    writer = RequestWriter(RemoteEndpoint("localhost", 8000, False, "us-east-1"), clock=lambda: NOW)
    sent = writer.write(
        GetItem("votes", {"PK": {"S": "é"}}), StaticCredentials("AKIAADA", "correct horse")
    )
    head, _, body = sent.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    headers = dict(line.split(": ", 1) for line in lines)
    assert guard.authenticate(HttpRequest("POST", "/", headers, body)).name == "ada"


# A line break in a header would start another one.
@pytest.mark.parametrize(
    "keys",
    [
        StaticCredentials("A\r\nX: y", "s"),
        StaticCredentials("A", "s", "t\n"),
        StaticCredentials("é", "s"),
    ],
)
def test_unprintable_credentials_are_rejected(keys: StaticCredentials) -> None:
    with pytest.raises(CredentialsError, match="invalid in a header"):
        Signer("localhost", "eu-west-1").headers("target", b"", keys, NOW)
