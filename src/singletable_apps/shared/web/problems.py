"""Problems as RFC 9457 has them: raised anywhere, answered as application/problem+json."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from pydantic import BaseModel, ConfigDict, Field, JsonValue
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Scope

from singletable_apps.shared.web.kinds import Kind
from singletable_apps.shared.web.prefixes import set_for

MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Fault:
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
        kind: Kind,
        detail: str = "",
        *,
        errors: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
        instance: str | None = None,
        extensions: Mapping[str, JsonValue] | None = None,
    ) -> None:
        self.kind = kind
        self.detail = detail or kind.about
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.instance = instance
        self.extensions = dict(extensions or {})
        super().__init__(f"{kind.name}: {self.detail}")

    @property
    def status(self) -> int:
        """The status of the answer."""
        return self.kind.status


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


def type_of(kind: Kind, prefix: str) -> str:
    """The address of the page about a kind of problem, which is also its name in answers."""
    return f"{prefix}/problems/{kind.name}" if kind.name else "about:blank"


def plain_kind(status: int) -> Kind:
    """A kind for a status about which nothing more is known."""
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = f"Status {status}"
    return Kind("", status, title, title)


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
    is_browser = "text/html" in Headers(scope=scope).get("accept", "")
    return set_for(scope["path"], makers) if is_browser else None


def _document(problem: Problem, scope: Scope, prefix: str) -> JSONResponse:
    kind = problem.kind
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
