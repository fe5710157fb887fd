"""Verify AWS Signature Version 4, in a header or in the query string, as DynamoDB does.

The checks are in DynamoDB's order, and their messages are DynamoDB's: a request with two faults is
rejected for the one that DynamoDB reports first. The body is not used before the access key is
known.
"""

from __future__ import annotations

import hmac
import re
from calendar import timegm
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from urllib.parse import quote, unquote_to_bytes

from dynamodb_engine.errors import (
    ExpiredToken,
    IncompleteSignature,
    InvalidSignature,
    MissingAuthenticationToken,
    UnrecognizedClient,
)
from dynamodb_engine.server.guard.credentials import Credential
from dynamodb_engine.wire import HttpRequest

ALGORITHM = "AWS4-HMAC-SHA256"
SERVICE = "dynamodb"
TERMINATOR = "aws4_request"
SIGNATURE_PARAMETER = "X-Amz-Signature"
# Seconds by which the clocks of client and server may differ.
MAX_SKEW = 5 * 60
# The longest lifetime of a presigned request.
MAX_LIFETIME = 7 * 24 * 60 * 60

# Headers that change what a request does. Some SDKs do not sign others, such as Content-Type.
SIGNED_IF_SENT = ("x-amz-", "x-singletable-", "content-encoding")
_QUERY_PARAMETERS = (
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    SIGNATURE_PARAMETER,
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
)
_BASIC_FORMAT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})Z")


def verify_signature(
    request: HttpRequest, credentials: Mapping[str, Credential], *, region: str, now: float
) -> Credential:
    """Return the credential that signed the request, or raise an OperationError."""
    parts = _signature_parts(request)
    signed_at = _parse_date(parts.date)
    _check_time(signed_at, parts.lifetime, int(now))
    if not {"host", ":authority"} & set(parts.signed_headers):
        raise InvalidSignature(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
        )
    if parts.algorithm != ALGORITHM:
        raise IncompleteSignature(
            f"Unsupported AWS 'algorithm': '{parts.algorithm}' (only {ALGORITHM} for now). "
        )
    date = _basic_format(signed_at)
    access_key, scope = _parse_scope(parts, region, date)
    credential = credentials.get(access_key)
    if credential is None or (credential.session_token is not None and parts.token is None):
        raise UnrecognizedClient("The security token included in the request is invalid.")
    _check_signed_headers(request, parts)
    _check_signature(request, parts, credential, date, scope)
    _check_session(parts, credential, now)
    return credential


@dataclass(frozen=True, slots=True)
class _SignatureParts:
    """The parts of a signature as the client sent them; `lifetime` is in seconds."""

    algorithm: str
    credential: str
    signature: str
    signed_headers: tuple[str, ...]
    date: str
    lifetime: int
    token: str | None


def _signature_parts(request: HttpRequest) -> _SignatureParts:
    """Return the parts of the signature, or raise if it is missing or incomplete."""
    header = request.headers.get("authorization")
    parameters = _parameters(_query_pairs(request.target.partition("?")[2]))
    if header and "X-Amz-Algorithm" in parameters:
        raise InvalidSignature(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
            "header."
        )
    if header and header.strip().startswith("AWS4-"):
        return _parts_in_header(header, request)
    if not header and "X-Amz-Algorithm" in parameters:
        return _parts_in_query(parameters)
    raise MissingAuthenticationToken


