"""Sign requests with botocore's signer, at a time that the test chooses."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from dynamodb_engine.server.guard import Credential
from dynamodb_engine.wire import HttpRequest

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
    """Return a request signed in a header, or in the query string if `expires` is given."""
    request = aws_request(
        method="POST", url=f"http://{HOST}{url}", headers=HEADERS if headers is None else headers
    )
    if expires is None:
        request.data = body
        signer = auth.SigV4Auth(_credentials(by), service, region)
    else:
        signer = auth.SigV4QueryAuth(_credentials(by), service, region, expires)
        # The signer would move the body into the query string, where DynamoDB does not look.
        signer.payload = _BodyHash(body)
    # botocore has no parameter for the time.
    signing_time = datetime.fromtimestamp(at, UTC)
    with patch.object(auth, "get_current_datetime", lambda: signing_time):
        signer.add_auth(request)
    return _sent(request, body)


class _BodyHash:
    """Return the hash of the body to a signer."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def __call__(self, request: object) -> str:
        return sha256(self.body).hexdigest()


def _credentials(of: Credential) -> Any:
    return aws_credentials(of.access_key_id, of.secret_access_key, of.session_token)


def _sent(request: Any, body: bytes) -> HttpRequest:
    """Return the request as the server gets it: headers in lower case and decoded as Latin-1."""
    prepared = request.prepare()
    headers = {"host": HOST} | {
        name.lower(): (value if isinstance(value, bytes) else value.encode()).decode("latin-1")
        for name, value in prepared.headers.items()
    }
    parts = urlsplit(str(prepared.url))
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return HttpRequest(prepared.method, target, headers, body)
