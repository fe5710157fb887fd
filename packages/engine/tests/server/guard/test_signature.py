"""Signatures by botocore are verified, and errors have DynamoDB's text and order."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from dynamodb_engine.errors import (
    ExpiredToken,
    IncompleteSignature,
    InvalidSignature,
    MissingAuthenticationToken,
    OperationError,
    UnrecognizedClient,
)
from dynamodb_engine.server.guard import Credential
from dynamodb_engine.server.guard.signature import verify_signature
from dynamodb_engine.wire import HttpRequest
from tests.server.guard.signing import ADA, BODY, HEADERS, HOST, NOW, REGION, signed

SESSION = Credential("ada", "ASIAADA", "secret", session_token="to+k/en==", expires=NOW + 60)


def signer(request: HttpRequest, *known: Credential, now: float = NOW) -> Credential:
    credentials = {credential.access_key_id: credential for credential in known or (ADA,)}
    return verify_signature(request, credentials, region=REGION, now=now)


def test_signature_identifies_the_signer() -> None:
    bob = Credential("bob", "AKIABOB", "another secret")
    assert signer(signed(bob), ADA, bob) is bob


def test_presigned_request_identifies_the_signer() -> None:
    assert signer(signed(expires=60)) is ADA


def test_presigned_request_with_other_body_is_rejected() -> None:
    request = structs.replace(signed(expires=60), body=b'{"TableName":"other"}')
    with pytest.raises(InvalidSignature):
        signer(request)


# The header is optional for DynamoDB; the hash of the received body counts.
def test_content_hash_header_does_not_replace_the_hash() -> None:
    request = signed(headers={**HEADERS, "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"})
    with pytest.raises(InvalidSignature):
        signer(request)


# Some clients can only send `Date`, in the format of HTTP.
def test_date_header_is_accepted() -> None:
    request = signed(headers={**HEADERS, "Date": "now"})
    assert "x-amz-date" not in request.headers
    assert request.headers["date"] == "Thu, 01 Jan 2026 00:10:00 -0000"
    assert signer(request) is ADA


@pytest.mark.parametrize("expires", [None, 60], ids=["header", "query"])
def test_session_with_token_is_accepted(expires: int | None) -> None:
    assert signer(signed(SESSION, expires=expires), SESSION) is SESSION


# The keys of a session are useless without its token.
@pytest.mark.parametrize(
    ("token", "text"),
    [
        (None, "The security token included in the request is invalid."),
        ("another", "The security token included in the request is invalid"),
    ],
)
def test_session_without_its_token_is_rejected(token: str | None, text: str) -> None:
    request = signed(replace(SESSION, session_token=token))
    with pytest.raises(UnrecognizedClient) as raised:
        signer(request, SESSION)
    assert raised.value.message == text


def test_expired_session_is_rejected() -> None:
    with pytest.raises(ExpiredToken) as raised:
        signer(signed(SESSION, at=NOW + 60), SESSION, now=NOW + 60)
    assert raised.value.message == "The security token included in the request is expired"


@pytest.mark.parametrize("seconds", [-300, -1, 0, 1, 300])
def test_clocks_may_differ_by_five_minutes(seconds: int) -> None:
    assert signer(signed(), now=NOW + seconds) is ADA


def test_presigned_request_expires() -> None:
    request = signed(expires=3600)
    assert signer(request, now=NOW + 3600) is ADA
    with pytest.raises(InvalidSignature) as raised:
        signer(request, now=NOW + 3601)
    assert raised.value.message == (
        "Signature expired: 20260101T001000Z is now earlier than 20260101T001001Z "
        "(20260101T011001Z - 60 min.)"
    )


# Proxies and clients may add spaces.
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.sampled_from([" ", "  ", "   \t "]), min_size=5, max_size=5),
)
def test_spaces_in_headers_do_not_matter(words: list[str], spaces: list[str]) -> None:
    normalized = " ".join(words)
    request = signed(headers={**HEADERS, "X-Amz-Meta": normalized})
    spaced = spaces[-1] + "".join(word + space for word, space in zip(words, spaces, strict=False))
    headers = {**request.headers, "x-amz-meta": spaced.encode().decode("latin-1")}
    assert signer(structs.replace(request, headers=headers)) is ADA


# Commas alone may separate the parts of the header, and proxies may change the order of headers.
def test_order_of_headers_and_spaces_in_authorization_do_not_matter() -> None:
    request = signed()
    algorithm, *parts = request.headers["authorization"].split()
    headers = dict(reversed([*request.headers.items()])) | {
        "authorization": f"{algorithm} {''.join(parts)}"
    }
    assert signer(structs.replace(request, headers=headers)) is ADA


segments = st.lists(
    st.one_of(
        st.sampled_from(["", ".", "..", "~", "%2F", "%20"]),
        st.text(max_size=5).map(lambda text: quote(text, safe="~")),
    ),
    max_size=6,
)


@given(segments)
def test_any_path_can_be_signed(path: list[str]) -> None:
    assert signer(signed(url="/" + "/".join(path))) is ADA


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.tuples(texts.filter(bool), texts), max_size=5))
def test_any_query_string_can_be_signed(pairs: list[tuple[str, str]]) -> None:
    query = "&".join(
        f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in pairs
    )
    assert signer(signed(url=f"/?{query}" if query else "/")) is ADA


@given(st.dictionaries(texts.filter(bool), texts, max_size=4))
def test_any_query_string_can_be_presigned(pairs: dict[str, str]) -> None:
    query = urlencode(pairs)
    assert signer(signed(url=f"/?{query}" if query else "/", expires=60)) is ADA


@given(st.binary(max_size=200))
def test_any_body_can_be_signed(body: bytes) -> None:
    assert signer(signed(body=body)) is ADA


@given(st.data())
def test_change_after_signing_is_rejected(data: st.DataObject) -> None:
    request = signed()
    names = ["host", "content-type", "x-amz-target"]
    part = data.draw(st.sampled_from([*names, "method", "target", "body"]))
    change = data.draw(st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1))
    if part in names:
        headers = {**request.headers, part: request.headers[part] + change}
        changed = structs.replace(request, headers=headers)
    elif part == "method":
        changed = structs.replace(request, method=change)
    elif part == "target":
        changed = structs.replace(request, target=request.target + change)
    else:
        changed = structs.replace(request, body=BODY + change.encode())
    with pytest.raises(InvalidSignature):
        signer(changed)


# Otherwise someone who sees a signed read could send it as a delete.
@pytest.mark.parametrize("expires", [None, 60])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("x-amz-target", "DynamoDB_20120810.DeleteItem"),
        ("x-amz-security-token", "token"),
        ("x-amz-content-sha256", "UNSIGNED-PAYLOAD"),
        ("x-amz-anything", ""),
        ("content-encoding", "gzip"),
        ("x-singletable-faults", "latency=1s"),
    ],
)
def test_header_that_changes_the_request_must_be_signed(
    name: str, value: str, expires: int | None
) -> None:
    request = signed(headers={"Content-Type": HEADERS["Content-Type"]}, expires=expires)
    assert signer(request) is ADA
    changed = structs.replace(request, headers={**request.headers, name: value})
    with pytest.raises(InvalidSignature) as raised:
        signer(changed)
    assert raised.value.message == (
        f"'{name.title()}' must be a 'SignedHeader' in the AWS Authorization."
    )


HEADER = "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=f"


def unsigned(target: str = "/", **headers: str) -> HttpRequest:
    """Return an unsigned request with these headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpRequest("POST", target, {"host": HOST, **named}, BODY)


