"""The DynamoDB JSON protocol without a socket: read requests, write responses."""

from dynamodb_engine.wire.http import MAX_HEADER_COUNT as MAX_HEADER_COUNT
from dynamodb_engine.wire.http import MIN_COMPRESSED as MIN_COMPRESSED
from dynamodb_engine.wire.http import BodyTooLarge as BodyTooLarge
from dynamodb_engine.wire.http import HttpRequest as HttpRequest
from dynamodb_engine.wire.http import HttpResponse as HttpResponse
from dynamodb_engine.wire.http import add_header as add_header
from dynamodb_engine.wire.http import check_target as check_target
from dynamodb_engine.wire.http import compress_response as compress_response
from dynamodb_engine.wire.http import error_response as error_response
from dynamodb_engine.wire.http import health_response as health_response
from dynamodb_engine.wire.http import parse_plain_request as parse_plain_request
from dynamodb_engine.wire.http import read_operation as read_operation
from dynamodb_engine.wire.http import response_head as response_head
from dynamodb_engine.wire.http import result_response as result_response
from dynamodb_engine.wire.requests import TARGETS as TARGETS
from dynamodb_engine.wire.requests import read_request as read_request
from dynamodb_engine.wire.requests import write_request as write_request
from dynamodb_engine.wire.responses import write_error as write_error
from dynamodb_engine.wire.responses import write_result as write_result
