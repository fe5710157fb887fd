"""A signature that proves nothing is refused in DynamoDB's words, and for what it finds first."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from singletable.errors import (
    IncompleteSignature,
    InvalidSignature,
    MissingAuthenticationToken,
    OperationError,
    UnrecognizedClient,
)
from singletable.server.guard import Credential
from singletable.server.guard.signature import verify
from singletable.wire import HttpRequest
from tests.server.guard.signing import ADA, BODY, HOST, NOW, REGION, signed

NOBODY = Credential("nobody", "AKIANOBODY", "secret")
HEADER = "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host, Signature=f"


def check(request: HttpRequest, now: float = NOW) -> Credential:
    return verify(request, {ADA.access_key_id: ADA}, region=REGION, now=now)


def asking(target: str = "/", **headers: str) -> HttpRequest:
    """An unsigned request with some headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpRequest("POST", target, {"host": HOST, **named}, BODY)


@pytest.mark.parametrize(
    "request_",
    [asking(), asking(authorization=""), asking(authorization="Basic YWRhOmFkYQ==")],
    ids=["nothing", "empty", "another way"],
)
def test_a_request_without_a_signature_is_refused(request_: HttpRequest) -> None:
    with pytest.raises(MissingAuthenticationToken) as refused:
        check(request_)
    assert refused.value.message == "Request is missing Authentication Token"
    assert refused.value.code == "MissingAuthenticationTokenException"


def test_one_signature_is_enough() -> None:
    request = signed(expires=60)
    both = structs.replace(request, headers={**request.headers, "authorization": HEADER})
    with pytest.raises(InvalidSignature) as refused:
        check(both)
    assert refused.value.message == (
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
    )


NO_CREDENTIAL = "Authorization header requires 'Credential' parameter. "
NO_SIGNATURE = "Authorization header requires 'Signature' parameter. "
NO_HEADERS = "Authorization header requires 'SignedHeaders' parameter. "
NO_DATE = "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "


# All that is missing is told at once, in this order, and then what came.
@pytest.mark.parametrize(
    ("header", "date", "missing"),
    [
        ("AWS4-HMAC-SHA256", None, NO_CREDENTIAL + NO_SIGNATURE + NO_HEADERS + NO_DATE),
        ("AWS4- Signature=b", "x", NO_CREDENTIAL + NO_HEADERS),
        ("AWS4-HMAC-SHA256 Credential=, Signature=b, SignedHeaders=", "x", NO_CREDENTIAL),
        (HEADER, None, NO_DATE),
        (HEADER, "", NO_DATE),
    ],
)
def test_missing_parts_of_the_header_are_listed(
    header: str, date: str | None, missing: str
) -> None:
    headers = {} if date is None else {"x_amz_date": date}
    with pytest.raises(IncompleteSignature) as refused:
        check(asking(authorization=header, **headers))
    assert refused.value.message == f"{missing}Authorization={header}"


def test_missing_parts_of_the_query_are_listed() -> None:
    with pytest.raises(IncompleteSignature) as refused:
        check(asking("/?X-Amz-Algorithm&X-Amz-Signature=f"))
    assert refused.value.message == (
        "AWS query-string parameters must include 'X-Amz-Algorithm'. "
        "AWS query-string parameters must include 'X-Amz-Credential'. "
        "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
        "AWS query-string parameters must include 'X-Amz-Date'. "
        "Re-examine the query-string parameters."
    )


def test_a_part_without_a_value_is_told() -> None:
    header = "AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders"
    with pytest.raises(IncompleteSignature) as refused:
        check(asking(authorization=header))
    assert refused.value.message == (
        "'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: "
        f"'{header}'."
    )


@pytest.mark.parametrize("date", ["201", "20261301T000000Z", "2026-01-01T00:00:00Z", "soon"])
def test_a_date_is_in_the_basic_format(date: str) -> None:
    with pytest.raises(IncompleteSignature) as refused:
        check(asking(authorization=HEADER, x_amz_date=date))
    assert refused.value.message == (
        f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
        "See http://en.wikipedia.org/wiki/ISO_8601"
    )


def test_an_old_signature_has_expired() -> None:
    with pytest.raises(InvalidSignature) as refused:
        check(signed(at=NOW - 600))
    assert refused.value.message == (
        "Signature expired: 20260101T000000Z is now earlier than 20260101T000500Z "
        "(20260101T001000Z - 5 min.)"
    )


def test_a_signature_from_the_future_is_not_yet_current() -> None:
    with pytest.raises(InvalidSignature) as refused:
        check(signed(at=NOW + 301))
    assert refused.value.message == (
        "Signature not yet current: 20260101T001501Z is still later than 20260101T001500Z "
        "(20260101T001000Z + 5 min.)"
    )


# Whoever could sign for weeks ahead would have keys that cannot be taken away.
@pytest.mark.parametrize(
    ("expires", "text"),
    [
        (
            604801,
            "X-Amz-Expires must be less than a week (in seconds); that is, the given "
            "X-Amz-Expires must be less than 604800 seconds",
        ),
        (-1, "X-Amz-Expires must be non-negative"),
    ],
)
def test_nobody_signs_for_longer_than_a_week(expires: int, text: str) -> None:
    with pytest.raises(IncompleteSignature) as refused:
        check(signed(expires=expires))
    assert refused.value.message == text


