"""Verify a signature, in the order and in the words of DynamoDB.

The order is part of the answer: a request with two faults is refused for the one that DynamoDB
finds first. Nothing of the body is looked at before the access key is known.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256

from singletable.errors import (
    ExpiredToken,
    IncompleteSignature,
    InvalidSignature,
    UnrecognizedClient,
)
from singletable.server.guard.credential import Credential
from singletable.server.guard.signature.canonical import canonical_request
from singletable.server.guard.signature.claim import Claim, claim_of
from singletable.server.guard.signature.moments import basic, check_current, read_moment
from singletable.wire import HttpRequest

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"


def verify(
    request: HttpRequest, credentials: Mapping[str, Credential], *, region: str, now: float
) -> Credential:
    """Whose request it is; an OperationError if its signature does not prove that."""
    claim = claim_of(request)
    signed = read_moment(claim.date)
    check_current(signed, claim.lifetime, int(now))
    if not {"host", ":authority"} & set(claim.signed_headers):
        raise InvalidSignature(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
        )
    if claim.algorithm != ALGORITHM:
        raise IncompleteSignature(
            f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only {ALGORITHM} for now). "
        )
    moment = basic(signed)
    access_key, scope = _scope(claim, region, moment)
    credential = credentials.get(access_key)
    if credential is None or (credential.session_token is not None and claim.token is None):
        raise UnrecognizedClient("The security token included in the request is invalid.")
    _check_signature(request, claim, credential, moment, scope)
    _check_session(claim, credential, now)
    return credential


def _scope(claim: Claim, region: str, moment: str) -> tuple[str, tuple[str, ...]]:
    """The access key, and the date, region, service and terminator that it was used for."""
    parts = claim.credential.rstrip("/").split("/")
    if len(parts) != 5:
        raise IncompleteSignature(
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            f"keyid/date/region/service/term, got '{claim.credential}'"
        )
    access_key, date, its_region, service, terminator = parts
    faults = ""
    if its_region != region:
        faults += f"Credential should be scoped to a valid region, not '{its_region}'. "
    if service != SERVICE:
        faults += f"Credential should be scoped to correct service: '{SERVICE}'. "
    if terminator != TERMINATOR:
        faults += (
            f"Credential should be scoped with a valid terminator: '{TERMINATOR}', "
            f"not '{terminator}'. "
        )
    if date != moment[:8]:
        faults += (
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
            f"HTTP: '{date}' != '{moment[:8]}', from '{moment}'."
        )
    if faults:
        raise InvalidSignature(faults)
    return access_key, (date, region, SERVICE, TERMINATOR)


def _check_signature(
    request: HttpRequest, claim: Claim, credential: Credential, moment: str, scope: tuple[str, ...]
) -> None:
    canonical = canonical_request(request, claim.signed_headers)
    to_sign = "\n".join((ALGORITHM, moment, "/".join(scope), sha256(canonical).hexdigest()))
    key = b"AWS4" + credential.secret_access_key.encode()
    for part in (*scope, to_sign):
        key = hmac.digest(key, part.encode(), "sha256")
    if not hmac.compare_digest(key.hex().encode(), claim.signature.encode()):
        raise InvalidSignature(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. "
            "Consult the service documentation for details.\n\n"
            "The Canonical String for this request should have been\n"
            f"'{canonical.decode(errors='replace')}'\n\n"
            f"The String-to-Sign should have been\n'{to_sign}'\n"
        )


def _check_session(claim: Claim, credential: Credential, now: float) -> None:
    expected, given = credential.session_token or "", claim.token or ""
    # DynamoDB ends this sentence without a full stop, and the one for an unknown key with one.
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise UnrecognizedClient("The security token included in the request is invalid")
    if credential.expires is not None and now >= credential.expires:
        raise ExpiredToken
