"""The kinds of problems: what may go wrong with a request, each under a name that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which a request fails: its name in addresses, its status, and what to do about it.

    `headers` are those that such an answer carries, each with a sentence for the description.
    """

    name: str
    status: int
    title: str
    about: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


RETRY_AFTER = {"Retry-After": "Seconds after which it is worth asking again."}
CURRENT_TAG = {"ETag": "The tag of what is there now."}

MALFORMED_BODY = Kind(
    "malformed-body",
    400,
    "The body is not JSON",
    "A body is JSON in UTF-8 as RFC 7493 has it: no name twice in an object, no NaN, no half "
    "characters, numbers that a double can hold, and at most 64 levels deep.",
)
MALFORMED_PATH = Kind(
    "malformed-path",
    400,
    "The path cannot be read",
    "A path is UTF-8, percent-encoded, without characters for private use.",
)
CURSOR_REFUSED = Kind(
    "cursor-refused",
    400,
    "The cursor is not for this list",
    "A cursor comes from the `next` of a page, and goes with the same list and the same filters. "
    "Leave it out to begin again.",
)
IDEMPOTENCY_KEY = Kind(
    "idempotency-key",
    400,
    "The Idempotency-Key is missing or cannot be used",
    "Send a header Idempotency-Key of 1 to 200 visible ASCII characters, new for each thing that "
    "shall happen, and the same when you try again.",
)
NOT_SIGNED_IN = Kind(
    "not-signed-in",
    401,
    "You are not signed in",
    "Sign in, and send what you get with each request.",
    {"WWW-Authenticate": "How to say who you are."},
)
NOT_ALLOWED = Kind(
    "not-allowed",
    403,
    "You may not do this",
    "Somebody who may give you the right has to do so first.",
)
CROSS_ORIGIN = Kind(
    "cross-origin",
    403,
    "The request comes from another site",
    "A browser says that a page of another site made this request. What changes something is "
    "asked for from our own pages, or by a program.",
)
NOT_FOUND = Kind("not-found", 404, "There is no such thing", "Look at the address again.")
METHOD_NOT_ALLOWED = Kind(
    "method-not-allowed",
    405,
    "This cannot be done here",
    "The header Allow says which methods there are at this address.",
    {"Allow": "The methods there are."},
)
PRECONDITION_FAILED = Kind(
    "precondition-failed",
    412,
    "It was changed in the meantime",
    "Read it again, see what others have changed, and send the edit with the new ETag in If-Match.",
    CURRENT_TAG,
)
TOO_LARGE = Kind("too-large", 413, "The body is too large", "Send less at once.")
UNSUPPORTED_MEDIA_TYPE = Kind(
    "unsupported-media-type",
    415,
    "The body has a type that is not taken",
    "Send JSON, with Content-Type: application/json.",
    {"Accept": "The types that are taken."},
)
INVALID = Kind(
    "invalid-request",
    422,
    "The request does not fit its description",
    "`errors` says for each fault where it is, what was expected and what came.",
)
PRECONDITION_REQUIRED = Kind(
    "precondition-required",
    428,
    "An edit says what it is based on",
    "Read first, and send the ETag you got as If-Match; then no edit of others is lost.",
)
TOO_MANY = Kind(
    "too-many-requests",
    429,
    "Too many requests",
    "Wait as long as Retry-After says.",
    {
        **RETRY_AFTER,
        "RateLimit": "What is left of the quota.",
        "RateLimit-Policy": "The quota, and its window in seconds.",
    },
)
UNFORESEEN = Kind(
    "unforeseen",
    500,
    "Something broke here",
    "It is written down under the number in `request`; tell it to those who run the service.",
)
TRY_LATER = Kind(
    "try-later",
    503,
    "The database is busy or away",
    "Try again as Retry-After says; with the same Idempotency-Key where there is one.",
    RETRY_AFTER,
)

COMMON = (
    MALFORMED_BODY,
    MALFORMED_PATH,
    CURSOR_REFUSED,
    IDEMPOTENCY_KEY,
    NOT_SIGNED_IN,
    NOT_ALLOWED,
    CROSS_ORIGIN,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    PRECONDITION_FAILED,
    TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    INVALID,
    PRECONDITION_REQUIRED,
    TOO_MANY,
    UNFORESEEN,
    TRY_LATER,
)