def dated(authorization: str) -> HttpRequest:
    """Return a request with this header, sent now."""
    return unsigned(authorization=authorization, x_amz_date="20260101T001000Z")


PRESIGNED = signed(expires=60)
NO_TOKEN = "Request is missing Authentication Token"
NO_VALUES = "AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders"
NO_CREDENTIAL = "Authorization header requires 'Credential' parameter. "
NO_SIGNATURE = "Authorization header requires 'Signature' parameter. "
NO_HEADERS = "Authorization header requires 'SignedHeaders' parameter. "
NO_DATE = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "


REJECTED: dict[str, tuple[HttpRequest, type[OperationError], str]] = {
    "unsigned": (unsigned(), MissingAuthenticationToken, NO_TOKEN),
    "empty header": (unsigned(authorization=""), MissingAuthenticationToken, NO_TOKEN),
    "basic auth": (unsigned(authorization="Basic YWRh"), MissingAuthenticationToken, NO_TOKEN),
    "two signatures": (
        structs.replace(PRESIGNED, headers={**PRESIGNED.headers, "authorization": HEADER}),
        InvalidSignature,
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
    ),
    # DynamoDB lists all missing parts, in this order, and then the header.
    **{
        f"missing in {header}, date {date}": (
            unsigned(authorization=header, **({} if date is None else {"x_amz_date": date})),
            IncompleteSignature,
            f"{missing}Authorization={header}",
        )
        for header, date, missing in [
            ("AWS4-HMAC-SHA256", None, NO_CREDENTIAL + NO_SIGNATURE + NO_HEADERS + NO_DATE),
            ("AWS4- Signature=b", "x", NO_CREDENTIAL + NO_HEADERS),
            ("AWS4-HMAC-SHA256 Credential=, Signature=b, SignedHeaders=", "x", NO_CREDENTIAL),
            (HEADER, None, NO_DATE),
            (HEADER, "", NO_DATE),
        ]
    },
    "missing in the query": (
        unsigned("/?X-Amz-Algorithm&X-Amz-Signature=f"),
        IncompleteSignature,
        "AWS query-string parameters must include 'X-Amz-Algorithm'. "
        "AWS query-string parameters must include 'X-Amz-Credential'. "
        "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
        "AWS query-string parameters must include 'X-Amz-Date'. "
        "Re-examine the query-string parameters.",
    ),
    "part without value": (
        unsigned(authorization=NO_VALUES),
        IncompleteSignature,
        "'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: "
        f"'{NO_VALUES}'.",
    ),
    **{
        f"date {date}": (
            unsigned(authorization=HEADER, x_amz_date=date),
            IncompleteSignature,
            f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601",
        )
        for date in ["201", "20261301T000000Z", "2026-01-01T00:00:00Z", "soon"]
    },
    "expired": (
        signed(at=NOW - 600),
        InvalidSignature,
        "Signature expired: 20260101T000000Z is now earlier than 20260101T000500Z "
        "(20260101T001000Z - 5 min.)",
    ),
    "not yet current": (
        signed(at=NOW + 301),
        InvalidSignature,
        "Signature not yet current: 20260101T001501Z is still later than 20260101T001500Z "
        "(20260101T001000Z + 5 min.)",
    ),
    "lifetime above a week": (
        signed(expires=604801),
        IncompleteSignature,
        "X-Amz-Expires must be less than a week (in seconds); that is, the given "
        "X-Amz-Expires must be less than 604800 seconds",
    ),
    "negative lifetime": (
        signed(expires=-1),
        IncompleteSignature,
        "X-Amz-Expires must be non-negative",
    ),
    # Otherwise a request for one endpoint could be sent to another.
    **{
        f"unsigned host, signed {headers}": (
            dated(f"AWS4-HMAC-SHA256 Credential=a, SignedHeaders={headers}, Signature=f"),
            InvalidSignature,
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
        )
        for headers in ["", "content-type;x-amz-date"]
    },
    "other algorithm": (
        dated(HEADER.replace("SHA256", "SHA25")),
        IncompleteSignature,
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
    ),
    "four elements": (
        dated(HEADER.replace("a/b/c/d/e", "a/b/c/d/")),
        IncompleteSignature,
        "Credential must have exactly 5 slash-delimited elements, e.g. "
        "keyid/date/region/service/term, got 'a/b/c/d/'",
    ),
    "all faults of the scope": (
        dated(HEADER),
        InvalidSignature,
        "Credential should be scoped to a valid region. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        "'b' != '20260101', from '20260101T001000Z'.",
    ),
    "other region": (
        signed(region="eu-west-1"),
        InvalidSignature,
        "Credential should be scoped to a valid region. ",
    ),
    "other service": (
        signed(service="s3"),
        InvalidSignature,
        "Credential should be scoped to correct service: 'dynamodb'. ",
    ),
    "unknown key": (
        signed(Credential("nobody", "AKIANOBODY", "secret")),
        UnrecognizedClient,
        "The security token included in the request is invalid.",
    ),
    "token without session": (
        signed(replace(ADA, session_token="made up")),
        UnrecognizedClient,
        "The security token included in the request is invalid",
    ),
}


