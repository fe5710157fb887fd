"""Check and run TagResource."""

from __future__ import annotations

from msgspec.structs import replace

from singletable.engine.catalog import Session
from singletable.engine.control.states import check_settled
from singletable.engine.control.tags import (
    check_number,
    check_resource,
    check_tags,
    merged_tags,
    tagged_table,
)
from singletable.errors import ValidationError
from singletable.operations import EmptyOutput, TagResource


def run(request: TagResource, session: Session) -> EmptyOutput:
    """Put tags on a table beside those it has; a tag of the same key is replaced."""
    check_resource(request.resource_arn, "TagResource", session)
    if not request.tags:
        raise ValidationError("Atleast one Tag needs to be provided as Input.")
    check_tags(request.tags)
    record = tagged_table(request.resource_arn, session).record
    check_settled(record, session.now)
    tags = merged_tags(record.tags, request.tags)
    check_number(tags)
    session.catalog.update(session.execute, replace(record, tags=tags))
    return EmptyOutput()
