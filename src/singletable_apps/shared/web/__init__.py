"""The conventions of HTTP that all services share: problems, tags, pages, limits, and the app.

- `make_app(title, version, routers=[…], prefix="/api", kinds=[…], settings=Settings(…))` is the
  app with everything below in the right order.
- `raise Problem(KIND, "what is the matter", errors=[Fault("…", pointer="/name")], headers={…})`
  answers application/problem+json. A `Kind(name, status, title, about)` is declared once, given to
  `make_app(kinds=…)` for its page, and to `responses(KIND, …)` for the operations that may answer
  it. The kinds below are known already. An operation has these by itself: 403 cross-origin, 413,
  415, 422, 500 and 503, and whatever its parameters bring (412, 428, 400, 304).
- `edit: IfMatch` in a handler requires If-Match: `edit.check(revision)` is a 412 unless it is
  based on that revision, `edit.answer(revision)` puts the new ETag into the answer.
  `changed(revision)` is the 412 to raise when a conditional write finds out.
- `look: IfNoneMatch` in a handler that reads: `look.answer(revision)` puts the ETag into the
  answer, or ends it with 304.
- `page: Paging` has `page.limit` and `page.cursor`; `return page.answer(items, cursor)` gives
  `Page[T]` and the Link. `SealedOffsets(key)` makes cursors of positions that are no query's.
- `key: IdempotencyKey` requires the header; with `IdempotencyKeyIfAny` it may be missing.
- A `Model` has no fields but those described; `Moment` is a time with its zone, `Yes` a strict
  true or false; `may_be_left_out("…")` is a field of an edit. `file_to_save` is an answer.
- `name: Segment` in a path may contain a slash (`%2F`). For names that have rules, `Name` being
  `Annotated[str, Field(max_length=200)]`, it is `Annotated[Name, in_segment]`.
- `limit = RateLimit("sign-in", quota=10, seconds=60)`: `dependencies=[Depends(limited(limit))]`
  counts by address; `told(response, limit.hit(subject))` by anything else.
"""

from __future__ import annotations

from singletable_apps.shared.web.api_docs import problem_types_of
from singletable_apps.shared.web.app import api_router, make_app
from singletable_apps.shared.web.clients import client_address, rate_limited
from singletable_apps.shared.web.cookies import LONGEST_AGE, Cookie, set_header
from singletable_apps.shared.web.downloads import download
from singletable_apps.shared.web.etags import (
    Edit,
    IfMatch,
    IfNoneMatch,
    Look,
    etag,
    precondition_failed,
)
from singletable_apps.shared.web.idempotency import IdempotencyKey, IdempotencyKeyIfAny
from singletable_apps.shared.web.middleware import (
    JSON_POLICY,
    PAGE_POLICY,
    CrossOriginProtection,
    request_id,
)
from singletable_apps.shared.web.openapi import responses
from singletable_apps.shared.web.pagination import OffsetCursors, Page, PageRequest, Pagination
from singletable_apps.shared.web.paths import Segment, decode_segment, in_segment
from singletable_apps.shared.web.problems import (
    COMMON,
    CROSS_ORIGIN,
    IDEMPOTENCY_KEY,
    INTERNAL_ERROR,
    INVALID,
    INVALID_CURSOR,
    MALFORMED_BODY,
    MALFORMED_PATH,
    METHOD_NOT_ALLOWED,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    PRECONDITION_FAILED,
    PRECONDITION_REQUIRED,
    TOO_LARGE,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    UNSUPPORTED_MEDIA_TYPE,
    FieldError,
    Problem,
    ProblemType,
)
from singletable_apps.shared.web.rate_limits import (
    RateLimit,
    add_rate_limit_headers,
    client_network,
)
from singletable_apps.shared.web.schemas import Model, StrictBoolean, Timestamp, optional_field
from singletable_apps.shared.web.settings import Settings

__all__ = [
    "COMMON",
    "CROSS_ORIGIN",
    "IDEMPOTENCY_KEY",
    "INTERNAL_ERROR",
    "INVALID",
    "INVALID_CURSOR",
    "JSON_POLICY",
    "LONGEST_AGE",
    "MALFORMED_BODY",
    "MALFORMED_PATH",
    "METHOD_NOT_ALLOWED",
    "NOT_ALLOWED",
    "NOT_FOUND",
    "NOT_SIGNED_IN",
    "PAGE_POLICY",
    "PRECONDITION_FAILED",
    "PRECONDITION_REQUIRED",
    "TOO_LARGE",
    "TOO_MANY_REQUESTS",
    "UNAVAILABLE",
    "UNSUPPORTED_MEDIA_TYPE",
    "Cookie",
    "CrossOriginProtection",
    "Edit",
    "FieldError",
    "IdempotencyKey",
    "IdempotencyKeyIfAny",
    "IfMatch",
    "IfNoneMatch",
    "Look",
    "Model",
    "OffsetCursors",
    "Page",
    "PageRequest",
    "Pagination",
    "Problem",
    "ProblemType",
    "RateLimit",
    "Segment",
    "Settings",
    "StrictBoolean",
    "Timestamp",
    "add_rate_limit_headers",
    "api_router",
    "client_address",
    "client_network",
    "decode_segment",
    "download",
    "etag",
    "in_segment",
    "make_app",
    "optional_field",
    "precondition_failed",
    "problem_types_of",
    "rate_limited",
    "request_id",
    "responses",
    "set_header",
]
