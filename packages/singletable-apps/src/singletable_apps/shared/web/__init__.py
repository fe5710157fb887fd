"""HTTP conventions for all apps: problems, ETags, pagination, rate limits, cookies and the app.

See the README of `shared` for examples.
"""

from __future__ import annotations

from singletable_apps.shared.web.api_docs import problem_types_of
from singletable_apps.shared.web.app import add_routes, api_router, make_app
from singletable_apps.shared.web.bearer import ERROR_MEMBER, SentToken, check_signed_in
from singletable_apps.shared.web.clients import check_limit, client_address, hit_limit
from singletable_apps.shared.web.cookies import LONGEST_AGE, Cookie, set_header
from singletable_apps.shared.web.downloads import download
from singletable_apps.shared.web.etags import (
    Edit,
    Headers,
    IfMatch,
    IfMatchIfAny,
    IfNoneMatch,
    etag,
)
from singletable_apps.shared.web.idempotency import IdempotencyKey, IdempotencyKeyIfAny
from singletable_apps.shared.web.openapi import PUBLIC, responses
from singletable_apps.shared.web.pagination import (
    OffsetCursors,
    Page,
    PageLimit,
    PageRequest,
    Pagination,
    cursor_query,
)
from singletable_apps.shared.web.paths import ItemId, Segment, decode_segment, in_segment
from singletable_apps.shared.web.problems import (
    COMMON,
    IDEMPOTENCY_KEY,
    INVALID,
    INVALID_400,
    INVALID_CURSOR,
    MALFORMED_BODY,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    SIGNED_IN,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    UNSUPPORTED_MEDIA_TYPE,
    FieldError,
    Problem,
    ProblemMember,
    ProblemType,
)
from singletable_apps.shared.web.public_responses import (
    FOREVER,
    NO_STORE,
    SHARED_FIVE_MINUTES,
    public_response,
)
from singletable_apps.shared.web.rate_limits import (
    RateLimit,
    add_rate_limit_headers,
    client_network,
)
from singletable_apps.shared.web.response_cache import CachedRoute, ResponseCache, WriteCounter
from singletable_apps.shared.web.schemas import (
    Changes,
    Day,
    Document,
    ImageData,
    Model,
    PictureLink,
    StrictBoolean,
    Timestamp,
    absent_if_none,
    line,
    optional_field,
    paragraphs,
    partial_model,
)
from singletable_apps.shared.web.settings import Settings

__all__ = [
    "COMMON",
    "ERROR_MEMBER",
    "FOREVER",
    "IDEMPOTENCY_KEY",
    "INVALID",
    "INVALID_400",
    "INVALID_CURSOR",
    "LONGEST_AGE",
    "MALFORMED_BODY",
    "NOT_ALLOWED",
    "NOT_FOUND",
    "NOT_SIGNED_IN",
    "NO_STORE",
    "PUBLIC",
    "SHARED_FIVE_MINUTES",
    "SIGNED_IN",
    "TOO_MANY_REQUESTS",
    "UNAVAILABLE",
    "UNSUPPORTED_MEDIA_TYPE",
    "CachedRoute",
    "Changes",
    "Cookie",
    "Day",
    "Document",
    "Edit",
    "FieldError",
    "Headers",
    "IdempotencyKey",
    "IdempotencyKeyIfAny",
    "IfMatch",
    "IfMatchIfAny",
    "IfNoneMatch",
    "ImageData",
    "ItemId",
    "Model",
    "OffsetCursors",
    "Page",
    "PageLimit",
    "PageRequest",
    "Pagination",
    "PictureLink",
    "Problem",
    "ProblemMember",
    "ProblemType",
    "RateLimit",
    "ResponseCache",
    "Segment",
    "SentToken",
    "Settings",
    "StrictBoolean",
    "Timestamp",
    "WriteCounter",
    "absent_if_none",
    "add_rate_limit_headers",
    "add_routes",
    "api_router",
    "check_limit",
    "check_signed_in",
    "client_address",
    "client_network",
    "cursor_query",
    "decode_segment",
    "download",
    "etag",
    "hit_limit",
    "in_segment",
    "line",
    "make_app",
    "optional_field",
    "paragraphs",
    "partial_model",
    "problem_types_of",
    "public_response",
    "responses",
    "set_header",
]
