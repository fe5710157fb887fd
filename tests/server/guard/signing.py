"""Requests as clients send them: signed by botocore's own signer, at a moment of our choice."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from singletable.server.guard import Credential
from singletable.wire import HttpRequest

# botocore has no types.
auth: Any = botocore.auth
aws_request: Any = AWSRequest
aws_credentials: Any = Credentials

NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC).timestamp()
HOST = "localhost:8000"
REGION = "us-east-1"
ADA = Credential("ada", "AKIAADA", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
BODY = b'{"TableName":"votes"}'
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.DescribeTable",
}


def signed(
    by: Credential = ADA,
    *,
    at: float = NOW,
    region: str = REGION,
    service: str = "dynamodb",
    url: str = "/",
    headers: dict[str, str] | None = None,
    body: bytes = BODY,
    expires: int | None = None,
) -> HttpRequest:
    """A request with its signature in a header, or with `expires` in its query string."""
    request = aws_request(
        method="POST", url=f"http://{HOST}{url}", headers=HEADERS if headers is None else headers
    )
    if expires is None:
        request.data = body
        signer = auth.SigV4Auth(_credentials(by), service, region)
    else:
        signer = auth.SigV4QueryAuth(_credentials(by), service, region, expires)
        # The signer would move the body into the query string, where DynamoDB does not look.
        signer.payload = _Hash(body)
    # The one thing that botocore does not let us pass in.
    moment = datetime.fromtimestamp(at, UTC)
    with patch.object(auth, "get_current_datetime", lambda: moment):
        signer.add_auth(request)
    return _sent(request, body)


class _Hash:
    """What a signer says of the body: its hash."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def __call__(self, request: object) -> str:
        return sha256(self.body).hexdigest()


def _credentials(of: Credential) -> Any:
    return aws_credentials(of.access_key_id, of.secret_access_key, of.session_token)


def _sent(request: Any, body: bytes) -> HttpRequest:
    """The request as it arrives: headers in lower case, and their bytes read as Latin-1."""
    prepared = request.prepare()
    headers = {"host": HOST} | {
        name.lower(): (value if isinstance(value, bytes) else value.encode()).decode("latin-1")
        for name, value in prepared.headers.items()
    }
    parts = urlsplit(str(prepared.url))
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return HttpRequest(prepared.method, target, headers, body)
