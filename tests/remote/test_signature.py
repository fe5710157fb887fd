"""Requests are signed as botocore signs them, and our own endpoint accepts it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import CredentialsError
from singletable.operations import GetItem
from singletable.remote.place import Place
from singletable.remote.request import Requests
from singletable.remote.signature import CONTENT_TYPE, Credentials, Known, Signer
from singletable.server.guard import Credential, Guard
from singletable.wire import HttpRequest

auth: Any = botocore.auth  # botocore has no types of its own
NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC).timestamp()
WORD = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/+=-", min_size=1)


def by_botocore(
    host: str, region: str, target: str, body: bytes, of: Credentials, at: float
) -> dict[str, str]:
    """The headers of a request that botocore has signed."""
    request: Any = AWSRequest(
        method="POST",
        url=f"https://{host}/",
        data=body,
        headers={"Content-Type": CONTENT_TYPE, "X-Amz-Target": target, "Host": host},
    )
    moment = datetime.fromtimestamp(int(at), UTC)
    with patch.object(auth, "get_current_datetime", lambda: moment):
        auth.SigV4Auth(of, "dynamodb", region).add_auth(request)
    return {name.lower(): value for name, value in request.headers.items()}


def read(headers: bytes) -> dict[str, str]:
    lines = headers.decode().removesuffix("\r\n").split("\r\n")
    return dict(line.split(": ", 1) for line in lines)


@given(
    host=st.sampled_from(["dynamodb.eu-west-1.amazonaws.com", "localhost:8000", "[::1]:8000"]),
    region=st.sampled_from(["eu-west-1", "us-gov-west-1", "local"]),
    target=st.sampled_from(["DynamoDB_20120810.GetItem", "SingleTable_1.ReadChanges"]),
    body=st.binary(max_size=200),
    keys=st.builds(Known, WORD, st.text(min_size=1), st.none() | WORD),
    at=st.floats(0, 4e9),
)
def test_a_signature_is_botocores_byte_for_byte(
    host: str, region: str, target: str, body: bytes, keys: Known, at: float
) -> None:
    expected = by_botocore(host, region, target, body, keys, at)
    assert read(Signer(host, region).headers(target, body, keys, at)) == expected


# What is kept from one request to the next must not outlive the second, the day or the keys.
def test_a_signer_that_has_signed_before_signs_no_differently() -> None:
    host, region, target = "localhost:8000", "eu-west-1", "DynamoDB_20120810.GetItem"
    signer = Signer(host, region)
    ada, bob = Known("AKIAADA", "secret"), Known("AKIABOB", "another", "token")
    for at in (NOW, NOW + 0.4, NOW + 1, NOW + 86_400, NOW):
        for keys in (ada, bob, Known("AKIAADA", "a new secret"), Known("AKIABOB", "another", "t2")):
            for body in (b"{}", b'{"TableName":"votes"}'):
                expected = by_botocore(host, region, target, body, keys, at)
                assert read(signer.headers(target, body, keys, at)) == expected


def test_our_own_endpoint_accepts_it() -> None:
    ada = Credential("ada", "AKIAADA", "correct horse")
    guard = Guard([ada], region="us-east-1", account="123456789012", clock=lambda: NOW)
    requests = Requests(Place("localhost", 8000, False, "us-east-1"), clock=lambda: NOW)
    sent = requests.write(GetItem("votes", {"PK": {"S": "é"}}), Known("AKIAADA", "correct horse"))
    head, _, body = sent.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    headers = dict(line.split(": ", 1) for line in lines)
    assert guard.authenticate(HttpRequest("POST", "/", headers, body)).name == "ada"


# A line break in a header would begin another one.
@pytest.mark.parametrize("keys", [Known("A\r\nX: y", "s"), Known("A", "s", "t\n"), Known("é", "s")])
def test_keys_that_no_header_can_hold_are_refused(keys: Known) -> None:
    with pytest.raises(CredentialsError, match="no header can hold"):
        Signer("localhost", "eu-west-1").headers("target", b"", keys, NOW)
