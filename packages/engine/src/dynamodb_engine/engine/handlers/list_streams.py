"""Handle ListStreams."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.stream_shards import readable_streams
from dynamodb_engine.engine.streams import parse_stream_arn, stream_arn
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import ListStreams, ListStreamsOutput, Stream
from dynamodb_engine.values import INVALID

PAGE = 100


def check(request: ListStreams) -> tuple[ListStreams, tuple[str, str]]:
    """Return where to start; raise ValidationError for an invalid ARN or limit."""
    if (request.limit or 0) > PAGE:
        raise ValidationError(
            f"{INVALID}Limit cannot be greater than the maximum allowed size: {PAGE}"
        )
    arn = request.exclusive_start_stream_arn
    return request, ("", "") if arn is None else parse_stream_arn(arn)


def run(plan: tuple[ListStreams, tuple[str, str]], session: Session) -> ListStreamsOutput:
    """Return a page of streams, including those of deleted tables."""
    request, start = plan
    places = sorted(
        (table.name, stream.label)
        for table in session.tables.values()
        if request.table_name in (None, table.name)
        for stream in readable_streams(table.record, session.now)
        if (table.name, stream.label) > start
    )
    size = request.limit or PAGE
    page = [Stream(stream_arn(session, *place), *place) for place in places[:size]]
    return ListStreamsOutput(page, page[-1].stream_arn if len(places) > size else None)