def _parts_in_header(header: str, request: HttpRequest) -> _SignatureParts:
    algorithm, *words = re.split(r"[,\s]+", header.strip())
    parts: dict[str, str] = {}
    for word in filter(None, words):
        name, equals, value = word.partition("=")
        if not equals:
            raise IncompleteSignature(
                f"'{name}' not a valid key=value pair (missing equal-sign) in Authorization "
                f"header: '{header}'."
            )
        parts[name] = value
    date = request.headers.get("x-amz-date") or request.headers.get("date")
    # AWS accepts an empty list of headers here, and rejects it later because the host is missing.
    missing = "".join(
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not parts.get(name) and not (name == "SignedHeaders" and name in parts)
    )
    if not date:
        missing += (
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if missing or not date:
        raise IncompleteSignature(f"{missing}Authorization={header}")
    return _SignatureParts(
        algorithm,
        parts["Credential"],
        parts["Signature"],
        _header_names(parts["SignedHeaders"]),
        date.strip(),
        MAX_SKEW,
        request.headers.get("x-amz-security-token"),
    )


def _parts_in_query(parameters: dict[str, str]) -> _SignatureParts:
    missing = "".join(
        f"AWS query-string parameters must include '{name}'. "
        for name in _QUERY_PARAMETERS
        if not parameters.get(name)
    )
    if missing:
        raise IncompleteSignature(f"{missing}Re-examine the query-string parameters.")
    return _SignatureParts(
        parameters["X-Amz-Algorithm"],
        parameters["X-Amz-Credential"],
        parameters[SIGNATURE_PARAMETER],
        _header_names(parameters["X-Amz-SignedHeaders"]),
        parameters["X-Amz-Date"],
        _parse_lifetime(parameters.get("X-Amz-Expires")),
        parameters.get("X-Amz-Security-Token"),
    )


def _header_names(text: str) -> tuple[str, ...]:
    return tuple(sorted({name for name in text.lower().split(";") if name}))


def _basic_format(timestamp: int) -> str:
    """Format a timestamp in the basic format of ISO 8601: 20260101T000000Z."""
    text = datetime.fromtimestamp(timestamp, UTC).replace(tzinfo=None).isoformat()
    return text.replace("-", "").replace(":", "") + "Z"


def _parse_date(text: str) -> int:
    """Return the timestamp of a date in the basic format or in the format of HTTP."""
    try:
        if parts := _BASIC_FORMAT.fullmatch(text):
            year, month, day, hour, minute, second = map(int, parts.groups())
            return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
        return timegm(parsedate_to_datetime(text).utctimetuple())
    except (ValueError, TypeError, OverflowError, IndexError):
        raise IncompleteSignature(
            f"Date must be in ISO-8601 'basic format'. Got '{text}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _parse_lifetime(text: str | None) -> int:
    """Return for how many seconds a presigned request is valid."""
    if text is None:
        return MAX_SKEW
    if not re.fullmatch(r"-?[0-9]{1,18}", text):
        raise IncompleteSignature("X-Amz-Expires should be a number")
    lifetime = int(text)
    if lifetime < 0:
        raise IncompleteSignature("X-Amz-Expires must be non-negative")
    if lifetime > MAX_LIFETIME:
        raise IncompleteSignature(
            "X-Amz-Expires must be less than a week (in seconds); that is, the given "
            f"X-Amz-Expires must be less than {MAX_LIFETIME} seconds"
        )
    return lifetime


def _check_time(signed_at: int, lifetime: int, now: int) -> None:
    """Raise if the signature is expired or not yet valid."""
    if signed_at < now - lifetime:
        raise InvalidSignature(
            f"Signature expired: {_basic_format(signed_at)} is now earlier than "
            f"{_basic_format(now - lifetime)} ({_basic_format(now)} - {_duration(lifetime)}.)"
        )
    if signed_at > now + MAX_SKEW:
        raise InvalidSignature(
            f"Signature not yet current: {_basic_format(signed_at)} is still later than "
            f"{_basic_format(now + MAX_SKEW)} ({_basic_format(now)} + {_duration(MAX_SKEW)}.)"
        )


def _duration(seconds: int) -> str:
    return f"{seconds} sec" if seconds % 60 else f"{seconds // 60} min"


def _parse_scope(
    parts: _SignatureParts, region: str, signed_at: str
) -> tuple[str, tuple[str, ...]]:
    """Return the access key, and the scope: date, region, service and terminator."""
    elements = parts.credential.rstrip("/").split("/")
    if len(elements) != 5:
        raise IncompleteSignature(
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            f"keyid/date/region/service/term, got '{parts.credential}'"
        )
    access_key, date, scope_region, service, terminator = elements
    faults = ""
    if scope_region != region:
        faults += "Credential should be scoped to a valid region. "
    if service != SERVICE:
        faults += f"Credential should be scoped to correct service: '{SERVICE}'. "
    if terminator != TERMINATOR:
        faults += (
            f"Credential should be scoped with a valid terminator: '{TERMINATOR}', "
            f"not '{terminator}'. "
        )
    if date != signed_at[:8]:
        faults += (
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
            f"HTTP: '{date}' != '{signed_at[:8]}', from '{signed_at}'."
        )
    if faults:
        raise InvalidSignature(faults)
    return access_key, (date, region, SERVICE, TERMINATOR)


def _check_signed_headers(request: HttpRequest, parts: _SignatureParts) -> None:
    """Raise InvalidSignature if a header that changes the request's meaning is not signed."""
    for name in request.headers:
        if name.startswith(SIGNED_IF_SENT) and name not in parts.signed_headers:
            raise InvalidSignature(
                f"'{name.title()}' must be a 'SignedHeader' in the AWS Authorization."
            )


def _check_signature(
    request: HttpRequest,
    parts: _SignatureParts,
    credential: Credential,
    signed_at: str,
    scope: tuple[str, ...],
) -> None:
    canonical = _canonical_request(request, parts.signed_headers)
    to_sign = "\n".join((ALGORITHM, signed_at, "/".join(scope), sha256(canonical).hexdigest()))
    key = b"AWS4" + credential.secret_access_key.encode()
    for part in (*scope, to_sign):
        key = hmac.digest(key, part.encode(), "sha256")
    if not hmac.compare_digest(key.hex().encode(), parts.signature.encode()):
        raise InvalidSignature(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. "
            "Consult the service documentation for details.\n\n"
            "The Canonical String for this request should have been\n"
            f"'{canonical.decode(errors='replace')}'\n\n"
            f"The String-to-Sign should have been\n'{to_sign}'\n"
        )


def _check_session(parts: _SignatureParts, credential: Credential, now: float) -> None:
    expected, token = credential.session_token or "", parts.token or ""
    # DynamoDB ends this sentence without a full stop, and the one for an unknown key with one.
    if not hmac.compare_digest(expected.encode(), token.encode()):
        raise UnrecognizedClient("The security token included in the request is invalid")
    if credential.expires is not None and now >= credential.expires:
        raise ExpiredToken


def _canonical_request(request: HttpRequest, signed_headers: Iterable[str]) -> bytes:
    """Return the request in canonical form; `signed_headers` are sorted and in lower case.

    The last line is the hash of the received body, whatever `x-amz-content-sha256` says.
    """
    path, _, query = request.target.partition("?")
    names = list(signed_headers)
    headers = [f"{name}:".encode() + _canonical_header(request, name) for name in names]
    return b"\n".join(
        (
            request.method.encode(),
            _canonical_path(path).encode(),
            _canonical_query(_query_pairs(query)).encode(),
            *headers,
            b"",
            ";".join(names).encode(),
            sha256(request.body).hexdigest().encode(),
        )
    )


def _canonical_path(path: str) -> str:
    """Return the path without dots and double slashes, percent-encoded a second time."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    end = "/" if parts and path.endswith("/") else ""
    return quote(_wire_bytes("/" + "/".join(parts) + end), safe="/~")


def _canonical_header(request: HttpRequest, name: str) -> bytes:
    """Return the header's value with single spaces; empty if a signed header is missing."""
    value = request.headers.get(name)
    if value is None and name == ":authority":
        value = request.headers.get("host")
    # Split as bytes: what is a space in Latin-1 may be half of a letter in UTF-8.
    return b" ".join(_wire_bytes(value or "").split())


def _canonical_query(pairs: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the pairs sorted and encoded, without the signature itself."""
    encoded = sorted(
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in pairs
        if name != SIGNATURE_PARAMETER.encode()
    )
    return "&".join(f"{name}={value}" for name, value in encoded)


def _query_pairs(query: str) -> list[tuple[bytes, bytes]]:
    """Return the decoded names and values of a query string, in order."""
    return [_decode_pair(pair) for pair in query.split("&") if pair]


def _decode_pair(pair: str) -> tuple[bytes, bytes]:
    # Clients write a space as + or as %20, and sign it as %20.
    name, _, value = _wire_bytes(pair).replace(b"+", b"%20").partition(b"=")
    return unquote_to_bytes(name), unquote_to_bytes(value)


def _parameters(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the parameters by name; the first one wins if a name is repeated."""
    parameters: dict[str, str] = {}
    for name, value in pairs:
        parameters.setdefault(name.decode(errors="replace"), value.decode(errors="replace"))
    return parameters


def _wire_bytes(text: str) -> bytes:
    """Return the bytes of a header or target as received; they were decoded as Latin-1."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()
