"""Problem details (RFC 9457): raise a Problem anywhere, and the client gets a JSON document.

Browsers that look at pages get an error page instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from singletable_apps.shared.web.paths import longest_prefix_value


@dataclass(frozen=True, slots=True, eq=False)
class ProblemType:
    """A way in which requests fail: its name in URLs, its status, and what to do about it.

    `headers` are the headers of such a response, each with a description for the API docs.
    """

    name: str
    status: int
    title: str
    about: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


RETRY_AFTER = {"Retry-After": "Seconds to wait before trying again."}
CURRENT_TAG = {"ETag": "The ETag of the current version."}

MALFORMED_BODY = ProblemType(
    "malformed-body",
    400,
    "Invalid JSON",
    "Send JSON in UTF-8 as defined by RFC 7493: unique names in objects, no NaN, no lone "
    "surrogates, numbers that fit a double, and at most 64 levels.",
)
MALFORMED_PATH = ProblemType(
    "malformed-path",
    400,
    "Invalid path",
    "Send the path as percent-encoded UTF-8, without private-use characters.",
)
INVALID_CURSOR = ProblemType(
    "cursor-refused",
    400,
    "Invalid cursor",
    "Use the `next` of the previous page, with the same list and filters. Leave the cursor out to "
    "start again.",
)
IDEMPOTENCY_KEY = ProblemType(
    "idempotency-key",
    400,
    "Missing or invalid Idempotency-Key",
    "Send an Idempotency-Key header of 1 to 200 visible ASCII characters: a new one for each "
    "action, and the same one when you retry.",
)
NOT_SIGNED_IN = ProblemType(
    "not-signed-in",
    401,
    "Please sign in",
    "Sign in, and send your access token with each request.",
    {"WWW-Authenticate": "How to authenticate."},
)
NOT_ALLOWED = ProblemType(
    "not-allowed", 403, "You don’t have access to this", "Ask an administrator for access."
)
CROSS_ORIGIN = ProblemType(
    "cross-origin",
    403,
    "Request from another site",
    "For your safety, changes can only be made from pages of this site. Open the page again and "
    "retry.",
)
NOT_FOUND = ProblemType("not-found", 404, "Not found", "Check the address.")
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed",
    405,
    "Method not allowed",
    "The Allow header lists the methods of this address.",
    {"Allow": "The allowed methods."},
)
PRECONDITION_FAILED = ProblemType(
    "precondition-failed",
    412,
    "Someone else changed this",
    "Get the current version, and send your change again with its ETag in If-Match.",
    CURRENT_TAG,
)
TOO_LARGE = ProblemType("too-large", 413, "Request too large", "Send less data at once.")
URL_TOO_LONG = ProblemType("url-too-long", 414, "URL too long", "Send less in the URL.")
HEADERS_TOO_LARGE = ProblemType(
    "headers-too-large", 431, "Headers too large", "Send fewer or shorter headers and cookies."
)
MISDIRECTED = ProblemType(
    "misdirected",
    421,
    "Unknown host name",
    "This server does not serve this host name. If it is yours, pass it with --public.",
)
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported-media-type",
    415,
    "Unsupported media type",
    "Send JSON with Content-Type: application/json.",
    {"Accept": "The accepted media types."},
)
INVALID = ProblemType(
    "invalid-request", 422, "Invalid request", "`errors` lists what is wrong, and where."
)
PRECONDITION_REQUIRED = ProblemType(
    "precondition-required",
    428,
    "If-Match required",
    "Get the current version first, and send its ETag in If-Match, so that you don’t overwrite "
    "someone else's change.",
)
TOO_MANY_REQUESTS = ProblemType(
    "too-many-requests",
    429,
    "Too many requests",
    "Wait for the number of seconds in Retry-After, and try again.",
    {
        **RETRY_AFTER,
        "RateLimit": "The remaining quota.",
        "RateLimit-Policy": "The quota and its window in seconds.",
    },
)
INTERNAL_ERROR = ProblemType(
    "unforeseen",
    500,
    "Something went wrong",
    "This is our fault, and it has been logged. If you report it, please include the request ID.",
)
UNAVAILABLE = ProblemType(
    "try-later",
    503,
    "Temporarily unavailable",
    "The service is busy. Try again in a few seconds (with the same Idempotency-Key).",
    RETRY_AFTER,
)

# The problems of operations that need a token.
SIGNED_IN = (NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)

COMMON = (
    MALFORMED_BODY,
    MALFORMED_PATH,
    INVALID_CURSOR,
    IDEMPOTENCY_KEY,
    NOT_SIGNED_IN,
    NOT_ALLOWED,
    CROSS_ORIGIN,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    PRECONDITION_FAILED,
    TOO_LARGE,
    URL_TOO_LONG,
    UNSUPPORTED_MEDIA_TYPE,
    MISDIRECTED,
    HEADERS_TOO_LARGE,
    INVALID,
    PRECONDITION_REQUIRED,
    TOO_MANY_REQUESTS,
    INTERNAL_ERROR,
    UNAVAILABLE,
)


MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One error in a request: in the body (a JSON pointer), a parameter or a header."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None
    header: str | None = None

    def document(self) -> JsonValue:
        """Return the JSON of the error."""
        locations = {"pointer": self.pointer, "parameter": self.parameter, "header": self.header}
        return {
            **{name: value for name, value in locations.items() if value is not None},
            "detail": self.detail,
        }


class Problem(Exception):
    """An error response. Raise it anywhere in a handler.

    `detail` says what happened this time and what to do; `extensions` and `headers` are added to
    the response.
    """

    def __init__(
        self,
        type: ProblemType,  # noqa: A002, the name in RFC 9457
        detail: str = "",
        *,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        extensions: Mapping[str, JsonValue] | None = None,
    ) -> None:
        self.type = type
        self.detail = detail or type.about
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.extensions = dict(extensions or {})
        super().__init__(f"{type.name}: {self.detail}")

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        return self.type.status


class FieldErrorDocument(BaseModel):
    """One error, and where it is."""

    detail: str = Field(description="What was expected, and what was sent.")
    pointer: str | None = Field(None, description="The place in the body, as a JSON pointer.")
    parameter: str | None = Field(None, description="The path or query parameter.")
    header: str | None = Field(None, description="The header or cookie.")


class ProblemDocument(BaseModel):
    """A problem (RFC 9457)."""

    model_config = ConfigDict(extra="allow", title="Problem")

    type: str = Field(description="The problem type; there is a page about it at this URL.")
    title: str = Field(description="The problem type in a few words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened this time.")
    instance: str | None = Field(None, description="The requested path.")
    request: str | None = Field(None, description="The request ID in our logs.")
    errors: list[FieldErrorDocument] = Field(default_factory=list[FieldErrorDocument])


def problem_type_url(type: ProblemType, prefix: str) -> str:  # noqa: A002
    """Return the URL of a problem type, which identifies it and has a page about it."""
    return f"{prefix}/problems/{type.name}" if type.name else "about:blank"


def status_problem_type(status: int) -> ProblemType:
    """Return a problem type for a bare HTTP status."""
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = f"Status {status}"
    return ProblemType("", status, title, title)


def problem_response(problem: Problem, scope: Scope, prefix: str = "") -> Response:
    """Return an error page if a browser asks for a page, or else JSON."""
    render = _page_renderer(scope, prefix)
    return render(Request(scope), problem) if render else _json_response(problem, scope, prefix)


def _page_renderer(scope: Scope, prefix: str) -> Callable[[Request, Problem], Response] | None:
    """Return the renderer of error pages for this URL. The API and programs have none."""
    app = scope.get("app")
    renderers = getattr(app.state, "problem_pages", None) if app is not None else None
    if not renderers or (prefix and longest_prefix_value(scope["path"], {prefix: True})):
        return None
    accept = Headers(scope=scope).get("accept", "*/*")
    return (
        longest_prefix_value(scope["path"], renderers)
        if "html" in accept or "*/*" in accept
        else None
    )


def _json_response(problem: Problem, scope: Scope, prefix: str) -> JSONResponse:
    app = scope.get("app")
    # The app's own type of this name, if it has one.
    types: Mapping[str, ProblemType] = getattr(app and app.state, "problem_types", {})
    problem_type = types.get(problem.type.name, problem.type)
    body: dict[str, JsonValue] = {
        **problem.extensions,
        "type": problem_type_url(problem_type, prefix),
        "title": problem_type.title,
        "status": problem_type.status,
        "detail": problem.detail,
        "instance": _raw_path(scope),
    }
    if request := scope.get("state", {}).get("request_id"):
        body["request"] = request
    if problem.errors:
        body["errors"] = [error.document() for error in problem.errors]
    headers = dict(problem.headers)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers.setdefault("WWW-Authenticate", "Bearer")
    return _ProblemResponse(body, problem_type.status, headers, media_type=MEDIA_TYPE)


class _ProblemResponse(JSONResponse):
    """A problem in JSON. Sentences may quote unpaired surrogates, which have no UTF-8."""

    def render(self, content: Any) -> bytes:
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def _raw_path(scope: Scope) -> str:
    """Return the requested path, percent-encoded as it was sent."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "backslashreplace")
    return raw.decode("ascii", "backslashreplace")
