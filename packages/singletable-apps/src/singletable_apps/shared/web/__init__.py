"""HTTP conventions for all apps: problems, ETags, pagination, rate limits, cookies and the app.

See the README of `shared` for examples.
"""

from __future__ import annotations

from singletable_apps.shared.web.app import add_routes as add_routes
from singletable_apps.shared.web.app import api_router as api_router
from singletable_apps.shared.web.app import make_app as make_app
from singletable_apps.shared.web.clients import RateLimit as RateLimit
from singletable_apps.shared.web.clients import add_rate_limit_headers as add_rate_limit_headers
from singletable_apps.shared.web.clients import check_limit as check_limit
from singletable_apps.shared.web.clients import client_address as client_address
from singletable_apps.shared.web.clients import client_network as client_network
from singletable_apps.shared.web.clients import hit_limit as hit_limit
from singletable_apps.shared.web.cookies import LONGEST_AGE as LONGEST_AGE
from singletable_apps.shared.web.cookies import Cookie as Cookie
from singletable_apps.shared.web.cookies import set_header as set_header
from singletable_apps.shared.web.downloads import download as download
from singletable_apps.shared.web.openapi import PUBLIC as PUBLIC
from singletable_apps.shared.web.openapi import responses as responses
from singletable_apps.shared.web.pagination import Page as Page
from singletable_apps.shared.web.pagination import PageLimit as PageLimit
from singletable_apps.shared.web.pagination import PageRequest as PageRequest
from singletable_apps.shared.web.pagination import Pagination as Pagination
from singletable_apps.shared.web.paths import ItemId as ItemId
from singletable_apps.shared.web.paths import Segment as Segment
from singletable_apps.shared.web.paths import decode_segment as decode_segment
from singletable_apps.shared.web.paths import in_segment as in_segment
from singletable_apps.shared.web.problems import COMMON as COMMON
from singletable_apps.shared.web.problems import IDEMPOTENCY_KEY as IDEMPOTENCY_KEY
from singletable_apps.shared.web.problems import INVALID as INVALID
from singletable_apps.shared.web.problems import INVALID_CURSOR as INVALID_CURSOR
from singletable_apps.shared.web.problems import MALFORMED_BODY as MALFORMED_BODY
from singletable_apps.shared.web.problems import NOT_ALLOWED as NOT_ALLOWED
from singletable_apps.shared.web.problems import NOT_FOUND as NOT_FOUND
from singletable_apps.shared.web.problems import NOT_SIGNED_IN as NOT_SIGNED_IN
from singletable_apps.shared.web.problems import SIGNED_IN as SIGNED_IN
from singletable_apps.shared.web.problems import TOO_MANY_REQUESTS as TOO_MANY_REQUESTS
from singletable_apps.shared.web.problems import UNAVAILABLE as UNAVAILABLE
from singletable_apps.shared.web.problems import UNSUPPORTED_MEDIA_TYPE as UNSUPPORTED_MEDIA_TYPE
from singletable_apps.shared.web.problems import FieldError as FieldError
from singletable_apps.shared.web.problems import Problem as Problem
from singletable_apps.shared.web.problems import ProblemType as ProblemType
from singletable_apps.shared.web.public_responses import FOREVER as FOREVER
from singletable_apps.shared.web.public_responses import NO_STORE as NO_STORE
from singletable_apps.shared.web.public_responses import SHARED_FIVE_MINUTES as SHARED_FIVE_MINUTES
from singletable_apps.shared.web.public_responses import public_response as public_response
from singletable_apps.shared.web.request_headers import Edit as Edit
from singletable_apps.shared.web.request_headers import Headers as Headers
from singletable_apps.shared.web.request_headers import IdempotencyKey as IdempotencyKey
from singletable_apps.shared.web.request_headers import IdempotencyKeyIfAny as IdempotencyKeyIfAny
from singletable_apps.shared.web.request_headers import IfMatch as IfMatch
from singletable_apps.shared.web.request_headers import IfNoneMatch as IfNoneMatch
from singletable_apps.shared.web.request_headers import SentToken as SentToken
from singletable_apps.shared.web.request_headers import check_signed_in as check_signed_in
from singletable_apps.shared.web.request_headers import etag as etag
from singletable_apps.shared.web.response_cache import CachedRoute as CachedRoute
from singletable_apps.shared.web.response_cache import ResponseCache as ResponseCache
from singletable_apps.shared.web.response_cache import WriteCounter as WriteCounter
from singletable_apps.shared.web.schemas import Changes as Changes
from singletable_apps.shared.web.schemas import Day as Day
from singletable_apps.shared.web.schemas import Document as Document
from singletable_apps.shared.web.schemas import ImageData as ImageData
from singletable_apps.shared.web.schemas import Model as Model
from singletable_apps.shared.web.schemas import PictureLink as PictureLink
from singletable_apps.shared.web.schemas import StrictBoolean as StrictBoolean
from singletable_apps.shared.web.schemas import Timestamp as Timestamp
from singletable_apps.shared.web.schemas import absent_if_none as absent_if_none
from singletable_apps.shared.web.schemas import line as line
from singletable_apps.shared.web.schemas import optional_field as optional_field
from singletable_apps.shared.web.schemas import paragraphs as paragraphs
from singletable_apps.shared.web.schemas import partial_model as partial_model
from singletable_apps.shared.web.settings import Settings as Settings
from singletable_apps.shared.web.threads import in_thread as in_thread
from singletable_apps.shared.web.threads import on_event_loop as on_event_loop