# Otherwise a request for one endpoint could be sent to another.
@pytest.mark.parametrize("headers", ["", "content-type;x-amz-date"])
def test_the_host_is_signed(headers: str) -> None:
    header = f"AWS4-HMAC-SHA256 Credential=a, SignedHeaders={headers}, Signature=f"
    with pytest.raises(InvalidSignature) as refused:
        check(asking(authorization=header, x_amz_date="20260101T001000Z"))
    assert refused.value.message == (
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
    )


def test_there_is_one_algorithm() -> None:
    header = HEADER.replace("SHA256", "SHA25")
    with pytest.raises(IncompleteSignature) as refused:
        check(asking(authorization=header, x_amz_date="20260101T001000Z"))
    assert refused.value.message == (
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). "
    )


def test_a_credential_has_five_parts() -> None:
    header = HEADER.replace("a/b/c/d/e", "a/b/c/d/")
    with pytest.raises(IncompleteSignature) as refused:
        check(asking(authorization=header, x_amz_date="20260101T001000Z"))
    assert refused.value.message == (
        "Credential must have exactly 5 slash-delimited elements, e.g. "
        "keyid/date/region/service/term, got 'a/b/c/d/'"
    )


def test_all_that_is_wrong_with_the_scope_is_told_at_once() -> None:
    with pytest.raises(InvalidSignature) as refused:
        check(asking(authorization=HEADER, x_amz_date="20260101T001000Z"))
    assert refused.value.message == (
        "Credential should be scoped to a valid region, not 'c'. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        "'b' != '20260101', from '20260101T001000Z'."
    )


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (
            signed(region="eu-west-1"),
            "Credential should be scoped to a valid region, not 'eu-west-1'. ",
        ),
        (signed(service="s3"), "Credential should be scoped to correct service: 'dynamodb'. "),
    ],
    ids=["region", "service"],
)
def test_a_signature_for_elsewhere_is_refused(request_: HttpRequest, text: str) -> None:
    with pytest.raises(InvalidSignature) as refused:
        check(request_)
    assert refused.value.message == text


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(UnrecognizedClient) as refused:
        check(signed(NOBODY))
    assert refused.value.message == "The security token included in the request is invalid."


# Both texts are how one finds out where one's own signer went astray.
def test_a_wrong_signature_is_answered_with_what_should_have_been_signed() -> None:
    request = signed(replace(ADA, secret_access_key="wrong"))
    with pytest.raises(InvalidSignature) as refused:
        check(request)
    canonical = (
        "POST\n/\n\ncontent-type:application/x-amz-json-1.0\n"
        f"host:{HOST}\nx-amz-date:20260101T001000Z\n"
        "x-amz-target:DynamoDB_20120810.DescribeTable\n\n"
        f"content-type;host;x-amz-date;x-amz-target\n{sha256(BODY).hexdigest()}"
    )
    assert refused.value.message == (
        "The request signature we calculated does not match the signature you provided. "
        "Check your AWS Secret Access Key and signing method. "
        "Consult the service documentation for details.\n\n"
        f"The Canonical String for this request should have been\n'{canonical}'\n\n"
        "The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20260101T001000Z\n"
        f"20260101/us-east-1/dynamodb/aws4_request\n{sha256(canonical.encode()).hexdigest()}'\n"
    )
    assert ADA.secret_access_key not in refused.value.message


# A header that was signed and got lost on the way is as if it had been empty.
def test_a_signed_header_that_did_not_come_is_shown_empty() -> None:
    request = signed()
    headers = {name: text for name, text in request.headers.items() if name != "x-amz-target"}
    with pytest.raises(InvalidSignature) as refused:
        check(structs.replace(request, headers=headers))
    assert "\nx-amz-target:\n\n" in refused.value.message


# What strangers send must never break the server, only be refused.
@given(
    authorization=st.none() | st.text() | st.text().map(lambda text: f"AWS4-HMAC-SHA256 {text}"),
    query=st.text() | st.text().map(lambda text: f"X-Amz-Algorithm=AWS4-HMAC-SHA256&{text}"),
    date=st.none() | st.text() | st.just("20260101T001000Z"),
)
def test_nonsense_is_refused(authorization: str | None, query: str, date: str | None) -> None:
    headers = {"authorization": authorization, "x-amz-date": date}
    given_ = {name: value for name, value in headers.items() if value is not None}
    with pytest.raises(OperationError):
        check(HttpRequest("POST", f"/?{query}", given_, BODY))


@given(st.text(), st.text(), st.text())
def test_nonsense_in_a_complete_signature_is_refused(
    credential: str, signature: str, lifetime: str
) -> None:
    header = (
        f"AWS4-HMAC-SHA256 Credential={ADA.access_key_id}/20260101/us-east-1/dynamodb/aws4_request"
        f"{credential}, SignedHeaders=host, Signature=a{signature}"
    )
    with pytest.raises(OperationError):
        check(asking(authorization=header, x_amz_date="20260101T001000Z"))
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
        check(asking(target))
