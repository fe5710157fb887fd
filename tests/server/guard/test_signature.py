"""Signatures of botocore, the signer that most clients have, are verified whatever is signed."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from singletable.errors import ExpiredToken, InvalidSignature, UnrecognizedClient
from singletable.server.guard import Credential
from singletable.server.guard.signature import verify
from singletable.wire import HttpRequest
from tests.server.guard.signing import ADA, BODY, HEADERS, NOW, REGION, signed

SESSION = Credential("ada", "ASIAADA", "secret", session_token="to+k/en==", expires=NOW + 60)


def whose(request: HttpRequest, *known: Credential, now: float = NOW) -> Credential:
    credentials = {one.access_key_id: one for one in known or (ADA,)}
    return verify(request, credentials, region=REGION, now=now)


def test_a_signed_request_is_its_signers() -> None:
    bob = Credential("bob", "AKIABOB", "another secret")
    assert whose(signed(bob), ADA, bob) is bob


# A tool hands a URL to someone without keys; the body is what was signed, and no other.
def test_a_presigned_request_is_its_signers() -> None:
    assert whose(signed(expires=60)) is ADA


def test_a_presigned_request_is_bound_to_its_body() -> None:
    request = structs.replace(signed(expires=60), body=b'{"TableName":"other"}')
    with pytest.raises(InvalidSignature):
        whose(request)


# The hash of the body is optional for DynamoDB; what counts is the body that came.
def test_a_header_with_the_bodys_hash_does_not_replace_the_body() -> None:
    request = signed(headers={**HEADERS, "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"})
    with pytest.raises(InvalidSignature):
        whose(request)


# Clients that cannot set other headers have `Date` alone, and write it as HTTP does.
def test_the_date_may_be_in_the_date_header() -> None:
    request = signed(headers={**HEADERS, "Date": "now"})
    assert "x-amz-date" not in request.headers
    assert request.headers["date"] == "Thu, 01 Jan 2026 00:10:00 -0000"
    assert whose(request) is ADA


@pytest.mark.parametrize("expires", [None, 60], ids=["header", "query"])
def test_a_session_has_its_token(expires: int | None) -> None:
    assert whose(signed(SESSION, expires=expires), SESSION) is SESSION


# Somebody who has the keys of a session and not its token has not got the session.
@pytest.mark.parametrize(
    ("token", "text"),
    [
        (None, "The security token included in the request is invalid."),
        ("another", "The security token included in the request is invalid"),
    ],
)
def test_a_session_without_its_token_is_refused(token: str | None, text: str) -> None:
    request = signed(replace(SESSION, session_token=token))
    with pytest.raises(UnrecognizedClient) as refused:
        whose(request, SESSION)
    assert refused.value.message == text


def test_a_token_for_keys_that_have_none_is_refused() -> None:
    with pytest.raises(UnrecognizedClient):
        whose(signed(replace(ADA, session_token="made up")))


def test_a_session_ends() -> None:
    with pytest.raises(ExpiredToken) as refused:
        whose(signed(SESSION, at=NOW + 60), SESSION, now=NOW + 60)
    assert refused.value.message == "The security token included in the request is expired"


# Between client and server the clocks differ, and requests take their time.
@pytest.mark.parametrize("seconds", [-300, -1, 0, 1, 300])
def test_clocks_may_differ_by_five_minutes(seconds: int) -> None:
    assert whose(signed(), now=NOW + seconds) is ADA


def test_a_presigned_request_lives_as_long_as_it_says() -> None:
    request = signed(expires=3600)
    assert whose(request, now=NOW + 3600) is ADA
    with pytest.raises(InvalidSignature) as refused:
        whose(request, now=NOW + 3601)
    assert refused.value.message == (
        "Signature expired: 20260101T001000Z is now earlier than 20260101T001001Z "
        "(20260101T011001Z - 60 min.)"
    )


# What is signed is what was meant: proxies and clients may add spaces on the way.
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1),
        min_size=1,
        max_size=4,
    ),
    st.lists(st.sampled_from([" ", "  ", "   \t "]), min_size=5, max_size=5),
)
def test_spaces_in_headers_do_not_matter(words: list[str], spaces: list[str]) -> None:
    tidy = " ".join(words)
    request = signed(headers={**HEADERS, "X-Amz-Meta": tidy})
    untidy = spaces[-1] + "".join(word + space for word, space in zip(words, spaces, strict=False))
    headers = {**request.headers, "x-amz-meta": untidy.encode().decode("latin-1")}
    assert whose(structs.replace(request, headers=headers)) is ADA


segments = st.lists(
    st.one_of(
        st.sampled_from(["", ".", "..", "~", "%2F", "%20"]),
        st.text(max_size=5).map(lambda text: quote(text, safe="~")),
    ),
    max_size=6,
)


@given(segments)
def test_any_path_can_be_signed(path: list[str]) -> None:
    assert whose(signed(url="/" + "/".join(path))) is ADA


texts = st.text(st.characters(codec="utf-8"), max_size=8)


@given(st.lists(st.tuples(texts.filter(bool), texts), max_size=5))
def test_any_query_string_can_be_signed(pairs: list[tuple[str, str]]) -> None:
    query = "&".join(
        f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in pairs
    )
    assert whose(signed(url=f"/?{query}" if query else "/")) is ADA


@given(st.dictionaries(texts.filter(bool), texts, max_size=4))
def test_any_query_string_can_be_signed_in_advance(pairs: dict[str, str]) -> None:
    query = urlencode(pairs)
    assert whose(signed(url=f"/?{query}" if query else "/", expires=60)) is ADA


@given(st.binary(max_size=200))
def test_any_body_can_be_signed(body: bytes) -> None:
    assert whose(signed(body=body)) is ADA


# Whoever changes a signed request on its way, in whatever part, is found out.
@given(st.data())
def test_a_change_to_what_was_signed_is_found(data: st.DataObject) -> None:
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
        whose(changed)
