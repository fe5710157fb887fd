"""Handle UntagResource."""

from __future__ import annotations

from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.settings import find_tagged_table
from dynamodb_engine.engine.control.state import check_settled
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import EmptyOutput, UntagResource


def run(request: UntagResource, session: Session) -> EmptyOutput:
    """Remove tags from a table; missing tags are ignored."""
    name = session.resolve_tagged(request.resource_arn)
    if not request.tag_keys:
        raise ValidationError("Atleast one Tag Key needs to be provided as Input.")
    record = find_tagged_table(request.resource_arn, name, session).record
    check_settled(record, session.control_time)
    tags = tuple(tag for tag in record.tags if tag.key not in request.tag_keys)
    session.catalog.update(session.execute, replace(record, tags=tags))
    return EmptyOutput()
