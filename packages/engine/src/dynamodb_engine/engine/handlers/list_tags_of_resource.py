"""Handle ListTagsOfResource."""

from __future__ import annotations

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.control.settings import find_tagged_table
from dynamodb_engine.operations import ListTagsOfResource, ListTagsOfResourceOutput


def run(request: ListTagsOfResource, session: Session) -> ListTagsOfResourceOutput:
    """Return all tags of a table. They fit one page; a page token is ignored, as on AWS."""
    name = session.resolve_tagged(request.resource_arn)
    return ListTagsOfResourceOutput(
        list(find_tagged_table(request.resource_arn, name, session).record.tags)
    )
