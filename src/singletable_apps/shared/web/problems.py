"""Problems as RFC 9457 has them: raised anywhere, answered as application/problem+json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from singletable_apps.shared.web.paths import set_for


@dataclass(frozen=True, slots=True, eq=False)
class ProblemType:
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

MALFORMED_BODY = ProblemType(
    "malformed-body",
    400,
    "The body is not JSON",
    "A body is JSON in UTF-8 as RFC 7493 has it: no name twice in an object, no NaN, no half "
    "characters, numbers that a double can hold, and at most 64 levels deep.",
)
MALFORMED_PATH = ProblemType(
    "malformed-path",
    400,
    "The path cannot be read",
    "A path is UTF-8, percent-encoded, without characters for private use.",
)
CURSOR_REFUSED = ProblemType(
    "cursor-refused",
    400,
    "The cursor is not for this list",
    "A cursor comes from the `next` of a page, and goes with the same list and the same filters. "
    "Leave it out to begin again.",
)
IDEMPOTENCY_KEY = ProblemType(
    "idempotency-key",
    400,
    "The Idempotency-Key is missing or cannot be used",
    "Send a header Idempotency-Key of 1 to 200 visible ASCII characters, new for each thing that "
    "shall happen, and the same when you try again.",
)
NOT_SIGNED_IN = ProblemType(
    "not-signed-in",
    401,
    "You are not signed in",
    "Sign in, and send what you get with each request.",
    {"WWW-Authenticate": "How to say who you are."},
)
NOT_ALLOWED = ProblemType(
    "not-allowed",
    403,
    "You may not do this",
    "Somebody who may give you the right has to do so first.",
)
CROSS_ORIGIN = ProblemType(
    "cross-origin",
    403,
    "The request comes from another site",
    "A browser says that a page of another site made this request. What changes something is "
    "asked for from our own pages, or by a program.",
)
NOT_FOUND = ProblemType("not-found", 404, "There is no such thing", "Look at the address again.")
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed",
    405,
    "This cannot be done here",
    "The header Allow says which methods there are at this address.",
    {"Allow": "The methods there are."},
)
PRECONDITION_FAILED = ProblemType(
    "precondition-failed",
    412,
    "It was changed in the meantime",
    "Read it again, see what others have changed, and send the edit with the new ETag in If-Match.",
    CURRENT_TAG,
)
TOO_LARGE = ProblemType("too-large", 413, "The body is too large", "Send less at once.")
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported-media-type",
    415,
    "The body has a type that is not taken",
    "Send JSON, with Content-Type: application/json.",
    {"Accept": "The types that are taken."},
)
INVALID = ProblemType(
    "invalid-request",
    422,
    "The request does not fit its description",
    "`errors` says for each fault where it is, what was expected and what came.",
)
PRECONDITION_REQUIRED = ProblemType(
    "precondition-required",
    428,
    "An edit says what it is based on",
    "Read first, and send the ETag you got as If-Match; then no edit of others is lost.",
)
TOO_MANY = ProblemType(
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
UNFORESEEN = ProblemType(
    "unforeseen",
    500,
    "Something broke here",
    "It is written down under the number in `request`; tell it to those who run the service.",
)
TRY_LATER = ProblemType(
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


MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing that is wrong: in the body (a JSON pointer), in a parameter, or in a header."""

    detail: str
    pointer: str | None = None
    parameter: str | None = None
    header: str | None = None

    def document(self) -> JsonValue:
        """As it is in the answer, without the places where it is not."""
        places = {"pointer": self.pointer, "parameter": self.parameter, "header": self.header}
        return {
            **{name: at for name, at in places.items() if at is not None},
            "detail": self.detail,
        }


class Problem(Exception):
    """A request cannot be answered as it was meant: raise it anywhere in a handler.

    `detail` is a sentence about this one occurrence that says what to do; `extensions` are further
    members of the answer, and `headers` further headers of it.
    """

    def __init__(
        self,
        kind: ProblemType,
        detail: str = "",
        *,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        instance: str | None = None,
        extensions: Mapping[str, JsonValue] | None = None,
    ) -> None:
        self.type = kind
        self.detail = detail or kind.about
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.instance = instance
        self.extensions = dict(extensions or {})
        super().__init__(f"{kind.name}: {self.detail}")

    @property
    def status(self) -> int:
        """The status of the answer."""
        return self.type.status


class FaultDocument(BaseModel):
    """One thing that is wrong, and where."""

    detail: str = Field(description="What was expected, and what came.")
    pointer: str | None = Field(None, description="Where in the body, as a JSON pointer.")
    parameter: str | None = Field(None, description="Which parameter of the path or the query.")
    header: str | None = Field(None, description="Which header or cookie.")


class ProblemDocument(BaseModel):
    """What went wrong, and what to do about it (RFC 9457)."""

    model_config = ConfigDict(extra="allow", title="Problem")

    type: str = Field(
        description="Which kind of problem; there is a page about it at this address."
    )
    title: str = Field(description="The kind in a few words, always the same.")
    status: int = Field(description="The status of the answer.")
    detail: str = Field(description="What is the matter this time.")
    instance: str | None = Field(None, description="What was asked for.")
    request: str | None = Field(None, description="The number of the request in our records.")
    errors: list[FaultDocument] = Field(default_factory=list[FaultDocument])


def type_of(kind: ProblemType, prefix: str) -> str:
    """The address of the page about a kind of problem, which is also its name in answers."""
    return f"{prefix}/problems/{kind.name}" if kind.name else "about:blank"


def plain_kind(status: int) -> ProblemType:
    """A kind for a status about which nothing more is known."""
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = f"Status {status}"
    return ProblemType("", status, title, title)


def problem_answer(problem: Problem, scope: Scope, prefix: str = "") -> Response:
    """The answer to the request that is in trouble: a page for a browser that looks at pages."""
    page = _page_maker(scope, prefix)
    return page(Request(scope), problem) if page else _document(problem, scope, prefix)


def _page_maker(scope: Scope, prefix: str) -> Callable[[Request, Problem], Response] | None:
    """Who makes pages about problems at this address; none for programs, and none in the API."""
    app = scope.get("app")
    makers = getattr(app.state, "problem_pages", None) if app is not None else None
    if not makers or (prefix and set_for(scope["path"], {prefix: True})):
        return None
    accept = Headers(scope=scope).get("accept", "*/*")
    return set_for(scope["path"], makers) if "html" in accept or "*/*" in accept else None


def _document(problem: Problem, scope: Scope, prefix: str) -> JSONResponse:
    kind = problem.type
    body: dict[str, JsonValue] = {
        **problem.extensions,
        "type": type_of(kind, prefix),
        "title": kind.title,
        "status": kind.status,
        "detail": problem.detail,
        "instance": problem.instance or _asked(scope),
    }
    if request := scope.get("state", {}).get("request_id"):
        body["request"] = request
    if problem.errors:
        body["errors"] = [fault.document() for fault in problem.errors]
    headers = dict(problem.headers)
    if kind.status == HTTPStatus.UNAUTHORIZED:
        headers.setdefault("WWW-Authenticate", "Bearer")
    return JSONResponse(body, kind.status, headers, media_type=MEDIA_TYPE)


def _asked(scope: Scope) -> str:
    """The path as it was asked for; it is ASCII, whatever it stands for."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode("utf-8", "backslashreplace")
    return raw.decode("ascii", "backslashreplace")
