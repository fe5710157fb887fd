"""Handle TagResource."""

from __future__ import annotations

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.settings import (
    check_tag_count,
    check_tags,
    find_tagged_table,
    merge_tags,
)
from dynamodb_engine.engine.control.state import check_settled
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import EmptyOutput, TagResource


def run(request: TagResource, session: Session) -> EmptyOutput:
    """Add tags to a table; a tag with the same key is replaced."""
    name = session.resolve_tagged(request.resource_arn)
    if not request.tags:
        raise ValidationError("Atleast one Tag needs to be provided as Input.")
    check_tags(request.tags)
    record = find_tagged_table(request.resource_arn, name, session).record
    check_settled(record, session.control_time)
    tags = merge_tags(record.tags, request.tags)
    check_tag_count(tags)
    session.catalog.update(session.execute, replace(record, tags=tags))
    return EmptyOutput()
