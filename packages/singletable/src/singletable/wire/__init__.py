"""The DynamoDB JSON protocol without a socket: read requests, write responses."""

from singletable.wire.http import MAX_HEADER_COUNT as MAX_HEADER_COUNT
from singletable.wire.http import MIN_COMPRESSED as MIN_COMPRESSED
from singletable.wire.http import BodyTooLarge as BodyTooLarge
from singletable.wire.http import HttpRequest as HttpRequest
from singletable.wire.http import HttpResponse as HttpResponse
from singletable.wire.http import add_header as add_header
from singletable.wire.http import check_target as check_target
from singletable.wire.http import compress_response as compress_response
from singletable.wire.http import error_response as error_response
from singletable.wire.http import health_response as health_response
from singletable.wire.http import parse_plain_request as parse_plain_request
from singletable.wire.http import read_operation as read_operation
from singletable.wire.http import response_head as response_head
from singletable.wire.http import result_response as result_response
from singletable.wire.requests import TARGETS as TARGETS
from singletable.wire.requests import read_request as read_request
from singletable.wire.requests import write_request as write_request
from singletable.wire.responses import write_error as write_error
from singletable.wire.responses import write_result as write_result