@pytest.mark.parametrize("case", REJECTED)
def test_invalid_signature_is_rejected_in_the_words_of_dynamodb(case: str) -> None:
    request, error, message = REJECTED[case]
    with pytest.raises(error) as raised:
        signer(request)
    assert raised.value.message == message
    assert raised.value.code == f"{error.__name__}Exception"


# Developers compare both texts with those of their own signer.
def test_wrong_signature_shows_canonical_string() -> None:
    request = signed(replace(ADA, secret_access_key="wrong"))
    with pytest.raises(InvalidSignature) as raised:
        signer(request)
    canonical = (
        "POST\n/\n\ncontent-type:application/x-amz-json-1.0\n"
        f"host:{HOST}\nx-amz-date:20260101T001000Z\n"
        "x-amz-target:DynamoDB_20120810.DescribeTable\n\n"
        f"content-type;host;x-amz-date;x-amz-target\n{sha256(BODY).hexdigest()}"
    )
    assert raised.value.message == (
        "The request signature we calculated does not match the signature you provided. "
        "Check your AWS Secret Access Key and signing method. "
        "Consult the service documentation for details.\n\n"
        f"The Canonical String for this request should have been\n'{canonical}'\n\n"
        "The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20260101T001000Z\n"
        f"20260101/us-east-1/dynamodb/aws4_request\n{sha256(canonical.encode()).hexdigest()}'\n"
    )
    assert ADA.secret_access_key not in raised.value.message


