"""Handle ListStreams."""

from __future__ import annotations

from singletable.engine.catalog import Session
from singletable.engine.stream_shards import readable_streams
from singletable.engine.streams import parse_stream_arn, stream_arn
from singletable.errors import ValidationError
from singletable.operations import ListStreams, ListStreamsOutput, Stream
from singletable.values import INVALID

PAGE = 100


def check(request: ListStreams) -> ListStreams:
    """Raise ValidationError if the page is too large, or the start is not a stream's ARN."""
    if (request.limit or 0) > PAGE:
        raise ValidationError(
            f"{INVALID}Limit cannot be greater than the maximum allowed size: {PAGE}"
        )
    if request.exclusive_start_stream_arn is not None:
        parse_stream_arn(request.exclusive_start_stream_arn)
    return request


def run(request: ListStreams, session: Session) -> ListStreamsOutput:
    """Return a page of streams, including those of deleted tables."""
    start = ("", "")
    if request.exclusive_start_stream_arn is not None:
        start = parse_stream_arn(request.exclusive_start_stream_arn)
    name = None if request.table_name is None else session.resolve(request.table_name)
    places = sorted(
        (table.name, stream.label)
        for table in session.tables.values()
        if name in (None, table.name)
        for stream in readable_streams(table.record, session.now)
        if (table.name, stream.label) > start
    )
    size = request.limit or PAGE
    page = [Stream(stream_arn(session, *place), *place) for place in places[:size]]
    return ListStreamsOutput(page, page[-1].stream_arn if len(places) > size else None)