def test_missing_signed_header_counts_as_empty() -> None:
    request = signed()
    headers = {name: text for name, text in request.headers.items() if name != "x-amz-target"}
    with pytest.raises(InvalidSignature) as raised:
        signer(structs.replace(request, headers=headers))
    assert "\nx-amz-target:\n\n" in raised.value.message


@given(
    authorization=st.none() | st.text() | st.text().map(lambda text: f"AWS4-HMAC-SHA256 {text}"),
    query=st.text() | st.text().map(lambda text: f"X-Amz-Algorithm=AWS4-HMAC-SHA256&{text}"),
    date=st.none() | st.text() | st.just("20260101T001000Z"),
)
def test_garbage_is_rejected(authorization: str | None, query: str, date: str | None) -> None:
    headers = {"authorization": authorization, "x-amz-date": date}
    present = {name: value for name, value in headers.items() if value is not None}
    with pytest.raises(OperationError):
        signer(HttpRequest("POST", f"/?{query}", present, BODY))


@given(st.text(), st.text(), st.text())
def test_garbage_in_complete_signature_is_rejected(
    credential: str, signature: str, lifetime: str
) -> None:
    header = (
        f"AWS4-HMAC-SHA256 Credential={ADA.access_key_id}/20260101/us-east-1/dynamodb/aws4_request"
        f"{credential}, SignedHeaders=host, Signature=a{signature}"
    )
    with pytest.raises(OperationError):
        signer(unsigned(authorization=header, x_amz_date="20260101T001000Z"))
    target = "/?" + "&".join(
        (
            "X-Amz-Algorithm=AWS4-HMAC-SHA256",
            f"X-Amz-Credential={ADA.access_key_id}/20260101/us-east-1/dynamodb/aws4_request",
            f"X-Amz-Signature=a{signature}",
            "X-Amz-SignedHeaders=host",
            "X-Amz-Date=20260101T001000Z",
            f"X-Amz-Expires={lifetime}",
        )
    )
    with pytest.raises(OperationError):
        signer(unsigned(target))
